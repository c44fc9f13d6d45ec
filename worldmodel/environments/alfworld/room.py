"""What stays the same while a game is played, and the state that does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from rules.errors import WorldModelError
from worldmodel.environments.alfworld.game import Game
from worldmodel.environments.alfworld.goal_check import GoalCompiler, Test

Names = frozenset[str]
Pairs = frozenset[tuple[str, str]]


class State(NamedTuple):
    """One moment of a game. An immutable value: a change makes a new one that shares the rest.

    contents: receptacle -> what is in it, in the order in which it is listed. lying: the object and
    location pairs that slicing and `look` go by, which are not always where the object is listed.
    taken: the object and receptacle pairs that a `take` has parted and no `put` has joined again.
    """

    at: str
    held: str | None
    opened: Names
    contents: dict[str, tuple[str, ...]]
    lying: Pairs
    taken: Pairs
    clean: Names
    hot: Names
    cool: Names
    sliced: Names
    toggled: Names


class Room:
    """A game, compiled for play: everything by displayed name, listed in the order of the file's ids."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.facts: dict[str, list[tuple[str, ...]]] = {}
        for predicate, *arguments in sorted(game.problem.facts):
            self.facts.setdefault(predicate, []).append(tuple([game.names[a] for a in arguments]))
        self.rank = {name: rank for rank, name in enumerate(game.names.values())}

        self.location_of = dict(self._pairs("receptacleatlocation"))
        if len(self.location_of) < len(self.facts.get("receptacleatlocation", ())):
            raise WorldModelError(f"{game.id}: a receptacle stands at two locations; expected one for each")
        self.receptacles_at: dict[str, tuple[str, ...]] = {}
        for receptacle, location in self.location_of.items():
            here = self.receptacles_at.get(location, ())
            self.receptacles_at[location] = (*here, receptacle)

        self.openable = self._names("openable")
        self.pickupable = self._names("pickupable")
        self.toggleable = self._names("toggleable")
        self.sliceable = self._names("sliceable")
        self.vessels = self._names("isreceptacleobject")
        self.inside = self._pairs("inreceptacleobject")
        self._read_types()
        self.start = self._start()
        self.reached = self._goal()

        always = ["inventory", "look"] + ["help"] * game.wording.has_help
        locations = {*self.receptacles_at, self.start.at}
        self.ways = {location: always + self._ways(location) for location in locations}
        """location -> the commands that are admissible there whatever else holds."""

    def fits(self, thing: str, receptacle: str) -> bool:
        """Whether the kind of the receptacle may hold the kind of the thing."""
        return not self._kinds.get(thing, _NONE).isdisjoint(self._accepts.get(receptacle, _NONE))

    def treatments(self, thing: str, receptacle: str) -> list[str]:
        """Which of clean, heat and cool the receptacle does to the thing."""
        return [verb for verb, things in self._stations.get(receptacle, ()) if thing in things]

    def in_order(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(names, key=self.rank.__getitem__))

    def _ways(self, location: str) -> list[str]:
        elsewhere = [f"go to {r}" for r, place in self.location_of.items() if place != location]
        return elsewhere + [f"examine {r}" for r in self.receptacles_at.get(location, ())]

    def _rows(self, predicate: str, arity: int) -> Iterator[tuple[str, ...]]:
        for row in self.facts.get(predicate, ()):
            if len(row) != arity:
                raise WorldModelError(
                    f"{self.game.id}: {predicate} takes {arity} argument(s), found ({', '.join(row)})"
                )
            yield row

    def _names(self, predicate: str) -> Names:
        return frozenset([name for (name,) in self._rows(predicate, 1)])

    def _pairs(self, predicate: str) -> list[tuple[str, str]]:
        return [(a, b) for a, b in self._rows(predicate, 2)]

    def _read_types(self) -> None:
        self._kinds: dict[str, Names] = {}
        for thing, kind in self._pairs("objecttype"):
            self._kinds[thing] = self._kinds.get(thing, _NONE) | {kind}
        self.knives = frozenset([o for o, kinds in self._kinds.items() if not _KNIVES.isdisjoint(kinds)])
        contained: dict[str, set[str]] = {}
        for kind, object_kind in self._pairs("cancontain"):
            contained.setdefault(kind, set()).add(object_kind)
        self._accepts: dict[str, Names] = {}
        self._stations: dict[str, tuple[tuple[str, Names], ...]] = {}
        treatable = {verb: self._names(f"{verb}able") for verb in ("clean", "heat", "cool")}
        for receptacle, kind in self._pairs("receptacletype"):
            self._accepts[receptacle] = self._accepts.get(receptacle, _NONE) | contained.get(kind, set())
            if kind in _STATIONS:
                station = (_STATIONS[kind], treatable[_STATIONS[kind]])
                self._stations[receptacle] = (*self._stations.get(receptacle, ()), station)

    def _start(self) -> State:
        at, held = self._pairs("atlocation"), self._pairs("holds")
        if len(at) != 1:
            raise WorldModelError(f"{self.game.id}: expected one agent at one location, found {len(at)}")
        if len(held) > 1 or len(held) != len(self._names("holdsany")):
            raise WorldModelError(
                f"{self.game.id}: an agent that holds something holds one thing and holdsAny"
            )
        contents: dict[str, tuple[str, ...]] = dict.fromkeys(self.location_of, ())
        for thing, receptacle in self._pairs("inreceptacle"):
            contents[receptacle] = (*contents.get(receptacle, ()), thing)
        return State(
            at=at[0][1],
            held=held[0][1] if held else None,
            opened=self._names("opened"),
            contents=contents,
            lying=frozenset(self._pairs("objectatlocation")),
            taken=frozenset(),
            clean=self._names("isclean"),
            hot=self._names("ishot"),
            cool=self._names("iscool"),
            sliced=self._names("issliced"),
            toggled=self._names("istoggled"),
        )

    def _goal(self) -> Test[State]:
        problem = self.game.problem
        static = [fact for fact in problem.facts if fact[0] not in _FLUENTS]
        names = self.game.names

        def by_name(make: Callable[..., Test[State]]) -> Callable[..., Test[State]]:
            return lambda *ids: make(*[names.get(id, id) for id in ids])

        fluents = {predicate: by_name(make) for predicate, make in _FLUENTS.items()}
        return GoalCompiler(problem.objects, static, fluents, self.game.id).compile(problem.goal)


_NONE: Names = frozenset()
_KNIVES = frozenset({"knifetype ", "butterknifetype "})  # a type's name ends in an empty number
_STATIONS = {
    "sinktype ": "clean",
    "sinkbasintype ": "clean",
    "microwavetype ": "heat",
    "fridgetype ": "cool",
}
_FLUENTS: dict[str, Callable[..., Test[State]]] = {
    "atlocation": lambda a, l: lambda state: state.at == l,  # noqa: E741
    "inreceptacle": lambda o, r: lambda state: o in state.contents.get(r, ()),
    "objectatlocation": lambda o, l: lambda state: (o, l) in state.lying,  # noqa: E741
    "holds": lambda a, o: lambda state: state.held == o,
    "holdsany": lambda a: lambda state: state.held is not None,
    "opened": lambda r: lambda state: r in state.opened,
    "isclean": lambda o: lambda state: o in state.clean,
    "ishot": lambda o: lambda state: o in state.hot,
    "iscool": lambda o: lambda state: o in state.cool,
    "issliced": lambda o: lambda state: o in state.sliced,
    "istoggled": lambda o: lambda state: o in state.toggled,
}
