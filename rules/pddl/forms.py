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
    depth = size = begin = 0
    parts: list[str] = []
    number = 0
    for number, line in _lines(path):
        start = 0
        for match in _BRACKET.finditer(line):
            if match[0] == "(":
                depth += 1
                if depth == 2:
                    begin, start, size, parts = number, match.start(), 0, []
                elif depth > MAX_DEPTH:
                    raise WorldModelError(f"{path}:{number}: brackets nested more than {MAX_DEPTH} deep")
                continue
            depth -= 1
            if depth == 1:
                yield _form(begin, "".join([*parts, line[start : match.start()]]))
            elif depth == 0:
                yield Form(number, "")
            elif depth < 0:
                raise WorldModelError(f"{path}:{number}: a closing bracket too many")
        if depth > 1:
            parts.append(line[start:])
            size += len(line)
            if size > MAX_CHARACTERS:
                raise WorldModelError(f"{path}:{begin}: more than {MAX_CHARACTERS} characters in one form")
    if depth:
        raise WorldModelError(f"{path}:{number}: the file ends within brackets; expected `)`")


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
