"""Where a state breaks an invariant for sure: the body holds, the head does not, nothing is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rules.engine import Engine
from rules.logic import EQUALS, FALSE, IS, TRUE, WILDCARD, Atom, Literal, State
from rules.ruleset import Invariant
from rules.verification.formulas import typed

MAX_TRIES = 100_000
"""Bindings that are looked at for one invariant in one state."""


def violation_in(engine: Engine, invariant: Invariant, state: State) -> Mapping[str, str] | None:
    """The objects for which the state breaks the invariant; None if none are found that surely do."""
    ruleset = engine.ruleset
    tries = iter(range(MAX_TRIES))
    stored = [x for x in invariant.body if x.positive and x.atom.predicate in ruleset.predicates]
    tests = [x for x in invariant.body if x not in stored]
    types = typed(ruleset, ((*invariant.body, *invariant.head),))
    for found in _join(stored, state, {}):
        for binding in _complete(engine, types, state, found):
            if next(tries, None) is None:
                return None
            if all(engine.literal(x, state, binding) is TRUE for x in tests) and all(
                engine.literal(x, state, binding) is FALSE for x in invariant.head
            ):
                return binding
    return None


def _join(
    literals: Sequence[Literal], state: State, binding: Mapping[str, str]
) -> Iterator[Mapping[str, str]]:
    """Every binding under which the stored atoms hold."""
    if not literals:
        yield binding
        return
    predicate, args = literals[0].atom.substitute(binding)
    pattern = Atom(predicate, tuple([WILDCARD if a.startswith("?") else a for a in args]))
    for atom in state.matching(pattern):
        extended = dict(binding)
        pairs = [(v, name) for v, name in zip(args, atom.args, strict=True) if v.startswith("?")]
        if all(extended.setdefault(v, name) == name for v, name in pairs):
            yield from _join(literals[1:], state, extended)


def _complete(
    engine: Engine, types: Mapping[str, str], state: State, binding: Mapping[str, str]
) -> Iterator[Mapping[str, str]]:
    """The binding with every object that fits for each variable that no stored atom binds."""
    variable = next((v for v in types if v not in binding), None)
    if variable is None:
        yield binding
        return
    for name in {**engine.ruleset.constants, **state.objects}:
        if engine.ruleset.is_a(engine.type_of(name, state), types[variable]):
            yield from _complete(engine, types, state, {**binding, variable: name})


def predicates(invariant: Invariant) -> frozenset[str]:
    """The stored predicates that an invariant speaks of."""
    atoms = [x.atom for x in (*invariant.body, *invariant.head)]
    return frozenset(a.predicate for a in atoms if a.predicate not in (IS, EQUALS))
