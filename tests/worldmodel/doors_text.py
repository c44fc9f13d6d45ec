"""A third tiny domain: rooms joined by doors, of which some open from one side only. No text says which.

A bell hangs in every room and rings where the agent is. What a door does is drawn anew for each house.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import permutations

from rules.logic import WILDCARD, Action, Atom
from rules.ruleset import ActionSchema, Parameter, RuleSet
from worldmodel.environments.base import Goal, Percept
from worldmodel.trajectories import Episode, Step

ROOMS = ("attic", "cellar", "hall", "kitchen", "study")
REFUSAL = "That does not work."
SHUT = 0.3
_ROOM = (Parameter("?r", "room"),)
Opens = Callable[[str, str], bool]
"""Whether the door from a room to another opens, this time."""

DOMAIN = RuleSet(
    "doors",
    types={"room": None},
    predicates={"inside": ("room",)},
    actions={
        "enter": ActionSchema("enter", _ROOM, "enter {?r}"),
        "ring": ActionSchema("ring", _ROOM, "ring {?r}"),
    },
)


class DoorsPerception:
    """The words of the house, and what they say."""

    domain = DOMAIN

    def goal(self, text: str) -> Goal:
        return Goal(text)

    def command(self, action: Action) -> str:
        return " ".join((action.name, *action.args))

    def action(self, command: str) -> Action | None:
        name, _, room = command.partition(" ")
        return Action(name, (room,)) if name in DOMAIN.actions and room in ROOMS else None

    def perceive(self, action: Action | None, observation: str) -> Percept:
        rooms = dict.fromkeys(ROOMS, "room")
        if observation.startswith("You are in the "):
            room = observation.removeprefix("You are in the ").split(".")[0]
            nowhere_else = Atom("inside", (WILDCARD,))
            return Percept(rooms, frozenset([Atom("inside", (room,))]), frozenset([nowhere_else]))
        return Percept(rooms, refused=observation == REFUSAL)

    def phrase(self, names: Sequence[str]) -> str:
        return ", ".join(names)

    def order(self, names: Sequence[str]) -> list[str]:
        return sorted(names)


def one_way(chance: random.Random) -> Opens:
    """Doors of which some never open."""
    shut = {pair for pair in permutations(ROOMS, 2) if chance.random() < SHUT}
    return lambda here, there: (here, there) not in shut


def jammed(chance: random.Random) -> Opens:
    """Doors that jam at random."""
    return lambda here, there: chance.random() >= SHUT


def play(seed: int, house: Callable[[random.Random], Opens], steps: int = 60) -> Episode:
    """A random walk."""
    chance = random.Random(seed)
    opens, here = house(chance), chance.choice(ROOMS)
    opening, taken = f"You are in the {here}.", []
    for _ in range(steps):
        verb, room = chance.choice(("enter", "enter", "ring")), chance.choice(ROOMS)
        answer = REFUSAL
        if verb == "ring" and room == here:
            answer = "Ding."
        elif verb == "enter" and room != here and opens(here, room):
            here, answer = room, f"You are in the {room}."
        taken.append(Step(f"{verb} {room}", answer))
    return Episode(f"house {seed}", "doors", opening, tuple(taken), policy="random", seed=seed)
