"""Fast Downward (Helmert 2006) on the grounded task: for large problems in which all is known.

The task is written as the planner's own input, one variable of two values a bit, so that neither PDDL nor
the planner's slow translator is needed. ``up-fast-downward``, which brings the planner, is GPL software and
an extra of its own.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

from planners.search.base import Found, Limits
from planners.task import Operator, Task
from rules.errors import WorldModelError

STRATEGY = "lazy_wastar([h],preferred=[h],w=2,max_time={seconds})"
LONGEST = 60.0
"""Seconds, where none are set: expansions cannot be limited."""

SCALE = 1000
HOLDS, FAILS = 0, 1
SOLVED, UNSOLVABLE, GIVEN_UP, OUT_OF_TIME = 0, 11, 12, 23


def downward(task: Task, start: int, limits: Limits) -> Found:
    """A plan by lazy weighted A*. Raises `WorldModelError` where Fast Downward is missing or breaks down.

    Of the limits it knows the horizon and the seconds, which are never more than `LONGEST`.
    """
    if task.satisfied(start):
        return Found([], 0.0, 0)
    program = _program()
    options = ["--evaluator", "h=ff()", "--search", STRATEGY.format(seconds=min(LONGEST, limits.seconds))]
    with TemporaryDirectory() as folder:
        plan = Path(folder, "plan")
        run = subprocess.run(
            [program, *options, "--internal-plan-file", plan],
            input=written(task, start),
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
        )
        expanded = sum(map(int, re.findall(r"Expanded (\d+) state", run.stdout)))
        if run.returncode in (UNSOLVABLE, GIVEN_UP, OUT_OF_TIME):
            return Found(None, inf, expanded)
        if run.returncode != SOLVED:
            said = (run.stderr or run.stdout).strip().splitlines() or ["nothing"]
            raise WorldModelError(f"fast-downward: exit code {run.returncode}: {said[-1][:200]}")
        steps = [task.operators[int(number)] for number in re.findall(r"^\(o(\d+)\)", plan.read_text(), re.M)]
    if len(steps) > limits.horizon:
        return Found(None, inf, expanded)
    return Found(steps, sum(step.cost for step in steps), expanded)


def _program() -> Path:
    found = importlib.util.find_spec("up_fast_downward")
    if found is not None and found.origin is not None:
        program = Path(found.origin).parent / "downward/builds/release/bin/downward"
        if program.exists():
            return program
    raise WorldModelError(
        "the search fast-downward needs a planner that is not installed: pip install 'worldmodel[downward]'"
    )


def written(task: Task, start: int) -> str:
    """The task in the planner's input format. The last variable stands for any of the goals."""
    size = len(task.atoms)
    values = [HOLDS if start >> place & 1 else FAILS for place in range(size)] + [FAILS]
    lines = ["begin_version", "3", "end_version", "begin_metric", "1", "end_metric", str(size + 1)]
    for place in range(size + 1):
        lines += ["begin_variable", f"v{place}", "-1", "2", f"Atom a{place}", f"NegatedAtom a{place}"]
        lines += ["end_variable"]
    lines += ["0", "begin_state", *map(str, values), "end_state"]
    lines += ["begin_goal", "1", f"{size} {HOLDS}", "end_goal"]
    operators = [_operator(f"o{i}", o, round(o.cost * SCALE)) for i, o in enumerate(task.operators)]
    reached = [{size: HOLDS} for _ in task.goals]
    goals = [
        _entry(f"goal {i}", _values(goal.needs, goal.forbids), reached[i], 0)
        for i, goal in enumerate(task.goals)
    ]
    entries = [entry for entry in (*operators, *goals) if entry]
    lines += [str(len(entries)), *(line for entry in entries for line in entry), "0", ""]
    return "\n".join(lines)


def _operator(name: str, operator: Operator, cost: int) -> list[str]:
    changes = {**_values(0, operator.deletes), **_values(operator.adds, 0)}
    return _entry(name, _values(operator.needs, operator.forbids), changes, cost)


def _entry(name: str, needs: dict[int, int], changes: dict[int, int], cost: int) -> list[str]:
    """An operator's lines; none if it changes nothing."""
    changes = {place: value for place, value in changes.items() if needs.get(place) != value}
    if not changes:
        return []
    kept = [f"{place} {value}" for place, value in needs.items() if place not in changes]
    effects = [f"0 {place} {needs.get(place, -1)} {value}" for place, value in changes.items()]
    return [
        "begin_operator", name, str(len(kept)), *kept, str(len(effects)), *effects, str(cost), "end_operator",
    ]  # fmt: skip


def _values(positive: int, negative: int) -> dict[int, int]:
    """The variables of some bits, with the values that say they hold, or do not."""
    values = {place: FAILS for place in range(negative.bit_length()) if negative >> place & 1}
    return values | {place: HOLDS for place in range(positive.bit_length()) if positive >> place & 1}
