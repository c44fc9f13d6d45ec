"""How good a learned domain is: its literals against the true ones, and its applicable actions.

Both as AMLGym defines them (`amlgym.metrics`), on parsed domains. Parameters are compared by place, and
names with ``-`` and ``_`` alike, since some learners write one for the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from benchmarks.corpus import Example
from rules.engine import Engine, variables
from rules.logic import EQUALS, IS, TRUE, WILDCARD, Action, Atom, Clause, Literal, State
from rules.ruleset import ActionSchema, Parameter, Rule, RuleSet

Conjunction = tuple[Clause, ...]
Row = dict[str, str]


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
    by_name = {_plain(name): schema for name, schema in learned.actions.items()}
    scores = []
    for name, schema in truth.actions.items():
        found, true = _literals(by_name.get(_plain(name))), _literals(schema)
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


def _plain(name: str) -> str:
    return name.replace("-", "_")


def placed(schema: ActionSchema) -> ActionSchema:
    """The schema with parameters named for their places, and plain names throughout."""
    names = {p.name: f"?{number}" for number, p in enumerate(schema.parameters, 1)}

    def atom(old: Atom) -> Atom:
        args = tuple([names.get(a, a) for a in old.args])
        return Atom(_plain(old.predicate), tuple(sorted(args)) if old.predicate == EQUALS else args)

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
        _plain(schema.name),
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
        self._examples = examples
        self._engine = Engine(replace(vocabulary, actions={}))
        self._schemas = {name: schema.parameters for name, schema in vocabulary.actions.items()}
        self._score = lru_cache(maxsize=None)(self._scored)
        self._pools: dict[tuple[str, int], Mapping[str, frozenset[str]]] = {}

    def score(self, learned: RuleSet) -> Score:
        """The mean over actions of precision and recall, each over all states."""
        by_name = {_plain(name): placed(schema) for name, schema in learned.actions.items()}
        scores = []
        for name in self._schemas:
            schema = by_name.get(_plain(name))
            rules = () if schema is None else schema.rules
            told = [rule for rule in rules if rule.when or rule.adds or rule.deletes]
            scores.append(self._score(name, _alternatives(told)))
        return Score.mean(scores)

    def _scored(self, name: str, alternatives: frozenset[frozenset[Clause]]) -> Score:
        right = extra = missing = 0
        options = _apart(alternatives, len(self._schemas[name]))
        for example in self._examples:
            true = example.applicable.get(name, frozenset())
            found = sum(any(self._holds(name, o, example.state, action) for o in options) for action in true)
            right += found
            missing += len(true) - found
            extra += self._number(name, options, example.state) - found
        return Score.of(right, extra, missing)

    def _holds(self, name: str, when: Conjunction, state: State, action: Action) -> bool:
        binding = {f"?{number}": arg for number, arg in enumerate(action.args, 1)}
        pools = self._places(name, state)
        return all(a in pools[v] for v, a in binding.items()) and bool(
            self._solutions(when, state, pools, binding)
        )

    def _number(self, name: str, options: Sequence[Conjunction], state: State) -> int:
        """How many actions satisfy one of the conditions: inclusion and exclusion."""
        pools = self._places(name, state)
        total = 0
        for size in range(1, len(options) + 1):
            for chosen in combinations(options, size):
                both = tuple(dict.fromkeys([clause for option in chosen for clause in option]))
                total += (1 if size % 2 else -1) * self._count(both, state, pools)
        return total

    def _count(self, when: Conjunction, state: State, pools: Mapping[str, frozenset[str]]) -> int:
        """The bindings of the parameters that satisfy a condition: those of its independent parts, multiplied."""
        total = 1
        for names, clauses in _parts(tuple(pools), when):
            if not clauses:
                total *= len(pools[names[0]])
            else:
                rows = self._solutions(clauses, state, pools, {})
                total *= len({tuple([row[n] for n in names if n in pools]) for row in rows})
            if not total:
                return 0
        return total

    def _solutions(
        self, clauses: Conjunction, state: State, pools: Mapping[str, frozenset[str]], binding: Row
    ) -> list[Row]:
        """Every binding that satisfies the clauses: facts are joined, the rest is checked as soon as it can be."""
        rows, bound, left = [binding], set(binding), list(clauses)
        while True:
            ready = [clause for clause in left if variables(clause) <= bound]
            left = [clause for clause in left if clause not in ready]
            for clause in ready:
                rows = [row for row in rows if self._engine.clause(clause, state, row) is TRUE]
            if not left or not rows:
                return rows
            facts = [clause for clause in left if _joins(clause)]
            if facts:
                best = max(facts, key=lambda clause: len(variables(clause) & bound))
                rows = [new for row in rows for new in _matches(best[0], state, pools, row)]
                bound |= variables(best)
            else:
                name = min(variables(left[0]) - bound)
                pool = pools.get(name, frozenset(state.objects))
                rows = [{**row, name: value} for row in rows for value in pool]
                bound.add(name)

    def _places(self, name: str, state: State) -> Mapping[str, frozenset[str]]:
        """The objects that an action's parameters can stand for; the states of a problem share their objects."""
        key = name, id(state.objects)
        if key not in self._pools:
            objects = {**self._engine.ruleset.constants, **state.objects}
            self._pools[key] = {
                f"?{number}": frozenset(
                    o for o, own in objects.items() if self._engine.ruleset.is_a(own, p.type)
                )
                for number, p in enumerate(self._schemas[name], 1)
            }
        return self._pools[key]


