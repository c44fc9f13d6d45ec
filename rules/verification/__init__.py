"""Checks rule sets with z3: what can never happen, what contradicts, what is said twice, what stays true;
and against logs: what they contradict, what they leave out, what else they suggest.

Sound by a small-model argument that `rules.verification.bounds` states: *proved* holds for any
number of objects, a counterexample is a state one can look at, and what z3 or the bound leaves open
is *unknown*.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rules.logic import Clause, Truth
from rules.ruleset import Parameter, RuleSet
from rules.verification import checks, invariants
from rules.verification.coverage import Coverage
from rules.verification.differences import Aspect, Difference, Foretold, diff, foretold
from rules.verification.explanations import Explanation, explain
from rules.verification.faults import faults, usage
from rules.verification.findings import Counterexample, Finding, Kind, Report, Severity, Status, Usage
from rules.verification.logged import LoggedStates, discovered
from rules.verification.questions import Questions
from rules.verification.reachability import Reachability
from rules.verification.solver import RLIMIT

__all__ = [
    "RLIMIT",
    "Aspect",
    "Counterexample",
    "Difference",
    "Explanation",
    "Finding",
    "Foretold",
    "Kind",
    "Report",
    "Severity",
    "Status",
    "Usage",
    "check",
    "diff",
    "entailed",
    "explain",
    "foretold",
    "implies",
]

if TYPE_CHECKING:
    from rules.induction import Transition

_LATEST = threading.local()


def check(ruleset: RuleSet, rlimit: int = RLIMIT, transitions: Iterable[Transition] | None = None) -> Report:
    """Every finding about a rule set, and, where there are logged transitions, about it and them.

    `rlimit` bounds z3's work on each question (reproducibly). The transitions are read once.
    """
    report = _alone(ruleset, rlimit)
    return report if transitions is None else _with_logs(ruleset, rlimit, transitions, report)


def _with_logs(ruleset: RuleSet, rlimit: int, transitions: Iterable[Transition], alone: Report) -> Report:
    coverage, states, reach = Coverage(ruleset), LoggedStates(ruleset), Reachability(ruleset)
    for transition in transitions:
        coverage.add(transition)
        states.add(transition)
        reach.add(transition.before)
    found = discovered(ruleset, states.candidates, rlimit)
    unreachable = list(reach.findings())
    lost = {f.rules for f in unreachable}
    unused = [f for f in faults(coverage) if f.kind is not Kind.NEVER_EXERCISED or f.rules not in lost]
    return Report(
        (*alone.findings, *unused, *states.findings(coverage), *unreachable, *found.findings),
        alone.questions + found.questions,
        coverage.transitions,
        coverage.undecided,
        sum(sample.count for sample in coverage.unexplained.values()),
        usage(coverage),
    )


def _alone(ruleset: RuleSet, rlimit: int) -> Report:
    ask = Questions(ruleset, rlimit)
    findings = list(invariants.consistency(ask))
    if not any(f.status is Status.REFUTED for f in findings):  # else everything would be proved
        findings += invariants.idle(ask)
        for schema in ruleset.actions.values():
            findings += checks.action(ask, schema)
        for index in range(len(ruleset.invariants)):
            findings += invariants.preservation(ask, index)
    return Report(tuple(findings), ask.solver.questions)


def entailed(ruleset: RuleSet, clauses: Sequence[Clause], parameters: Sequence[Parameter] = ()) -> list[int]:
    """Indices of the clauses that the others imply, for all values of the parameters.

    All of them may be left out together; of two that imply each other the earlier is kept. A
    variable that is no parameter is bound by matching; one that a rule's effects mention should be
    given as a parameter, so that every match of it counts.
    """
    return _questions(ruleset).entailed(clauses, {p.name: p.type for p in parameters})


def implies(
    ruleset: RuleSet, a: Sequence[Clause], b: Sequence[Clause], parameters: Sequence[Parameter] = ()
) -> Truth:
    """Whether condition `a` implies condition `b` under the invariants; UNKNOWN if z3 cannot tell."""
    return _questions(ruleset).implies(a, b, {p.name: p.type for p in parameters})


def _questions(ruleset: RuleSet) -> Questions:
    """This thread's solver for the rule set, kept as long as it asks about no other."""
    latest: Questions | None = getattr(_LATEST, "questions", None)
    if latest is None or latest.ruleset is not ruleset:
        latest = _LATEST.questions = Questions(ruleset)
    return latest
