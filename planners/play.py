"""Plays an episode in an environment: plan, act, observe, update, and keep the record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import gymnasium

from planners.mpc import Decision, Planner
from rules.logic import TRUE
from worldmodel.belief import Belief
from worldmodel.model import Prediction
from worldmodel.trajectories import Episode, Step


class Moment(NamedTuple):
    """One step as it happened: for whoever watches."""

    number: int
    command: str
    decision: Decision
    prediction: Prediction
    observation: str
    held: bool
    belief: Belief


@dataclass(frozen=True, slots=True)
class Run:
    """An episode and how it was planned. seconds: of each decision; replans: plans made because a
    prediction failed or nothing was left of the last plan."""

    episode: Episode
    success: bool
    replans: int
    expanded: int
    seconds: tuple[float, ...] = field(repr=False)


def play(
    env: gymnasium.Env[str, str],
    planner: Planner,
    id: str,
    environment: str,
    watch: Callable[[Moment], None] | None = None,
) -> Run:
    """Plays one episode, first attempt, to its end. The planner sees the text and nothing else."""
    planner.reset()
    model = planner.model
    observation, _ = env.reset(seed=planner.config.seed)
    opening = observation
    belief = model.begin(opening)
    steps: list[Step] = []
    decisions: list[Decision] = []
    held, done, info = True, False, dict[str, Any]()
    while not done:
        decision = planner.decide(belief, held)
        prediction = model.predict(belief, decision.action)
        command = model.perception.command(decision.action)
        observation, reward, terminated, truncated, info = env.step(command)
        belief = model.update(belief, decision.action, observation)
        held = _held(prediction, observation, model.refuses(decision.action, observation))
        steps.append(Step(command, observation, float(reward)))
        decisions.append(decision)
        if watch is not None:
            watch(Moment(len(steps), command, decision, prediction, observation, held, belief))
        done = terminated or truncated
    success = bool(info.get("won", terminated and steps[-1].reward > 0))
    return Run(
        Episode(id, environment, opening, tuple(steps), success, policy="mpc", seed=planner.config.seed),
        success,
        sum(d.planned for d in decisions),
        sum(d.expanded for d in decisions),
        tuple(d.seconds for d in decisions),
    )


def _held(prediction: Prediction, observation: str, refused: bool) -> bool:
    """Whether a prediction came true: word for word, or where it could not be worded in its outcome."""
    if prediction.observation is not None:
        return prediction.observation == observation
    return (prediction.outcome is TRUE) is not refused
