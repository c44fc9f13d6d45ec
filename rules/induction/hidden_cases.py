"""What an episode says of hidden relations: which two objects an action was about when it failed, though
the rules were sure of it, and which when it succeeded.

The two are an argument, and an object that the state singles out beside it. Outcomes are counted by
pairs, and the pairs of an episode by how they fared; counts of episodes add.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, product
from typing import NamedTuple

from rules.engine import Engine
from rules.induction.candidates import JOINED
from rules.induction.records import Transition
from rules.logic import EQUALS, FALSE, TRUE, UNKNOWN, WILDCARD, Action, Atom, State
from rules.ruleset import ActionSchema, RuleSet

Row = tuple[str, ...]
"""A `Key`, a view, and in how many cases of one group in one episode the relation would hold, and in how
many not. All of it text, so that it can stand in any table of counts."""
ORDERED, EITHER, FIRST, SECOND = VIEWS = ("ordered", "either", "first", "second")
"""How the cases of an episode are grouped: by pair, by pair either way round, by one of the two alone."""


class Key(NamedTuple):
    """What a hidden relation is about: an argument of an action, and the object that a link singles out.

    The link is an atom over the parameters and `JOINED`; with ``=``, the object is another argument.
    Two objects that are related bar the action. Where `action` is empty, they have a property in common
    instead, the link's predicate: they are one thing under two names.
    """

    action: str
    argument: str
    predicate: str
    one: str
    two: str = ""

    @property
    def link(self) -> Atom:
        return Atom(self.predicate, (self.one, self.two) if self.two else (self.one,))

    def other(self, state: State, binding: Mapping[str, str]) -> str | None:
        """The one object that the link is known to hold of, if there is one, and it is not the argument."""
        if self.predicate == EQUALS:
            names = {binding[self.two]}
        else:
            place = 0 if self.one == JOINED else 1
            pattern = self.link.substitute({**binding, JOINED: WILDCARD})
            names = {atom.args[place] for atom in state.matching(pattern)}
        return names.pop() if len(names) == 1 and binding.get(self.argument) not in names else None


def shares(predicate: str) -> Key:
    """The relation of things that have a property in common."""
    return Key("", "", predicate, JOINED)


def barriers(ruleset: RuleSet, schema: ActionSchema) -> list[Key]:
    """All that a hidden relation may bar an action by, the plainest first."""
    names = [p.name for p in schema.parameters]
    found = [Key(schema.name, a, EQUALS, JOINED, b) for a, b in combinations(names, 2)]
    for argument, (predicate, types) in product(names, ruleset.predicates.items()):
        if len(types) == 1:
            found.append(Key(schema.name, argument, predicate, JOINED))
        elif len(types) == 2:
            for name in names:
                found.append(Key(schema.name, argument, predicate, name, JOINED))
                found.append(Key(schema.name, argument, predicate, JOINED, name))
    return found


def exclusive(ruleset: RuleSet) -> list[str]:
    """Properties that an action moves from thing to thing: it deletes ``p(*)`` and adds ``p(?x)``."""
    return sorted(
        {
            atom.predicate
            for schema in ruleset.actions.values()
            for rule in schema.rules
            for atom in rule.deletes
            if atom.args == (WILDCARD,) and atom.predicate in {a.predicate for a in rule.adds}
        }
    )


class Cases:
    """Counts the episodes of logs, by the rules that were learned from them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        ruleset = engine.ruleset
        self._barriers = {name: barriers(ruleset, schema) for name, schema in ruleset.actions.items()}
        self._shared = [shares(predicate) for predicate in exclusive(ruleset)]

    def count(self, episode: Iterable[Transition]) -> Counter[Row]:
        """What one episode says.

        What is asked again before anything has changed is answered the same by any world, and tells nothing.
        """
        tallies: dict[Key, dict[tuple[str, str], list[int]]] = defaultdict(dict)
        asked: set[Action] = set()
        for step in episode:
            if step.action.name in self._barriers and step.action not in asked:
                for key, pair, related in self._judge(step):
                    tallies[key].setdefault(pair, [0, 0])[not related] += 1
            asked.add(step.action)
            if step.after.true != step.before.true or step.after.false != step.before.false:
                asked.clear()
        return Counter(row for key, pairs in tallies.items() for row in _rows(key, pairs))

    def _judge(self, step: Transition) -> Iterator[tuple[Key, tuple[str, str], bool]]:
        """Of which pairs a step shows that they are related, or are not."""
        state, action = step.before, step.action
        expected = self._engine.outcome(state, action).truth
        if expected is TRUE:
            binding = self._engine.binding(action)
            for key in self._barriers[action.name]:
                other = key.other(state, binding)
                if other is not None:
                    yield key, (binding[key.argument], other), not step.succeeded
        if expected is UNKNOWN:
            return
        for key, argument in product(self._shared, dict.fromkeys(action.args)):
            other, atom = key.other(state, {key.argument: argument}), Atom(key.predicate, (argument,))
            assumed = atom not in state.false and state.truth(atom) is FALSE
            if other is not None and assumed:
                instead = self._engine.outcome(state.updated([atom]), action).truth
                if instead is ~expected:  # all turns on whether the argument has the property too
                    yield key, (argument, other), step.succeeded is (instead is TRUE)


def _rows(key: Key, pairs: Mapping[tuple[str, str], list[int]]) -> Iterator[Row]:
    """The tallies of pairs, by each view."""
    for view in VIEWS:
        groups: Counter[tuple[tuple[str, ...], int]] = Counter()
        for pair, tally in pairs.items():
            for index, cases in enumerate(tally):
                groups[_group(view, pair), index] += cases
        for group in dict.fromkeys(group for group, _ in groups):
            yield (*key, view, str(groups[group, 0]), str(groups[group, 1]))


def _group(view: str, pair: tuple[str, str]) -> tuple[str, ...]:
    if view == EITHER:
        return tuple(sorted(pair))
    return pair if view == ORDERED else pair[:1] if view == FIRST else pair[1:]
