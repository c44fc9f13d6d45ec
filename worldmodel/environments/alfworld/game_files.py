"""Files of games: bounded reads, whole writes, and compact JSON lines in plain, gzip or xz."""

from __future__ import annotations

import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec

from rules.errors import WorldModelError

MAX_GAME = 8 << 20
"""Bytes of one game, as a file or a line."""
MAX_TEXT = 4 << 30
"""Bytes that a compact file may unpack to."""

_OPENERS: Mapping[str, Callable[..., IO[Any]]] = {
    ".jsonl": Path.open,
    ".jsonl.gz": gzip.open,
    ".jsonl.xz": lzma.open,
}
SUFFIXES: tuple[str, ...] = tuple(_OPENERS)
_DAMAGED = (OSError, EOFError, lzma.LZMAError, zlib.error)


def suffix_of(path: Path) -> str:
    """The ending of a compact file's name; empty for every other name."""
    return next((suffix for suffix in _OPENERS if path.name.endswith(suffix)), "")


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a compact file that hold something, numbered from 1.

    Raises `WorldModelError` with file and line where the file is damaged or beyond the bounds.
    """
    number, left = 0, MAX_TEXT
    try:
        with _OPENERS[suffix_of(path)](path, "rb") as file:
            while line := file.readline(MAX_GAME + 1):
                number, left = number + 1, left - len(line)
                if len(line) > MAX_GAME or left < 0:
                    raise WorldModelError(f"{path}:{number}: more than a games file may hold")
                if not line.isspace():
                    yield number, line
    except _DAMAGED as error:
        raise WorldModelError(f"{path}:{number + 1}: cannot be read: {error}") from None


def read_file(path: Path) -> bytes:
    """A file of at most `MAX_GAME` bytes; `WorldModelError` names it if it cannot be read."""
    try:
        size = path.stat().st_size
        if size > MAX_GAME:
            raise WorldModelError(f"{path}: {size:,} bytes, expected at most {MAX_GAME:,}")
        return path.read_bytes()
    except OSError as error:
        raise WorldModelError(f"{path}: cannot be read: {error.strerror}") from None


def decode(text: bytes, kind: Any, where: str) -> Any:
    """JSON as a `kind`; `WorldModelError` names `where` if it is none."""
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WorldModelError(f"{where}: not a game: {error}") from None


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A place beside `path` to write to; it becomes `path` at the end, or goes away on an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def compact_writer(path: Path) -> Iterator[Callable[[bytes], object]]:
    """What writes to a compact file, which appears whole at the end. The same lines make the same bytes."""
    suffix = suffix_of(path)
    with whole(path) as partial:
        if suffix != ".jsonl.gz":
            with _OPENERS[suffix](partial, "wb") as file:
                yield file.write
        else:  # without the name and the time that gzip.open would put in
            with partial.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
                yield file.write
