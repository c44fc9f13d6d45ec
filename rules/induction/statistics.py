"""Sufficient statistics: every transition is reduced to a small record, and only records are counted.

Memory grows with the number of distinct records, not with the log. Counts add: two logs counted
apart and merged, in any order, give the same statistics, so induction streams, resumes, updates
online and spreads over processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from rules.errors import WorldModelError
from rules.induction.candidates import Candidate
from rules.induction.invariants import InvariantKey, Judge
from rules.induction.records import Record, Transition
from rules.induction.reduction import Reducer
from rules.induction.scenes import Scene, Scenes
from rules.ruleset import RuleSet


class Statistics:
    """Counts of records, a sample of the states met, and counts of how candidate invariants fared."""

    def __init__(self, domain: RuleSet) -> None:
        self.domain = domain
        self.records: Counter[Record] = Counter()
        self._scenes = Scenes()
        self.invariants: Counter[tuple[InvariantKey, bool]] = Counter()
        self._judge = Judge(domain)
        self._reducers = {name: Reducer(domain, schema) for name, schema in domain.actions.items()}

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

    def __reduce__(self) -> tuple[Any, ...]:
        """Only the counts travel to another process."""
        return _rebuilt, (self.domain, self.records, dict(self.scenes), self.invariants)

    def __len__(self) -> int:
        """The number of transitions counted."""
        return self.records.total()


def _rebuilt(
    domain: RuleSet,
    records: Counter[Record],
    scenes: dict[Scene, int],
    invariants: Counter[tuple[InvariantKey, bool]],
) -> Statistics:
    statistics = Statistics(domain)
    statistics.records, statistics.invariants = records, invariants
    statistics.scenes.update(scenes)
    return statistics
