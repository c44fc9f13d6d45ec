"""The rule graph: which rule brings about what another one needs, and which takes it away.

A node is a rule, ``action.rule``. An edge says that an effect of one rule unifies with a literal in the
condition of another: it *enables* where the effect makes the literal true, it *disables* where it makes
it false. It is a possibility, judged by names and types alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import networkx as nx

from rules.errors import WorldModelError
from rules.language import render_literal, render_rule
from rules.logic import EQUALS, IS, WILDCARD, Atom, Literal
from rules.ruleset import ANY, ActionSchema, Rule, RuleSet

ENABLES, DISABLES = "enables", "disables"
MAX_PAIRS = 500_000
"""Of an effect and a condition that are compared."""


class _Term(NamedTuple):
    """What a term may be: a constant, or some object of a type that is none of the excluded."""

    constant: str | None
    type: str
    excluded: frozenset[str] = frozenset()


class _Use(NamedTuple):
    """A literal in a rule: an effect (what becomes true of it, or false) or a condition."""

    rule: str
    literal: Literal
    terms: tuple[_Term, ...]


def rule_graph(ruleset: RuleSet) -> nx.MultiDiGraph:
    """Nodes: action, rule, command, support, against, confidence, text. Edges: kind, literal (as the other
    rule's condition has it), change (predicate and types, with `not` where it becomes false).

    Raises `WorldModelError` for a rule set with more than `MAX_PAIRS` pairs to compare.
    """
    graph = nx.MultiDiGraph(name=ruleset.name)
    effects: list[_Use] = []
    needs: dict[str, list[_Use]] = defaultdict(list)
    for schema in ruleset.actions.values():
        for rule in schema.rules:
            name = _node(graph, ruleset, schema, rule)
            typed = _Typing(ruleset, schema, rule)
            effects += [typed.use(name, literal) for literal in _effects(rule)]
            for literal in _conditions(ruleset, rule):
                needs[literal.atom.predicate].append(typed.use(name, literal))
    if sum(len(needs[effect.literal.atom.predicate]) for effect in effects) > MAX_PAIRS:
        raise WorldModelError(
            f"{ruleset.name}: over {MAX_PAIRS:,} pairs of an effect and a condition; expected fewer rules"
        )
    for effect in effects:
        for need in needs[effect.literal.atom.predicate]:
            _connect(graph, ruleset, effect, need)
    return graph


def _node(graph: nx.MultiDiGraph, ruleset: RuleSet, schema: ActionSchema, rule: Rule) -> str:
    name = f"{schema.name}.{rule.name}"
    graph.add_node(
        name,
        action=schema.name,
        rule=rule.name,
        command=schema.command or "",
        support=rule.evidence.support,
        against=rule.evidence.against,
        confidence=round(rule.evidence.confidence, 6),
        text=render_rule(rule, ruleset),
    )
    return name


def _conditions(ruleset: RuleSet, rule: Rule) -> Iterator[Literal]:
    """The literals of its condition that a state can change, each once."""
    literals = dict.fromkeys(literal for clause in rule.when for literal in clause)
    yield from (literal for literal in literals if literal.atom.predicate in ruleset.predicates)


def _effects(rule: Rule) -> Iterator[Literal]:
    """What becomes true, and what becomes false unless the rule itself adds it again."""
    yield from (Literal(atom) for atom in dict.fromkeys(rule.adds))
    yield from (Literal(atom, False) for atom in dict.fromkeys(rule.deletes) if atom not in rule.adds)


def _connect(graph: nx.MultiDiGraph, ruleset: RuleSet, effect: _Use, need: _Use) -> None:
    """One edge for each kind and literal, however many effects lead to it."""
    if not all(_overlap(ruleset, a, b) for a, b in zip(effect.terms, need.terms, strict=True)):
        return
    kind = ENABLES if effect.literal.positive is need.literal.positive else DISABLES
    literal = render_literal(need.literal, ruleset)
    key = f"{kind} {literal}"
    if not graph.has_edge(effect.rule, need.rule, key):
        change = _change(effect.literal, ruleset)
        graph.add_edge(effect.rule, need.rule, key=key, kind=kind, literal=literal, change=change)


def _change(effect: Literal, ruleset: RuleSet) -> str:
    types = ruleset.predicates[effect.atom.predicate]
    return f"{'' if effect.positive else 'not '}{Atom(effect.atom.predicate, types)}"


def _overlap(ruleset: RuleSet, a: _Term, b: _Term) -> bool:
    """Whether one object could be both."""
    if a.constant is not None and b.constant is not None:
        return a.constant == b.constant
    narrow, wide = (a.type, b.type) if ruleset.is_a(a.type, b.type) else (b.type, a.type)
    if not ruleset.is_a(narrow, wide):
        return False
    return not any(ruleset.is_a(narrow, out) for out in a.excluded | b.excluded)


class _Typing:
    """What the terms of one rule may be, as far as its parameters, places and type tests say."""

    def __init__(self, ruleset: RuleSet, schema: ActionSchema, rule: Rule) -> None:
        self.ruleset = ruleset
        self.types = {p.name: p.type for p in schema.parameters}
        self.excluded: dict[str, frozenset[str]] = defaultdict(frozenset)
        for clause in rule.when:
            if len(clause) == 1:
                self._learn(clause[0])

    def _learn(self, literal: Literal) -> None:
        atom, positive = literal
        if atom.predicate == IS:
            variable, type_ = atom.args
            if positive:
                self._narrow(variable, type_)
            else:
                self.excluded[variable] |= {type_}
        elif positive and atom.predicate != EQUALS:
            signature = self.ruleset.predicates.get(atom.predicate, ())
            for term, type_ in zip(atom.args, signature, strict=False):
                if term.startswith("?"):
                    self._narrow(term, type_)

    def _narrow(self, variable: str, type_: str) -> None:
        if self.ruleset.is_a(type_, self.types.get(variable, ANY)):
            self.types[variable] = type_

    def use(self, rule: str, literal: Literal) -> _Use:
        signature = self.ruleset.predicates[literal.atom.predicate]
        terms = tuple(map(self._term, literal.atom.args, signature))
        return _Use(rule, literal, terms)

    def _term(self, term: str, place: str) -> _Term:
        if term == WILDCARD:
            return _Term(None, place)
        if not term.startswith("?"):
            return _Term(term, self.ruleset.constants.get(term, ANY))
        type_ = self.types.get(term, ANY)
        return _Term(None, place if self.ruleset.is_a(place, type_) else type_, self.excluded[term])
