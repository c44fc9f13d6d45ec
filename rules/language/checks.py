"""Whether a rule set means something: every name declared, every atom well-typed, every variable bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rules.language.messages import InvalidRules, nearest, one_of, shown, unknown
from rules.language.names import VARIABLE
from rules.language.slots import slots
from rules.logic import EQUALS, IS, WILDCARD, Atom, Clause, Literal
from rules.ruleset import ANY, ActionSchema, Evidence, Invariant, Relation, Rule, RuleSet

MAX_TYPE_DEPTH = 100


def check(ruleset: RuleSet) -> None:
    """Raises `InvalidRules` at the first thing that is wrong; a rule set that passes can be printed."""
    _names(ruleset)
    _types(ruleset)
    for name, types in ruleset.predicates.items():
        if name in ruleset.relations or name in (IS, EQUALS):
            raise InvalidRules(name, f"{shown(name)} is a relation too, or built in", "another name")
        for type_ in types:
            _type(ruleset, type_)
    for type_ in ruleset.constants.values():
        _type(ruleset, type_)
    for relation in ruleset.relations.values():
        _relation(ruleset, relation)
    for invariant in ruleset.invariants:
        _invariant(ruleset, invariant)
    for action in ruleset.actions.values():
        _action(ruleset, action)


def _names(ruleset: RuleSet) -> None:
    declared = (ruleset.types, ruleset.constants, ruleset.predicates, ruleset.relations, ruleset.actions)
    rules = [rule.name for action in ruleset.actions.values() for rule in action.rules]
    for name in [ruleset.name, *[n for names in declared for n in names], *rules]:
        if not name or name == WILDCARD or name.startswith("?"):
            raise InvalidRules(name, f"{shown(name)} is no name", "a text that is no variable or wildcard")


def _types(ruleset: RuleSet) -> None:
    for type_, parent in ruleset.types.items():
        if type_ == ANY:
            raise InvalidRules(type_, f"type `{ANY}` is built in: it is above all others", "another name")
        if parent is not None:
            _type(ruleset, parent)
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


def _type(ruleset: RuleSet, type_: str) -> None:
    if type_ != ANY and type_ not in ruleset.types:
        raise unknown("type", type_, [ANY, *ruleset.types])


def _relation(ruleset: RuleSet, relation: Relation) -> None:
    if relation.name in (IS, EQUALS) or relation.arity < 1:
        raise InvalidRules(
            relation.name, f"{shown(relation.name)} is built in, or has no column", "a relation"
        )
    for types, evidence in relation.table.items():
        _evidence(relation.name, evidence)
        if len(types) != relation.arity:
            at = types[0] if types else relation.name
            raise InvalidRules(
                at, f"a row of {len(types)} types", f"{relation.arity}, as {shown(relation.name)} has"
            )
        for type_ in types:
            _type(ruleset, type_)


def _evidence(at: str, evidence: Evidence) -> None:
    if min(evidence) < 0:
        raise InvalidRules(at, f"negative evidence at {shown(at)}", "counts from 0")


def _invariant(ruleset: RuleSet, invariant: Invariant) -> None:
    """Its variables stand for every object, so all of them are bound."""
    literals = (*invariant.body, *invariant.head)
    _evidence(literals[0].atom.predicate if literals else ruleset.name, invariant.evidence)
    scope = _Scope(ruleset, {})
    scope.bind(invariant.body)
    for literal in literals:
        for variable in _variables(literal.atom):
            scope.free.setdefault(variable, ANY)
    for literal in literals:
        scope.literal(literal)


def _action(ruleset: RuleSet, action: ActionSchema) -> None:
    parameters: dict[str, str] = {}
    for name, type_ in action.parameters:
        if name in parameters or not VARIABLE.fullmatch(name):
            raise InvalidRules(name, f"parameter {shown(name)} twice, or not like `?x`", "another name")
        _type(ruleset, type_)
        parameters[name] = type_
    scope = _Scope(ruleset, parameters)
    scope.wording(action.command)
    scope.wording(action.otherwise)
    names: set[str] = set()
    for rule in action.rules:
        if rule.name in names:
            raise InvalidRules(rule.name, f"rule {shown(rule.name)} twice in one action", "another name")
        names.add(rule.name)
        _rule(_Scope(ruleset, parameters), rule)


def _rule(scope: _Scope, rule: Rule) -> None:
    _evidence(rule.name, rule.evidence)
    scope.bind(clause[0] for clause in rule.when if len(clause) == 1)
    for clause in rule.when:
        if not clause:
            raise InvalidRules(
                rule.name, f"rule {shown(rule.name)} has an empty clause", "one literal or more"
            )
        scope.clause(clause)
    for atom in rule.adds:
        if WILDCARD in atom.args:
            at = atom.args[atom.args.index(WILDCARD)]
            raise InvalidRules(at, "a wildcard in what becomes true", "a variable or a constant")
    for atom in (*rule.adds, *rule.deletes, *rule.reveals):
        scope.stored(atom)
    scope.wording(rule.says)


class _Scope:
    """The variables of one rule or invariant, with the type of each."""

    def __init__(self, ruleset: RuleSet, parameters: Mapping[str, str]) -> None:
        self.ruleset = ruleset
        self.parameters = parameters
        self.free: dict[str, str] = {}

    def bind(self, literals: Iterable[Literal]) -> None:
        """Gives each variable of a positive literal the narrowest type that its places agree on."""
        for atom, positive in literals:
            if not positive:
                continue
            signature = self.ruleset.predicates.get(atom.predicate, ())
            for position, term in enumerate(atom.args):
                if not term.startswith("?") or term in self.parameters:
                    continue
                type_ = signature[position] if position < len(signature) else ANY
                if self.ruleset.is_a(type_, self.free.setdefault(term, type_)):
                    self.free[term] = type_

    def clause(self, clause: Clause) -> None:
        for literal in clause:
            self.literal(literal)

    def literal(self, literal: Literal) -> None:
        atom, positive = literal
        if atom.predicate in (IS, EQUALS):
            self._builtin(atom, positive)
        elif atom.predicate in self.ruleset.relations:
            self._lookup(atom)
        else:
            self.stored(atom)

    def stored(self, atom: Atom) -> None:
        """Checks an atom of a declared predicate, which alone can be stored in a state."""
        name = atom.predicate
        if name in self.ruleset.relations:
            raise InvalidRules(name, f"{shown(name)} is a relation on types: it never changes", "a predicate")
        if name not in self.ruleset.predicates:
            kind = "relation" if getattr(name, "over_types", False) else "predicate"
            raise unknown(
                kind, name, self.ruleset.relations if kind == "relation" else self.ruleset.predicates
            )
        if getattr(name, "over_types", False):
            raise InvalidRules(
                name, f"{shown(name)} is a predicate, on objects", f"{name}(?x), without `type of`"
            )
        signature = self.ruleset.predicates[name]
        self._arity(atom, len(signature))
        for term, type_ in zip(atom.args, signature, strict=True):
            if term != WILDCARD:
                self._place(term, type_, atom)

    def _lookup(self, atom: Atom) -> None:
        name = atom.predicate
        if getattr(name, "over_types", None) is False:
            raise InvalidRules(name, f"{shown(name)} is a relation, on types", f"{name}(type of ?x)")
        self._arity(atom, self.ruleset.relations[name].arity)
        self._objects(atom.args)

    def _builtin(self, atom: Atom, positive: bool) -> None:
        if len(atom.args) != 2:
            raise InvalidRules(atom.predicate, f"{len(atom.args)} terms beside {shown(atom.predicate)}", "2")
        left, right = atom.args
        self._objects([left] if atom.predicate == IS else atom.args)
        if atom.predicate == IS:
            _type(self.ruleset, right)
        other = right if atom.predicate == IS else self._kind(right)
        if positive and not self._comparable(self._kind(left), other):
            found = f"{shown(left)} is of type {shown(self._kind(left))}, never {shown(other)}"
            raise InvalidRules(left, found, "two types of which one is below the other")

    def _objects(self, terms: Iterable[str]) -> None:
        for term in terms:
            if term == WILDCARD:
                raise InvalidRules(term, "a wildcard where one object is meant", "a variable or a constant")
            self._kind(term)

    def _arity(self, atom: Atom, arity: int) -> None:
        if len(atom.args) != arity:
            found = f"{shown(atom.predicate)} with {len(atom.args)} argument{'s' * (len(atom.args) != 1)}"
            raise InvalidRules(atom.predicate, found, f"{arity}, as it is declared")

    def _place(self, term: str, type_: str, atom: Atom) -> None:
        kind = self._kind(term)
        if not self._comparable(kind, type_):
            found = (
                f"{shown(term)} is of type {shown(kind)}, {shown(atom.predicate)} takes {shown(type_)} there"
            )
            raise InvalidRules(term, found, "two types of which one is below the other")

    def _comparable(self, one: str, other: str) -> bool:
        return self.ruleset.is_a(one, other) or self.ruleset.is_a(other, one)

    def _kind(self, term: str) -> str:
        """The type of a bound variable or a declared constant."""
        type_ = self.parameters.get(term) or self.free.get(term) or self.ruleset.constants.get(term)
        if type_ is not None:
            return type_
        bound = [*self.parameters, *self.free]
        if term.startswith("?"):
            expected = (
                f"a parameter or a variable of a positive condition without `or`: {one_of(bound) or 'none'}"
            )
            raise InvalidRules(term, f"{shown(term)} is not bound{nearest(term, bound)}", expected)
        error = unknown("constant", term, self.ruleset.constants)
        hint = f"; did you mean `?{term}`?" if f"?{term}" in bound else ""
        raise InvalidRules(term, f"{error.found}{hint}", error.expected)

    def wording(self, wording: str | None) -> None:
        """Checks the slots of a text, reporting at the text."""
        for slot in slots(wording or ""):
            try:
                if isinstance(slot, Atom):
                    self.stored(slot)
                else:
                    self._kind(slot)
            except InvalidRules as error:
                assert wording is not None
                raise InvalidRules(wording, f"{error.found} (in a slot)", error.expected) from None


def _variables(atom: Atom) -> list[str]:
    return [term for term in atom.args if term.startswith("?")]
