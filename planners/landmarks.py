"""A lower bound on the cost of a plan: landmark cuts (Helmert & Domshlak 2009).

A *disjunctive landmark* is a set of operators of which every plan has at least one. Cuts between the state
and the goal are such sets; each is paid for once, by its cheapest operator, and what is paid is taken off
the cost of all of its operators, so that the sum never exceeds the cost of a plan. Deletes are ignored,
prohibitions are not: that a fact does not hold is a fact of its own here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from math import inf
from typing import NamedTuple

from planners.task import Operator, Task

SCALE = 1000
"""Costs are counted in thousandths: whole numbers add up exactly."""


class Bound(NamedTuple):
    """cost: no plan costs less. paid: how much of it was for landmarks that an operator is in: after this
    operator at least the rest is still to be paid."""

    cost: float
    paid: Mapping[Operator, float]


class LandmarkCut:
    """Bounds for the states of a task, for each goal apart; remembers those it was asked for."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._bounds: dict[tuple[int, int], Bound] = {}
        self._size = len(task.atoms)
        self._denied = 0
        for forbids in (*[o.forbids for o in task.operators], *[g.forbids for g in task.goals]):
            self._denied |= forbids
        self._start = 2 * self._size
        self._needs = [self._facts(o.needs, o.forbids) or [self._start] for o in task.operators]
        self._makes = [self._facts(o.adds, o.deletes & self._denied) for o in task.operators]
        self._costs = [round(o.cost * SCALE) for o in task.operators]
        for number, goal in enumerate(task.goals):  # a fact of its own, by an operator without cost
            self._needs.append(self._facts(goal.needs, goal.forbids) or [self._start])
            self._makes.append([self._start + 1 + number])
            self._costs.append(0)
        facts = self._start + 1 + len(task.goals)
        self._needed_by: list[list[int]] = [[] for _ in range(facts)]
        self._made_by: list[list[int]] = [[] for _ in range(facts)]
        for index, (needs, makes) in enumerate(zip(self._needs, self._makes, strict=True)):
            for fact in needs:
                self._needed_by[fact].append(index)
            for fact in makes:
                self._made_by[fact].append(index)

    def __call__(self, state: int, goal: int = 0) -> Bound:
        """The bound on plans for the goal of that number."""
        bound = self._bounds.get((state, goal))
        if bound is None:
            bound = self._bounds[state, goal] = self._bound(state, self._start + 1 + goal)
        return bound

    def _facts(self, positive: int, negative: int) -> list[int]:
        return [*_places(positive), *(self._size + place for place in _places(negative))]

    def _bound(self, state: int, goal: int) -> Bound:
        costs = list(self._costs)
        start = [self._start, *self._facts(state, self._denied & ~state)]
        total, paid = 0, dict[int, int]()
        while True:
            reached, dearest = self._reach(start, costs)
            if goal not in reached:
                return Bound(inf, {})
            if not reached[goal]:
                break
            cut = self._cut(start, goal, costs, dearest)
            least = min(costs[index] for index in cut)
            total += least
            for index in cut:
                costs[index] -= least
                paid[index] = paid.get(index, 0) + least
        return Bound(total / SCALE, {self.task.operators[i]: p / SCALE for i, p in paid.items()})

    def _reach(self, start: Sequence[int], costs: Sequence[int]) -> tuple[dict[int, int], dict[int, int]]:
        """What each fact costs if of several needs only the dearest counts (h_max; Bonet & Geffner 2001),
        and for each operator that can be reached that dearest need. Of equals any would do."""
        reached = dict[int, int]()
        waiting = [len(needs) for needs in self._needs]
        dearest = dict[int, int]()
        queue = [(0, -fact) for fact in start]
        heapify(queue)
        while queue:
            cost, fact = heappop(queue)
            fact = -fact
            if fact in reached:
                continue
            reached[fact] = cost
            for index in self._needed_by[fact]:
                waiting[index] -= 1
                if not waiting[index]:
                    dearest[index] = fact
                    for made in self._makes[index]:
                        if made not in reached:
                            heappush(queue, (cost + costs[index], -made))
        return reached, dearest

    def _cut(
        self, start: Sequence[int], goal: int, costs: Sequence[int], dearest: Mapping[int, int]
    ) -> set[int]:
        """The operators by which the facts near the start lead on to those from which all is free."""
        beyond, open_ = {goal}, [goal]
        while open_:
            for index in self._made_by[open_.pop()]:
                if not costs[index] and index in dearest and dearest[index] not in beyond:
                    beyond.add(dearest[index])
                    open_.append(dearest[index])
        cut, near, open_ = set[int](), set(start), list(start)
        while open_:
            fact = open_.pop()
            for index in self._needed_by[fact]:
                if dearest.get(index) != fact:
                    continue
                for made in self._makes[index]:
                    if made in beyond:
                        cut.add(index)
                    elif made not in near:
                        near.add(made)
                        open_.append(made)
        return cut


def _places(mask: int) -> Iterator[int]:
    """The places of the bits that are set."""
    while mask:
        bit = mask & -mask
        yield bit.bit_length() - 1
        mask ^= bit
