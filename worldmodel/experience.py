"""What an explorer remembers of its own tries: counts over lifted situations, and no names.

A *feature* of an action in a state is one literal over its arguments and its truth, such as
``holding(?o)`` being false (the vocabulary of `rules.induction`), or the type of one argument. The
*lift* of a feature is its rate of success over the action's: 1 where it does not matter, near 0
where it was tried and never worked. If preconditions are conjunctions, the weakest feature tells.
"""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import NamedTuple

from rules.induction.candidates import candidates
from rules.logic import Action, Atom, State
from rules.ruleset import ANY, RuleSet
from worldmodel.environments.base import Percept

Feature = tuple[str, int, str]
Memo = dict[tuple[str, int, tuple[str, ...]], str]
OBSTACLE = 0.5
"""A feature of a smaller lift is taken for the reason of a failure."""


class Situation(NamedTuple):
    """An action in a state, without names: literals over its arguments, and its arguments' types."""

    schema: str
    literals: tuple[Feature, ...]
    types: tuple[Feature, ...]


class Experience:
    """Counts over a whole run."""

    def __init__(self, domain: RuleSet) -> None:
        self.tried: Counter[Feature] = Counter()
        self.worked: Counter[Feature] = Counter()
        self.missed: Counter[Feature] = Counter()
        self.typed: Counter[tuple[Feature, ...]] = Counter()
        self.tries: Counter[str] = Counter()
        self.successes: Counter[str] = Counter()
        self.news: Counter[tuple[str, int]] = Counter()
        self.times: Counter[tuple[str, int]] = Counter()
        self.asserted: dict[str, Counter[tuple[Atom, bool]]] = {name: Counter() for name in domain.actions}
        self._parameters = {name: tuple(p.name for p in s.parameters) for name, s in domain.actions.items()}
        self._candidates = {
            name: [
                (i, c, tuple(j for j, p in enumerate(s.parameters) if any(p.name in a.args for a in c.atoms)))
                for i, c in enumerate(candidates(domain, s))
            ]
            for name, s in domain.actions.items()
        }

    def situation(self, state: State, action: Action, memo: Memo) -> Situation:
        """The action seen through the vocabulary. `memo` keeps what was found of this state."""
        name, args = action
        literals = []
        binding = None
        for index, candidate, places in self._candidates[name]:
            key = name, index, tuple([args[i] for i in places])
            value = memo.get(key)
            if value is None:
                binding = binding or dict(zip(self._parameters[name], args, strict=True))
                value = memo[key] = candidate.truth(state, binding).value
            literals.append((name, index, value))
        types = [(name, -1 - place, state.objects.get(a, ANY)) for place, a in enumerate(args)]
        return Situation(name, tuple(literals), tuple(types))

    def note(self, situation: Situation, action: Action, percept: Percept, news: int, before: int) -> None:
        """Counts one try. `news`: how much it told; `before`: how often it was done in this episode."""
        name = situation.schema
        (weakest, feature), (second, _) = self._weakest(situation)
        if weakest < OBSTACLE <= second:
            self.missed[feature] += 1
        if min((self._lift(f) for f in situation.literals), default=1.0) >= OBSTACLE:
            self.typed[situation.types] += 1
        self.times[name, min(before, 2)] += 1
        self.news[name, min(before, 2)] += news
        self.tries[name] += 1
        self.tried.update((*situation.literals, *situation.types))
        if not percept.refused:
            self.successes[name] += 1
            self.worked.update((*situation.literals, *situation.types))
            names = dict(zip(action.args, self._parameters[name], strict=True))
            for atoms, positive in ((percept.true, True), (percept.false, False)):
                self.asserted[name].update([(atom.substitute(names), positive) for atom in atoms])

    def _lift(self, feature: Feature) -> float:
        name = feature[0]
        base = (self.successes[name] + 1) / (self.tries[name] + 1)
        return (self.worked[feature] + 1) / (self.tried[feature] * base + 1)

    def _weakest(self, situation: Situation) -> tuple[tuple[float, Feature], tuple[float, Feature]]:
        lifts = [(self._lift(f), f) for f in (*situation.literals, *situation.types)]
        none = (1.0, (situation.schema, 0, ""))
        first, second = sorted([*lifts, none, none])[:2]
        return first, second

    def novelty(self, situation: Situation) -> float:
        """How little is known of what would come of it, from 0 to 1.

        Where nothing speaks against it, what counts is how often its types were tried. Where one thing
        does, how often that alone was put to the test. Where more do, a failure would not say why.
        """
        (weakest, feature), (second, _) = self._weakest(situation)
        trial = min(1.0, weakest) / sqrt(1 + self.typed[situation.types])
        test = min(1.0, second) / (1 + self.missed[feature]) if weakest < OBSTACLE else 0.0
        return max(trial, test)

    def chance(self, situation: Situation) -> float:
        """The lift of the weakest feature, at most 1."""
        return min(1.0, self._weakest(situation)[0][0])

    def expected_news(self, schema: str, before: int) -> float:
        """How much the action told, on average, when it was done for the first, second, third time."""
        key = schema, min(before, 2)
        return (self.news[key] + 1) / (self.times[key] + 1)

    def imagined(self, state: State, action: Action) -> State:
        """The state after the action, if it says what it mostly said when it worked."""
        binding = dict(zip(self._parameters[action.name], action.args, strict=True))
        atoms: dict[bool, list[Atom]] = {True: [], False: []}
        for (atom, positive), count in self.asserted[action.name].items():
            if 2 * count > self.successes[action.name]:
                atoms[positive].append(atom.substitute(binding))
        return state.updated(atoms[True], atoms[False])
