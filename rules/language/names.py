"""How names and texts are spelled: bare where the grammar allows it, else as a JSON string."""

from __future__ import annotations

import json
import re

KEYWORDS = frozenset(
    "domain type constant predicate relation invariant action rule when then reveals says otherwise "
    "not no some or and implies is of for against true false".split()
)
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
VARIABLE = re.compile(r"\?[A-Za-z_][A-Za-z0-9_-]*")


def quote(text: str) -> str:
    """A JSON string. Escaped wherever a character could not be seen, or not be encoded."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


def spell(name: str) -> str:
    """A name as the language writes it: ``mug``, but ``"mug 1"`` and ``"type"``."""
    return name if IDENTIFIER.fullmatch(name) and name not in KEYWORDS else quote(name)


def spell_term(term: str) -> str:
    """A variable or the wildcard as it is, a constant as a name."""
    return term if term == "*" or term.startswith("?") else spell(term)
