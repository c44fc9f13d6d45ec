"""The shortest walkthrough of a task, found by writing down every sensible one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

from worldmodel.environments.alfworld.generation.scene import Receptacle, Scene, Thing
from worldmodel.environments.alfworld.generation.tasks import LOOK, TREATMENTS, TWO, Task, reachable


class _Errand(NamedTuple):
    """An object, where to take it from, and where its treatment is done (None: it needs none)."""

    thing: Thing
    source: Receptacle
    station: Receptacle | None = None


def walkthrough(task: Task, scene: Scene) -> list[str]:
    """Commands that win with the last one; a scene in which the task is open has at least one such list."""
    return min(_walkthroughs(task, scene), key=len)


def _walkthroughs(task: Task, scene: Scene) -> Iterator[list[str]]:
    names = scene.names()
    errands = list(_errands(task, scene))
    if task.type == LOOK:
        lamps = [(lamp, stand) for lamp in scene.things_of(task.place) for stand in lamp.receptacles]
        for errand, (lamp, stand) in product(errands, lamps):
            walk = _Walk(scene.start, names)
            walk.fetch(errand)
            walk.go(stand)
            yield [*walk.commands, f"use {names[lamp.id]}"]
        return
    rounds = product(errands, errands) if task.type == TWO else ((errand,) for errand in errands)
    for errands_run, target in product(rounds, scene.receptacles_of(task.place)):
        if len({errand.thing for errand in errands_run}) == len(errands_run):
            walk = _Walk(scene.start, names)
            for errand in errands_run:
                walk.deliver(errand, target, task)
            yield walk.commands


def _errands(task: Task, scene: Scene) -> Iterator[_Errand]:
    for thing in reachable(task, scene):
        treatment = task.treatment(thing)
        stations = scene.receptacles_of(treatment.station) if treatment else [None]
        for source, station in product(thing.receptacles, stations):
            yield _Errand(thing, source, station)


class _Walk:
    """A walkthrough in the making: the commands so far, where the agent is, and what it has opened."""

    def __init__(self, start: str, names: Mapping[str, str]) -> None:
        self.commands: list[str] = []
        self._at = start
        self._names = names
        self._opened: set[str] = set()

    def go(self, receptacle: Receptacle) -> None:
        """Walk there, unless it is reached from where the agent stands."""
        if self._at != receptacle.location:
            self.commands.append(f"go to {self._names[receptacle.id]}")
            self._at = receptacle.location

    def fetch(self, errand: _Errand) -> None:
        self._reach_into(errand.source)
        self.commands.append(f"take {self._names[errand.thing.id]} from {self._names[errand.source.id]}")

    def deliver(self, errand: _Errand, target: Receptacle, task: Task) -> None:
        """Bring the object, treated, to `target`, unless that still lists it as its other place (quirk 5)."""
        thing, source, station = errand
        self.fetch(errand)
        if station is not None:
            self.go(station)
            verb = TREATMENTS[task.type].verb
            self.commands.append(f"{verb} {self._names[thing.id]} with {self._names[station.id]}")
        if target is source or target not in thing.receptacles:
            self._reach_into(target)
            self.commands.append(f"move {self._names[thing.id]} to {self._names[target.id]}")

    def _reach_into(self, receptacle: Receptacle) -> None:
        self.go(receptacle)
        if receptacle.openable and receptacle.id not in self._opened:
            self.commands.append(f"open {self._names[receptacle.id]}")
            self._opened.add(receptacle.id)
