"""A log of two episodes, small enough to judge every step by hand, and predictors that say as told."""

from __future__ import annotations

from collections.abc import Callable

from rules.logic import FALSE, TRUE, Action, Atom, State, Truth
from worldmodel.belief import Belief
from worldmodel.environments.alfworld.perception import AlfworldPerception
from worldmodel.model import Prediction
from worldmodel.trajectories import Episode, Step

PERCEPTION = AlfworldPerception()
REFUSAL = "Nothing happens."


def opening(*places: str) -> str:
    listed = ", ".join(f"a {place}" for place in places[:-1]) + f", and a {places[-1]}"
    return (
        f"You are in the middle of a room. Looking quickly around you, you see {listed}.\n\n"
        "Your task is to: put a clean mug in drawer."
    )


FIRST = Episode(
    "first",
    "alfworld",
    opening("desk 1", "drawer 1", "sinkbasin 1"),
    (
        Step("go to desk 1", "You arrive at desk 1. On the desk 1, you see a mug 1."),
        Step("take mug 1 from desk 1", "You pick up the mug 1 from the desk 1."),
        Step("dance", REFUSAL),
        Step("go to drawer 1", "You arrive at drawer 1. The drawer 1 is closed."),
        Step("go to desk 7", REFUSAL),
        Step("go to desk 1", "You arrive at desk 1. On the desk 1, you see nothing."),
        Step("go to sinkbasin 1", "You arrive at sinkbasin 1. On the sinkbasin 1, you see nothing."),
        Step("clean mug 1 with sinkbasin 1", "You clean the mug 1 using the sinkbasin 1."),
    ),
)
SECOND = Episode(
    "second",
    "alfworld",
    opening("drawer 1", "shelf 1"),
    (
        Step("go to drawer 1", "You arrive at drawer 1. The drawer 1 is closed."),
        Step("open drawer 1", "You open the drawer 1. The drawer 1 is open. In it, you see a pen 1."),
        Step("sing", "You hear a song."),
    ),
)
LOG = [FIRST, SECOND]


def says(
    outcome: Truth,
    chance: float,
    observation: str | None = None,
    true: tuple[Atom, ...] = (),
    false: tuple[Atom, ...] = (),
) -> Callable[[Belief], Prediction]:
    """A prediction that changes these facts, whatever the belief."""
    return lambda belief: Prediction(
        outcome, chance, observation, belief.state.updated(true, false) if true or false else belief.state, ()
    )


class Scripted:
    """Gives one prediction after the other, and keeps what it was asked."""

    name = "scripted"

    def __init__(self, *predictions: Callable[[Belief], Prediction]) -> None:
        self.predictions = list(predictions)
        self.asked: list[tuple[State, Action]] = []

    def predict(self, belief: Belief, action: Action) -> Prediction:
        self.asked.append((belief.state, action))
        return self.predictions[len(self.asked) - 1](belief)


SUCCESS, FAILURE = says(TRUE, 1.0), says(FALSE, 0.0)
