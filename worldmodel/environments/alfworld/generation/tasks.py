"""The six kinds of task: where they are set, when one is open in a scene, its sentence and its PDDL goal."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from worldmodel.environments.alfworld.generation.scene import Scene, Thing
from worldmodel.environments.alfworld.vocabulary import (
    CLEANABLE,
    COOLABLE,
    FITS,
    HEATABLE,
    LAMPS,
    OBJECT_TYPES,
)

PLACE, LOOK, TWO = "pick_and_place_simple", "look_at_obj_in_light", "pick_two_obj_and_place"
CLEAN, HEAT, COOL = (f"pick_{verb}_then_place_in_recep" for verb in ("clean", "heat", "cool"))


@dataclass(frozen=True, slots=True)
class Treatment:
    """What is done to the object on its way: the verb, where, to which types, and the PDDL of it."""

    verb: str
    station: str
    kinds: frozenset[str]
    able: str
    state: str
    adjective: str


TREATMENTS: Mapping[str, Treatment] = {
    CLEAN: Treatment("clean", "SinkBasin", CLEANABLE, "cleanable", "isClean", "clean"),
    HEAT: Treatment("heat", "Microwave", HEATABLE, "heatable", "isHot", "hot"),
    COOL: Treatment("cool", "Fridge", COOLABLE, "coolable", "isCool", "cool"),
}

SETTINGS: Mapping[str, Mapping[str, int]] = {
    PLACE: {"kitchen": 8, "living": 21, "bedroom": 24, "bathroom": 26},
    LOOK: {"bedroom": 25, "living": 6},
    CLEAN: {"kitchen": 50, "bathroom": 15},
    HEAT: {"kitchen": 46},
    COOL: {"kitchen": 53},
    TWO: {"kitchen": 12, "living": 22, "bedroom": 24, "bathroom": 23},
}
"""Task type -> the rooms it is set in, with how common that is."""

# No task asks to leave something here.
_NEVER_TARGETS = frozenset({"SinkBasin", "BathtubBasin", "HandTowelHolder", "TowelHolder"})


@dataclass(frozen=True, slots=True)
class Task:
    """One task: its type, the object type, and the receptacle type (the lamp type, for a look)."""

    type: str
    target: str
    place: str

    @property
    def code(self) -> str:
        """As in the names of ALFWorld's game folders."""
        return f"{self.type}-{self.target}-None-{self.place}"

    def parameters(self) -> dict[str, str | bool]:
        """ALFRED's `pddl_params`, which the handcoded expert reads."""
        look = self.type == LOOK
        return {
            "mrecep_target": "",
            "object_sliced": False,
            "object_target": self.target,
            "parent_target": "" if look else self.place,
            "toggle_target": self.place if look else "",
        }

    def treatment(self, thing: Thing) -> Treatment | None:
        """What must still be done to the object before it is put down, if anything."""
        return None if self.type == COOL and thing.cold else TREATMENTS.get(self.type)


def open_tasks(task_type: str, scene: Scene) -> list[Task]:
    """Every task of this type that can be done in the scene and is not done already."""
    within_reach = [thing for thing in scene.things if thing.receptacles]
    present = {thing.type for thing in within_reach}
    targets = [kind for kind in OBJECT_TYPES if kind in present]
    if task_type == LOOK:
        return [Task(LOOK, kind, lamp) for lamp in LAMPS if lamp in present for kind in targets]
    treatment = TREATMENTS.get(task_type)
    if treatment:
        targets = [kind for kind in targets if kind in treatment.kinds]
    if treatment and not scene.receptacles_of(treatment.station):
        return []
    places = dict.fromkeys(receptacle.type for receptacle in scene.receptacles)
    closed = _NEVER_TARGETS | {treatment.station if treatment else ""}
    tasks = [
        Task(task_type, kind, p) for p in places if p not in closed for kind in targets if kind in FITS[p]
    ]
    return [task for task in tasks if _needs_work(task, scene)]


def _needs_work(task: Task, scene: Scene) -> bool:
    """Whether enough objects are within reach and the goal does not hold yet."""
    things = reachable(task, scene)
    done = [thing for thing in things if task.treatment(thing) is None and _stands_at(thing, task.place)]
    # Of two, even one in place already is too many: ALFWorld never begins so.
    return not done and len(things) >= (2 if task.type == TWO else 1)


def _stands_at(thing: Thing, place: str) -> bool:
    return any(receptacle.type == place for receptacle in thing.receptacles)


def reachable(task: Task, scene: Scene) -> list[Thing]:
    """The objects of the target type that can be taken."""
    return [thing for thing in scene.things_of(task.target) if thing.receptacles]


_SENTENCES: Mapping[str, tuple[str, str]] = {
    PLACE: ("put a {target} in {place}.", "put some {target} on {place}."),
    LOOK: ("look at {target} under the {place}.", "examine the {target} with the {place}."),
    TWO: ("put two {target} in {place}.", "find two {target} and put them in {place}."),
}
_TREATED_SENTENCES = ("put a {adjective} {target} in {place}.", "{verb} some {target} and put it in {place}.")


def sentence(task: Task, rng: random.Random) -> str:
    """The task in words: one of the two wordings that ALFWorld has for its type."""
    treatment = TREATMENTS.get(task.type)
    words = {"target": task.target.lower(), "place": task.place.lower()}
    if treatment:
        words.update(adjective=treatment.adjective, verb=treatment.verb)
    return rng.choice(_SENTENCES.get(task.type, _TREATED_SENTENCES)).format_map(words)


_LOOK_GOAL = """
(and
    (exists (?ot - object ?r - receptacle ?a - agent ?l - location)
        (and (objectType ?ot {place}Type) (toggleable ?ot) (isToggled ?ot)
             (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?ot ?r)))
    (exists (?o - object ?a - agent)
        (and (objectType ?o {target}Type) (holds ?a ?o))))"""
_STORED_GOAL = """
(and (exists (?r - receptacle) (exists (?o - object)
    (and {treated} (inReceptacle ?o ?r) (objectType ?o {target}Type) (receptacleType ?r {place}Type)))))"""
_TWO_GOAL = """
(and (exists (?r - receptacle) (exists (?o1 - object)
    (and (objectType ?o1 {target}Type) (receptacleType ?r {place}Type) (inReceptacle ?o1 ?r)
        (exists (?o2 - object)
            (and (not (= ?o1 ?o2)) (objectType ?o2 {target}Type) (receptacleType ?r {place}Type)
                 (inReceptacle ?o2 ?r)))))))"""


def goal(task: Task) -> str:
    """The PDDL goal, in the form that ALFWorld gives this type of task."""
    treatment = TREATMENTS.get(task.type)
    form = {LOOK: _LOOK_GOAL, TWO: _TWO_GOAL}.get(task.type, _STORED_GOAL)
    treated = f"({treatment.able} ?o) ({treatment.state} ?o)" if treatment else ""
    return f"(:goal {form.format(target=task.target, place=task.place, treated=treated)})"
