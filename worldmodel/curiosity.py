"""A policy that explores by testing the rules it has learned from its own episodes so far."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import product
from math import prod, sqrt
from typing import NamedTuple, TypeVar

from rules.engine import Engine
from rules.induction import Statistics, Transition, induce
from rules.logic import FALSE, IS, TRUE, UNKNOWN, Action, Atom, Clause, State
from rules.ruleset import ANY, Rule, RuleSet
from worldmodel.environments.base import Percept, Perception
from worldmodel.wording import lift

T = TypeVar("T")

NEAR, FAR = 0.8, 0.6
"""What an argument that goes with one that stands out, and any other, leaves of an action's worth."""
SPREAD = -0.2
NEWS, AHEAD, SURE, AGAIN, WEAK = 0.6, 0.8, 0.4, 0.3, 0.2
"""The weights of what is likely to be told, and of what an action leads to."""
PATIENCE = 3
"""So many failures in a row halve the interest in an action for the rest of the episode."""
WIDTH = 12
"""So many neighbours, and so many actions ahead, are looked at."""
RELEARN = 1.25
"""Rules are induced again when there are so many times more transitions."""


class _Aspect(NamedTuple):
    """What trying an action would tell.

    keys: what is put to the test, to be counted. novelty: from 1, never tested, to 0. possible: the
    rules do not rule success out.
    """

    keys: tuple[Hashable, ...]
    novelty: float
    possible: bool = True


class CuriousPolicy:
    """Sees new places and tests its rules: what succeeds by them with types it was not tried on, what
    fails by one clause alone, and what never worked yet.

    It starts without rules and induces them from its own transitions, over all its episodes. An action
    is worth what it is likely to tell (as it did before) and how untested it is; and one that leads to
    something better than there is here is worth something of the difference.
    """

    name, wants_commands = "curious", False

    def __init__(self) -> None:
        self._counts: Counter[Hashable] = Counter()
        self._statistics: Statistics | None = None
        self._engine: Engine | None = None
        self._learned_from = 0

    def begin(self, perception: Perception, observation: str, rng: random.Random) -> None:
        self._perception, self._rng = perception, rng
        if self._statistics is None:
            self._statistics = Statistics(perception.domain)
            self._engine = Engine(perception.domain)
        percept = perception.perceive(None, observation)
        self._state = State(dict(percept.objects), percept.true, percept.false)
        self._done: Counter[Action] = Counter()
        self._failures: Counter[str] = Counter()
        self._been = {self._state.true}

    def see(self, command: str, observation: str) -> None:
        action = self._perception.action(command)
        percept = self._perception.perceive(action, observation)
        if action is None:
            self._state = self._state.updated(percept.true, percept.false, percept.objects)
            return
        schema = self._perception.domain.actions[action.name]
        transition = Transition(
            before=self._state,
            action=action,
            true=percept.true,
            false=percept.false,
            succeeded=not percept.refused,
            says=lift(observation, action, schema, percept, self._perception),
            objects=percept.objects,
        )
        self._count(action, percept)
        self._statistics.add(transition)
        self._learn()
        self._state = transition.after
        self._been.add(self._state.true)

    def _count(self, action: Action, percept: Percept) -> None:
        self._counts.update(self._aspect(self._state, action).keys)
        times = "news", action.name, min(self._done[action], 2)
        self._counts[times] += 1
        self._counts[(*times, "told")] += _news(percept, self._state)
        self._done[action] += 1
        self._failures[action.name] = self._failures[action.name] + 1 if percept.refused else 0

    def act(self, admissible: Sequence[str]) -> str:
        state, salient = self._state, _salient(self._state)
        near = self._near(state)
        distance = {n: 1.0 if n in salient else NEAR if n in near else FAR for n in state.objects}
        options = []
        for action in self._options(salient, near):
            aspect = self._aspect(state, action)
            worth = self._worth(action, aspect) * prod([distance[name] for name in action.args])
            options.append((worth, self._rng.random(), action, aspect.possible))
        options.sort(reverse=True)
        here = options[0][0]
        likely = [option for option in options[WIDTH:] if option[3] and option[2].args]
        best, chosen = -1.0, options[0][2]
        for worth, _, action, _ in options[:WIDTH] + self._some(likely, 2 * WIDTH):
            worth = self._with_prospect(worth, action, here)
            if worth > best:
                best, chosen = worth, action
        return self._perception.command(chosen)

    def _learn(self) -> None:
        if len(self._statistics) >= max(10, RELEARN * self._learned_from):
            self._learned_from = len(self._statistics)
            self._engine = Engine(induce(self._statistics))

    def _aspect(self, state: State, action: Action) -> _Aspect:
        name, counts = action.name, self._counts
        types = tuple([state.objects.get(arg, ANY) for arg in action.args])
        context = name, _context(state, action)
        if not self._trusted(name):
            keys = [(context, types), *[(context, place, type_) for place, type_ in enumerate(types)]]
            untried = 1 / (1 + counts[keys[0]]) * prod([(1 + counts[key]) ** SPREAD for key in keys[1:]])
            return _Aspect(tuple(keys), untried)
        outcome = self._engine.outcome(state, action)
        if outcome.truth is not FALSE:
            doubt = max([_doubt(match.rule) for match in outcome.matches])
            keys = (name, types), context
            return _Aspect(keys, doubt / (1 + min([counts[key] for key in keys])))
        wrong = [
            [p for p, truth in parts if truth is FALSE] for _, parts in self._engine.explain(state, action)
        ]
        single = [clauses[0] for clauses in wrong if len(clauses) == 1]
        if not single:
            return _Aspect((), 0.0, possible=False)
        key = name, single[0], self._tested(single[0], state, action)
        return _Aspect((key,), 1 / (1 + counts[key]), possible=False)

    def _trusted(self, name: str) -> bool:
        """Whether there is a rule for the action that is borne out by what was seen."""
        rules = self._engine.ruleset.actions[name].rules
        return any(rule.evidence.confidence > WEAK for rule in rules)

    def _tested(self, clauses: Sequence[Clause], state: State, action: Action) -> tuple[str, ...]:
        """The types that a part of a condition is about; none if it is about facts."""
        literals = [literal for clause in clauses for literal in clause]
        if not {atom.predicate for atom, _ in literals} <= {IS, *self._engine.ruleset.relations}:
            return ()
        binding = self._engine.binding(action)
        named = {binding[arg] for atom, _ in literals for arg in atom.args if arg in binding}
        return tuple(sorted([state.objects.get(name, ANY) for name in named]))

    def _worth(self, action: Action, aspect: _Aspect) -> float:
        novelty = aspect.novelty / (1 + self._done[action]) / (1 + self._failures[action.name] / PATIENCE)
        if not aspect.possible:
            return novelty
        times = "news", action.name, min(self._done[action], 2)
        news = (self._counts[(*times, "told")] + 1) / (self._counts[times] + 1)
        return novelty + NEWS * news / (1 + news)

    def _with_prospect(self, worth: float, action: Action, here: float) -> float:
        """The worth of an action and of what it surely leads to; less if only back to where it was before."""
        if not self._trusted(action.name) or self._engine.outcome(self._state, action).truth is not TRUE:
            return worth
        after = self._engine.apply(self._state, action)
        if after.true == self._state.true:
            return worth
        if after.true in self._been:
            worth *= AGAIN
        focus = _salient(after) | set(action.args)
        options = [
            a
            for n in (1, 2)
            for a in self._actions(sorted(focus), n)
            if not set(action.args).isdisjoint(a.args)
        ]
        prospect = max([self._worth(a, self._aspect(after, a)) for a in options], default=0.0)
        return worth + AHEAD * max(0.0, prospect - here)

    def _options(self, salient: set[str], near: set[str]) -> list[Action]:
        """Actions on what stands out and what goes with it, and on a few other things."""
        names = sorted(self._state.objects)
        some = {*salient, *self._some(sorted(near - salient), WIDTH), *self._some(names, 4)}
        return self._actions(names, 1) + self._actions(sorted(some), 2)

    def _actions(self, names: Sequence[str], arity: int) -> list[Action]:
        """All actions on these names, of schemas with one parameter or less, or with two or more."""
        domain, objects = self._perception.domain, self._state.objects
        found = []
        for schema in domain.actions.values():
            if (len(schema.parameters) > 1) is (arity > 1):
                fitting = [[n for n in names if _fits(domain, objects[n], p.type)] for p in schema.parameters]
                found += [Action(schema.name, args) for args in product(*fitting)]
        return found

    def _near(self, state: State) -> set[str]:
        """What stands out, and what stands in a relation to it."""
        salient = _salient(state)
        return salient | {name for a in state.true if not salient.isdisjoint(a.args) for name in a.args}

    def _some(self, items: Sequence[T], count: int) -> list[T]:
        return self._rng.sample(items, min(count, len(items)))


