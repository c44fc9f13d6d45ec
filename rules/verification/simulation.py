"""Logs that a rule set writes itself: what it would show if it were the truth.

A walk tries what the log still lacks: of every rule that it applies, and of every clause that it
alone keeps its rule from applying. So failures are in it that show what each clause is for. Complete
states, and everything random from one seed.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rules.engine import Engine, effects, variables
from rules.induction import Transition
from rules.logic import FALSE, TRUE, WILDCARD, Action, Atom, Clause, Literal, State
from rules.ruleset import ActionSchema, Rule, RuleSet

BUDGET = 400
"""So many partial bindings are tried for one action."""
STRAY = 0.1
"""The share of tries with random arguments."""
Goal = tuple[str, str, int]
"""Action, rule, and the clause that is to be false; -1: the rule is to apply."""


def closure(ruleset: RuleSet) -> frozenset[Atom]:
    """The denials that make a state complete."""
    return frozenset([Atom(p, (WILDCARD,) * len(types)) for p, types in ruleset.predicates.items()])


def walks(
    ruleset: RuleSet, starts: Sequence[State], length: int, seed: int, each: int = 50
) -> Iterator[Transition]:
    """So many transitions, in walks of `each` steps from these states, in turn."""
    walker = Walker(ruleset, seed)
    for number in range(0, length, each):
        start = starts[number // each % len(starts)]
        yield from walker.walk(start, min(each, length - number))


class Walker:
    """Chooses actions by what was tried least."""

    def __init__(self, ruleset: RuleSet, seed: int) -> None:
        self.engine, self.chance = Engine(ruleset), random.Random(seed)
        self.closure = closure(ruleset)
        self.goals: list[Goal] = [
            (schema.name, rule.name, clause)
            for schema in ruleset.actions.values()
            for rule in schema.rules
            for clause in range(-1, len(rule.when))
        ]
        self.tried: Counter[Goal] = Counter()

    def walk(self, start: State, steps: int) -> Iterator[Transition]:
        """A walk from a state, which is taken to be complete."""
        state = State(start.objects, start.true, self.closure)
        for _ in range(steps):
            action = self._action(state)
            if action is None:
                continue
            found = self.step(state, action)
            yield found
            state = found.after

    def step(self, state: State, action: Action) -> Transition:
        """What the rules make of an action, as an observer of everything would log it."""
        outcome = self.engine.outcome(state, action)
        worked = outcome.truth is TRUE
        after = effects(outcome.matches, state) if worked else state
        said = [m.rule.says for m in outcome.matches if m.rule.says is not None] if worked else []
        says = said[0] if said else ("" if worked else self.engine.schema(action).otherwise or "")
        return Transition(state, action, after.true, self.closure, worked, says)

    def _action(self, state: State) -> Action | None:
        """An action for the goal that was met least; a stray one now and then, and where there is none."""
        if self.chance.random() >= STRAY:
            order = sorted(self.goals, key=lambda g: (self.tried[g], self.chance.random()))
            for goal in order:
                self.tried[goal] += 1  # also where it is out of reach, or it would be tried for ever
                action = self._met(goal, state)
                if action is not None:
                    return action
        return self._stray(state)

    def _met(self, goal: Goal, state: State) -> Action | None:
        name, rule_name, clause = goal
        schema = self.engine.ruleset.actions[name]
        rule = next(r for r in schema.rules if r.name == rule_name)
        when = rule.when if clause < 0 else (*rule.when[:clause], *rule.when[clause + 1 :])
        for binding in self._bindings(schema, rule, when, state):
            action = Action(name, tuple([binding[p.name] for p in schema.parameters]))
            if clause < 0 or self.engine.match(rule, state, action).truth is FALSE:
                return action
        return None

    def _stray(self, state: State) -> Action | None:
        schema = self.chance.choice(list(self.engine.ruleset.actions.values()))
        args = [self._objects(p.type, state) for p in schema.parameters]
        return Action(schema.name, tuple([self.chance.choice(o) for o in args])) if all(args) else None

    def _objects(self, type_: str, state: State) -> list[str]:
        ruleset = self.engine.ruleset
        return [n for n, t in {**ruleset.constants, **state.objects}.items() if ruleset.is_a(t, type_)]

    def _bindings(
        self, schema: ActionSchema, rule: Rule, when: Sequence[Clause], state: State
    ) -> Iterator[Mapping[str, str]]:
        """Bindings of the parameters under which these clauses hold, in random order, within the budget."""
        types = {p.name: p.type for p in schema.parameters} | dict(
            self.engine.free_variables(schema.name, rule.name)
        )
        stored = [c[0] for c in when if len(c) == 1 and self._binds(c[0])]
        tests = [c for c in when if len(c) > 1 or c[0] not in stored]
        needed = [p.name for p in schema.parameters] + sorted({v for c in tests for v in variables(c)})
        budget = [BUDGET]
        yield from self._extended(stored, tests, list(dict.fromkeys(needed)), types, state, {}, budget)

    def _binds(self, literal: Literal) -> bool:
        return literal.positive and literal.atom.predicate in self.engine.ruleset.predicates

    def _extended(
        self,
        stored: Sequence[Literal],
        tests: Sequence[Clause],
        needed: Sequence[str],
        types: Mapping[str, str],
        state: State,
        binding: Mapping[str, str],
        budget: list[int],
    ) -> Iterator[Mapping[str, str]]:
        """Binds variables by the stored literals, the most constrained first, then the others at random."""
        budget[0] -= 1
        if budget[0] < 0 or any(
            self.engine.clause(c, state, binding) is not TRUE for c in tests if variables(c) <= binding.keys()
        ):
            return
        if stored:
            found = {x: state.matching(_pattern(x.atom, binding)) for x in stored}
            literal = min(stored, key=lambda x: len(found[x]))
            rest = [x for x in stored if x is not literal]
            for atom in self.chance.sample(sorted(found[literal]), len(found[literal])):
                more = self._unified(literal.atom, atom, binding, types, state)
                if more is not None:
                    yield from self._extended(rest, tests, needed, types, state, more, budget)
            return
        variable = next((v for v in needed if v not in binding), None)
        if variable is None:
            yield binding
            return
        options = self._objects(types[variable], state)
        for name in self.chance.sample(options, len(options)):
            yield from self._extended(
                stored, tests, needed, types, state, {**binding, variable: name}, budget
            )

    def _unified(
        self, pattern: Atom, atom: Atom, binding: Mapping[str, str], types: Mapping[str, str], state: State
    ) -> Mapping[str, str] | None:
        extended = dict(binding)
        for term, name in zip(pattern.args, atom.args, strict=True):
            if term.startswith("?") and extended.setdefault(term, name) != name:
                return None
        fits = all(
            self.engine.ruleset.is_a(self.engine.type_of(n, state), types.get(v, "any"))
            for v, n in extended.items()
        )
        return extended if fits else None


def _pattern(atom: Atom, binding: Mapping[str, str]) -> Atom:
    terms = [binding.get(a, a) for a in atom.args]
    return Atom(atom.predicate, tuple([WILDCARD if t.startswith("?") else t for t in terms]))
