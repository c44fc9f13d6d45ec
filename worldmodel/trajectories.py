"""Episodes as JSON lines: one episode a line, ``.jsonl`` or ``.jsonl.gz``."""

from __future__ import annotations

import gzip
import logging
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Literal

import msgspec

from rules.errors import WorldModelError

MAX_LINE = 16 << 20
"""The longest line, in bytes, that is read or written."""
MAX_TEXT, MAX_INFLATION = 1 << 30, 200
"""A compressed file may unpack to MAX_TEXT bytes, or to MAX_INFLATION times its size if that is more."""
BLOCK = 1 << 14
"""Bytes read at a time. Deflate unpacks at most 1,032 to 1, so this bounds the memory that a block takes."""

StrPath = str | os.PathLike[str]


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One command, what the environment answered, and the reward it gave."""

    action: str
    observation: str
    reward: float = 0.0


class Episode(msgspec.Struct, frozen=True, omit_defaults=True):
    """One trajectory.

    id: the game's name, stable over runs. observation: the opening text, with the task in it.
    success: whether the goal was reached, None where nobody knows.
    """

    id: str
    environment: str
    observation: str
    steps: tuple[Step, ...] = ()
    success: bool | None = None
    policy: str = ""
    seed: int | None = None
    metadata: dict[str, str] = {}


class TrajectoryError(WorldModelError):
    """A file, or a line of it, that is no log of episodes, or that cannot be read or written.

    Attributes: `source` (the file) and `line` (from 1; 0 where the file as a whole is meant).
    """

    def __init__(self, source: StrPath, line: int, message: str) -> None:
        self.source, self.line = os.fspath(source), line
        super().__init__(f"{self.source}{f':{line}' if line else ''}: {message}")


Report = Callable[[TrajectoryError], None]
_DECODER = msgspec.json.Decoder(Episode)
_ENCODER = msgspec.json.Encoder()


def read_episodes(
    paths: StrPath | Iterable[StrPath],
    on_error: Literal["raise", "skip"] = "raise",
    report: Report | None = None,
) -> Iterator[Episode]:
    """The episodes of one file or several, one at a time, in bounded memory; none where a file is empty.

    A line that is no episode, or the end that an interrupted writer left torn, is a `TrajectoryError`
    once all before it has been yielded. With ``on_error="skip"`` it is handed to `report` (by default
    the log of warnings) and the rest is read. A file that cannot be opened is an error in any case.
    """
    handle = _raise if on_error == "raise" else (report or _warn)
    for path in [paths] if isinstance(paths, str | os.PathLike) else paths:
        for number, line in _lines(Path(path), handle):
            try:
                yield _decode(line)
            except _NoEpisode as error:
                handle(TrajectoryError(path, number, f"{error}; mend or delete the line, or skip bad lines"))


def written_ids(path: StrPath, report: Report | None = None) -> set[str]:
    """The ids of the episodes that a file already holds, empty if there is no file: what a resumed run skips.

    What is no episode is handed to `report` (by default the log of warnings).
    """
    if not Path(path).exists():
        return set()
    return {episode.id for episode in read_episodes(path, "skip", report)}


def _raise(error: TrajectoryError) -> None:
    raise error


def _warn(error: TrajectoryError) -> None:
    logging.getLogger(__name__).warning("%s", error)


class _NoEpisode(Exception):
    """What is wrong with a line. `torn`: it looks like the beginning of one that was cut off."""

    def __init__(self, message: str, torn: bool = False) -> None:
        self.torn = torn
        super().__init__(message)


def _decode(line: bytes) -> Episode:
    try:
        return _DECODER.decode(line)
    except msgspec.ValidationError as error:
        problem = re.sub(r" - at `\$\.?(.*)`$", r" at \1", str(error)).replace("`", "'")
        raise _NoEpisode(f"not an episode: {problem[0].lower()}{problem[1:]}") from None
    except RecursionError:
        raise _NoEpisode("not an episode: nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        said = str(error)
        if "truncated" in said or ("invalid number" in said and line[-1:] in b".eE+-"):
            raise _NoEpisode("cut off in mid-episode (was the writer interrupted?)", torn=True) from None
        raise _NoEpisode(f"expected one episode as a JSON object, found {line[:40]!r}: {said}") from None


def _encode(episode: Episode) -> bytes:
    """The line of an episode; `_NoEpisode` if it could not be read back."""
    try:
        line = _ENCODER.encode(episode)
    except (TypeError, ValueError, RecursionError) as error:
        raise _NoEpisode(f"cannot be written as JSON: {error}") from None
    if len(line) > MAX_LINE:
        raise _NoEpisode(f"{len(line)} bytes long, expected at most {MAX_LINE}")
    _decode(line)
    return line + b"\n"


def _lines(path: Path, handle: Report) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something, numbered from 1; what cannot be read goes to `handle`."""
    number, rest, too_long = 1, b"", False
    try:
        for block in chain(_blocks(path), [b"\n"]):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                if too_long or len(line) > MAX_LINE:
                    handle(TrajectoryError(path, number, f"line longer than {MAX_LINE} bytes: no episode"))
                elif line and not line.isspace():
                    yield number, line
                number, too_long = number + 1, False
            if len(rest) > MAX_LINE:
                rest, too_long = b"", True
    except EOFError:
        handle(TrajectoryError(path, number, "the compressed data ends early (was the writer interrupted?)"))
    except zlib.error as error:
        handle(TrajectoryError(path, number, f"damaged compressed data, nothing after it is read: {error}"))
    except OSError as error:
        raise TrajectoryError(path, 0, f"cannot be read: {error.strerror}") from error


