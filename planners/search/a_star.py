"""A* (Hart, Nilsson & Raphael 1968) under landmark cuts: the cheapest plan, and the proof that it is.

Each goal is a search of its own, and those come first that seem cheapest: of most of the others the bound
says at once that they cost more. The search starts from a plan by weighted A*, and often all there is to do
is to prove it. A state is bounded when it is taken up. Until then its bound is what its
parent's landmarks leave to be paid after the step that led to it, so that most states are never taken up.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from math import inf

from planners.landmarks import LandmarkCut
from planners.search.base import Budget, Found, Limits
from planners.search.best_first import Parents, best_first, path
from planners.task import Task

PROOF = 8
"""In a world that is only imagined the proof gets this part of the expansions."""


def a_star(task: Task, start: int, limits: Limits) -> Found:
    """The cheapest plan, if a thorough search is asked for; where the limits are in its way, a good one."""
    best = best_first(task, start, limits)
    if not best.cost:
        return best
    budget = Budget(limits if limits.thorough else limits._replace(expansions=limits.expansions // PROOF))
    budget.spend(best.expanded)
    bounds = LandmarkCut(task)
    for goal in sorted(range(len(task.goals)), key=lambda goal: bounds(start, goal).cost):
        if bounds(start, goal).cost >= best.cost:
            break
        found = _search(bounds, goal, start, limits, budget, best.cost)
        best = found if found.plan is not None else best
    return best._replace(expanded=budget.expanded)


def _search(bounds: LandmarkCut, goal: int, start: int, limits: Limits, budget: Budget, most: float) -> Found:
    """The cheapest plan for one goal, if it costs less than `most`."""
    task, order = bounds.task, count()
    queue = [(0.0, 0.0, next(order), 0.0, 0, start)]
    best = {start: 0.0}
    parents: Parents = {}
    judged = set[int]()
    while queue and budget.left:
        estimate, ahead, _, cost, depth, state = heappop(queue)
        if estimate >= most:
            break
        if cost > best[state]:
            continue
        if task.goals[goal].holds(state):
            return Found(path(state, parents), cost, budget.expanded)
        if state not in judged:  # this, and not to make its successors, is the work
            judged.add(state)
            budget.spend()
        bound = bounds(state, goal)
        if depth >= limits.horizon or bound.cost == inf:
            continue
        if cost + bound.cost > estimate + 1e-9:
            heappush(queue, (cost + bound.cost, bound.cost, next(order), cost, depth, state))
            continue
        for operator in task.operators:
            if not operator.applies(state):
                continue
            successor = operator.apply(state)
            reached = cost + operator.cost
            rest = max(ahead - operator.cost, bound.cost - bound.paid.get(operator, 0.0))
            if reached < best.get(successor, inf) - 1e-9 and reached + rest < most:
                best[successor] = reached
                parents[successor] = (state, operator)
                heappush(queue, (reached + rest, rest, next(order), reached, depth + 1, successor))
    return Found(None, inf, budget.expanded)
