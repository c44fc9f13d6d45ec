"""Rewards read off the state: how well the progress that a model sees follows the reward that was earned.

For every task with a trajectory that won and one that lost, the progress after each step (`worldmodel.
progress`, of the model's belief) is held against a reference, over the steps of both together: the
distance is sqrt((1 - r) / 2) with Pearson's r (EPIC: Gleave et al. 2021; StateFactory), 0 for the same
shape and 1 for its opposite.

Two references: the reward that the environment gave, which is 0 but for the winning step, and *steps*, the
share of the winning trajectory that is done, 0 all along the losing one (a potential, as StateFactory
interpolates expert trajectories).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import NamedTuple

import numpy as np

from worldmodel.evaluation.harness import Progress
from worldmodel.evaluation.metrics import interval
from worldmodel.model import WorldModel
from worldmodel.progress import progress
from worldmodel.trajectories import Episode

REFERENCES = ("steps", "environment")


class Pair(NamedTuple):
    """A task: its distances by reference, and the last progress of its winning and losing trajectory."""

    id: str
    task: str
    steps: float
    environment: float
    won: float
    lost: float


@dataclass(frozen=True)
class Rewards:
    """All pairs of a measurement. unpaired: games that have no winning or no losing trajectory."""

    pairs: Sequence[Pair]
    unpaired: int

    def distance(self, reference: str, task: str | None = None) -> float:
        """The mean distance over tasks (of one task type); ``nan`` where there are none."""
        found = [getattr(p, reference) for p in self.pairs if task is None or p.task == task]
        return float(np.mean(found)) if found else nan

    def interval(self, reference: str, seed: int = 0, resamples: int = 1000) -> tuple[float, float]:
        """The mean distance's 95 % bootstrap interval, over tasks."""
        values, rng = np.array([getattr(p, reference) for p in self.pairs]), np.random.default_rng(seed)
        draws = resamples if len(values) else 0
        return interval([float(rng.choice(values, len(values)).mean()) for _ in range(draws)])

    @property
    def tasks(self) -> list[str]:
        """The task types."""
        return sorted({pair.task for pair in self.pairs})

    @property
    def separated(self) -> float:
        """The share of tasks whose winning trajectory ends with more progress than the losing one."""
        return float(np.mean([p.won > p.lost for p in self.pairs])) if self.pairs else nan


def rewards(model: WorldModel, episodes: Iterable[Episode], told: Progress | None = None) -> Rewards:
    """Pairs the first winning and the first losing trajectory of every game, and measures each pair."""
    won: dict[str, Episode] = {}
    lost: dict[str, Episode] = {}
    for episode in episodes:
        if episode.steps:
            (won if episode.success else lost).setdefault(episode.id, episode)
    pairs = []
    for number, id_ in enumerate(sorted(won.keys() & lost.keys()), 1):
        pairs.append(_pair(model, won[id_], lost[id_]))
        if told is not None:
            told(number)
    return Rewards(pairs, len(won.keys() ^ lost.keys()))


def along(model: WorldModel, episode: Episode) -> list[float]:
    """The progress after each step, by the model's belief."""
    belief = model.begin(episode.observation)
    found = []
    for step in episode.steps:
        belief = model.update(belief, model.perception.action(step.action), step.observation)
        found.append(progress(belief.goal, belief.state, model.engine))
    return found


def distance(predicted: Sequence[float], reference: Sequence[float]) -> float:
    """sqrt((1 - r) / 2); r is 0 where one of them never changes."""
    one, other = np.asarray(predicted, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    one, other = one - one.mean(), other - other.mean()
    scale = float(np.linalg.norm(one) * np.linalg.norm(other))
    r = float(one @ other) / scale if scale > 1e-12 else 0.0
    return sqrt(max(0.0, 1 - r) / 2)


def _pair(model: WorldModel, won: Episode, lost: Episode) -> Pair:
    up, flat = along(model, won), along(model, lost)
    share = [number / len(won.steps) for number in range(1, len(won.steps) + 1)]
    earned = [step.reward for episode in (won, lost) for step in episode.steps]
    task = won.metadata.get("task_type", "")
    steps, environment = distance(up + flat, share + [0.0] * len(flat)), distance(up + flat, earned)
    return Pair(won.id, task, steps, environment, up[-1], flat[-1])
