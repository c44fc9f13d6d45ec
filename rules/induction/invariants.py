"""Candidate invariants, counted on the states that a log passes through.

Four families, after the mutual-exclusion invariants of planning (Gerevini & Schubert 1998;
Rintanen 2000): at most one, implication, exclusion, and exclusion over a pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rules.logic import EQUALS, FALSE, TRUE, UNKNOWN, WILDCARD, Atom, Literal, State
from rules.ruleset import Evidence, Invariant, RuleSet

MIN_SUPPORT = 50
"""An invariant seen to hold less often than this is not worth stating."""
UNTOLD = "untold"
"""A family for counting alone: how often an atom came while nobody could say whether another one holds."""


class InvariantKey(NamedTuple):
    """A family (``one``, ``implies``, ``excludes``, ``never``), its predicates and the free place."""

    family: str
    first: str
    second: str
    place: int = 0


class Judge:
    """The candidate invariants of a vocabulary, and how they fare at a step."""

    def __init__(self, domain: RuleSet) -> None:
        predicates = domain.predicates
        self._alike = {
            p: [q for q, other in predicates.items() if other == own and q != p and own]
            for p, own in predicates.items()
        }
        self._links: dict[str, list[tuple[str, int]]] = {p: [] for p in predicates}
        self._properties: dict[str, list[tuple[str, int]]] = {p: [] for p in predicates}
        for unary, (type_,) in ((p, s) for p, s in predicates.items() if len(s) == 1):
            for binary in (p for p, s in predicates.items() if len(s) == 2):
                for place in (0, 1):
                    if predicates[binary][place] == type_:
                        self._links[unary].append((binary, place))
                        self._properties[binary].append((unary, place))

    def judge(self, before: State, state: State) -> Iterator[tuple[InvariantKey, bool]]:
        """Which candidates a step obeys and which it breaks, by the atoms that came and went.

        What depends on an unknown fact is not counted.
        """
        for predicate, args in before.true - state.true:
            for other in self._alike[predicate]:
                if Atom(other, args) in state.true:
                    yield InvariantKey("implies", other, predicate), False
        for atom in state.true - before.true:
            yield from _one(state, atom)
            yield from self._two(state, atom)
            yield from self._never(state, atom)

    def _two(self, state: State, atom: Atom) -> Iterator[tuple[InvariantKey, bool]]:
        """Implications and exclusions among predicates over the same things."""
        for other in self._alike[atom.predicate]:
            value = state.truth(Atom(other, atom.args))
            if value is UNKNOWN:
                yield InvariantKey(UNTOLD, atom.predicate, other), True
            else:
                yield InvariantKey("implies", atom.predicate, other), value is TRUE
                first, second = sorted((atom.predicate, other))
                yield InvariantKey("excludes", first, second), value is FALSE

    def _never(self, state: State, atom: Atom) -> Iterator[tuple[InvariantKey, bool]]:
        """A property that no thing has which is linked to another: seen from either side."""
        for link, place in self._links[atom.predicate]:
            value = state.some(_around(link, place, atom.args[0]))
            if value is not UNKNOWN:
                yield InvariantKey("never", atom.predicate, link, place), value is FALSE
        for unary, place in self._properties[atom.predicate]:
            if Atom(unary, (atom.args[place],)) in state.true:
                yield InvariantKey("never", unary, atom.predicate, place), False


def _one(state: State, atom: Atom) -> Iterator[tuple[InvariantKey, bool]]:
    """At most one thing in a place: held where some other is known not to be there."""
    predicate, args = atom
    denied = [pattern for pattern in state.false if pattern.predicate == predicate]
    for place in range(min(len(args), 2)):
        pattern = Atom(predicate, (*args[:place], WILDCARD, *args[place + 1 :]))
        alone = len(state.matching(pattern)) == 1
        if not alone or any(_overlap(pattern, other) for other in denied):
            yield InvariantKey("one", predicate, predicate, place), alone


def _overlap(a: Atom, b: Atom) -> bool:
    """Whether two patterns of a predicate have an atom in common."""
    return all(x == y or WILDCARD in (x, y) for x, y in zip(a.args, b.args, strict=True))


def _around(predicate: str, place: int, name: str) -> Atom:
    return Atom(predicate, (name, WILDCARD) if place == 0 else (WILDCARD, name))


def invariants(
    domain: RuleSet, counts: Mapping[tuple[InvariantKey, bool], int], threshold: float = 0.99
) -> list[Invariant]:
    """The invariants that the evidence bears out, in a fixed order.

    What one predicate says of another is not stated where the other was mostly unknown: where only one
    value of it is ever told, as of a dish that it was washed, what is known of it is no fair sample.
    """
    evidence: dict[InvariantKey, Evidence] = {}
    for (key, held), count in counts.items():
        evidence[key] = evidence.get(key, Evidence()) + (Evidence(count, 0) if held else Evidence(0, count))
    return [
        _build(domain, key, found)
        for key, found in sorted(evidence.items())
        if key.family != UNTOLD
        and found.support >= max(MIN_SUPPORT, threshold * sum(found))
        and found.support >= evidence.get(InvariantKey(UNTOLD, key.first, key.second), Evidence()).support
    ]


def _build(domain: RuleSet, key: InvariantKey, evidence: Evidence) -> Invariant:
    variables = tuple(f"?{letter}" for letter in "abcdefgh"[: len(domain.predicates[key.first])])
    body = Literal(Atom(key.first, variables))
    if key.family == "one":
        other = (*variables[: key.place], "?x", *variables[key.place + 1 :])
        same = Literal(Atom(EQUALS, (variables[key.place], "?x")))
        return Invariant((body, Literal(Atom(key.first, other))), (same,), evidence)
    if key.family == "never":
        args = (*variables, WILDCARD) if key.place == 0 else (WILDCARD, *variables)
        return Invariant((body,), (Literal(Atom(key.second, args), False),), evidence)
    return Invariant((body,), (Literal(Atom(key.second, variables), key.family == "implies"),), evidence)
