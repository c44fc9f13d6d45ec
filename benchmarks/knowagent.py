"""Prediction accuracy on the logs of a real agent: rules induced from one half, measured on the other.

    python benchmarks/knowagent.py [FOLDER]

FOLDER holds KnowAgent's two ALFWorld logs of Llama-2-13B, D0 and D1 (by default
``../shared/data/knowagent_alfworld``). Both were played on the same 510 games, so the rooms of the
log that is measured were met in the log that was learned from. The rules are also measured without any
memory of rooms: that is what is known of a game never met before.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rich.console import Console

from worldmodel.environments.alfworld.perception import AlfworldPerception
from worldmodel.environments.alfworld.react import read_react
from worldmodel.evaluation import (
    AlwaysSucceeds,
    Evaluation,
    MostFrequentAnswer,
    action_table,
    evaluate,
    table,
)
from worldmodel.knowledge import Knowledge
from worldmodel.learning import learn
from worldmodel.model import WorldModel
from worldmodel.trajectories import Episode

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "knowagent_alfworld"
LOGS = {name: f"KnowAgentALFWorld_llama-2-13b_{name}.jsonl.xz" for name in ("D0", "D1")}


def read(folder: Path) -> dict[str, list[Episode]]:
    """Both logs, or a message that says what is missing."""
    missing = [name for name in LOGS.values() if not (folder / name).is_file()]
    if missing:
        sys.exit(f"{folder}: no {' and no '.join(missing)}; give the folder that holds KnowAgent's logs")
    return {name: list(read_react(folder / file, policy="llama-2-13b")) for name, file in LOGS.items()}


def measure(training: list[Episode], test: list[Episode], console: Console) -> Evaluation:
    """Learns from one log, measures on the other, says how fast."""
    perception = AlfworldPerception("old")
    began = time.perf_counter()
    rules = learn(training, perception)
    learned = time.perf_counter()
    rooms_unknown = WorldModel(rules.ruleset, perception, Knowledge())
    rooms_unknown.name = "rules, no memory of rooms"
    baselines = AlwaysSucceeds(), MostFrequentAnswer(perception, training)
    evaluation = evaluate([rules, rooms_unknown, *baselines], test, perception)
    seconds = time.perf_counter() - learned
    console.print(
        f"learned in {learned - began:.1f} s; {evaluation.steps / seconds:,.0f} steps a second, "
        f"each predicted by {len(evaluation.predictors)} predictors"
    )
    return evaluation


def main(folder: Path = FOLDER) -> None:
    console, logs = Console(width=160), read(folder)
    shared = {e.id for e in logs["D0"]} & {e.id for e in logs["D1"]}
    console.print(f"D0 and D1 have {len(shared)} games in common.")
    for training, test in (("D0", "D1"), ("D1", "D0")):
        console.rule(f"learned from {training}, measured on {test}")
        evaluation = measure(logs[training], logs[test], console)
        console.print(table(evaluation))
        console.print(action_table(evaluation, evaluation.predictors[0]))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
