"""``worldmodel collect``: explore games and log what happens."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldmodel.cli import options
from worldmodel.cli.console import EXIT_INTERRUPTED, complain, examples, progress, show, show_json

if TYPE_CHECKING:
    from rich.table import Table

    from worldmodel.environments.base import Perception
    from worldmodel.trajectories import Episode

EPILOG = examples(
    "worldmodel collect --count 100 -o logs.jsonl.gz",
    "worldmodel collect --games games/ --split train --policy random -o logs.jsonl.gz",
    "The same command again goes on where an interrupted one stopped.",
)


def collect(
    output: Annotated[Path, typer.Option("--output", "-o", help="The log: .jsonl or .jsonl.gz.")],
    environment: options.Environment = "alfworld",
    games: Annotated[Path | None, typer.Option("--games", "-g", help="Games; by default new ones.")] = None,
    split: options.Split = None,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many games to play.")] = 100,
    policy: Annotated[str, typer.Option("--policy", help="curious or random.")] = "curious",
    steps: Annotated[int, typer.Option("--steps", min=1, help="Commands in a game, at most.")] = 50,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Explore games with a policy that sees text alone, and log the episodes.

    An existing log is added to: games that it has already are not played again.
    """
    from worldmodel.cli.files import check_log
    from worldmodel.cli.gaming import chosen_games
    from worldmodel.collecting import collect_into
    from worldmodel.environments.registry import environment as environment_named
    from worldmodel.trajectories import written_ids

    began = perf_counter()
    spec = environment_named(environment)
    check_log(output, [games] if games else [])
    chosen = [reference for reference, _ in chosen_games(spec, games, split, count, seed)]
    before = len(written_ids(output, lambda _: None) & {game.id for game in chosen})
    tally, interrupted = _Tally(spec.perception(None)), False
    try:
        with progress("exploring", len(chosen) - before) as advance:
            for episode in collect_into(output, spec, chosen, policy, seed, steps):
                tally.add(episode)
                advance()
    except KeyboardInterrupt:
        interrupted = True
    result = {
        **tally.counts,
        "had_before": before,
        "policy": policy,
        "seed": seed,
        "seconds": perf_counter() - began,
        "output": str(output),
        "interrupted": interrupted,
    }
    show_json(result) if as_json else show(_table(result))
    if interrupted:
        left = len(chosen) - before - tally.counts["episodes"]
        complain(f"interrupted with {left} games to go; the same command goes on from here", kind="")
        raise typer.Exit(EXIT_INTERRUPTED)


class _Tally:
    """Counts what was logged."""

    def __init__(self, perception: Perception) -> None:
        self.perception = perception
        self.counts = {"episodes": 0, "steps": 0, "refused": 0, "won": 0}

    def add(self, episode: Episode) -> None:
        answers = [
            self.perception.perceive(self.perception.action(step.action), step.observation)
            for step in episode.steps
        ]
        self.counts["episodes"] += 1
        self.counts["steps"] += len(answers)
        self.counts["refused"] += sum(answer.refused for answer in answers)
        self.counts["won"] += bool(episode.success)


def _table(result: dict[str, Any]) -> Table:
    from rich.table import Table

    table = Table(title=f"{result['output']}, in {result['seconds']:.1f} s", show_header=False)
    table.add_column(justify="right")
    table.add_column()
    table.add_row("episodes", f"{result['episodes']:,}, and {result['had_before']:,} from before")
    table.add_row("steps", f"{result['steps']:,}")
    table.add_row("refused", f"{result['refused'] / max(1, result['steps']):.0%}")
    table.add_row("won by chance", f"{result['won']:,}")
    table.add_row("policy", f"{result['policy']}, seed {result['seed']}")
    return table
