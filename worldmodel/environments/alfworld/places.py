"""What ALFWorld's sentences about places say: arrivals, views, the opening, `look`."""

from __future__ import annotations

import re

from rules.logic import WILDCARD, Action, Atom
from worldmodel.environments.alfworld.names import NAME, listed, listed_bare, types
from worldmodel.environments.base import Percept

NOTHING = Percept()
"""What a text says that is none of the environment's sentences."""

EMPTY_HANDED = Atom("holding", (WILDCARD,))
_NOWHERE = Atom("at", (WILDCARD,))

_VIEW = re.compile(
    rf"On the ({NAME}), you see ([^.\n]*)\.|The ({NAME}) is (?:closed|open\. In it, you see ([^.\n]*))\."
)
_ARRIVAL = re.compile(rf"You arrive at ({NAME})\. (.*)")
_OPENING = re.compile(rf"You open the ({NAME})\. (.*)")
_FACING = re.compile(r"You are facing the ([^.\n]*)\. Next to it, you see ([^.\n]*)\.")
_MIDDLE = re.compile(
    r"You are in the middle of a room\. Looking quickly around you, you see ([^.\n]*)\."
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
        return place, Percept(types(place), frozenset([openable]), frozenset([is_open]))
    else:
        true, false = [openable, is_open], []
    names = listed(on_it if surface else in_it)
    if names is None:
        return None
    everything = Atom("in", (WILDCARD, place))
    true += [Atom("in", (name, place)) for name in names]
    return place, Percept(
        types(place, *names), frozenset(true), frozenset([*false, everything]), {everything: names}
    )


def _arrived(place: str, view: Percept) -> Percept:
    at = Atom("at", (place,))
    return Percept(view.objects, view.true | {at}, view.false | {_NOWHERE}, view.contents)


def read_view(action: Action | None, text: str) -> Percept:
    """What is on or in a place. After going there, a bare view also says that the agent arrived."""
    seen = _view(text)
    if seen is None:
        return NOTHING
    place, percept = seen
    return _arrived(place, percept) if action == ("go_to", (place,)) else percept


def read_arrival(_: Action | None, text: str) -> Percept:
    """``You arrive at desk 1.``, and what can be seen there."""
    match = _ARRIVAL.fullmatch(text)
    seen = match and _view(match[2])
    # Old games name the location ("loc 12"), not the furniture.
    if not match or not seen or not (match[1] == seen[0] or match[1].startswith("loc ")):
        return NOTHING
    return _arrived(*seen)


def read_opened(_: Action | None, text: str) -> Percept:
    """``You open the drawer 1.``, and what is in it."""
    match = _OPENING.fullmatch(text)
    seen = match and _view(match[2])
    return seen[1] if match and seen and seen[0] == match[1] else NOTHING


def read_middle(_: Action | None, text: str) -> Percept:
    """The opening text, or `look` before the first move.

    The agent feels where it stands and what is in its hands, and an episode starts at no furniture with
    empty hands: the opening denies both, though it does not put it in words.
    """
    match = _MIDDLE.fullmatch(text)
    names = listed(match[1]) if match else None
    if match is None or names is None:
        return NOTHING
    return Percept(types(*names), false=frozenset([_NOWHERE, EMPTY_HANDED] if match[2] else [_NOWHERE]))


def read_banner(action: Action | None, text: str) -> Percept:
    """The opening text of a game, from the banner on."""
    return read_middle(action, _BANNER.sub("", text, count=1))


def read_facing(_: Action | None, text: str) -> Percept:
    """`look`: the places at hand, and what lies in none of them."""
    match = _FACING.fullmatch(text)
    if match is None:
        return NOTHING
    places, names = listed_bare(match[1]), listed(match[2])
    if places is None or names is None:
        return NOTHING
    at = frozenset([Atom("at", (place,)) for place in places])
    return Percept(types(*places, *names), at, frozenset([_NOWHERE]))
