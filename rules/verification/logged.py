"""What logged states say of invariants: which are broken, and which might be added.

Candidates come from `rules.induction.invariants`, and are then proved together: all are assumed,
those that some rule breaks are dropped with the state that shows it, until the rest is inductive
(Houdini; Flanagan & Leino 2001).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rules.engine import Engine
from rules.induction.invariants import InvariantKey, Judge, invariants
from rules.logic import TRUE, State
from rules.ruleset import Evidence, Invariant, RuleSet
from rules.verification.coverage import Coverage
from rules.verification.findings import Counterexample, Finding, Kind, Status
from rules.verification.invariants import preservation, text
from rules.verification.questions import Questions
from rules.verification.samples import beyond, noise, upper_end
from rules.verification.violations import predicates, violation_in

if TYPE_CHECKING:
    from rules.induction import Transition


@dataclass(slots=True)
class _Tally:
    """How many states break an invariant, and the first of them."""

    broken: int = 0
    first: Counterexample | None = None


class LoggedStates:
    """The states of a log, looked at one by one; only what has changed is looked at again."""

    def __init__(self, ruleset: RuleSet) -> None:
        self.ruleset, self.engine = ruleset, Engine(ruleset)
        self.tallies = [_Tally() for _ in ruleset.invariants]
        self.candidates: Counter[tuple[InvariantKey, bool]] = Counter()
        self._judge = Judge(ruleset)
        self._predicates = [predicates(invariant) for invariant in ruleset.invariants]
        self._last: State | None = None
        self._states = 0

    def add(self, transition: Transition) -> None:
        """Looks at a transition's states; at the first only where it does not follow on the last."""
        before, after = transition.before, transition.after
        if before is not self._last and before != self._last:
            self._look(State(before.objects, (), before.false), before, before)
        # What was known before may have gone unseen: only what is seen at once is held against anything.
        self._look(before, after, State(after.objects, transition.true, transition.false))
        self._last = after

    def _look(self, before: State, state: State, seen: State) -> None:
        self._states += 1
        self.candidates.update(self._judge.judge(before, state))
        changed = {a.predicate for a in before.true ^ state.true} | {
            a.predicate for a in before.false ^ state.false
        }
        for invariant, tally, mentioned in zip(
            self.ruleset.invariants, self.tallies, self._predicates, strict=True
        ):
            if changed & mentioned:
                binding = violation_in(self.engine, invariant, seen)
                if binding is not None:
                    tally.broken += 1
                    tally.first = tally.first or _shown(seen, binding)

    def findings(self, coverage: Coverage) -> Iterator[Finding]:
        """The invariants broken in more states than those in which their facts change for no reason."""
        evidence = [Evidence(t.broken, self._states - t.broken) for t in self.tallies]
        for index, tally in enumerate(self.tallies):
            unrest = sum(n for (p, _), n in coverage.unrest.items() if p in self._predicates[index])
            restless = upper_end(Evidence(unrest, max(0, coverage.judged - unrest)))
            level = max(restless, noise(e for i, e in enumerate(evidence) if i != index))
            if beyond(tally.broken, self._states, level):
                name = text(self.ruleset, self.ruleset.invariants[index])
                message = f"{tally.broken:,} of {self._states:,} logged states break the invariant {name!r}"
                yield Finding(Kind.BROKEN_INVARIANT, Status.REFUTED, message, (), (name,), tally.first)


def _shown(state: State, binding: Mapping[str, str]) -> Counterexample:
    """The part of the state that speaks of these objects."""
    names = set(binding.values())
    near = [a for a in state.true if not a.args or names & set(a.args)]
    objects = {n: state.objects[n] for a in near for n in a.args if n in state.objects}
    return Counterexample(State(objects, near, state.false))


def discovered(ruleset: RuleSet, counts: Mapping[tuple[InvariantKey, bool], int], rlimit: int) -> Discovery:
    """The invariants that a log suggests beyond the rule set's own, each proved, refuted or left open."""
    known = {_plain(i) for i in ruleset.invariants}
    found = [i for i in invariants(ruleset, counts) if _plain(i) not in known]
    own = len(ruleset.invariants)
    findings: list[Finding] = []
    questions = 0
    while found:
        ask = Questions(replace(ruleset, invariants=(*ruleset.invariants, *found)), rlimit)
        if ask.solver.satisfiable(()) is not TRUE:  # else everything would be proved
            break
        failed = {}
        for i, candidate in enumerate(found):
            fault = next((f for f in preservation(ask, own + i) if f.status is not Status.PROVED), None)
            if fault is not None:
                failed[i] = replace(fault, kind=Kind.CANDIDATE, message=_message(ask, candidate, fault))
        questions += ask.solver.questions
        findings += failed.values()
        found = [c for i, c in enumerate(found) if i not in failed]
        if not failed:
            break
    kept = [
        Finding(
            Kind.CANDIDATE, Status.PROVED, f"the log suggests {text(ruleset, c)!r}, and every rule keeps it"
        )
        for c in found
    ]
    return Discovery(tuple(found), (*kept, *findings), questions)


@dataclass(frozen=True, slots=True)
class Discovery:
    """Invariants proved beyond the rule set's own, a finding for every candidate, and z3's questions."""

    invariants: tuple[Invariant, ...]
    findings: tuple[Finding, ...]
    questions: int


def _message(ask: Questions, candidate: Invariant, fault: Finding) -> str:
    verdict = "breaks it" if fault.status is Status.REFUTED else "may break it"
    return f"the log suggests {text(ask.ruleset, candidate)!r}, but {fault.rules[0]} {verdict}"


def _plain(invariant: Invariant) -> Invariant:
    return replace(invariant, evidence=Evidence())
