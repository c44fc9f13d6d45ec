"""The forms of a trace file, ``(:state ...)``, ``(:action ...)``, one by one as the file is read.

Nothing but the form at hand is kept, whatever the length of the file; lines, forms and nesting are
bounded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rules.errors import WorldModelError

MAX_CHARACTERS = 16 * 2**20
"""Of one form."""
MAX_DEPTH = 4
"""``(:trajectory (:state (not (at a))))``"""

_BRACKET = re.compile(r"[()]")
_WHOLE = re.compile(r"\((?:[^()]*\((?:[^()]*\([^()]*\))*[^()]*\))*[^()]*\)|[()]")
"""A form that ends on its line, as most do, in one step; else a bracket."""
_HEAD = re.compile(r"\(\s*([^\s()]*)")


class Form(NamedTuple):
    """One form below the outermost brackets: ``(head body)``, in lower case, and the line it begins on.

    The closing of the outermost brackets is a form without a head.
    """

    line: int
    head: str
    body: str = ""


def forms(path: str | os.PathLike[str]) -> Iterator[Form]:
    """The forms of a file. Raises `WorldModelError` where it cannot be read or its brackets do not match."""
    scanner = _Scanner()
    number = 0
    for number, line in _lines(path):
        try:
            yield from scanner.line(number, line)
        except _Broken as error:
            raise WorldModelError(f"{path}:{number}: {error}") from None
    if scanner.depth:
        raise WorldModelError(f"{path}:{number}: the file ends within brackets; expected `)`")


class _Broken(Exception):
    """What is wrong with a line."""


class _Scanner:
    """Finds forms in lines; `depth` brackets are open, and `parts` are the pieces of an unfinished form."""

    def __init__(self) -> None:
        self.depth = self.begin = self.size = 0
        self.parts: list[str] = []

    def line(self, number: int, line: str) -> Iterator[Form]:
        position = start = 0
        while match := (_WHOLE if self.depth == 1 else _BRACKET).search(line, position):
            position = match.end()
            if len(match[0]) > 1:
                yield _form(number, match[0][:-1])
            elif match[0] == "(":
                self._open()
                if self.depth == 2:
                    self.begin, self.size, start = number, 0, match.start()
            else:
                self._close()
                if self.depth == 1:
                    yield _form(self.begin, "".join([*self.parts, line[start : match.start()]]))
                    self.parts = []
                elif self.depth == 0:
                    yield Form(number, "")
        if self.depth > 1:
            self.parts.append(line[start:])
            self.size += len(line)
            if self.size > MAX_CHARACTERS:
                raise _Broken(
                    f"more than {MAX_CHARACTERS} characters in a form that began in line {self.begin}"
                )

    def _open(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _Broken(f"brackets nested more than {MAX_DEPTH} deep")

    def _close(self) -> None:
        self.depth -= 1
        if self.depth < 0:
            raise _Broken("a closing bracket too many")


def _form(line: int, text: str) -> Form:
    match = _HEAD.match(text)
    assert match is not None  # it begins with a bracket
    return Form(line, match[1], text[match.end() :])


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Numbered lines without comments, in lower case."""
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            number = 0
            while line := file.readline(MAX_CHARACTERS):
                number += 1
                if len(line) == MAX_CHARACTERS:
                    raise WorldModelError(f"{path}:{number}: a line of {MAX_CHARACTERS} characters or more")
                if ";" in line:
                    line = line.partition(";")[0] + "\n"
                yield number, line.lower()
    except UnicodeDecodeError:
        raise WorldModelError(f"{path}: a byte that is no UTF-8; expected a trace") from None
    except OSError as error:
        raise WorldModelError(f"{path}: cannot read a trace: {error.strerror or error}") from None
