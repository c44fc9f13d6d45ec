"""What lies about in a room, and where: each kind of object with its usual places (`habits.txt`)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from worldmodel.environments.alfworld.generation.scene import Ids, Receptacle, Scene, Thing

# (object, where it stands) -> (chance that a second receptacle holds it too, which types that may be)
_ALSO: Mapping[tuple[str, str], tuple[float, str]] = {
    ("Mug", "CoffeeMachine"): (0.85, "CounterTop CounterTop CounterTop CounterTop DiningTable"),
    ("Pan", "StoveBurner"): (0.6, "StoveBurner CounterTop"),
    ("Pot", "StoveBurner"): (0.2, "StoveBurner StoveBurner StoveBurner StoveBurner CounterTop"),
    ("HandTowel", "HandTowelHolder"): (0.04, "CounterTop"),
    ("Towel", "TowelHolder"): (0.03, "CounterTop"),
    ("KeyChain", "Safe"): (0.5, "Dresser Cabinet"),
}
_COLD_IN_FRIDGE = 0.04
_FLOOR = "Floor"


class Habit(NamedTuple):
    """One line of the file. `places` holds receptacle types with weights."""

    kind: str
    counts: tuple[int, ...]
    places: tuple[tuple[str, int], ...]


@lru_cache(maxsize=1)
def habits() -> Mapping[str, list[Habit]]:
    """room -> its habits, in the order of the file."""
    text = (files(__package__) / "habits.txt").read_text(encoding="utf-8")
    rooms: dict[str, list[Habit]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            room = rooms.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            kind, counts, *rest = line.split()
            places = tuple(zip(rest[::2], map(int, rest[1::2]), strict=True))
            room.append(Habit(kind, tuple(map(int, counts)), places))
    return rooms


def furnish(scene: Scene, rng: random.Random, ids: Ids) -> None:
    """Put objects into a room, each where its habit says, among the furniture that stands there."""
    for habit in habits()[scene.room]:
        places = [
            (kind, weight) for kind, weight in habit.places if kind == _FLOOR or scene.receptacles_of(kind)
        ]
        if not places:
            continue
        kinds, weights = zip(*places, strict=True)
        for kind in rng.choices(kinds, weights, k=rng.choice(habit.counts)):
            held = () if kind == _FLOOR else _held(habit.kind, kind, scene, rng)
            location = held[0].location if held else rng.choice(scene.locations)
            cold = kind == "Fridge" and rng.random() < _COLD_IN_FRIDGE
            scene.things.append(Thing(ids.draw(habit.kind)[0], habit.kind, location, held, cold))


def _held(kind: str, place: str, scene: Scene, rng: random.Random) -> tuple[Receptacle, ...]:
    """A receptacle of type `place`, and for some objects a second one that lists it too."""
    first = rng.choice(scene.receptacles_of(place))
    chance, others = _ALSO.get((kind, place), (0.0, ""))
    if rng.random() >= chance:
        return (first,)
    second = [r for r in scene.receptacles_of(rng.choice(others.split())) if r is not first]
    return (first, rng.choice(second)) if second else (first,)
