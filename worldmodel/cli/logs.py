"""Log files as episodes that can be read more than once, whichever of the known formats they are in."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from rules.errors import WorldModelError
from worldmodel.cli.console import progress
from worldmodel.cli.files import check_inputs
from worldmodel.cli.options import LogFormat
from worldmodel.environments.base import UnknownGoal
from worldmodel.environments.registry import EnvironmentSpec
from worldmodel.trajectories import Episode, TrajectoryError, read_episodes

HEAD = 1 << 16
"""Bytes of a file that are looked at to tell its format."""


class LogFiles:
    """The episodes of log files, in order; every iteration reads the files anew, in bounded memory.

    strict: the first broken line is an error; else it is skipped, and `bad` lists it. An episode of
    another environment, or one whose opening states no goal, counts as broken.
    While an episode is being dealt with, `current` is the index of its file.
    After an iteration `episodes`, `steps` and `malformed` (commands outside the grammar) are counted.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        spec: EnvironmentSpec,
        format: LogFormat = LogFormat.AUTO,
        strict: bool = False,
        limit: int | None = None,
        titles: Sequence[str] = ("reading",),
    ) -> None:
        check_inputs(paths, "a log of episodes (.jsonl, .jsonl.gz)")
        self.paths, self.spec, self.strict, self.limit = paths, spec, strict, limit
        self.formats = [
            is_react(path) if format is LogFormat.AUTO else format is LogFormat.REACT for path in paths
        ]
        self.perception = spec.perception(None)
        self.titles = list(titles)
        self.bad: list[str] = []
        self.current = self.episodes = self.steps = self.malformed = 0

    def __iter__(self) -> Iterator[Episode]:
        total = self.episodes or self.limit
        self.bad, self.episodes, self.steps, self.malformed = [], 0, 0, 0
        title = self.titles.pop(0) if len(self.titles) > 1 else self.titles[0]
        with progress(title, total) as advance:
            for episode in islice(self._sound(), self.limit):
                self.episodes += 1
                self.steps += len(episode.steps)
                self.malformed += sum(self.perception.action(s.action) is None for s in episode.steps)
                yield episode
                advance()

    def require_some(self) -> None:
        """Raises `WorldModelError` if the last iteration found no episode."""
        if not self.episodes:
            found = f"; {len(self.bad):,} broken lines, the first: {self.bad[0]}" if self.bad else ""
            raise WorldModelError(f"{', '.join(map(str, self.paths))}: no episodes in it{found}")

    def _sound(self) -> Iterator[Episode]:
        for number, (path, react) in enumerate(zip(self.paths, self.formats, strict=True)):
            self.current = number
            for episode in self._react(path) if react else self._lines(path):
                problem = self._problem(episode)
                if problem is None:
                    yield episode
                else:
                    self._broken(TrajectoryError(path, 0, f"episode {episode.id[:200]!r}: {problem}"))

    def _lines(self, path: Path) -> Iterator[Episode]:
        return read_episodes(path, "raise" if self.strict else "skip", self._broken)

    def _react(self, path: Path) -> Iterator[Episode]:
        from worldmodel.environments.alfworld.react import ReadReport, read_react

        report = None if self.strict else ReadReport()
        yield from read_react(path, report=report)
        self.bad += report.bad if report else []

    def _problem(self, episode: Episode) -> str | None:
        if episode.environment != self.spec.name:
            return f"of environment {episode.environment[:80]!r}, expected {self.spec.name!r}"
        try:
            self.perception.goal(episode.observation)
        except UnknownGoal as error:
            return str(error)
        return None

    def _broken(self, error: TrajectoryError) -> None:
        if self.strict:
            raise error
        self.bad.append(str(error))


def is_react(path: Path) -> bool:
    """Whether a log is written as ReAct text: an object with a `traj`, in the first line."""
    if path.suffix == ".xz":
        return True
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            head = file.read(HEAD).lstrip().split(b"\n", 1)[0]
    except (OSError, EOFError, zlib.error):
        return False  # the reader will say what is wrong with it
    return b'"traj"' in head
