"""Names such as ``mug 1``, and lists of them, as ALFWorld writes them."""

from __future__ import annotations

import re
from collections.abc import Sequence

NAME = r"[a-z][a-z0-9_-]{0,39} [0-9]{1,6}"
"""A pattern for one name; bounded, so that no text is slow to read."""

_ITEM = re.compile(rf"\ba ({NAME})")
_BARE_ITEM = re.compile(NAME)


def word(name: str) -> str:
    """The type in a name: ``mug`` in ``mug 1``."""
    return name.rpartition(" ")[0] or name


def types(*names: str) -> dict[str, str]:
    """Each name with its type, in this order."""
    return {name: word(name) for name in names}


def phrase(names: Sequence[str]) -> str:
    """A list as the environment writes it: ``nothing``, ``a X``, ``a X, and a Y``, ``a X, a Y, and a Z``."""
    return _join([f"a {name}" for name in names]) if names else "nothing"


def listed(text: str) -> tuple[str, ...] | None:
    """The names in a list; None where the text is no list, word for word."""
    names = tuple(_ITEM.findall(text))
    return names if phrase(names) == text else None


def listed_bare(text: str) -> tuple[str, ...] | None:
    """The names in a list without articles, at least one: ``drawer 3, and drawer 2``."""
    names = tuple(_BARE_ITEM.findall(text))
    return names if names and _join(names) == text else None


def order(names: Sequence[str]) -> list[str]:
    """The order of the environment's lists: by word, and by falling number within a word.

    It sorts raw ids (``drawer_bar__minus_...``) and hands out the numbers from the highest down. So this is
    exact wherever the numbers are not shuffled (domain randomization).
    """
    return sorted(names, key=_rank)


def _rank(name: str) -> tuple[str, int]:
    kind, _, number = name.rpartition(" ")
    return (kind, -int(number)) if re.fullmatch("[0-9]{1,6}", number) else (name, 0)


def _join(items: Sequence[str]) -> str:
    return ", ".join(items[:-1]) + f", and {items[-1]}" if len(items) > 1 else items[0]
