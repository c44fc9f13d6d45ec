"""How far a state is from the goal, if nothing were ever lost: the relaxed plan (Hoffmann & Nebel 2001)."""

from __future__ import annotations

from math import inf

from planners.task import Operator, Task


class RelaxedPlan:
    """The cost of a plan for the task without deletes and negative conditions; remembers what it has seen."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._seen: dict[int, float] = {}

    def __call__(self, state: int) -> float:
        value = self._seen.get(state)
        if value is None:
            value = self._seen[state] = self._cost(state)
        return value

    def _cost(self, state: int) -> float:
        if self.task.satisfied(state):
            return 0.0
        reached, makers = state, dict[int, Operator]()
        waiting = list(self.task.operators)
        while True:
            goals = [g for g in self.task.goals if reached & g.needs == g.needs]
            if goals and makers:
                return min(_extract(goal.needs & ~state, state, makers) for goal in goals)
            fresh, later = 0, []
            for operator in waiting:
                if reached & operator.needs == operator.needs:
                    new = operator.adds & ~reached & ~fresh
                    fresh |= new
                    while new:
                        bit = new & -new
                        makers[bit] = operator
                        new ^= bit
                else:
                    later.append(operator)
            if not fresh:
                # only a negative condition is in the way, or the goal cannot be reached
                return 1.0 if goals else inf
            reached |= fresh
            waiting = later


def _extract(open_: int, state: int, makers: dict[int, Operator]) -> float:
    """The cost of the operators that make these facts, and what those need in turn."""
    chosen: dict[Operator, None] = {}
    done = state
    while open_:
        bit = open_ & -open_
        open_ ^= bit
        if done & bit:
            continue
        operator = makers[bit]
        done |= operator.adds | bit
        if operator not in chosen:
            chosen[operator] = None
            open_ |= operator.needs & ~done
    return sum(operator.cost for operator in chosen)
