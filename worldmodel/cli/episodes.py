"""Plays planned episodes, one after another, in several processes or through Ray: always the same."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import msgspec

from planners.exploring import Explorer
from planners.mpc import PlanConfig, Planner
from planners.play import Moment, Run, play
from planners.search.llm import SYMBOLIC, Advice, Advised
from rules.errors import WorldModelError
from worldmodel.cli import advising
from worldmodel.cli.models import load_model
from worldmodel.environments.registry import environment
from worldmodel.language_models import Cache, load
from worldmodel.model import WorldModel
from worldmodel.parallel import Workers
from worldmodel.trajectories import Episode

Cluster = Callable[[Any, Sequence["Job"]], Iterable[Episode]]
"""Does jobs elsewhere; their results come in the order of the jobs."""
Watch = Callable[[str, Moment], None]
"""Told the game's id and each step of it."""


class Job(NamedTuple):
    """A game to play, read already."""

    id: str
    task_type: str
    game: Any


@dataclass(frozen=True, slots=True)
class Setup:
    """All that decides how a game is played. `run` names it in the episodes. rules: None for none at all.
    advice: of a language model, None for none."""

    environment: str
    rules: Path | None
    engine: str
    max_steps: int
    config: PlanConfig
    run: str
    advice: Advice | None = None


class Player:
    """Plays games by one setup. Nothing is carried from game to game."""

    def __init__(self, setup: Setup, watch: Watch | None = None) -> None:
        self.setup, self.watch = setup, watch
        self.spec = environment(setup.environment)
        self.model = self._first_model()
        self.explorer: Explorer | None = None
        self._language = None if setup.advice is None else load(setup.advice.model)
        self._advised: Advised | None = None

    def _first_model(self) -> WorldModel:
        perception = self.spec.perception(None)
        if self.setup.rules is None:
            return WorldModel(perception.domain, perception)
        return load_model(self.spec, self.setup.rules, perception)

    def play(self, job: Job) -> Episode:
        """One game to its end; the episode says how it was planned. `WorldModelError` names the game."""
        try:
            return self._play(job)
        except WorldModelError as error:
            raise WorldModelError(f"game {job.id!r}: {error}") from error

    def _play(self, job: Job) -> Episode:
        env = self._make(job)
        planner = self._planner(self.model, job)
        run = play(env, planner, job.id, self.spec.name, self._watcher(job), self.explorer)
        env.close()
        return self._record(run, job)

    def _make(self, job: Job) -> gymnasium.Env[str, str]:
        return self.spec.make(
            job.game,
            engine=self.setup.engine,
            max_steps=self.setup.max_steps,
            admissible=self.explorer is not None,
        )

    def _planner(self, model: WorldModel, job: Job) -> Planner:
        """A planner that speaks the game's wording."""
        it = WorldModel(model.ruleset, self.spec.perception(job.game), model.knowledge)
        if self._language is not None:
            self._advised = Advised(self._language, self.setup.advice, cache=Cache())
        return Planner(it, self.setup.config, self._advised)

    def _unadvised(self, job: Job) -> dict[str, float]:
        """How the symbolic search plays the same game alone: what advice is measured by."""
        it = WorldModel(self.model.ruleset, self.spec.perception(job.game), self.model.knowledge)
        env = self._make(job)
        run = play(env, Planner(it, self.setup.config, SYMBOLIC), job.id, self.spec.name)
        env.close()
        return {"alone_won": run.success, "alone_steps": len(run.episode.steps)}

    def _watcher(self, job: Job) -> Callable[[Moment], None] | None:
        watch = self.watch
        return None if watch is None else lambda moment: watch(job.id, moment)

    def _record(self, run: Run, job: Job) -> Episode:
        metadata = {
            "task_type": job.task_type,
            "replans": str(run.replans),
            "expanded": str(run.expanded),
            "decision_ms": " ".join(f"{1000 * seconds:.2f}" for seconds in run.seconds),
            "run": self.setup.run,
        }
        if self._advised is not None:
            metadata |= advising.noted(self._advised.report())
            if self.explorer is None:
                metadata |= advising.noted(self._unadvised(job))
        return msgspec.structs.replace(run.episode, metadata=metadata)


def play_all(
    setup: Setup,
    jobs: Sequence[Job],
    workers: int = 1,
    watch: Watch | None = None,
    cluster: Cluster | None = None,
) -> Generator[Episode, None, None]:
    """The episodes of the games, in their order. `watch` needs a single worker: this process.

    cluster: where they are played instead. Raises what loading the rules or playing raises, and
    `WorldModelError` where a game's process died twice.
    """
    player = Player(setup, watch)  # in any case, so that bad rules are found here and not in every process
    if cluster is not None:
        yield from cluster(partial(_player, setup), jobs)
    elif workers == 1:
        for job in jobs:
            yield player.play(job)
    elif jobs:
        begin = partial(_player, setup)
        spread = Workers(begin, min(workers, len(jobs)), lambda job: f"game {job.id!r}", ahead=len(jobs))
        yield from spread.map(jobs)


def _player(setup: Setup) -> Callable[[Job], Episode]:
    """In a worker's process: what plays there."""
    return Player(setup).play