def _blocks(path: Path) -> Iterator[bytes]:
    """A file's text, block by block; `EOFError` if compressed data stops early, `zlib.error` if damaged."""
    with path.open("rb") as file:
        blocks = iter(lambda: file.read(BLOCK), b"")
        if path.suffix != ".gz":
            yield from blocks
            return
        left = max(MAX_TEXT, MAX_INFLATION * os.fstat(file.fileno()).st_size)
        inflater = None
        for block in blocks:
            while block:
                inflater = inflater or zlib.decompressobj(wbits=31)
                text = inflater.decompress(block)
                if (left := left - len(text)) < 0:
                    raise zlib.error("it unpacks to far more than a log would")
                yield text
                block = inflater.unused_data
                if inflater.eof:  # the end of one gzip member; the writer makes one an episode
                    inflater = None
        if inflater:
            raise EOFError


class EpisodeWriter:
    """Adds episodes to a file, each one whole and flushed before `write` returns.

    In a ``.gz`` each episode is a gzip member of its own, so that an interrupted file stays readable.
    A file that already holds something is never overwritten: `append` mends its end, if a writer was
    interrupted there, and goes on after it. `TrajectoryError` if the file cannot be written.
    """

    def __init__(self, path: StrPath, append: bool = False) -> None:
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.is_file() and self.path.stat().st_size:
                if not append:
                    raise TrajectoryError(path, 0, "already holds something; append to it, or move it away")
                _mend(self.path.resolve())
            self._file = self.path.open("ab")
        except OSError as error:
            raise self._unwritable(error) from error

    def write(self, episode: Episode) -> None:
        """Add one episode. `TrajectoryError` if it could not be read back, or if the disk takes no more."""
        try:
            line = _encode(episode)
        except _NoEpisode as error:
            raise TrajectoryError(self.path, 0, f"episode {episode.id!r} was not written: {error}") from None
        try:
            self._file.write(gzip.compress(line, mtime=0) if self.path.suffix == ".gz" else line)
            self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from error

    def close(self) -> None:
        """Close the file. Everything written is already in it."""
        try:
            self._file.close()
        except OSError as error:
            raise self._unwritable(error) from error

    def __enter__(self) -> EpisodeWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _unwritable(self, error: OSError) -> TrajectoryError:
        return TrajectoryError(self.path, 0, f"cannot be written: {error.strerror}")


def _mend(path: Path) -> None:
    """Finish the last line of a file, or drop it if an interrupted writer left it torn; keep the rest."""
    finished, tail, torn = _scan(path)
    if tail and not torn:
        try:
            _decode(tail)
            finished += len(tail)
        except _NoEpisode as error:
            if not error.torn:
                raise TrajectoryError(path, 0, f"not appended to: its last line: {error}") from None
    if tail or torn:
        _rewrite(path, finished)


def _scan(path: Path) -> tuple[int, bytes, bool]:
    """How many bytes of text end in a line end, the text after them, and whether the data stopped early."""
    finished, tail = 0, b""
    try:
        for block in _blocks(path):
            *lines, tail = (tail + block).rsplit(b"\n", 1)
            finished += sum(len(line) + 1 for line in lines)
            if len(tail) > MAX_LINE:
                raise TrajectoryError(path, 0, f"holds a line longer than {MAX_LINE} bytes; not appended to")
    except EOFError:
        return finished, tail, True
    except zlib.error as error:
        raise TrajectoryError(path, 0, f"damaged compressed data, not appended to: {error}") from error
    return finished, tail, False


def _rewrite(path: Path, size: int) -> None:
    """Make the first `size` bytes of text, closed by a line end, the whole file, in one step."""
    copy = path.with_name(f".{path.name}.mended{path.suffix}")
    last = b"\n"
    with gzip.open(copy, "wb") if path.suffix == ".gz" else copy.open("wb") as target:
        try:
            for block in _blocks(path):
                block, size = block[:size], size - len(block[:size])
                target.write(block)
                last = block[-1:] or last
        except EOFError:
            pass  # the torn end, which `size` leaves out
        if last != b"\n":
            target.write(b"\n")
    copy.chmod(path.stat().st_mode)
    copy.replace(path)
