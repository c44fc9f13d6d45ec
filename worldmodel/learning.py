"""Logs in, world model out: the rules, and then the knowledge that the rules make visible."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rules.induction import Statistics, induce
from rules.induction.pruning import prune
from worldmodel.belief import Belief
from worldmodel.environments.base import Perception
from worldmodel.model import WorldModel
from worldmodel.replay import transitions
from worldmodel.trajectories import Episode


def learn(episodes: Iterable[Episode], perception: Perception) -> WorldModel:
    """A world model from logs. The episodes are read twice: give a list, or a stream that can restart."""
    statistics = Statistics(perception.domain)
    for episode in episodes:
        statistics.update(transitions(episode, perception))
    model = WorldModel(prune(induce(statistics)), perception)
    for episode in episodes:
        observe(model, episode)
    return model


def observe(model: WorldModel, episode: Episode) -> None:
    """Adds to the model's knowledge what an episode showed: contents, properties, places that are one.

    Each episode tells of companions by itself, so that the counts do not depend on the order of the log.
    """
    belief = replace(model.begin(episode.observation), companions=frozenset())
    for step in episode.steps:
        action = model.perception.action(step.action)
        after = model.update(belief, action, step.observation)
        caused = set()
        if action is not None and action.name in model.ruleset.actions:
            binding = model.engine.binding(action)
            for rule in model.ruleset.actions[action.name].rules:
                caused |= {atom.substitute(binding) for atom in (*rule.adds, *rule.deletes)}
        model.knowledge.note(belief.room, belief.state, after.state, caused)
        _note_places(model, belief, after)
        belief = after


def _note_places(model: WorldModel, before: Belief, after: Belief) -> None:
    """Counts pairs of places newly found to be one, and pairs that a move has shown to be two."""
    for predicate, a, b in after.companions - before.companions:
        model.knowledge.note_pair(before.room, predicate, a, b, together=True)
    for predicate in model.exclusive:
        left = {atom.args[0] for atom in before.state.atoms(predicate)}
        reached = {atom.args[0] for atom in after.state.atoms(predicate)}
        if left and reached and not left & reached:
            for a in left:
                for b in reached:
                    model.knowledge.note_pair(before.room, predicate, a, b, together=False)
