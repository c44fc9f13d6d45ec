"""What held in every success: preconditions that no failure has shown.

An explorer that only ever puts down what it holds leaves no failure to learn from. But it would be
a strange chance if, of all things, it had always held what it put down. How strange, in bits, its
`Alternatives` tell: positive-only learning by description length (after Muggleton 1996).

Where an action was tried in vain too, the failures speak first, and a habit must be worth its length
(`habits`). A log of successes alone is read cautiously (`cautious`): whatever held each time is a
condition, unless the alternatives show it to be no choice at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

from rules.induction.alternatives import Alternatives, Tally
from rules.induction.changes import by_chance
from rules.induction.preconditions import Case, Condition, Mask
from rules.logic import Atom

STEADY = 0.9
"""A habit is surely kept in at least this share of the successes, and broken in almost none."""
BROKEN = 0.02
CAUTION = 3.0
"""Bits by which a habit must beat chance beyond its length: successes in one log are not independent."""
SLIGHT = 0.1
"""Bits below which nothing is worth a remark."""
LAW = 50
"""So many distinct things must have shown that a fact follows from others before it is left out."""


class Successes:
    """The cases in which an action succeeded, and what else could have been done there.

    facts: index -> atom of the candidates that speak of the arguments alone. noise: the share of
    what was logged that is wrong.
    """

    def __init__(
        self, cases: Sequence[Case], facts: Mapping[int, Atom], alternatives: Alternatives, noise: float
    ) -> None:
        self.facts, self.alternatives, self.noise = facts, alternatives, noise
        self.total = sum(case.good for case in cases)
        self.held = {i: sum(c.good for c in cases if c.true >> i & 1) for i in facts}
        self.broken = {i: sum(c.good for c in cases if c.false >> i & 1) for i in facts}

    def tally(self, fact: int, given: Sequence[int]) -> Tally:
        return self.alternatives.tally(self.facts[fact], [self.facts[i] for i in given])

    def follows(self, fact: int, given: Sequence[int]) -> bool:
        """Whether it is a law that a fact holds of anything, or wherever others do."""
        return self.alternatives.follows(self.facts[fact], [self.facts[i] for i in given], LAW, self.noise)

    def surprise(self, fact: int, tally: Tally) -> float:
        """The bits by which a condition explains what held better than the habit of the alternatives."""
        chance = (tally.held + 0.5) / (tally.held + tally.broken + 1)
        chance = chance * (1 - self.noise) + (1 - chance) * self.noise
        held, broken = self.held[fact], self.broken[fact]
        return held * log2((1 - self.noise) / chance) + broken * log2(self.noise / (1 - chance))


def habits(successes: Successes, chosen: Sequence[Condition]) -> list[Mask]:
    """The facts that hold in the successes beyond chance, and by more than they cost to write down.

    Denials are left out: an unknown property is mostly absent, so that there is no telling them from
    chance.
    """
    length = log2(2 * len(successes.facts) + 1) + 1
    options = [i for i in successes.facts if _steady(successes, i)]
    found: list[int] = []
    given = _given(successes, chosen)
    while True:
        gains = {
            i: successes.surprise(i, successes.tally(i, [*given, *found])) - length - CAUTION
            for i in options
            if i not in found and i not in given
        }
        best = max(gains, key=lambda i: (gains[i], -i), default=None)
        if best is None or gains[best] <= 0:
            return [Mask(1 << i, 0) for i in found]
        found.append(best)


def _steady(successes: Successes, fact: int) -> bool:
    return successes.held[fact] >= STEADY * successes.total and (
        successes.broken[fact] <= max(BROKEN, 2 * successes.noise) * successes.total
    )


def _given(successes: Successes, chosen: Sequence[Condition]) -> list[int]:
    """The chosen conditions that are facts."""
    return [i for i in successes.facts if Mask(1 << i, 0) in chosen]


def cautious(
    successes: Successes, chosen: Sequence[Condition], spent: Sequence[int], name: str
) -> list[Mask]:
    """All facts that held in the successes, but for those that follow from the others.

    spent: facts that the action ends; who ends a thing has counted on it, so these stay. name: of
    two facts that say the same, the one that is named like the action says it better.
    """
    given = _given(successes, chosen)
    found = [i for i in successes.facts if i not in given and _held(successes, i)]
    while True:
        idle = [i for i in found if i not in spent and _follows(successes, i, [*given, *found])]
        if not idle:
            return [Mask(1 << i, 0) for i in found]
        found.remove(max(idle, key=lambda i: _dispensable(successes.facts[i], name, i)))


def _held(successes: Successes, fact: int) -> bool:
    """Whether a fact held each time, as far as is known and but for the noise in the log."""
    held, broken = successes.held[fact], successes.broken[fact]
    if not held or broken >= by_chance(successes.noise * (held + broken)):
        return False
    return not broken or successes.surprise(fact, successes.tally(fact, [])) > SLIGHT


def _follows(successes: Successes, fact: int, others: Sequence[int]) -> bool:
    """Whether a fact need not be stated: it holds of anything, or where one other does, or all do."""
    rest = [i for i in others if i != fact]
    if any(successes.follows(fact, given) for given in ([], *([i] for i in rest))):
        return True
    tally = successes.tally(fact, rest)
    if tally.broken:
        return successes.surprise(fact, tally) <= SLIGHT
    return tally.instances >= LAW


def _dispensable(atom: Atom, action: str, index: int) -> tuple[bool, int]:
    """Of facts that follow from each other the last goes, and one named unlike the action before others."""
    akin = set(action.lower().split("_")) & set(atom.predicate.lower().split("_"))
    return not akin, index
