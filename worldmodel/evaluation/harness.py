"""Replays logs as the agent lived them, and holds every prediction against what then happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import Any

from rules.errors import WorldModelError
from rules.logic import UNKNOWN, Action
from worldmodel.belief import Belief, with_companions
from worldmodel.environments.base import Percept, Perception
from worldmodel.environments.registry import Hidden
from worldmodel.evaluation.contents import compare
from worldmodel.evaluation.metrics import Judgement, says_failure
from worldmodel.evaluation.observed import Observed, constants
from worldmodel.evaluation.results import PARTIAL, PRIVILEGED, Evaluation
from worldmodel.evaluation.text import normalised, token_f1
from worldmodel.model import Prediction
from worldmodel.predictors.base import Predictor, Tracker, Transcript, tracker_of
from worldmodel.trajectories import Episode, Step

Progress = Callable[[int], None]
"""Told the number of episodes that are done, after each."""
Reveal = Callable[[Episode], Hidden]
"""The hidden initial state of an episode's game."""


def evaluate(
    predictors: Sequence[Predictor],
    episodes: Iterable[Episode],
    perception: Perception,
    progress: Progress | None = None,
    reveal: Reveal | None = None,
) -> Evaluation:
    """Asks every predictor before each observation is shown, judges it, and shows it the observation.

    Beliefs are built from the transcript alone: by the predictor, if it is a `Tracker`, else from what
    was said (`Transcript`). With `reveal` all of them start from the hidden initial state instead: the
    privileged setting. Raises `WorldModelError` if two predictors share a name or a chance is none; an
    error that a predictor raises is raised again with the episode and the step in front.
    """
    names = [predictor.name for predictor in predictors]
    if len(set(names)) < len(names):
        raise WorldModelError(f"predictors named {', '.join(names)}: expected a different name for each")
    episodes = list(episodes)
    run = _Run(predictors, perception, episodes, reveal)
    for number, episode in enumerate(episodes):
        run.replay(number, episode)
        if progress is not None:
            progress(number + 1)
    steps = sum(len(episode.steps) for episode in episodes)
    setting = PARTIAL if reveal is None else PRIVILEGED
    return Evaluation(len(episodes), steps, run.malformed, run.malformed_refused, run.judgements, setting)


def informed(belief: Belief, hidden: Hidden) -> Belief:
    """A belief that also knows a game's hidden state."""
    state = belief.state.updated(hidden.state.true, hidden.state.false, hidden.state.objects)
    return replace(belief, state=state, companions=belief.companions | hidden.companions)


class _Run:
    """The state of one evaluation."""

    def __init__(
        self,
        predictors: Sequence[Predictor],
        perception: Perception,
        episodes: Sequence[Episode],
        reveal: Reveal | None,
    ) -> None:
        self.predictors, self.perception, self.reveal = predictors, perception, reveal
        self.transcript = Transcript(perception)
        self.trackers = [tracker_of(predictor, self.transcript) for predictor in predictors]
        self._distinct = {id(tracker): tracker for tracker in (self.transcript, *self.trackers)}
        self.always = constants(episodes, perception)
        self.malformed = self.malformed_refused = 0
        self.judgements: dict[str, list[Judgement]] = {p.name: [] for p in predictors}

    def replay(self, number: int, episode: Episode) -> None:
        """Adds the judgements of one episode."""
        with _named(f"episode {episode.id!r}, opening"):
            plain, beliefs = self._begin(episode)
        group = {"episode": number, "task": episode.metadata.get("task_type", ""), "policy": episode.policy}
        for index, step in enumerate(episode.steps):
            with _named(f"episode {episode.id!r}, step {index}, {step.action!r}"):
                action = self.perception.action(step.action)
                percept = self.perception.perceive(action, step.observation)
                if action is None:
                    self.malformed += 1
                    self.malformed_refused += percept.refused
                else:
                    observed = Observed(
                        plain.state, action, _told(percept, plain), self.perception, self.always
                    )
                    self._judge(step, observed, beliefs, group)
                plain, beliefs = self._shown(plain, beliefs, action, step)

    def _begin(self, episode: Episode) -> tuple[Belief, list[Belief]]:
        hidden = None if self.reveal is None else self.reveal(episode)

        def begin(tracker: Tracker) -> Belief:
            belief = tracker.begin(episode.observation)
            return belief if hidden is None else informed(belief, hidden)

        return self._each(begin)

    def _shown(
        self, plain: Belief, beliefs: Sequence[Belief], action: Action | None, step: Step
    ) -> tuple[Belief, list[Belief]]:
        """Everybody's belief after the observation."""
        before = {id(t): b for t, b in zip(self.trackers, beliefs, strict=True)} | {
            id(self.transcript): plain
        }
        return self._each(lambda tracker: tracker.update(before[id(tracker)], action, step.observation))

    def _each(self, ask: Callable[[Tracker], Belief]) -> tuple[Belief, list[Belief]]:
        """The transcript's belief and those that the predictors are asked with; no tracker is asked twice."""
        found = {key: ask(tracker) for key, tracker in self._distinct.items()}
        return found[id(self.transcript)], [found[id(tracker)] for tracker in self.trackers]

    def _judge(
        self, step: Step, observed: Observed, beliefs: Sequence[Belief], group: dict[str, Any]
    ) -> None:
        for predictor, belief in zip(self.predictors, beliefs, strict=True):
            spent, began = _tokens(predictor), perf_counter()
            prediction = predictor.predict(belief, observed.action)
            seconds, tokens = perf_counter() - began, _tokens(predictor) - spent
            if not 0 <= prediction.chance <= 1:
                raise WorldModelError(
                    f"{predictor.name} predicts a chance of {prediction.chance}, expected 0 to 1"
                )
            found = judge(predictor, step.observation, observed, belief, prediction)
            self.judgements[predictor.name].append(found._replace(**group, seconds=seconds, tokens=tokens))


def _told(percept: Percept, belief: Belief) -> Percept:
    """What an observation says to somebody who was told which places are one."""
    if not belief.companions:
        return percept
    return replace(percept, true=frozenset(with_companions(percept.true, belief.companions)))


def _tokens(predictor: Predictor) -> int:
    """The tokens that a predictor says it has used so far (`tokens`); none, if it counts none."""
    return int(getattr(predictor, "tokens", 0))


def judge(
    predictor: Predictor, text: str, observed: Observed, belief: Belief, prediction: Prediction
) -> Judgement:
    """A prediction, made of a belief, against what was observed and its `text`."""
    said = prediction.observation
    exact = said is not None and said.strip() == text.strip()
    if said is None or exact:
        same, overlap = exact, float(exact)
    else:
        ours, theirs = normalised(said), normalised(text)
        same, overlap = ours == theirs, token_f1(ours, theirs)
    contents = compare(predictor, belief, prediction, observed, observed.perception)
    return Judgement(
        episode=0,
        action=observed.action.name,
        failed=not observed.succeeded,
        called=says_failure(prediction),
        unknown=prediction.outcome is UNKNOWN,
        chance=prediction.chance,
        exact=exact,
        normalised=same,
        overlap=overlap,
        worded=said is not None,
        knowable=observed.knowable,
        changes=len(observed.changes),
        hits=observed.hits(prediction.state),
        false_alarms=observed.false_alarms(belief.state, prediction.state),
        **contents._asdict(),
        source=prediction.source,
        certainty=prediction.certainty,
    )


@contextmanager
def _named(place: str) -> Iterator[None]:
    """Puts the place in front of an error's message."""
    try:
        yield
    except WorldModelError as error:
        raise WorldModelError(f"{place}: {error}") from error
