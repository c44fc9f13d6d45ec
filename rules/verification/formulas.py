"""First-order formulas over a rule set's vocabulary, in negation normal form.

A literal of `rules.logic` is a formula if it holds no wildcard; `of_literal` turns wildcards into
quantifiers. Terms are quantified variables (``?x``), constants' names, and *parameters*: Skolem
constants whose names begin with ``?!`` (see `rules.verification.theory`). Since no name in a rule
set begins with ``?``, and no variable goes on with a sign, made-up names clash with none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from rules.logic import EQUALS, IS, WILDCARD, Atom, Clause, Literal
from rules.ruleset import ANY, Invariant, RuleSet


@dataclass(frozen=True, slots=True)
class And:
    """A conjunction; empty: true."""

    parts: tuple[Formula, ...] = ()


@dataclass(frozen=True, slots=True)
class Or:
    """A disjunction; empty: false."""

    parts: tuple[Formula, ...] = ()


@dataclass(frozen=True, slots=True)
class Exists:
    """Some object of the type makes the body true."""

    variable: str
    type: str
    body: Formula


@dataclass(frozen=True, slots=True)
class Forall:
    """Every object of the type makes the body true."""

    variable: str
    type: str
    body: Formula


Formula: TypeAlias = Literal | And | Or | Exists | Forall


def negate(formula: Formula) -> Formula:
    """The negation, again in negation normal form."""
    if isinstance(formula, And):
        return Or(tuple(map(negate, formula.parts)))
    if isinstance(formula, Or):
        return And(tuple(map(negate, formula.parts)))
    if isinstance(formula, Exists):
        return Forall(formula.variable, formula.type, negate(formula.body))
    if isinstance(formula, Forall):
        return Exists(formula.variable, formula.type, negate(formula.body))
    return ~formula


def exists(variables: Mapping[str, str], body: Formula) -> Formula:
    """Some objects of these types (variable -> type) make the body true."""
    for variable, type_ in reversed(list(variables.items())):
        body = Exists(variable, type_, body)
    return body


def literals(formula: Formula) -> Iterator[Literal]:
    """Every literal in the formula."""
    if isinstance(formula, Literal):
        yield formula
    elif isinstance(formula, And | Or):
        for part in formula.parts:
            yield from literals(part)
    else:
        yield from literals(formula.body)


def free(formula: Formula) -> set[str]:
    """The variables that no quantifier of the formula binds."""
    if isinstance(formula, Literal):
        return set(variables([formula.atom]))
    if isinstance(formula, And | Or):
        return {v for part in formula.parts for v in free(part)}
    return free(formula.body) - {formula.variable}


def has_type(term: str, type_: str) -> Literal:
    """The object is there and of this type; with `ANY`: it is there."""
    return Literal(Atom(IS, (term, type_)))


def equal(a: str, b: str) -> Literal:
    """Both terms name one object."""
    return Literal(Atom(EQUALS, (a, b)))


def of_literal(ruleset: RuleSet, literal: Literal) -> Formula:
    """A literal whose wildcards are read as *some*: ``p(*)`` is an Exists, ``no p(*)`` a Forall."""
    predicate, args = literal.atom
    signature = ruleset.predicates.get(predicate, (ANY,) * len(args))
    terms, wild = [], {}
    for i, (arg, type_) in enumerate(zip(args, signature, strict=True)):
        terms.append(f"?*{i}" if arg == WILDCARD else arg)
        if arg == WILDCARD:
            wild[terms[-1]] = type_
    formula = exists(wild, Literal(Atom(predicate, tuple(terms))))
    return formula if literal.positive else negate(formula)


def of_clause(ruleset: RuleSet, clause: Iterable[Literal]) -> Formula:
    """A disjunction of literals."""
    return Or(tuple(of_literal(ruleset, literal) for literal in clause))


def of_clauses(ruleset: RuleSet, clauses: Iterable[Clause]) -> Formula:
    """A conjunction of clauses."""
    return And(tuple(of_clause(ruleset, clause) for clause in clauses))


def violation(ruleset: RuleSet, invariant: Invariant) -> Formula:
    """The invariant fails for some objects. Negated, it is the invariant itself."""
    body = [of_literal(ruleset, literal) for literal in invariant.body]
    head = negate(of_clause(ruleset, invariant.head))
    clauses = ((*invariant.body, *invariant.head),)
    return exists(typed(ruleset, clauses), And((*body, head)))


def variables(atoms: Iterable[Atom]) -> dict[str, None]:
    """The variables in these atoms, in order of appearance."""
    return {a: None for atom in atoms for a in _objects(atom) if a.startswith("?")}


def substitute(clauses: Iterable[Clause], binding: Mapping[str, str]) -> tuple[Clause, ...]:
    """The clauses with every variable in `binding` replaced."""
    return tuple(tuple(literal.substitute(binding) for literal in clause) for clause in clauses)


def typed(ruleset: RuleSet, clauses: Iterable[Clause]) -> dict[str, str]:
    """Variable -> type for clauses that declare none: the deepest type of the places it stands in.

    The same reading as the engine's, which joins a free variable over the objects of that type.
    """
    found: dict[str, str] = {}
    for atom in (literal.atom for clause in clauses for literal in clause):
        signature = ruleset.predicates.get(atom.predicate, (ANY,) * len(atom.args))
        for arg, type_ in zip(_objects(atom), signature, strict=False):
            if arg.startswith("?"):
                found[arg] = max(found.get(arg, ANY), type_, key=lambda t: _depth(ruleset, t))
    return found


def _objects(atom: Atom) -> tuple[str, ...]:
    """The arguments that name objects: ``is`` has a type for its second."""
    return atom.args[:1] if atom.predicate == IS else atom.args


def _depth(ruleset: RuleSet, type_: str) -> tuple[int, str]:
    return len(list(ruleset.ancestors(type_))), type_
