"""What one may ask of a rule set: implication, redundancy, and worlds in which an action goes wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rules.engine import Engine
from rules.language import check as well_formed
from rules.logic import FALSE, Action, Atom, Clause, Literal, Truth
from rules.ruleset import ActionSchema, Evidence, Relation, Rule, RuleSet
from rules.verification.findings import Counterexample
from rules.verification.formulas import (
    And,
    Formula,
    exists,
    has_type,
    negate,
    of_clause,
    of_clauses,
    substitute,
    typed,
)
from rules.verification.solver import RLIMIT, Solver
from rules.verification.theory import Scope, Theory

CERTAIN = Evidence(1000)
"""Enough to settle a relation: what a counterexample assumes."""


@dataclass(frozen=True, slots=True)
class Case:
    """A rule under examination: its variables are parameters, its clauses formulas over them."""

    schema: ActionSchema
    rule: Rule
    types: Mapping[str, str]
    scope: Scope
    clauses: tuple[Formula, ...]

    @property
    def name(self) -> str:
        """``action.rule``."""
        return f"{self.schema.name}.{self.rule.name}"

    @property
    def condition(self) -> tuple[Formula, ...]:
        """What is asserted when the rule applies."""
        return (*self.scope.guards, *self.clauses)


class Questions:
    """One rule set and one solver for it. Not to be shared between threads.

    Raises `rules.language.InvalidRules` for a rule set that means nothing.
    """

    def __init__(self, ruleset: RuleSet, rlimit: int = RLIMIT) -> None:
        well_formed(ruleset)
        self.ruleset = ruleset
        self.theory = Theory(ruleset)
        self.solver = Solver(self.theory, rlimit)

    def implies(self, a: Sequence[Clause], b: Sequence[Clause], types: Mapping[str, str]) -> Truth:
        """Whether condition `a` implies `b`, for all values of the variables in `types` (-> type)."""
        scope = self._scope(types, a)
        shared = {v: scope.binding[v] for v in types}
        free = {v: t for v, t in typed(self.ruleset, b).items() if v not in types}
        b_holds = exists(free, of_clauses(self.ruleset, substitute(b, shared)))
        return ~self.solver.satisfiable((*self._condition(scope, a), negate(b_holds)))

    def entailed(self, clauses: Sequence[Clause], types: Mapping[str, str]) -> list[int]:
        """The clauses that may all be left out at once; of equals the earlier stays."""
        kept = list(range(len(clauses)))
        for i in reversed(range(len(clauses))):
            fewer = [j for j in kept if j != i]
            question = self.without(clauses[i], [clauses[j] for j in fewer], types)
            if self.solver.satisfiable(question) is FALSE:
                kept = fewer
        return [i for i in range(len(clauses)) if i not in kept]

    def without(self, clause: Clause, rest: Sequence[Clause], types: Mapping[str, str]) -> list[Formula]:
        """The other clauses hold and this one does not: unsatisfiable where they imply it.

        No value of the variables that it has to itself makes it true, nor do the variables it
        shares have the types that their places in it ask for.
        """
        scope = self._scope(types, rest)
        free = {v: t for v, t in typed(self.ruleset, [*rest, clause]).items() if v not in types}
        local = {v: t for v, t in free.items() if v not in scope.binding}
        guards = [has_type(scope.binding[v], t) for v, t in free.items() if v in scope.binding]
        holds = of_clauses(self.ruleset, substitute([clause], scope.binding))
        return [*self._condition(scope, rest), negate(exists(local, And((*guards, holds))))]

    def only(
        self, literal: Literal, others: Clause, rest: Sequence[Clause], types: Mapping[str, str]
    ) -> list[Formula]:
        """The literal of a clause holds and the others do not: unsatisfiable where it adds nothing."""
        scope = self._scope(types, [*rest, others])
        fails = [negate(of_clauses(self.ruleset, substitute([(x,)], scope.binding))) for x in others]
        return [*self._condition(scope, [*rest, (literal,)]), *fails]

    def _scope(self, types: Mapping[str, str], clauses: Iterable[Clause]) -> Scope:
        free = {v: t for v, t in typed(self.ruleset, clauses).items() if v not in types}
        return self.theory.scope({**types, **free})

    def _condition(self, scope: Scope, clauses: Iterable[Clause]) -> list[Formula]:
        held = [of_clause(self.ruleset, c) for c in substitute(clauses, scope.binding)]
        return [*held, *scope.guards]

    def case(self, schema: ActionSchema, rule: Rule) -> Case:
        """A rule, ready to be asked about."""
        types = self.theory.rule_types(schema, rule)
        scope = self.theory.scope(types)
        when = substitute(rule.when, scope.binding)
        return Case(schema, rule, types, scope, tuple(of_clause(self.ruleset, c) for c in when))

    def applies(self, case: Case) -> Formula:
        """Some match of the rule exists, for the action's parameters."""
        atom = self.theory.applies(case.schema, case.rule)
        return exists({v: case.types[v] for v in atom.args}, Literal(atom))

    def counterexample(
        self, case: Case, question: Sequence[Formula], wishes: Iterable[Formula] = ()
    ) -> Counterexample:
        """A small state in which the formulas hold, the rule's action, and what the engine makes of it.

        The last answer to the question was TRUE; wishes are granted where they can be.
        """
        world = self.solver.world(question, tuple(wishes))
        names = [world.parameters[case.scope.binding[p.name]] for p in case.schema.parameters]
        action = Action(case.schema.name, tuple(names))
        used = {atom.predicate for atom in self._used(case.schema)}
        assumed = tuple(literal for literal in world.assumed if literal.atom.predicate in used)
        after = Engine(assuming(self.ruleset, assumed)).apply(world.state, action)
        return Counterexample(world.state, action, after, assumed)

    def _used(self, schema: ActionSchema) -> Iterator[Atom]:
        """The atoms that the action and the invariants speak of."""
        for clauses in (
            *(rule.when for rule in schema.rules),
            *((i.body, i.head) for i in self.ruleset.invariants),
        ):
            yield from (literal.atom for clause in clauses for literal in clause)


def assuming(ruleset: RuleSet, assumed: Iterable[Literal]) -> RuleSet:
    """The rule set whose relations also hold what a counterexample assumes of them."""
    tables = {name: dict(relation.table) for name, relation in ruleset.relations.items()}
    for atom, positive in assumed:
        tables[atom.predicate][atom.args] = CERTAIN if positive else Evidence(*reversed(CERTAIN))
    relations = {n: Relation(n, r.arity, tables[n]) for n, r in ruleset.relations.items()}
    return replace(ruleset, relations=relations)