def _alternatives(rules: Iterable[Rule]) -> frozenset[frozenset[Clause]]:
    """The conditions under any of which an action applies."""
    return frozenset([frozenset(rule.when) for rule in rules])


def _apart(alternatives: frozenset[frozenset[Clause]], parameters: int) -> list[Conjunction]:
    """The alternatives in a fixed order, each with free variables of its own."""
    bound = {f"?{number}" for number in range(1, parameters + 1)}
    found = []
    for number, option in enumerate(sorted(map(sorted, alternatives))):
        free = {name for clause in option for name in variables(clause)} - bound
        names = {name: f"{name}_{number}" for name in free}
        found.append(tuple([tuple([literal.substitute(names) for literal in clause]) for clause in option]))
    return found


def _parts(parameters: Sequence[str], when: Conjunction) -> list[tuple[list[str], Conjunction]]:
    """The condition split into parts that share no variable; every parameter is in one of them."""
    parts: list[tuple[set[str], list[Clause]]] = [({name}, []) for name in parameters]
    for clause in when:
        names = variables(clause)
        touched = [part for part in parts if part[0] & names]
        parts = [part for part in parts if part not in touched]
        parts.append(
            (names.union(*[n for n, _ in touched]), [*[c for _, found in touched for c in found], clause])
        )
    return [(sorted(names), tuple(clauses)) for names, clauses in parts]


def _joins(clause: Clause) -> bool:
    """Whether a clause states a fact, so that the true atoms give the bindings that satisfy it."""
    literal = clause[0]
    if len(clause) > 1 or not literal.positive or WILDCARD in literal.atom.args:
        return False
    return literal.atom.predicate not in (IS, EQUALS)


def _matches(literal: Literal, state: State, pools: Mapping[str, frozenset[str]], row: Row) -> Iterable[Row]:
    """The row, extended by every true atom that is the literal's."""
    pattern = literal.atom.args
    for atom in state.atoms(literal.atom.predicate):
        new = dict(row)
        for name, value in zip(pattern, atom.args, strict=True):
            if not name.startswith("?"):
                fits = name == value
            elif name in new:
                fits = new[name] == value
            else:
                new[name] = value
                fits = name not in pools or value in pools[name]
            if not fits:
                break
        else:
            yield new
