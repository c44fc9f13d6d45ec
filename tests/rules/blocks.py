"""A blocks world simulated by hand, as a source of transitions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from rules.induction import Transition
from rules.logic import WILDCARD, Action, Atom, State
from rules.ruleset import ActionSchema, Parameter, RuleSet

B, UNDER = Parameter("?b", "block"), Parameter("?under", "block")
DOMAIN = RuleSet(
    "blocks",
    types={"block": None},
    predicates={
        "on": ("block", "block"),
        "table": ("block",),
        "clear": ("block",),
        "holding": ("block",),
    },
    actions={
        "pick": ActionSchema("pick", (B,)),
        "put": ActionSchema("put", (B,)),
        "stack": ActionSchema("stack", (B, UNDER)),
        "unstack": ActionSchema("unstack", (B, UNDER)),
    },
)
CLOSURE = frozenset(Atom(name, (WILDCARD,) * len(signature)) for name, signature in DOMAIN.predicates.items())
World = frozenset[Atom]


def step(world: World, action: Action) -> World | None:
    """The next world; None if the action is refused."""

    def so(predicate: str, *args: str) -> bool:
        return Atom(predicate, args) in world

    b, under = (*action.args, "")[:2]
    full = any(atom.predicate == "holding" for atom in world)
    held, free = {Atom("holding", (b,))}, {Atom("clear", (b,))}
    on_table, on_block, below = {Atom("table", (b,))}, {Atom("on", (b, under))}, {Atom("clear", (under,))}
    if action.name == "pick" and so("clear", b) and so("table", b) and not full:
        return world - free - on_table | held
    if action.name == "unstack" and so("clear", b) and so("on", b, under) and not full:
        return world - free - on_block | held | below
    if action.name == "put" and so("holding", b):
        return world - held | free | on_table
    if action.name == "stack" and so("holding", b) and so("clear", under):
        return world - held - below | free | on_block
    return None


def transitions(
    seed: int, episodes: int = 20, steps: int = 40, blocks: int = 4, flipped: float = 0.0
) -> Iterator[Transition]:
    """Random walks; a share of them with the outcome `flipped`: a success is said to have failed, ..."""
    chance = random.Random(seed)
    names = [f"block {i}" for i in range(1, blocks + 1)]
    objects = dict.fromkeys(names, "block")
    for _ in range(episodes):
        world = frozenset(Atom(p, (n,)) for n in names for p in ("table", "clear"))
        for _ in range(steps):
            every = [
                Action(name, args)
                for name, schema in DOMAIN.actions.items()
                for args in product(names, repeat=len(schema.parameters))
            ]
            if chance.random() < 0.5:  # else few blocks would ever be stacked
                every = [action for action in every if step(world, action) is not None]
            action = chance.choice(every)
            after = step(world, action)
            seen = world if after is None else after
            transition = Transition(
                State(objects, world, CLOSURE), action, seen, CLOSURE, succeeded=after is not None
            )
            yield replace(transition, succeeded=(after is None) is (chance.random() < flipped))
            world = seen
