"""A sample of the states that a log passes through: of a fixed size, and whatever the log's order.

Every state has a rank, drawn by its own facts, and the states of lowest rank are kept: a bottom-k
sketch (Cohen & Kaplan 2007). Samples of two logs, put together, are the sample of both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from types import MappingProxyType
from typing import NamedTuple

from rules.logic import Atom, State

KEEP = 64
"""So many distinct states are kept."""
MAX_FACTS = 10_000
"""Larger states are passed over: the sample is there to be enumerated."""
_RANKS = 1 << 62


class Scene(NamedTuple):
    """A state as plain data: what induction asks *what else could have been done* about."""

    rank: int
    objects: tuple[tuple[str, str], ...]
    true: tuple[Atom, ...]
    false: tuple[Atom, ...]

    def state(self) -> State:
        return State(dict(self.objects), self.true, self.false)


class Scenes(Counter[Scene]):
    """The sample, with the number of times that each of its states was met."""

    def __init__(self, scenes: Mapping[Scene, int] = MappingProxyType({})) -> None:
        super().__init__(scenes)
        self._limit = _RANKS
        self._fresh: Counter[tuple[int, State]] = Counter()
        self._facts, self._sum = frozenset[Atom](), 0

    def note(self, state: State) -> None:
        """Counts a state, if its rank is low enough."""
        if len(state.true) > MAX_FACTS:
            return
        if state.true is not self._facts:  # states that follow each other differ in few facts
            self._sum += sum(map(_digest, state.true - self._facts))
            self._sum -= sum(map(_digest, self._facts - state.true))
            self._facts = state.true
        rank = self._sum % _RANKS
        if rank <= self._limit:
            self._fresh[rank, state] += 1
            if len(self._fresh) >= 2 * KEEP:
                self.trim()

    def trim(self) -> Scenes:
        """Drops all but the `KEEP` states of lowest rank."""
        ranks = sorted({*(scene.rank for scene in self), *(rank for rank, _ in self._fresh)})[:KEEP]
        last = ranks[-1] if len(ranks) == KEEP else _RANKS
        for (rank, state), count in self._fresh.items():
            if rank <= last:
                self[_scene(rank, state)] += count
        self._fresh.clear()
        if len(self) > KEEP:
            for scene in sorted(self)[KEEP:]:
                del self[scene]
            self._limit = max(self).rank
        return self


def _scene(rank: int, state: State) -> Scene:
    objects = tuple(sorted(state.objects.items()))
    return Scene(rank, objects, tuple(sorted(state.true)), tuple(sorted(state.false)))


@lru_cache(maxsize=1 << 16)
def _digest(atom: Atom) -> int:
    return int.from_bytes(blake2b(str(atom).encode(), digest_size=8).digest(), "big")
