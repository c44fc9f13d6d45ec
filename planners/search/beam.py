"""Beam search: step by step, only the most promising states are followed (Lowerre 1976)."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from planners.heuristics import RelaxedPlan
from planners.search.base import Budget, Found, Limits, Successors
from planners.task import Operator, Plan, Task

WIDTH = 10
"""How many states are followed at a time."""


class Ray(NamedTuple):
    """A state, how it was reached, and what is guessed of the whole way to the goal."""

    guess: float
    cost: float
    state: int
    plan: tuple[Operator, ...]


def beam(task: Task, start: int, limits: Limits) -> Found:
    """The cheapest of the plans that stay within the beam."""
    judge, budget = RelaxedPlan(task), Budget(limits)
    successors = Successors(task, budget)
    plan: Plan | None = None
    cost, rays, best = inf, [Ray(0.0, 0.0, start, ())], {start: 0.0}
    for _ in range(limits.horizon + 1):
        for ray in rays:
            if task.satisfied(ray.state) and ray.cost < cost:
                plan, cost = ray.plan, ray.cost
        rays = [ray for ray in rays if ray.cost < cost and not task.satisfied(ray.state)]
        if not rays or not budget.left:
            break
        rays = sorted(_onward(rays, judge, successors, best))[:WIDTH]
    return Found(plan, cost, budget.expanded)


def _onward(rays: list[Ray], judge: RelaxedPlan, successors: Successors, best: dict[int, float]) -> list[Ray]:
    """One step further, to states that were not reached for less before. What a helpful step costs is taken
    to bring the goal as much nearer."""
    reached: dict[int, Ray] = {}
    for ray in rays:
        ahead, helpful = judge(ray.state)
        if ahead == inf:
            continue
        for operator, state in successors(ray.state):
            cost = ray.cost + operator.cost
            if cost < best.get(state, inf):
                best[state] = cost
                rest = max(0.0, ahead - operator.cost) if operator in helpful else ahead
                reached[state] = Ray(cost + rest, cost, state, (*ray.plan, operator))
    return list(reached.values())
