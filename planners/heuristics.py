"""How far a state is from the goal, if nothing were ever lost: the relaxed plan (Hoffmann & Nebel 2001)."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from planners.task import Condition, Operator, Task
from rules.logic import Action


class Estimate(NamedTuple):
    """cost: of the relaxed plan, infinite if there is none. helpful: its operators that apply at once; where
    one does not, since prohibitions were ignored, others of the same action that do."""

    cost: float
    helpful: frozenset[Operator] = frozenset()


DEAD = Estimate(inf)

Makers = dict[int, tuple[Operator, int]]
"""For each fact the operator that makes it first, and what was reached before."""


class RelaxedPlan:
    """Plans for the task without deletes and negative conditions; remembers the states it has seen."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._seen: dict[int, Estimate] = {}
        self._ways: dict[Action, list[Operator]] = {}
        for operator in task.operators:
            self._ways.setdefault(operator.action, []).append(operator)

    def __call__(self, state: int) -> Estimate:
        estimate = self._seen.get(state)
        if estimate is None:
            estimate = self._seen[state] = self._estimate(state)
        return estimate

    def _estimate(self, state: int) -> Estimate:
        if self.task.satisfied(state):
            return Estimate(0.0)
        reached, makers = state, Makers()
        waiting = list(self.task.operators)
        while True:
            goals = [g for g in self.task.goals if reached & g.needs == g.needs]
            if goals:
                return min((self._relaxed(goal, state, makers) for goal in goals), key=lambda e: e.cost)
            fresh, later = 0, []
            for operator in waiting:
                if reached & operator.needs == operator.needs:
                    new = operator.adds & ~reached & ~fresh
                    fresh |= new
                    while new:
                        bit = new & -new
                        makers[bit] = operator, reached
                        new ^= bit
                else:
                    later.append(operator)
            if not fresh:
                return DEAD
            reached |= fresh
            waiting = later

    def _relaxed(self, goal: Condition, state: int, makers: Makers) -> Estimate:
        """The operators that make the goal's facts, and what those need in turn."""
        if state & goal.needs == goal.needs:
            return self._undone(goal, state)
        chosen: list[Operator] = []
        done, open_ = state, goal.needs & ~state
        while open_:
            bit = open_ & -open_
            open_ ^= bit
            if done & bit:
                continue
            operator, before = makers[bit]
            done |= operator.adds & ~before  # what came before, it may itself need
            open_ |= operator.needs & ~done
            chosen.append(operator)
        helpful = [way for o in chosen for way in ([o] if o.applies(state) else self._other_ways(o, state))]
        return Estimate(sum([o.cost for o in chosen]), frozenset(helpful))

    def _other_ways(self, operator: Operator, state: int) -> list[Operator]:
        ready = state & operator.needs == operator.needs
        return [way for way in self._ways[operator.action] if way.applies(state)] if ready else []

    def _undone(self, goal: Condition, state: int) -> Estimate:
        """One step, where all that is in the way is what the goal forbids."""
        standing = state & goal.forbids
        return Estimate(
            1.0, frozenset([o for o in self.task.operators if o.deletes & standing and o.applies(state)])
        )
