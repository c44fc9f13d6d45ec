"""What the commands share in talking: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

EXIT_FINDINGS = EXIT_PIPE = 1  # rich and typer end with 1 too where nobody reads the output
EXIT_BAD_INPUT, EXIT_INTERRUPTED = 2, 130
FILE_WIDTH = 140
"""Columns where the output is no terminal."""
SHOWN = 5
"""So many warnings of one kind are printed; the rest are counted."""


def examples(*commands: str, exit_codes: bool = False) -> str:
    """The lines below a command's help."""
    lines = ["Examples:", *(f"$ {c}" if c.startswith("worldmodel") else c for c in commands)]
    if exit_codes:
        lines.append(
            "Exit codes: 0 done, 1 a check found something or nobody reads the output, "
            "2 wrong usage or bad input, 130 interrupted."
        )
    return "\n".join(lines)


def console(stderr: bool = False) -> Console:
    """A console on stdout, or on stderr."""
    from rich.console import Console

    found = Console(stderr=stderr, highlight=False)
    return found if found.is_terminal else Console(stderr=stderr, highlight=False, width=FILE_WIDTH)


def show(*things: RenderableType) -> None:
    """Print tables and the like on stdout."""
    out = console()
    for thing in things:
        out.print(thing)


def show_json(result: dict[str, Any]) -> None:
    """Print the one JSON object that a machine reads."""
    typer.echo(json.dumps(result))


def plain(text: object) -> str:
    """A text from a file, in one line that cannot talk to the terminal."""
    return "".join(c if c.isprintable() else " " for c in str(text))


def complain(message: str, kind: str = "error") -> None:
    """One message on stderr; those that point into a file go on below their first line."""
    colours = {"error": typer.colors.RED, "warning": typer.colors.YELLOW}
    head = typer.style(f"{kind}: ", fg=colours[kind], bold=True) if kind else ""
    typer.echo(head + "\n".join(plain(line) for line in message.split("\n")), err=True)


def warn_all(messages: Sequence[str]) -> None:
    """The first few warnings, and how many more there are."""
    for message in messages[:SHOWN]:
        complain(message, "warning")
    if len(messages) > SHOWN:
        complain(f"{len(messages) - SHOWN:,} more like these", "warning")


@contextmanager
def progress(title: str, total: int | None = None) -> Iterator[Callable[[], None]]:
    """A progress bar on stderr where that is a terminal; what it gives is to be called after each piece."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    err = console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)
