"""Prediction on ALFWorld's official games, as the field measures it, beside published figures.

    python -m benchmarks.prediction FOLDER --rules household.rules
    python -m benchmarks.prediction FOLDER --count 35 --rules household.rules --json

FOLDER keeps the logs of mixed players that `benchmarks/mixed.py` makes (and says how they are made); they
are made here where they are missing. The rules should come from other games:
`python benchmarks/household.py --episodes all --logs RULES` leaves such a file, from the split train.

Measured are the rules alone and the rules with counts for what nobody has seen; in two settings that are
never mixed; how soon rollouts depart from what happens; and the consistency ratio: the planner plays in the
model, from the hidden initial state, and its commands are replayed in the game.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from typing import Any

import gymnasium
from rich.console import Console
from rich.table import Table

from benchmarks import mixed
from planners import Planner, play
from planners.mpc import PlanConfig
from rules.errors import WorldModelError
from worldmodel.cli.console import progress
from worldmodel.cli.privilege import revealer
from worldmodel.environments.alfworld.hidden import hidden
from worldmodel.environments.alfworld.spec import SPEC
from worldmodel.environments.imagined import WorldModelEnv
from worldmodel.environments.registry import GameReference
from worldmodel.evaluation import AlwaysSucceeds, Evaluation, MostFrequentAnswer, evaluate, tables
from worldmodel.evaluation.consistency import Consistency, Trial, consistency
from worldmodel.evaluation.reward import Rewards, rewards
from worldmodel.evaluation.rollouts import Rollouts, roll_out
from worldmodel.model import WorldModel
from worldmodel.predictors.counts import Counts
from worldmodel.storage import load
from worldmodel.trajectories import Episode

DEPTH, STRIDE = 10, 5
PUBLISHED = {
    "privileged": ("exact", "zero-shot LLMs 35–65 %, 3-shot 57–77 %, a fine-tuned 7B model 99.87 %"),
    "partial": ("exact, normalised", "zero-shot LLMs 2–4 %, WorldEvolver 37–56 %"),
}
CONSISTENCY_PUBLISHED = ".96"


def measure(
    model: WorldModel, episodes: Sequence[Episode], options: argparse.Namespace
) -> tuple[dict[str, Evaluation], dict[str, Rollouts], dict[str, float]]:
    """Both settings: predictions, rollouts, and steps a second of the rules alone."""
    reveals = {"privileged": revealer(SPEC, options.games, options.split), "partial": None}
    found, rolled, speed = {}, {}, {}
    baselines = AlwaysSucceeds(), MostFrequentAnswer(model.perception)
    for setting, reveal in reveals.items():
        with progress(f"predicting, {setting}", len(episodes)) as advance:
            found[setting] = evaluate(
                [model, Counts(model), *baselines], episodes, model.perception, lambda _: advance(), reveal
            )
        rolled[setting] = roll_out(model, episodes, model.perception, DEPTH, STRIDE, reveal)
    began = time.process_time()
    alone = evaluate([model], episodes, model.perception)
    speed["steps a second, rules alone, partial (one core)"] = alone.steps / (time.process_time() - began)
    return found, rolled, speed


def consistent(model: WorldModel, games: Sequence[GameReference], seed: int) -> Consistency:
    """The planner in the model and in the games."""

    def agent(env: gymnasium.Env[str, str]) -> list[str]:
        own = WorldModel(model.ruleset, model.perception, model.knowledge)
        run = play(env, Planner(own, PlanConfig(seed=seed)), "", SPEC.name)
        return [step.action for step in run.episode.steps]

    with progress("consistency", len(games)) as advance:
        return consistency(agent, [_trial(model, game) for game in games], advance)


def _trial(model: WorldModel, reference: GameReference) -> Trial:
    def real() -> gymnasium.Env[str, str]:
        return SPEC.make(reference.load(), max_steps=mixed.STEPS, admissible=False)

    def imagined() -> gymnasium.Env[str, str]:
        opening, _ = real().reset()
        world = hidden(reference.load())  # type: ignore[arg-type]
        return WorldModelEnv(model, opening, world, max_steps=mixed.STEPS, admissible=False)

    return Trial(reference.id, real, imagined)


# what is printed


def headline(found: dict[str, Evaluation], agreed: Consistency, seed: int) -> Table:
    """The published figures and these."""
    table = Table(title="next observation, published and here", title_justify="left")
    for name in ("setting", "measure", "published", *found["partial"].predictors[:2]):
        table.add_column(name)
    for setting, (measure, published) in PUBLISHED.items():
        evaluation = found[setting]
        cells = []
        for name in evaluation.predictors[:2]:
            low, high = evaluation.intervals(name, seed)[measure]
            value = evaluation.measures(name)[measure]
            cells.append(f"{value:.2%} [{100 * low:.2f}, {100 * high:.2f}]")
        table.add_row(setting, measure, published, *cells)
    low, high = agreed.interval(seed)
    table.add_row("planner", "consistency ratio", CONSISTENCY_PUBLISHED, "",
                  f"{agreed.ratio:.3f} [{low:.3f}, {high:.3f}]")  # fmt: skip
    return table


def rollout_table(rolled: dict[str, Rollouts]) -> Table:
    """Divergence by depth, setting by setting."""
    table = Table(title=f"rules alone, rolled out from every {STRIDE}th step", title_justify="left")
    for name in ("depth", "rollouts", *(f"{s}: {m}" for s in rolled for m in ("outcomes so far", "exact"))):
        table.add_column(name, justify="right")
    rows = {setting: found.by_depth() for setting, found in rolled.items()}
    for depth in range(DEPTH):
        cells = [f"{rows[s][depth][m]:.1%}" for s in rolled for m in ("outcomes so far", "exact")]
        table.add_row(str(depth + 1), f"{rows['partial'][depth]['rollouts']:,.0f}", *cells)
    return table


def told(agreed: Consistency, earned: Rewards, speed: dict[str, float], seed: int) -> str:
    """What needs no table."""
    low, high = earned.interval("steps", seed)
    lines = [
        f"consistency: {len(agreed.results)} games; won in the game {agreed.share('real'):.1%}, "
        f"in the model {agreed.share('model'):.1%}, replayed {agreed.share('replayed'):.1%}",
        f"reward from state, over {len(earned.pairs)} games: distance to the steps done "
        f"{earned.distance('steps'):.3f} [{low:.3f}, {high:.3f}], to the environment's reward "
        f"{earned.distance('environment'):.3f}; {earned.separated:.1%} of the winning trajectories end "
        "above the losing ones",
        *(f"{name}: {value:,.0f}" for name, value in speed.items()),
    ]
    return "\n".join(lines)


def as_dict(
    found: dict[str, Evaluation], rolled: dict[str, Rollouts], agreed: Consistency, earned: Rewards, seed: int
) -> dict[str, Any]:
    """Everything, for machines."""
    return {
        **{setting: tables.to_dict(evaluation, seed) for setting, evaluation in found.items()},
        "rollouts": {setting: r.by_depth() for setting, r in rolled.items()},
        "consistency": {"ratio": agreed.ratio, "games": [r._asdict() for r in agreed.results]},
        "reward": {name: earned.distance(name) for name in ("steps", "environment")},
    }


def run(options: argparse.Namespace) -> None:
    games = SPEC.games(options.games, options.split, options.count, options.seed)
    options.folder.mkdir(parents=True, exist_ok=True)
    episodes = mixed.read(mixed.make(options.folder, games, options.rules, options.seed), games)
    model = load(options.rules, SPEC.perception(None))
    found, rolled, speed = measure(model, episodes, options)
    agreed, earned = consistent(model, games, options.seed), rewards(model, episodes)
    if options.json:
        print(json.dumps(as_dict(found, rolled, agreed, earned, options.seed) | speed))
        return
    console = Console(width=None if sys.stdout.isatty() else 190, highlight=False)
    console.print(headline(found, agreed, options.seed))
    for setting, evaluation in found.items():
        console.print(tables.table(evaluation, options.seed))
        for by in ("policy", "source", "action"):
            console.print(tables.group_table(evaluation, evaluation.predictors[1], by))
        console.print(tables.coverage_table(evaluation))
        console.rule(f"end of the {setting} setting")
    console.print(rollout_table(rolled), told(agreed, earned, speed, options.seed))


def main() -> None:
    parser = mixed.options(__doc__ or "")
    parser.add_argument("--json", action="store_true")
    try:
        run(parser.parse_args())
    except WorldModelError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
