"""Options that several commands take."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer


class LogFormat(str, enum.Enum):
    """How a log is written."""

    AUTO = "auto"
    JSONL = "jsonl"
    REACT = "react"


class OnError(str, enum.Enum):
    """What a broken line does."""

    SKIP = "skip"
    RAISE = "raise"


Logs = Annotated[
    list[Path],
    typer.Argument(
        help="Logs of episodes: .jsonl, .jsonl.gz, or ReAct logs (.jsonl.xz too).", show_default=False
    ),
]
Environment = Annotated[str, typer.Option("--environment", "-e", help="The environment the texts come from.")]
Seed = Annotated[int, typer.Option("--seed", help="Everything random follows from it.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout, for machines.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Read only the first N episodes.")]
Format = Annotated[LogFormat, typer.Option("--format", help="How the logs are written; auto looks.")]
SkipOrRaise = Annotated[OnError, typer.Option("--on-error", help="Skip and report broken lines, or stop.")]
Rules = Annotated[
    Path | None,
    typer.Option("--rules", "-r", help="A rule file; by default the one that ships with the environment."),
]
Split = Annotated[
    str | None, typer.Option("--split", help="A part of the games, e.g. valid_seen (else of ALFWORLD_DATA).")
]
