"""A room as the generator sees it: furniture, objects, where each stands, and the names the text uses."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from worldmodel.environments.alfworld.game import demangle


@dataclass(frozen=True, slots=True, eq=False)
class Receptacle:
    """A piece of furniture. Several may share a location: the agent reaches them all from there."""

    id: str
    type: str
    location: str
    openable: bool


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    """An object. `receptacles` is empty for what lies on the floor, and rarely holds two (quirk 5)."""

    id: str
    type: str
    location: str
    receptacles: tuple[Receptacle, ...] = ()
    cold: bool = False


@dataclass(slots=True)
class Scene:
    """A furnished room. `locations` are all the places to stand; at `start` stands no furniture."""

    room: str
    receptacles: list[Receptacle] = field(default_factory=list)
    things: list[Thing] = field(default_factory=list)
    locations: list[str] = field(default_factory=list)
    start: str = ""

    def receptacles_of(self, kind: str) -> list[Receptacle]:
        return [receptacle for receptacle in self.receptacles if receptacle.type == kind]

    def things_of(self, kind: str) -> list[Thing]:
        return [thing for thing in self.things if thing.type == kind]

    def names(self) -> dict[str, str]:
        """id -> the name in the text."""
        ids = [receptacle.id for receptacle in self.receptacles] + [thing.id for thing in self.things]
        shown = demangle(id.lower() for id in ids)
        return {id: shown[id.lower()] for id in ids}


class Ids:
    """Draws ids as the simulator writes them, each only once: a type and three coordinates in metres."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._used: set[str] = set()

    def draw(self, kind: str, near: tuple[int, int] | None = None) -> tuple[str, tuple[int, int]]:
        """An id, and where on the floor (in centimetres): at `near`, or anywhere."""
        while True:
            x, z = near or (self._rng.randrange(-350, 351), self._rng.randrange(-350, 351))
            body = "_bar_".join(_metres(value) for value in (x, self._rng.randrange(0, 221), z))
            stem = kind.removesuffix("Basin")
            name = f"{stem}_bar_{body}" if stem == kind else f"{stem}_bar_{body}_bar_{kind}"
            if name not in self._used:
                self._used.add(name)
                return name, (x, z)

    def location(self) -> str:
        """A place to stand: grid cell, heading, and how far the head is bent."""
        while True:
            cell = [self._rng.randrange(-12, 13) for _ in range(2)]
            pose = [*cell, self._rng.randrange(4), self._rng.choice((-30, 0, 15, 30, 45, 60))]
            name = "_bar_".join(["loc", *(f"_minus_{-n}" if n < 0 else str(n) for n in pose)])
            if name not in self._used:
                self._used.add(name)
                return name


def _metres(centimetres: int) -> str:
    sign = "_plus_" if centimetres > 0 else "_minus_" if centimetres < 0 else ""
    whole, rest = divmod(abs(centimetres), 100)
    return f"{sign}{whole:02d}_dot_{rest:02d}"
