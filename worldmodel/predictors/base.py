"""What every predictor offers, and the belief of a reader who has no model."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol, runtime_checkable

from rules.logic import Action, State
from worldmodel.belief import Belief, with_companions
from worldmodel.environments.base import Goal, Perception, UnknownGoal
from worldmodel.model import Prediction


class Predictor(Protocol):
    """Anything that says what an action will do. `name` tells it from others in a table."""

    name: str

    def predict(self, belief: Belief, action: Action) -> Prediction:
        """What is expected of an action; outcome UNKNOWN where it cannot say."""
        ...


@runtime_checkable
class Tracker(Protocol):
    """Anything that keeps a belief through an episode, by its texts alone.

    A predictor that is one is asked with its own beliefs, one whose `tracker` is one with that one's, any
    other with those of a `Transcript`.
    """

    def begin(self, observation: str) -> Belief:
        """The belief after the opening text."""
        ...

    def update(self, belief: Belief, action: Action | None, observation: str) -> Belief:
        """The belief after an observation; the action is None for a command outside the grammar."""
        ...


def tracker_of(predictor: Predictor, transcript: Transcript) -> Tracker:
    """Whose beliefs a predictor is asked with."""
    for own in (predictor, getattr(predictor, "tracker", None)):
        if isinstance(own, Tracker):
            return own
    return transcript


class Transcript:
    """The belief of a reader without a model: what was said holds until something else is said."""

    def __init__(self, perception: Perception) -> None:
        self.perception = perception

    def begin(self, observation: str) -> Belief:
        """The belief after the opening text, whether or not it names a goal."""
        try:
            goal = self.perception.goal(observation)
        except UnknownGoal:
            goal = Goal("")
        percept = self.perception.perceive(None, observation)
        return Belief(State(dict(percept.objects), percept.true, percept.false), goal)

    def update(self, belief: Belief, action: Action | None, observation: str) -> Belief:
        """The belief with what an observation says."""
        percept = self.perception.perceive(action, observation)
        true = with_companions(percept.true, belief.companions) if belief.companions else percept.true
        state = belief.state.updated(true, percept.false, percept.objects)
        return replace(belief, state=state, steps=belief.steps + 1)
