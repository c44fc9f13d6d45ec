"""A policy that explores: it sees new places, and tests the rules it has learned from its own episodes."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import product
from math import prod
from typing import NamedTuple, TypeVar

from rules.errors import WorldModelError
from rules.logic import UNKNOWN, Action, State
from rules.ruleset import ANY, RuleSet
from worldmodel.environments.base import Percept, Perception
from worldmodel.novelty import Novelty, salient
from worldmodel.replay import transition

T = TypeVar("T")

NEAR, FAR = 0.8, 0.6
"""What is left of an action's worth by an argument beside one that stands out, and by any other."""
NEWS = 0.7
"""The weight of what an action is likely to tell, beside that of what it tests."""
AHEAD = 0.8
"""The weight of what an action leads to."""
AGAIN = 0.3
"""What is left of the worth of an action that only leads back to where the episode has been."""
PATIENCE = 3
"""So many failures in a row halve the interest in an action for the rest of the episode."""
WIDTH = 12
"""So many neighbours are looked at, and so many of the best actions ahead, with twice as many others."""


class _Option(NamedTuple):
    """An action and its worth; `tie` breaks ties by chance."""

    worth: float
    tie: float
    action: Action
    possible: bool


class CuriousPolicy:
    """Starts without rules and learns them as it plays, over all its episodes; it never sees what is
    admissible.

    An action is worth what it is likely to tell, as it did before, and how new it is (see `Novelty`): less
    for what is out of reach, was done, or keeps failing in this episode. One that leads to something
    better than there is here is worth a part of the difference.
    """

    name, wants_commands = "curious", False

    def __init__(self) -> None:
        self._novelty: Novelty | None = None
        self._news: Counter[tuple[str, int]] = Counter()
        self._times: Counter[tuple[str, int]] = Counter()

    @property
    def novelty(self) -> Novelty:
        """What has been learned so far."""
        if self._novelty is None:
            self._novelty = Novelty(self._perception.domain)
        return self._novelty

    def begin(self, perception: Perception, observation: str, rng: random.Random) -> None:
        self._perception, self._rng = perception, rng
        percept = perception.perceive(None, observation)
        self._state = State(dict(percept.objects), percept.true, percept.false)
        self._been = {self._state.true}
        self._done: Counter[Action] = Counter()
        self._failures: Counter[str] = Counter()

    def see(self, command: str, observation: str) -> None:
        action = self._perception.action(command)
        percept = self._perception.perceive(action, observation)
        if action is not None:
            self._count(action, percept)
            self.novelty.learn(transition(self._state, action, observation, percept, self._perception))
        self._state = self._state.updated(percept.true, percept.false, percept.objects)
        self._been.add(self._state.true)

    def act(self, admissible: Sequence[str]) -> str:
        options = self._options()
        if not options:
            raise WorldModelError("nothing to do: no object was seen that an action could be about")
        here = options[0].worth
        likely = [option for option in options[WIDTH:] if option.possible and option.action.args]
        looked_at = options[:WIDTH] + self._some(likely, 2 * WIDTH)
        best = max(looked_at, key=lambda option: self._with_prospect(option, here))
        return self._perception.command(best.action)

    def _options(self) -> list[_Option]:
        """What could be done with what stands out, what is beside it and a few other things; best first."""
        names, focus = sorted(self._state.objects), salient(self._state)
        beside = _beside(self._state, focus)
        some = {*focus, *self._some(sorted(beside), WIDTH), *self._some(names, WIDTH // 3)}
        reach = dict.fromkeys(names, FAR) | dict.fromkeys(beside, NEAR) | dict.fromkeys(focus, 1.0)
        options = []
        for action in self._actions(names, 1) + self._actions(sorted(some), 2):
            worth, possible = self._worth(self._state, action)
            worth *= prod([reach[name] for name in action.args])
            options.append(_Option(worth, self._rng.random(), action, possible))
        return sorted(options, reverse=True)

    def _worth(self, state: State, action: Action) -> tuple[float, bool]:
        """The worth of an action in a state, and whether it may succeed."""
        aspect, done = self.novelty.aspect(state, action), self._done[action]
        worth = aspect.novelty / (1 + done) / (1 + self._failures[action.name] / PATIENCE)
        if aspect.possible:
            key = action.name, min(done, 2)
            told = (self._news[key] + 1) / (self._times[key] + 1)
            worth += NEWS * told / (1 + told)
        return worth, aspect.possible

    def _with_prospect(self, option: _Option, here: float) -> float:
        """The worth of an action together with that of what it leads to."""
        after = self.novelty.imagined(self._state, option.action)
        if after is None:
            return option.worth
        own = set(option.action.args)
        names = sorted(salient(after) | own)
        ahead = [a for a in self._actions(names, 1) + self._actions(names, 2) if not own.isdisjoint(a.args)]
        prospect = max([self._worth(after, action)[0] for action in ahead], default=0.0)
        return option.worth * (AGAIN if after.true in self._been else 1) + AHEAD * max(0.0, prospect - here)

    def _actions(self, names: Sequence[str], arity: int) -> list[Action]:
        """All actions on these names, of schemas with one parameter or none (1), or with more (2)."""
        domain, objects = self._perception.domain, self._state.objects
        found = []
        for schema in domain.actions.values():
            if (len(schema.parameters) > 1) is (arity > 1):
                fitting = [[n for n in names if fits(domain, objects[n], p.type)] for p in schema.parameters]
                found += [Action(schema.name, args) for args in product(*fitting)]
        return found

    def _some(self, items: Sequence[T], count: int) -> list[T]:
        return self._rng.sample(items, min(count, len(items)))

    def _count(self, action: Action, percept: Percept) -> None:
        """Counts how much an action told, when it was done for the first, second or third time."""
        things = percept.objects.keys() - self._state.objects.keys()
        facts = [atom for atom in percept.true | percept.false if self._state.some(atom) is UNKNOWN]
        key = action.name, min(self._done[action], 2)
        self._times[key] += 1
        self._news[key] += len(things) + len(facts)
        self._done[action] += 1
        self._failures[action.name] = self._failures[action.name] + 1 if percept.refused else 0


def fits(domain: RuleSet, type_: str, wanted: str) -> bool:
    """Whether an object of a type may stand where another type is wanted."""
    return wanted == ANY or domain.is_a(type_, wanted)


def _beside(state: State, focus: set[str]) -> set[str]:
    """What stands in a relation to something in the focus."""
    return {name for atom in state.true if not focus.isdisjoint(atom.args) for name in atom.args} - focus
