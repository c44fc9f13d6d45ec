"""How good a learned domain is: its literals against the true ones, and its applicable actions.

Both as AMLGym defines them (`amlgym.metrics`), on parsed domains. Parameters are compared by place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from benchmarks.corpus import Example
from benchmarks.joins import Conjunction, Joins
from rules.engine import variables
from rules.logic import EQUALS, Atom, Clause, Literal, State
from rules.ruleset import ActionSchema, Parameter, Rule, RuleSet


class Score(NamedTuple):
    """Precision and recall."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        return 2 * self.precision * self.recall / (self.precision + self.recall or 1)

    @staticmethod
    def of(right: int, extra: int, missing: int) -> Score:
        """Where nothing is said, nothing said is wrong; where nothing is to be said, nothing is missing."""
        return Score(
            right / (right + extra) if right + extra else 1.0,
            right / (right + missing) if right + missing else 1.0,
        )

    @staticmethod
    def mean(scores: Iterable[Score]) -> Score:
        found = list(scores)
        return Score(fmean(s.precision for s in found), fmean(s.recall for s in found))


# -- literals


def syntactic(learned: RuleSet, truth: RuleSet) -> Score:
    """The mean over actions of the precision and recall of their preconditions and effects."""
    scores = []
    for name, schema in truth.actions.items():
        found, true = _literals(learned.actions.get(name)), _literals(schema)
        scores.append(Score.of(len(found & true), len(found - true), len(true - found)))
    return Score.mean(scores)


def _literals(schema: ActionSchema | None) -> set[tuple[str, object]]:
    """What an action asks for, adds and deletes. A disjunction is one literal that no true action has."""
    found: set[tuple[str, object]] = set()
    for rule in () if schema is None else placed(schema).rules:
        found |= {("asks", clause[0] if len(clause) == 1 else clause) for clause in rule.when}
        found |= {("adds", atom) for atom in rule.adds}
        found |= {("deletes", atom) for atom in rule.deletes}
    return found


def placed(schema: ActionSchema) -> ActionSchema:
    """The schema with parameters named for their places."""
    names = {p.name: f"?{number}" for number, p in enumerate(schema.parameters, 1)}

    def atom(old: Atom) -> Atom:
        args = tuple([names.get(a, a) for a in old.args])
        return Atom(old.predicate, tuple(sorted(args)) if old.predicate == EQUALS else args)

    def clause(old: Clause) -> Clause:
        return tuple([Literal(atom(literal.atom), literal.positive) for literal in old])

    rules = [
        replace(
            rule,
            when=tuple(map(clause, rule.when)),
            adds=tuple(map(atom, rule.adds)),
            deletes=tuple(map(atom, rule.deletes)),
        )
        for rule in schema.rules
    ]
    return ActionSchema(
        schema.name,
        tuple([Parameter(names[p.name], p.type) for p in schema.parameters]),
        rules=tuple(rules),
    )


# -- applicable actions


class Applicability:
    """Scores the applicable actions that rule sets predict, in the same states.

    An action of which nothing is learned, neither condition nor effect, is never predicted, whoever the
    learner is. What equal conditions predict is counted once.
    """

    def __init__(self, vocabulary: RuleSet, examples: Sequence[Example]) -> None:
        self._examples, self._joins = examples, Joins(vocabulary)
        self._score = lru_cache(maxsize=None)(self._scored)

    def score(self, learned: RuleSet) -> Score:
        """The mean over actions of precision and recall, each over all states."""
        scores = []
        for name in self._joins.actions:
            schema = learned.actions.get(name)
            rules = () if schema is None else placed(schema).rules
            told = [rule for rule in rules if rule.when or rule.adds or rule.deletes]
            scores.append(self._score(name, _alternatives(told)))
        return Score.mean(scores)

    def _scored(self, name: str, alternatives: frozenset[frozenset[Clause]]) -> Score:
        right = extra = missing = 0
        options = _apart(alternatives)
        for example in self._examples:
            true = example.applicable.get(name, frozenset())
            found = sum(any(self._joins.holds(o, example.state, action) for o in options) for action in true)
            right += found
            missing += len(true) - found
            extra += self._number(name, options, example.state) - found
        return Score.of(right, extra, missing)

    def _number(self, name: str, options: Sequence[Conjunction], state: State) -> int:
        """How many actions satisfy one of the conditions: inclusion and exclusion."""
        total = 0
        for size in range(1, len(options) + 1):
            for chosen in combinations(options, size):
                both = tuple(dict.fromkeys([clause for option in chosen for clause in option]))
                total += (1 if size % 2 else -1) * self._joins.count(name, both, state)
        return total


def _alternatives(rules: Iterable[Rule]) -> frozenset[frozenset[Clause]]:
    """The conditions under any of which an action applies."""
    return frozenset([frozenset(rule.when) for rule in rules])


def _apart(alternatives: frozenset[frozenset[Clause]]) -> list[Conjunction]:
    """The alternatives in a fixed order, each with free variables of its own."""
    found = []
    for number, option in enumerate(sorted(map(sorted, alternatives))):
        free = {name for clause in option for name in variables(clause) if not name[1:].isdigit()}
        names = {name: f"{name}_{number}" for name in free}
        found.append(tuple([tuple([literal.substitute(names) for literal in clause]) for clause in option]))
    return found
