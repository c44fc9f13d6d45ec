"""From nothing: success and steps over the first train games, while the rules are learned by playing them.

    python -m benchmarks.learning_curve
    python -m benchmarks.learning_curve --count 100 --seeds 0 1 2 3 4

Plays the split ``train`` of the official games (by default in ``../shared/data/alfworld``), in an order that
each seed draws anew, as `worldmodel plan --learn --rules none` does: the first game without a single rule.
No game of another split is touched.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.table import Table

from benchmarks.household import GAMES, wilson
from planners import PlanConfig
from rules.errors import WorldModelError
from worldmodel.cli.console import progress
from worldmodel.cli.episodes import Job, Setup
from worldmodel.cli.learner import Learner
from worldmodel.environments.alfworld.spec import SPEC

STEPS, STREAK, BLOCK = 50, 20, 10
BARS = " ▁▂▃▄▅▆▇█"


@dataclass(slots=True)
class Curve:
    """What became of each game, in their order: whether it was won, steps, and how many were explored."""

    seed: int
    won: list[bool] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    explored: list[int] = field(default_factory=list)
    seconds: float = 0.0

    def streak(self, length: int = STREAK) -> int | None:
        """The number of games played when so many in a row had been won; None where it never came to it."""
        run = 0
        for number, won in enumerate(self.won, 1):
            run = run + 1 if won else 0
            if run == length:
                return number
        return None


def learn(games: Path, count: int, seed: int) -> Curve:
    """Plays so many train games in the seed's order, starting from nothing."""
    jobs = [Job(g.id, g.task_type, g.load()) for g in SPEC.games(games, "train", count=count, seed=seed)]
    learner = Learner(Setup(SPEC.name, None, "fast", STEPS, PlanConfig(seed=seed), "benchmark"))
    curve, began = Curve(seed), time.perf_counter()
    with progress(f"seed {seed}", len(jobs)) as advance:
        for episode in learner.play_all(jobs):
            curve.won.append(bool(episode.success))
            curve.steps.append(len(episode.steps))
            curve.explored.append(int(episode.metadata["explored"]))
            advance()
    curve.seconds = time.perf_counter() - began
    return curve


def table(curves: Sequence[Curve]) -> Table:
    """Success, steps and explored steps by blocks of games, over all seeds."""
    result = Table(title=f"Learning by playing, from nothing: {len(curves)} seeds", title_justify="left")
    for name in ("train games", "won", "success", "95 %", "steps", "of these explored", "by seed"):
        result.add_column(name, justify="left" if name in ("train games", "by seed") else "right")
    for start in range(0, len(curves[0].won), BLOCK):
        block = slice(start, start + BLOCK)
        won = [won for c in curves for won in c.won[block]]
        result.add_row(
            f"{start + 1}–{start + len(curves[0].won[block])}",
            f"{sum(won)}/{len(won)}",
            f"{fmean(won):.0%}",
            "–".join(f"{100 * x:.0f}" for x in wilson(sum(won), len(won))),
            f"{fmean(s for c in curves for s in c.steps[block]):.1f}",
            f"{fmean(s for c in curves for s in c.explored[block]):.1f}",
            "  ".join(f"{sum(c.won[block])}" for c in curves),
        )
    return result


def plot(curves: Sequence[Curve], width: int = 5) -> str:
    """The share of games won and the mean steps, in bars of so many games."""
    lines = []
    for name, most, values in (
        ("won", 1.0, [[float(w) for w in c.won] for c in curves]),
        ("steps", float(STEPS), [[float(s) for s in c.steps] for c in curves]),
    ):
        means = [
            fmean(v for row in values for v in row[start : start + width])
            for start in range(0, len(values[0]), width)
        ]
        bars = "".join(BARS[round(mean / most * (len(BARS) - 1))] * 2 for mean in means)
        lines.append(f"{name:>6} 0–{most:g} │{bars}│ {means[0]:.2f} → {means[-1]:.2f}")
    lines += [f"seed {c.seed:<4} │{''.join('█' if won else '·' for won in c.won)}│" for c in curves]
    return "\n".join(lines)


def streaks(curves: Sequence[Curve]) -> str:
    """After how many games each seed had won 20 in a row."""
    found = [
        f"seed {c.seed}: {c.streak() or f'not within {len(c.won)}'}, longest run {_longest(c)}"
        for c in curves
    ]
    return f"Train games until {STREAK} wins in a row: {'; '.join(found)}."


def _longest(curve: Curve) -> int:
    return max(map(len, "".join("#" if won else "." for won in curve.won).split(".")))


def main() -> None:
    about, _, more = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=more, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=50, help="train games a seed")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--games", type=Path, default=GAMES, help="the folder with the splits")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        curves = [learn(options.games, options.count, seed) for seed in options.seeds]
    except WorldModelError as error:
        sys.exit(str(error))
    if options.json:
        fields = ("seed", "won", "steps", "explored", "seconds")
        print(json.dumps([{name: getattr(c, name) for name in fields} for c in curves]))
        return
    out = Console(width=None if sys.stdout.isatty() else 130)
    out.print(table(curves))
    out.print(plot(curves), streaks(curves), CAPTION, sep="\n\n", highlight=False)


CAPTION = (
    f"At most {STEPS} steps; a game that was lost counts with all. Where there was no plan to trust, an\n"
    "explorer acted, who is told the admissible commands; the planner is not. No LLM."
)


if __name__ == "__main__":
    main()
