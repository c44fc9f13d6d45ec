"""Episodes to transitions: the log is read as the agent lived it, by text alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rules.induction import Transition
from rules.logic import Action, State
from worldmodel.environments.base import Percept, Perception
from worldmodel.trajectories import Episode
from worldmodel.wording import lift


def opening(episode: Episode, perception: Perception) -> State:
    """What is known after the opening observation."""
    percept = perception.perceive(None, episode.observation)
    return State(dict(percept.objects), percept.true, percept.false)


def transitions(episode: Episode, perception: Perception) -> Iterator[Transition]:
    """The transitions of an episode; a command outside the grammar is a step, and no transition."""
    state = opening(episode, perception)
    for step in episode.steps:
        action = perception.action(step.action)
        percept = perception.perceive(action, step.observation)
        if action is None:
            state = state.updated(percept.true, percept.false, percept.objects)
            continue
        found = transition(state, action, step.observation, percept, perception)
        yield found
        state = found.after


def transition(
    state: State, action: Action, observation: str, percept: Percept, perception: Perception
) -> Transition:
    """One step: what was known, what was done, and what the observation said."""
    schema = perception.domain.actions[action.name]
    return Transition(
        before=state,
        action=action,
        true=percept.true,
        false=percept.false,
        succeeded=not percept.refused,
        says=lift(observation, action, schema, percept, perception),
        objects=percept.objects,
    )


def all_transitions(episodes: Iterable[Episode], perception: Perception) -> Iterator[Transition]:
    """The transitions of many episodes."""
    for episode in episodes:
        yield from transitions(episode, perception)
