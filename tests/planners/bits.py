"""Planning tasks made by hand over a few bits, random ones, and the cheapest plan by Dijkstra."""

from __future__ import annotations

import random
from collections.abc import Sequence
from heapq import heappop, heappush
from math import inf

from hypothesis import strategies as st

from planners.task import Condition, Operator, Task
from rules.logic import Action, Atom

BITS = 6
ATOMS = tuple(Atom(f"p{i}") for i in range(BITS))


def operator(
    name: str, needs: int = 0, adds: int = 0, deletes: int = 0, forbids: int = 0, cost: float = 1.0
) -> Operator:
    return Operator(Action(name), needs, forbids, adds, deletes & ~adds, cost)


def task(operators: Sequence[Operator], *goals: int | Condition) -> Task:
    """A goal that is a number is what it needs."""
    conditions = [g if isinstance(g, Condition) else Condition(g, 0) for g in goals]
    return Task(ATOMS, tuple(sorted(operators, key=lambda o: (o.cost, o))), tuple(conditions))


def names(plan: Sequence[Operator] | None) -> list[str]:
    assert plan is not None
    return [step.action.name for step in plan]


def cost(plan: Sequence[Operator]) -> float:
    return sum(step.cost for step in plan)


def works(problem: Task, start: int, plan: Sequence[Operator]) -> bool:
    """Whether every step applies where it is taken, and the goal holds at the end."""
    state = start
    for step in plan:
        if not step.applies(state):
            return False
        state = step.apply(state)
    return problem.satisfied(state)


def cheapest(problem: Task, start: int) -> float:
    """The cost of the cheapest plan; infinite if there is none."""
    frontier, done = [(0.0, start)], set[int]()
    while frontier:
        reached, state = heappop(frontier)
        if problem.satisfied(state):
            return reached
        if state in done:
            continue
        done.add(state)
        for step in problem.operators:
            if step.applies(state):
                heappush(frontier, (reached + step.cost, step.apply(state)))
    return inf


_masks = st.integers(0, 2**BITS - 1)
_few = st.lists(st.integers(0, BITS - 1), max_size=2).map(lambda places: sum({1 << p for p in places}))


@st.composite
def tasks(draw: st.DrawFn) -> tuple[Task, int]:
    """A random task and a state to start in."""
    operators = [
        operator(f"o{i}", draw(_few), draw(_few), draw(_few), draw(_few), float(draw(st.integers(1, 4))))
        for i in range(draw(st.integers(1, 9)))
    ]
    goals = [Condition(needs := draw(_few), draw(_few) & ~needs) for _ in range(draw(st.integers(1, 2)))]
    return task(operators, *goals), draw(_masks)


def random_task(seed: int) -> tuple[Task, int]:
    """A task by a seed: the same in every run."""
    chance = random.Random(seed)

    def some(most: int) -> int:
        return sum(1 << place for place in chance.sample(range(BITS), chance.randint(0, most)))

    operators = [
        operator(f"o{i}", some(2), some(2), some(1), some(1), float(chance.randint(1, 4))) for i in range(8)
    ]
    return task(operators, *[some(3) for _ in range(2)]), some(1)
