"""Plays planned episodes, one after another or in several processes: the same episodes in the same order."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import active_children, get_context, resource_tracker
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from planners.mpc import PlanConfig, Planner
from planners.play import Moment, Run, play
from rules.errors import WorldModelError
from worldmodel.cli.models import load_model
from worldmodel.environments.registry import environment
from worldmodel.model import WorldModel
from worldmodel.trajectories import Episode

Watch = Callable[[str, Moment], None]
"""Told the game's id and each step of it."""


class Job(NamedTuple):
    """A game to play, read already."""

    id: str
    task_type: str
    game: Any


@dataclass(frozen=True, slots=True)
class Setup:
    """All that decides how a game is played. `run` names it in the episodes."""

    environment: str
    rules: Path
    engine: str
    max_steps: int
    config: PlanConfig
    run: str


class Player:
    """Plays games by one setup. Nothing is carried from game to game."""

    def __init__(self, setup: Setup, watch: Watch | None = None) -> None:
        self.setup, self.watch = setup, watch
        self.spec = environment(setup.environment)
        self.model = load_model(self.spec, setup.rules)

    def play(self, job: Job) -> Episode:
        """One game to its end; the episode says how it was planned. `WorldModelError` names the game."""
        try:
            return self._play(job)
        except WorldModelError as error:
            raise WorldModelError(f"game {job.id!r}: {error}") from error

    def _play(self, job: Job) -> Episode:
        perception = self.spec.perception(job.game)
        planner = Planner(WorldModel(self.model.ruleset, perception, self.model.knowledge), self.setup.config)
        env = self.spec.make(
            job.game, engine=self.setup.engine, max_steps=self.setup.max_steps, admissible=False
        )
        run = play(env, planner, job.id, self.spec.name, self._watcher(job))
        env.close()
        return self._record(run, job)

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
        return msgspec.structs.replace(run.episode, metadata=metadata)


def play_all(
    setup: Setup, jobs: Sequence[Job], workers: int = 1, watch: Watch | None = None
) -> Generator[Episode, None, None]:
    """The episodes of the games, in their order. `watch` needs a single worker: this process.

    Raises what loading the rules or playing raises, and `WorldModelError` where a game's process died twice.
    """
    player = Player(setup, watch)  # in any case, so that bad rules are found here and not in every process
    if workers == 1:
        for job in jobs:
            yield player.play(job)
    elif jobs:
        yield from _Workers(setup).play(jobs, min(workers, len(jobs)))


class _Workers:
    """One thread a worker, each with a process of its own; so a death is known to be of one game."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.own = threading.local()
        self.stopped = threading.Event()

    def play(self, jobs: Sequence[Job], workers: int) -> Iterator[Episode]:
        others = set(active_children())
        # A process inherits the mask of the thread that starts it: Ctrl-C is for this process alone.
        threads = ThreadPoolExecutor(workers, initializer=_block_interrupts)
        try:
            yield from threads.map(self._play, jobs)
        finally:
            self.stopped.set()
            for child in set(active_children()) - others:
                child.terminate()
            threads.shutdown(cancel_futures=True)

    def _play(self, job: Job) -> Episode:
        for _ in range(2):
            try:
                return self._process().submit(_play, job).result()
            except BrokenProcessPool:
                self.own.process = None
                if self.stopped.is_set():
                    raise CancelledError from None
        raise WorldModelError(
            f"game {job.id!r}: the process that played it died twice; out of memory? try fewer workers"
        )

    def _process(self) -> ProcessPoolExecutor:
        process: ProcessPoolExecutor | None = getattr(self.own, "process", None)
        if process is None:
            process = ProcessPoolExecutor(1, get_context("spawn"), _begin, (self.setup,))
            self.own.process = process
        return process


def _block_interrupts() -> None:
    """In this thread, and so in the processes that it starts."""
    resource_tracker.ensure_running()  # its own start would unblock them again
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


_player: Player
"""In a worker's process: what plays there."""


def _begin(setup: Setup) -> None:
    global _player
    _player = Player(setup)


def _play(job: Job) -> Episode:
    return _player.play(job)
