"""Best-first search: A* (Hart, Nilsson & Raphael 1968) under the relaxed-plan heuristic.

The heuristic may overestimate, so the plan is short, and not proved shortest.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from math import inf

from planners.heuristics import RelaxedPlan
from planners.search.base import Found, Limits
from planners.task import Operator, Task

Parents = dict[int, tuple[int, Operator]]


def best_first(task: Task, start: int, heuristic: RelaxedPlan, limits: Limits) -> Found:
    """The plan from `start`; ties go to the state that looks nearer to the goal."""
    order = count()
    frontier = [(heuristic(start), 0.0, next(order), 0.0, 0, start)]
    best = {start: 0.0}
    parents: Parents = {}
    expanded = 0
    while frontier and expanded < limits.expansions:
        estimate, _, _, cost, depth, state = heappop(frontier)
        if estimate == inf:
            break
        if cost > best[state]:
            continue
        if task.satisfied(state):
            return Found(_path(state, parents), cost, expanded)
        if depth >= limits.horizon:
            continue
        expanded += 1
        for operator in task.operators:
            if not operator.applies(state):
                continue
            successor = operator.apply(state)
            reached = cost + operator.cost
            if reached < best.get(successor, inf):
                best[successor] = reached
                parents[successor] = (state, operator)
                ahead = heuristic(successor)
                heappush(frontier, (reached + ahead, ahead, next(order), reached, depth + 1, successor))
    return Found(None, inf, expanded)


def _path(state: int, parents: Parents) -> list[Operator]:
    plan = []
    while state in parents:
        state, operator = parents[state]
        plan.append(operator)
    return plan[::-1]
