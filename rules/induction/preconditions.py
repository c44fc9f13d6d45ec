"""When an action succeeds: the shortest conjunction of clauses that tells good cases from bad ones.

A set cover by description length (Rissanen 1978): the good and bad cases that a set of clauses
accepts, and those that it rejects, are each coded by the adaptive binomial code; a clause is worth
having if it saves more bits than it costs to write. That weighs evidence without a threshold:
one counter-example drops no clause, one failure makes none. Unknown literals reject nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import inf, lgamma, log, log2
from typing import NamedTuple

from rules.logic import FALSE, TRUE, UNKNOWN, Truth
from rules.ruleset import Evidence, Relation, RuleSet

MAX_PAIR_LITERALS = 160
"""Disjunctions are sought among at most this many literals, those that are false in most bad cases."""


MAX_LOSS = 0.25
"""A clause that is false in more than this share of the good cases is no precondition."""

MAX_DOUBT = 0.5
"""Nor is one that is unknown in more than this share of them."""

DOUBT = 0.25
"""Bits that a good case costs for which a clause is unknown: of two clauses that reject the same,
the one that is sure of the good cases is better."""


class Case(NamedTuple):
    """Situations that look alike: masks of true and false candidates, argument types, and outcomes."""

    true: int
    false: int
    types: tuple[str, ...]
    good: int
    bad: int


class Mask(NamedTuple):
    """A clause over candidates: it is false where every positive bit is false and every negative bit true."""

    positive: int
    negative: int

    def truth(self, case: Case) -> Truth:
        if case.true & self.positive or case.false & self.negative:
            return TRUE
        known = case.false & self.positive == self.positive and case.true & self.negative == self.negative
        return FALSE if known else UNKNOWN


NOTHING = Mask(0, 0)


class OfType(NamedTuple):
    """One argument is (or is not) of a type."""

    place: int
    type: str
    positive: bool
    members: frozenset[str]

    def truth(self, case: Case) -> Truth:
        return Truth.of((case.types[self.place] in self.members) is self.positive)


class Table(NamedTuple):
    """A relation on the types of some arguments, by evidence."""

    places: tuple[int, ...]
    relation: Relation

    def truth(self, case: Case) -> Truth:
        return self.relation.truth(tuple([case.types[p] for p in self.places]))


Condition = Mask | OfType | Table


@lru_cache(maxsize=1 << 16)
def code_length(good: int, bad: int) -> float:
    """Bits to code which of good + bad cases are good, in the adaptive code: log2((n + 1) C(n, good))."""
    n = good + bad
    return log2(n + 1) + (lgamma(n + 1) - lgamma(good + 1) - lgamma(bad + 1)) / log(2)


@dataclass(frozen=True, slots=True)
class _Option:
    """A condition that may be added, what it costs to write, the cases it rejects (indices), and the
    number of good cases for which it is unknown."""

    condition: Condition
    bits: float
    rejects: frozenset[int]
    doubts: int


class Learner:
    """Finds the conditions for one action schema (or for one outcome of it)."""

    def __init__(
        self,
        domain: RuleSet,
        cases: Sequence[Case],
        places: Sequence[str],
        width: int,
        joined: int = 0,
        barred: Mask = NOTHING,
        price: float = 1.0,
        given: Sequence[Condition] = (),
    ) -> None:
        """places: declared types of the parameters; width: number of candidates; joined: those with a
        free variable, which the language can only state positively and alone; barred: literals that
        may not be used; price: what a bit of a clause counts, against a bit of the cases; given:
        conditions that are known to be, so that only what they leave open is learned."""
        self.domain, self.cases, self.places = domain, cases, places
        self.width, self.joined, self.barred = width, joined, barred
        self.price = price
        self.good = sum(case.good for case in cases)
        self.chosen: list[_Option] = []
        self.given = frozenset[int]().union(*(self._option(c, 0).rejects for c in given))

    def learn(self, relation: str | None = None) -> list[Condition]:
        """The conditions, most telling first. `relation` names the type tables; None learns none."""
        units = [*self._unit_literals(), *self._type_literals()]
        while True:
            options = [*units, *(self._tables(relation) if relation else ())]
            if not (self._take(options) or self._take_two(units) or self._take(self._disjunctions())):
                break
        self._prune()
        for index, option in enumerate(self.chosen):
            self.chosen[index] = self._widened(option)  # one by one: each relies on what the others reject
        return [self._finish(option) for option in self.chosen]

    def _rejected(self, without: _Option | None = None) -> frozenset[int]:
        return self.given.union(*(o.rejects for o in self.chosen if o is not without))

    def _bits(self, rejected: frozenset[int]) -> float:
        good = bad = kept_good = kept_bad = 0
        for index, case in enumerate(self.cases):
            if index in rejected:
                good, bad = good + case.good, bad + case.bad
            else:
                kept_good, kept_bad = kept_good + case.good, kept_bad + case.bad
        return code_length(good, bad) + code_length(kept_good, kept_bad)

    def _take(self, options: Iterable[_Option]) -> bool:
        """Adds the option that saves most, if any saves."""
        already = self._rejected()
        now = self._bits(already)
        best, best_saving = None, 1e-9
        for option in options:
            saving = self._saving(option, already, now)
            if saving > best_saving:
                best, best_saving = option, saving
        if best is None:
            return False
        rivals = self._extensions(best)
        self.chosen.append(max([best, *rivals], key=lambda option: self._saving(option, already, now)))
        return True

    def _take_two(self, options: Sequence[_Option]) -> bool:
        """Adds two options that save only together, as what tells a rare case from the rest may do."""
        already = self._rejected()
        now = self._bits(already)
        fit = [o for o in options if not o.rejects <= already and self._admissible(o, already)]
        best, best_saving = None, 1e-9
        for a, b in combinations(fit, 2):
            saving = now - self._bits(already | a.rejects | b.rejects)
            saving -= self.price * (a.bits + b.bits) + DOUBT * (a.doubts + b.doubts)
            if saving > best_saving:
                best, best_saving = (a, b), saving
        self.chosen += best or ()
        return best is not None

    def _saving(self, option: _Option, already: frozenset[int], now: float) -> float:
        """The bits that an option saves; minus infinity if it may not be taken."""
        if option.rejects <= already or not self._admissible(option, already):
            return -inf
        saved = now - self._bits(already | option.rejects)
        return saved - self.price * option.bits - DOUBT * option.doubts

    def _extensions(self, option: _Option) -> Iterator[_Option]:
        """A single literal with each alternative beside it: it may lose good cases that a pair keeps."""
        mask = option.condition
        if isinstance(mask, Mask) and not (mask.positive | mask.negative) & self.joined:
            for literal in self._literals():
                wider = Mask(mask.positive | literal.positive, mask.negative | literal.negative)
                if not _tautology(wider):
                    yield self._option(wider, option.bits + log2(2 * self.width + 1) + 1)

    def _admissible(self, option: _Option, already: frozenset[int]) -> bool:
        """Whether what it newly rejects is mostly bad, and most of the good cases surely pass."""
        fresh = option.rejects - already
        if sum(self.cases[i].bad - self.cases[i].good for i in fresh) <= 0:
            return False
        lost = sum(self.cases[i].good for i in option.rejects)
        return lost <= MAX_LOSS * self.good and option.doubts <= MAX_DOUBT * self.good

    def _prune(self) -> None:
        """Drops conditions that later ones have made superfluous, the costliest first."""
        for option in sorted(self.chosen, key=lambda o: -o.bits):
            without = self._bits(self._rejected(option))
            if without - self._bits(self._rejected()) <= self.price * option.bits:
                self.chosen.remove(option)

    def _widened(self, option: _Option) -> _Option:
        """The clause with one more literal, if it still rejects what it did and is sure of more good cases.

        ``open(?r)`` is unknown of a shelf; ``open(?r) or not openable(?r)`` is true of it. A case that
        becomes certain is worth a bit.
        """
        mask = option.condition
        if not isinstance(mask, Mask) or (mask.positive | mask.negative) & self.joined:
            return option
        others = self._rejected(option)
        bad = {i for i in option.rejects - others if self.cases[i].bad}
        best, best_gain = option, log2(2 * self.width + 1) + 1
        for literal in self._literals():
            wider = self._option(
                Mask(mask.positive | literal.positive, mask.negative | literal.negative), option.bits
            )
            gain = self._sure(wider.condition) - self._sure(mask)
            if gain > best_gain and bad <= wider.rejects and not _tautology(wider.condition):
                best, best_gain = wider, gain
        return best

    def _sure(self, condition: Condition) -> int:
        return sum(case.good for case in self.cases if condition.truth(case) is TRUE)

    def _option(self, condition: Condition, bits: float) -> _Option:
        values = [condition.truth(case) for case in self.cases]
        rejects = frozenset([i for i, value in enumerate(values) if value is FALSE])
        doubts = sum([case.good for case, value in zip(self.cases, values, strict=True) if value is UNKNOWN])
        return _Option(condition, bits, rejects, doubts)

    def _unit_literals(self) -> Iterator[_Option]:
        bits = log2(2 * self.width + 1) + 1
        for mask in self._literals():
            yield self._option(mask, bits)
        for index in range(self.width):
            if self.joined >> index & 1:
                yield self._option(Mask(1 << index, 0), 2 * bits)

    def _literals(self) -> Iterator[Mask]:
        for index in range(self.width):
            bit = 1 << index
            if not (self.joined | self.barred.positive) & bit:
                yield Mask(bit, 0)
            if not (self.joined | self.barred.negative) & bit:
                yield Mask(0, bit)

    def _type_literals(self) -> Iterator[_Option]:
        for place, declared in enumerate(self.places):
            seen = sorted({case.types[place] for case in self.cases})
            above = {a for t in seen for a in self.domain.ancestors(t)} - set(self.domain.ancestors(declared))
            for type_ in sorted(above):
                members = frozenset(t for t in seen if self.domain.is_a(t, type_))
                bits = log2(2 * len(above) * len(self.places)) + 2
                yield self._option(OfType(place, type_, True, members), bits)
                yield self._option(OfType(place, type_, False, members), bits)

    def _tables(self, name: str) -> Iterator[_Option]:
        """A relation over one or two places, fitted to the cases that are still accepted."""
        rejected = self._rejected()
        accepted = [c for i, c in enumerate(self.cases) if i not in rejected]
        taken = sum(isinstance(option.condition, Table) for option in self.chosen)
        name = f"{name}_{taken + 1}" if taken else name
        for size in (1, 2):
            for places in combinations(range(len(self.places)), size):
                table = Table(places, _relation(name, places, accepted))
                bits = len(table.relation.table) + size * log2(len(self.places) + 1) + 2
                yield self._option(table, bits)

    def _disjunctions(self) -> Iterator[_Option]:
        """Clauses of two literals, both false in some bad case that is still accepted."""
        rejected = self._rejected()
        left = [c for i, c in enumerate(self.cases) if c.bad and i not in rejected]
        counts = {mask: sum(c.bad for c in left if mask.truth(c) is FALSE) for mask in self._literals()}
        literals = sorted((m for m in counts if counts[m]), key=lambda m: (-counts[m], m))[:MAX_PAIR_LITERALS]
        bits = 2 * (log2(2 * self.width + 1) + 1)
        for a, b in combinations(literals, 2):
            both = Mask(a.positive | b.positive, a.negative | b.negative)
            if any(both.truth(c) is FALSE for c in left):
                yield self._option(both, bits)

    def _finish(self, option: _Option) -> Condition:
        """The condition; a table is counted again, with failures only where nothing else explains them."""
        condition = option.condition
        if not isinstance(condition, Table):
            return condition
        others = [o.condition for o in self.chosen if o is not option]
        clear = [c if all(o.truth(c) is TRUE for o in others) else c._replace(bad=0) for c in self.cases]
        return Table(condition.places, _relation(condition.relation.name, condition.places, clear))


def _tautology(condition: Condition) -> bool:
    return isinstance(condition, Mask) and bool(condition.positive & condition.negative)


def _relation(name: str, places: tuple[int, ...], cases: Sequence[Case]) -> Relation:
    table: dict[tuple[str, ...], Evidence] = {}
    for case in cases:
        if case.good or case.bad:
            key = tuple([case.types[p] for p in places])
            table[key] = table.get(key, Evidence()) + Evidence(case.good, case.bad)
    return Relation(name, len(places), dict(sorted(table.items())))
