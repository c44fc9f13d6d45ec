"""Policies that explore: they see text and the vocabulary, and nothing of the game behind it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Protocol

from rules.errors import WorldModelError
from rules.logic import Action, State
from rules.ruleset import ANY, RuleSet
from worldmodel.environments.base import Percept, Perception
from worldmodel.experience import OBSTACLE, Experience, Memo

Rng = random.Random


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


class CuriousPolicy(_Observer):
    """Goes where it has not been and tries what it has tried least, by counts over all its episodes.

    It knows no rules. An action is worth what it is likely to tell (as it did before, for the first time or
    again) and how new its lifted situation is; and one that leads to newer situations than
    there are here is worth something of the difference.
    """

    name, wants_commands = "curious", False
    ahead = 0.8
    news_weight = 0.5
    width = 8

    def __init__(self) -> None:
        self._experience: Experience | None = None

    @property
    def experience(self) -> Experience:
        if self._experience is None:
            self._experience = Experience(self.perception.domain)
        return self._experience

    def begin(self, perception: Perception, observation: str, rng: Rng) -> None:
        super().begin(perception, observation, rng)
        self.done: Counter[Action] = Counter()

    def see(self, command: str, observation: str) -> None:
        action, before = self.perception.action(command), self.state
        percept = self.heard(action, observation)
        if action is None:
            return
        news = len(percept.objects.keys() - before.objects.keys()) + len(self.state.false - before.false)
        situation = self.experience.situation(before, action, {})
        self.experience.note(situation, action, percept, news, self.done[action])
        self.done[action] += 1

    def act(self, admissible: Sequence[str]) -> str:
        memo: Memo = {}
        options = self._options(self.state)
        novelties, worths = [], []
        for action in options:
            situation = self.experience.situation(self.state, action, memo)
            novelties.append(self.experience.novelty(situation))
            news = self.experience.expected_news(action.name, self.done[action])
            worths.append(
                novelties[-1] + self.news_weight * self.experience.chance(situation) * news / (1 + news)
            )
        here = max(novelties)
        ranked = sorted(zip(worths, [self.rng.random() for _ in options], options, strict=True), reverse=True)
        best, chosen = -1.0, ranked[0][2]
        for worth, _, action in ranked:
            if worth + self.ahead * (1 - here) <= best:
                break
            worth += self.ahead * max(0.0, self._prospect(action, memo) - here)
            if worth > best:
                best, chosen = worth, action
        return self.perception.command(chosen)

    def _prospect(self, action: Action, memo: Memo) -> float:
        """The newest situation that the action leads to."""
        if (
            not action.args
            or self.experience.chance(self.experience.situation(self.state, action, memo)) < OBSTACLE
        ):
            return 0.0
        after = self.experience.imagined(self.state, action)
        fresh: Memo = {}
        return max(
            (
                self.experience.novelty(self.experience.situation(after, option, fresh))
                for option in self._near(after, action.args)
            ),
            default=0.0,
        )

    def _options(self, state: State) -> list[Action]:
        """Actions on what stands out, what goes with it, and a few other things."""
        names = sorted(state.objects)
        salient = self._salient(state)
        beside = {n for atom in state.true if not salient.isdisjoint(atom.args) for n in atom.args} - salient
        focus = sorted({*salient, *self._some(sorted(beside), self.width), *self._some(names, 4)})
        return self._actions(state, names, 1) + self._actions(state, focus, 2)

    def _near(self, state: State, args: Sequence[str]) -> list[Action]:
        """Actions on these arguments and what stands out."""
        focus = sorted(self._salient(state) | set(args))
        actions = self._actions(state, focus, 1) + self._actions(state, focus, 2)
        return [action for action in actions if not set(args).isdisjoint(action.args)]

    def _actions(self, state: State, names: Sequence[str], arity: int) -> list[Action]:
        """All actions on these names, of schemas with one parameter or less, or with two or more."""
        domain = self.perception.domain
        found = []
        for schema in domain.actions.values():
            if (len(schema.parameters) > 1) is (arity > 1):
                fitting = [
                    [n for n in names if _fits(domain, state.objects[n], p.type)] for p in schema.parameters
                ]
                found += [Action(schema.name, args) for args in product(*fitting)]
        return found

    def _salient(self, state: State) -> set[str]:
        """What a unary predicate singles out: where the agent is, what it holds."""
        by_predicate: dict[str, list[str]] = {}
        for atom in state.true:
            if len(atom.args) == 1:
                by_predicate.setdefault(atom.predicate, []).append(atom.args[0])
        return {names[0] for names in by_predicate.values() if len(names) == 1}

    def _some(self, names: Sequence[str], count: int) -> list[str]:
        return self.rng.sample(names, min(count, len(names)))


_POLICIES: Mapping[str, Callable[[], Policy]] = {"random": RandomPolicy, "curious": CuriousPolicy}
POLICIES: tuple[str, ...] = tuple(_POLICIES)


def policy_named(name: str) -> Policy:
    """A fresh policy of that name; `WorldModelError` listing the known ones if there is none."""
    if name not in _POLICIES:
        raise WorldModelError(f"unknown exploration policy {name!r}; expected {' or '.join(POLICIES)}")
    return _POLICIES[name]()
