"""What else could have been done: the other arguments that an action might have had in the states of a log.

A fact that held whenever an action was taken is a condition of it only if it need not have held:
among the alternatives that meet the other conditions it is sometimes false.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from rules.induction.changes import by_chance
from rules.induction.scenes import Scene
from rules.logic import FALSE, TRUE, UNKNOWN, Atom, Truth
from rules.ruleset import ANY, ActionSchema, RuleSet

PER_SCENE = 20
"""So many alternatives are drawn from one state."""
MAX_STEPS = 1_000
"""So many partial bindings are looked at for them."""

Binding = dict[str, str]


class Tally(NamedTuple):
    """How often a fact held among alternatives, how often not, and for how many distinct things it held:
    none that count where it is mostly unknown, for what is shown there is no fair sample."""

    held: int
    broken: int
    instances: int


class World:
    """A state of the sample, ready to be matched: its facts and objects, shuffled once and for all."""

    def __init__(self, domain: RuleSet, scene: Scene) -> None:
        draw = random.Random(scene.rank)
        self.state = scene.state()
        self.objects = {**domain.constants, **dict(scene.objects)}
        self.room = frozenset(self.objects)
        self._facts: dict[tuple[str, int, str], list[Atom]] = {}
        self._names: dict[str, list[str]] = {}
        for atom in draw.sample(scene.true, len(scene.true)):
            for key in ((atom.predicate, -1, ""), *((atom.predicate, i, a) for i, a in enumerate(atom.args))):
                self._facts.setdefault(key, []).append(atom)
        names = list(self.objects)
        for name in draw.sample(names, len(names)):
            for type_ in {*domain.ancestors(self.objects[name])}:
                self._names.setdefault(type_, []).append(name)

    def named(self, type_: str) -> Sequence[str]:
        """The objects of a type."""
        return self._names.get(type_, ())

    def facts(self, atom: Atom, binding: Mapping[str, str]) -> Sequence[Atom]:
        """The fewest facts among which all are that a lifted atom may be, where some terms are bound."""
        terms = [binding.get(a, a) for a in atom.args]
        found = [self._facts.get((atom.predicate, i, t), ()) for i, t in enumerate(terms) if t[:1] != "?"]
        return min([self._facts.get((atom.predicate, -1, ""), ()), *found], key=len)


class Alternatives:
    """The alternatives of one action schema in some states."""

    def __init__(self, domain: RuleSet, schema: ActionSchema, worlds: Sequence[World]) -> None:
        self._types = {p.name: p.type for p in schema.parameters}
        self._above = {t: frozenset(domain.ancestors(t)) for t in domain.types}
        self._worlds = worlds
        self._tallies: dict[tuple[Atom, tuple[Atom, ...]], Tally] = {}
        self._laws: dict[tuple[Atom, tuple[Atom, ...]], int] = {}

    def tally(self, fact: Atom, premises: Sequence[Atom]) -> Tally:
        """How a fact fared where the premises hold. What is unknown is not counted."""
        key = fact, tuple(sorted(premises))
        if key not in self._tallies:
            self._tallies[key] = self._count(self._tries(*key))
        return self._tallies[key]

    def follows(self, fact: Atom, premises: Sequence[Atom], instances: int, noise: float) -> bool:
        """Whether a fact held wherever the premises do, but for noise, and for so many distinct things."""
        key = fact, tuple(sorted(premises))
        if key not in self._laws:
            self._laws[key] = self._without_exception(*key, noise)
        return self._laws[key] >= instances

    def _without_exception(self, fact: Atom, premises: Sequence[Atom], noise: float) -> int:
        """For how many distinct things a fact held; 0 if there are more exceptions than noise explains, or
        if it is mostly unknown."""
        seen, total, known, broken = set(), 0, 0, 0
        most = by_chance(2 * noise * PER_SCENE * len(self._worlds)) - 1
        for room, ground, value in self._tries(fact, premises):
            total += 1
            known += value is not UNKNOWN
            if value is TRUE:
                seen.add((room, ground))
            elif value is FALSE:
                broken += 1
                if broken > most:
                    return 0
        lawful = broken <= by_chance(2 * noise * total) - 1 and 2 * known >= total
        return len(seen) if lawful else 0

    def _count(self, tries: Iterator[tuple[frozenset[str], Atom, Truth]]) -> Tally:
        held = broken = unknown = 0
        seen = set()
        for room, ground, value in tries:
            unknown += value is UNKNOWN
            if value is TRUE:
                held += 1
                seen.add((room, ground))
            elif value is FALSE:
                broken += 1
        return Tally(held, broken, len(seen) if unknown <= held + broken else 0)

    def _tries(self, fact: Atom, premises: Sequence[Atom]) -> Iterator[tuple[frozenset[str], Atom, Truth]]:
        """A fact for some of the bindings under which the premises hold, and its value."""
        variables = dict.fromkeys(a for atom in (*premises, fact) for a in atom.args if a in self._types)
        for world in self._worlds:
            self._steps = 0
            for binding in islice(self._bind({}, premises, list(variables), world), PER_SCENE):
                ground = fact.substitute(binding)
                yield world.room, ground, world.state.truth(ground)

    def _bind(
        self, binding: Binding, premises: Sequence[Atom], variables: Sequence[str], world: World
    ) -> Iterator[Binding]:
        self._steps += 1
        if self._steps > MAX_STEPS:
            return
        if premises:
            rows = [world.facts(atom, binding) for atom in premises]
            tightest = min(range(len(premises)), key=lambda i: len(rows[i]))
            rest = [*premises[:tightest], *premises[tightest + 1 :]]
            for row in rows[tightest]:
                extended = self._unified(premises[tightest], row, binding, world)
                if extended is not None:
                    yield from self._bind(extended, rest, variables, world)
            return
        free = next((v for v in variables if v not in binding), None)
        if free is None:
            yield binding
            return
        for name in world.named(self._types[free]):
            yield from self._bind({**binding, free: name}, premises, variables, world)

    def _unified(self, atom: Atom, row: Atom, binding: Binding, world: World) -> Binding | None:
        """The binding under which the lifted atom is the fact `row`, if there is one."""
        extended = dict(binding)
        for term, name in zip(atom.args, row.args, strict=True):
            if term not in self._types:
                if term != name:
                    return None
            elif extended.setdefault(term, name) != name or not self._fits(world, term, name):
                return None
        return extended

    def _fits(self, world: World, variable: str, name: str) -> bool:
        type_ = world.objects.get(name, ANY)  # a fact may be about a thing nobody has met
        return self._types[variable] in self._above.get(type_, (type_, ANY))
