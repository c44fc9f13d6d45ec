"""What held in every success although it seldom holds: preconditions that no failure has shown.

An explorer that only ever puts down what it holds leaves no failure to learn from. But it would be
a strange chance if, of all things, it had always held what it put down. A literal is a condition if
that chance, by how often the literal holds in random tries (`Sight`), is smaller than writing it
down would be long: positive-only learning by description length (after Muggleton 1996).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

from rules.induction.preconditions import Case, Condition, Mask, Table
from rules.induction.statistics import Sight
from rules.logic import FALSE, TRUE

STEADY = 0.9
"""A habit is surely kept in at least this share of the successes, and broken in almost none."""
BROKEN = 0.02
CAUTION = 3.0
"""Bits by which a habit must beat chance beyond its own length: successes in one log are no independent draws."""


def habits(
    successes: Sequence[Case], sights: Mapping[Sight, int], chosen: Sequence[Condition], width: int, joined: int
) -> list[Mask]:
    """The unit literals that hold in the successes beyond chance, given the conditions chosen already."""
    found: list[Mask] = []
    cases = [(Case(s.true, s.false, s.types, 0, 0), n) for s, n in sorted(sights.items())]
    options = _steady(successes, width, joined)
    known = [c for c in chosen if not isinstance(c, Table)]
    while True:
        left = [(c, n) for c, n in cases if all(_allows(k, c) for k in (*known, *found))]
        length = log2(2 * width + 1) + 1
        gains = {
            mask: _surprise(mask, kept, left) - length * (2 if mask.positive & joined else 1) - CAUTION
            for mask, kept in options.items()
            if mask not in found
        }
        best = max(gains, key=lambda mask: (gains[mask], mask), default=None)
        if best is None or gains[best] <= 0:
            return found
        found.append(best)


def _steady(successes: Sequence[Case], width: int, joined: int) -> dict[Mask, int]:
    """The unit literals that hold in almost every success, with the number of those where they surely do."""
    total = sum(case.good for case in successes)
    literals = [Mask(1 << i, 0) for i in range(width)]
    literals += [Mask(0, 1 << i) for i in range(width) if not joined >> i & 1]
    steady = {}
    for mask in literals:
        values = [(mask.truth(case), case.good) for case in successes]
        kept = sum(n for value, n in values if value is TRUE)
        broken = sum(n for value, n in values if value is FALSE)
        if total and kept >= STEADY * total and broken <= BROKEN * total:
            steady[mask] = kept
    return steady


def _surprise(mask: Mask, kept: int, sights: Sequence[tuple[Case, int]]) -> float:
    """Bits that it would take chance to explain that a literal was kept so often."""
    total = sum(n for _, n in sights)
    often = sum(n for case, n in sights if _allows(mask, case))
    chance = (often + 2) / (total + 2)
    return -kept * log2(chance)


def _allows(condition: Condition, sight: Case) -> bool:
    """Whether a random try meets a condition. An unknown property counts as absent, as most are: that
    makes a denial likely and an assertion unlikely."""
    value = condition.truth(sight)
    if isinstance(condition, Mask) and condition.positive:
        return value is TRUE
    return value is not FALSE
