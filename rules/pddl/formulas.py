"""Conditions and effects of one action -> PDDL's formulas, as nested tuples of words.

What PDDL lacks is said with quantifiers, so that nothing must be added to a problem: ``?x is t`` as
"some ?v of type t is ?x", a wildcard as a quantified variable. A term that stands where a narrower
type is declared is replaced there by a variable of that type which equals it. Only a relation on types
becomes a static predicate, whose atoms a problem has to list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rules.logic import EQUALS, IS, WILDCARD, Atom, Clause, Literal
from rules.pddl.names import OBJECT, Names
from rules.ruleset import ANY, RuleSet

Formula = str | tuple["Formula", ...]
TRUE_FORMULA: Formula = ("and",)
FALSE_FORMULA: Formula = ("or",)
Typed = tuple[tuple[str, str], ...]
"""Variables with their types, in PDDL's spelling."""


class Place(NamedTuple):
    """An atom in PDDL: the variables that stand for wildcards, those that stand for wider terms with
    the equations that bind them, and the atom itself."""

    wildcards: Typed
    narrowed: Typed
    equations: tuple[Formula, ...]
    atom: Formula


class Formulas:
    """Writes the conditions of one rule.

    types: the type of every variable; variables: its PDDL spelling.
    """

    def __init__(
        self, ruleset: RuleSet, names: Names, types: Mapping[str, str], variables: Mapping[str, str]
    ) -> None:
        self.ruleset, self.names, self.types, self.variables = ruleset, names, types, variables

    def clause(self, clause: Clause) -> Formula:
        """A disjunction."""
        return disjunction([self.literal(literal) for literal in clause])

    def literal(self, literal: Literal) -> Formula:
        """A literal of any kind."""
        atom, positive = literal
        if atom.predicate == IS:
            return self._is_a(atom.args[0], atom.args[1], positive)
        if atom.predicate == EQUALS:
            return self._equal(atom.args[0], atom.args[1], positive)
        if not self.possible(atom):
            return FALSE_FORMULA if positive else TRUE_FORMULA
        wildcards, narrowed, equations, formula = self.place(atom)
        if narrowed:
            # For all and not, rather than some: unified-planning would put the wider term for the variable.
            none = disjunction([("not", part) for part in (*equations, formula)])
            none = quantified("forall", (*wildcards, *narrowed), none)
            return ("not", none) if positive else none
        if positive:
            return quantified("exists", wildcards, formula)
        return quantified("forall", wildcards, ("not", formula))

    def possible(self, atom: Atom) -> bool:
        """Whether its terms can be of the types that their places declare."""
        signature = self.ruleset.predicates.get(atom.predicate, (ANY,) * len(atom.args))
        pairs = [(self.type_of(term), type_) for term, type_ in zip(atom.args, signature, strict=True)]
        return all(self._comparable(*pair) for pair in pairs)

    def place(self, atom: Atom) -> Place:
        """An atom with variables for what cannot stand in it."""
        wildcards: list[tuple[str, str]] = []
        narrowed: list[tuple[str, str]] = []
        equations, terms = [], []
        signature = self.ruleset.predicates.get(atom.predicate, (ANY,) * len(atom.args))
        for number, (term, type_) in enumerate(zip(atom.args, signature, strict=True), 1):
            if term != WILDCARD and self.ruleset.is_a(self.type_of(term), type_):
                terms.append(self.term(term))
                continue
            variable = self._fresh(number)
            terms.append(variable)
            (wildcards if term == WILDCARD else narrowed).append((variable, self.names.types[type_]))
            if term != WILDCARD:
                equations.append(("=", variable, self.term(term)))
        formula = (self.names.predicates[atom.predicate], *terms)
        return Place(tuple(wildcards), tuple(narrowed), tuple(equations), formula)

    def _is_a(self, term: str, type_: str, positive: bool) -> Formula:
        own = self.type_of(term)
        if self.ruleset.is_a(own, type_):
            return TRUE_FORMULA if positive else FALSE_FORMULA
        if not self._comparable(own, type_):
            return FALSE_FORMULA if positive else TRUE_FORMULA
        variable = self._fresh(1)
        typed, equation = ((variable, self.names.types[type_]),), ("=", variable, self.term(term))
        if positive:
            return quantified("exists", typed, equation)
        return quantified("forall", typed, ("not", equation))

    def _equal(self, left: str, right: str, positive: bool) -> Formula:
        if left == right:
            return TRUE_FORMULA if positive else FALSE_FORMULA
        if not self._comparable(self.type_of(left), self.type_of(right)):
            return FALSE_FORMULA if positive else TRUE_FORMULA
        equation = ("=", self.term(left), self.term(right))
        return equation if positive else ("not", equation)

    def term(self, term: str) -> str:
        """A variable or a constant in PDDL's spelling."""
        return self.variables.get(term) or self.names.constants[term]

    def type_of(self, term: str) -> str:
        """The type of a variable or constant."""
        return self.types.get(term) or self.ruleset.constants.get(term, ANY)

    def _comparable(self, one: str, other: str) -> bool:
        return self.ruleset.is_a(one, other) or self.ruleset.is_a(other, one)

    def _fresh(self, number: int) -> str:
        """A variable that the action does not use; unlike others of the same atom."""
        name = f"?any{number}"
        while name in self.variables.values():
            name += "_"
        return name


def conjunction(parts: Iterable[Formula]) -> Formula:
    """All of them; the one itself if it is one."""
    return _joined("and", "or", parts)


def disjunction(parts: Iterable[Formula]) -> Formula:
    """One of them."""
    return _joined("or", "and", parts)


def negation(formula: Formula) -> Formula:
    """Its negation, below the quantifiers."""
    match formula:
        case ("not", inside):
            return inside
        case ("exists", typed, body):
            return ("forall", typed, negation(body))
        case ("forall", typed, body):
            return ("exists", typed, negation(body))
        case _:
            return ("not", formula)


def _joined(word: str, other: str, given: Iterable[Formula]) -> Formula:
    kept: list[Formula] = []
    for part in given:
        if part == (other,):
            return part
        kept += [p for p in parts(part, word) if p not in kept]
    if any(negation(part) in kept for part in kept):
        return (other,)
    return kept[0] if len(kept) == 1 else (word, *kept)


def quantified(word: str, typed: Typed, body: Formula) -> Formula:
    """The body below a quantifier, if there is anything to quantify."""
    return (word, declared(typed), body) if typed else body


def declared(typed: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Variables or constants with their types: ``?x - block ?y - table``; without, where all are `OBJECT`."""
    typed = list(typed)
    if all(type_ == OBJECT for _, type_ in typed):
        return tuple([name for name, _ in typed])
    return tuple([word for name, type_ in typed for word in (name, "-", type_)])


def words(formula: Formula) -> str:
    """The formula as text, on one line."""
    return formula if isinstance(formula, str) else f"({' '.join(map(words, formula))})"


def heads(formula: Formula) -> set[str]:
    """The words that open its parts: ``and``, ``not``, ``exists``, ..."""
    if isinstance(formula, str) or not formula:
        return set()
    own = {formula[0]} if isinstance(formula[0], str) else set()
    return own.union(*map(heads, formula))


def parts(formula: Formula, word: str = "and") -> Sequence[Formula]:
    """What is joined by the word."""
    return formula[1:] if isinstance(formula, tuple) and formula[:1] == (word,) else (formula,)
