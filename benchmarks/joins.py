"""Which ground actions satisfy a condition in a complete state: a join over its facts.

Parameters are named for their places, ``?1``, ``?2``, ...; other variables are free: some object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

from rules.engine import Engine, variables
from rules.logic import EQUALS, IS, TRUE, WILDCARD, Action, Clause, Literal, State
from rules.ruleset import RuleSet

Conjunction = tuple[Clause, ...]
Row = dict[str, str]
Pools = Mapping[str, frozenset[str]]
"""Parameter -> the objects that it can stand for."""


class Joins:
    """Answers for the actions of one vocabulary."""

    def __init__(self, vocabulary: RuleSet) -> None:
        self._engine = Engine(replace(vocabulary, actions={}))
        self.actions = {name: schema.parameters for name, schema in vocabulary.actions.items()}
        self._pools: dict[tuple[str, int], Pools] = {}

    def holds(self, when: Conjunction, state: State, action: Action) -> bool:
        """Whether the condition holds of one action."""
        pools = self._places(action.name, state)
        binding = {f"?{number}": arg for number, arg in enumerate(action.args, 1)}
        typed = all(arg in pools[name] for name, arg in binding.items())
        return typed and bool(self._solutions(when, state, pools, binding))

    def count(self, name: str, when: Conjunction, state: State) -> int:
        """How many actions satisfy a condition: those of its independent parts, multiplied."""
        total = 1
        for _, rows in self._independent(name, when, state):
            total *= len(rows)
        return total

    def all(self, name: str, when: Conjunction, state: State) -> list[Action]:
        """Every action that satisfies a condition."""
        parts = self._independent(name, when, state)
        if not all(rows for _, rows in parts):
            return []
        order = [n for names, _ in parts for n in names]
        places = [order.index(f"?{number}") for number in range(1, len(order) + 1)]
        found = [[value for row in rows for value in row] for rows in product(*[rows for _, rows in parts])]
        return [Action(name, tuple([values[place] for place in places])) for values in found]

    def places(self, name: str, state: State) -> list[list[str]]:
        """For each parameter of an action, what it can stand for."""
        return [sorted(pool) for pool in self._places(name, state).values()]

    def _independent(
        self, name: str, when: Conjunction, state: State
    ) -> list[tuple[list[str], list[tuple[str, ...]]]]:
        """The parts of a condition that share no variable: their parameters, and what these can be."""
        pools = self._places(name, state)
        found = []
        for names, clauses in _parts(tuple(pools), when):
            parameters = [n for n in names if n in pools]
            if clauses:
                rows = self._solutions(clauses, state, pools, {})
                values = sorted({tuple([row[n] for n in parameters]) for row in rows})
            else:
                values = [(value,) for value in sorted(pools[names[0]])]
            found.append((parameters, values))
            if not values:
                break
        return found

    def _solutions(self, clauses: Conjunction, state: State, pools: Pools, binding: Row) -> list[Row]:
        """Every binding that satisfies the clauses: facts are joined, the rest is checked on the way."""
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

    def _places(self, name: str, state: State) -> Pools:
        """The objects that the parameters can stand for; the states of a problem share theirs."""
        key = name, id(state.objects)
        if key not in self._pools:
            objects = {**self._engine.ruleset.constants, **state.objects}
            self._pools[key] = {
                f"?{number}": frozenset(
                    o for o, own in objects.items() if self._engine.ruleset.is_a(own, p.type)
                )
                for number, p in enumerate(self.actions[name], 1)
            }
        return self._pools[key]


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


def _matches(literal: Literal, state: State, pools: Pools, row: Row) -> Iterable[Row]:
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
