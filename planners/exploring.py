"""What to do where the planner has no plan: what may serve the goal, else what is new."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from planners.mpc import Planner
from rules.logic import TRUE, Action, Atom, Literal
from worldmodel.belief import Belief
from worldmodel.curiosity import CuriousPolicy
from worldmodel.model import Prediction, WorldModel

TRUST = 0.5
"""A step that is less likely to work is no plan."""
OFTEN = 3
"""A step that was taken so often in an episode leads nowhere."""


class Explorer:
    """Acts in the planner's place. It is told what is admissible, if the environment says so.

    `begin` starts the next episode; what it has tried it remembers over all of them. cautious: plans with
    what has worked (`worldmodel.caution`), before curiosity decides.
    """

    def __init__(self) -> None:
        self.policy = CuriousPolicy()
        self.cautious: Planner | None = None

    def begin(self, model: WorldModel, opening: str, seed: str) -> None:
        """An episode starts with this text."""
        if self.cautious is not None:
            self.cautious.reset()
        self._model = model
        self._taken: Counter[Action] = Counter()
        self._tried: Counter[str] = Counter()
        self._worked: Counter[str] = Counter()
        self.policy.begin(model.perception, opening, random.Random(seed))

    def steps_in(self, action: Action, prediction: Prediction, guess: bool) -> bool:
        """Whether to act instead: there is no plan, or none that can be trusted after how such actions
        have fared in this episode."""
        fared = (self._worked[action.name] + 1) / (self._tried[action.name] + 1)
        return guess or prediction.chance * fared < TRUST or self._taken[action] >= OFTEN

    def act(self, model: WorldModel, belief: Belief, admissible: Sequence[str]) -> Action | None:
        """Another action, None where there is none."""
        options = [a for a in map(model.perception.action, admissible) if a is not None]
        serving = [a for a in options if not self._taken[a] and _serves(model, belief, a)]
        if serving:
            return min(serving)
        if self.cautious is not None:
            found = self.cautious.decide(belief, held=False)
            if not found.guess and self._taken[found.action] < OFTEN:
                return found.action
        return model.perception.action(self.policy.act(admissible))

    def see(self, action: Action | None, command: str, observation: str) -> None:
        """What a command was answered with, whoever gave it."""
        self.policy.see(command, observation)
        if action is not None:
            self._taken[action] += 1
            self._tried[action.name] += 1
            self._worked[action.name] += not self._model.refuses(action, observation)


def _serves(model: WorldModel, belief: Belief, action: Action) -> bool:
    """Whether some rule of an action, whatever its condition, brings about a literal of the goal that is all
    that is missing of what the goal wants of these things: a mug is heated before it is put away."""
    return any(
        belief.state.truth(fact) is not TRUE and _completes(model, belief, goal, fact)
        for fact in _effects(model, action)
        for goal in belief.goal.condition
        if goal.positive
    )


def _effects(model: WorldModel, action: Action) -> Iterator[Atom]:
    if action.name in model.ruleset.actions:
        binding = model.engine.binding(action)
        for rule in model.ruleset.actions[action.name].rules:
            yield from (atom.substitute(binding) for atom in rule.adds)


def _completes(model: WorldModel, belief: Belief, goal: Literal, fact: Atom) -> bool:
    """Whether a fact is an instance of a goal's literal, and the others about the same things hold."""
    if goal.atom.predicate != fact.predicate:
        return False
    types = {p.name: p.type for p in belief.goal.parameters}
    binding = dict(zip(goal.atom.args, fact.args, strict=True))
    for term, name in binding.items():
        own = model.engine.type_of(name, belief.state)
        if term != name and not (term in types and model.ruleset.is_a(own, types[term])):
            return False
    others = [x.substitute(binding) for x in belief.goal.condition if x != goal]
    about = [x for x in others if not any(a.startswith("?") for a in x.atom.args)]
    return all(model.engine.literal(x, belief.state, {}) is TRUE for x in about)
