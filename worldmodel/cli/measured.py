"""What ``worldmodel evaluate`` prints besides its tables of predictions: rollouts, rewards, pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldmodel.cli.console import complain, progress

if TYPE_CHECKING:
    from rich.table import Table

    from worldmodel.evaluation import Evaluation
    from worldmodel.evaluation.harness import Reveal
    from worldmodel.evaluation.reward import Rewards
    from worldmodel.evaluation.rollouts import Rollouts
    from worldmodel.model import WorldModel
    from worldmodel.trajectories import Episode


def rolled_out(
    models: Sequence[WorldModel], episodes: Sequence[Episode], depth: int, reveal: Reveal | None
) -> list[Rollouts]:
    """The rollouts of each model."""
    from worldmodel.evaluation.rollouts import roll_out

    with progress("rolling out", len(models) * len(episodes)) as advance:
        return [
            roll_out(m, episodes, m.perception, depth, reveal=reveal, progress=lambda _: advance())
            for m in models
        ]


def rollout_table(found: Rollouts, seed: int) -> Table:
    """Divergence by depth, for a person."""
    from rich.table import Table

    from worldmodel.evaluation.rollouts import MEASURES

    table = Table(title=f"{found.predictor}, looking ahead without seeing", caption_justify="left", caption=(
        "outcome: foretold at this depth; outcomes so far: at all depths up to it; exact: the words, "
        "normalised; facts: stated by the observation, and denied or left open by the imagined state."
    ))  # fmt: skip
    for name in ("depth", "rollouts", *MEASURES):
        table.add_column(name, justify="right")
    sure = found.intervals("outcomes so far", seed)
    for depth, row in enumerate(found.by_depth()):
        cells = [f"{row[measure]:.1%}" for measure in MEASURES]
        cells[1] += " [{:.1f}, {:.1f}]".format(*(100 * bound for bound in sure[depth]))
        table.add_row(str(depth + 1), f"{row['rollouts']:,.0f}", *cells)
    return table


def reward_table(found: Rewards, seed: int) -> Table:
    """Distances by task type, for a person."""
    from rich.table import Table

    from worldmodel.evaluation.reward import REFERENCES

    caption = (
        "Distance sqrt((1 - r) / 2) of the progress that the model sees, over a winning and a losing "
        "trajectory of each game: to the share of the winning steps done, and to the environment's reward. "
        f"{found.unpaired:,} games have no such pair."
    )
    if found.pairs:
        caption += f" The winning trajectory ends with more progress in {found.separated:.1%}."
    title = f"reward from state, {len(found.pairs)} pairs"
    table = Table(title=title, caption=caption, caption_justify="left")
    for name in ("task", "pairs", *REFERENCES):
        table.add_column(name, justify="left" if name == "task" else "right")
    for task in found.tasks:
        count = sum(pair.task == task for pair in found.pairs)
        table.add_row(task or "–", str(count), *(f"{found.distance(r, task):.3f}" for r in REFERENCES))
    every = [
        "{:.3f} [{:.3f}, {:.3f}]".format(found.distance(r), *found.interval(r, seed)) for r in REFERENCES
    ]
    table.add_row("all", str(len(found.pairs)), *every)
    return table


def rollout_dict(found: Sequence[Rollouts]) -> dict[str, Any]:
    """For JSON."""
    from worldmodel.evaluation.tables import number

    return {
        one.predictor: [{name: number(value) for name, value in row.items()} for row in one.by_depth()]
        for one in found
    }


def reward_dict(found: Rewards, seed: int) -> dict[str, Any]:
    """For JSON."""
    from worldmodel.evaluation.reward import REFERENCES
    from worldmodel.evaluation.tables import number

    return {
        "pairs": [pair._asdict() for pair in found.pairs],
        "unpaired": found.unpaired,
        "separated": number(found.separated),
        **{f"distance to {r}": number(found.distance(r)) for r in REFERENCES},
        **{f"interval to {r}": [number(bound) for bound in found.interval(r, seed)] for r in REFERENCES},
    }


def draw(found: Evaluation, ahead: Sequence[Rollouts], folder: Path) -> None:
    """The pictures, each file written whole."""
    from worldmodel.cli.files import check_output, write
    from worldmodel.evaluation import plots

    for name, picture in plots(found, ahead):
        check_output(folder / name)
        write(folder / name, picture)
        complain(f"{folder / name}: written", kind="")
