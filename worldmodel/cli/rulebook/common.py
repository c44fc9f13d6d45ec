"""What the commands about rules share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.text import Text

    from rules.ruleset import Evidence, RuleSet

RuleFile = Annotated[Path, typer.Argument(help="A rule file.", show_default=False)]
RuleFileOrShipped = Annotated[
    Path | None, typer.Argument(help="A rule file; by default the one that ships.", show_default=False)
]
BAR = 10
"""Characters of a bar that is full."""


def load(file: Path) -> RuleSet:
    """The rule set in a file."""
    from rules import language
    from worldmodel.cli.files import check_inputs

    check_inputs([file], "a rule file")
    return language.load(file)


def or_shipped(file: Path | None, environment: str) -> Path:
    """The file that is named, or the one that ships with the environment."""
    from worldmodel.environments.registry import shipped_rules

    return shipped_rules(environment) if file is None else file


def bar(evidence: Evidence) -> Text:
    """For and against, and the confidence that follows, as a bar."""
    from rich.text import Text

    full = round(BAR * evidence.confidence)
    colour = "green" if evidence.confidence > 0.9 else "yellow" if evidence.confidence > 0.5 else "red"
    bar = Text("█" * full, style=colour)
    bar.append("░" * (BAR - full), style="dim")
    return bar.append(f" {evidence.support}:{evidence.against}")
