"""A planning task over bits: what search works on. One bit an atom, one int a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rules.logic import Action, Atom


class Operator(NamedTuple):
    """A ground action: applicable where all `needs` and none of `forbids` hold; deletes, then adds.

    cost: steps it is expected to take, refusals included.
    """

    action: Action
    needs: int
    forbids: int
    adds: int
    deletes: int
    cost: float

    def applies(self, state: int) -> bool:
        return state & self.needs == self.needs and not state & self.forbids

    def apply(self, state: int) -> int:
        return state & ~self.deletes | self.adds


class Condition(NamedTuple):
    """A conjunction over bits."""

    needs: int
    forbids: int

    def holds(self, state: int) -> bool:
        return state & self.needs == self.needs and not state & self.forbids


@dataclass(frozen=True, slots=True)
class Task:
    """atoms: the meaning of each bit; goals: any of them will do. Cheapest operators come first."""

    atoms: tuple[Atom, ...]
    operators: tuple[Operator, ...]
    goals: tuple[Condition, ...]

    def satisfied(self, state: int) -> bool:
        """Whether some goal holds."""
        return any(goal.holds(state) for goal in self.goals)


Plan = Sequence[Operator]
