"""What held in every success although it seldom holds: preconditions that no failure has shown.

An explorer that only ever puts down what it holds leaves no failure to learn from. But it would be
a strange chance if, of all things, it had always held what it put down. A literal is a condition if
that chance, by how often the literal holds in random tries (`Sight`), is smaller than writing it
down would be long: positive-only learning by description length (after Muggleton 1996).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

from rules.induction.preconditions import Case, Condition, Mask, Table, code_length
from rules.induction.statistics import Sight
from rules.logic import FALSE, TRUE

STEADY = 0.9
"""A habit is surely kept in at least this share of the successes, and broken in almost none."""
BROKEN = 0.02
FEW = 20
"""Random tries are compared among those that meet the other conditions, as long as so many are left."""
CAUTION = 3.0
"""Bits by which a habit must beat chance beyond its length: successes in one log are not independent."""


def habits(
    successes: Sequence[Case],
    sights: Mapping[Sight, int],
    chosen: Sequence[Condition],
    grounded: Sequence[int],
) -> list[Mask]:
    """The facts about the arguments that hold in the successes beyond chance, given what is chosen already.

    grounded: the indices of the candidates that are such facts. Denials are left out: an unknown
    property is mostly absent, so that there would be no telling them from chance.
    """
    found: list[Mask] = []
    cases = [(Case(s.true, s.false, s.types, 0, 0), n) for s, n in sorted(sights.items())]
    options = _steady(successes, grounded)
    length = log2(2 * len(grounded) + 1) + 1
    known = [c for c in chosen if not isinstance(c, Table)]
    while True:
        left = _meeting([*known, *found], cases)
        gains = {
            mask: _surprise(mask, kept, left) - length - CAUTION
            for mask, kept in options.items()
            if mask not in found
        }
        best = max(gains, key=lambda mask: (gains[mask], mask), default=None)
        if best is None or gains[best] <= 0:
            return found
        found.append(best)


def _meeting(
    conditions: Sequence[Condition], sights: Sequence[tuple[Case, int]]
) -> Sequence[tuple[Case, int]]:
    """The random tries that meet the conditions; one that would leave too few is passed over."""
    for condition in conditions:
        narrowed = [(case, n) for case, n in sights if _allows(condition, case)]
        if sum(n for _, n in narrowed) >= FEW:
            sights = narrowed
    return sights


def _steady(successes: Sequence[Case], grounded: Sequence[int]) -> dict[Mask, int]:
    """The facts that hold in almost every success, with the number of those where they surely do."""
    total = sum(case.good for case in successes)
    steady = {}
    for mask in [Mask(1 << index, 0) for index in grounded]:
        values = [(mask.truth(case), case.good) for case in successes]
        kept = sum(n for value, n in values if value is TRUE)
        broken = sum(n for value, n in values if value is FALSE)
        if total and kept >= STEADY * total and broken <= BROKEN * total:
            steady[mask] = kept
    return steady


def _surprise(mask: Mask, kept: int, sights: Sequence[tuple[Case, int]]) -> float:
    """Bits that are saved by coding how often a fact held in the successes apart from the random tries."""
    often = sum(n for case, n in sights if _allows(mask, case))
    seldom = sum(n for _, n in sights) - often
    return code_length(kept + often, seldom) - code_length(kept, 0) - code_length(often, seldom)


def _allows(condition: Condition, sight: Case) -> bool:
    """Whether a random try meets a condition; an unknown property counts as absent, as most are."""
    value = condition.truth(sight)
    if isinstance(condition, Mask) and condition.positive:
        return value is TRUE
    return value is not FALSE
