"""What an evaluation found: measures over all steps or a group of them, intervals, differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rules.errors import WorldModelError
from worldmodel.evaluation.metrics import METRICS, Array, Judgement, Sums, interval, rows
from worldmodel.evaluation.ranking import Levels

RESAMPLES = 1000
PARTIAL, PRIVILEGED = "partial", "privileged"
GROUPINGS = ("action", "task", "policy", "source")
"""What steps can be grouped by: fields of `Judgement`."""

RANKED = ("calibration error", "AUROC", "risk area", "risk area, words")
MEASURES: tuple[str, ...] = (*METRICS, *RANKED)
"""Every measure, by the name it has in tables and JSON."""


class Judged:
    """The judgements of one predictor, added up once by episode, so that resamples are cheap."""

    def __init__(self, judgements: Sequence[Judgement]) -> None:
        self.judgements = judgements
        self._numbers, self._places = np.unique([j.episode for j in judgements], return_inverse=True)
        self._sums = np.zeros((len(self._numbers), len(Sums.NAMES)))
        np.add.at(self._sums, self._places, rows(judgements))

    def __len__(self) -> int:
        return len(self.judgements)

    @property
    def episodes(self) -> list[int]:
        """The numbers of the episodes with at least one step."""
        return [int(number) for number in self._numbers]

    @cached_property
    def chances(self) -> Levels:
        """The chance of success, and whether there was one."""
        failed = np.array([j.failed for j in self.judgements], dtype=bool)
        return Levels(np.array([j.chance for j in self.judgements]), ~failed)

    @cached_property
    def outcomes(self) -> Levels:
        """The confidence in the predicted outcome, and whether it was right."""
        confidence = np.array([j.confidence for j in self.judgements])
        return Levels(confidence, np.array([j.called == j.failed for j in self.judgements], dtype=bool))

    @cached_property
    def words(self) -> Levels:
        """The same for the predicted words, normalised; where there are none, that comes last."""
        confidence = np.array([j.words_confidence for j in self.judgements])
        return Levels(confidence, np.array([j.normalised for j in self.judgements], dtype=bool))

    def weights(self, draw: Array | None = None) -> Array:
        """How often each step counts where its episode was drawn so often; once without a draw."""
        return np.ones(len(self)) if draw is None else draw[self._places]

    def measures(self, draw: Array | None = None) -> dict[str, float]:
        """Every measure; of a resample, where a draw says how often each episode is in it."""
        sums = Sums(self._sums.sum(axis=0) if draw is None else draw @ self._sums)
        weights = self.weights(draw)
        found = {name: metric(sums) for name, metric in METRICS.items()}
        ranked = (
            self.chances.calibration_error(weights),
            self.outcomes.auroc(weights),
            self.outcomes.risk_area(weights),
            self.words.risk_area(weights),
        )
        return found | dict(zip(RANKED, ranked, strict=True))

    def draws(self, seed: int, resamples: int = RESAMPLES) -> list[Array]:
        """How often each episode is drawn, where as many as there are are drawn with replacement."""
        rng, count = np.random.default_rng(seed), len(self._numbers)
        if not count:
            return []
        return [
            np.bincount(rng.integers(count, size=count), minlength=count).astype(np.float64)
            for _ in range(resamples)
        ]


@dataclass(frozen=True)
class Difference:
    """How two predictors differ in a measure, the first less the second, on the same steps.

    low, high: the 95 % interval of the paired bootstrap. p: two-sided, the chance of a difference as
    clear as this if there were none.
    """

    value: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Evaluation:
    """What a run found. Every predictor has one judgement a step that is inside the grammar.

    setting: ``partial``, or ``privileged`` where the hidden initial state was given; the two are never in
    one evaluation. steps: all steps. malformed: those whose command is outside the grammar
    (`Perception.action` gives None); they are counted here, their observations are shown to the
    predictors, and they are in no measure. malformed_refused: those of them that the environment refused.
    """

    episodes: int
    steps: int
    malformed: int
    malformed_refused: int
    judgements: Mapping[str, Sequence[Judgement]]
    setting: str = PARTIAL
    _judged: dict[str, Judged] = field(default_factory=dict, repr=False, compare=False)

    @property
    def predictors(self) -> list[str]:
        """The names of the predictors, in the order they were given."""
        return list(self.judgements)

    def judged(self, predictor: str) -> Judged:
        """The judgements of a predictor, ready to be measured."""
        if predictor not in self._judged:
            if predictor not in self.judgements:
                raise WorldModelError(f"no predictor {predictor!r}; expected {' or '.join(self.judgements)}")
            self._judged[predictor] = Judged(self.judgements[predictor])
        return self._judged[predictor]

    @property
    def actions(self) -> dict[str, int]:
        """Action name -> how many steps, the most frequent first."""
        return self.groups("action", self.predictors[0]) if self.judgements else {}

    def groups(self, by: str, predictor: str) -> dict[str, int]:
        """What the steps fall into by a field of `GROUPINGS`, with the number of steps, largest first."""
        if by not in GROUPINGS:
            raise WorldModelError(f"steps are not grouped by {by!r}; expected {', '.join(GROUPINGS)}")
        counts = Counter(getattr(j, by) for j in self.judgements[predictor])
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def measures(self, predictor: str, action: str | None = None) -> dict[str, float]:
        """Every measure of a predictor, over all steps or one action's; ``nan`` where there are none."""
        if action is not None:
            return self.group(predictor, "action", action)
        return self.judged(predictor).measures()

    def group(self, predictor: str, by: str, value: str) -> dict[str, float]:
        """Every measure over the steps of one group."""
        return Judged([j for j in self.judgements[predictor] if getattr(j, by) == value]).measures()

    def intervals(self, predictor: str, seed: int = 0) -> dict[str, tuple[float, float]]:
        """The 95 % bootstrap interval of every measure, over episodes: steps of one episode go together."""
        judged = self.judged(predictor)
        drawn = [judged.measures(draw) for draw in judged.draws(seed)]
        return {name: interval([d[name] for d in drawn]) for name in MEASURES}

    def compare(self, first: str, second: str, seed: int = 0) -> dict[str, Difference]:
        """Every measure of one predictor less the other's: both are measured on the same resamples."""
        one, other = self.judged(first), self.judged(second)
        here, there = one.measures(), other.measures()
        drawn = [(one.measures(draw), other.measures(draw)) for draw in one.draws(seed)]
        return {
            name: _difference(here[name] - there[name], [a[name] - b[name] for a, b in drawn])
            for name in MEASURES
        }


def _difference(value: float, drawn: Sequence[float]) -> Difference:
    found = np.array([d for d in drawn if d == d])
    low, high = interval(drawn)
    if not len(found):
        return Difference(value, low, high, float("nan"))
    tail = min((found <= 0).mean(), (found >= 0).mean())
    return Difference(value, low, high, float(min(1.0, 2 * max(tail, 1 / len(found)))))
