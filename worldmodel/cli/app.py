"""The application: its commands, and how it ends when something goes wrong."""

from __future__ import annotations

import os
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from rules.errors import WorldModelError
from worldmodel.cli import collect, evaluate, games, induce, plan, rulebook
from worldmodel.cli.console import EXIT_BAD_INPUT, EXIT_INTERRUPTED, EXIT_PIPE, complain, examples


class _Group(TyperGroup):
    """Turns what goes wrong in a command into one line and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()  # so that a reader who went away is noticed here
            return result
        except KeyboardInterrupt:
            complain("interrupted", kind="")
            raise typer.Exit(EXIT_INTERRUPTED) from None
        except BrokenPipeError:
            _let_go_of_stdout()
            raise typer.Exit(EXIT_PIPE) from None
        except WorldModelError as error:
            complain(str(error))
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            complain(f"{place}{error.strerror or error}")
        raise typer.Exit(EXIT_BAD_INPUT)


app = typer.Typer(
    cls=_Group,
    name="worldmodel",
    help="Learn what actions do from logs, check it, measure it, and plan with it.",
    epilog=examples(
        "worldmodel plan --watch",
        "worldmodel collect --count 100 -o logs.jsonl.gz",
        "worldmodel induce logs.jsonl.gz -o household.rules",
        "worldmodel evaluate logs.jsonl.gz --rules household.rules",
        exit_codes=True,
    ),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        from worldmodel import __version__

        typer.echo(f"worldmodel {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


app.command("plan", epilog=plan.EPILOG)(plan.plan)
app.command("collect", epilog=collect.EPILOG)(collect.collect)
app.command("induce", epilog=induce.EPILOG)(induce.induce)
app.command("evaluate", epilog=evaluate.EPILOG)(evaluate.evaluate)
app.command("games", epilog=games.EPILOG)(games.games)
app.add_typer(rulebook.app, name="rules")


def main() -> None:
    """Run the `worldmodel` command."""
    try:
        app()
    except KeyboardInterrupt:  # before a command ran, or while the last lines were written
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        _let_go_of_stdout()
        sys.exit(EXIT_PIPE)


def _let_go_of_stdout() -> None:
    """Let Python's flush at exit go nowhere: whoever read our output has gone away."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
