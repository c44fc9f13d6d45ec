"""Applies a rule set to three-valued states: what an action would do, and why.

`Engine.outcome` is the whole answer; `apply` and `explain` are its two faces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import NamedTuple

from rules.errors import WorldModelError
from rules.logic import (
    EQUALS,
    FALSE,
    IS,
    TRUE,
    UNKNOWN,
    WILDCARD,
    Action,
    Atom,
    Clause,
    Literal,
    State,
    Truth,
)
from rules.ruleset import ANY, ActionSchema, Rule, RuleSet

Binding = Mapping[str, str]


class Match(NamedTuple):
    """A rule, how far its condition holds, and the bindings (parameters, free variables) that make it so."""

    rule: Rule
    truth: Truth
    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the rules say of one action in one state.

    truth: TRUE succeeds, FALSE fails, UNKNOWN nobody can tell. matches: the rules that surely
    apply, or where there is none, those that nothing rules out.
    """

    truth: Truth
    matches: tuple[Match, ...]


Explanation = tuple[Rule, list[tuple[tuple[Clause, ...], Truth]]]
"""A rule and the parts of its condition that do not surely hold."""


MAX_BINDINGS = 250_000
"""Objects that are tried for the free variables of one rule, in one state."""


class _Join(NamedTuple):
    """A free variable, its type, and the clauses that can be judged once it is bound."""

    variable: str
    type: str
    clauses: tuple[Clause, ...]


