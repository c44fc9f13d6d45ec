"""Tables of counts on disk: gzipped JSON lines, a header and then one row a line.

The first line says what the counts are of, in a fingerprint, and which logs they were read from, so
that counting can go on where it stopped. Nothing in a file is believed before it is checked.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import msgspec

from rules.errors import WorldModelError

FORMAT, VERSION = "worldmodel counts", 1
MAX_LINE, MAX_BYTES = 1 << 20, 1 << 31
"""The longest line, and the most text, that is written or read."""

Tables = dict[str, Counter[Any]]
StrPath = str | os.PathLike[str]
_Natural = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
_Count = Annotated[int, msgspec.Meta(ge=1, le=1 << 62)]


class Source(msgspec.Struct, frozen=True):
    """A log as far as it was counted: its first `episodes`, when it had `size` bytes with this digest."""

    name: str
    size: _Natural
    digest: str
    episodes: _Natural


class _Header(msgspec.Struct, frozen=True):
    format: str
    version: int
    content: str
    fingerprint: str
    fields: dict[str, list[str]]
    read: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a file of counts holds.

    content: in words. fingerprint: of all that the rows' meaning depends on. rows: table -> type of
    its rows, which msgspec can validate. check: what is wrong with a row of that type, or None.
    blank: makes empty tables. One of them may be a sample, of which `trim` drops what is too much.
    """

    content: str
    fingerprint: str
    rows: Mapping[str, Any]
    check: Callable[[str, Any], str | None]
    blank: Callable[[], Tables]

    def fields(self) -> dict[str, list[str]]:
        """The rows' fields by table: a file with others was written by another version."""
        return {name: list(getattr(row, "_fields", [str(row)])) for name, row in self.rows.items()}


def add(tables: Tables, more: Mapping[str, Counter[Any]]) -> None:
    """Adds counts to those in `tables`."""
    for name, table in more.items():
        tables[name].update(table)
        trim = getattr(tables[name], "trim", None)
        if trim:
            trim()


def write(path: StrPath, kind: Kind, tables: Mapping[str, Counter[Any]], read: Sequence[Source] = ()) -> None:
    """Writes counts, whole or not at all; the same counts give the same bytes.

    Raises `WorldModelError` where the file cannot be written.
    """
    target = Path(path)
    draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
    header = _Header(FORMAT, VERSION, kind.content, kind.fingerprint, kind.fields(), tuple(read))
    try:
        try:
            with draft.open("xb") as file:
                with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0, compresslevel=4) as packed:
                    packed.write(msgspec.json.encode(header) + b"\n")
                    packed.writelines(_rows(path, tables))
                file.flush()
                os.fsync(file.fileno())
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise WorldModelError(f"{path}: cannot write counts: {error.strerror or error}") from error


def _rows(path: StrPath, tables: Mapping[str, Counter[Any]]) -> Iterator[bytes]:
    left = MAX_BYTES - MAX_LINE
    for name, table in sorted(tables.items()):
        for line in sorted(msgspec.json.encode((name, row, n)) + b"\n" for row, n in table.items() if n):
            left -= len(line)
            if len(line) > MAX_LINE or left < 0:
                raise WorldModelError(
                    f"{path}: counts not written: more than {MAX_BYTES} bytes, or {MAX_LINE} in one row of"
                    f" {name!r}; count fewer logs at a time"
                )
            yield line


def read(path: StrPath, kind: Kind) -> tuple[Tables, tuple[Source, ...]]:
    """The counts in a file, and the logs that they were read from.

    Raises `WorldModelError` naming file and line where it holds no such counts, or others than `kind`.
    """
    try:
        with gzip.open(path, "rb") as file:
            lines = _lines(path, file)
            sources = _sources(path, kind, next(lines, b""))
            return _tables(path, kind, lines), sources
    except (OSError, EOFError, zlib.error) as error:
        said = getattr(error, "strerror", None) or error
        raise WorldModelError(f"{path}: cannot read counts: {said}; delete it and count again") from error


def _lines(path: StrPath, file: gzip.GzipFile | BinaryIO) -> Iterator[bytes]:
    left = MAX_BYTES
    while line := file.readline(MAX_LINE + 1):
        left -= len(line)
        if len(line) > MAX_LINE or left < 0:
            raise WorldModelError(f"{path}: too long for counts: {MAX_LINE} bytes a line, {MAX_BYTES} in all")
        yield line


def _sources(path: StrPath, kind: Kind, line: bytes) -> tuple[Source, ...]:
    """The logs that a header names, if its counts are of the kind that is expected."""
    try:
        header = msgspec.json.decode(line, type=_Header)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise WorldModelError(f"{path}:1: no header of counts: {error}; expected {kind.content}") from None
    if (header.format, header.version) != (FORMAT, VERSION):
        found = f"{header.format[:80]!r}, version {header.version}"
        raise WorldModelError(f"{path}:1: {found}; expected {FORMAT!r}, version {VERSION}; count again")
    if header.fingerprint != kind.fingerprint or header.fields != kind.fields():
        raise WorldModelError(
            f"{path}: {header.content[:80]!r} counted over another vocabulary, or by another version;"
            f" expected {kind.content!r}; name another file, and the logs are counted again"
        )
    return header.read


def _tables(path: StrPath, kind: Kind, lines: Iterator[bytes]) -> Tables:
    row_decoder = msgspec.json.Decoder(tuple[str, msgspec.Raw, _Count])
    decoders = {name: msgspec.json.Decoder(type_) for name, type_ in kind.rows.items()}
    tables = kind.blank()
    for number, line in enumerate(lines, 2):
        try:
            name, raw, count = row_decoder.decode(line)
            decoder = decoders.get(name)
            row = decoder.decode(raw) if decoder else None
        except (msgspec.MsgspecError, UnicodeDecodeError, ValueError, RecursionError) as error:
            raise WorldModelError(f"{path}:{number}: no row of counts: {error}; count again") from None
        problem = kind.check(name, row) if decoder else f"unknown table, expected {', '.join(kind.rows)}"
        if problem:
            raise WorldModelError(f"{path}:{number}: a row of {name[:80]!r}: {problem}; count again")
        tables[name][row] += count
    return tables
