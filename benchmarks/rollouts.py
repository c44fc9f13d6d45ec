"""Transitions a second: lifted rules, scalar and batched rollouts, the environment's engines, pyperplan.

    python benchmarks/rollouts.py [--seconds S] [--problem DOMAIN.pddl PROBLEM.pddl] [--json]

All in one run on one task: a generated household game, grounded for its goal with the shipped rules. A
transition is one operator tried on one state. pyperplan (GPL, not a dependency: ``pip install pyperplan``)
and the bits are compared on one grounded PDDL problem, by default AMLGym's first grippers problem beside
the project: successors made by breadth-first search. torch's rows need the extra ``neural``.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tarfile
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.engines import measure as measure_engine
from benchmarks.engines import script
from planners.batched import BatchedTask
from planners.grounding import ground
from planners.sampling import missing_things
from planners.task import Condition, Operator, Task
from rules.engine import Engine
from rules.errors import WorldModelError
from rules.logic import Action, Atom
from worldmodel.environments.alfworld.engine import FastEngine
from worldmodel.environments.alfworld.game import Game
from worldmodel.environments.alfworld.generator import generate
from worldmodel.environments.alfworld.perception import AlfworldPerception
from worldmodel.storage import load

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = ROOT / "worldmodel" / "environments" / "alfworld" / "household.rules"
AMLGYM = ROOT.parent / "shared" / "data" / "amlgym" / "amlgym_11_domains.tar.xz"
BATCH, STEPS = 4096, 20


class Row(NamedTuple):
    """One way to make transitions, and how many of them a second."""

    name: str
    rate: float
    note: str


def household() -> tuple[Task, int, Engine, Any, list[Action]]:
    """A task with its start, and the lifted rules with a belief and actions to try in it."""
    document = next(iter(generate(1, seed=0)))
    game = Game.from_document(document, document["id"])
    model = load(SHIPPED, AlfworldPerception("new"))
    belief = model.begin(FastEngine(game).reset())
    found = ground(model, belief, {m.name: m.type for m in missing_things(model, belief)})
    return found.task, found.known, model.engine, belief, [o.action for o in found.task.operators]


def rate(make: Callable[[], int], seconds: float) -> float:
    """Transitions a second of wall time; `make` makes some and says how many."""
    make()
    began, done = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        done += make()
    return done / (time.perf_counter() - began)


def lifted(engine: Engine, state: Any, actions: list[Action]) -> int:
    for action in actions:
        engine.apply(state, action)
    return len(actions)


def scalar(task: Task, start: int, plan: list[Operator]) -> int:
    """One core, Python's integers."""
    state = start
    for operator in plan:
        if operator.applies(state):
            state = operator.apply(state)
    return len(plan)


def batched(task: Task, start: int, device: str | None, draws: np.random.Generator) -> Callable[[], int]:
    found = BatchedTask(task, device)
    states = found.encode([start] * BATCH)
    plans = found.plans(draws.integers(0, len(task.operators), (BATCH, STEPS)).tolist())

    def make() -> int:
        result = found.rollouts(states, plans)
        result.reached.sum().item()  # waits for a GPU
        return BATCH * STEPS

    return make


def devices() -> Iterator[tuple[str, str | None]]:
    yield "batched, numpy", None
    try:
        import torch
    except ImportError:
        return
    yield f"batched, torch on {torch.get_num_threads()} cores", "cpu"
    if torch.cuda.is_available():
        yield f"batched, torch on {torch.cuda.get_device_name()}", "cuda"


def official(documents: list[dict[str, Any]]) -> float | None:
    """Steps a second of TextWorld's `env.step`; None where alfworld is not installed."""
    try:
        from worldmodel.environments.alfworld.official import OfficialEngine

        scripts = [script(Game.from_document(d, d["id"]), 40) for d in documents]
        return 1 / measure_engine(OfficialEngine, documents, scripts).step
    except (ImportError, WorldModelError):
        return None


def environment(documents: list[dict[str, Any]]) -> float:
    scripts = [script(Game.from_document(d, d["id"]), 40) for d in documents]
    return 1 / measure_engine(FastEngine, documents, scripts, repeats=50).step


