"""Counting with care: bounded samples of a stream, and what is more than noise.

A fault is reported where the log shows it in at least `FEWEST` transitions, and in a share of the
cases whose lower end (of the 90 % interval; Wilson 1927, as everywhere in this project) exceeds the
noise. How noisy the log is, the rest of it tells: the upper end of the share in which the same goes
wrong elsewhere, and never less than `LEAST_NOISE`. Where there is much to choose from, as among all
that may change, what is found must also save more bits than its choice costs.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import log2
from typing import Generic, TypeVar

from rules.ruleset import Evidence

T = TypeVar("T")

KEPT = 200
"""A sample holds at most twice as many."""
FEWEST = 3
"""So many agreeing transitions are the least evidence: of fewer, the posterior is below a half."""
LEAST_NOISE, MOST_NOISE = 0.01, 0.2
CAUTION = 3.0
"""Bits that a choice must save beyond its own length: tries in one log are not independent."""


class Sample(Generic[T]):
    """An even share of a stream: when it is full, every other item goes and the stride doubles."""

    def __init__(self) -> None:
        self.items: list[T] = []
        self.count = 0
        self._stride = 1

    def add(self, item: T) -> None:
        """Counts an item, and keeps it if it is its turn."""
        if self.count % self._stride == 0:
            self.items.append(item)
            if len(self.items) >= 2 * KEPT:
                self.items = self.items[::2]
                self._stride *= 2
        self.count += 1


def noise(others: Iterable[Evidence]) -> float:
    """How often something goes wrong elsewhere (support: it does), where that is not itself a fault:
    what surely goes wrong more often than `MOST_NOISE` is none of the noise."""
    pooled = sum((e for e in others if e.confidence <= MOST_NOISE), Evidence())
    return min(MOST_NOISE, upper_end(pooled))


def upper_end(evidence: Evidence) -> float:
    """The upper end of the share of what supports it, at least `LEAST_NOISE`."""
    upper = 1 - Evidence(evidence.against, evidence.support).confidence if sum(evidence) else 0.0
    return min(max(LEAST_NOISE, upper), 1 - LEAST_NOISE)


def saved(count: int, total: int, share: float) -> float:
    """Bits that are saved by coding so many cases of a total at their own share, not at the expected one."""
    rest, own = total - count, count / total
    bits = count * log2(own / share) if count else 0.0
    return bits + (rest * log2((1 - own) / (1 - share)) if rest else 0.0)


def beyond(count: int, total: int, noise: float) -> bool:
    """Whether so many cases of a total are more than noise."""
    return count >= FEWEST and Evidence(count, total - count).confidence > noise
