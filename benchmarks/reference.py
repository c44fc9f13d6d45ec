"""A reference without z3: the same questions, answered by trying every state of a few objects."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from rules.engine import Engine
from rules.logic import IS, TRUE, Action, Atom, State
from rules.ruleset import ANY, Rule, RuleSet
from rules.verification.formulas import typed
from rules.verification.questions import Questions
from rules.verification.simulation import closure
from rules.verification.violations import predicates, violation_in

MAX_ATOMS = 12
"""The reference tries the states over at most so many atoms: two to the power of these."""


class Comparison(NamedTuple):
    """Questions asked of z3, those of them that the reference can answer too, and how the answers compare.

    larger: z3 alone found a state; it takes more objects than the reference tries. wrong: the
    reference found a state, and z3 did not. z3, reference: seconds for the questions asked of both.
    """

    questions: int = 0
    small: int = 0
    agree: int = 0
    larger: int = 0
    wrong: int = 0
    z3: float = 0.0
    reference: float = 0.0

    def plus(self, other: Comparison) -> Comparison:
        """The questions of both."""
        return Comparison(*[a + b for a, b in zip(self, other, strict=True)])  # type: ignore[arg-type]


def compare(rulesets: Sequence[RuleSet]) -> Comparison:
    """Of every rule: can it apply; of every rule and invariant: can it break it. Both ways."""
    total = Comparison()
    for ruleset in rulesets:
        ask = Questions(ruleset)
        for schema in ruleset.actions.values():
            for rule, index in product(schema.rules, (None, *range(len(ruleset.invariants)))):
                one = _one(ask, schema.name, rule, index)
                total = total.plus(one)
    return total


def _one(ask: Questions, action: str, rule: Rule, index: int | None) -> Comparison:
    small = _small(ask.ruleset, action, rule, index)
    if small is None:
        return Comparison(questions=1)
    began = time.process_time()
    mine = _asked(ask, action, rule, index)
    between = time.process_time()
    tried = _tried(ask.ruleset, action, rule, index, *small)
    ended = time.process_time()
    larger, wrong = mine and not tried, tried and not mine
    return Comparison(1, 1, mine is tried, larger, wrong, between - began, ended - between)


def _asked(ask: Questions, action: str, rule: Rule, index: int | None) -> bool:
    """z3's answer."""
    schema = ask.ruleset.actions[action]
    case = ask.case(schema, rule)
    broken = None if index is None else ask.theory.violated_after(schema, index)
    if index is not None and broken is None:
        return False
    question = case.condition if broken is None else (*case.condition, broken)
    return ask.solver.satisfiable(question) is TRUE


def _small(
    ruleset: RuleSet, action: str, rule: Rule, index: int | None
) -> tuple[dict[str, str], list[Atom], tuple[int, ...]] | None:
    """One object for each variable of the rule, the atoms over them that matter, and the invariants that
    speak of these; None where the atoms are too many."""
    schema = ruleset.actions[action]
    types = typed(ruleset, rule.when) | {p.name: p.type for p in schema.parameters}
    types |= {
        c[0].atom.args[0]: c[0].atom.args[1] for c in rule.when if c[0].atom.predicate == IS and c[0].positive
    }
    if any(t == ANY for t in types.values()) or ruleset.relations or ruleset.constants:
        return None
    objects = {f"{t} {v[1:]}": t for v, t in types.items()}
    spoken = {x.atom.predicate for r in schema.rules for c in r.when for x in c}
    spoken |= {a.predicate for r in schema.rules for a in (*r.adds, *r.deletes)}
    spoken |= predicates(ruleset.invariants[index]) if index is not None else set()
    names = [p for p in ruleset.predicates if p in spoken]
    held = tuple(i for i, invariant in enumerate(ruleset.invariants) if predicates(invariant) <= set(names))
    atoms = [
        Atom(p, args)
        for p in names
        for args in product(objects, repeat=len(ruleset.predicates[p]))
        if all(ruleset.is_a(objects[a], t) for a, t in zip(args, ruleset.predicates[p], strict=True))
    ]
    return (objects, atoms, held) if len(atoms) <= MAX_ATOMS else None


def _tried(
    ruleset: RuleSet,
    action: str,
    rule: Rule,
    index: int | None,
    objects: dict[str, str],
    atoms: Sequence[Atom],
    held: Sequence[int],
) -> bool:
    """The reference's answer: some state of these objects shows it."""
    engine, false = Engine(ruleset), closure(ruleset)
    schema = ruleset.actions[action]
    fitting = [[o for o, t in objects.items() if ruleset.is_a(t, p.type)] for p in schema.parameters]
    for bits in product((False, True), repeat=len(atoms)):
        state = State(objects, [a for a, bit in zip(atoms, bits, strict=True) if bit], false)
        if any(violation_in(engine, ruleset.invariants[i], state) is not None for i in held):
            continue
        for args in product(*fitting):
            ground = Action(action, args)
            if engine.match(rule, state, ground).truth is TRUE and (
                index is None
                or violation_in(engine, ruleset.invariants[index], engine.apply(state, ground)) is not None
            ):
                return True
    return False
