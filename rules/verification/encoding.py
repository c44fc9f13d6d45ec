"""Formulas over a finite domain, as propositions for z3.

Every ground atom is a Boolean; an object's type is a choice among the types of its sort, or none
where the object is absent. A relation is a function of its arguments' types: its table fixes it
where the evidence speaks, and objects of one type agree where it does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod
from typing import Any

import z3

from rules.errors import WorldModelError
from rules.logic import EQUALS, FALSE, IS, TRUE, UNKNOWN, Atom, Literal
from rules.ruleset import ANY, Relation
from rules.verification.bounds import Capacity, needs
from rules.verification.formulas import And, Exists, Forall, Formula, Or, negate
from rules.verification.theory import Theory
from rules.verification.types import representatives

MAX_STEPS, NEW_ATOM = 100_000, 25
"""Of grounding one formula: quantifiers that nest deep multiply. A new atom costs more, by its arguments."""


class TooLargeError(WorldModelError):
    """A formula that would ground to more than `MAX_STEPS` parts."""


Bool = Any
"""A z3 Boolean, or a Python one where the value is fixed."""


class Encoding:
    """The propositions of one theory over one domain, and the z3 solver that holds them.

    Has its own z3 context: the default one must not be shared between threads.
    """

    def __init__(self, theory: Theory, capacity: Capacity) -> None:
        self.theory, self.capacity = theory, capacity
        self.context = z3.Context()
        self.solver: Any = z3.SolverFor("QF_FD", ctx=self.context)
        self.closed: Bool = self._new("closed")
        """Assume it to assert Skolem functions for every object (see `rules.verification.bounds`)."""
        self.atoms: dict[Atom, Bool] = {}
        """Every ground atom in use, relations and *is* among them, in order of creation."""
        self.places: dict[str, dict[str, Bool]] = {}
        """Parameter -> object -> whether it is the one."""
        self.kinds: dict[str, dict[str, Bool]] = {}
        """Object -> type -> whether it is the one; all false where the object is absent."""
        self._values: dict[Literal, Bool] = {}
        self._selectors: dict[Formula, Bool] = {}
        self._room: dict[Formula, bool] = {}
        self._steps = 0
        self._too_large: set[Formula] = set()
        self._people()

    def _people(self) -> None:
        constants = self.theory.ruleset.constants
        self._core: dict[str, list[str]] = {}
        self._all: dict[str, list[str]] = {}
        for sort in self.theory.sorts(ANY):
            named = sorted(c for c in self.capacity.constants if self.theory.root(constants[c]) == sort)
            fresh = [f"?#{i} {sort}" for i in range(self.capacity.total[sort])]
            self._core[sort] = named + fresh[: self.capacity.core[sort]]
            self._all[sort] = named + fresh
            mentioned = self.capacity.types | {constants[c] for c in named}
            mentioned |= {t for signature in self.theory.ruleset.predicates.values() for t in signature}
            types = representatives(self.theory, sort, mentioned, len(self._all[sort]))
            for name in named:
                self.kinds[name] = {constants[name]: True}
            for name in fresh:
                self.kinds[name] = {t: self._new(f"{name} is {t}") for t in types}
                self._at_most_one(list(self.kinds[name].values()))

    # -- propositions

    def _new(self, name: str) -> Bool:
        return z3.Bool(name, ctx=self.context)

    def _at_most_one(self, choices: Sequence[Bool]) -> None:
        if len(choices) > 1:
            self.solver.add(z3.AtMost(*choices, 1))

    def _require(self, *disjunction: Bool) -> None:
        clause = disjoin(disjunction)
        if clause is not True:
            self.solver.add(clause if clause is not False else z3.BoolVal(False, ctx=self.context))

    def objects(self, type_: str, *, core: bool = False) -> list[str]:
        """The objects that may be of a type; of the core alone on request."""
        pool = self._core if core else self._all
        return [name for sort in self.theory.sorts(type_) for name in pool[sort]]

    def select(self, formula: Formula) -> Bool:
        """A proposition that implies the formula: assume it to assert the formula.

        Raises `TooLargeError` where that takes too many steps.
        """
        if formula in self._too_large:
            raise TooLargeError(f"a formula of more than {MAX_STEPS:,} parts")
        if formula not in self._selectors:
            self._too_large.add(formula)  # until it is done
            self._steps = 0
            selector = self._new(f"assert {len(self._selectors)}")
            self._require(negation(selector), self._ground(formula, {}))
            self._selectors[formula] = selector
            self._too_large.remove(formula)
        return self._selectors[formula]

    def _spend(self, steps: int) -> None:
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise TooLargeError(f"a formula of more than {MAX_STEPS:,} parts")

    # -- formulas

    def _ground(self, formula: Formula, binding: dict[str, str], below: bool = False) -> Bool:
        """The formula under a binding of its variables; `below`: it stands under a universal quantifier."""
        self._spend(1)
        if isinstance(formula, Literal):
            value = self._literal(Literal(formula.atom.substitute(binding)))
            return value if formula.positive else negation(value)
        if isinstance(formula, And):
            return conjoin(self._ground(part, binding, below) for part in formula.parts)
        if isinstance(formula, Or):
            return disjoin(self._ground(part, binding, below) for part in formula.parts)
        if isinstance(formula, Exists):
            domain = self.objects(formula.type, core=not below)
            return disjoin(
                conjoin((self.of_type(o, formula.type), self._instance(formula, binding, o, below)))
                for o in domain
            )
        return conjoin(
            disjoin(
                (
                    negation(self.of_type(o, formula.type)),
                    self._open(formula, o),
                    self._instance(formula, binding, o, True),
                )
            )
            for o in self.objects(formula.type)
        )

    def _instance(self, formula: Exists | Forall, binding: dict[str, str], name: str, below: bool) -> Bool:
        return self._ground(formula.body, {**binding, formula.variable: name}, below)

    def _open(self, formula: Forall, name: str) -> Bool:
        """Whether this instance may be left out: it asks for a witness, and its object is itself one."""
        if formula not in self._room:
            self._room[formula] = bool(needs(self.theory, formula).functions)
        if not self._room[formula] or any(name in core for core in self._core.values()):
            return False
        return negation(self.closed)

    def _literal(self, literal: Literal) -> Bool:
        """The value of a literal without variables. Parameters are split into cases."""
        if literal in self._values:
            return self._values[literal]
        predicate, args = literal.atom
        for arg in args:
            if arg in self.theory.skolems:
                place = self._place(arg)
                cases = [(where, Literal(literal.atom.substitute({arg: o}))) for o, where in place.items()]
                value = disjoin(conjoin((where, self._literal(case))) for where, case in cases)
                break
        else:
            value = self._atom(Atom(predicate, args))
        self._values[literal] = value
        return value

    def _place(self, parameter: str) -> dict[str, Bool]:
        """The objects that a parameter may be, each with the proposition that it is."""
        if parameter not in self.places:
            skolem = self.theory.skolems[parameter]
            names = []
            for sort, rank in skolem.ranks.items():
                fresh = [o for o in self._core[sort] if o not in self.capacity.constants]
                names += [o for o in self._core[sort] if o in self.capacity.constants] + fresh[: rank + 1]
            if len(names) == 1:
                self.places[parameter] = {names[0]: True}
            else:
                self.places[parameter] = place = {n: self._new(f"{parameter} is {n}") for n in names}
                self._at_most_one(list(place.values()))
                self._require(*place.values())
        return self.places[parameter]

    # -- atoms

    def _atom(self, atom: Atom) -> Bool:
        predicate, args = atom
        self._spend(NEW_ATOM * len(args))
        if predicate == EQUALS:
            return args[0] == args[1]
        if predicate == IS:
            return self.of_type(*args)
        if predicate in self.theory.definitions:
            return self._defined(atom)
        if predicate in self.theory.ruleset.relations:
            return self._relation(self.theory.ruleset.relations[predicate], atom)
        signature = self.theory.ruleset.predicates[predicate]
        typing = [self.of_type(o, t) for o, t in zip(args, signature, strict=True)]
        if False in typing:
            return False
        value = self.atoms[atom] = self._new(str(atom))
        for guard in typing:
            self._require(negation(value), guard)
        return value

    def of_type(self, name: str, type_: str) -> Bool:
        """Whether the object is there and of this type or one below it."""
        literal = Literal(Atom(IS, (name, type_)))
        if literal not in self._values:
            is_a = self.theory.ruleset.is_a
            kinds = disjoin(b for t, b in self.kinds[name].items() if is_a(t, type_))
            self._values[literal] = self._named(kinds, str(literal.atom))
        return self._values[literal]

    def _named(self, value: Bool, name: str) -> Bool:
        """The value under a name of its own, if it is compound."""
        if isinstance(value, bool) or z3.is_const(value):
            return value
        named = self._new(name)
        self.solver.add(named == value)
        return named

    def _defined(self, atom: Atom) -> Bool:
        """A definition's instance. Each direction is grounded by itself, as quantifiers need it."""
        definition = self.theory.definitions[atom.predicate]
        binding = dict(zip(definition.formals, atom.args, strict=True))
        value = self._new(str(atom))
        self._require(negation(value), self._ground(definition.body, binding, True))
        self._require(value, self._ground(negate(definition.body), binding, True))
        return value

    def _relation(self, relation: Relation, atom: Atom) -> Bool:
        options = [list(self.kinds[o]) for o in atom.args]
        self._spend(prod(map(len, options)) + len(self.atoms))
        self.atoms[atom] = holds = self._new(str(atom))
        rows: dict[tuple[frozenset[str], frozenset[str]], list[tuple[str, ...]]] = {}
        uncertain = False
        for prefix in product(*options[:-1]):
            truths = {t: relation.truth((*prefix, t)) for t in options[-1]}
            uncertain = uncertain or UNKNOWN in truths.values()
            true, false = (frozenset(t for t, v in truths.items() if v is value) for value in (TRUE, FALSE))
            rows.setdefault((true, false), []).append(prefix)
        for (true, false), prefixes in rows.items():
            here = disjoin(conjoin(map(self._kind, atom.args, prefix)) for prefix in prefixes)
            if true:
                self._require(negation(here), negation(self._among(atom.args[-1], true)), holds)
            if false:
                self._require(negation(here), negation(self._among(atom.args[-1], false)), negation(holds))
        if uncertain:
            self._agree(atom, holds)
        return holds

    def _kind(self, name: str, type_: str) -> Bool:
        return self.kinds[name][type_]

    def _among(self, name: str, types: frozenset[str]) -> Bool:
        return disjoin(b for t, b in self.kinds[name].items() if t in types)

    def _agree(self, atom: Atom, value: Bool) -> None:
        """Where the arguments' types are those of another instance, so is the value."""
        for other, others in self.atoms.items():
            if other.predicate == atom.predicate and other != atom:
                differ = [negation(self._alike(a, b)) for a, b in zip(atom.args, other.args, strict=True)]
                self._require(*differ, negation(value), others)
                self._require(*differ, value, negation(others))

    def _alike(self, a: str, b: str) -> Bool:
        """Whether two objects are of one type (or implied by it, which is all that `_agree` needs)."""
        if a == b:
            return True
        literal = Literal(Atom("?alike", (a, b) if a < b else (b, a)))
        if literal not in self._values:
            shared = [t for t in self.kinds[a] if t in self.kinds[b]]
            value = self._new(str(literal.atom)) if shared else False
            for type_ in shared:
                self._require(negation(self.kinds[a][type_]), negation(self.kinds[b][type_]), value)
            self._values[literal] = value
        return self._values[literal]


def negation(value: Bool) -> Bool:
    """Not."""
    return not value if isinstance(value, bool) else z3.Not(value)


def conjoin(values: Iterable[Bool]) -> Bool:
    """And, folded where a value is fixed."""
    parts = []
    for value in values:
        if value is False:
            return False
        if value is not True:
            parts.append(value)
    return True if not parts else parts[0] if len(parts) == 1 else z3.And(*parts)


def disjoin(values: Iterable[Bool]) -> Bool:
    """Or, folded where a value is fixed."""
    parts = []
    for value in values:
        if value is True:
            return True
        if value is not False:
            parts.append(value)
    return False if not parts else parts[0] if len(parts) == 1 else z3.Or(*parts)
