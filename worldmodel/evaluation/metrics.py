"""What is counted at a step, and the measures that follow from the counts.

Every measure here is a function of sums, so that a group of steps (an action's, an episode's, a resample
of episodes) is one row of sums, and one function serves them all. A share of nothing is ``nan``. What
depends on the order of the predictions by confidence is in `ranking`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf, log, nan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rules.logic import FALSE, UNKNOWN
from worldmodel.model import Prediction

Array = npt.NDArray[np.float64]

LEAST = 1e-6
"""The smallest chance that a predictor is taken to give anything, so that one surprise costs a finite sum."""


def says_failure(prediction: Prediction) -> bool:
    """Whether a prediction counts as one of failure; an *unknown* does if its chance is below 1/2."""
    return prediction.outcome is FALSE or (prediction.outcome is UNKNOWN and prediction.chance < 0.5)


def log_chance(chance: float, happened: bool) -> float:
    """The natural logarithm of the chance that was given to what happened."""
    return log(max(LEAST, chance if happened else 1 - chance))


class Judgement(NamedTuple):
    """One prediction held against one observation.

    episode: its number. action, task, policy, source: what steps are grouped by; the source is the
    prediction's. failed: what happened; called: what was predicted (`says_failure`).
    exact: the predicted observation is the observed one, up to white space at the ends. normalised: it
    is, in lower case and with white space folded. overlap: F1 of their words.
    knowable, changes, hits and false_alarms: see `worldmodel.evaluation.observed`.
    present, guessed, found: types in contents seen for the first time, and log_likelihood of these
    contents, ``nan`` where the predictor gives no chances: see `worldmodel.evaluation.contents`.
    """

    episode: int
    action: str
    failed: bool
    called: bool
    unknown: bool
    chance: float
    exact: bool = False
    normalised: bool = False
    overlap: float = 0.0
    worded: bool = False
    knowable: bool = False
    changes: int = 0
    hits: int = 0
    false_alarms: int = 0
    present: int = 0
    guessed: int = 0
    found: int = 0
    places: int = 0
    log_likelihood: float = nan
    certainty: float = 1.0
    seconds: float = 0.0
    tokens: int = 0
    task: str = ""
    policy: str = ""
    source: str = ""

    @property
    def confidence(self) -> float:
        """The chance that was given to the predicted outcome."""
        return 1 - self.chance if self.called else self.chance

    @property
    def words_confidence(self) -> float:
        """The chance that was given to the predicted words; below all chances where there are none."""
        return self.confidence * self.certainty if self.worded else -1.0


class Sums:
    """Sums of judgements, by name."""

    NAMES = (
        "steps failures called caught right unknown exact normalised overlap worded knowable knowable_exact"
        " changes hits false_alarms present guessed found rated_places log_likelihood outcome_log_chance"
        " seconds tokens"
    ).split()
    _PLACES = {name: place for place, name in enumerate(NAMES)}

    def __init__(self, row: Array) -> None:
        self._row = row

    def __getitem__(self, name: str) -> float:
        return float(self._row[self._PLACES[name]])


def rows(judgements: Sequence[Judgement]) -> Array:
    """One row of countables a judgement, in the order of `Sums.NAMES`."""
    return np.array([_row(j) for j in judgements], dtype=np.float64).reshape(-1, len(Sums.NAMES))


def _row(j: Judgement) -> tuple[float, ...]:
    rated = j.log_likelihood == j.log_likelihood  # not nan
    return (
        *(1, j.failed, j.called, j.called and j.failed, j.called == j.failed, j.unknown),
        *(j.exact, j.normalised, j.overlap, j.worded, j.knowable, j.exact and j.knowable),
        *(j.changes, j.hits, j.false_alarms, j.present, j.guessed, j.found),
        *(j.places if rated else 0, j.log_likelihood if rated else 0.0),
        *(log_chance(j.chance, not j.failed), j.seconds, j.tokens),
    )


def ratio(part: float, whole: float) -> float:
    """part / whole; ``nan`` where there is no whole."""
    return part / whole if whole else nan


def f1(hits: float, predicted: float, actual: float) -> float:
    """The harmonic mean of precision and recall; ``nan`` where nothing was there and nothing found."""
    return ratio(2 * hits, predicted + actual)


METRICS: Mapping[str, Callable[[Sums], float]] = {
    "accuracy": lambda s: ratio(s["right"], s["steps"]),
    "failure precision": lambda s: ratio(s["caught"], s["called"]),
    "failure recall": lambda s: ratio(s["caught"], s["failures"]),
    "failure F1": lambda s: f1(s["caught"], s["called"], s["failures"]),
    "unknown": lambda s: ratio(s["unknown"], s["steps"]),
    "exact": lambda s: ratio(s["exact"], s["steps"]),
    "exact, normalised": lambda s: ratio(s["normalised"], s["steps"]),
    "token F1": lambda s: ratio(s["overlap"], s["steps"]),
    "worded": lambda s: ratio(s["worded"], s["steps"]),
    "exact, knowable": lambda s: ratio(s["knowable_exact"], s["knowable"]),
    "knowable": lambda s: ratio(s["knowable"], s["steps"]),
    "change precision": lambda s: ratio(s["hits"], s["hits"] + s["false_alarms"]),
    "change recall": lambda s: ratio(s["hits"], s["changes"]),
    "change F1": lambda s: f1(s["hits"], s["hits"] + s["false_alarms"], s["changes"]),
    "contents F1": lambda s: f1(s["found"], s["guessed"], s["present"]),
    "contents log-likelihood": lambda s: ratio(s["log_likelihood"], s["rated_places"]),
    "log-likelihood": lambda s: ratio(s["outcome_log_chance"], s["steps"]),
    "ms a prediction": lambda s: 1000 * ratio(s["seconds"], s["steps"]),
    "tokens a prediction": lambda s: ratio(s["tokens"], s["steps"]),
}
"""Every measure of sums, by the name it has in tables and JSON."""

LOWER_IS_BETTER = frozenset(
    {
        "unknown",
        "calibration error",
        "risk area",
        "risk area, words",
        "ms a prediction",
        "tokens a prediction",
    }
)


def interval(values: Sequence[float], share: float = 0.95) -> tuple[float, float]:
    """The middle share of what a bootstrap found (Efron 1979); ``nan`` where it found nothing."""
    found = np.array([value for value in values if -inf < value < inf])
    if not len(found):
        return nan, nan
    low, high = np.percentile(found, [50 * (1 - share), 50 * (1 + share)])
    return float(low), float(high)
