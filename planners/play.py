"""Plays an episode in an environment: plan, act, observe, update, and keep the record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import gymnasium

from planners.exploring import Explorer
from planners.mpc import Decision, Planner
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
    prediction failed or nothing was left of the last plan; explored: steps that an explorer chose."""

    episode: Episode
    success: bool
    replans: int
    expanded: int
    seconds: tuple[float, ...] = field(repr=False)
    explored: int = 0


def play(
    env: gymnasium.Env[str, str],
    planner: Planner,
    id: str,
    environment: str,
    watch: Callable[[Moment], None] | None = None,
    explorer: Explorer | None = None,
) -> Run:
    """Plays one episode, first attempt, to its end. The planner sees the text and nothing else.

    explorer: acts where the planner has no plan that it can trust. It is told what is admissible, if the
    environment says so.
    """
    planner.reset()
    model = planner.model
    observation, info = env.reset(seed=planner.config.seed)
    opening = observation
    belief = model.begin(opening)
    steps: list[Step] = []
    decisions: list[Decision] = []
    held, done, explored = True, False, 0
    if explorer is not None:
        explorer.begin(model, opening, f"{planner.config.seed} {id}")
    while not done:
        decision = planner.decide(belief, held)
        prediction = model.predict(belief, decision.action)
        if explorer is not None and explorer.steps_in(decision.action, prediction, decision.guess):
            action = explorer.act(model, belief, info.get("admissible_commands", ()))
            decision = replace(decision, action=action or decision.action)
            prediction = model.predict(belief, decision.action)
            explored += 1
        command = model.perception.command(decision.action)
        observation, reward, terminated, truncated, info = env.step(command)
        belief = model.update(belief, decision.action, observation)
        if explorer is not None:
            explorer.see(decision.action, command, observation)
        held = prediction.held(observation, model.refuses(decision.action, observation))
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
        explored,
    )
