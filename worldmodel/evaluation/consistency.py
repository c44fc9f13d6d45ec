"""The consistency ratio: whether what an agent achieves in the model it also achieves in the environment.

As in Word2World, an agent plays in the model, and its commands are replayed, as they are, in the real
environment. Success there over the success of the same agent in the environment itself is the ratio: 1 for
a model as good to act in as the world, less where what succeeds in the model is of no use outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import gymnasium
import numpy as np

from rules.errors import WorldModelError
from worldmodel.evaluation.metrics import interval, ratio

TextEnv = gymnasium.Env[str, str]
Agent = Callable[[TextEnv], Sequence[str]]
"""Plays an episode from its reset to its end; gives the commands that it took."""


class Trial(NamedTuple):
    """A game with its two environments, made afresh at each call."""

    id: str
    real: Callable[[], TextEnv]
    model: Callable[[], TextEnv]


class Result(NamedTuple):
    """What came of one game: success in the environment, in the model, and of the model's commands in the
    environment; and the number of commands of each run."""

    id: str
    real: bool
    model: bool
    replayed: bool
    real_steps: int
    model_steps: int


@dataclass(frozen=True)
class Consistency:
    """All games of a measurement."""

    results: Sequence[Result]

    @property
    def ratio(self) -> float:
        """Replayed success over success in the environment; ``nan`` where nothing succeeds there."""
        return ratio(sum(r.replayed for r in self.results), sum(r.real for r in self.results))

    def interval(self, seed: int = 0, resamples: int = 1000) -> tuple[float, float]:
        """The ratio's 95 % bootstrap interval, over games."""
        wins = np.array([(r.replayed, r.real) for r in self.results], dtype=np.float64).reshape(-1, 2)
        rng, count = np.random.default_rng(seed), len(wins)
        draws = [wins[rng.integers(count, size=count)].sum(axis=0) for _ in range(resamples if count else 0)]
        return interval([ratio(float(replayed), float(real)) for replayed, real in draws])

    def share(self, of: str) -> float:
        """The share of games in which a field of `Result` is true: ``real``, ``model`` or ``replayed``."""
        return ratio(sum(getattr(r, of) for r in self.results), len(self.results))


def consistency(
    agent: Agent, trials: Iterable[Trial], progress: Callable[[], None] | None = None
) -> Consistency:
    """Lets the agent play every game in the model and in the environment, and replays the one in the other.

    Raises what the agent or an environment raises, with the game in front where it is a `WorldModelError`.
    """
    return Consistency(list(_results(agent, trials, progress)))


def _results(agent: Agent, trials: Iterable[Trial], progress: Callable[[], None] | None) -> Iterator[Result]:
    for trial in trials:
        try:
            imagined, lived = list(agent(trial.model())), list(agent(trial.real()))
            yield Result(
                trial.id,
                replay(trial.real(), lived),
                replay(trial.model(), imagined),
                replay(trial.real(), imagined),
                len(lived),
                len(imagined),
            )
        except WorldModelError as error:
            raise WorldModelError(f"game {trial.id!r}: {error}") from error
        if progress is not None:
            progress()


def replay(env: TextEnv, commands: Iterable[str], seed: int = 0) -> bool:
    """Gives the commands one by one until the episode ends; whether it was won."""
    env.reset(seed=seed)
    for command in commands:
        _, reward, terminated, truncated, info = env.step(command)
        if terminated or truncated:
            return bool(info.get("won", terminated and float(reward) > 0))
    return False
