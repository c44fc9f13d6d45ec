"""PDDL's conditions -> clauses of the rule language.

A condition becomes a list of *alternatives*, each a conjunction of clauses; most have one. Quantified
variables become wildcards (``some p(*)``, ``no p(*)``) where they can, disappear where they are equal
to something, and else become free variables, which only a conjunction may hold: a disjunction over
them is several alternatives, hence several rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod
from typing import Any

from rules.logic import EQUALS, Atom, Clause, Literal
from rules.pddl.names import OBJECT
from rules.pddl.quantifiers import Conjunction, Quantifiers, Unsayable
from rules.ruleset import ANY

MAX_CLAUSES = 256
"""Alternatives or clauses that one condition may grow into."""

Binding = dict[str, str]
"""Quantified variables of the PDDL text -> their names in the rule."""


class Conditions:
    """Reads the conditions of one action."""

    def __init__(self, quantifiers: Quantifiers) -> None:
        self.quantifiers = quantifiers

    def read(self, node: Any, binding: Binding, positive: bool = True) -> list[Conjunction]:
        """The alternatives that a condition (if not positive: its negation) comes to.

        binding: the variables quantified around it. Raises `Unsayable`.
        """
        if node.is_not():
            return self.read(node.args[0], binding, not positive)
        if node.is_implies():
            left, right = node.args
            parts = [self.read(left, binding, not positive), self.read(right, binding, positive)]
            return self._or(parts, binding) if positive else both(*parts)
        if node.is_and() or node.is_or():
            parts = [self.read(part, binding, positive) for part in node.args]
            return both(*parts) if node.is_and() is positive else self._or(parts, binding)
        if node.is_exists() or node.is_forall():
            return self._quantified(node, binding, positive)
        if node.is_bool_constant():
            return [()] if node.is_true() is positive else []
        return [((Literal(atom(node, binding), positive),),)]

    def _quantified(self, node: Any, binding: Binding, positive: bool) -> list[Conjunction]:
        inner = self.bind(node.variables(), binding)
        new = [inner[variable.name] for variable in node.variables()]
        body = self.read(node.args[0], inner, positive)
        if node.is_exists() is positive:
            return [self.quantifiers.exists(new, conjunction) for conjunction in body]
        if len(body) != 1:
            raise Unsayable(f"`{str(node)[:200]}` holds alternatives below a universal quantifier")
        return [self.quantifiers.forall(new, body[0])]

    def bind(self, variables: Iterable[Any], binding: Binding) -> Binding:
        """The binding with quantified variables added."""
        declare = self.quantifiers.declare
        return binding | {v.name: declare(f"?{v.name}", type_name(v.type)) for v in variables}

    def _or(self, parts: Sequence[list[Conjunction]], binding: Binding) -> list[Conjunction]:
        """One conjunction of disjunctions, as far as no part has free variables of its own."""
        flat, rest = [], []
        for part in parts:
            if len(part) == 1 and not self.quantifiers.free(part[0]) - set(binding.values()):
                flat.append(part[0])
            else:
                rest += part
        if not flat:
            return rest
        _bounded(flat)
        clauses = [_union(chosen) for chosen in product(*flat)]
        return [tuple([c for c in clauses if not any(~literal in c for literal in c)]), *rest]


def both(*parts: list[Conjunction]) -> list[Conjunction]:
    """The alternatives of a conjunction."""
    _bounded(parts)
    return [sum(chosen, ()) for chosen in product(*parts)]


def _bounded(parts: Sequence[Sequence[object]]) -> None:
    if prod(map(len, parts)) > MAX_CLAUSES:
        raise Unsayable(f"a condition comes to more than {MAX_CLAUSES} clauses; expected a simpler one")


def _union(clauses: Iterable[Clause]) -> Clause:
    return tuple(dict.fromkeys([literal for clause in clauses for literal in clause]))


def atom(node: Any, binding: Binding) -> Atom:
    """An atom or an equation. Raises `Unsayable` for anything else."""
    if node.is_equals():
        return Atom(EQUALS, tuple([_term(arg, binding) for arg in node.args]))
    if node.is_fluent_exp() and node.fluent().type.is_bool_type():
        return Atom(node.fluent().name, tuple([_term(arg, binding) for arg in node.args]))
    raise Unsayable(f"`{str(node)[:200]}` is no atom; expected predicates over parameters and constants")


def _term(node: Any, binding: Binding) -> str:
    if node.is_parameter_exp():
        return f"?{node.parameter().name}"
    if node.is_variable_exp():
        return binding[node.variable().name]
    if node.is_object_exp():
        return str(node.object().name)
    raise Unsayable(f"`{str(node)[:200]}` is no term; expected a parameter or a constant")


def type_name(type_: Any) -> str:
    """The name of one of unified-planning's types."""
    return ANY if type_.name == OBJECT else str(type_.name)
