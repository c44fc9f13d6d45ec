"""A policy that explores: it surveys new places, carries things about, and tries what it has seldom tried.

It is told what is admissible, as any player of the game is, and tries other things too, since failures
teach the conditions of actions. Tries are counted over all episodes by schema and argument types.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from rules.errors import WorldModelError
from rules.logic import WILDCARD, Action, State
from rules.ruleset import ANY, RuleSet
from worldmodel.environments.base import Perception

BOLDNESS = 0.4
"""The share of steps that try what is not known to be admissible."""
NEWS = 0.8
"""What something new to see is worth, against a kind of attempt that was never made."""
PROSPECT = 0.15
"""What going to where something can be tried is worth, against trying it."""
AWAY = 0.1
"""What is left of the worth of an attempt with what is not at hand."""
CARRY = 0.3
"""What is left of the worth of letting go of something: with it in hand more can be tried elsewhere."""
NEAR, FAR = 8, 8
"""So many things near what stands out, and elsewhere, are considered for a bold try."""

Kind = tuple[str, ...]
"""A schema and its arguments' types."""


class CuriousPolicy:
    """Counts what it tries over all its episodes; `begin` starts the next one."""

    name, wants_commands = "curious", True

    def __init__(self) -> None:
        self._tries: Counter[Kind] = Counter()
        self._wins: Counter[Kind] = Counter()
        self._news: dict[str, float] = {}
        self._movers: Counter[str] = Counter()
        self._frees: Counter[str] = Counter()

    def begin(self, perception: Perception, observation: str, rng: random.Random) -> None:
        """An episode starts with this text."""
        self._perception, self._rng = perception, rng
        percept = perception.perceive(None, observation)
        self._state = State(dict(percept.objects), percept.true, percept.false)
        self._done: Counter[Action] = Counter()

    def act(self, admissible: Sequence[str]) -> str:
        """The next command."""
        known = [a for a in map(self._perception.action, admissible) if a is not None]
        bold = [] if known and self._rng.random() >= BOLDNESS else self._bold(set(known))
        if not bold and not known:
            raise WorldModelError("nothing to do: no object was seen that an action could be about")
        if bold:
            return self._perception.command(self._rng.choice(bold))
        worth = {action: self._worth(action) * self._rng.uniform(0.7, 1.0) for action in known}
        return self._perception.command(max(known, key=lambda action: (worth[action], action)))

    def see(self, command: str, observation: str) -> None:
        """Counts how an attempt went, and what it showed."""
        action = self._perception.action(command)
        percept = self._perception.perceive(action, observation)
        before = self._state
        self._state = before.updated(percept.true, percept.false, percept.objects)
        if action is None:
            return
        kind = self._kind(action)
        self._tries[kind] += 1
        if not percept.refused:
            if not self._done[action]:
                told = any(len(p.args) > 1 and WILDCARD in p.args for p in self._state.false - before.false)
                self._news[action.name] = 0.9 * self._news.get(action.name, 1.0) + 0.1 * told
            self._wins[kind] += 1
            if len(action.args) == 2:
                self._wins[action.name, kind[2]] += 1
            self._frees[action.name] += len(salient(self._state)) < len(salient(before))
            if len(action.args) == 1 and action.args[0] in salient(self._state) - salient(before):
                self._movers[action.name] += 1
        self._done[action] += 1

    def _kind(self, action: Action) -> Kind:
        return (action.name, *[self._state.objects.get(name, ANY) for name in action.args])

    def _worth(self, action: Action) -> float:
        """How new an attempt is, what it is likely to show, and what it leads to."""
        worth = 1 / (1 + self._tries[self._kind(action)])
        if action.args and not self._done[action]:
            worth += NEWS * self._news.get(action.name, 1.0)
        if self._movers[action.name]:
            worth += PROSPECT * self._prospect(action.args[0])
        elif not self._at_hand(action):
            worth *= AWAY
        if self._frees[action.name]:
            worth *= CARRY
        return worth / (1 + self._done[action])

    def _at_hand(self, action: Action) -> bool:
        """Whether all that an action is about stands out, or is near what does."""
        focus = salient(self._state)
        return not set(action.args) - focus - neighbours(self._state, focus)

    def _prospect(self, place: str) -> float:
        """The newest thing that may be done with what is at hand in a place of such a type."""
        type_ = self._state.objects.get(place, ANY)
        return max(
            [
                1 / (1 + self._tries[schema.name, self._state.objects.get(name, ANY), type_])
                for schema in self._domain.actions.values()
                if self._wins[schema.name, type_]
                for name in salient(self._state)
                if name != place
                and self._domain.is_a(self._state.objects.get(name, ANY), schema.parameters[0].type)
            ],
            default=0.0,
        )

    def _bold(self, known: set[Action]) -> list[Action]:
        """For each schema an attempt that is not known to be admissible, mostly with what is at hand."""
        focus = salient(self._state)
        near = sorted(neighbours(self._state, focus))
        far = sorted(self._state.objects.keys() - focus - set(near))
        some = [*sorted(focus), *self._some(near, NEAR)]
        if self._rng.random() < 0.5 or not focus:
            some += self._some(far, FAR)
        attempts = []
        for schema in self._domain.actions.values():
            pools = [
                [n for n in some if self._domain.is_a(self._state.objects.get(n, ANY), p.type)]
                for p in schema.parameters
            ]
            if schema.parameters and all(pools):
                attempts.append(Action(schema.name, tuple([self._rng.choice(pool) for pool in pools])))
        return [action for action in attempts if action not in known]

    def _some(self, names: Sequence[str], count: int) -> list[str]:
        return self._rng.sample(names, min(count, len(names)))

    @property
    def _domain(self) -> RuleSet:
        return self._perception.domain


def salient(state: State) -> set[str]:
    """What stands out: the things of which a predicate is true that is known in full."""
    exclusive = [p.predicate for p in state.false if p.args == (WILDCARD,)]
    return {atom.args[0] for predicate in exclusive for atom in state.atoms(predicate)}


def neighbours(state: State, names: set[str]) -> set[str]:
    """What stands in a relation to one of these things."""
    return {a for atom in state.true if not names.isdisjoint(atom.args) for a in atom.args} - names
