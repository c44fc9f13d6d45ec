"""The slots of a wording: ``{?x}`` for a name, ``{in(*, ?x)}`` for the list of what matches.

``{the in(*, ?x)}`` is that list without articles: "the drawer 2, and drawer 1".

Braces that hold anything else are text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from rules.logic import Atom

_IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_-]*"
_NAME = rf'(?:{_IDENTIFIER}|"(?:[^"\\\r\n]|\\.)*")'
_TERM = rf"(?:\*|\?{_IDENTIFIER}|{_NAME})"
_TERMS = re.compile(_TERM)
SLOT = re.compile(rf"\{{(?:(\?{_IDENTIFIER})|(?:the )?({_NAME})\(({_TERM}(?:, *{_TERM})*)\))\}}")


def slots(wording: str) -> Iterator[str | Atom]:
    """What a wording's slots stand for, in order: a variable, or a pattern whose matches are listed."""
    for match in SLOT.finditer(wording):
        yield slot(match)


def slot(match: re.Match[str]) -> str | Atom:
    """What one match of `SLOT` stands for."""
    variable, predicate, terms = match.groups()
    if variable:
        return str(variable)
    return Atom(_unquoted(predicate), tuple(_unquoted(t) for t in _TERMS.findall(terms)))


def _unquoted(name: str) -> str:
    if not name.startswith('"'):
        return name
    try:
        return str(json.loads(name, strict=False))
    except json.JSONDecodeError:
        return name  # no declared name: whoever looks it up reports it
