"""Counting that is kept on disk, with what of which log it has read, so that it goes on where it stopped.

A log is known by its content: the digest of what it held when it was counted. It may have been moved
or have grown since; only what is new in it is counted.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from rules import counts
from rules.counts import Kind, Source, Tables
from rules.errors import WorldModelError
from worldmodel.learning import CHUNK, Counting

PATIENCE = 10
"""Counting goes on for so many times as long as the last saving took."""
BLOCK = 1 << 20


class Logs(Protocol):
    """Items of log files. While one is being dealt with, `current` is the index of its file."""

    paths: Sequence[Path]
    current: int

    def __iter__(self) -> Iterator[Any]: ...


class Checkpoint(Counting):
    """Counts in a file. What the file says was read before is not read again.

    Raises `WorldModelError` where the file holds other counts, or where a log in it has changed.
    """

    def __init__(self, path: Path, kind: Kind, logs: Logs) -> None:
        super().__init__(kind)
        self.path, self.logs = path, logs
        saved: tuple[Source, ...] = ()
        if path.exists():
            self.tables, saved = counts.read(path, kind)
        self.sources, self.others = _recognise(logs.paths, saved, path)
        self.resumed = sum(source.episodes for source in self.sources)
        self._reached: deque[list[int]] = deque()
        self._due = 0.0

    def run(self, items: Iterable[Any], *rest: Any) -> Tables:
        """The counts of all items, those of other runs among them."""
        tables = super().run(items, *rest)
        self.save()
        return tables

    def chunks(self, items: Iterable[Any]) -> Iterator[list[Any]]:
        """The items that no earlier run has counted."""
        known = [source.episodes for source in self.sources]
        passed = [0] * len(known)
        chunk = []
        for item in items:
            number = self.logs.current
            passed[number] += 1
            if passed[number] > known[number]:
                known[number] += 1
                chunk.append(item)
            if len(chunk) == CHUNK:
                self._reached.append([*known])
                yield chunk
                chunk = []
        if chunk:
            self._reached.append([*known])
            yield chunk

    def add(self, tables: Tables) -> None:
        """Takes the counts of the next chunk, and saves them all if the last time is long enough ago."""
        super().add(tables)
        reached = self._reached.popleft()
        self.sources = [_with(s, episodes) for s, episodes in zip(self.sources, reached, strict=True)]
        if monotonic() >= self._due:
            began = monotonic()
            self.save()
            self._due = monotonic() + PATIENCE * (monotonic() - began)

    def save(self) -> None:
        """Writes the counts, and what was read."""
        read = [source for source in self.sources if source.episodes]
        counts.write(self.path, self.kind, self.tables, [*self.others, *read])


class Checkpoints:
    """The checkpoints of both passes of learning: the statistics, and beside them, for as long as the
    second pass takes, the knowledge."""

    def __init__(self, path: Path, logs: Logs) -> None:
        self.path, self.logs = path, logs
        self.passing = path.with_name(f"{path.name}.knowledge")
        self.statistics: Checkpoint | None = None

    def __call__(self, name: str, kind: Kind) -> Checkpoint:
        if name == "statistics":
            self.statistics = Checkpoint(self.path, kind, self.logs)
            return self.statistics
        try:
            return Checkpoint(self.passing, kind, self.logs)
        except WorldModelError:  # of other rules, or damaged: it only saves time
            self.passing.unlink()
            return Checkpoint(self.passing, kind, self.logs)

    def done(self) -> None:
        """To be called when the second pass is over, and its result in safety."""
        self.passing.unlink(missing_ok=True)


def _with(source: Source, episodes: int) -> Source:
    return Source(source.name, source.size, source.digest, episodes)


def _recognise(
    paths: Sequence[Path], saved: Sequence[Source], path: Path
) -> tuple[list[Source], list[Source]]:
    """Each log as it is now, with how many of its episodes were counted; and the saved logs not given."""
    left, found = list(saved), []
    for log in paths:
        now, known = _fingerprint(log, left)
        if known is not None:
            left.remove(known)
        elif any(source.name == str(log) for source in left):
            raise WorldModelError(
                f"{log}: has changed since it was counted in {path}; name another file of statistics,"
                " and the logs are counted again"
            )
        found.append(_with(now, known.episodes if known else 0))
    return found, left


def _fingerprint(log: Path, known: Iterable[Source]) -> tuple[Source, Source | None]:
    """A log as it is now, and as it was when it was counted: the longest known beginning of it."""
    digest, size, match = hashlib.sha256(), 0, None
    try:
        with log.open("rb") as file:
            for source in sorted(known, key=lambda source: source.size):
                size += _advance(file, digest, source.size - size)
                if size == source.size and digest.hexdigest() == source.digest:
                    match = source
            while more := _advance(file, digest, BLOCK):
                size += more
    except OSError as error:
        raise WorldModelError(f"{log}: cannot be read: {error.strerror}") from error
    return Source(str(log), size, digest.hexdigest(), 0), match


def _advance(file: Any, digest: Any, size: int) -> int:
    """Reads so many bytes more, or to the end; how many there were."""
    read = 0
    while read < size and (block := file.read(min(BLOCK, size - read))):
        digest.update(block)
        read += len(block)
    return read
