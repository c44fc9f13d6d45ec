"""Rollouts: how fast what a model imagines departs from what happens, by the number of steps looked ahead.

From a belief on a logged path the logged actions are taken in the model alone: each prediction's state is
what the next one starts from, and no observation is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rules.errors import WorldModelError
from rules.logic import UNKNOWN, WILDCARD, Action, State
from worldmodel.belief import Belief
from worldmodel.environments.base import Percept, Perception
from worldmodel.evaluation.harness import Progress, Reveal, informed
from worldmodel.evaluation.metrics import interval, ratio, says_failure
from worldmodel.evaluation.observed import said
from worldmodel.evaluation.text import normalised
from worldmodel.predictors.base import Predictor, Tracker, Transcript, tracker_of
from worldmodel.trajectories import Episode, Step


class Depth(NamedTuple):
    """Sums over the rollouts that reached a depth.

    right: the outcome was foretold; upright: it and all before it were; exact: so were the words
    (normalised) of this step; stated: facts that its observation states; contradicted: those of them that
    the imagined state denies; unknown: those that it leaves open.
    """

    rollouts: int = 0
    right: int = 0
    upright: int = 0
    exact: int = 0
    stated: int = 0
    contradicted: int = 0
    unknown: int = 0


MEASURES = ("outcome", "outcomes so far", "exact", "facts contradicted", "facts unknown")


@dataclass(frozen=True)
class Rollouts:
    """What came of the rollouts: for each episode, the sums at the depths 1, 2, ..."""

    predictor: str
    episodes: Sequence[Sequence[Depth]]

    def by_depth(self) -> list[dict[str, float]]:
        """Every measure at each depth, with the number of rollouts that reached it."""
        return [self._measures(np.sum([np.array(e[d]) for e in self.episodes], axis=0)) for d in self._depths]

    def intervals(self, measure: str, seed: int = 0, resamples: int = 1000) -> list[tuple[float, float]]:
        """The 95 % bootstrap interval of a measure at each depth, over episodes."""
        sums, rng = np.array(self.episodes, dtype=np.float64), np.random.default_rng(seed)
        if not len(sums):
            return []
        draws = [
            np.bincount(rng.integers(len(sums), size=len(sums)), minlength=len(sums))
            for _ in range(resamples)
        ]
        return [
            interval([self._measures(draw @ sums[:, depth])[measure] for draw in draws])
            for depth in self._depths
        ]

    @property
    def _depths(self) -> range:
        return range(len(self.episodes[0])) if self.episodes else range(0)

    @staticmethod
    def _measures(sums: Any) -> dict[str, float]:
        found = Depth(*map(float, sums))  # type: ignore[arg-type]
        return {
            "rollouts": found.rollouts,
            "outcome": ratio(found.right, found.rollouts),
            "outcomes so far": ratio(found.upright, found.rollouts),
            "exact": ratio(found.exact, found.rollouts),
            "facts contradicted": ratio(found.contradicted, found.stated),
            "facts unknown": ratio(found.unknown, found.stated),
        }


def roll_out(
    predictor: Predictor,
    episodes: Iterable[Episode],
    perception: Perception,
    depth: int = 10,
    stride: int = 5,
    reveal: Reveal | None = None,
    progress: Progress | None = None,
) -> Rollouts:
    """Rolls out `depth` logged actions from every `stride`-th step of each episode.

    Commands outside the grammar are left out. With `reveal`: the privileged setting. Raises
    `WorldModelError` where depth or stride is below 1.
    """
    if depth < 1 or stride < 1:
        raise WorldModelError(
            f"rollouts of depth {depth} every {stride} steps: expected both to be at least 1"
        )
    tracker = tracker_of(predictor, Transcript(perception))
    found = []
    for number, episode in enumerate(episodes):
        sums = np.zeros((depth, len(Depth._fields)), dtype=np.int64)
        steps = [(a, s) for s in episode.steps if (a := perception.action(s.action)) is not None]
        for start, belief in _beliefs(tracker, episode, steps, stride, reveal):
            for ahead, row in enumerate(_one(predictor, belief, steps[start : start + depth], perception)):
                sums[ahead] += row
        found.append([Depth(*map(int, row)) for row in sums])
        if progress is not None:
            progress(number + 1)
    return Rollouts(predictor.name, found)


def _beliefs(
    tracker: Tracker,
    episode: Episode,
    steps: Sequence[tuple[Action, Step]],
    stride: int,
    reveal: Reveal | None,
) -> Iterator[tuple[int, Belief]]:
    """The belief before every so many steps, as the agent lived them."""
    belief = tracker.begin(episode.observation)
    if reveal is not None:
        belief = informed(belief, reveal(episode))
    for number, (action, step) in enumerate(steps):
        if number % stride == 0:
            yield number, belief
        belief = tracker.update(belief, action, step.observation)


def _one(
    predictor: Predictor, belief: Belief, steps: Sequence[tuple[Action, Step]], perception: Perception
) -> Iterator[Depth]:
    """One rollout: a row a depth."""
    upright = True
    for action, step in steps:
        prediction = predictor.predict(belief, action)
        percept = perception.perceive(action, step.observation)
        right = says_failure(prediction) is percept.refused
        upright = upright and right
        words = prediction.observation
        exact = words is not None and normalised(words) == normalised(step.observation)
        yield Depth(1, right, upright, exact, *_facts(percept, prediction.state))
        belief = replace(belief, state=prediction.state, steps=belief.steps + 1)


def _facts(percept: Percept, imagined: State) -> tuple[int, int, int]:
    """Facts that an observation states, and how many of them an imagined state denies and leaves open."""
    stated = contradicted = unknown = 0
    for fact in said(percept):
        if WILDCARD not in fact.atom.args:
            value = imagined.truth(fact.atom)
            stated += 1
            contradicted += value is ~fact.value
            unknown += value is UNKNOWN
    return stated, contradicted, unknown
