"""What induction reads and counts: transitions, and the records that they are reduced to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from rules.logic import Action, Atom, State


@dataclass(frozen=True)
class Transition:
    """What was known, what was done, what was then seen.

    true, false: facts and patterns that the observation asserts and denies (a complete next state
    is simply a very talkative observation). says: its wording, lifted. persists: whether what it
    does not mention is as before; where not, it is unknown.
    """

    before: State
    action: Action
    true: frozenset[Atom]
    false: frozenset[Atom]
    succeeded: bool
    says: str = ""
    objects: Mapping[str, str] = field(default_factory=dict)
    persists: bool = True

    @cached_property
    def after(self) -> State:
        """What is known afterwards by observation and frame."""
        if not self.persists:
            return State({**self.before.objects, **self.objects}, self.true, self.false)
        return self.before.updated(self.true, self.false, self.objects)


class Record(NamedTuple):
    """A transition without its names. Masks have one bit a candidate of the schema.

    true, false: value before. seen_true, seen_false: asserted and denied by the observation.
    closed: patterns newly known in full; lost, kept: patterns of which a true atom about other
    objects than the arguments was denied, or stayed.
    """

    action: str
    types: tuple[str, ...]
    succeeded: bool
    says: str
    true: int
    false: int
    seen_true: int
    seen_false: int
    open: int
    closed: int
    lost: int
    kept: int


Counts = Mapping[Record, int]
"""Records of one kind, and how often each was seen."""
