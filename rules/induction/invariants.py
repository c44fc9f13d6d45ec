"""Candidate invariants, counted on the states that a log passes through.

Four families, after the mutual-exclusion invariants of planning (Gerevini & Schubert 1998;
Rintanen 2000): at most one, implication, exclusion, and exclusion over a pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rules.logic import EQUALS, FALSE, TRUE, WILDCARD, Atom, Literal, State
from rules.ruleset import Evidence, Invariant, RuleSet

MIN_SUPPORT = 50
"""An invariant seen to hold less often than this is not worth stating."""


class InvariantKey(NamedTuple):
    """A family (``one``, ``implies``, ``excludes``, ``never``), its predicates and the free place."""

    family: str
    first: str
    second: str
    place: int = 0


def judge(domain: RuleSet, before: State, state: State) -> Iterator[tuple[InvariantKey, bool]]:
    """Which candidate invariants a step obeys and which it breaks, by the atoms that came and went.

    What depends on an unknown fact is not counted.
    """
    for predicate, args in before.true - state.true:
        for other in _alike(domain, predicate):
            if Atom(other, args) in state.true:
                yield InvariantKey("implies", other, predicate), False
    for atom in state.true - before.true:
        predicate, args = atom
        for place in range(min(len(args), 2)):
            pattern = Atom(predicate, args[:place] + (WILDCARD,) + args[place + 1 :])
            yield InvariantKey("one", predicate, predicate, place), sum(1 for _ in state.matching(pattern)) == 1
        for other in _alike(domain, predicate):
            value = state.truth(Atom(other, args))
            if value is not TRUE and value is not FALSE:
                continue
            yield InvariantKey("implies", predicate, other), value is TRUE
            if predicate < other:
                yield InvariantKey("excludes", predicate, other), value is FALSE
        if len(args) == 1:
            for other, place in _pairs(domain, predicate):
                pattern = Atom(other, (args[0], WILDCARD) if place == 0 else (WILDCARD, args[0]))
                value = state.some(pattern)
                if value is TRUE or value is FALSE:
                    yield InvariantKey("never", predicate, other, place), value is FALSE


def _alike(domain: RuleSet, predicate: str) -> list[str]:
    signature = domain.predicates[predicate]
    return [p for p, s in domain.predicates.items() if s == signature and p != predicate and s]


def _pairs(domain: RuleSet, predicate: str) -> list[tuple[str, int]]:
    (type_,) = domain.predicates[predicate]
    return [
        (p, place)
        for p, s in domain.predicates.items()
        if len(s) == 2
        for place in (0, 1)
        if s[place] == type_
    ]


def invariants(
    domain: RuleSet, counts: Mapping[tuple[InvariantKey, bool], int], threshold: float = 0.99
) -> list[Invariant]:
    """The invariants that the evidence bears out, in a fixed order."""
    evidence: dict[InvariantKey, Evidence] = {}
    for (key, held), count in counts.items():
        evidence[key] = evidence.get(key, Evidence()) + (Evidence(count, 0) if held else Evidence(0, count))
    return [
        _build(domain, key, found)
        for key, found in sorted(evidence.items())
        if found.support >= MIN_SUPPORT and found.support >= threshold * sum(found)
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