class Engine:
    """A rule set, ready to be applied. Keeps no state of an episode: safe to share."""

    def __init__(self, ruleset: RuleSet) -> None:
        self.ruleset = ruleset
        self._joins: dict[tuple[str, str], tuple[tuple[Clause, ...], tuple[_Join, ...]]] = {
            (schema.name, rule.name): self._plan(schema, rule)
            for schema in ruleset.actions.values()
            for rule in schema.rules
        }

    @cached_property
    def _is_a(self) -> dict[str, frozenset[str]]:
        return {t: frozenset(self.ruleset.ancestors(t)) for t in self.ruleset.types}

    def _plan(self, schema: ActionSchema, rule: Rule) -> tuple[tuple[Clause, ...], tuple[_Join, ...]]:
        """Splits a condition into clauses over the parameters and, variable by variable, the joins."""
        bound = {p.name for p in schema.parameters}
        rest = list(rule.when)
        now = tuple(c for c in rest if variables(c) <= bound)
        rest = [c for c in rest if c not in now]
        joins = []
        while rest:
            variable = min(variables(rest[0]) - bound)
            bound.add(variable)
            ready = tuple(c for c in rest if variables(c) <= bound)
            rest = [c for c in rest if c not in ready]
            joins.append(_Join(variable, self._variable_type(variable, rule), ready))
        return now, tuple(joins)

    def _variable_type(self, variable: str, rule: Rule) -> str:
        types = {ANY}
        for clause in rule.when:
            for literal in clause:
                signature = self.ruleset.predicates.get(literal.atom.predicate, ())
                types |= {t for a, t in zip(literal.atom.args, signature, strict=False) if a == variable}
        return max(types, key=lambda t: (len(list(self.ruleset.ancestors(t))), t))

    def free_variables(self, action: str, rule: str) -> list[tuple[str, str]]:
        """The variables of a rule that are no parameters, with their types."""
        return [(join.variable, join.type) for join in self._joins[action, rule][1]]

    def schema(self, action: Action) -> ActionSchema:
        """The schema of an action; `WorldModelError` where there is none or the arity is wrong."""
        schema = self.ruleset.actions.get(action.name)
        if schema is None:
            known = ", ".join(sorted(self.ruleset.actions))
            raise WorldModelError(f"unknown action {action.name!r}: the rule set has {known}")
        if len(schema.parameters) != len(action.args):
            raise WorldModelError(
                f"{action}: found {len(action.args)} arguments, expected {len(schema.parameters)}"
            )
        return schema

    def binding(self, action: Action) -> Binding:
        """The parameters of an action and their values."""
        return {p.name: a for p, a in zip(self.schema(action).parameters, action.args, strict=True)}

    def type_of(self, name: str, state: State) -> str:
        """The type of an object or constant; `ANY`, below no other type, for a name nobody has met."""
        return state.objects.get(name) or self.ruleset.constants.get(name) or ANY

    def literal(self, literal: Literal, state: State, binding: Binding) -> Truth:
        """The value of a literal under a binding of its variables."""
        value = self._atom(literal.atom, state, binding)
        return value if literal.positive else ~value

    def _atom(self, atom: Atom, state: State, binding: Binding) -> Truth:
        predicate, args = atom
        terms = tuple([binding.get(a, a) for a in args])
        if predicate == EQUALS:
            return Truth.of(terms[0] == terms[1])
        if predicate == IS:
            if terms[0].startswith("?"):
                return UNKNOWN
            return Truth.of(self.ruleset.is_a(self.type_of(terms[0], state), args[1]))
        if predicate in self.ruleset.relations:
            return self.ruleset.relations[predicate].truth(tuple([self.type_of(t, state) for t in terms]))
        ground = Atom(predicate, terms)
        return state.some(ground) if WILDCARD in terms else state.truth(ground)

    def clause(self, clause: Clause, state: State, binding: Binding) -> Truth:
        """The value of a disjunction under a binding."""
        value = FALSE
        for literal in clause:
            value = value | self.literal(literal, state, binding)
            if value is TRUE:
                break
        return value

    def _all(self, clauses: Iterable[Clause], state: State, binding: Binding, value: Truth = TRUE) -> Truth:
        for clause in clauses:
            value = value & self.clause(clause, state, binding)
            if value is FALSE:
                break
        return value

    def match(self, rule: Rule, state: State, action: Action) -> Match:
        """How far a rule's condition holds for an action, and for which bindings."""
        binding = self.binding(action)
        clauses, joins = self._joins[action.name, rule.name]
        truth = self._all(clauses, state, binding)
        if truth is FALSE:
            return Match(rule, FALSE, ())
        found = list(self._bound(rule, joins, state, binding, truth))
        best = _best([t for t, _ in found])
        return Match(rule, best, tuple([b for t, b in found if t is best]))

    def _bound(
        self, rule: Rule, joins: tuple[_Join, ...], state: State, binding: Binding, truth: Truth
    ) -> Iterator[tuple[Truth, Binding]]:
        """What `_bind` finds; `WorldModelError` where that takes more than `MAX_BINDINGS` tries."""
        tries = iter(range(MAX_BINDINGS))
        yield from self._bind(joins, state, binding, truth, tries)
        if next(tries, None) is None:
            raise WorldModelError(
                f"rule {rule.name}: more than {MAX_BINDINGS:,} ways to choose its {len(joins)} free variables"
                f" among {len(state.objects):,} objects; give it conditions that tie them to the parameters"
            )

    def _bind(
        self,
        joins: tuple[_Join, ...],
        state: State,
        binding: Binding,
        truth: Truth,
        tries: Iterator[int],
    ) -> Iterator[tuple[Truth, Binding]]:
        """Every extension of a binding over the free variables that nothing contradicts.

        Last comes the object that nobody has met. It keeps the variable's own name, so that nothing is
        true of it, and false only what is denied of all; an action that needs it is not sure to succeed.
        """
        if not joins:
            yield truth, binding
            return
        variable, type_, clauses = joins[0]
        for name, own in (*self.ruleset.constants.items(), *state.objects.items(), (variable, type_)):
            known = self._is_a.get(own)
            if known is not None and type_ not in known:
                continue
            if next(tries, None) is None:
                return
            extended = {**binding, variable: name}
            value = self._all(clauses, state, extended, UNKNOWN if name == variable else truth)
            if value is not FALSE:
                yield from self._bind(joins[1:], state, extended, value, tries)

    def outcome(self, state: State, action: Action) -> Outcome:
        """Whether the action succeeds, and through which rules; unknown if it has neither rules nor failures.

        On things of other types than its parameters ask for, or that nobody has met, it fails.
        """
        schema = self.schema(action)
        if not self._well_typed(schema, state, action):
            return Outcome(FALSE, ())
        if not schema.rules and schema.otherwise is None:
            return Outcome(UNKNOWN, ())
        matches = [self.match(rule, state, action) for rule in schema.rules]
        sure = tuple([m for m in matches if m.truth is TRUE])
        if sure:
            return Outcome(TRUE, sure)
        possible = tuple([m for m in matches if m.truth is UNKNOWN])
        if not possible:
            return Outcome(FALSE, ())
        return Outcome(TRUE if self._covered(possible, state, action) else UNKNOWN, possible)

    def _well_typed(self, schema: ActionSchema, state: State, action: Action) -> bool:
        """Whether the arguments fit the parameters; a type that the rule set does not know fits any."""
        for parameter, name in zip(schema.parameters, action.args, strict=True):
            if parameter.type != ANY:
                type_ = self.type_of(name, state)
                if type_ == ANY or parameter.type not in self._is_a.get(type_, (parameter.type,)):
                    return False
        return True

    def _covered(self, possible: tuple[Match, ...], state: State, action: Action) -> bool:
        """Whether one of these rules applies however the unknown literals turn out (supervaluation).

        A door is open or it is not: if one rule wants the first and another the second, the action
        succeeds, though nobody can say by which.
        """
        binding = self.binding(action)
        rests = []
        for match in possible:
            clauses, joins = self._joins[action.name, match.rule.name]
            if joins:
                return False
            rests.append(frozenset([c for c in clauses if self.clause(c, state, binding) is UNKNOWN]))
        return _tautology(frozenset(rests))

    def apply(self, state: State, action: Action) -> State:
        """The state after the action, as far as it is certain; the same state unless it surely succeeds."""
        outcome = self.outcome(state, action)
        return effects(outcome.matches, state) if outcome.truth is TRUE else state

    def explain(self, state: State, action: Action) -> list[Explanation]:
        """For each rule of the action, nearest first, what of its condition does not surely hold.

        Clauses over the parameters stand alone; clauses that share a free variable stand together,
        since it is one object that must satisfy them all.
        """
        binding = self.binding(action)
        report: list[Explanation] = []
        for rule in self.schema(action).rules:
            clauses, joins = self._joins[action.name, rule.name]
            parts: list[tuple[tuple[Clause, ...], Truth]] = [
                ((c,), self.clause(c, state, binding)) for c in clauses
            ]
            if joins:
                value = _best([t for t, _ in self._bound(rule, joins, state, binding, TRUE)])
                parts.append((tuple(c for join in joins for c in join.clauses), value))
            report.append((rule, [(c, t) for c, t in parts if t is not TRUE]))
        return sorted(report, key=lambda item: len(item[1]))


