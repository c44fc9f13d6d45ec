"""What became of a fact while an action was done: kept, added or deleted, by likelihood.

Every value in a log may be wrong with some probability, the *noise*. Under each hypothesis the
values before and after have a likelihood; an effect is believed if that gains more bits than saying
so costs. In a log without noise this is a majority vote of the cases where something was at stake.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil, log2, sqrt
from typing import Literal, NamedTuple

from rules.induction.candidates import Candidate
from rules.induction.records import Counts

Effect = Literal["adds", "deletes"]
TRUSTED = 0.75
"""The share of facts, the steadiest, that tell how much noise there is."""
MOST = 0.2
"""A fact of which more than this is unexplained is not noisy, but depends on something."""
FLOOR = 1e-4
"""No log is trusted more than this."""


class Change(NamedTuple):
    """How often a fact was true before and after, true and then false, and so on.

    was_true, was_false: known before only; is_true, is_false: known afterwards only.
    """

    kept_true: int = 0
    ended: int = 0
    began: int = 0
    kept_false: int = 0
    was_true: int = 0
    was_false: int = 0
    is_true: int = 0
    is_false: int = 0

    @property
    def total(self) -> int:
        """The cases in which both values are known."""
        return self.kept_true + self.ended + self.began + self.kept_false

    def errors(self, effect: Effect | None) -> int:
        """How many values must be wrong if this (or, None, nothing) is what the action does."""
        if effect == "adds":
            return self.ended + self.kept_false
        if effect == "deletes":
            return self.began + self.kept_true
        return self.ended + self.began

    def gain(self, effect: Effect, noise: float) -> float:
        """The bits by which the effect explains what was seen better than nothing does."""
        return self._likelihood(effect, noise) - self._likelihood(None, noise)

    def _likelihood(self, effect: Effect | None, noise: float) -> float:
        true = self._before(effect, noise)
        bits = 0.0
        for count, before, after in zip(self, _BEFORE, _AFTER, strict=True):
            if count:
                bits += count * log2(_probability(before, after, effect, true, noise))
        return bits

    def _before(self, effect: Effect | None, noise: float) -> float:
        """The most likely share of cases in which the fact held before; of values that may be wrong."""
        true = self.kept_true + self.ended + self.was_true
        total = self.total + self.was_true + self.was_false
        if effect is None:  # the value afterwards tells what it was before
            true += self.kept_true + self.began + self.is_true
            total += self.total + self.is_true + self.is_false
        share = true / total if total else 0.5
        return min(max((share - noise) / (1 - 2 * noise), 0.0), 1.0)


_BEFORE = (True, True, False, False, True, False, None, None)
_AFTER = (True, False, True, False, None, None, True, False)
"""What was seen before and after in the cases that the fields of a `Change` count."""


def _probability(
    before: bool | None, after: bool | None, effect: Effect | None, true: float, noise: float
) -> float:
    """The probability of seeing these values, where the fact held before with probability `true`."""

    def seen(value: bool | None, real: bool) -> float:
        return 1.0 if value is None else 1 - noise if value is real else noise

    return true * seen(before, True) * seen(after, effect != "deletes") + (1 - true) * seen(
        before, False
    ) * seen(after, effect == "adds")


def change(records: Counts, bit: int) -> Change:
    """What became of one candidate in some records."""
    counts = [0] * 8
    for record, count in records.items():
        before = True if record.true & bit else False if record.false & bit else None
        after = True if record.seen_true & bit else False if record.seen_false & bit else None
        if after is None and not record.open & bit:
            after = before
        place = _PLACES.get((before, after))
        if place is not None:
            counts[place] += count
    return Change(*counts)


_PLACES = {values: place for place, values in enumerate(zip(_BEFORE, _AFTER, strict=True))}


def noise(tables: Iterable[Change]) -> float:
    """The share of values that are wrong: what the best hypotheses leave unexplained, on an average.

    A first estimate from the steadiest facts tells which others are as steady as that: what befalls
    the rest may depend on something.
    """
    best = [(t, min(t.errors("adds"), t.errors("deletes"), t.errors(None) / 2)) for t in tables]
    errors = sorted((wrong / t.total, t.total) for t, wrong in best if wrong <= MOST * t.total > 0)
    first = _mean(errors[: ceil(TRUSTED * len(errors))])
    return _mean([(share, n) for share, n in errors if share * n <= by_chance(2 * first * n)])


def _mean(errors: Sequence[tuple[float, float]]) -> float:
    total = sum(weight for _, weight in errors)
    return max(sum(share * weight for share, weight in errors) / total, FLOOR) if total else FLOOR


@dataclass(frozen=True, slots=True)
class Explained:
    """Masks of the candidates that are added and deleted, and of those that neither is true of: that
    change too often for noise, and not always."""

    adds: int
    deletes: int
    unsteady: int

    def effect(self, bit: int) -> Effect | None:
        return "adds" if self.adds & bit else "deletes" if self.deletes & bit else None


def explain(candidates: Sequence[Candidate], records: Counts, noise: float) -> Explained:
    """The fewest effects that explain what was seen, the most telling first.

    Where one object is bound twice, ``at(?t, ?from)`` and ``at(?t, ?to)`` are one fact. What befalls
    it is explained by one of them, and additions come last: they speak for it, deletions do not.
    """
    names = _Names(candidates)
    facts = [1 << index for index, candidate in enumerate(candidates) if candidate.grounded]
    settled = dict.fromkeys(records, 0)
    found: dict[Effect, int] = {"adds": 0, "deletes": 0}
    unsteady, price = 0, log2(2 * len(facts) + 1)
    effects: tuple[Effect, ...] = ("adds", "deletes")
    for effect in effects:
        options = [bit for bit in facts if not found["adds"] & bit]
        while options:
            gains = {bit: _gain(records, settled, bit, effect, noise) for bit in options}
            best = max(options, key=lambda bit: (gains[bit], -bit))
            if gains[best] <= price:
                break
            found[effect] |= best
            if _unsteady(_open(records, settled, best), best, effect, noise):
                unsteady |= best
            for record in records:
                settled[record] |= names.same(record.true, best)
            options = [bit for bit in options if gains[bit] > price and bit != best]
    unsteady |= sum(bit for bit in facts if _unsteady(_open(records, settled, bit), bit, None, noise))
    return Explained(found["adds"], found["deletes"], unsteady)


def _open(records: Counts, settled: Counts, bit: int) -> Counts:
    """The records in which no effect accounts for this candidate yet."""
    return {record: count for record, count in records.items() if not settled[record] & bit}


def _gain(records: Counts, settled: Counts, bit: int, effect: Effect, noise: float) -> float:
    table = change(_open(records, settled, bit), bit)
    if effect == "adds":
        changed, opposite = table.began + min(table.was_false, table.is_true), table.ended
    else:
        changed, opposite = table.ended + min(table.was_true, table.is_false), table.began
    if changed <= opposite or (noise > FLOOR and changed < by_chance(noise * table.total)):
        return 0.0
    return table.gain(effect, noise)


def _unsteady(records: Counts, bit: int, effect: Effect | None, noise: float) -> bool:
    """Whether a fact does what this effect does not say, more often than noise could make it seem."""
    table = change(records, bit)
    return table.errors(effect) > by_chance(2 * noise * table.total)


def by_chance(expected: float) -> float:
    """How many errors there may be where so many are expected: what lies above is no accident."""
    return 1 + expected + 3 * sqrt(expected)


class _Names:
    """Which candidates are one and the same fact, where an object is bound to several parameters."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._atoms = [c.atoms[0] if c.grounded else None for c in candidates]
        self._equal = {1 << i: c.atoms[0].args for i, c in enumerate(candidates) if c.equality}
        self._mask = sum(self._equal)
        self._classes = cache(self._classify)

    def same(self, true: int, bit: int) -> int:
        """The candidates that are the same fact as this one, where those in `true` hold."""
        return self._classes(true & self._mask)[bit] if true & self._mask else bit

    def _classify(self, equal: int) -> dict[int, int]:
        named: dict[str, str] = {}  # in order: of three equal names, each two are a candidate
        for bit, (a, b) in self._equal.items():
            if equal & bit:
                named.setdefault(b, named.get(a, a))
        facts = {i: atom.substitute(named) for i, atom in enumerate(self._atoms) if atom is not None}
        masks = dict.fromkeys(facts.values(), 0)
        for i, atom in facts.items():
            masks[atom] |= 1 << i
        return {1 << i: masks[atom] for i, atom in facts.items()}
