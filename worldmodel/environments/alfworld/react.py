"""Logs of ReAct-style agents on ALFWorld, read as episodes.

One JSON object a line, ``{"name": ..., "result": ..., "traj": ...}``, plain or compressed (.gz, .xz). A
`traj` is text: the opening, then lines that start with ``>``. Such a line is an action where the
environment's answer follows directly, and a thought where the next such line does, or the end. An agent's
loop may answer a thought itself ("OK."), which is no step; a thought that reached the environment and was
refused is one.
"""

from __future__ import annotations

import gzip
import lzma
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import IO, NamedTuple

import msgspec

from rules.errors import WorldModelError
from worldmodel.trajectories import Episode, Step

MAX_LINE = 4_000_000
"""Bytes in one line of a log; a real one has about 20,000."""

_PROMPT = ">"
_THOUGHT = re.compile(r"(?:think|thought|actionpath)\s*:", re.IGNORECASE)
_TASK = "Your task is to:"
_REFUSAL = "Nothing happens."
_LOOP_ANSWER = "OK."


class _Record(msgspec.Struct):
    name: str
    traj: str
    result: bool | int | None = None


class _Transcript(NamedTuple):
    opening: str
    steps: list[tuple[str, str]]
    thoughts: int
    stray: int


@dataclass(slots=True)
class ReadReport:
    """What was read so far: counts, and one message for each bad line of the file.

    stray: lines of text that are neither opening, action, answer nor thought.
    """

    episodes: int = 0
    actions: int = 0
    thoughts: int = 0
    stray: int = 0
    bad: list[str] = field(default_factory=list)


def read_react(path: Path, policy: str = "react", report: ReadReport | None = None) -> Iterator[Episode]:
    """The episodes of one log, one at a time, labelled with `policy`.

    With a `report`, bad lines are skipped and listed in it; without one the first raises `WorldModelError`
    with file and line number. A file that cannot be read raises it in both cases.
    """
    counts = ReadReport() if report is None else report
    for number, line in _lines(path):
        try:
            episode, transcript = _episode(line, policy)
        except (msgspec.MsgspecError, WorldModelError) as error:
            expected = 'expected {"name", "result", "traj"} with ReAct text in "traj"'
            message = f"{path}:{number}: {error}; {expected}"
            if report is None:
                raise WorldModelError(f"{message} (pass a report to skip bad lines)") from None
            report.bad.append(message)
            continue
        counts.episodes += 1
        counts.actions += len(transcript.steps)
        counts.thoughts += transcript.thoughts
        counts.stray += transcript.stray
        yield episode


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The numbered lines that are not blank, each cut at `MAX_LINE` so that memory stays bounded."""
    try:
        with _open(path) as file:
            for number in count(1):
                line = file.readline(MAX_LINE)
                if not line:
                    return
                if line.strip():
                    yield number, line
                while len(line) == MAX_LINE and not line.endswith(b"\n"):
                    line = file.readline(MAX_LINE)
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise WorldModelError(f"{path}: {error}; expected JSON lines, plain, .gz or .xz") from None


def _open(path: Path) -> IO[bytes] | gzip.GzipFile | lzma.LZMAFile:
    if path.suffix == ".xz":
        return lzma.open(path)
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")


def _episode(line: bytes, policy: str) -> tuple[Episode, _Transcript]:
    if len(line) == MAX_LINE:
        raise WorldModelError(f"a line of {MAX_LINE} bytes or more")
    record = msgspec.json.decode(line, type=_Record)
    transcript = _transcript(record.traj)
    if _TASK not in transcript.opening:
        raise WorldModelError(f"no {_TASK!r} before the first {_PROMPT!r}")
    won = None if record.result is None else bool(record.result)
    # ALFWorld pays 1 for the step that reaches the goal, and the episode ends there.
    last = len(transcript.steps) - 1 if won else -1
    steps = tuple(Step(a, o, float(i == last)) for i, (a, o) in enumerate(transcript.steps))
    episode = Episode(record.name, "alfworld", transcript.opening, steps, success=won, policy=policy)
    return episode, transcript


def _transcript(traj: str) -> _Transcript:
    """Opening, (action, answer) pairs, and how many lines were thoughts or neither."""
    opening, *blocks = re.split(rf"^{_PROMPT}", traj, flags=re.MULTILINE)
    steps, thoughts, stray = [], 0, 0
    for block in blocks:
        said, _, answer = block.partition("\n")
        said, answer = said.strip(), answer.strip()
        is_thought = _THOUGHT.match(said) is not None and answer != _REFUSAL
        if answer and not is_thought:
            steps.append((said, answer))
            continue
        thoughts += 1
        if answer and answer != _LOOP_ANSWER:
            stray += len(answer.splitlines())
    return _Transcript(opening.strip(), steps, thoughts, stray)
