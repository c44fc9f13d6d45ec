"""Policies that explore: they see text and the vocabulary, and nothing of the game behind it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from rules.errors import WorldModelError
from rules.logic import Action
from worldmodel.curiosity import CuriousPolicy
from worldmodel.environments.base import Perception

BOLDNESS = 0.15
"""The share of commands with which the random policy tries what is not known to be admissible."""


class Policy(Protocol):
    """What plays. It may remember earlier episodes; what it does depends on them and on `rng` alone.

    wants_commands: whether `act` is to be told what is admissible.
    """

    name: str
    wants_commands: bool

    def begin(self, perception: Perception, observation: str, rng: random.Random) -> None:
        """An episode starts with this text."""
        ...

    def act(self, admissible: Sequence[str]) -> str:
        """The next command."""
        ...

    def see(self, command: str, observation: str) -> None:
        """What a command was answered with."""
        ...


class RandomPolicy:
    """Draws from the admissible commands, and sometimes from all that the grammar can say of what was seen.

    Where the environment lists no commands, always the latter.
    """

    name, wants_commands = "random", True

    def begin(self, perception: Perception, observation: str, rng: random.Random) -> None:
        self._perception, self._rng = perception, rng
        self._objects = dict(perception.perceive(None, observation).objects)

    def see(self, command: str, observation: str) -> None:
        action = self._perception.action(command)
        self._objects |= self._perception.perceive(action, observation).objects

    def act(self, admissible: Sequence[str]) -> str:
        bold = [] if admissible and self._rng.random() >= BOLDNESS else self._bold(admissible)
        if not bold and not admissible:
            raise WorldModelError("nothing to do: no object was seen that an action could be about")
        return self._rng.choice(bold or admissible)

    def _bold(self, admissible: Sequence[str]) -> list[str]:
        """One command of each action schema that has objects to fill it, less what is admissible."""
        domain, commands = self._perception.domain, []
        for schema in domain.actions.values():
            fitting = [
                [n for n, t in self._objects.items() if domain.is_a(t, p.type)] for p in schema.parameters
            ]
            if all(fitting):
                action = Action(schema.name, tuple([self._rng.choice(names) for names in fitting]))
                commands.append(self._perception.command(action))
        return [command for command in commands if command not in admissible]


_POLICIES: Mapping[str, Callable[[], Policy]] = {"curious": CuriousPolicy, "random": RandomPolicy}
POLICIES: tuple[str, ...] = tuple(_POLICIES)


def policy_named(name: str) -> Policy:
    """A fresh policy of that name; `WorldModelError` listing the known ones if there is none."""
    if name not in _POLICIES:
        raise WorldModelError(f"unknown exploration policy {name!r}; expected {' or '.join(POLICIES)}")
    return _POLICIES[name]()
