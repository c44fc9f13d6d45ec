"""Worlds whose rules are known: a rule set, walked through at random in complete or partial states."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

from rules.engine import Engine
from rules.induction import Transition
from rules.logic import FALSE, TRUE, WILDCARD, Action, Atom, State
from rules.ruleset import RuleSet

Names = Mapping[str, str]


def vocabulary(truth: RuleSet) -> RuleSet:
    """What a learner is told of a rule set: all but its rules."""
    actions = {name: replace(schema, rules=()) for name, schema in truth.actions.items()}
    return replace(truth, relations={}, invariants=(), actions=actions)


def complete(domain: RuleSet, objects: Names, true: Iterable[Atom]) -> State:
    """The state in which these facts hold, and no others."""
    closure = {Atom(name, (WILDCARD,) * len(types)) for name, types in domain.predicates.items()}
    true = frozenset(true)
    return State(objects, true, closure - true)


def _choices(domain: RuleSet, objects: Names, types: Sequence[str]) -> Iterable[tuple[str, ...]]:
    everything = {**domain.constants, **objects}
    return product(*([n for n, t in everything.items() if domain.is_a(t, type_)] for type_ in types))


def ground_atoms(domain: RuleSet, objects: Names) -> list[Atom]:
    """Every atom that may hold."""
    found = domain.predicates.items()
    return [Atom(name, args) for name, types in found for args in _choices(domain, objects, types)]


def ground_actions(domain: RuleSet, objects: Names) -> list[Action]:
    """Every action that its types allow, with one object in two places too."""
    return [
        Action(name, args)
        for name, schema in domain.actions.items()
        for args in _choices(domain, objects, [p.type for p in schema.parameters])
    ]


def walk(
    truth: RuleSet, objects: Names, true: Iterable[Atom], steps: int, seed: int, refused: float = 0.0
) -> list[Transition]:
    """A random walk. A share of the actions are any that the types allow, the rest ones that succeed."""
    chance, engine = random.Random(seed), Engine(truth)
    state, actions = complete(truth, objects, true), ground_actions(truth, objects)
    found: list[Transition] = []
    for _ in range(steps):
        options = actions
        if chance.random() >= refused:
            options = [a for a in actions if engine.outcome(state, a).truth is TRUE]
        if not options:
            break
        action = chance.choice(options)
        succeeded = engine.outcome(state, action).truth is TRUE
        after = complete(truth, objects, engine.apply(state, action).true)
        found.append(Transition(state, action, after.true, after.false, succeeded))
        state = after
    return found


def _along(trace: Sequence[Transition], states: Sequence[State], persists: bool) -> list[Transition]:
    return [
        replace(step, before=before, true=after.true, false=after.false, persists=persists)
        for step, before, after in zip(trace, states[:-1], states[1:], strict=True)
    ]


def _states(trace: Sequence[Transition]) -> list[State]:
    return [*(step.before for step in trace), *(step.after for step in trace[-1:])]


def hidden(domain: RuleSet, trace: Sequence[Transition], share: float, seed: int) -> list[Transition]:
    """The trace for one who sees each value of a state with probability 1 - share."""
    chance, states = random.Random(seed), []
    for state in _states(trace):
        shown = [a for a in ground_atoms(domain, state.objects) if chance.random() >= share]
        true = [a for a in shown if state.truth(a) is TRUE]
        states.append(State(state.objects, true, [a for a in shown if state.truth(a) is FALSE]))
    return _along(trace, states, persists=False)


def flipped(domain: RuleSet, trace: Sequence[Transition], share: float, seed: int) -> list[Transition]:
    """The trace with a share of its values wrong: of the facts that hold, and of those about an action."""
    chance, states = random.Random(seed), []
    for number, state in enumerate(_states(trace)):
        near = {a for step in trace[max(0, number - 1) : number + 1] for a in step.action.args}
        about = ground_atoms(domain, {n: t for n, t in state.objects.items() if n in near})
        facts = dict.fromkeys([*sorted(state.true), *about])
        wrong = {a for a in facts if chance.random() < share}
        states.append(complete(domain, state.objects, state.true ^ wrong))
    return _along(trace, states, persists=True)
