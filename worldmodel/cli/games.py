"""``worldmodel games``: list games, make new ones, write them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldmodel.cli import options
from worldmodel.cli.console import examples, plain, show, show_json

if TYPE_CHECKING:
    from rich.table import Table

EPILOG = examples(
    "worldmodel games --count 20 --seed 7 -o games.jsonl.gz",
    "worldmodel games --room kitchen --task pick_heat_then_place_in_recep",
    "worldmodel games --source json_2.1.1 --split valid_seen --json",
)


def games(
    source: Annotated[
        Path | None, typer.Option("--source", help="List the games of a folder or file.")
    ] = None,
    split: options.Split = None,
    count: Annotated[
        int | None,
        typer.Option("--count", "-n", min=1, help="How many; by default 20 new ones, or all there are."),
    ] = None,
    room: Annotated[str | None, typer.Option("--room", help="New games in this kind of room only.")] = None,
    task: Annotated[str | None, typer.Option("--task", help="Games of this task type only.")] = None,
    seed: options.Seed = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write them: to a .jsonl, .jsonl.gz or .jsonl.xz, or below a folder."
        ),
    ] = None,
    official: Annotated[
        bool,
        typer.Option("--official", help="Write them with ALFWorld's domain and grammar, for its own loader."),
    ] = False,
    as_json: options.Json = False,
) -> None:
    """List the ALFWorld games of a source, or make new ones: unseen rooms, their objects and a task."""
    if source is not None or split is not None:
        if room is not None:
            raise typer.BadParameter(
                "only for new games: leave out --source and --split", param_hint="--room"
            )
        found = list(_found(source, split, task, count, seed))
    else:
        from worldmodel.environments.alfworld.generator import generate

        found = list(generate(count or 20, seed, room, task))
    if output is not None:
        from worldmodel.environments.alfworld.games import write_games
        from worldmodel.environments.alfworld.generator import complete

        write_games(map(complete, found) if official else found, output)
    listed = [{key: game.get(key, "") for key in ("id", "task_type", "task")} for game in found]
    if as_json:
        show_json({"count": len(found), "seed": seed, "output": output and str(output), "games": listed})
    else:
        show(_table(listed, output))


def _found(
    source: Path | None, split: str | None, task: str | None, count: int | None, seed: int
) -> Iterator[dict[str, Any]]:
    import random

    from rules.errors import WorldModelError
    from worldmodel.environments.alfworld.games import find_games

    found = [game for game in find_games(source, split) if task in (None, game.task_type)]
    if not found:
        raise WorldModelError(f"{source}: no games of task type {task!r}")
    if count is not None:
        found = random.Random(f"games {seed}").sample(found, min(count, len(found)))
    for game in found:
        yield {**game.document(), "task": game.load().task}


def _table(games: list[dict[str, Any]], output: Path | None) -> Table:
    from rich.table import Table

    table = Table(title=f"{len(games):,} games" + (f", written to {output}" if output else ""))
    for name in ("id", "task type", "task"):
        table.add_column(name, overflow="fold")
    for game in games:
        table.add_row(plain(game["id"]), plain(game["task_type"]), plain(game["task"]))
    return table
