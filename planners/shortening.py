"""Leaves out of a plan what it does not need: action elimination (Nakhost & Müller 2010)."""

from __future__ import annotations

from planners.task import Operator, Plan, Task


def shortened(task: Task, start: int, plan: Plan) -> Plan:
    """The plan without steps that can go, together with those that only they made possible."""
    index = 0
    while index < len(plan):
        rest = _without(task, start, plan, index)
        if rest is None:
            index += 1
        else:
            plan, index = rest, 0  # an earlier step may have served nothing but what has gone
    return plan


def _without(task: Task, start: int, plan: Plan, index: int) -> list[Operator] | None:
    """The plan without one step and those that then do not apply; None if it misses the goal."""
    state, kept = start, []
    for position, step in enumerate(plan):
        if position != index and step.applies(state):
            state = step.apply(state)
            kept.append(step)
    return kept if task.satisfied(state) else None
