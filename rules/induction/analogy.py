"""Rules for actions that no log shows, by analogy with those that it does.

Who has seen soil sampled may guess how rocks are: an action that takes arguments of the same types, and
is named alike, does the like. What differs in the names is translated in the predicates too: from
``sample_soil`` to ``sample_rock``, ``at_soil_sample`` becomes ``at_rock_sample``. A guess has no
evidence (0 for, 0 against), so nothing that counts evidence trusts it; but it can be tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import zip_longest

from rules.logic import EQUALS, IS, Atom, Clause, Literal
from rules.ruleset import ActionSchema, Evidence, Rule, RuleSet

ALIKE = 0.5
"""An action is a model for another if at least this share of their parameters correspond."""


def with_analogies(ruleset: RuleSet) -> RuleSet:
    """The rule set, with guesses for the actions that have no rules, where another is like them."""
    known = [schema for schema in ruleset.actions.values() if schema.rules]
    actions = {
        name: schema if schema.rules else _guessed(ruleset, schema, known)
        for name, schema in ruleset.actions.items()
    }
    return replace(ruleset, actions=actions)


def _guessed(ruleset: RuleSet, schema: ActionSchema, known: Iterable[ActionSchema]) -> ActionSchema:
    models = {model.name: _correspondence(ruleset, model, schema) for model in known}
    likeness = {model.name: _likeness(schema, model, models[model.name]) for model in known}
    for model in sorted(known, key=lambda model: (likeness[model.name], model.name), reverse=True):
        if likeness[model.name][0] >= ALIKE:
            translation = _Translation(ruleset, schema, model, models[model.name])
            rules = tuple(filter(None, map(translation.rule, model.rules)))
            if rules:
                tied = tuple(replace(r, when=r.when + _links(ruleset, schema, r)) for r in rules)
                return replace(schema, rules=tied)
    return schema


def _links(ruleset: RuleSet, schema: ActionSchema, rule: Rule) -> tuple[Clause, ...]:
    """For parameters that stand alone in a guess, the one fact that can tie them to another parameter."""
    tied = {a for clause in rule.when for x in clause if len(x.atom.args) > 1 for a in x.atom.args}
    found: list[Clause] = []
    for name, type_ in schema.parameters:
        if name in tied:
            continue
        ties = [
            Atom(predicate, args)
            for other, its_type in schema.parameters
            if other != name
            for predicate, signature in ruleset.predicates.items()
            for args, types in (((name, other), (type_, its_type)), ((other, name), (its_type, type_)))
            if len(signature) == 2 and all(map(ruleset.is_a, types, signature))
        ]
        if len(ties) == 1:
            found.append((Literal(ties[0]),))
    return tuple(dict.fromkeys(found))


def _correspondence(ruleset: RuleSet, model: ActionSchema, schema: ActionSchema) -> dict[str, str]:
    """The model's parameters -> those of an action: by type, the nearest in kind first, and in order."""
    found: dict[str, str] = {}
    for near in (_same, _related, _akin):
        for parameter, type_ in model.parameters:
            for other, its_type in schema.parameters:
                free = parameter not in found and other not in found.values()
                if free and near(ruleset, type_, its_type):
                    found[parameter] = other
    return found


def _same(_: RuleSet, a: str, b: str) -> bool:
    return a == b


def _related(ruleset: RuleSet, a: str, b: str) -> bool:
    return ruleset.is_a(a, b) or ruleset.is_a(b, a)


def _akin(ruleset: RuleSet, a: str, b: str) -> bool:
    """Whether the types are of one kind, as lorries and vans are vehicles."""
    return ruleset.types.get(a) is not None and ruleset.types.get(a) == ruleset.types.get(b)


def _likeness(
    schema: ActionSchema, model: ActionSchema, correspondence: Mapping[str, str]
) -> tuple[float, float, int]:
    """The share of parameters that correspond, the share of words, and how much is known of the model."""
    most = max(len(schema.parameters), len(model.parameters))
    ours, theirs = set(_words(schema.name)), set(_words(model.name))
    support = sum(rule.evidence.support for rule in model.rules)
    shared = len(ours & theirs) / len(ours | theirs) if ours or theirs else 0.0
    return len(correspondence) / most if most else 1.0, shared, support


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", name.lower())


class _Translation:
    """From the model's words and parameters to those of the action."""

    def __init__(
        self, ruleset: RuleSet, schema: ActionSchema, model: ActionSchema, names: Mapping[str, str]
    ) -> None:
        self._ruleset, self._schema, self._model, self._names = ruleset, schema, model, names
        self._types = {**ruleset.constants, **dict(schema.parameters)}
        ours, theirs = _words(schema.name), _words(model.name)
        pairs = zip_longest([w for w in theirs if w not in ours], [w for w in ours if w not in theirs])
        self._words = {a: b for a, b in pairs if a and b}

    def rule(self, rule: Rule) -> Rule | None:
        """The guessed rule; None if it would change nothing."""
        adds, deletes = self._atoms(rule.adds), self._atoms(rule.deletes)
        if not adds and not deletes:
            return None
        when = tuple(clause for clause in map(self._clause, rule.when) if clause)
        name = rule.name.replace(self._model.name, f"{self._schema.name}_like_{self._model.name}")
        return Rule(name, when, adds, deletes, self._atoms(rule.reveals), None, Evidence())

    def _clause(self, clause: Clause) -> Clause:
        """The clause in other words; empty if one of its literals cannot be said."""
        found = [(self._atom(literal.atom), literal.positive) for literal in clause]
        return (
            tuple([Literal(atom, positive) for atom, positive in found if atom])
            if all(atom for atom, _ in found)
            else ()
        )

    def _atoms(self, atoms: Iterable[Atom]) -> tuple[Atom, ...]:
        return tuple(dict.fromkeys(filter(None, map(self._atom, atoms))))

    def _atom(self, atom: Atom) -> Atom | None:
        """The atom about the corresponding parameters; None where that means nothing."""
        if atom.predicate in self._ruleset.relations:
            return None  # a table of the model's own types
        parameters = {p.name for p in self._model.parameters}
        if any(arg in parameters and arg not in self._names for arg in atom.args):
            return None
        args = tuple([self._names.get(a, a) for a in atom.args])
        found = Atom(self._predicate(atom.predicate), args)
        return (
            found if all(map(self._fits, args, self._ruleset.predicates.get(found.predicate, ()))) else None
        )

    def _fits(self, term: str, place: str) -> bool:
        type_ = self._types.get(term)
        return type_ is None or _related(self._ruleset, type_, place)

    def _predicate(self, name: str) -> str:
        if name in (IS, EQUALS):
            return name
        predicates = self._ruleset.predicates
        translated = re.sub(r"[a-z0-9]+", lambda word: self._words.get(word[0], word[0]), name)
        return translated if predicates.get(translated) == predicates.get(name) else name
