"""What a model must beat: two predictors that look at the action's name only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rules.logic import FALSE, TRUE, Action
from worldmodel.belief import Belief
from worldmodel.environments.base import Perception
from worldmodel.model import Prediction
from worldmodel.predictors.base import Transcript
from worldmodel.replay import transitions
from worldmodel.trajectories import Episode
from worldmodel.wording import lift, realize


class AlwaysSucceeds:
    """Every action succeeds; what the environment says, and what changes, it does not know."""

    name = "always succeeds"

    def predict(self, belief: Belief, action: Action) -> Prediction:
        """Success."""
        return Prediction(TRUE, 1.0, None, belief.state, (), self.name)


class MostFrequentAnswer:
    """The outcome that an action's name most often has, and the wording it most often has then.

    The wording is a template (`worldmodel.wording`): arguments, and lists that are known in full, are
    filled in, so that it is the strongest guess that looks at nothing else. With `episodes` it is fitted on
    them and stays as it is. Without, it is fitted online: on the steps it was shown before in the same
    run (`update`). An action it has never met is predicted to succeed. The name says which it is.
    """

    def __init__(self, perception: Perception, episodes: Iterable[Episode] | None = None) -> None:
        self.perception = perception
        self.online = episodes is None
        self.name = f"most frequent answer ({'online' if self.online else 'fitted'})"
        self._transcript = Transcript(perception)
        self._answers: dict[str, Counter[tuple[bool, str]]] = {}
        for episode in episodes or ():
            for step in transitions(episode, perception):
                self._count(step.action, step.succeeded, step.says)

    def _count(self, action: Action, succeeded: bool, template: str) -> None:
        self._answers.setdefault(action.name, Counter())[succeeded, template] += 1

    def predict(self, belief: Belief, action: Action) -> Prediction:
        """The most frequent outcome and wording; what changes it does not know."""
        answers = self._answers.get(action.name, Counter())
        successes = sum(count for (succeeded, _), count in answers.items() if succeeded)
        chance = successes / answers.total() if answers else 1.0
        likely = chance >= 0.5
        templates = {said: count for (succeeded, said), count in answers.items() if succeeded is likely}
        observation = None
        if templates:
            parameters = self.perception.domain.actions[action.name].parameters
            binding = {p.name: a for p, a in zip(parameters, action.args, strict=True)}
            template = max(templates, key=lambda said: (templates[said], said))
            observation = realize(template, binding, belief.state, self.perception)
        return Prediction(TRUE if likely else FALSE, chance, observation, belief.state, (), self.name)

    def begin(self, observation: str) -> Belief:
        """The transcript's belief."""
        return self._transcript.begin(observation)

    def update(self, belief: Belief, action: Action | None, observation: str) -> Belief:
        """The transcript's belief; fitted online, it takes the answer in."""
        if self.online and action is not None:
            percept = self.perception.perceive(action, observation)
            schema = self.perception.domain.actions[action.name]
            said = lift(observation, action, schema, percept, self.perception)
            self._count(action, not percept.refused, said)
        return self._transcript.update(belief, action, observation)
