"""What of a task matters from one state on: the operators that can be reached, and that lead to a goal.

Both tests ignore that something may be lost, so that no plan that is short is ever ruled out (relevance and
reachability analysis; Nebel, Dimopoulos & Koehler 1997, Hoffmann & Nebel 2001). Where a world is given, most
of a task is about other worlds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from planners.task import Operator, Task


def focused(task: Task, start: int) -> Task:
    """The task with the operators that can be of use. Bits keep their meaning."""
    operators = _relevant(task, _reachable(task.operators, start))
    return replace(task, operators=tuple(operators))


def _reachable(operators: Iterable[Operator], start: int) -> list[Operator]:
    """The operators whose needs can be met, were nothing ever lost."""
    reached, found, waiting = start, list[Operator](), list(operators)
    while True:
        ready = [o for o in waiting if not o.needs & ~reached]
        if not ready:
            return found
        found += ready
        waiting = [o for o in waiting if o.needs & ~reached]
        for operator in ready:
            reached |= operator.adds


def _relevant(task: Task, operators: Iterable[Operator]) -> list[Operator]:
    """The operators that bring about what a goal or one of them needs, or undo what it forbids."""
    needed = forbidden = 0
    for goal in task.goals:
        needed |= goal.needs
        forbidden |= goal.forbids
    found, waiting = set[Operator](), list(operators)
    while True:
        useful = [o for o in waiting if o.adds & needed or o.deletes & forbidden]
        if not useful:
            return [o for o in task.operators if o in found]
        found.update(useful)
        waiting = [o for o in waiting if not (o.adds & needed or o.deletes & forbidden)]
        for operator in useful:
            needed |= operator.needs
            forbidden |= operator.forbids
