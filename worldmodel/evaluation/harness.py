"""Replays logs as the agent lived them, and holds every prediction against what then happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter

from rules.errors import WorldModelError
from rules.logic import UNKNOWN, Action, State
from worldmodel.belief import Belief
from worldmodel.environments.base import Perception
from worldmodel.evaluation.metrics import Judgement, add_up, by_episode, intervals, measure, says_failure
from worldmodel.evaluation.observed import Observed, constants
from worldmodel.model import Prediction
from worldmodel.predictors.base import Predictor, Tracker, Transcript
from worldmodel.trajectories import Episode, Step

Progress = Callable[[int], None]
"""Told the number of episodes that are done, after each."""


@dataclass(frozen=True)
class Evaluation:
    """What a run found. Every predictor has one judgement a step that is inside the grammar.

    steps: all steps. malformed: those whose command is outside the grammar (`Perception.action` gives
    None); they are counted here, their observations are shown to the predictors, and they are in no
    measure. malformed_refused: those of them that the environment refused.
    """

    episodes: int
    steps: int
    malformed: int
    malformed_refused: int
    judgements: Mapping[str, Sequence[Judgement]]

    @property
    def predictors(self) -> list[str]:
        """The names of the predictors, in the order they were given."""
        return list(self.judgements)

    @cached_property
    def actions(self) -> dict[str, int]:
        """Action name -> how many steps, the most frequent first."""
        counts: dict[str, int] = {}
        for judgement in next(iter(self.judgements.values()), ()):
            counts[judgement.action] = counts.get(judgement.action, 0) + 1
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def measures(self, predictor: str, action: str | None = None) -> dict[str, float]:
        """Every measure of a predictor, over all steps or one action's; ``nan`` where there are none."""
        found = self.judgements[predictor]
        return measure(add_up([j for j in found if action is None or j.action == action]))

    def intervals(self, predictor: str, seed: int = 0) -> dict[str, tuple[float, float]]:
        """The 95 % bootstrap interval of every measure, over episodes: steps of one episode go together."""
        return intervals(by_episode(self.judgements[predictor]), seed=seed)


def evaluate(
    predictors: Sequence[Predictor],
    episodes: Iterable[Episode],
    perception: Perception,
    progress: Progress | None = None,
) -> Evaluation:
    """Asks every predictor before each observation is shown, judges it, and shows it the observation.

    Beliefs are built from the transcript alone: by the predictor, if it is a `Tracker`, else from what
    was said (`Transcript`). Raises `WorldModelError` if two predictors share a name or a chance is none;
    an error that a predictor raises is raised again with the episode and the step in front.
    """
    names = [predictor.name for predictor in predictors]
    if len(set(names)) < len(names):
        raise WorldModelError(f"predictors named {', '.join(names)}: expected a different name for each")
    episodes = list(episodes)
    run = _Run(predictors, perception, episodes)
    for number, episode in enumerate(episodes):
        run.replay(number, episode)
        if progress is not None:
            progress(number + 1)
    steps = sum(len(episode.steps) for episode in episodes)
    return Evaluation(len(episodes), steps, run.malformed, run.malformed_refused, run.judgements)


class _Run:
    """The state of one evaluation."""

    def __init__(
        self, predictors: Sequence[Predictor], perception: Perception, episodes: Sequence[Episode]
    ) -> None:
        self.predictors, self.perception = predictors, perception
        self.transcript = Transcript(perception)
        self.trackers: list[Tracker] = [
            predictor if isinstance(predictor, Tracker) else self.transcript for predictor in predictors
        ]
        self.always = constants(episodes, perception)
        self.malformed = self.malformed_refused = 0
        self.judgements: dict[str, list[Judgement]] = {p.name: [] for p in predictors}

    def replay(self, number: int, episode: Episode) -> None:
        """Adds the judgements of one episode."""
        with _named(f"episode {episode.id!r}, opening"):
            plain = self.transcript.begin(episode.observation)
            beliefs = [self._begin(tracker, plain, episode) for tracker in self.trackers]
        for index, step in enumerate(episode.steps):
            with _named(f"episode {episode.id!r}, step {index}, {step.action!r}"):
                action = self.perception.action(step.action)
                percept = self.perception.perceive(action, step.observation)
                if action is None:
                    self.malformed += 1
                    self.malformed_refused += percept.refused
                else:
                    observed = Observed(plain.state, action, percept, self.perception, self.always)
                    self._judge(number, step, observed, beliefs)
                plain, beliefs = self._shown(plain, beliefs, action, step)

    def _begin(self, tracker: Tracker, plain: Belief, episode: Episode) -> Belief:
        return plain if tracker is self.transcript else tracker.begin(episode.observation)

    def _shown(
        self, plain: Belief, beliefs: Sequence[Belief], action: Action | None, step: Step
    ) -> tuple[Belief, list[Belief]]:
        """Everybody's belief after the observation."""
        after = self.transcript.update(plain, action, step.observation)
        return after, [
            after if tracker is self.transcript else tracker.update(belief, action, step.observation)
            for tracker, belief in zip(self.trackers, beliefs, strict=True)
        ]

    def _judge(self, number: int, step: Step, observed: Observed, beliefs: Sequence[Belief]) -> None:
        for predictor, belief in zip(self.predictors, beliefs, strict=True):
            began = perf_counter()
            prediction = predictor.predict(belief, observed.action)
            seconds = perf_counter() - began
            if not 0 <= prediction.chance <= 1:
                raise WorldModelError(
                    f"{predictor.name} predicts a chance of {prediction.chance}, expected 0 to 1"
                )
            self.judgements[predictor.name].append(
                judge(number, step.observation, observed, belief.state, prediction, seconds)
            )


def judge(
    episode: int, text: str, observed: Observed, believed: State, prediction: Prediction, seconds: float
) -> Judgement:
    """A prediction, made in the state `believed`, against what was observed and its `text`."""
    said = prediction.observation
    return Judgement(
        episode=episode,
        action=observed.action.name,
        failed=not observed.succeeded,
        called=says_failure(prediction),
        unknown=prediction.outcome is UNKNOWN,
        chance=prediction.chance,
        exact=said is not None and said.strip() == text.strip(),
        knowable=observed.knowable,
        changes=len(observed.changes),
        hits=observed.hits(prediction.state),
        false_alarms=observed.false_alarms(believed, prediction.state),
        seconds=seconds,
    )


@contextmanager
def _named(place: str) -> Iterator[None]:
    """Puts the place in front of an error's message."""
    try:
        yield
    except WorldModelError as error:
        raise WorldModelError(f"{place}: {error}") from error
