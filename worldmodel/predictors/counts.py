"""What is where, by counting: fills in the contents of unseen places that the rules must leave open.

A place of a room that was met before is known by its own counts, any other by those of its type
(`Knowledge.rate`). The guess is the likeliest set of types, taken one by one; how each thing is numbered
follows from what was seen so far.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from rules.language import slots
from rules.logic import FALSE, WILDCARD, Action, Atom, State
from rules.ruleset import ANY, Rule
from worldmodel.belief import Belief
from worldmodel.model import Prediction, WorldModel
from worldmodel.wording import realize


class Counts:
    """A world model that guesses contents. It is asked with the model's beliefs (`tracker`)."""

    def __init__(self, model: WorldModel) -> None:
        self.model = self.tracker = model
        self.name = f"{model.name} + counts"

    def predict(self, belief: Belief, action: Action) -> Prediction:
        """The model's prediction; where its words depend on unseen contents, with the likeliest of these."""
        prediction = self.model.predict(belief, action)
        if prediction.observation is not None or prediction.outcome is FALSE:
            return prediction
        rule = self._rule(action, prediction)
        if rule is None or rule.says is None:
            return prediction
        binding = self.model.engine.binding(action)
        state, certainty = prediction.state, 1.0
        for slot in slots(rule.says):
            if isinstance(slot, Atom) and (pattern := slot.substitute(binding)) not in state.false:
                names, chance = self._imagined(belief, pattern, state)
                if names.keys() - state.objects.keys() and not numbered(belief.state.objects):
                    return prediction
                state = state.updated([_filled(pattern, name) for name in names], [pattern], names)
                certainty *= chance
        said = realize(rule.says, binding, state, self.model.perception)
        if said is None:
            return prediction
        return replace(prediction, observation=said, source="counts", certainty=certainty)

    def contents(self, belief: Belief, pattern: Atom) -> Mapping[str, float]:
        """Type -> the chance that something of it matches a pattern with one wildcard."""
        if len(pattern.args) != 2 or pattern.args.count(WILDCARD) != 1:
            return {}
        knowledge, predicate = self.model.knowledge, pattern.predicate
        place = next(name for name in pattern.args if name != WILDCARD)
        kind = self.model.engine.type_of(place, belief.state)
        return {
            type_: knowledge.rate(belief.room, predicate, type_, place, kind)
            for type_ in self._found.get((predicate, kind), ())
        }

    def _rule(self, action: Action, prediction: Prediction) -> Rule | None:
        schema = self.model.ruleset.actions.get(action.name)
        names = prediction.because[:1]
        return next((rule for rule in schema.rules if rule.name in names), None) if schema else None

    @cached_property
    def _found(self) -> dict[tuple[str, str], list[str]]:
        """(predicate, place type) -> the types that were ever found there."""
        found: dict[tuple[str, str], list[str]] = {}
        for key in self.model.knowledge.found:
            if len(key) == 3:
                predicate, type_, place_type = key
                found.setdefault((predicate, place_type), []).append(type_)
        return found

    def _imagined(self, belief: Belief, pattern: Atom, state: State) -> tuple[dict[str, str], float]:
        """The things to be expected there, name -> type, and the chance that it is these types."""
        free = pattern.args.index(WILDCARD) if WILDCARD in pattern.args else 0
        there = {atom.args[free]: state.objects.get(atom.args[free], ANY) for atom in state.matching(pattern)}
        certainty = 1.0
        for type_, chance in sorted(self.contents(belief, pattern).items()):
            if type_ in there.values():
                continue
            certainty *= max(chance, 1 - chance)
            if chance > 0.5:
                there[fresh(type_, state.objects)] = type_
        return there, certainty


def numbered(objects: Mapping[str, str]) -> bool:
    """Whether things are named by their type and a number, so that a new one can be named."""
    return all(re.fullmatch(rf"{re.escape(type_)} \d+", name) for name, type_ in objects.items())


def fresh(type_: str, objects: Mapping[str, str]) -> str:
    """The name of a thing that nobody has met: the first number that is not taken."""
    number = 1
    while f"{type_} {number}" in objects:
        number += 1
    return f"{type_} {number}"


def _filled(pattern: Atom, name: str) -> Atom:
    return Atom(pattern.predicate, tuple([name if a == WILDCARD else a for a in pattern.args]))
