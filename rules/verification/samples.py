"""Counting with care: bounded samples of a stream, and what is more than noise.

A fault is reported where the log shows it in at least `FEWEST` transitions, and in a share of the
cases whose lower end (of the 90 % interval; Wilson 1927, as everywhere in this project) exceeds the
noise. How noisy the log is, the other rules tell, taken together: the upper end of their share of
contradicted cases, and never less than `LEAST_NOISE`. Rules that are surely worse than `MOST_NOISE`
are no witnesses.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from rules.ruleset import Evidence

T = TypeVar("T")

KEPT = 200
"""A sample holds at most twice as many."""
FEWEST = 3
"""So many agreeing transitions are the least evidence: of fewer, the posterior is below a half."""
LEAST_NOISE, MOST_NOISE = 0.01, 0.2


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
    """How noisy a log is, by the cases for (support) and against faults that are not in question."""
    pooled = sum((e for e in others if e.confidence <= MOST_NOISE), Evidence())
    upper = 1 - Evidence(pooled.against, pooled.support).confidence if sum(pooled) else 0.0
    return min(MOST_NOISE, max(LEAST_NOISE, upper))


def beyond(count: int, total: int, noise: float) -> bool:
    """Whether so many cases of a total are more than noise."""
    return count >= FEWEST and Evidence(count, total - count).confidence > noise
