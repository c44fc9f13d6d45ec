"""A scene and its task as a PDDL problem of ALFWorld's domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from worldmodel.environments.alfworld.generation.scene import Scene, Thing
from worldmodel.environments.alfworld.generation.tasks import Task, goal
from worldmodel.environments.alfworld.vocabulary import (
    CLEANABLE,
    COOLABLE,
    FITS,
    FIXTURES,
    HEATABLE,
    LAMPS,
    OBJECT_TYPES,
    RECEPTACLE_OBJECTS,
    RECEPTACLE_TYPES,
    SLICEABLE,
    TOGGLEABLE,
)

_FLAGS: Mapping[str, frozenset[str]] = {
    "pickupable": frozenset(OBJECT_TYPES),
    "isReceptacleObject": RECEPTACLE_OBJECTS,
    "cleanable": CLEANABLE,
    "heatable": HEATABLE,
    "coolable": COOLABLE,
    "sliceable": SLICEABLE,
    "toggleable": TOGGLEABLE,
}


def problem(name: str, scene: Scene, task: Task) -> str:
    """The text of the problem. Every type that the domain names is declared, as its translator wants."""
    objects = "\n".join(_objects(scene))
    facts = "\n".join(_facts(scene))
    return (
        f"(define (problem {name})\n(:domain alfred)\n(:objects\n{objects}\n)\n"
        f"(:init\n{facts}\n)\n{goal(task)}\n)\n"
    )


def _objects(scene: Scene) -> Iterator[str]:
    yield "agent1 - agent"
    for kind in sorted([*OBJECT_TYPES, *LAMPS, *FIXTURES]):
        yield f"{kind}Type - otype"
    for kind in sorted(RECEPTACLE_TYPES):
        yield f"{kind}Type - rtype"
    for thing in sorted(scene.things, key=lambda thing: thing.id):
        yield f"{thing.id} - object"
    for receptacle in sorted(scene.receptacles, key=lambda receptacle: receptacle.id):
        yield f"{receptacle.id} - receptacle"
    for location in scene.locations:
        yield f"{location} - location"


def _facts(scene: Scene) -> Iterator[str]:
    for receptacle in scene.receptacles:
        yield f"(receptacleType {receptacle.id} {receptacle.type}Type)"
        yield f"(receptacleAtLocation {receptacle.id} {receptacle.location})"
        if receptacle.openable:
            yield f"(openable {receptacle.id})"
    kinds = sorted({thing.type for thing in scene.things})
    for place in sorted({receptacle.type for receptacle in scene.receptacles}):
        for kind in kinds:
            if kind in FITS[place]:
                yield f"(canContain {place}Type {kind}Type)"
    for thing in scene.things:
        yield from _thing_facts(thing)
    yield f"(atLocation agent1 {scene.start})"


def _thing_facts(thing: Thing) -> Iterator[str]:
    yield f"(objectType {thing.id} {thing.type}Type)"
    for flag, kinds in _FLAGS.items():
        if thing.type in kinds:
            yield f"({flag} {thing.id})"
    yield f"(objectAtLocation {thing.id} {thing.location})"
    for receptacle in thing.receptacles:
        yield f"(inReceptacle {thing.id} {receptacle.id})"
    if thing.cold and thing.type in COOLABLE:
        yield f"(isCool {thing.id})"
