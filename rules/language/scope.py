"""The terms of a rule or invariant: variables bound, constants declared, every place well-typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rules.language.messages import InvalidRules, nearest, one_of, shown, unknown
from rules.language.names import VARIABLE
from rules.language.slots import slots
from rules.logic import EQUALS, IS, WILDCARD, Atom, Literal
from rules.ruleset import ANY, RuleSet


def check_type(ruleset: RuleSet, type_: str) -> None:
    """Raises `InvalidRules` for a type that nothing declares."""
    if type_ != ANY and type_ not in ruleset.types:
        raise unknown("type", type_, [ANY, *ruleset.types])


class Scope:
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
                if not VARIABLE.fullmatch(term) or term in self.parameters:
                    continue
                type_ = signature[position] if position < len(signature) else ANY
                if self.ruleset.is_a(type_, self.free.setdefault(term, type_)):
                    self.free[term] = type_

    def literal(self, literal: Literal) -> None:
        """Checks a literal of any kind."""
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
            if getattr(name, "over_types", False):
                raise unknown("relation", name, self.ruleset.relations)
            raise unknown("predicate", name, self.ruleset.predicates)
        if getattr(name, "over_types", False):
            raise InvalidRules(
                name, f"{shown(name)} is a predicate, on objects", "objects, without `type of`"
            )
        signature = self.ruleset.predicates[name]
        self._arity(atom, len(signature))
        for term, type_ in zip(atom.args, signature, strict=True):
            if term != WILDCARD:
                self._place(term, type_, atom)

    def _lookup(self, atom: Atom) -> None:
        name = atom.predicate
        if getattr(name, "over_types", None) is False:
            raise InvalidRules(name, f"{shown(name)} is a relation, on types", "`type of` before each term")
        self._arity(atom, self.ruleset.relations[name].arity)
        self._objects(atom.args)

    def _builtin(self, atom: Atom, positive: bool) -> None:
        if len(atom.args) != 2:
            raise InvalidRules(atom.predicate, f"{len(atom.args)} terms beside {shown(atom.predicate)}", "2")
        left, right = atom.args
        self._objects([left] if atom.predicate == IS else atom.args)
        if atom.predicate == IS:
            check_type(self.ruleset, right)
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
            found = f"{shown(term)} is of type {shown(kind)}"
            wanted = f"{shown(atom.predicate)} takes {shown(type_)} there"
            raise InvalidRules(term, f"{found}, {wanted}", "two types of which one is below the other")

    def _comparable(self, one: str, other: str) -> bool:
        return self.ruleset.is_a(one, other) or self.ruleset.is_a(other, one)

    def _kind(self, term: str) -> str:
        """The type of a bound variable or a declared constant."""
        type_ = self.parameters.get(term) or self.free.get(term) or self.ruleset.constants.get(term)
        if type_ is not None:
            return type_
        bound = [*self.parameters, *self.free]
        if term.startswith("?"):
            known = one_of(bound) or "there is none"
            expected = f"a parameter or a variable of a positive condition without `or`: {known}"
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
