"""Whether a rule set means something: every name declared, every atom well-typed, every variable bound."""

from __future__ import annotations

from rules.language.limits import (
    MAX_ACTIONS,
    MAX_ARITY,
    MAX_CONSTANTS,
    MAX_INVARIANTS,
    MAX_LITERALS,
    MAX_RULES,
    MAX_TYPE_DEPTH,
    MAX_TYPES,
    MAX_VARIABLES,
)
from rules.language.messages import InvalidRules, shown
from rules.language.names import VARIABLE
from rules.language.scope import Scope, check_type
from rules.logic import EQUALS, IS, WILDCARD
from rules.ruleset import ANY, ActionSchema, Evidence, Invariant, Relation, Rule, RuleSet


def check(ruleset: RuleSet) -> None:
    """Raises `InvalidRules` at the first thing that is wrong; a rule set that passes can be printed."""
    _sizes(ruleset)
    _names(ruleset)
    _types(ruleset)
    for name, types in ruleset.predicates.items():
        if name in ruleset.relations or name in (IS, EQUALS):
            raise InvalidRules(name, f"{shown(name)} is a relation too, or built in", "another name")
        _at_most(name, len(types), MAX_ARITY, "arguments")
        for type_ in types:
            check_type(ruleset, type_)
    for type_ in ruleset.constants.values():
        check_type(ruleset, type_)
    for relation in ruleset.relations.values():
        _relation(ruleset, relation)
    for invariant in ruleset.invariants:
        _invariant(ruleset, invariant)
    for action in ruleset.actions.values():
        _action(ruleset, action)


def _sizes(ruleset: RuleSet) -> None:
    for found, limit, what in (
        (ruleset.types, MAX_TYPES, "types"),
        (ruleset.constants, MAX_CONSTANTS, "constants"),
        (ruleset.invariants, MAX_INVARIANTS, "invariants"),
        (ruleset.actions, MAX_ACTIONS, "actions"),
    ):
        _at_most(ruleset.name, len(found), limit, what)
    for action in ruleset.actions.values():
        _at_most(action.name, len(action.parameters), MAX_VARIABLES, "parameters")
        _at_most(action.name, len(action.rules), MAX_RULES, "rules")
        for rule in action.rules:
            _at_most(rule.name, sum(map(len, rule.when)), MAX_LITERALS, "literals")
            effects = (*rule.adds, *rule.deletes, *rule.reveals)
            _at_most(rule.name, len(effects), MAX_LITERALS, "effects")


def _names(ruleset: RuleSet) -> None:
    declared = (ruleset.types, ruleset.constants, ruleset.predicates, ruleset.relations, ruleset.actions)
    rules = [rule.name for action in ruleset.actions.values() for rule in action.rules]
    for name in [ruleset.name, *[n for names in declared for n in names], *rules]:
        if not name or name == WILDCARD or name.startswith("?"):
            raise InvalidRules(name, f"{shown(name)} is no name", "a text that is no variable or wildcard")
    own = [(r.name, key) for key, r in ruleset.relations.items()]
    own += [(a.name, key) for key, a in ruleset.actions.items()]
    for name, key in own:
        if name != key:
            raise InvalidRules(name, f"{shown(name)} stands under {shown(key)}", "one name")


def _types(ruleset: RuleSet) -> None:
    for type_, parent in ruleset.types.items():
        if type_ == ANY:
            raise InvalidRules(type_, f"type `{ANY}` is built in: it is above all others", "another name")
        if parent is not None:
            check_type(ruleset, parent)
        seen, current = {type_}, parent
        while current is not None and current != ANY:
            if current in seen:
                raise InvalidRules(type_, f"type {shown(type_)} is below itself", "a tree of types")
            if len(seen) == MAX_TYPE_DEPTH:
                raise InvalidRules(
                    type_, f"type {shown(type_)} lies too deep", f"{MAX_TYPE_DEPTH} levels at most"
                )
            seen.add(current)
            current = ruleset.types.get(current)


def _relation(ruleset: RuleSet, relation: Relation) -> None:
    if relation.name in (IS, EQUALS) or relation.arity < 1:
        raise InvalidRules(
            relation.name, f"{shown(relation.name)} is built in, or has no column", "a relation"
        )
    _at_most(relation.name, relation.arity, MAX_ARITY, "columns")
    for types, evidence in relation.table.items():
        _evidence(relation.name, evidence)
        if len(types) != relation.arity:
            at = types[0] if types else relation.name
            raise InvalidRules(
                at, f"a row of {len(types)} types", f"{relation.arity}, as {shown(relation.name)} has"
            )
        for type_ in types:
            check_type(ruleset, type_)


def _at_most(at: str, number: int, limit: int, what: str) -> None:
    if number > limit:
        raise InvalidRules(at, f"{number} {what} at {shown(at)}", f"at most {limit}")


def _evidence(at: str, evidence: Evidence) -> None:
    if min(evidence) < 0:
        raise InvalidRules(at, f"negative evidence at {shown(at)}", "counts from 0")


def _invariant(ruleset: RuleSet, invariant: Invariant) -> None:
    """Its variables stand for every object, so all of them are bound."""
    literals = (*invariant.body, *invariant.head)
    at = literals[0].atom.predicate if literals else ruleset.name
    _evidence(at, invariant.evidence)
    _at_most(at, len(literals), MAX_LITERALS, "literals")
    scope = Scope(ruleset, {})
    scope.bind(invariant.body)
    for literal in literals:
        for term in literal.atom.args:
            if VARIABLE.fullmatch(term):
                scope.free.setdefault(term, ANY)
    _at_most(at, len(scope.free), MAX_VARIABLES, "variables")
    for literal in literals:
        scope.literal(literal)


def _action(ruleset: RuleSet, action: ActionSchema) -> None:
    parameters: dict[str, str] = {}
    for name, type_ in action.parameters:
        if name in parameters or not VARIABLE.fullmatch(name):
            raise InvalidRules(name, f"parameter {shown(name)} twice, or not like `?x`", "another name")
        check_type(ruleset, type_)
        parameters[name] = type_
    scope = Scope(ruleset, parameters)
    scope.wording(action.command)
    scope.wording(action.otherwise)
    names: set[str] = set()
    for rule in action.rules:
        if rule.name in names:
            raise InvalidRules(rule.name, f"rule {shown(rule.name)} twice in one action", "another name")
        names.add(rule.name)
        _rule(Scope(ruleset, parameters), rule)


def _rule(scope: Scope, rule: Rule) -> None:
    _evidence(rule.name, rule.evidence)
    scope.bind(clause[0] for clause in rule.when if len(clause) == 1)
    _at_most(rule.name, len(scope.parameters) + len(scope.free), MAX_VARIABLES, "variables")
    for clause in rule.when:
        if not clause:
            raise InvalidRules(
                rule.name, f"rule {shown(rule.name)} has an empty clause", "one literal or more"
            )
        for literal in clause:
            scope.literal(literal)
    for atom in rule.adds:
        if WILDCARD in atom.args:
            at = atom.args[atom.args.index(WILDCARD)]
            raise InvalidRules(at, "a wildcard in what becomes true", "a variable or a constant")
    for atom in (*rule.adds, *rule.deletes, *rule.reveals):
        scope.stored(atom)
    scope.wording(rule.says)
