"""Policies that explore: they see text and the vocabulary, and nothing of the game behind it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from rules.errors import WorldModelError
from rules.logic import Action, State
from rules.ruleset import ANY, RuleSet
from worldmodel.curiosity import CuriousPolicy
from worldmodel.environments.base import Percept, Perception

Rng = random.Random
T = TypeVar("T")


class Policy(Protocol):
    """What plays. It may remember earlier episodes; what it does depends on them and on `rng` alone.

    wants_commands: whether `act` is told which commands are admissible.
    """

    name: str
    wants_commands: bool

    def begin(self, perception: Perception, observation: str, rng: Rng) -> None:
        """An episode starts with this text."""
        ...

    def act(self, admissible: Sequence[str]) -> str:
        """The next command."""
        ...

    def see(self, command: str, observation: str) -> None:
        """What a command was answered with."""
        ...


class _Observer:
    """Keeps what the text says: the state by percepts, as in `worldmodel.replay`."""

    def begin(self, perception: Perception, observation: str, rng: Rng) -> None:
        self.perception, self.rng = perception, rng
        percept = perception.perceive(None, observation)
        self.state = State(dict(percept.objects), percept.true, percept.false)

    def see(self, command: str, observation: str) -> None:
        self.heard(self.perception.action(command), observation)

    def heard(self, action: Action | None, observation: str) -> Percept:
        percept = self.perception.perceive(action, observation)
        self.state = self.state.updated(percept.true, percept.false, percept.objects)
        return percept


class RandomPolicy(_Observer):
    """Draws from the admissible commands; now and then from all that the grammar can say of what was seen."""

    name, wants_commands = "random", True
    share = 0.15
    """Of commands that are not known to be admissible; all, where the environment lists none."""

    def act(self, admissible: Sequence[str]) -> str:
        if admissible and self.rng.random() >= self.share:
            return self.rng.choice(admissible)
        while True:
            command = self.perception.command(_any_action(self.perception.domain, self.state, self.rng))
            if command not in admissible:
                return command


def _any_action(domain: RuleSet, state: State, rng: Rng) -> Action:
    """An action on names that were seen, of a schema for which there are any."""
    names = {
        s: [_named(domain, state, p.type) for p in schema.parameters] for s, schema in domain.actions.items()
    }
    schema = rng.choice([s for s, places in names.items() if all(places)])
    return Action(schema, tuple([rng.choice(place) for place in names[schema]]))


def _named(domain: RuleSet, state: State, type_: str) -> list[str]:
    return [name for name, own in state.objects.items() if _fits(domain, own, type_)]


def _fits(domain: RuleSet, own: str, type_: str) -> bool:
    return type_ == ANY or domain.is_a(own, type_)


_POLICIES: Mapping[str, Callable[[], Policy]] = {"curious": CuriousPolicy, "random": RandomPolicy}
POLICIES: tuple[str, ...] = tuple(_POLICIES)


def policy_named(name: str) -> Policy:
    """A fresh policy of that name; `WorldModelError` listing the known ones if there is none."""
    if name not in _POLICIES:
        raise WorldModelError(f"unknown exploration policy {name!r}; expected {' or '.join(POLICIES)}")
    return _POLICIES[name]()
