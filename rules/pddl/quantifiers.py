"""Quantifiers over clauses, brought into the forms that the rule language has for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rules.errors import WorldModelError
from rules.logic import EQUALS, IS, WILDCARD, Atom, Clause, Literal
from rules.ruleset import ANY, RuleSet

Conjunction = tuple[Clause, ...]


class Unsayable(WorldModelError):
    """A condition or an effect that the rule language cannot state."""


class Quantifiers:
    """The variables of one action: its parameters, and those that quantifiers bring in.

    `types` tells the type of each. `exists` and `forall` remove a variable that equals something
    (``exists v: v = x and p(v)`` is ``p(x)``), put a wildcard where it occurs once, and else leave it
    free, which only an existential one may be.
    """

    def __init__(self, vocabulary: RuleSet, parameters: Mapping[str, str]) -> None:
        self.vocabulary, self.parameters = vocabulary, parameters
        self.types = dict(parameters)

    def declare(self, name: str, type_: str) -> str:
        """A new variable; its name, or one like it where that is taken."""
        found, number = name, 1
        while found in self.types:
            number += 1
            found = f"{name}_{number}"
        self.types[found] = type_
        return found

    def free(self, conjunction: Conjunction) -> set[str]:
        """The variables in it that are no parameters."""
        return {t for t in terms(conjunction) if t in self.types and t not in self.parameters}

    def exists(self, variables: Iterable[str], conjunction: Conjunction) -> Conjunction:
        """Some objects make it true."""
        for variable in variables:
            conjunction = self._some(variable, conjunction)
        return conjunction

    def forall(self, variables: Iterable[str], conjunction: Conjunction) -> Conjunction:
        """All objects make it true. Raises `Unsayable`."""
        for variable in variables:
            conjunction = tuple([self._every(variable, clause) for clause in conjunction])
        return conjunction

    def _some(self, variable: str, conjunction: Conjunction) -> Conjunction:
        value = equated(variable, conjunction)
        if value is not None:
            rest = substitute(conjunction, variable, value)
            return (*self.is_a(value, variable), *[c for c in rest if c != _same(value)])
        where = [clause for clause in conjunction if variable in terms([clause])]
        literals = [literal for clause in where for literal in clause if variable in literal.atom.args]
        if len(where) == 1 and all(lit.positive and self.closes(variable, lit.atom) for lit in literals):
            return substitute(conjunction, variable, WILDCARD)
        return self.bound(variable, conjunction)

    def bound(self, variable: str, conjunction: Conjunction) -> Conjunction:
        """The conjunction with the variable left free, its type stated where no place implies it."""
        type_ = self.types[variable]
        for atom in units(conjunction):
            if any(self.vocabulary.is_a(place, type_) for place in self._places(variable, atom)):
                return conjunction
        if type_ != ANY:
            return ((Literal(Atom(IS, (variable, type_))),), *conjunction)
        return (_same(variable), *conjunction)

    def _every(self, variable: str, clause: Clause) -> Clause:
        literals = [literal for literal in clause if variable in literal.atom.args]
        for literal in literals:
            value = None if literal.positive else _value(variable, literal.atom)
            if value is not None:
                rest = tuple([other for other in clause if other is not literal])
                (rest,) = substitute((rest,), variable, value)
                excluded = [~literal for (literal,) in self.is_a(value, variable)]
                return (*excluded, *rest)
        if not literals:
            return clause
        if len(literals) == 1 and not literals[0].positive and self.closes(variable, literals[0].atom):
            return substitute((clause,), variable, WILDCARD)[0]
        said = " or ".join(f"{'' if lit.positive else 'not '}{lit.atom}" for lit in clause)
        raise Unsayable(f"for all {variable}: {said}; expected one negated atom with {variable} once in it")

    def closes(self, variable: str, atom: Atom) -> bool:
        """Whether a wildcard may stand for the variable: it occurs once, where nothing else can."""
        places = self._places(variable, atom)
        return len(places) == 1 and self.vocabulary.is_a(places[0], self.types[variable])

    def _places(self, variable: str, atom: Atom) -> list[str]:
        """The types of the places that a variable takes in a stored atom."""
        signature = self.vocabulary.predicates.get(atom.predicate, ())
        return [type_ for term, type_ in zip(atom.args, signature, strict=False) if term == variable]

    def is_a(self, term: str, variable: str) -> Conjunction:
        """That a term is of the variable's type; nothing where its own type says so."""
        own = self.types.get(term) or self.vocabulary.constants.get(term, ANY)
        if self.vocabulary.is_a(own, self.types[variable]):
            return ()
        return ((Literal(Atom(IS, (term, self.types[variable]))),),)


def equated(variable: str, conjunction: Conjunction) -> str | None:
    """What a conjunction says that the variable equals."""
    return next((value for atom in units(conjunction) if (value := _value(variable, atom))), None)


def _same(term: str) -> Clause:
    return (Literal(Atom(EQUALS, (term, term))),)


def _value(variable: str, atom: Atom) -> str | None:
    """What an equation puts beside the variable."""
    if atom.predicate != EQUALS or variable not in atom.args:
        return None
    left, right = atom.args
    other = right if left == variable else left
    return None if other == variable else other


def units(conjunction: Iterable[Clause]) -> list[Atom]:
    """The atoms that it states outright."""
    return [clause[0].atom for clause in conjunction if len(clause) == 1 and clause[0].positive]


def terms(conjunction: Iterable[Clause]) -> set[str]:
    """The variables, constants and wildcards in it."""
    return {term for clause in conjunction for literal in clause for term in literal.atom.args}


def substitute(conjunction: Sequence[Clause], variable: str, term: str) -> Conjunction:
    """The conjunction with a term for a variable."""
    return tuple([tuple([lit.substitute({variable: term}) for lit in clause]) for clause in conjunction])
