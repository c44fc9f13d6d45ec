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

TRUST = 0.2
"""A step that is less likely to work is no plan."""
HOPE = 1
"""So often a step that is merely hoped for is taken in an episode."""
OFTEN = 3
"""A step that was taken so often in an episode leads nowhere."""


class Explorer:
    """Acts in the planner's place. It is told what is admissible, if the environment says so.

    `begin` starts the next episode; what it has tried it remembers over all of them. hope: a planner
    with rules as they may be (`worldmodel.optimism`), whose steps are tried before those of curiosity.
    """

    def __init__(self) -> None:
        self.policy = CuriousPolicy()
        self.hope: Planner | None = None

    def begin(self, model: WorldModel, opening: str, seed: str) -> None:
        """An episode starts with this text."""
        if self.hope is not None:
            self.hope.reset()
        self._taken: Counter[Action] = Counter()
        self.policy.begin(model.perception, opening, random.Random(seed))

    def steps_in(self, action: Action, prediction: Prediction, guess: bool) -> bool:
        """Whether to act instead: there is no plan, or none that can be trusted."""
        return guess or prediction.chance < TRUST or self._taken[action] >= OFTEN

    def act(self, model: WorldModel, belief: Belief, admissible: Sequence[str]) -> Action | None:
        """Another action, None where there is none."""
        options = [a for a in map(model.perception.action, admissible) if a is not None]
        serving = [a for a in options if not self._taken[a] and _serves(model, belief, a)]
        if serving:
            return min(serving)
        if self.hope is not None:
            hoped = self.hope.decide(belief, held=False)
            if not hoped.guess and self._taken[hoped.action] < HOPE:
                return hoped.action
        return model.perception.action(self.policy.act(admissible))

    def see(self, action: Action | None, command: str, observation: str) -> None:
        """What a command was answered with, whoever gave it."""
        self.policy.see(command, observation)
        if action is not None:
            self._taken[action] += 1


def _serves(model: WorldModel, belief: Belief, action: Action) -> bool:
    """Whether some rule of an action, whatever its condition, brings about a literal of the goal."""
    goals = [literal for literal in belief.goal.condition if literal.positive]
    return any(
        belief.state.truth(fact) is not TRUE and any(_fits(model, belief, goal, fact) for goal in goals)
        for fact in _effects(model, action)
    )


def _effects(model: WorldModel, action: Action) -> Iterator[Atom]:
    if action.name in model.ruleset.actions:
        binding = model.engine.binding(action)
        for rule in model.ruleset.actions[action.name].rules:
            yield from (atom.substitute(binding) for atom in rule.adds)


def _fits(model: WorldModel, belief: Belief, goal: Literal, fact: Atom) -> bool:
    """Whether a fact is an instance of a goal's literal."""
    if goal.atom.predicate != fact.predicate:
        return False
    types = {p.name: p.type for p in belief.goal.parameters}
    return all(
        model.ruleset.is_a(model.engine.type_of(name, belief.state), types[term])
        if term in types
        else term == name
        for term, name in zip(goal.atom.args, fact.args, strict=True)
    )
