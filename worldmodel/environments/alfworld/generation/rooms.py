"""Empty rooms: which furniture stands there, and which pieces are reached from the same spot.

The tables were written by hand; they agree roughly with the rooms of ALFWorld's training split.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from worldmodel.environments.alfworld.generation.scene import Ids, Receptacle, Scene
from worldmodel.environments.alfworld.vocabulary import OPENABLE

ROOMS: tuple[str, ...] = ("kitchen", "living", "bedroom", "bathroom")

# room -> receptacle type -> how many there may be; each number listed is as likely as the next.
_COUNTS: Mapping[str, Mapping[str, str]] = {
    "kitchen": {
        "Cabinet": "4 6 8 9 10 11 12 13 14 16 18 20",
        "Drawer": "1 3 3 3 4 4 5 5 6 7 9 12",
        "CounterTop": "1 1 2 2 2 3 3 4",
        "StoveBurner": "4",
        "Fridge": "1",
        "Microwave": "1",
        "SinkBasin": "1",
        "GarbageCan": "1",
        "Toaster": "1",
        "CoffeeMachine": "1",
        "DiningTable": "0 0 1 1 1 2",
        "Shelf": "0 0 0 0 0 3",
        "SideTable": "0 0 0 0 0 0 0 1",
        "Safe": "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1",
    },
    "living": {
        "Sofa": "1 1 1 2",
        "ArmChair": "0 1 1 1 1 2 2",
        "CoffeeTable": "0 1 1 1 1 2",
        "SideTable": "0 1 1 2 2 3",
        "TVStand": "0 0 1",
        "DiningTable": "0 0 1 1 2",
        "Dresser": "0 0 1",
        "Drawer": "0 1 1 2 4 4 6 7",
        "Shelf": "0 0 0 0 2 4 6 10",
        "Cabinet": "0 0 0 0 0 0 0 4",
        "GarbageCan": "1",
        "Ottoman": "0 0 0 0 1",
        "Desk": "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1",
        "Safe": "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1",
    },
    "bedroom": {
        "Bed": "1 1 1 1 1 2",
        "Desk": "0 0 1 1 1",
        "SideTable": "0 0 1 1 1 2",
        "Dresser": "0 1",
        "Drawer": "2 2 2 3 4 5 6 10 12",
        "Shelf": "0 0 1 1 2 5 6 9",
        "GarbageCan": "1",
        "ArmChair": "0 0 0 0 1",
        "LaundryHamper": "0 0 0 1",
        "DiningTable": "0 0 0 0 0 1",
        "Safe": "0 0 0 0 0 1",
        "Cabinet": "0 0 0 0 0 0 2 4",
        "CounterTop": "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1",
    },
    "bathroom": {
        "Toilet": "1",
        "SinkBasin": "1 2",
        "BathtubBasin": "0 1 1",
        "CounterTop": "0 1 1 1 1 2",
        "Cabinet": "0 0 2 3 4 4 4 5",
        "Drawer": "0 0 0 1 2 4 6 8",
        "Shelf": "0 0 0 0 1 2",
        "GarbageCan": "1",
        "HandTowelHolder": "1 1 2",
        "TowelHolder": "1 1 2",
        "ToiletPaperHanger": "1",
        "SideTable": "0 0 0 0 0 0 0 0 0 1",
        "Cart": "0 0 0 0 0 0 0 0 0 1",
        "Dresser": "0 0 0 0 0 0 0 0 0 1",
    },
}

# receptacle type -> (what it may stand by, the chance that it is reached from there)
_SHARES: Mapping[str, tuple[tuple[str, float], ...]] = {
    "StoveBurner": (("StoveBurner", 0.6),),
    "Cabinet": (("Cabinet", 0.16), ("GarbageCan", 0.01)),
    "Drawer": (("Drawer", 0.2), ("Cabinet", 0.02), ("Dresser", 0.05), ("SideTable", 0.04)),
    "Shelf": (("Shelf", 0.12), ("TVStand", 0.08)),
    "Toaster": (("CounterTop", 0.3),),
    "CoffeeMachine": (("CounterTop", 0.25),),
    "ToiletPaperHanger": (("GarbageCan", 0.04),),
    "TowelHolder": (("HandTowelHolder", 0.04),),
}
# Furniture that others stand by comes first.
_FIRST = ("CounterTop", "GarbageCan", "TVStand", "Dresser", "SideTable", "HandTowelHolder", "Cabinet")


def empty_room(room: str, rng: random.Random, ids: Ids) -> Scene:
    """A room of this kind without objects; its locations hold a few spots where nothing stands."""
    scene = Scene(room)
    counts = _COUNTS[room]
    spots: dict[Receptacle, tuple[int, int]] = {}
    for kind in sorted(counts, key=lambda kind: (kind not in _FIRST, kind)):
        for _ in range(int(rng.choice(counts[kind].split()))):
            neighbour = _neighbour(kind, scene, rng)
            name, spot = ids.draw(kind, spots[neighbour] if neighbour else None)
            location = neighbour.location if neighbour else ids.location()
            receptacle = Receptacle(name, kind, location, rng.random() < OPENABLE.get(kind, 0.0))
            spots[receptacle] = spot
            scene.receptacles.append(receptacle)
    free = [ids.location() for _ in range(rng.randrange(6, 13))]
    scene.locations = [*dict.fromkeys(r.location for r in scene.receptacles), *free]
    scene.start = free[0]
    return scene


def _neighbour(kind: str, scene: Scene, rng: random.Random) -> Receptacle | None:
    """The piece that the next one of this kind shares its location with, if it shares one."""
    for partner, chance in _SHARES.get(kind, ()):
        there = scene.receptacles_of(partner)
        if there and rng.random() < chance:
            return there[-1] if partner == kind else rng.choice(there)
    return None
