"""What a rule set means, as formulas: parameters, conditions, the state after an action, invariants.

An action's parameters, and the free variables of the rule under examination, are Skolem constants,
named for their type and their rank: the second receptacle is ``?!1 receptacle``. Objects that no
constant names are interchangeable, so the parameter of rank *k* need only be one of the first
*k* + 1 of them (or a constant).

Long formulas get a name: a *definition* is a predicate of its own, with formal variables and a
body. ``?applies a r`` is the condition of rule r of action a; ``?after a p`` is the predicate p after
the action. The state after an action is that of all rules whose condition holds, deletes first,
then adds, as the engine does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from rules.logic import EQUALS, IS, WILDCARD, Atom, Literal
from rules.ruleset import ANY, ActionSchema, Rule, RuleSet
from rules.verification.formulas import (
    And,
    Exists,
    Forall,
    Formula,
    Or,
    equal,
    exists,
    has_type,
    negate,
    of_clauses,
    substitute,
    typed,
    variables,
    violation,
)


@dataclass(frozen=True, slots=True)
class Scope:
    """Variable -> parameter, and the literals that give the parameters their types."""

    binding: Mapping[str, str]
    guards: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Skolem:
    """A parameter: its type, and for each sort it may be of, how many parameters come before it."""

    type: str
    ranks: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Definition:
    """A named formula over formal variables."""

    formals: tuple[str, ...]
    body: Formula


class Theory:
    """The formulas of one rule set. Grows by definitions and parameters as they are asked for."""

    def __init__(self, ruleset: RuleSet) -> None:
        self.ruleset = ruleset
        self.definitions: dict[str, Definition] = {}
        self.skolems: dict[str, Skolem] = {}
        self.invariants = tuple(negate(violation(ruleset, i)) for i in ruleset.invariants)
        self.root = lru_cache(maxsize=None)(self._root)
        roots = dict.fromkeys(self._root(t) for t in ruleset.types)
        self._sorts = (*(r for r in roots if r != ANY), ANY)

    def _root(self, type_: str) -> str:
        return [ANY, *(t for t in self.ruleset.ancestors(type_) if t != ANY)][-1]

    def sorts(self, type_: str) -> tuple[str, ...]:
        """The sorts an object of the type may be of. A sort is a type below none but `ANY`."""
        return self._sorts if type_ == ANY else (self.root(type_),)

    def scope(self, types: Mapping[str, str]) -> Scope:
        """A parameter for each of these variables (variable -> type)."""
        seen = dict.fromkeys(self._sorts, 0)
        binding = {}
        for variable, type_ in types.items():
            ranks = {sort: seen[sort] for sort in self.sorts(type_)}
            name = f"?!{'.'.join(map(str, ranks.values()))} {type_}"
            self.skolems[name] = Skolem(type_, ranks)
            binding[variable] = name
            for sort in ranks:
                seen[sort] += 1
        guards = tuple(has_type(binding[v], t) for v, t in types.items())
        return Scope(binding, guards)

    def rule_types(self, schema: ActionSchema, rule: Rule) -> dict[str, str]:
        """Variable -> type of the parameters, then of the rule's free variables."""
        declared = {p.name: p.type for p in schema.parameters}
        return declared | {v: t for v, t in typed(self.ruleset, rule.when).items() if v not in declared}

    def applies(self, schema: ActionSchema, rule: Rule) -> Atom:
        """The rule's condition as a defined atom over the free variables that its effects mention."""
        name = f"?applies {schema.name!r} {rule.name!r}"
        types = self.rule_types(schema, rule)
        shown = variables((*rule.adds, *rule.deletes))
        free = {v: types.get(v, ANY) for v in types | shown if v not in self._parameters(schema)}
        formals = tuple(v for v in free if v in shown)
        if name not in self.definitions:
            when = substitute(rule.when, self._binding(schema))
            hidden = {v: t for v, t in free.items() if v not in shown}
            guards = [has_type(v, free[v]) for v in formals]
            body = exists(hidden, And((*guards, of_clauses(self.ruleset, when))))
            self.definitions[name] = Definition(formals, body)
        return Atom(name, formals)

    def _parameters(self, schema: ActionSchema) -> set[str]:
        return {p.name for p in schema.parameters}

    def _binding(self, schema: ActionSchema) -> Mapping[str, str]:
        return self.scope({p.name: p.type for p in schema.parameters}).binding

    def touches(self, schema: ActionSchema, rule: Rule, effects: Iterable[Atom], atom: Atom) -> Formula:
        """Some match of the rule has one of these effects on the atom (whose terms are no rule's own)."""
        applies = self.applies(schema, rule)
        types = self.rule_types(schema, rule)
        cases: list[Formula] = []
        for effect in effects:
            if effect.predicate != atom.predicate:
                continue
            binding: dict[str, str] = {}
            equalities = []
            for mine, theirs in zip(effect.substitute(self._binding(schema)).args, atom.args, strict=True):
                if mine in applies.args and mine not in binding:
                    binding[mine] = theirs
                elif mine != WILDCARD:
                    equalities.append(equal(binding.get(mine, mine), theirs))
            # Free variables elsewhere in the effects keep their names, primed against capture.
            rest = {v: f"{v}'" for v in applies.args if v not in binding}
            match = And((*equalities, Literal(applies.substitute(binding | rest))))
            cases.append(exists({rest[v]: types.get(v, ANY) for v in rest}, match))
        return Or(tuple(cases))

    def after(self, schema: ActionSchema, predicate: str) -> str:
        """The name of the predicate after the action: its own where no rule changes it."""
        rules = schema.rules
        if all(a.predicate != predicate for r in rules for a in (*r.adds, *r.deletes)):
            return predicate
        name = f"?after {schema.name!r} {predicate!r}"
        if name not in self.definitions:
            formals = tuple(f"?#{i}" for i in range(len(self.ruleset.predicates[predicate])))
            atom = Atom(predicate, formals)
            added = Or(tuple(self.touches(schema, r, r.adds, atom) for r in rules))
            deleted = Or(tuple(self.touches(schema, r, r.deletes, atom) for r in rules))
            kept = And((Literal(atom), negate(deleted)))
            self.definitions[name] = Definition(formals, Or((added, kept)))
        return name

    def violated_after(self, schema: ActionSchema, index: int) -> Formula | None:
        """Invariant number `index` fails after the action; None if the action touches nothing in it."""
        before = violation(self.ruleset, self.ruleset.invariants[index])
        after = self._renamed(schema, before)
        return None if after == before else after

    def _renamed(self, schema: ActionSchema, formula: Formula) -> Formula:
        if isinstance(formula, And | Or):
            return type(formula)(tuple(self._renamed(schema, part) for part in formula.parts))
        if isinstance(formula, Exists | Forall):
            body = self._renamed(schema, formula.body)
            return type(formula)(formula.variable, formula.type, body)
        predicate, args = formula.atom
        if predicate in (IS, EQUALS) or predicate in self.ruleset.relations:
            return formula
        return Literal(Atom(self.after(schema, predicate), args), formula.positive)