def _fits(domain: RuleSet, own: str, type_: str) -> bool:
    return type_ == ANY or domain.is_a(own, type_)


def _salient(state: State) -> set[str]:
    """What a unary predicate singles out: where the agent is, what it holds."""
    by_predicate: dict[str, list[str]] = {}
    for atom in state.true:
        if len(atom.args) == 1:
            by_predicate.setdefault(atom.predicate, []).append(atom.args[0])
    return {names[0] for names in by_predicate.values() if len(names) == 1}


def _doubt(rule: Rule) -> float:
    """From 1, where a rule was contradicted as often as not, to 0: the spread of what comes of it."""
    support, against = rule.evidence
    share = (support + 1) / (support + against + 2)
    return max(SURE, 2 * sqrt(share * (1 - share)))


def _context(state: State, action: Action) -> frozenset[Atom]:
    """What is true of the arguments, and between them and what stands out, with roles for names."""
    roles = dict.fromkeys(_salient(state), "other")
    roles |= {name: f"?{place}" for place, name in enumerate(action.args)}
    return frozenset(
        [
            atom.substitute(roles)
            for atom in state.true
            if not set(action.args).isdisjoint(atom.args) and all(name in roles for name in atom.args)
        ]
    )


def _news(percept: Percept, before: State) -> int:
    """How many things, facts and closed lists are new."""
    things = percept.objects.keys() - before.objects.keys()
    return len(things) + sum(before.some(a) is UNKNOWN for a in percept.true | percept.false)
