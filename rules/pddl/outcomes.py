"""The rules of an action schema -> one PDDL action.

The action succeeds where any of its rules holds, and every rule that holds has its effects. So what
all rules ask for is the precondition, with the disjunction of what is left of each; what all rules do
is unconditional, and the rest of a rule's effects stands below what is left of its condition. A plain
rule becomes a plain STRIPS action; an action of which no rule is known, one that changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from rules.engine import Engine, variables
from rules.logic import IS, Atom, Clause, Literal
from rules.pddl.formulas import (
    TRUE_FORMULA,
    Formula,
    Formulas,
    Typed,
    conjunction,
    disjunction,
    parts,
    quantified,
)
from rules.pddl.names import Names
from rules.pddl.names import variables as spelled_variables
from rules.pddl.quantifiers import equated, substitute, units
from rules.ruleset import ActionSchema, Rule, RuleSet


class Operator(NamedTuple):
    """A PDDL action."""

    name: str
    parameters: Typed
    precondition: tuple[Formula, ...]
    effect: tuple[Formula, ...]


class Join(NamedTuple):
    """The part of a condition that shares free variables."""

    variables: frozenset[str]
    typed: Typed
    body: tuple[Formula, ...]

    @property
    def formula(self) -> Formula:
        return quantified("exists", self.typed, conjunction(self.body))


class Effect(NamedTuple):
    """One change, for all values of some variables under which its conditions hold."""

    typed: Typed
    conditions: tuple[Formula, ...]
    literal: Formula


@dataclass(frozen=True)
class Written:
    """A rule's condition: what speaks of parameters alone, and the joins."""

    rule: Rule
    formulas: Formulas
    closed: tuple[Formula, ...]
    joins: tuple[Join, ...]

    @property
    def condition(self) -> tuple[Formula, ...]:
        return (*self.closed, *[join.formula for join in self.joins])


class Actions:
    """Writes the actions of a rule set."""

    def __init__(self, ruleset: RuleSet, names: Names) -> None:
        self.ruleset, self.names, self.engine = ruleset, names, Engine(ruleset)

    def operator(self, schema: ActionSchema) -> Operator:
        """The PDDL action of a schema."""
        types = self._parameters(schema)
        spelling = spelled_variables(_variables(schema))
        written = [self._written(schema, rule, types, spelling) for rule in schema.rules]
        shared = (
            [f for f in written[0].condition if all(f in w.condition for w in written)] if written else []
        )
        cases = _minimal([[f for f in w.condition if f not in shared] for w in written])
        unknown = not written and schema.otherwise is None
        alternatives = TRUE_FORMULA if unknown else disjunction(map(conjunction, cases))
        return Operator(
            self.names.actions[schema.name],
            tuple([(spelling[name], self.names.types[type_]) for name, type_ in types.items()]),
            (*shared, *parts(alternatives)),
            tuple(_grouped(_effects(written, shared, cases))),
        )

    def _parameters(self, schema: ActionSchema) -> dict[str, str]:
        """The parameters' types, narrowed to what every rule asks for."""
        types = dict(schema.parameters)
        asked = [frozenset(units(rule.when)) for rule in schema.rules]
        for atom in sorted(frozenset.intersection(*asked)) if asked else ():
            for term, type_ in self._types_told(atom):
                if term in types:
                    types[term] = self._narrower(types[term], type_)
        return types

    def _narrower(self, type_: str, other: str) -> str:
        return other if self.ruleset.is_a(other, type_) else type_

    def _types_told(self, atom: Atom) -> Iterable[tuple[str, str]]:
        if atom.predicate == IS:
            return [(atom.args[0], atom.args[1])]
        return zip(atom.args, self.ruleset.predicates.get(atom.predicate, ()), strict=False)

    def _written(
        self, schema: ActionSchema, rule: Rule, types: Mapping[str, str], spelling: Mapping[str, str]
    ) -> Written:
        free = dict(self.engine.free_variables(schema.name, rule.name))
        rule = _without_equations(rule, free)
        for atom in units(rule.when):
            if atom.predicate == IS and atom.args[0] in free:
                free[atom.args[0]] = self._narrower(free[atom.args[0]], atom.args[1])
        formulas = Formulas(self.ruleset, self.names, {**types, **free}, spelling)
        closed = [formulas.clause(c) for c in rule.when if not variables(c) & free.keys()]
        joins = []
        for names, clauses in _components(rule.when, free):
            typed = tuple([(spelling[v], self.names.types[free[v]]) for v in free if v in names])
            body = parts(conjunction([formulas.clause(c) for c in clauses]))
            joins.append(Join(names, typed, tuple(body)))
        return Written(rule, formulas, tuple(parts(conjunction(closed))), tuple(joins))


