"""Checks of invariants: do they agree, does each say something, does every rule keep them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from rules.engine import Engine
from rules.language import render_invariant
from rules.logic import FALSE, UNKNOWN
from rules.ruleset import Evidence, Invariant, RuleSet
from rules.verification.findings import Counterexample, Finding, Kind, Status
from rules.verification.formulas import Formula, negate, violation
from rules.verification.questions import Case, Questions, assuming


def consistency(ask: Questions) -> Iterator[Finding]:
    """Whether any state satisfies all invariants at once."""
    answer = ask.solver.satisfiable(())
    if answer is FALSE:
        core = texts(ask.ruleset, ask.solver.core(())[1])
        message = "no state satisfies the invariants"
        yield Finding(Kind.INCONSISTENT_INVARIANTS, Status.REFUTED, message, (), core)
    elif answer is UNKNOWN:
        message = "cannot tell whether the invariants agree"
        yield Finding(Kind.INCONSISTENT_INVARIANTS, Status.UNKNOWN, message)


def idle(ask: Questions) -> Iterator[Finding]:
    """Invariants that say nothing: implied by others, or about what never is."""
    kept = list(range(len(ask.ruleset.invariants)))
    for i, invariant in reversed(list(enumerate(ask.ruleset.invariants))):
        others = [j for j in kept if j != i]
        broken = (violation(ask.ruleset, invariant),)
        answer = ask.solver.satisfiable(broken, others)
        if answer is FALSE:
            kept = others
            core = texts(ask.ruleset, ask.solver.core(broken, others)[1])
            message = f"invariant {text(ask.ruleset, invariant)!r} is implied"
            yield Finding(Kind.IMPLIED_INVARIANT, Status.REFUTED, message, (), core)
        elif answer is UNKNOWN:
            message = f"cannot tell whether invariant {text(ask.ruleset, invariant)!r} is implied"
            yield Finding(Kind.IMPLIED_INVARIANT, Status.UNKNOWN, message)
        elif invariant.head and ask.solver.satisfiable((_body(ask.ruleset, invariant),)) is FALSE:
            message = f"the condition of invariant {text(ask.ruleset, invariant)!r} never holds"
            yield Finding(Kind.VACUOUS_INVARIANT, Status.REFUTED, message)


def preservation(ask: Questions, index: int) -> Iterator[Finding]:
    """One finding for each rule that breaks the invariant or may; one if none does."""
    name = text(ask.ruleset, ask.ruleset.invariants[index])
    kept = True
    for schema in ask.ruleset.actions.values():
        broken = ask.theory.violated_after(schema, index)
        if broken is None:
            continue
        for rule in schema.rules:
            finding = _broken(ask, ask.case(schema, rule), broken, name)
            kept = kept and finding is None
            if finding is not None:
                yield finding
    if kept:
        yield Finding(Kind.INVARIANT, Status.PROVED, f"every rule keeps the invariant {name!r}")


def _broken(ask: Questions, case: Case, broken: Formula, name: str) -> Finding | None:
    question = (*case.condition, broken)
    answer = ask.solver.satisfiable(question)
    if answer is FALSE:
        return None
    if answer is UNKNOWN:
        message = f"cannot tell whether {case.name} keeps the invariant {name!r}"
        return Finding(Kind.INVARIANT, Status.UNKNOWN, message, (case.name,))
    others = [ask.case(case.schema, r) for r in case.schema.rules if r is not case.rule]
    # The rule is best shown at fault by itself, if it is.
    state = ask.counterexample(case, question, [negate(ask.applies(other)) for other in others])
    message = f"{case.name} breaks the invariant {name!r}"
    return Finding(Kind.INVARIANT, Status.REFUTED, message, _at_work(ask, case, state), (), state)


def _at_work(ask: Questions, case: Case, state: Counterexample) -> tuple[str, ...]:
    """The rules that apply in a counterexample, the one under examination first."""
    assert state.action is not None
    outcome = Engine(assuming(ask.ruleset, state.assumed)).outcome(state.before, state.action)
    names = [f"{case.schema.name}.{match.rule.name}" for match in outcome.matches]
    return (case.name, *(n for n in names if n != case.name))


def _body(ruleset: RuleSet, invariant: Invariant) -> Formula:
    return violation(ruleset, replace(invariant, head=()))


def text(ruleset: RuleSet, invariant: Invariant) -> str:
    """The invariant in the rule language, without its evidence."""
    rendered = render_invariant(replace(invariant, evidence=Evidence()), ruleset)
    return rendered.removeprefix("invariant ")


def texts(ruleset: RuleSet, indices: Iterable[int]) -> tuple[str, ...]:
    """The invariants of these numbers."""
    return tuple(text(ruleset, ruleset.invariants[i]) for i in indices)
