"""Best-first search under the relaxed-plan heuristic: weighted A* (Pohl 1970), and greedily.

States are judged when they are taken up, not when they are met (deferred evaluation), and those that
the relaxed plan's own operators lead to are taken up first, in a queue of their own (preferred
operators; both Helmert 2006). The plan is short, and not proved shortest.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from math import inf

from planners.heuristics import RelaxedPlan
from planners.search.base import Budget, Found, Limits
from planners.task import Operator, Task

WEIGHT = 2.0
"""How much more the way that is left counts than the way that was gone."""

GREEDY = 1e6
"""A weight by which the way that was gone counts only between states that are equally near."""

BOOST = 5
"""Every so many turns the search takes up a state from among all, not from the hopeful ones."""

Parents = dict[int, tuple[int, Operator]]


def best_first(task: Task, start: int, limits: Limits) -> Found:
    """A plan by weighted A*; if a thorough search is asked for, then a shorter one by a weight of one."""
    judge = RelaxedPlan(task)
    found = weighted_a_star(task, start, judge, limits, WEIGHT, inf)
    if found.plan is None or not limits.thorough:
        return found
    better = weighted_a_star(task, start, judge, limits, 1.0, found.cost)
    expanded = found.expanded + better.expanded
    return (better if better.plan is not None else found)._replace(expanded=expanded)


def greedy(task: Task, start: int, limits: Limits) -> Found:
    """The first plan that going where the goal seems nearest leads to."""
    return weighted_a_star(task, start, RelaxedPlan(task), limits, GREEDY, inf)


def weighted_a_star(
    task: Task, start: int, judge: RelaxedPlan, limits: Limits, weight: float, most: float
) -> Found:
    """A plan that costs less than `most`. judge: may be shared by the searches of one task."""
    order = count()
    first = (0.0, 0.0, next(order), 0.0, 0, start)
    hopeful, other = [first], [first]
    best = {start: 0.0}
    parents: Parents = {}
    expanded: set[tuple[int, float]] = set()
    budget = Budget(limits)
    turn = 0
    while (hopeful or other) and budget.left:
        turn += 1
        frontier = hopeful if hopeful and (turn % BOOST or not other) else other
        bound, _, _, cost, depth, state = heappop(frontier)
        if cost > best[state] or (state, cost) in expanded:
            continue
        if task.satisfied(state):
            return Found(path(state, parents), cost, budget.expanded)
        ahead, helpful = judge(state)
        if cost + ahead >= most or depth >= limits.horizon:
            continue
        if cost + weight * ahead > bound + 1e-9 and depth:
            heappush(frontier, (cost + weight * ahead, ahead, next(order), cost, depth, state))
            continue
        expanded.add((state, cost))
        budget.spend()
        for operator in task.operators:
            if not operator.applies(state):
                continue
            successor = operator.apply(state)
            reached = cost + operator.cost
            if reached < best.get(successor, most):
                best[successor] = reached
                parents[successor] = (state, operator)
                rest = max(0.0, ahead - operator.cost) if operator in helpful else ahead
                node = (reached + weight * rest, rest, next(order), reached, depth + 1, successor)
                heappush(other, node)
                if operator in helpful:
                    heappush(hopeful, node)
    return Found(None, inf, budget.expanded)


def path(state: int, parents: Parents) -> list[Operator]:
    """The steps that led to a state."""
    plan = []
    while state in parents:
        state, operator = parents[state]
        plan.append(operator)
    return plan[::-1]