def _minimal(conditions: Iterable[list[Formula]]) -> list[list[Formula]]:
    """The conditions that do not ask for all that another one does."""
    found = list({frozenset(c): c for c in conditions}.values())
    return [c for c in found if not any(set(other) < set(c) for other in found)]


def _without_equations(rule: Rule, free: Mapping[str, str]) -> Rule:
    """The rule with every free variable that equals something replaced by it."""
    for variable, type_ in free.items():
        value = equated(variable, rule.when)
        if value is not None:
            told = (Literal(Atom(IS, (value, type_))),)
            rule = replace(
                rule,
                when=(told, *substitute(rule.when, variable, value)),
                adds=tuple([atom.substitute({variable: value}) for atom in rule.adds]),
                deletes=tuple([atom.substitute({variable: value}) for atom in rule.deletes]),
            )
    return rule


def _variables(schema: ActionSchema) -> list[str]:
    """Every variable of the action, parameters first."""
    found = [p.name for p in schema.parameters]
    for rule in schema.rules:
        for clause in rule.when:
            found += sorted(variables(clause))
    return list(dict.fromkeys(found))


def _components(when: Sequence[Clause], free: Mapping[str, str]) -> list[tuple[frozenset[str], list[Clause]]]:
    """The clauses with free variables, those that share one together."""
    found: list[tuple[frozenset[str], list[Clause]]] = []
    for clause in when:
        names = frozenset(variables(clause) & free.keys())
        if names:
            joined = [c for c in found if c[0] & names]
            found = [c for c in found if not c[0] & names]
            clauses = [clause for _, cs in joined for clause in cs]
            found.append((names.union(*[n for n, _ in joined]), [*clauses, clause]))
    return found


def _effects(
    written: Sequence[Written], shared: Sequence[Formula], cases: Sequence[Sequence[Formula]]
) -> list[Effect]:
    """The changes of all rules; below no condition where the rules that make one cover all cases."""
    pairs = []
    for one in written:
        for change in _changes(one):
            effect = _base(one, change)
            pairs.append((effect, tuple([f for f in _left(one, effect) if f not in shared])))
    left: dict[Effect, list[frozenset[Formula]]] = {}
    for effect, conditions in pairs:
        left.setdefault(effect, []).append(frozenset(conditions))
    always = {e for e, found in left.items() if all(any(f.issubset(c) for f in found) for c in cases)}
    effects = [
        effect._replace(conditions=(*(() if effect in always else conditions), *effect.conditions))
        for effect, conditions in pairs
    ]
    return list(dict.fromkeys(effects))


def _changes(written: Written) -> list[Literal]:
    changes = [Literal(atom) for atom in written.rule.adds]
    changes += [Literal(atom, False) for atom in written.rule.deletes]
    return [change for change in changes if written.formulas.possible(change.atom)]


def _base(written: Written, change: Literal) -> Effect:
    """A change below nothing but the joins that bind its variables."""
    place = written.formulas.place(change.atom)
    opened = [join for join in written.joins if join.variables.intersection(change.atom.args)]
    typed = sum([join.typed for join in opened], ())
    return Effect(
        (*typed, *place.wildcards, *place.narrowed),
        (*[formula for join in opened for formula in join.body], *place.equations),
        place.atom if change.positive else ("not", place.atom),
    )


def _left(written: Written, effect: Effect) -> list[Formula]:
    """What of the rule's condition the effect itself does not ask for."""
    opened = [join.formula for join in written.joins if set(join.typed) <= set(effect.typed)]
    return [f for f in written.condition if f not in opened]


def _grouped(effects: Iterable[Effect]) -> list[Formula]:
    """PDDL's effects: changes with the same variables and conditions as one."""
    groups: dict[tuple[Typed, tuple[Formula, ...]], list[Formula]] = {}
    for typed, conditions, literal in effects:
        groups.setdefault((typed, conditions), []).append(literal)
    found: list[Formula] = []
    for (typed, conditions), literals in groups.items():
        if not typed and not conditions:
            found += literals
            continue
        body = literals[0] if len(literals) == 1 else ("and", *literals)
        if conditions:
            body = ("when", conjunction(conditions), body)
        found.append(quantified("forall", typed, body))
    return found
