"""New ALFWorld games without the simulator: unseen rooms, their objects, a task, and how to win.

    for document in generate(100, seed=7): ...

A document plays in the fast engine as it is; `complete` adds what the official engine wants too.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import Any

from rules.errors import WorldModelError
from worldmodel.environments.alfworld.game import Game
from worldmodel.environments.alfworld.generation.furnishing import furnish
from worldmodel.environments.alfworld.generation.problems import problem
from worldmodel.environments.alfworld.generation.rooms import ROOMS, empty_room
from worldmodel.environments.alfworld.generation.scene import Ids, Scene
from worldmodel.environments.alfworld.generation.tasks import SETTINGS, Task, open_tasks, sentence
from worldmodel.environments.alfworld.generation.walkthroughs import walkthrough
from worldmodel.environments.alfworld.official import official_document

TASK_TYPES: tuple[str, ...] = tuple(SETTINGS)
_ATTEMPTS = 1000  # Fewer than ten are ever needed; a bound all the same.


def generate(
    count: int, seed: int, room: str | None = None, task_type: str | None = None
) -> Iterator[dict[str, Any]]:
    """`count` solvable games, of any room and task type or of the ones given.

    The same arguments give the same games, in any process; game k does not depend on `count`.
    Raises `WorldModelError` for an unknown room or task type, or a task that is not set in that room.
    """
    settings = _settings(room, task_type)
    return (_game(seed, index, settings) for index in range(count))


def _settings(room: str | None, task_type: str | None) -> dict[tuple[str, str], int]:
    """(task type, room) -> weight, of those that the arguments leave."""
    if room is not None and room not in ROOMS:
        raise WorldModelError(f"no room {room!r}: expected one of {', '.join(ROOMS)}")
    if task_type is not None and task_type not in SETTINGS:
        raise WorldModelError(f"no task type {task_type!r}: expected one of {', '.join(TASK_TYPES)}")
    settings = {
        (kind, place): weight
        for kind, places in SETTINGS.items()
        for place, weight in places.items()
        if task_type in (None, kind) and room in (None, place)
    }
    if not settings:
        assert task_type is not None
        places = " or ".join(SETTINGS[task_type])
        raise WorldModelError(f"{task_type} is not set in a {room}: ask for room {places}")
    return settings


def _game(seed: int, index: int, settings: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    # A string seeds by its SHA-512: the same everywhere, unlike hash().
    rng = random.Random(f"alfworld {seed} {index}")
    kind, room = rng.choices(list(settings), list(settings.values()))[0]
    scene, task = _scene_with_task(kind, room, rng)
    name = f"seed{seed}-{index:03d}"
    return {
        "id": f"generated/{task.code}-{name}",
        "task": sentence(task, rng),
        "task_type": task.type,
        "pddl_params": task.parameters(),
        "pddl_problem": problem(f"plan_{name}", scene, task),
        "solvable": True,
        "walkthrough": walkthrough(task, scene),
    }


def _scene_with_task(kind: str, room: str, rng: random.Random) -> tuple[Scene, Task]:
    """Rooms are drawn until one leaves a task of this type to do; nearly always the first does."""
    for _ in range(_ATTEMPTS):
        ids = Ids(rng)
        scene = empty_room(room, rng, ids)
        furnish(scene, rng, ids)
        tasks = open_tasks(kind, scene)
        if tasks:
            return scene, rng.choice(tasks)
    raise WorldModelError(f"no {room} out of {_ATTEMPTS} leaves a task {kind} to do: the tables are at fault")


def complete(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with ALFWorld's own domain and grammar, so that the official engine loads it.

    Raises `WorldModelError` where the `alfworld` package, which has them, is not installed.
    """
    if find_spec("alfworld") is None:
        raise WorldModelError(
            "alfworld's domain and grammar are missing with the package: pip install 'worldmodel[alfworld]'"
        )
    return {**document, **official_document(Game.from_document(document, str(document["id"])))}
