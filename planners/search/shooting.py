"""Random shooting: the best of many random walks. What any better search is to be compared with."""

from __future__ import annotations

import random
from math import inf

from planners.search.base import Budget, Found, Limits, Successors
from planners.task import Operator, Plan, Task


def shooting(task: Task, start: int, limits: Limits) -> Found:
    """The cheapest of the random walks that come upon the goal."""
    chance, budget = random.Random(limits.seed), Budget(limits)
    successors = Successors(task, budget)
    plan: Plan | None = None
    cost = inf
    for _ in range(limits.expansions):
        if not budget.left:
            break
        walk = _walk(task, start, limits.horizon, successors, chance)
        if walk is not None and sum(o.cost for o in walk) < cost:
            plan, cost = walk, sum(o.cost for o in walk)
    return Found(plan, cost, budget.expanded)


def _walk(
    task: Task, state: int, horizon: int, successors: Successors, chance: random.Random
) -> list[Operator] | None:
    walk: list[Operator] = []
    while not task.satisfied(state):
        steps = successors(state)
        if not steps or len(walk) == horizon:
            return None
        operator, state = chance.choice(steps)
        walk.append(operator)
    return walk
