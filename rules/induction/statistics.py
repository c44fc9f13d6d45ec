"""Sufficient statistics: every transition is reduced to a small record, and only records are counted.

Memory grows with the number of distinct records, not with the log. Counts add: two logs counted
apart and merged, in any order, give the same statistics, so induction streams, resumes, updates
online and spreads over processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from rules.errors import WorldModelError
from rules.induction.candidates import Candidate, candidates
from rules.induction.invariants import InvariantKey, Judge
from rules.induction.scenes import Scenes
from rules.logic import FALSE, TRUE, Action, Atom, State, generalisations
from rules.ruleset import ANY, ActionSchema, RuleSet


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


class Statistics:
    """Counts of records, a sample of the states met, and counts of how candidate invariants fared."""

    def __init__(self, domain: RuleSet) -> None:
        self.domain = domain
        self.records: Counter[Record] = Counter()
        self._scenes = Scenes()
        self.invariants: Counter[tuple[InvariantKey, bool]] = Counter()
        self._judge = Judge(domain)
        self._reducers = {name: _Reducer(domain, schema) for name, schema in domain.actions.items()}

    def candidates(self, action: str) -> tuple[Candidate, ...]:
        """The candidates that the masks of this action's records speak of."""
        return self._reducers[action].candidates

    @property
    def scenes(self) -> Scenes:
        """The sample of states."""
        return self._scenes.trim()

    def add(self, transition: Transition) -> None:
        """Counts one transition."""
        reducer = self._reducers.get(transition.action.name)
        if reducer is None:
            known = ", ".join(sorted(self._reducers))
            raise WorldModelError(f"unknown action {transition.action.name!r}: the vocabulary has {known}")
        self.records[reducer.reduce(transition)] += 1
        self._scenes.note(transition.before)
        self.invariants.update(self._judge.judge(transition.before, transition.after))

    def update(self, transitions: Iterable[Transition]) -> None:
        """Counts many."""
        for transition in transitions:
            self.add(transition)

    def __add__(self, other: Statistics) -> Statistics:
        """The counts of both; `WorldModelError` if they were counted over different vocabularies."""
        if self.domain != other.domain:
            raise WorldModelError(
                f"statistics over {self.domain.name!r} and {other.domain.name!r} do not add up:"
                " expected the same vocabulary; read both logs with one perception"
            )
        merged = Statistics(self.domain)
        merged.records = self.records + other.records
        for scenes in (self.scenes, other.scenes):
            merged._scenes.update(scenes)
        merged.invariants = self.invariants + other.invariants
        return merged

    def __len__(self) -> int:
        """The number of transitions counted."""
        return self.records.total()


class _Reducer:
    """Turns transitions of one action schema into records."""

    def __init__(self, domain: RuleSet, schema: ActionSchema) -> None:
        self.schema = schema
        self.parameters = [p.name for p in schema.parameters]
        self.candidates = candidates(domain, schema)
        self._grounded = [i for i, c in enumerate(self.candidates) if c.grounded]
        self._facts = sum(1 << i for i in self._grounded)
        self._patterns = [i for i, c in enumerate(self.candidates) if c.pattern]

    def reduce(self, transition: Transition) -> Record:
        action, before = transition.action, transition.before
        if len(action.args) != len(self.parameters):
            raise WorldModelError(
                f"{action}: found {len(action.args)} arguments, expected {len(self.parameters)}"
            )
        atoms, true, false = self.look(before, action.args)
        objects = transition.after.objects
        return Record(
            action.name,
            tuple([objects.get(a, ANY) for a in action.args]),
            transition.succeeded,
            transition.says,
            true,
            false,
            *self._seen(transition, atoms),
            *self._changed_patterns(transition, atoms),
        )

    def look(self, before: State, args: tuple[str, ...]) -> tuple[list[Atom], int, int]:
        """The candidates' first atoms for these arguments, and the masks of the true and the false."""
        binding = dict(zip(self.parameters, args, strict=True))
        atoms = [candidate.atoms[0].substitute(binding) for candidate in self.candidates]
        true = false = 0
        for index, candidate in enumerate(self.candidates):
            value = candidate.truth(before, atoms[index])
            if value is TRUE:
                true |= 1 << index
            elif value is FALSE:
                false |= 1 << index
        return atoms, true, false

    def _seen(self, transition: Transition, atoms: Sequence[Atom]) -> tuple[int, int, int]:
        seen_true = seen_false = 0
        for index in self._grounded:
            if atoms[index] in transition.true:
                seen_true |= 1 << index
            elif not transition.false.isdisjoint(generalisations(atoms[index])):
                seen_false |= 1 << index
        open_ = 0 if transition.persists else self._facts & ~(seen_true | seen_false)
        return seen_true, seen_false, open_

    def _changed_patterns(self, transition: Transition, atoms: Sequence[Atom]) -> tuple[int, int, int]:
        closed = lost = kept = 0
        before, after = transition.before, transition.after
        arguments = frozenset(transition.action.args)
        for index in self._patterns:
            pattern, bit = atoms[index], 1 << index
            wider = generalisations(pattern)
            if not transition.false.isdisjoint(wider) and before.false.isdisjoint(wider):
                closed |= bit
            for atom in before.matching(pattern):
                if not arguments.issuperset(atom.args):
                    if atom in after.true:
                        kept |= bit
                    else:
                        lost |= bit
        return closed, lost, kept
