"""Rules that can never fire from the states of a log, however its actions are combined.

Delete relaxation, lifted to types: what once holds, holds for good, and of a predicate only the
types in each of its places are kept. Both err on the side of *reachable*, so that *unreachable* is
a proof as far as the objects and the closed-world knowledge of the log go: a predicate that some
state leaves open may hold of anything. Without states nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod

from rules.logic import FALSE, IS, TRUE, WILDCARD, Literal, State
from rules.ruleset import ANY, ActionSchema, Rule, RuleSet
from rules.verification.findings import Finding, Kind, Status
from rules.verification.formulas import typed, variables

MAX_ROWS = 100_000
"""Rows of a relation that are looked through; one with more narrows nothing."""

Types = frozenset[str]
Domains = dict[str, Types]
"""Variable -> the types that its object may have."""


class Reachability:
    """The facts of logged states by the types of their arguments, and what rules can make of them."""

    def __init__(self, ruleset: RuleSet) -> None:
        self.ruleset = ruleset
        self._seen = False
        self._types = set(ruleset.constants.values())
        self._closed = set(ruleset.predicates)
        self._last = State({})
        self._facts: dict[str, tuple[Types, ...]] = {}
        """Predicate -> the types in each place, of those that hold or may come to hold."""

    def add(self, state: State) -> None:
        """Takes in a state."""
        if state.objects is not self._last.objects:
            self._types.update(state.objects.values())
        if state.false is not self._last.false:
            self._closed &= {p.predicate for p in state.false if all(a == WILDCARD for a in p.args)}
        fresh = state.true if state.objects is not self._last.objects else state.true - self._last.true
        for predicate, args in fresh:
            self._hold(predicate, [frozenset([self._type(a, state)]) for a in args])
        self._seen, self._last = True, state

    def _type(self, name: str, state: State) -> str:
        return state.objects.get(name) or self.ruleset.constants.get(name) or ANY

    def _hold(self, predicate: str, types: Sequence[Types]) -> bool:
        """Notes that the predicate may hold of these types, place by place; whether that is news."""
        before = self._facts.get(predicate)
        places = before or (frozenset[str](),) * len(types)
        self._facts[predicate] = tuple([p if t <= p else p | t for p, t in zip(places, types, strict=True)])
        return self._facts[predicate] != before

    def findings(self) -> Iterator[Finding]:
        """The rules that are out of reach."""
        if not self._seen:
            return
        rules = [(s, r) for s in self.ruleset.actions.values() for r in s.rules]
        reached: set[tuple[str, str]] = set()
        news = True
        while news:
            news = False
            for schema, rule in rules:
                domains = self._domains(schema, rule)
                if domains is not None:
                    news |= self._fire(rule, domains) or (schema.name, rule.name) not in reached
                    reached.add((schema.name, rule.name))
        for schema, rule in rules:
            if (schema.name, rule.name) not in reached:
                name = f"{schema.name}.{rule.name}"
                message = (
                    f"{name} is out of reach: from the logged states no action leads to where it applies"
                )
                yield Finding(Kind.UNREACHABLE, Status.REFUTED, message, (name,))

    def _fire(self, rule: Rule, domains: Domains) -> bool:
        news = False
        for predicate, args in rule.adds:
            news |= self._hold(predicate, [self._of(arg, domains) for arg in args])
        return news

    def _of(self, term: str, domains: Domains) -> Types:
        """The types that a term may have."""
        if term in domains:
            return domains[term]
        return (
            frozenset([self.ruleset.constants[term]]) if term in self.ruleset.constants else self._universe()
        )

    def _universe(self) -> Types:
        """The types that objects have; any, if some state may not show all there are."""
        complete = self._closed == set(self.ruleset.predicates)
        return frozenset(self._types if complete else {*self._types, *self.ruleset.types, ANY})

    def _domains(self, schema: ActionSchema, rule: Rule) -> Domains | None:
        """The types for which the rule may fire; None if there are none."""
        declared = {p.name: p.type for p in schema.parameters}
        declared = {**typed(self.ruleset, rule.when), **declared}
        declared |= {v: ANY for v in variables(rule.adds) if v not in declared}
        universe = self._universe()
        domains: Domains = {v: self._below(universe, t) for v, t in declared.items()}
        before: Domains = {}
        while domains != before:
            before = domains
            if not all(domains.values()):
                return None
            for clause in rule.when:
                options = [d for d in (self._narrowed(x, domains) for x in clause) if d is not None]
                if not options:
                    return None
                domains = options[0] if len(clause) == 1 else domains
        return domains

    def _below(self, types: Iterable[str], type_: str) -> Types:
        """Those that are of a type; a type that the rule set does not know may be."""
        return frozenset([t for t in types if t not in self.ruleset.types or self.ruleset.is_a(t, type_)])

    def _narrowed(self, literal: Literal, domains: Domains) -> Domains | None:
        """The types for which the literal may hold; None if there are none."""
        (predicate, args), positive = literal
        if predicate == IS:
            fitting = self._below(self._of(args[0], domains), args[1])
            kept = fitting if positive else self._of(args[0], domains) - (fitting & set(self.ruleset.types))
            return self._limited(domains, args[:1], [kept])
        if predicate in self.ruleset.relations:
            relation, barred = self.ruleset.relations[predicate], FALSE if positive else TRUE
            columns = [self._of(a, domains) for a in args]
            if prod(map(len, columns)) > MAX_ROWS:
                return domains
            rows = [row for row in product(*columns) if relation.truth(row) is not barred]
            return self._limited(domains, args, [frozenset(column) for column in zip(*rows, strict=True)])
        if not positive or predicate not in self._closed:
            return domains  # equality among them
        places = self._facts.get(predicate)
        return None if places is None else self._limited(domains, args, places)

    def _limited(self, domains: Domains, args: Sequence[str], places: Sequence[Types]) -> Domains | None:
        """The domains, narrowed to what may stand in these places."""
        if len(places) != len(args):
            return None
        narrowed = dict(domains)
        for arg, types in zip(args, places, strict=True):
            if arg == WILDCARD:
                continue
            common = self._of(arg, narrowed) & types
            if not common:
                return None
            if arg in narrowed:
                narrowed[arg] = common
        return narrowed
