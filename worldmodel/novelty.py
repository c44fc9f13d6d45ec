"""What trying an action would tell, by the rules learned so far and by what has been tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from math import prod, sqrt
from typing import NamedTuple

from rules.engine import Engine
from rules.induction import Statistics, Transition, induce
from rules.logic import FALSE, IS, TRUE, Action, Atom, Clause, State
from rules.ruleset import ANY, Rule, RuleSet

TRUSTED = 0.2
"""The confidence from which on a rule is believed; by less, an action counts as one that never worked."""
SURE = 0.4
"""The novelty left to what has never failed."""
SPREAD = 0.2
"""How fast interest falls in the types that something which never worked was tried on."""
FIRST, RELEARN = 10, 1.25
"""Rules are induced first from so many transitions, and again from so many times more."""


class Aspect(NamedTuple):
    """What trying an action puts to the test.

    keys: what is to be counted. novelty: from 1, never tested, to 0. possible: whether, by the rules, it
    may succeed.
    """

    keys: tuple[Hashable, ...]
    novelty: float
    possible: bool = True


class Novelty:
    """Rules that are learned from every transition, and counts of what has been tested."""

    def __init__(self, domain: RuleSet) -> None:
        self._statistics = Statistics(domain)
        self._engine = Engine(domain)
        self._counts: Counter[Hashable] = Counter()
        self._learned_from = 0

    def learn(self, transition: Transition) -> None:
        """Takes in what came of an action."""
        self._counts.update(self.aspect(transition.before, transition.action).keys)
        self._statistics.add(transition)
        if len(self._statistics) >= max(FIRST, RELEARN * self._learned_from):
            self._learned_from = len(self._statistics)
            self._engine = Engine(induce(self._statistics))

    def aspect(self, state: State, action: Action) -> Aspect:
        """What the action would put to the test in a state."""
        context = action.name, _context(state, action)
        if not self._trusted(action.name):
            return self._of_unknown(context, _types(state, action.args))
        outcome = self._engine.outcome(state, action)
        if outcome.truth is FALSE:
            return self._of_failure(state, action)
        keys = (action.name, _types(state, action.args)), context
        doubt = max([_doubt(match.rule) for match in outcome.matches])
        return Aspect(keys, doubt / (1 + min([self._counts[key] for key in keys])))

    def imagined(self, state: State, action: Action) -> State | None:
        """The state after an action that is believed to succeed and to change something, else None."""
        if not self._trusted(action.name) or self._engine.outcome(state, action).truth is not TRUE:
            return None
        after = self._engine.apply(state, action)
        return None if after.true == state.true else after

    def _trusted(self, name: str) -> bool:
        rules = self._engine.ruleset.actions[name].rules
        return any(rule.evidence.confidence > TRUSTED for rule in rules)

    def _of_unknown(self, context: Hashable, types: Sequence[str]) -> Aspect:
        """Of an action that has hardly ever worked: by its context, and the types it was tried on there."""
        keys = [(context, tuple(types)), *[(context, place, type_) for place, type_ in enumerate(types)]]
        pair, *single = [1 + self._counts[key] for key in keys]
        return Aspect(tuple(keys), prod([count**-SPREAD for count in single]) / pair)

    def _of_failure(self, state: State, action: Action) -> Aspect:
        """Of an action that should fail: it tests a clause, if that alone speaks against the action."""
        for _, parts in self._engine.explain(state, action):
            wrong = [clauses for clauses, truth in parts if truth is FALSE]
            if len(wrong) == 1:
                key = action.name, wrong[0], self._types_tested(wrong[0], state, action)
                return Aspect((key,), 1 / (1 + self._counts[key]), possible=False)
        return Aspect((), 0.0, possible=False)

    def _types_tested(self, clauses: Sequence[Clause], state: State, action: Action) -> tuple[str, ...]:
        """The types that a part of a condition is about; none if it is about facts."""
        atoms = [literal.atom for clause in clauses for literal in clause]
        if not {atom.predicate for atom in atoms} <= {IS, *self._engine.ruleset.relations}:
            return ()
        binding = self._engine.binding(action)
        return _types(state, sorted({binding[arg] for atom in atoms for arg in atom.args if arg in binding}))


def salient(state: State) -> set[str]:
    """What a unary predicate singles out: where the agent is, what it holds."""
    by_predicate: dict[str, list[str]] = {}
    for atom in state.true:
        if len(atom.args) == 1:
            by_predicate.setdefault(atom.predicate, []).append(atom.args[0])
    return {names[0] for names in by_predicate.values() if len(names) == 1}


def _context(state: State, action: Action) -> frozenset[Atom]:
    """What is true of the arguments, and between them and what stands out, with roles for names."""
    roles = dict.fromkeys(salient(state), "other")
    roles |= {name: f"?{place}" for place, name in enumerate(action.args)}
    own = set(action.args)
    return frozenset(
        [
            atom.substitute(roles)
            for atom in state.true
            if not own.isdisjoint(atom.args) and all(name in roles for name in atom.args)
        ]
    )


def _types(state: State, names: Sequence[str]) -> tuple[str, ...]:
    return tuple([state.objects.get(name, ANY) for name in names])


def _doubt(rule: Rule) -> float:
    """The spread of what comes of a rule: 1 where it failed as often as not."""
    support, against = rule.evidence
    share = (support + 1) / (support + against + 2)
    return max(SURE, 2 * sqrt(share * (1 - share)))
