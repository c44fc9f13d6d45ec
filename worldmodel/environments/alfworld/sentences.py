"""What each of ALFWorld's sentences says, and no more.

The first two words of a text choose the one reader that may understand it, so a text costs one regex.
Every sentence is matched in full and every list must read exactly as the environment writes lists: a
truncated or garbled text says nothing, rather than half the truth. All patterns are linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from rules.logic import Action, Atom
from worldmodel.environments.alfworld import places
from worldmodel.environments.alfworld.names import NAME, listed, types
from worldmodel.environments.alfworld.places import EMPTY_HANDED, NOTHING
from worldmodel.environments.base import Percept

MAX_TEXT = 20_000
"""Longer texts are not read; a real room's opening has about 1,000 characters."""

_REFUSED = Percept(refused=True)

_Reader = Callable[["Action | None", str], Percept]


@lru_cache(maxsize=1024)  # a step's text is read by everybody who keeps a belief
def read(action: Action | None, text: str) -> Percept:
    """What `text` says; the empty percept where it is no sentence of the environment. Never raises.

    The action matters in one case: logs in ReAct's style drop "You arrive at", so that only the view is
    left after ``go_to``.
    """
    text = text.strip()
    if len(text) > MAX_TEXT:
        return NOTHING
    first, _, rest = text.partition(" ")
    reader = _READERS.get(f"{first} {rest.partition(' ')[0]}") or _READERS.get(first)
    return reader(action, text) if reader else NOTHING


# --- sentences about an action's own arguments ----------------------------------------------------

_Facts = Sequence[tuple[str, tuple[int, ...]]]
"""Predicates over the groups of a pattern."""


def _plain(sentence: str, true: _Facts = (), false: _Facts = ()) -> _Reader:
    """A reader of one sentence, in which every ``{}`` is a name."""
    pattern = re.compile(re.escape(sentence).replace(r"\{\}", f"({NAME})"))

    def reader(_: Action | None, text: str) -> Percept:
        match = pattern.fullmatch(text)
        if match is None:
            return NOTHING
        names = match.groups()

        def atoms(facts: _Facts) -> frozenset[Atom]:
            return frozenset([Atom(predicate, tuple([names[i] for i in at])) for predicate, at in facts])

        return Percept(types(*names), atoms(true), atoms(false))

    return reader


def _either(*readers: _Reader) -> _Reader:
    """The first reader that understands the text."""

    def reader(action: Action | None, text: str) -> Percept:
        return next((p for r in readers if (p := r(action, text)) is not NOTHING), NOTHING)

    return reader


# --- things ---------------------------------------------------------------------------------------

_CARRYING = re.compile(rf"You are carrying: a ({NAME})\.")
_NORMAL = re.compile(rf"This is a normal ({NAME})\. In it, you see ([^.\n]*)\.")

# The environment says the first of these that fits, so each rules out what would have fitted before it.
# Where hot and cool could both hold it says hot: "hot" leaves cool open. First comes what only dishes and the
# like are said to be, so all the others deny that.
_CONDITIONS: dict[str, tuple[str, str]] = {
    "This is a hot and clean sliced {}.": ("hot clean sliced", ""),
    "This is a cool and clean sliced {}.": ("cool clean sliced", "hot"),
    "This is a clean sliced {}.": ("clean sliced", "hot cool"),
    "This is a hot sliced {}.": ("hot sliced", "clean"),
    "This is a cool sliced {}.": ("cool sliced", "hot clean"),
    "This is a hot and clean {}.": ("hot clean", "sliced"),
    "This is a cool and clean {}.": ("cool clean", "hot sliced"),
    "This is a hot {}.": ("hot", "clean sliced"),
    "This is a clean {}.": ("clean", "hot cool sliced"),
    "This is a cold {}.": ("cool", "hot clean sliced"),
    "This {} is on.": ("on", "hot clean cool"),
    "This {} is off.": ("", "on hot clean cool"),
    "This is a sliced {}.": ("sliced", "hot clean cool on"),
    "There's nothing special about {}.": ("", "hot clean cool sliced on"),
}


def _condition(sentence: str) -> _Reader:
    true, false = _CONDITIONS[sentence]
    return _plain(sentence, [(p, (0,)) for p in true.split()], [(p, (0,)) for p in f"{false} vessel".split()])


def _read_normal(_: Action | None, text: str) -> Percept:
    """A vessel hides its own state, and what lies in it is in no receptacle of this vocabulary."""
    match = _NORMAL.fullmatch(text)
    names = listed(match[2]) if match else None
    if match is None or names is None:
        return NOTHING
    return Percept(types(match[1], *names), frozenset([Atom("vessel", (match[1],))]))


def _read_carrying(_: Action | None, text: str) -> Percept:
    if text == "You are not carrying anything.":
        return Percept(false=frozenset([EMPTY_HANDED]))
    match = _CARRYING.fullmatch(text)
    if match is None:
        return NOTHING
    return Percept(types(match[1]), frozenset([Atom("holding", (match[1],))]), frozenset([EMPTY_HANDED]))


def _read_refusal(_: Action | None, text: str) -> Percept:
    return _REFUSED if text == "Nothing happens." else NOTHING


_PUT: tuple[_Facts, _Facts] = ([("in", (0, 1))], [("holding", (0,))])

_READERS: dict[str, _Reader] = {
    "Nothing happens.": _read_refusal,
    "On the": places.read_view,
    "The": places.read_view,
    "You arrive": places.read_arrival,
    "You open": places.read_opened,
    "You close": _plain("You close the {}.", [("openable", (0,))], [("open", (0,))]),
    "You pick": _plain("You pick up the {} from the {}.", [("holding", (0,))], [("in", (0, 1))]),
    "You move": _plain("You move the {} to the {}.", *_PUT),
    "You put": _plain("You put the {} in/on the {}.", *_PUT),
    "You clean": _plain("You clean the {} using the {}.", [("clean", (0,))]),
    "You heat": _plain("You heat the {} using the {}.", [("hot", (0,))]),
    "You cool": _plain("You cool the {} using the {}.", [("cool", (0,))]),
    "You turn": _either(
        _plain("You turn on the {}.", true=[("on", (0,))]),
        _plain("You turn off the {}.", false=[("on", (0,))]),
    ),
    "You sliced": _plain("You sliced the {} with the {}.", [("sliced", (0,))]),
    "You are": _either(places.read_facing, _read_carrying, places.read_middle),
    "-=": places.read_banner,
    "This": _either(_read_normal, *map(_condition, _CONDITIONS)),
    "There's nothing": _condition("There's nothing special about {}."),
}
