"""What a partial trace leaves open, told by what it shows earlier and later.

A fact that no action between two states can have changed has one value in both. At first, an action
may change whatever is about its own arguments and constants, if facts of this predicate ever change.
Once its effects are known from that (`Insight`), it changes these, and what is seen to stay, stays:
a few rounds of expectation and maximisation over the traces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rules.induction.changes import change, explain, noise
from rules.induction.records import Transition
from rules.induction.statistics import Statistics
from rules.logic import Atom, State
from rules.ruleset import RuleSet

ROUNDS = 3
SEEN = 2
"""A fact stays where an action never changed it, in so many cases."""

Trace = Sequence[Transition]


@dataclass(frozen=True, slots=True)
class Insight:
    """What is known of an action: lifted facts that it adds, that it deletes, and that it leaves alone."""

    parameters: tuple[str, ...]
    adds: tuple[Atom, ...] = ()
    deletes: tuple[Atom, ...] = ()
    leaves: tuple[Atom, ...] = ()


def count(traces: Iterable[Trace], domain: RuleSet) -> Statistics:
    """The statistics of traces; partial ones are completed first. They are read several times."""
    whole: list[Trace] = []
    partial: list[Trace] = []
    for trace in traces:
        (whole if all(step.persists for step in trace) else partial).append(trace)
    dynamic = changing(partial)
    insights = {n: Insight(tuple(p.name for p in s.parameters)) for n, s in domain.actions.items()}
    for left in reversed(range(ROUNDS if partial else 1)):
        statistics = Statistics(domain)
        for trace in whole:
            statistics.update(trace)
        for trace in partial:
            statistics.update(completed(trace, domain, dynamic, insights))
        if left:
            insights = {name: _insight(statistics, name) for name in domain.actions}
    return statistics


def _insight(statistics: Statistics, name: str) -> Insight:
    candidates = statistics.candidates(name)
    records = {r: n for r, n in statistics.records.items() if r.action == name and r.succeeded}
    tables = {i: change(records, 1 << i) for i, c in enumerate(candidates) if c.grounded}
    found = explain(candidates, records, noise(tables.values()))
    effects = found.adds | found.deletes | found.unsteady
    stays = {i for i, table in tables.items() if table.total >= SEEN and not table.errors(None)}

    def atoms(mask: int) -> tuple[Atom, ...]:
        return tuple(c.atoms[0] for i, c in enumerate(candidates) if mask >> i & 1)

    return Insight(
        tuple(p.name for p in statistics.domain.actions[name].parameters),
        atoms(found.adds & ~found.unsteady),
        atoms(found.deletes & ~found.unsteady),
        tuple(candidates[i].atoms[0] for i in sorted(stays) if not effects >> i & 1),
    )


def changing(traces: Iterable[Trace]) -> frozenset[str]:
    """The predicates of which some fact has had two values in one trace."""
    found: set[str] = set()
    for trace in traces:
        states = [*(t.before for t in trace), *(t.after for t in trace[-1:])]
        true = frozenset[Atom]().union(*(s.true for s in states))
        false = frozenset[Atom]().union(*(s.false for s in states))
        found.update(atom.predicate for atom in true & false)
    return frozenset(found)


def completed(
    trace: Trace, domain: RuleSet, dynamic: frozenset[str], insights: Mapping[str, Insight]
) -> Iterator[Transition]:
    """The transitions of a trace, with every value that another state of it tells.

    dynamic: the predicates whose facts may change. What a state says itself is never overruled.
    """
    states = [*(t.before for t in trace), *(t.after for t in trace[-1:])]
    steps = [_Step(t, domain, dynamic, insights[t.action.name]) for t in trace]
    for index, step in enumerate(steps):
        states[index + 1] = step.onward(states[index], states[index + 1])
    for index, step in reversed([*enumerate(steps)]):
        states[index] = step.back(states[index], states[index + 1])
    for transition, before, after in zip(trace, states[:-1], states[1:], strict=True):
        yield replace(transition, before=before, true=after.true, false=after.false)


class _Step:
    """What one step of a trace changes, leaves alone, and may change."""

    def __init__(
        self, transition: Transition, domain: RuleSet, dynamic: frozenset[str], insight: Insight
    ) -> None:
        action = transition.action
        binding = dict(zip(insight.parameters, action.args, strict=True))
        self._touched = frozenset(domain.constants) | frozenset(action.args)
        self._dynamic = dynamic if transition.succeeded else frozenset[str]()
        known = (insight.adds, insight.deletes, insight.leaves) if transition.succeeded else ((), (), ())
        self._adds, deletes, leaves = (
            frozenset([atom.substitute(binding) for atom in atoms]) for atoms in known
        )
        self._deletes = deletes - self._adds
        self._changed = self._adds | deletes
        self._leaves = leaves - self._changed

    def _kept(self, atom: Atom) -> bool:
        if atom in self._changed:
            return False
        if atom.predicate not in self._dynamic or not self._touched.issuperset(atom.args):
            return True
        return atom in self._leaves

    def onward(self, before: State, after: State) -> State:
        """The state after the step, with what follows from the one before it."""
        true = (frozenset(filter(self._kept, before.true)) | self._adds) - after.false
        false = (frozenset(filter(self._kept, before.false)) | self._deletes) - after.true
        return State(after.objects, after.true | true, after.false | false)

    def back(self, before: State, after: State) -> State:
        """The state before the step, with what follows from the one after it."""
        true = frozenset(filter(self._kept, after.true)) - before.false
        false = frozenset(filter(self._kept, after.false)) - before.true
        return State(before.objects, before.true | true, before.false | false)
