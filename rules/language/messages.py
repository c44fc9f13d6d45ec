"""What an error says: names cut to size, candidates, and the nearest one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from itertools import islice

from rules.errors import RuleSyntaxError, WorldModelError
from rules.language.names import spell_term

SHOWN_NAMES, SHOWN_CHARACTERS, SHOWN_COLUMNS = 8, 40, 120


class InvalidRules(WorldModelError):
    """A rule set that is well-formed text but means nothing: unknown names, wrong types, free variables.

    Attributes: `at` (the offending string of the tree), `found`, `expected`.
    """

    def __init__(self, at: str, found: str, expected: str) -> None:
        self.at, self.found, self.expected = at, found, expected
        super().__init__(f"{found}; expected {expected}")


def clipped(text: str) -> str:
    """A text cut to a readable length."""
    cut = text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"
    return visible(cut)


def visible(text: str) -> str:
    """A text of the same length, its control characters blanked: rules must not talk to the terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


def shown(name: str) -> str:
    """A name as it is written, in backticks."""
    return f"`{clipped(spell_term(name))}`"


def one_of(names: Iterable[str]) -> str:
    """Candidates in words: the first few, and how many more."""
    found = sorted(names)
    listed = ", ".join(shown(n) for n in found[:SHOWN_NAMES])
    more = len(found) - SHOWN_NAMES
    return listed + (f" and {more} more" if more > 0 else "")


def nearest(name: str, candidates: Iterable[str], spelled: Callable[[str], str] = spell_term) -> str:
    """The clause "; did you mean `x`?", or nothing where no candidate is near."""
    near = get_close_matches(name[:SHOWN_CHARACTERS], islice(candidates, 5000), n=1)
    return f"; did you mean `{clipped(spelled(near[0]))}`?" if near else ""


def unknown(kind: str, name: str, candidates: Iterable[str]) -> InvalidRules:
    """The error for a name that nothing declares."""
    names = list(candidates)
    expected = f"a declared {kind}: {one_of(names)}" if names else f"a declared {kind}; there is none"
    return InvalidRules(name, f"unknown {kind} {shown(name)}{nearest(name, names)}", expected)


def located(
    source: str, text: str, line: int, column: int, message: str, expected: str, above: int = 0
) -> RuleSyntaxError:
    """The error at a place, with the line shown as long as the caret stays in sight.

    above: the lines of the source before this text.
    """
    shown_line = text.split("\n")[line - 1][:SHOWN_COLUMNS].rstrip() if column <= SHOWN_COLUMNS else ""
    return RuleSyntaxError(source, line + above, column, message, visible(shown_line), expected)
