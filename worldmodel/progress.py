"""How far a goal is reached in a state: what an objective, a reward or the end of an episode goes by.

A goal is split into objects and their attributes, as StateFactory does with states: for each parameter a
thing of its type must be known, and each literal must hold. A literal that does not hold yet counts in
part for what already stands out among its arguments: what is in hand, the place one is at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice, product

from rules.engine import Binding, Engine
from rules.logic import EQUALS, IS, TRUE, Literal, State
from worldmodel.curiosity import salient
from worldmodel.environments.base import Goal

MAX_BINDINGS = 50_000
"""So many ways to fill a goal's parameters are looked at."""
AT_HAND = 0.5
"""What a literal counts whose arguments all stand out, against one that holds."""


def achieved(goal: Goal, state: State, engine: Engine) -> bool:
    """Whether some binding of the parameters makes every literal true. A goal without any never is."""
    return bool(goal.condition) and any(
        all(engine.literal(literal, state, binding) is TRUE for literal in goal.condition)
        for binding in _bindings(goal, state, engine)
    )


def progress(goal: Goal, state: State, engine: Engine) -> float:
    """The share of the goal that is reached, under the binding that is nearest to it; 1 if it is achieved."""
    literals = [literal for literal in goal.condition if literal.atom.predicate not in (IS, EQUALS)]
    total = len(goal.parameters) + len(literals)
    if not total:
        return 0.0
    known = sum(
        any(engine.ruleset.is_a(type_, parameter.type) for type_ in state.objects.values())
        for parameter in goal.parameters
    )
    focus = salient(state)
    rules = [literal for literal in goal.condition if literal not in literals]
    best = max(
        (
            sum(_worth(literal, state, binding, engine, focus) for literal in literals)
            for binding in _bindings(goal, state, engine)
            if all(engine.literal(literal, state, binding) is TRUE for literal in rules)
        ),
        default=0.0,
    )
    return (known + best) / total


def _worth(literal: Literal, state: State, binding: Binding, engine: Engine, focus: Collection[str]) -> float:
    if engine.literal(literal, state, binding) is TRUE:
        return 1.0
    args = literal.substitute(binding).atom.args
    return AT_HAND * sum(name in focus for name in args) / len(args) if args and literal.positive else 0.0


def _bindings(goal: Goal, state: State, engine: Engine) -> Iterator[Binding]:
    """The ways to fill the parameters with known objects of their types."""
    pools = [
        [name for name, type_ in state.objects.items() if engine.ruleset.is_a(type_, parameter.type)]
        for parameter in goal.parameters
    ]
    names = [parameter.name for parameter in goal.parameters]
    for chosen in islice(product(*pools), MAX_BINDINGS):
        yield dict(zip(names, chosen, strict=True))
