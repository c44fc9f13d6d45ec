"""Finds the rules in a text: a file of them, or what a language model answered.

Where the text has fenced code blocks only they are read. Each rule becomes a fragment by itself, so that
a mistake in one costs no other. Whatever else the text declares is passed over: a proposal speaks the
vocabulary of the rule set that it is made for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rules.errors import WorldModelError

MAX_CHARACTERS = 2**20
"""Of one text."""

MAX_PROPOSALS = 500
"""Rules in one text."""

_FENCE = re.compile(r"\s*(```|~~~)")
_OPENING = re.compile(r"\s*(?:domain|type|constant|predicate|relation|invariant|action|rule)\b")
# Strings and comments are matched to be skipped. `type of ?x` belongs to a condition.
_PIECE = re.compile(
    r'"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"|#[^\n]*'
    r"|(?<![\w?-])(domain|type(?!\s+of\b)|constant|predicate|relation|invariant|action|otherwise|rule)(?![\w-])"
)


@dataclass(frozen=True, slots=True)
class Fragment:
    """The text of one rule, the head of the action that it stands below, and the lines above each.

    head: empty where no action was named.
    """

    text: str
    above: int
    head: str = ""
    head_above: int = 0


def fragments(text: str, source: str = "<string>") -> list[Fragment]:
    """The rules in a text, in order.

    Raises `WorldModelError` for a text that is too long, or that holds too many.
    """
    if len(text) > MAX_CHARACTERS:
        raise WorldModelError(
            f"{source}: {len(text)} characters of proposals; expected {MAX_CHARACTERS} at most"
        )
    found = list(_fragments(_code(text)))
    if len(found) > MAX_PROPOSALS:
        raise WorldModelError(f"{source}: {len(found)} proposed rules; expected {MAX_PROPOSALS} at most")
    return found


def _code(text: str) -> str:
    """The text with every line blanked that is no code: outside the fences, or before the first rule."""
    lines = text.split("\n")
    fenced = [bool(_FENCE.match(line)) for line in lines]
    if any(fenced):
        inside, code = False, []
        for line, fence in zip(lines, fenced, strict=True):
            inside = inside is not fence
            code.append(line if inside and not fence else "")
        return "\n".join(code)
    first = next((i for i, line in enumerate(lines) if _OPENING.match(line)), len(lines))
    return "\n".join([""] * first + lines[first:])


def _fragments(code: str) -> Iterator[Fragment]:
    cuts = [match for match in _PIECE.finditer(code) if match[1]]
    ends = [*(match.start() for match in cuts), len(code)][1:]
    head, head_above, above, counted = "", 0, 0, 0
    for match, end in zip(cuts, ends, strict=True):
        start = match.start()
        above += code.count("\n", counted, start)
        counted = start
        # As far right as it stands, so that a mistake is reported at its column.
        indent = start - code.rfind("\n", 0, start) - 1
        piece = " " * indent + code[start:end]
        if match[1] == "action":
            head, head_above = piece, above
        elif match[1] == "rule":
            yield Fragment(piece, above, head, head_above)
