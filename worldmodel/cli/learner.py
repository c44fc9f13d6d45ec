"""Plays planned episodes and learns from each: what is learned in one game helps in the next."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from random import Random

import msgspec

from planners.exploring import Explorer
from planners.play import Run
from worldmodel.cli.episodes import Job, Player, Setup, Watch
from worldmodel.revising import Lesson, Student, begin_from, save_student
from worldmodel.trajectories import Episode


class Learner(Player):
    """A player whose model is revised between games; where it has no plan, it explores.

    before: episodes of the same run, from which it learns again what it had learned. Raises
    `WorldModelError` where there is nothing to go on from beside the rules.
    """

    def __init__(self, setup: Setup, watch: Watch | None = None, before: Iterable[Episode] = ()) -> None:
        super().__init__(setup, watch)
        perception = self.model.perception
        self.student = Student(perception) if setup.rules is None else begin_from(self.model, setup.rules)
        self.explorer: Explorer = Explorer()
        for episode in before:
            self._recall(episode)

    def play_all(self, jobs: Sequence[Job]) -> Generator[Episode, None, None]:
        """Plays the games, one after another."""
        for job in jobs:
            yield self.play(job)

    def _play(self, job: Job) -> Episode:
        self.explorer.cautious = self._planner(self.student.cautious(), job)
        return super()._play(job)

    def _record(self, run: Run, job: Job) -> Episode:
        episode = super()._record(run, job)
        lesson = self._take(episode)
        learned = {
            "explored": str(run.explored),
            "mispredicted": str(lesson.mispredicted),
            "revised": "yes" if lesson.revised else "no",
        }
        return msgspec.structs.replace(episode, metadata={**episode.metadata, **learned})

    def _take(self, episode: Episode) -> Lesson:
        lesson = self.student.take(episode)
        self.model = self.student.model
        return lesson

    def _recall(self, episode: Episode) -> None:
        """Learns from an episode by reading it."""
        policy, perception = self.explorer.policy, self.model.perception
        policy.begin(perception, episode.observation, Random())
        for step in episode.steps:
            policy.see(step.action, step.observation)
        self._take(episode)

    def save(self, path: Path) -> None:
        """Writes what was learned: rules, and beside them knowledge and statistics."""
        save_student(self.student, path)


def learned_path(log: Path) -> Path:
    """Where what is learned lies, beside the log: ``e.rules`` for ``e.jsonl.gz``."""
    return log.with_name(log.name.removesuffix(".gz").removesuffix(".jsonl") + ".rules")
