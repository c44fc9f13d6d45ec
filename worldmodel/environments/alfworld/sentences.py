"""What each of ALFWorld's sentences says, and no more.

The first two words of a text choose the one reader that may understand it, so a text costs one regex.
Every sentence is matched in full and every list must read exactly as the environment writes lists: a
truncated or garbled text says nothing, rather than half the truth. All patterns are linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from rules.logic import WILDCARD, Action, Atom
from worldmodel.environments.base import Percept

NAME = r"[a-z][a-z0-9_-]{0,39} [0-9]{1,6}"
MAX_TEXT = 20_000
"""Longer texts are not read; a real room's opening has about 1,000 characters."""

NOTHING = Percept()
REFUSED = Percept(refused=True)
NOWHERE = Atom("at", (WILDCARD,))
EMPTY_HANDED = Atom("holding", (WILDCARD,))

Reader = Callable[["Action | None", str], Percept]


def phrase(names: Sequence[str]) -> str:
    """A list as the environment writes it: ``nothing``, ``a X``, ``a X, and a Y``, ``a X, a Y, and a Z``."""
    return _join([f"a {name}" for name in names]) if names else "nothing"


def word(name: str) -> str:
    """The type in a name: ``mug`` in ``mug 1``."""
    return name.rpartition(" ")[0] or name


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


# --- lists ---------------------------------------------------------------------------------------

_ITEM = re.compile(rf"\ba ({NAME})")
_BARE_ITEM = re.compile(NAME)


def _join(items: Sequence[str]) -> str:
    return ", ".join(items[:-1]) + f", and {items[-1]}" if len(items) > 1 else items[0]


def _listed(text: str) -> tuple[str, ...] | None:
    """The names in a list; None where the text is no list."""
    names = tuple(_ITEM.findall(text))
    return names if phrase(names) == text else None


def _types(*names: str) -> dict[str, str]:
    return {name: word(name) for name in names}


# --- sentences about an action's own arguments ----------------------------------------------------

_Facts = Sequence[tuple[str, tuple[int, ...]]]
"""Predicates over the groups of a pattern."""


def _plain(sentence: str, true: _Facts = (), false: _Facts = ()) -> Reader:
    """A reader of one sentence, in which every ``{}`` is a name."""
    pattern = re.compile(re.escape(sentence).replace(r"\{\}", f"({NAME})"))

    def reader(_: Action | None, text: str) -> Percept:
        match = pattern.fullmatch(text)
        if match is None:
            return NOTHING
        names = match.groups()

        def atoms(facts: _Facts) -> frozenset[Atom]:
            return frozenset([Atom(predicate, tuple([names[i] for i in at])) for predicate, at in facts])

        return Percept(_types(*names), atoms(true), atoms(false))

    return reader


def _either(*readers: Reader) -> Reader:
    """The first reader that understands the text."""

    def reader(action: Action | None, text: str) -> Percept:
        return next((p for r in readers if (p := r(action, text)) is not NOTHING), NOTHING)

    return reader


# --- places ---------------------------------------------------------------------------------------

_VIEW = re.compile(
    rf"On the ({NAME}), you see (.*)\.|The ({NAME}) is (?:closed|open\. In it, you see (.*))\."
)
_ARRIVAL = re.compile(rf"You arrive at ({NAME})\. (.*)")
_OPENING = re.compile(rf"You open the ({NAME})\. (.*)")
_FACING = re.compile(r"You are facing the (.*)\. Next to it, you see (.*)\.")
_MIDDLE = re.compile(
    r"You are in the middle of a room\. Looking quickly around you, you see ([^\n]*)\."
    r"(\s*Your task is to: .*)?",
    re.DOTALL,
)
_BANNER = re.compile(r"-= [^\n]{0,80} =-\s+")


def _view(text: str) -> tuple[str, Percept] | None:
    """The place a view shows, and what it says: open, closed or neither, and the contents if visible."""
    match = _VIEW.fullmatch(text)
    if match is None:
        return None
    surface, on_it, container, in_it = match.groups()
    place = surface or container
    openable, is_open = Atom("openable", (place,)), Atom("open", (place,))
    if surface:
        true, false = [], [openable]
    elif in_it is None:
        return place, Percept(_types(place), frozenset([openable]), frozenset([is_open]))
    else:
        true, false = [openable, is_open], []
    names = _listed(on_it if surface else in_it)
    if names is None:
        return None
    everything = Atom("in", (WILDCARD, place))
    true += [Atom("in", (name, place)) for name in names]
    return place, Percept(
        _types(place, *names), frozenset(true), frozenset([*false, everything]), {everything: names}
    )


def _arrived(place: str, view: Percept) -> Percept:
    at = Atom("at", (place,))
    return Percept(view.objects, view.true | {at}, view.false | {NOWHERE}, view.contents)


def _read_view(action: Action | None, text: str) -> Percept:
    seen = _view(text)
    if seen is None:
        return NOTHING
    place, percept = seen
    return _arrived(place, percept) if action == ("go_to", (place,)) else percept


