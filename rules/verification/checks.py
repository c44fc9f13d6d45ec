"""Checks of rules: alone, against the other rules of their action, clause by clause.

Every question is whether some formulas can hold together under the invariants. FALSE comes with a
core, TRUE with a world, UNKNOWN is passed on as such.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations

from rules.language import render_clause, render_literal
from rules.logic import FALSE, IS, TRUE, UNKNOWN, WILDCARD, Atom, Literal
from rules.ruleset import ActionSchema, Rule
from rules.verification.findings import Finding, Kind, Status
from rules.verification.formulas import (
    And,
    Formula,
    Or,
    equal,
    exists,
    negate,
    of_clauses,
    of_literal,
    substitute,
    variables,
)
from rules.verification.invariants import texts
from rules.verification.questions import Case, Questions


def action(ask: Questions, schema: ActionSchema) -> Iterator[Finding]:
    """Every finding about the rules of one action."""
    alive = []
    for rule in schema.rules:
        case = ask.case(schema, rule)
        answer = ask.solver.satisfiable(case.condition)
        if answer is UNKNOWN:
            message = f"cannot tell whether {case.name} can apply"
            yield Finding(Kind.VACUOUS_RULE, Status.UNKNOWN, message, (case.name,))
        elif answer is FALSE:
            names = [_type_text(case, v) for v in case.types] + [
                render_clause(c, ask.ruleset) for c in rule.when
            ]
            core = _core(ask, case.condition, names)
            yield Finding(
                Kind.VACUOUS_RULE, Status.REFUTED, f"{case.name} can never apply", (case.name,), core
            )
        else:
            alive.append(case)
            yield from _no_effect(ask, case)
            yield from _redundant_clauses(ask, case)
            yield from _redundant_literals(ask, case)
            yield from _ambiguous(ask, case)
    for a, b in combinations(alive, 2):
        yield from _contradictions(ask, a, b)
    yield from _covered(ask, alive)


def _core(ask: Questions, formulas: Sequence[Formula], names: Sequence[str]) -> tuple[str, ...]:
    """The core of an unsatisfiable question; `names` say what its first formulas are."""
    found, invariants = ask.solver.core(formulas)
    return (*(names[i] for i in found if i < len(names)), *texts(ask.ruleset, invariants))


def _type_text(case: Case, variable: str) -> str:
    return f"{variable} is {case.types[variable]}"


def _no_effect(ask: Questions, case: Case) -> Iterator[Finding]:
    """A rule whose effects are there already, or that does nothing a failure would not."""
    rule, binding = case.rule, case.scope.binding
    adds = [of_literal(ask.ruleset, Literal(add.substitute(binding))) for add in rule.adds]
    changes = [*map(negate, adds), *(_removes(ask, case, pattern) for pattern in rule.deletes)]
    if changes and ask.solver.satisfiable((*case.condition, Or(tuple(changes)))) is FALSE:
        message = f"the effects of {case.name} change nothing"
        yield Finding(Kind.NO_EFFECT, Status.REFUTED, message, (case.name,))
    elif not changes and not rule.reveals and rule.says in (None, case.schema.otherwise):
        message = f"{case.name} does nothing that a failure would not"
        yield Finding(Kind.NO_EFFECT, Status.REFUTED, message, (case.name,))


def _removes(ask: Questions, case: Case, pattern: Atom) -> Formula:
    """Some atom under the pattern holds, and the same match does not add it again."""
    binding, signature = case.scope.binding, ask.ruleset.predicates[pattern.predicate]
    args = pattern.substitute(binding).args
    terms = tuple(f"?*{i}" if arg == WILDCARD else arg for i, arg in enumerate(args))
    wild = {v: t for v, t in zip(terms, signature, strict=True) if v.startswith("?*")}
    again = tuple(
        And(tuple(map(equal, add.substitute(binding).args, terms)))
        for add in case.rule.adds
        if add.predicate == pattern.predicate
    )
    return exists(wild, And((Literal(Atom(pattern.predicate, terms)), negate(Or(again)))))


def _redundant_clauses(ask: Questions, case: Case) -> Iterator[Finding]:
    when, types = case.rule.when, _outward(case)
    redundant = ask.entailed(when, types)
    kept = [clause for i, clause in enumerate(when) if i not in redundant]
    for i in redundant:
        text = render_clause(when[i], ask.ruleset)
        message = f"{case.name}: {text!r} is implied by the rest of its condition"
        # Those left out before the last one lean on fewer clauses than `entailed` asked about.
        core = _core(ask, ask.without(when[i], kept, types), [render_clause(c, ask.ruleset) for c in kept])
        yield Finding(Kind.REDUNDANT_CLAUSE, Status.REFUTED, message, (case.name,), core)


def _redundant_literals(ask: Questions, case: Case) -> Iterator[Finding]:
    """Alternatives that hold only where another of their clause does."""
    when, types = case.rule.when, _outward(case)
    for i, clause in enumerate(when):
        rest, kept = (*when[:i], *when[i + 1 :]), clause
        for literal in clause:
            others = tuple(x for x in kept if x != literal)
            if not others or ask.solver.satisfiable(ask.only(literal, others, rest, types)) is not FALSE:
                continue
            kept = others
            text, whole = render_literal(literal, ask.ruleset), render_clause(clause, ask.ruleset)
            message = f"{case.name}: {text!r} adds nothing to {whole!r}"
            yield Finding(Kind.REDUNDANT_LITERAL, Status.REFUTED, message, (case.name,))


def _ambiguous(ask: Questions, case: Case) -> Iterator[Finding]:
    """One rule that says two names at once, since its condition holds for two objects."""
    parameters = {p.name for p in case.schema.parameters}
    free = {v: t for v, t in case.types.items() if v not in parameters}
    said = [v for v in free if f"{{{v}}}" in (case.rule.says or "")]
    if not said:
        return
    fixed = {v: p for v, p in case.scope.binding.items() if v in parameters}
    again = of_clauses(ask.ruleset, substitute(case.rule.when, fixed))
    differ = Or(tuple(negate(equal(v, case.scope.binding[v])) for v in said))
    message = f"{case.name} can name two objects at once in {case.rule.says!r}"
    question = (*case.condition, exists(free, And((again, differ))))
    yield from _refuted(ask, Kind.CONTRADICTORY_WORDING, message, (case,), question)


def _contradictions(ask: Questions, a: Case, b: Case) -> Iterator[Finding]:
    """Two rules that apply together and undo each other, or say different things."""
    together = (*a.condition, ask.applies(b))
    if ask.solver.satisfiable(together) is FALSE:
        return
    for adder, deleter in permutations((a, b)):
        for add in adder.rule.adds:
            undone = _undone(ask, add.substitute(adder.scope.binding), deleter)
            message = f"{deleter.name} deletes {add}, which {adder.name} adds, and both can apply"
            question = (*adder.condition, undone)
            yield from _refuted(ask, Kind.CONTRADICTORY_EFFECTS, message, (adder, deleter), question)
    if None not in (a.rule.says, b.rule.says) and a.rule.says != b.rule.says:
        message = f"{a.name} says {a.rule.says!r} and {b.name} says {b.rule.says!r}, and both can apply"
        yield from _refuted(ask, Kind.CONTRADICTORY_WORDING, message, (a, b), together)


def _undone(ask: Questions, atom: Atom, deleter: Case) -> Formula:
    """The other rule deletes the atom, and does not add it again."""
    schema, rule = deleter.schema, deleter.rule
    again = ask.theory.touches(schema, rule, rule.adds, atom)
    return And((ask.theory.touches(schema, rule, rule.deletes, atom), negate(again)))


def _refuted(
    ask: Questions, kind: Kind, message: str, cases: Sequence[Case], question: Sequence[Formula]
) -> Iterator[Finding]:
    """A fault if the question has a world."""
    names = tuple(case.name for case in cases)
    answer = ask.solver.satisfiable(question)
    if answer is TRUE:
        yield Finding(kind, Status.REFUTED, message, names, (), ask.counterexample(cases[0], question))
    elif answer is UNKNOWN:
        yield Finding(kind, Status.UNKNOWN, f"cannot tell whether this can be: {message}", names)


def _covered(ask: Questions, cases: Sequence[Case]) -> Iterator[Finding]:
    """Rules whose outcome another rule gives wherever they apply; of equals the earlier stays."""
    gone: set[str] = set()
    for a, b in permutations(reversed(cases), 2):
        if {a.name, b.name} & gone or not _within(a.rule, b.rule):
            continue
        types = _outward(a)
        typing = [(Literal(Atom(IS, (v, b.types[v]))),) for v in types if v in b.types]
        if ask.implies(a.rule.when, (*b.rule.when, *typing), types) is TRUE:
            gone.add(a.name)
            message = f"{a.name} is covered by {b.name}: wherever it applies, that does the same"
            yield Finding(Kind.REDUNDANT_RULE, Status.REFUTED, message, (a.name, b.name))


def _outward(case: Case) -> Mapping[str, str]:
    """Variable -> type of the parameters and of the free variables that the outcome mentions."""
    rule = case.rule
    shown = variables((*rule.adds, *rule.deletes, *rule.reveals))
    parameters = {p.name for p in case.schema.parameters}
    return {
        v: t
        for v, t in case.types.items()
        if v in parameters or v in shown or (rule.says is not None and v in rule.says)
    }


def _within(a: Rule, b: Rule) -> bool:
    """Whether all that `a` does, `b` does too."""
    return (
        set(a.adds) <= set(b.adds)
        and set(a.deletes) <= set(b.deletes)
        and set(a.reveals) <= set(b.reveals)
        and a.says in (None, b.says)
    )
