"""What every search takes and gives.

A `Search` is what the planner calls: it is told of all worlds that may be, and gives the steps to take.
Most are a `PathSearch`, which finds a plan in one world as if it were known, put behind `in_hindsight`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

from planners.grounding import Grounding
from planners.sampling import Missing, World
from planners.task import Operator, Plan, Task
from worldmodel.belief import Belief
from worldmodel.model import WorldModel


class Limits(NamedTuple):
    """horizon: longest plan, in steps. expansions: most states whose successors are made, in one world.
    thorough: whether to go on for a shorter plan once there is one. seed: of what is drawn. seconds: for
    one world; only without this limit is the result the same on every machine."""

    horizon: int = 30
    expansions: int = 500
    thorough: bool = False
    seed: int = 0
    seconds: float = inf


class Budget:
    """Counts the states that are expanded, against the limits."""

    def __init__(self, limits: Limits, worlds: int = 1) -> None:
        self.expanded = 0
        self._most = limits.expansions * worlds
        self._end = inf if limits.seconds == inf else time.monotonic() + limits.seconds * worlds

    def spend(self, states: int = 1) -> None:
        self.expanded += states

    @property
    def left(self) -> bool:
        return self.expanded < self._most and (self._end == inf or time.monotonic() < self._end)


class Successors:
    """Where each state's operators lead, made once: that is an expansion. When all are spent, nowhere."""

    def __init__(self, task: Task, budget: Budget) -> None:
        self._task, self._budget = task, budget
        self._made: dict[int, list[tuple[Operator, int]]] = {}

    def __call__(self, state: int) -> list[tuple[Operator, int]]:
        """The operators that apply, and the states they lead to; those that change nothing are left out."""
        made = self._made.get(state)
        if made is None:
            if not self._budget.left:
                return []
            self._budget.spend()
            steps = [(o, o.apply(state)) for o in self._task.operators if o.applies(state)]
            made = self._made[state] = [(o, successor) for o, successor in steps if successor != state]
        return made


class Found(NamedTuple):
    """A plan (None: none within the limits), its cost, and the number of states expanded for it."""

    plan: Plan | None
    cost: float
    expanded: int


PathSearch = Callable[[Task, int, Limits], Found]
"""Task, start state, limits: a plan in a world that is known."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is to be decided: the task with what is known, what has yet to be found, and the worlds that
    say where it may be. `found` keeps the plans by start state, for when more worlds are drawn. model and
    belief: what the task was made of, for a search that works on more than the task."""

    grounding: Grounding
    missing: Sequence[Missing]
    worlds: Sequence[World]
    found: dict[int, Found] = field(default_factory=dict)
    model: WorldModel | None = None
    belief: Belief | None = None

    @property
    def task(self) -> Task:
        return self.grounding.task

    def start(self, world: World) -> int:
        """The state, if the world is so."""
        return self.grounding.state(world.facts)


class Thought(NamedTuple):
    """What a search came to.

    steps: to take until something is learned; none if no plan was found. expanded: states, in all worlds.
    promised: the cost of reaching the goal, were it known which world it is: what planning in hindsight
    believes. expected: the same with the looks that are in vain. sure: whether more worlds or more
    expansions are unlikely to change the first step.
    """

    steps: Sequence[Operator]
    expanded: int
    promised: float = inf
    expected: float = inf
    sure: bool = True


Search = Callable[[Problem, Limits], Thought]
