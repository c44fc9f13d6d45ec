"""Learning from episodes one at a time: what was mispredicted revises the rules before the next.

Every step is counted, as in learning from logs; only where something came out otherwise than the model
said are the rules induced anew, from all that was counted. What is learned depends on the start and on the
episodes in their order, so that a run which was interrupted learns the same from its log again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from rules.errors import WorldModelError
from rules.induction import Statistics, induce, storage
from rules.induction.pruning import prune
from rules.ruleset import Evidence, Rule, RuleSet
from worldmodel.caution import cautious
from worldmodel.environments.base import Perception
from worldmodel.knowledge import Knowledge
from worldmodel.learning import observe
from worldmodel.model import WorldModel
from worldmodel.replay import transitions
from worldmodel.storage import save
from worldmodel.trajectories import Episode

REMEMBERED = 400
"""So many episodes are looked at again where new rules see more in them; older ones only count."""


class Lesson(NamedTuple):
    """What an episode taught: steps that came out otherwise than predicted, and whether rules changed."""

    mispredicted: int
    revised: bool


class Student:
    """A world model that learns. Starts from nothing, or from a model and the statistics behind it."""

    def __init__(
        self, perception: Perception, statistics: Statistics | None = None, model: WorldModel | None = None
    ) -> None:
        self.perception = perception
        self.statistics = Statistics(perception.domain) if statistics is None else statistics
        self.model = model or WorldModel(perception.domain, perception)
        self._before = self.model.knowledge + Knowledge()
        self._episodes: list[Episode] = []
        self._cautious: RuleSet | None = None

    def cautious(self) -> WorldModel:
        """What has worked so far, for plans where the model has none that can be trusted."""
        if self._cautious is None:
            self._cautious = cautious(self.statistics)
        return WorldModel(self._cautious, self.perception, self.model.knowledge)

    def take(self, episode: Episode) -> Lesson:
        """Learns from an episode."""
        mispredicted = sum(mispredictions(self.model, episode))
        self.statistics.update(transitions(episode, self.perception))
        self._episodes.append(episode)
        revised = bool(mispredicted) and self._revise()
        if not revised:
            observe(self.model, episode)
        if len(self._episodes) > REMEMBERED:
            self._forget()
        return Lesson(mispredicted, revised)

    def _revise(self) -> bool:
        """Induces the rules anew; whether they say something else, and all was looked at again."""
        ruleset = induce(self.statistics)
        changed = shapes(ruleset) != shapes(self.model.ruleset)
        knowledge = self._before + Knowledge() if changed else self.model.knowledge
        self.model, self._cautious = WorldModel(ruleset, self.perception, knowledge), None
        for episode in self._episodes if changed else ():
            observe(self.model, episode)
        return changed

    def _forget(self) -> None:
        """Lets go of the oldest episode, but keeps what it showed."""
        alone = WorldModel(self.model.ruleset, self.perception, Knowledge())
        observe(alone, self._episodes.pop(0))
        self._before = self._before + alone.knowledge

    def learned(self) -> WorldModel:
        """The model with rules from all that was counted, without what the rest of them entails."""
        return WorldModel(prune(induce(self.statistics)), self.perception, self.model.knowledge)


def mispredictions(model: WorldModel, episode: Episode) -> Iterator[bool]:
    """For each step that is an action, whether it came out otherwise than the model predicts."""
    belief = model.begin(episode.observation)
    for step in episode.steps:
        action = model.perception.action(step.action)
        if action is not None:
            refused = model.refuses(action, step.observation)
            yield not model.predict(belief, action).held(step.observation, refused)
        belief = model.update(belief, action, step.observation)


def shapes(ruleset: RuleSet) -> dict[str, list[Rule]]:
    """The rules by action, without how often each was borne out."""
    return {
        name: [replace(rule, evidence=Evidence()) for rule in schema.rules]
        for name, schema in ruleset.actions.items()
    }


def statistics_path(rules: Path) -> Path:
    """Where the statistics lie that the rules in a file were induced from."""
    return rules.with_suffix(".stats.gz")


def begin_from(model: WorldModel, rules: Path) -> Student:
    """Goes on from the rules in a file. `WorldModelError` where there are no statistics beside them."""
    beside = statistics_path(rules)
    if not beside.exists():
        raise WorldModelError(
            f"{rules}: learning goes on from the statistics behind the rules, and there is no {beside.name}"
            f" beside them; make it with `worldmodel induce LOGS -o {rules.name} --statistics {beside.name}`"
        )
    return Student(model.perception, storage.load(beside, model.perception.domain), model)


def save_student(student: Student, rules: Path) -> None:
    """Writes rules, knowledge and statistics; `begin_from` goes on from them."""
    save(student.learned(), rules)
    storage.save(student.statistics, statistics_path(rules))
