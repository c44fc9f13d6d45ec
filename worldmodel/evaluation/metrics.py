"""What is counted at a step, and the measures that follow from the counts.

Every measure is a function of sums, so that a group of steps (an action's, an episode's, a resample of
episodes) is one row of sums, and one function serves them all. A share of nothing is ``nan``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rules.logic import FALSE, UNKNOWN
from worldmodel.model import Prediction

Array = npt.NDArray[np.float64]

BINS = 10
"""Equal bins of the predicted chance, for the calibration error."""


def says_failure(prediction: Prediction) -> bool:
    """Whether a prediction counts as one of failure; an *unknown* does if its chance is below 1/2."""
    return prediction.outcome is FALSE or (prediction.outcome is UNKNOWN and prediction.chance < 0.5)


class Judgement(NamedTuple):
    """One prediction held against one observation.

    episode: its number. failed: what happened; called: what was predicted (`says_failure`).
    exact: the predicted observation is the observed one, up to white space at the ends.
    knowable, changes, hits and false_alarms: see `worldmodel.evaluation.observed`.
    """

    episode: int
    action: str
    failed: bool
    called: bool
    unknown: bool
    chance: float
    exact: bool
    knowable: bool
    changes: int
    hits: int
    false_alarms: int
    seconds: float


class Sums:
    """Sums of judgements, by name. A name is an array with one entry a group, or a number for one group."""

    NAMES = (
        "steps failures called caught right unknown exact knowable knowable_exact"
        " changes hits false_alarms seconds"
    ).split()

    def __init__(self, table: Array) -> None:
        self.table = table

    def __getitem__(self, name: str) -> Array:
        return self.table[..., self.NAMES.index(name)]

    @property
    def gaps(self) -> Array:
        """Bin by bin, predicted chance minus success, summed."""
        return self.table[..., len(self.NAMES) :]


def _row(j: Judgement) -> list[float]:
    counts = (
        *(1, j.failed, j.called, j.called and j.failed, j.called == j.failed, j.unknown),
        *(j.exact, j.knowable, j.exact and j.knowable, j.changes, j.hits, j.false_alarms, j.seconds),
    )
    gaps = [0.0] * BINS
    gaps[min(int(j.chance * BINS), BINS - 1)] = j.chance - (not j.failed)
    return [*map(float, counts), *gaps]


def add_up(judgements: Sequence[Judgement]) -> Sums:
    """The sums over all of them."""
    return Sums(_rows(judgements).sum(axis=0))


def by_episode(judgements: Sequence[Judgement]) -> Sums:
    """The sums, one group an episode."""
    _, places = np.unique([j.episode for j in judgements], return_inverse=True)
    groups = np.zeros((int(places.max(initial=-1)) + 1, len(Sums.NAMES) + BINS))
    np.add.at(groups, places, _rows(judgements))
    return Sums(groups)


def _rows(judgements: Iterable[Judgement]) -> Array:
    return np.array([_row(j) for j in judgements], dtype=np.float64).reshape(-1, len(Sums.NAMES) + BINS)


def resample(groups: Sums, resamples: int = 1000, seed: int = 0) -> Sums:
    """Sums over as many groups as there are, drawn with replacement, many times over (Efron 1979)."""
    rng = np.random.default_rng(seed)
    count = len(groups.table)
    draws = (np.bincount(rng.integers(count, size=count), minlength=count) for _ in range(resamples))
    return Sums(np.array([draw @ groups.table for draw in draws]))


def ratio(part: Array, whole: Array) -> Array:
    """part / whole; ``nan`` where there is no whole."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole == 0, np.nan, np.divide(part, whole))


def f1(hits: Array, predicted: Array, actual: Array) -> Array:
    """The harmonic mean of precision and recall; ``nan`` where nothing was there and nothing found."""
    return ratio(2 * hits, predicted + actual)


METRICS: Mapping[str, Callable[[Sums], Array]] = {
    "accuracy": lambda s: ratio(s["right"], s["steps"]),
    "failure precision": lambda s: ratio(s["caught"], s["called"]),
    "failure recall": lambda s: ratio(s["caught"], s["failures"]),
    "failure F1": lambda s: f1(s["caught"], s["called"], s["failures"]),
    "unknown": lambda s: ratio(s["unknown"], s["steps"]),
    "exact": lambda s: ratio(s["exact"], s["steps"]),
    "exact, knowable": lambda s: ratio(s["knowable_exact"], s["knowable"]),
    "knowable": lambda s: ratio(s["knowable"], s["steps"]),
    "change precision": lambda s: ratio(s["hits"], s["hits"] + s["false_alarms"]),
    "change recall": lambda s: ratio(s["hits"], s["changes"]),
    "change F1": lambda s: f1(s["hits"], s["hits"] + s["false_alarms"], s["changes"]),
    "calibration error": lambda s: ratio(np.abs(s.gaps).sum(axis=-1), s["steps"]),
    "ms a prediction": lambda s: 1000 * ratio(s["seconds"], s["steps"]),
}
"""Every measure, by the name it has in tables and JSON.

The calibration error is the expected one: over `BINS` equal bins of the chance, the mean distance
between predicted chance and share of successes, weighted by the steps in the bin (Naeini et al. 2015).
"""


def measure(sums: Sums) -> dict[str, float]:
    """Every measure of one group."""
    return {name: float(metric(sums)) for name, metric in METRICS.items()}


def intervals(groups: Sums, resamples: int = 1000, seed: int = 0) -> dict[str, tuple[float, float]]:
    """The 95 % bootstrap interval of every measure, by resampling groups; ``nan`` where there is none."""
    if not len(groups.table):
        return dict.fromkeys(METRICS, (np.nan, np.nan))
    drawn = resample(groups, resamples, seed)
    return {name: _interval(metric(drawn)) for name, metric in METRICS.items()}


def _interval(values: Array) -> tuple[float, float]:
    values = values[~np.isnan(values)]
    if not len(values):
        return np.nan, np.nan
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)
