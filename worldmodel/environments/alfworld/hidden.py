"""The hidden state of a game as it starts, in the perception's vocabulary. No player may read it."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations

from rules.logic import WILDCARD, Atom, State
from worldmodel.environments.alfworld.game import Game
from worldmodel.environments.alfworld.names import types
from worldmodel.environments.alfworld.perception import PREDICATES
from worldmodel.environments.alfworld.room import Room
from worldmodel.environments.registry import Hidden


def hidden(game: Game) -> Hidden:
    """All that holds at the start; whatever is not stated does not. Raises what reading the room raises."""
    room = Room(game)
    start = room.start
    things = {thing for inside in start.contents.values() for thing in inside}
    things |= {thing for thing, _ in start.lying}
    true = {Atom("in", (thing, place)) for place, things in start.contents.items() for thing in things}
    true |= {Atom("at", (place,)) for place in room.receptacles_at.get(start.at, ())}
    properties: list[tuple[str, Collection[str]]] = [
        ("holding", [start.held] if start.held else []),
        ("open", start.opened),
        ("openable", room.openable),
        ("hot", start.hot),
        ("cool", start.cool),
        ("clean", start.clean),
        ("on", start.toggled),
        ("sliced", start.sliced),
        ("vessel", room.vessels & things),
    ]
    for predicate, having in properties:
        true |= {Atom(predicate, (name,)) for name in having}
    nothing_else = [Atom(predicate, (WILDCARD,) * len(args)) for predicate, args in PREDICATES.items()]
    contents = [Atom("in", (WILDCARD, place)) for place in room.location_of]
    names = room.in_order({*things, *room.location_of} & room.rank.keys())
    pairs = [
        ("at", a, b) for places in room.receptacles_at.values() for a, b in combinations(sorted(places), 2)
    ]
    return Hidden(State(types(*names), true, [*nothing_else, *contents]), frozenset(pairs))
