"""How many objects are enough: the small-model argument behind every proof.

Take any model of a set of formulas. Keep the named constants, the parameters, and a witness for
each existential quantifier that stands under no universal one; call these the *core*. Formulas
that only quantify universally over them hold in the part of the model that is left, so without
further existentials a domain with one object for each is complete: satisfiable at all means
satisfiable there. (Objects may be absent, so a larger domain does no harm.)

An existential below universals (``every block is on something``) is a Skolem function of those that
its body depends on. We give each
of its instances over the core one more object, its witness, and assert the instances over the core
alone: still true of part of any model, so *unsatisfiable* is a proof. For a counterexample the
instances of all objects are asserted as well, so that a model found is a model. What falls between
is unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

from rules.errors import WorldModelError
from rules.logic import IS, Literal
from rules.ruleset import ANY
from rules.verification.formulas import And, Forall, Formula, Or, free, literals, negate
from rules.verification.theory import Theory

MAX_OBJECTS = 24
"""Of one sort. Where more would be needed, nothing is called proved."""

Function = tuple[tuple[str, ...], str]
"""A Skolem function: the types of its arguments, and of its value."""

Scope = Mapping[str, Mapping[tuple[int, str], str]]
"""Variable -> the universal quantifiers (depth, variable -> type) that its value depends on."""


@dataclass(frozen=True, slots=True)
class Needs:
    """Existential witnesses (by type), and Skolem functions."""

    witnesses: Counter[str] = field(default_factory=Counter)
    functions: tuple[Function, ...] = ()


def needs(theory: Theory, formula: Formula, scope: Scope | None = None, depth: int = 0) -> Needs:
    """The witnesses that a formula asks for. Variables outside `scope` are taken as fixed."""
    scope = scope or {}
    if isinstance(formula, Literal):
        definition = theory.definitions.get(formula.atom.predicate)
        if definition is None:
            return Needs()
        inner = {
            f: scope[a] for f, a in zip(definition.formals, formula.atom.args, strict=True) if a in scope
        }
        body = definition.body if formula.positive else negate(definition.body)
        return needs(theory, body, inner, depth)
    if isinstance(formula, And | Or):
        parts = [needs(theory, part, scope, depth) for part in formula.parts]
        total: Counter[str] = Counter()
        for part in parts:
            total = total + part.witnesses if isinstance(formula, And) else total | part.witnesses
        return Needs(total, tuple(f for part in parts for f in part.functions))
    variable, type_ = formula.variable, formula.type
    if isinstance(formula, Forall):
        return needs(theory, formula.body, {**scope, variable: {(depth, variable): type_}}, depth + 1)
    above = {key: t for v in free(formula) if v in scope for key, t in scope[v].items()}
    body_needs = needs(theory, formula.body, {**scope, variable: above}, depth + 1)
    if above:
        function = (tuple(sorted(above.values())), type_)
        return Needs(body_needs.witnesses, (function, *body_needs.functions))
    return Needs(body_needs.witnesses + Counter([type_]), body_needs.functions)


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a grounding covers: objects by sort (the core, and all), types told apart, constants."""

    core: Counter[str] = field(default_factory=Counter)
    total: Counter[str] = field(default_factory=Counter)
    types: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()
    crowded: bool = False
    """Whether `MAX_OBJECTS` cut it short."""

    def covering(self, theory: Theory, formulas: Iterable[Formula]) -> Capacity:
        """The least capacity above this one that also covers these formulas, taken together."""
        together = And(tuple(formulas))
        need = needs(theory, together)
        types, constants, parameters = _mentions(theory, together)
        core = Counter(self.core)
        asked = Counter(s for t in need.witnesses.elements() for s in theory.sorts(t))
        for parameter in parameters:
            asked.update(theory.skolems[parameter].ranks.keys())
        core |= asked
        size = Counter(core)
        for name in self.constants | constants:
            size[theory.root(theory.ruleset.constants[name])] += 1
        total = core | self.total
        total |= core + _witness_room(theory, need.functions, size)
        crowded = any(n > MAX_OBJECTS for n in total.values())
        if crowded:
            total = Counter({s: min(n, MAX_OBJECTS) for s, n in total.items()})
            core &= total
        return Capacity(core, total, self.types | types, self.constants | constants, crowded or self.crowded)


def _witness_room(theory: Theory, functions: Iterable[Function], size: Counter[str]) -> Counter[str]:
    """One object for each instance of each Skolem function over the core."""
    room: Counter[str] = Counter()
    for arguments, value in functions:
        instances = prod(sum(size[s] for s in theory.sorts(t)) for t in arguments)
        for sort in theory.sorts(value):
            room[sort] += min(instances, MAX_OBJECTS + 1)
    return room


def _mentions(theory: Theory, formula: Formula) -> tuple[frozenset[str], frozenset[str], dict[str, None]]:
    """The types, constants and parameters that a formula names, through its definitions."""
    types: set[str] = set()
    constants: set[str] = set()
    parameters: dict[str, None] = {}
    pending, seen = [formula], set()
    while pending:
        for literal in literals(pending.pop()):
            predicate, args = literal.atom
            if predicate in theory.definitions and predicate not in seen:
                seen.add(predicate)
                pending.append(theory.definitions[predicate].body)
            if predicate == IS:
                types.add(args[1])
            for term in args[:1] if predicate == IS else args:
                if term in theory.skolems:
                    parameters[term] = None
                elif not term.startswith("?"):
                    constants.add(term)
    unknown = sorted(constants - set(theory.ruleset.constants))
    if unknown:
        raise WorldModelError(f"rule set {theory.ruleset.name}: {unknown[0]!r} is no declared constant")
    return frozenset(types - {ANY}), frozenset(constants), parameters
