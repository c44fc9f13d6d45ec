"""Findings that only logs show: preconditions dropped and superfluous, wrong effects, surprises.

What counts as more than noise is said in `rules.verification.samples`. A literal is named as the
missing precondition if telling the bad tries from the good by it saves more bits than it costs to
write (the code of `rules.induction`: a split that chance would give saves none).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice, product
from math import lgamma, log, log2

from rules.engine import Engine
from rules.language import render_clause, render_literal
from rules.logic import EQUALS, FALSE, IS, TRUE, WILDCARD, Atom, Literal
from rules.ruleset import ANY, ActionSchema, Evidence
from rules.verification.coverage import FAILS, Aspect, Coverage, RuleCounts, Try
from rules.verification.findings import Counterexample, Finding, Kind, Status, Usage
from rules.verification.samples import CAUTION, beyond, noise, saved, upper_end

HALF = 0.5
MAX_ATOMS = 2000
"""Atoms of one predicate among which a missing condition is sought."""


def usage(coverage: Coverage) -> tuple[Usage, ...]:
    """How every rule fared."""
    return tuple(Usage(c.name, c.applied, c.agreed.count, c.possible) for c in coverage.rules.values())


def faults(coverage: Coverage) -> Iterator[Finding]:
    """Everything that the counted transitions hold against the rules."""
    for counts in coverage.rules.values():
        if counts.applied:
            yield from _contradicted(coverage, counts)
        yield from _superfluous(coverage, counts)
        if not counts.applied and not counts.possible:
            message = f"{counts.name} never applied in {coverage.transitions:,} transitions"
            yield Finding(Kind.NEVER_EXERCISED, Status.UNKNOWN, message, (counts.name,))
    yield from _unexplained(coverage)


# -- rules that apply where they should not


def _contradicted(coverage: Coverage, counts: RuleCounts) -> Iterator[Finding]:
    """One finding an aspect in which the log contradicts the rule."""
    if not counts.wrong:
        return
    price = log2(sum(len(c.wrong) for c in coverage.rules.values())) + CAUTION
    for aspect, sample in counts.wrong.items():
        level = _noise(coverage, counts, aspect)
        if not beyond(sample.count, counts.applied, level):
            continue
        if aspect != FAILS and saved(sample.count, counts.applied, level) <= price:
            continue
        good = counts.succeeded if aspect == FAILS else counts.agreed
        missing = _telling(coverage.engine, counts.schema, good.items, sample.items)
        if (
            aspect == FAILS
            and missing is None
            and not beyond(sample.count, counts.applied, _misread(coverage))
        ):
            continue
        share = f"in {sample.count:,} of {counts.applied:,} cases"
        if missing is not None or aspect == FAILS:
            kind, message = Kind.TOO_BROAD, f"{counts.name} applies, yet {_belied(counts, aspect)} {share}"
            if missing is not None:
                message += f"; missing condition: {render_literal(missing, coverage.ruleset)}"
        else:
            kind = Kind.WRONG_EFFECT
            message = f"{counts.name} is right to apply, but {_belied(counts, aspect)} {share}"
        yield Finding(kind, Status.REFUTED, message, (counts.name,), (), _shown(sample.items[0]))


def _noise(coverage: Coverage, counts: RuleCounts, aspect: Aspect) -> float:
    """How often the same goes wrong where this rule has no part in it: that other rules fail, or that
    a fact about anything changes for no reason."""
    if isinstance(aspect, str):
        return noise(c.against(aspect) for c in coverage.rules.values() if c is not counts)
    change = aspect.atom.predicate, aspect.positive
    elsewhere = coverage.unrest[change] - counts.unrest[change]
    judged = coverage.judged - counts.succeeded.count
    return upper_end(Evidence(elsewhere, judged - elsewhere))


def _misread(coverage: Coverage) -> float:
    """How often facts change for no reason: as often a condition may be misread."""
    return upper_end(Evidence(coverage.restless, coverage.judged - coverage.restless))


def _belied(counts: RuleCounts, aspect: Aspect) -> str:
    if isinstance(aspect, Literal):
        literal = f"{'' if aspect.positive else 'not '}{aspect.atom}"
        return f"afterwards {literal} holds, of which it knows nothing,"
    return "the action failed" if aspect == FAILS else f"something else was said than {counts.rule.says!r}"


def _telling(engine: Engine, schema: ActionSchema, good: Sequence[Try], bad: Sequence[Try]) -> Literal | None:
    """The literal that holds where the rule is right and not where it is wrong, if it is worth its bits."""
    options = sorted(
        literals(engine, schema, (*good, *bad)), key=lambda x: x.atom.args.count(WILDCARD)
    )  # of two that tell the same, the plainer
    price = log2(2 * len(options) + 1) + 1 + CAUTION
    best, most = None, price
    for literal in options:
        gain, positive = _gain(engine, literal, good, bad)
        if gain > most:
            best, most = Literal(literal.atom, positive), gain
    return best


def _gain(engine: Engine, literal: Literal, good: Sequence[Try], bad: Sequence[Try]) -> tuple[float, bool]:
    """Bits that a literal saves in coding which tries are good; whether it is its truth that is good."""
    table = {value: [0, 0] for value in (TRUE, FALSE)}
    unknown = [0, 0]
    for side, tries in enumerate((good, bad)):
        for state, action in tries:
            value = engine.literal(literal, state, engine.binding(action))
            table.get(value, unknown)[side] += 1
    apart = sum(_code_length(*cell) for cell in (*table.values(), unknown))
    positive = table[TRUE][0] * len(bad) > table[TRUE][1] * len(good)
    return _code_length(len(good), len(bad)) - apart, positive


def _code_length(good: int, bad: int) -> float:
    """Bits to code which of so many are good, in the adaptive code: log2((n + 1) C(n, good))."""
    n = good + bad
    return log2(n + 1) + (lgamma(n + 1) - lgamma(good + 1) - lgamma(bad + 1)) / log(2)


def literals(engine: Engine, schema: ActionSchema, tries: Sequence[Try]) -> Iterator[Literal]:
    """What a precondition might say of the parameters: facts, equality, types, relations on types."""
    ruleset, names = engine.ruleset, [p.name for p in schema.parameters]
    for predicate, signature in ruleset.predicates.items():
        fitting = [[p.name for p in schema.parameters if _compatible(engine, p.type, t)] for t in signature]
        named = [[c for c, own in ruleset.constants.items() if ruleset.is_a(own, t)] for t in signature]
        places = [[*f, *n, WILDCARD] for f, n in zip(fitting, named, strict=True)]
        yield from (Literal(Atom(predicate, terms)) for terms in islice(product(*places), MAX_ATOMS))
    yield from (Literal(Atom(EQUALS, pair)) for pair in combinations(names, 2))
    for relation in ruleset.relations.values():
        columns = islice(product(names, repeat=relation.arity), MAX_ATOMS)
        yield from (Literal(Atom(relation.name, args)) for args in columns)
    for place, name in enumerate(names):
        found = {engine.type_of(action.args[place], state) for state, action in tries}
        above = dict.fromkeys(t for own in sorted(found) for t in ruleset.ancestors(own) if t != ANY)
        yield from (Literal(Atom(IS, (name, t))) for t in above)


def _compatible(engine: Engine, a: str, b: str) -> bool:
    return ANY in (a, b) or engine.ruleset.is_a(a, b) or engine.ruleset.is_a(b, a)


# -- rules that do not apply where they should


def _superfluous(coverage: Coverage, counts: RuleCounts) -> Iterator[Finding]:
    """One finding a clause that refuses what works."""
    for clause, evidence in sorted(counts.refused.items()):
        agreed, refused = counts.succeeded.count, evidence.support
        level = noise(_refusals(coverage, counts, clause))
        if evidence.confidence <= HALF or not beyond(refused, refused + agreed, level):
            continue
        text = render_clause(counts.rule.when[clause], coverage.ruleset)
        message = (
            f"{counts.name} need not ask for {text!r}: the action worked in {refused:,} of {sum(evidence):,}"
            " tries in which only that was false"
        )
        shown = _shown(counts.worked[clause])
        yield Finding(Kind.TOO_NARROW, Status.REFUTED, message, (counts.name,), (text,), shown)


def _refusals(coverage: Coverage, counts: RuleCounts, clause: int) -> Iterator[Evidence]:
    """How many successes each other clause refuses, and how many it does not."""
    for other in coverage.rules.values():
        for i in range(len(other.rule.when)):
            if other is not counts or i != clause:
                yield Evidence(other.refused.get(i, Evidence()).support, other.succeeded.count)


def _unexplained(coverage: Coverage) -> Iterator[Finding]:
    """One finding an action that works in tries that every rule refuses."""
    rules = [c.against(FAILS) for c in coverage.rules.values()]
    for action, sample in coverage.unexplained.items():
        tries = coverage.refused[action]
        others = [e for a, e in coverage.surprises() if a != action]
        if beyond(sample.count, tries, max(_misread(coverage), noise((*rules, *others)))):
            message = f"{action} worked in {sample.count:,} of {tries:,} tries that every rule refuses"
            yield Finding(Kind.UNEXPLAINED, Status.REFUTED, message, (), (), _shown(sample.items[0]))


def _shown(attempt: Try) -> Counterexample:
    """The try, with those facts of its state that speak of the arguments, or of no object."""
    state, action = attempt
    near = [a for a in state.true if not a.args or set(a.args) & set(action.args)]
    objects = {name: state.objects[name] for a in near for name in a.args if name in state.objects}
    objects |= {name: state.objects[name] for name in action.args if name in state.objects}
    return Counterexample(type(state)(objects, near, state.false), action)
