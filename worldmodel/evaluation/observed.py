"""What a step showed, whoever predicted it: what of it was knowable, and what had changed.

Both are judged against the transcript alone: the facts that the words so far have asserted and denied
(a `Transcript`'s belief), never a predictor's belief and never an engine's hidden state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from rules.logic import FALSE, TRUE, UNKNOWN, WILDCARD, Action, Atom, State, Truth, generalisations
from worldmodel.environments.base import Percept, Perception
from worldmodel.trajectories import Episode


class Fact(NamedTuple):
    """An atom, or a pattern, and whether it is asserted or denied."""

    atom: Atom
    value: Truth


Constants = Mapping[str, frozenset[Atom]]
"""Action name -> the facts about its arguments, lifted, that its successes always assert.

``clean(?o)`` follows from the success of ``clean``; whether a place is open does not follow from going
there. Denials are left out: that what nobody knew to hold does not hold is no sign of an effect.
"""


def said(percept: Percept) -> Iterator[Fact]:
    """The facts of a percept, one by one."""
    for atom in percept.true:
        yield Fact(atom, TRUE)
    for pattern in percept.false:
        yield Fact(pattern, FALSE)


def _names(action: Action, perception: Perception) -> dict[str, str]:
    """The arguments of an action, and the parameters that they stand for."""
    parameters = perception.domain.actions[action.name].parameters
    return {a: p.name for p, a in reversed(list(zip(parameters, action.args, strict=True)))}


def constants(episodes: Iterable[Episode], perception: Perception) -> Constants:
    """What every success of an action in these episodes asserts."""
    always: dict[str, frozenset[Atom]] = {}
    for episode in episodes:
        for step in episode.steps:
            action = perception.action(step.action)
            percept = perception.perceive(action, step.observation)
            if action is not None and not percept.refused:
                names = _names(action, perception)
                own = [atom.substitute(names) for atom in percept.true if names.keys() >= set(atom.args)]
                always[action.name] = always.get(action.name, frozenset(own)).intersection(own)
    return always


@dataclass(frozen=True)
class Observed:
    """One step that is inside the grammar: the transcript before it, the action, what was then said."""

    before: State
    action: Action
    percept: Percept
    perception: Perception
    always: Constants

    @property
    def succeeded(self) -> bool:
        return not self.percept.refused

    @cached_property
    def after(self) -> State:
        """The transcript after the step."""
        return self.before.updated(self.percept.true, self.percept.false, self.percept.objects)

    @cached_property
    def knowable(self) -> bool:
        """Whether the words so far, and whether the action succeeds, settle what the observation says.

        A refusal is knowable. Anything else is knowable if every object it names was named before (or
        stands in the command), every list it gives was known in full before, and every other fact had a
        known value before or is one that all successes of the action assert (`Constants`). Not knowable are
        first-sight contents and first-sight properties: what only a look could tell. Where the
        environment then contradicts its own words, the step still counts as knowable.
        """
        if self.percept.refused:
            return True
        named = self.before.objects.keys() | set(self.action.args)
        return self.percept.objects.keys() <= named and all(map(self._settled, said(self.percept)))

    def _settled(self, fact: Fact) -> bool:
        if WILDCARD in fact.atom.args:
            return not self.before.false.isdisjoint(generalisations(fact.atom))
        return self.before.truth(fact.atom) is not UNKNOWN or self._constant(fact)

    def _constant(self, fact: Fact) -> bool:
        always = self.always.get(self.action.name)
        if not always or fact.value is FALSE:
            return False
        return fact.atom.substitute(_names(self.action, self.perception)) in always

    @cached_property
    def changes(self) -> frozenset[Fact]:
        """The facts whose value became another: the opposite of what was known, or, where nothing was
        known, what all successes of the action assert. What was merely seen for the first time is no change.
        """
        found = set()
        for fact in said(self.percept):
            if WILDCARD in fact.atom.args:
                ended = set(self.before.matching(fact.atom)) - self.percept.true
                found |= {Fact(atom, FALSE) for atom in ended}
            else:
                known = self.before.truth(fact.atom)
                if known is ~fact.value or (known is UNKNOWN and self._constant(fact)):
                    found.add(fact)
        return frozenset(found)

    def hits(self, predicted: State) -> int:
        """How many of the changes a predicted state holds."""
        return sum(predicted.truth(fact.atom) is fact.value for fact in self.changes)

    def false_alarms(self, believed: State, predicted: State) -> int:
        """How many facts a prediction changes that did not change so.

        Those that the transcript contradicts afterwards, be it by a sweeping denial; after a refusal,
        which changes nothing, all. Where the transcript is silent a prediction is neither right nor wrong.
        """
        if predicted is believed:
            return 0
        found = {Fact(atom, TRUE) for atom in predicted.true - believed.true}
        found |= {Fact(atom, FALSE) for atom in believed.true - predicted.true}
        if self.percept.refused:
            return len(found)
        return sum(self.after.truth(fact.atom) is ~fact.value for fact in found)