def peers(problem: tuple[Path, Path], seconds: float) -> list[Row]:
    """pyperplan's successors and ours on one grounded problem; none where pyperplan is not installed."""
    try:
        from pyperplan.grounding import ground as ground_pddl
        from pyperplan.pddl.parser import Parser
    except ImportError:
        return []
    parser = Parser(str(problem[0]), str(problem[1]))
    theirs = ground_pddl(parser.parse_problem(parser.parse_domain()))
    ours, start = _bits(theirs)
    note = f"{problem[1].stem}, breadth first"

    def their_search() -> int:
        return _breadth_first(theirs.initial_state, lambda s: [n for _, n in theirs.get_successor_states(s)])

    def our_search() -> int:
        return _breadth_first(start, lambda s: [o.apply(s) for o in ours.operators if o.applies(s)])

    return [
        Row("pyperplan, states expanded", rate(their_search, seconds), note),
        Row("bits, states expanded", rate(our_search, seconds), note),
    ]


def _breadth_first(start: Any, successors: Callable[[Any], list[Any]], most: int = 2000) -> int:
    """Expands states, and says how many."""
    seen, queue, expanded = {start}, deque([start]), 0
    while queue and expanded < most:
        expanded += 1
        for state in successors(queue.popleft()):
            if state not in seen:
                seen.add(state)
                queue.append(state)
    return expanded


def _bits(grounded: Any) -> tuple[Task, int]:
    """pyperplan's grounded task over bits."""
    bits = {fact: 1 << i for i, fact in enumerate(sorted(grounded.facts))}

    def mask(facts: Any) -> int:
        return sum(bits[fact] for fact in facts)

    operators = tuple(
        Operator(
            Action(o.name),
            mask(o.preconditions),
            0,
            mask(o.add_effects),
            mask(o.del_effects - o.add_effects),
            1,
        )
        for o in grounded.operators
    )
    atoms = tuple(Atom(fact) for fact in bits)
    start = mask(fact for fact in grounded.initial_state if fact in bits)
    return Task(atoms, operators, (Condition(mask(grounded.goals & bits.keys()), 0),)), start


def default_problem(folder: Path) -> tuple[Path, Path] | None:
    """AMLGym's first grippers problem, unpacked; None where the archive is absent."""
    if not AMLGYM.is_file():
        return None
    names = ("domains/grippers.pddl", "problems/solving/grippers/0_grippers_prob.pddl")
    with tarfile.open(AMLGYM) as archive:
        for name in names:
            archive.extract(name, folder, filter="data")
    return folder / names[0], folder / names[1]


def rows(options: argparse.Namespace) -> list[Row]:
    task, start, engine, belief, actions = household()
    draw, draws = random.Random(0), np.random.default_rng(0)
    size = f"{len(task.operators)} operators, {len(task.atoms)} atoms"
    documents = list(generate(2, seed=0))
    plan = draw.choices(task.operators, k=2000)
    slow = rate(lambda: lifted(engine, belief.state, actions), options.seconds)
    found = [
        Row("lifted rules, Engine.apply", slow, f"{len(actions)} actions on the opening belief"),
        Row("scalar, bits", rate(lambda: scalar(task, start, plan), options.seconds), size),
    ]
    for name, device in devices():
        make = batched(task, start, device, draws)
        found.append(Row(name, rate(make, options.seconds), f"{BATCH:,} rollouts of {STEPS} steps"))
    found.append(Row("fast engine, text", environment(documents), "processor time, admissible commands too"))
    textworld = official(documents)
    if textworld:
        found.append(Row("TextWorld's env.step", textworld, "processor time, admissible commands too"))
    with tempfile.TemporaryDirectory() as folder:
        problem = options.problem or default_problem(Path(folder))
        if problem:
            found += peers((Path(problem[0]), Path(problem[1])), options.seconds)
    return found


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="for each row")
    parser.add_argument("--problem", nargs=2, metavar=("DOMAIN", "PROBLEM"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = rows(options)
    if options.json:
        print(json.dumps([row._asdict() for row in found]))
        return
    base = next((row.rate for row in found if row.name.startswith("TextWorld")), None)
    theirs = next((row.rate for row in found if row.name.startswith("pyperplan")), None)
    table = Table(title=f"transitions a second, {os.cpu_count()} cores")
    for column in ("", "a second", "times TextWorld", "times pyperplan", "of what"):
        table.add_column(column, justify="left" if column in ("", "of what") else "right")
    for row in found:
        expanded = "expanded" in row.name
        table.add_row(
            row.name,
            f"{row.rate:,.0f}",
            f"{row.rate / base:,.0f}" if base and not expanded else "",
            f"{row.rate / theirs:,.1f}" if theirs and expanded else "",
            row.note,
        )
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
