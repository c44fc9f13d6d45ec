"""Possible worlds that agree with a belief: where the unseen things may be that the goal needs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import NamedTuple, Protocol

from rules.logic import WILDCARD, Action, Atom
from rules.ruleset import ANY, Parameter, RuleSet
from worldmodel.belief import Belief
from worldmodel.model import WorldModel


class Container(NamedTuple):
    """A binary predicate whose contents are seen in full: ``in(*, desk)``; `free` is the wildcard's place."""

    predicate: str
    free: int

    def atom(self, thing: str, place: str) -> Atom:
        return Atom(self.predicate, (thing, place) if self.free == 0 else (place, thing))


class World(NamedTuple):
    """Facts that are added to the belief, and how likely it is that they hold."""

    facts: frozenset[Atom]
    weight: float


@dataclass(frozen=True, slots=True)
class Missing:
    """A thing that the goal needs and nobody has seen, under a made-up name if the goal gives it none."""

    name: str
    type: str
    container: Container


class Sampler(Protocol):
    """Draws possible worlds. The weights add up to one, or there is no world."""

    def __call__(
        self, model: WorldModel, belief: Belief, missing: list[Missing], samples: int, rng: random.Random
    ) -> list[World]: ...


def containers(ruleset: RuleSet) -> list[Container]:
    """The predicates that some action reveals as a list."""
    found = {
        Container(atom.predicate, atom.args.index(WILDCARD))
        for schema in ruleset.actions.values()
        for rule in schema.rules
        for atom in rule.reveals
        if len(atom.args) == 2 and atom.args.count(WILDCARD) == 1
    }
    return sorted(found)


def showing(ruleset: RuleSet, pattern: Atom) -> Iterator[Action]:
    """The actions that reveal a pattern, by rules in which all parameters stand in what they reveal."""
    for schema in ruleset.actions.values():
        names = {parameter.name for parameter in schema.parameters}
        for atom in dict.fromkeys(atom for rule in schema.rules for atom in rule.reveals):
            binding = dict(zip(atom.args, pattern.args, strict=False))
            lifted = atom.predicate == pattern.predicate and atom.args.count(WILDCARD) == 1
            if lifted and binding.pop(WILDCARD, None) == WILDCARD and names == set(binding):
                yield Action(schema.name, tuple([binding[p.name] for p in schema.parameters]))


def missing_things(model: WorldModel, belief: Belief) -> list[Missing]:
    """For each parameter of the goal that no known thing can fill, a thing that has yet to be found; and
    each thing that the goal calls by name, until it has been met."""
    found = []
    for container in containers(model.ruleset):
        holds = model.ruleset.predicates[container.predicate][container.free]
        needs = Counter(p.type for p in belief.goal.parameters if _fits(model, p, holds))
        for type_, count in sorted(needs.items()):
            known = sum(1 for name in belief.state.objects if _usable(model, belief, name, type_))
            for number in range(known, count):
                found.append(Missing(f"{type_} (unseen {number + 1})", type_, container))
        named = {n for n, type_ in _named(model, belief) if model.ruleset.is_a(type_, holds)}
        found += [Missing(name, holds, container) for name in sorted(named)]
    return found


def _named(model: WorldModel, belief: Belief) -> Iterator[tuple[str, str]]:
    """The names in the goal of things that nobody has met, and what types they must be of."""
    for literal in belief.goal.condition:
        predicate, args = literal.atom
        for name, type_ in zip(args, model.ruleset.predicates.get(predicate, ()), strict=False):
            unmet = model.engine.type_of(name, belief.state) == ANY
            if unmet and name != WILDCARD and not name.startswith("?"):
                yield name, type_


def _fits(model: WorldModel, parameter: Parameter, type_: str) -> bool:
    return type_ != ANY and model.ruleset.is_a(parameter.type, type_) and parameter.type != type_


def _usable(model: WorldModel, belief: Belief, name: str, type_: str) -> bool:
    """Whether a thing is of the type, was located, and no action on it was ever refused."""
    if not model.ruleset.is_a(belief.state.objects[name], type_):
        return False
    if any(name in action.args for action in belief.refused):
        return False
    return any(name in atom.args for atom in belief.state.true)


def by_counts(
    model: WorldModel, belief: Belief, missing: list[Missing], samples: int, rng: random.Random
) -> list[World]:
    """Worlds by the knowledge graph's counts: every one where they are few, else systematic draws."""
    chances = [_places(model, belief, thing) for thing in missing]
    if not missing or not all(chances):
        return []
    if prod(map(len, chances)) <= samples:
        drawn = _every(missing, chances)
    else:
        drawn = _systematic(missing, chances, samples, rng)
    weights: dict[frozenset[Atom], float] = {}
    for facts, weight in drawn:
        weights[facts] = weights.get(facts, 0.0) + weight
    total = sum(weights.values())
    return [World(facts, weight / total) for facts, weight in weights.items()]


def _places(model: WorldModel, belief: Belief, thing: Missing) -> dict[str, float]:
    """The places whose contents nobody has seen, with the number of such things expected there."""
    predicate, free = thing.container
    type_ = model.ruleset.predicates[predicate][1 - free]
    objects = belief.state.objects
    return {
        place: model.knowledge.rate(belief.room, predicate, thing.type, place, objects[place])
        for place in belief.unexplored(predicate, 1 - free)
        if model.ruleset.is_a(objects[place], type_)
    }


def _every(
    missing: list[Missing], chances: list[dict[str, float]]
) -> Iterator[tuple[frozenset[Atom], float]]:
    for places in product(*chances):
        facts = frozenset(m.container.atom(m.name, p) for m, p in zip(missing, places, strict=True))
        yield facts, prod(c[p] for c, p in zip(chances, places, strict=True))


def _systematic(
    missing: list[Missing], chances: list[dict[str, float]], samples: int, rng: random.Random
) -> Iterator[tuple[frozenset[Atom], float]]:
    """Low-variance draws: for each thing, evenly spaced points on its distribution, shuffled apart."""
    columns = []
    for chance in chances:
        column = _spaced(chance, samples, rng.random())
        rng.shuffle(column)
        columns.append(column)
    for places in zip(*columns, strict=True):
        yield frozenset(m.container.atom(m.name, p) for m, p in zip(missing, places, strict=True)), 1.0


def _spaced(chance: Mapping[str, float], samples: int, offset: float) -> list[str]:
    total = sum(chance.values())
    drawn: list[str] = []
    reached = 0.0
    for place, weight in chance.items():
        reached += weight / total * samples
        while len(drawn) + offset < reached and len(drawn) < samples:
            drawn.append(place)
    return drawn + [place] * (samples - len(drawn))


SAMPLERS: Mapping[str, Sampler] = {"counts": by_counts}
