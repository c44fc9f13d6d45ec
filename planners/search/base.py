"""What every search takes and gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from planners.heuristics import RelaxedPlan
from planners.task import Plan, Task


class Limits(NamedTuple):
    """horizon: longest plan, in steps. expansions: most states whose successors are made. thorough:
    whether to go on for a shorter plan once there is one."""

    horizon: int = 30
    expansions: int = 500
    thorough: bool = False


class Found(NamedTuple):
    """A plan (None: none within the limits), its cost, and the number of states expanded for it."""

    plan: Plan | None
    cost: float
    expanded: int


Search = Callable[[Task, int, RelaxedPlan, Limits], Found]
"""Task, start state, heuristic (shared between the worlds of one decision), limits."""