def _read_arrival(_: Action | None, text: str) -> Percept:
    match = _ARRIVAL.fullmatch(text)
    seen = match and _view(match[2])
    # Old games name the location ("loc 12"), not the furniture.
    if not match or not seen or not (match[1] == seen[0] or match[1].startswith("loc ")):
        return NOTHING
    return _arrived(*seen)


def _read_opened(_: Action | None, text: str) -> Percept:
    match = _OPENING.fullmatch(text)
    seen = match and _view(match[2])
    return seen[1] if match and seen and seen[0] == match[1] else NOTHING


def _read_middle(_: Action | None, text: str) -> Percept:
    """The opening text, or `look` before the first move.

    The agent feels where it stands and what is in its hands, and an episode starts at no furniture with
    empty hands: the opening denies both, though it does not put it in words.
    """
    match = _MIDDLE.fullmatch(text)
    names = _listed(match[1]) if match else None
    if match is None or names is None:
        return NOTHING
    return Percept(_types(*names), false=frozenset([NOWHERE, EMPTY_HANDED] if match[2] else [NOWHERE]))


def _read_banner(action: Action | None, text: str) -> Percept:
    return _read_middle(action, _BANNER.sub("", text, count=1))


def _read_facing(_: Action | None, text: str) -> Percept:
    match = _FACING.fullmatch(text)
    if match is None:
        return NOTHING
    places, names = tuple(_BARE_ITEM.findall(match[1])), _listed(match[2])
    if not places or _join(places) != match[1] or names is None:
        return NOTHING
    at = frozenset([Atom("at", (place,)) for place in places])
    return Percept(_types(*places, *names), at, frozenset([NOWHERE]))


# --- things ---------------------------------------------------------------------------------------

_CARRYING = re.compile(rf"You are carrying: a ({NAME})\.")
_NORMAL = re.compile(rf"This is a normal ({NAME})\. In it, you see (.*)\.")
_CONDITION = re.compile(rf"This (?:is a ([a-z ]{{1,40}}?) ({NAME})|({NAME}) is (on|off))\.")
_NOT_SPECIAL = re.compile(rf"There's nothing special about ({NAME})\.")

# The environment says the first of these that fits, so each rules out what would have fitted before it.
# Where hot and cool could both hold it says hot: "hot" leaves cool open.
_CONDITIONS: dict[str, tuple[str, str]] = {
    "hot and clean sliced": ("hot clean sliced", ""),
    "cool and clean sliced": ("cool clean sliced", "hot"),
    "clean sliced": ("clean sliced", "hot cool"),
    "hot sliced": ("hot sliced", "clean"),
    "cool sliced": ("cool sliced", "hot clean"),
    "hot and clean": ("hot clean", "sliced"),
    "cool and clean": ("cool clean", "hot sliced"),
    "hot": ("hot", "clean sliced"),
    "clean": ("clean", "hot cool sliced"),
    "cold": ("cool", "hot clean sliced"),
    "on": ("on", "hot clean cool"),
    "off": ("", "on hot clean cool"),
    "sliced": ("sliced", "hot clean cool"),
    "nothing special": ("", "hot clean cool sliced"),
}


def _condition(name: str, condition: str) -> Percept:
    if condition not in _CONDITIONS:
        return NOTHING
    true, false = _CONDITIONS[condition]
    return Percept(_types(name), _unary(true.split(), name), _unary(false.split(), name))


def _unary(predicates: Iterable[str], name: str) -> frozenset[Atom]:
    return frozenset([Atom(predicate, (name,)) for predicate in predicates])


def _read_condition(_: Action | None, text: str) -> Percept:
    if match := _NORMAL.fullmatch(text):
        # A dish hides its own state, and what lies in it is nowhere else in this vocabulary.
        names = _listed(match[2])
        return NOTHING if names is None else Percept(_types(match[1], *names))
    match = _CONDITION.fullmatch(text)
    if match is None:
        return NOTHING
    return _condition(match[2] or match[3], match[1] or match[4])


def _read_not_special(_: Action | None, text: str) -> Percept:
    match = _NOT_SPECIAL.fullmatch(text)
    return _condition(match[1], "nothing special") if match else NOTHING


def _read_carrying(_: Action | None, text: str) -> Percept:
    if text == "You are not carrying anything.":
        return Percept(false=frozenset([EMPTY_HANDED]))
    match = _CARRYING.fullmatch(text)
    if match is None:
        return NOTHING
    return Percept(_types(match[1]), _unary(["holding"], match[1]), frozenset([EMPTY_HANDED]))


def _read_refusal(_: Action | None, text: str) -> Percept:
    return REFUSED if text == "Nothing happens." else NOTHING


_PUT: tuple[_Facts, _Facts] = ([("in", (0, 1))], [("holding", (0,))])

_READERS: dict[str, Reader] = {
    "Nothing happens.": _read_refusal,
    "On the": _read_view,
    "The": _read_view,
    "You arrive": _read_arrival,
    "You open": _read_opened,
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
    "You are": _either(_read_facing, _read_carrying, _read_middle),
    "-=": _read_banner,
    "This": _read_condition,
    "There's nothing": _read_not_special,
}