def _best(found: Sequence[Truth]) -> Truth:
    """Whether some binding satisfies: what `_bind` leaves out is false."""
    return TRUE if any(t is TRUE for t in found) else UNKNOWN if found else FALSE


def variables(clause: Clause) -> set[str]:
    """The variables of a clause."""
    return {a for literal in clause for a in literal.atom.args if a.startswith("?")}


MAX_OPEN_LITERALS = 10


@lru_cache(maxsize=4096)
def _tautology(rests: frozenset[frozenset[Clause]]) -> bool:
    """Whether every assignment of the open literals satisfies all the clauses of some member."""
    atoms = sorted({literal.atom for rest in rests for clause in rest for literal in clause})
    if len(atoms) > MAX_OPEN_LITERALS:
        return False
    for values in product((False, True), repeat=len(atoms)):
        world = dict(zip(atoms, values, strict=True))
        if not any(
            all(any(world[literal.atom] is literal.positive for literal in clause) for clause in rest)
            for rest in rests
        ):
            return False
    return True


def effects(matches: Sequence[Match], state: State) -> State:
    """The state after these rules: all deletes first, then all adds.

    Of rules that only may apply, just what they have in common happens. What befalls an object that
    nobody has met changes nothing that is known.
    """
    pairs = [(match, binding) for match in matches for binding in match.bindings]
    if not pairs:
        return state
    adds = [_ground(match.rule.adds, b) for match, b in pairs]
    deletes = [_ground(match.rule.deletes, b) for match, b in pairs]
    if all(match.truth is TRUE for match, _ in pairs):
        return state.updated(frozenset().union(*adds), frozenset().union(*deletes))
    return state.updated(frozenset.intersection(*adds), frozenset.intersection(*deletes))


def _ground(atoms: Sequence[Atom], binding: Binding) -> frozenset[Atom]:
    ground = [atom.substitute(binding) for atom in atoms]
    return frozenset([atom for atom in ground if not any(a.startswith("?") for a in atom.args)])
