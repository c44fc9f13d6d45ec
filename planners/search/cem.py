"""The cross-entropy method over sequences of actions (Rubinstein 1999): a categorical distribution for each
step, drawn from, and moved towards the best of what was drawn.

At first a step is drawn as the relaxed plan suggests, which the distribution then overrules. Only what
applies is ever drawn, so that every sequence can be carried out.
"""

from __future__ import annotations

import random
from collections import Counter
from math import inf
from typing import NamedTuple

from planners.heuristics import RelaxedPlan
from planners.search.base import Budget, Found, Limits, Successors
from planners.task import Operator, Task

ROUNDS = 8
DRAWS = 16
ELITE = 4
"""How many of the draws of a round the distribution moves towards."""

PACE = 0.5
"""How far it moves in one round."""

GUIDED = 0.8
"""The share of the helpful steps among all that apply, before anything was drawn."""

SLACK = 4
"""A sequence may be so many steps longer than twice the relaxed plan."""

PATIENCE = 2
"""Rounds without a cheaper plan after which the search is over, once it has one."""


class Draw(NamedTuple):
    """A sequence, and its cost: with the goal's distance from its end, where it does not reach it."""

    score: float
    plan: tuple[Operator, ...]
    reached: bool


def cem(task: Task, start: int, limits: Limits) -> Found:
    """The cheapest sequence that was drawn and reaches the goal."""
    budget = Budget(limits)
    distribution = Distribution(task, start, limits, budget)
    best, idle = Draw(inf, (), False), 0
    for _ in range(ROUNDS):
        if not budget.left or (best.reached and idle >= PATIENCE):
            break
        draws = sorted(distribution.draw(start) for _ in range(DRAWS))
        winner = min((d for d in draws if d.reached), default=best)
        idle = 0 if winner.score < best.score else idle + 1
        best = min(best, winner)
        distribution.learn(draws[:ELITE])
    return Found(best.plan if best.reached else None, best.score if best.reached else inf, budget.expanded)


class Distribution:
    """How likely each operator is as the first step, the second, and so on."""

    def __init__(self, task: Task, start: int, limits: Limits, budget: Budget) -> None:
        self._task, self._judge = task, RelaxedPlan(task)
        self._successors = Successors(task, budget)
        self._chance = random.Random(limits.seed)
        nearest = self._judge(start).cost
        steps = limits.horizon if nearest == inf else round(2 * nearest) + SLACK
        self._shares: list[Counter[Operator]] = [Counter() for _ in range(min(limits.horizon, steps))]
        self._learned = 0.0

    def draw(self, state: int) -> Draw:
        """A sequence that ends at the goal, or after as many steps as there are distributions."""
        plan: list[Operator] = []
        cost = 0.0
        for shares in self._shares:
            if self._task.satisfied(state):
                break
            steps = self._successors(state)
            if not steps:
                break
            weights = self._weights(state, steps, shares)
            ((operator, state),) = self._chance.choices(steps, weights)
            plan.append(operator)
            cost += operator.cost
        return Draw(cost + self._judge(state).cost, tuple(plan), self._task.satisfied(state))

    def learn(self, elite: list[Draw]) -> None:
        """Moves towards the elite."""
        self._learned += PACE * (1 - self._learned)
        for index, shares in enumerate(self._shares):
            for operator in shares:
                shares[operator] *= 1 - PACE  # type: ignore[assignment]
            for draw in elite:
                if index < len(draw.plan):
                    shares[draw.plan[index]] += PACE / len(elite)  # type: ignore[assignment]

    def _weights(
        self, state: int, steps: list[tuple[Operator, int]], shares: Counter[Operator]
    ) -> list[float]:
        """The distribution over the steps that apply: what was learned, and the rest as was suggested."""
        helpful = self._judge(state).helpful
        hopeful = sum(1 for operator, _ in steps if operator in helpful)
        guided = GUIDED / hopeful if hopeful else 0.0
        free = (1 - GUIDED if hopeful else 1.0) / len(steps)
        left = 1 - self._learned
        return [shares[o] + left * (free + (guided if o in helpful else 0.0)) for o, _ in steps]
