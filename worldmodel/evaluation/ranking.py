"""What depends on the order of predictions by their confidence: calibration, AUROC, coverage and risk.

Steps of equal confidence are never told apart: they share a bin, a half win in the AUROC, and their mean
risk. Every function takes weights, how often a step is counted, so that a resample is a weighting.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from worldmodel.evaluation.metrics import Array

BINS = 10


class Curve(NamedTuple):
    """Shares of steps answered, from the surest on, and the share of errors among these."""

    coverage: Array
    risk: Array


class Levels:
    """Scores in ascending order, equal ones together: how many steps, and how many of them are positive."""

    def __init__(self, scores: Array, positive: npt.NDArray[np.bool_]) -> None:
        self.values, self._places = np.unique(scores, return_inverse=True)
        self._positive = positive.astype(np.float64)

    def counted(self, weights: Array) -> tuple[Array, Array]:
        """Steps and positives at each score."""
        count = len(self.values)
        return _summed(self._places, weights, count), _summed(self._places, weights * self._positive, count)

    def calibration_error(self, weights: Array) -> float:
        """The expected calibration error over `BINS` bins of about equally many steps (adaptive: Nixon et
        al. 2019): the mean distance of score and share of positives, weighted by the steps in a bin."""
        steps, positives = self.counted(weights)
        total = steps.sum()
        if not total:
            return float("nan")
        gaps = np.abs(_summed(self._bins(steps), steps * self.values - positives, BINS))
        return float(gaps.sum() / total)

    def reliability(self, weights: Array) -> list[tuple[int, float, float]]:
        """The bins of the calibration error: steps, mean score, share of positives."""
        steps, positives = self.counted(weights)
        if not steps.sum():
            return []
        bins = self._bins(steps)
        sums = [_summed(bins, part, BINS) for part in (steps, steps * self.values, positives)]
        return [(int(n), float(s / n), float(p / n)) for n, s, p in zip(*sums, strict=True) if n]

    @staticmethod
    def _bins(steps: Array) -> npt.NDArray[np.intp]:
        middles = (np.cumsum(steps) - steps / 2) / steps.sum()
        bins: npt.NDArray[np.intp] = np.minimum((middles * BINS).astype(np.intp), BINS - 1)
        return bins

    def auroc(self, weights: Array) -> float:
        """The chance that a positive step has the higher score than another; ``nan`` without either."""
        steps, positives = self.counted(weights)
        negatives = steps - positives
        pairs = positives.sum() * negatives.sum()
        if not pairs:
            return float("nan")
        below = np.cumsum(negatives) - negatives / 2
        return float((positives * below).sum() / pairs)

    def curve(self, weights: Array) -> Curve:
        """Coverage and risk at every score, from the highest down; errors are what is not positive."""
        steps, positives = (part[::-1] for part in self.counted(weights))
        covered = np.cumsum(steps)
        used = covered > 0
        risk = np.cumsum(steps - positives)[used] / covered[used]
        return Curve(covered[used] / max(covered[-1:].sum(), 1), risk)

    def risk_area(self, weights: Array) -> float:
        """The mean risk over all coverages (AURC: Geifman and El-Yaniv 2017); less is better."""
        steps, positives = (part[::-1] for part in self.counted(weights))
        if not steps.sum():
            return float("nan")
        errors = steps - positives
        before, wrong = np.cumsum(steps) - steps, np.cumsum(errors) - errors
        rate = np.divide(errors, steps, where=steps > 0, out=np.zeros_like(steps))
        # The i-th step of a level has the risk (wrong + rate i) / (before + i): harmonic numbers sum it up.
        harmonic = _harmonic(before + steps) - _harmonic(before)
        return float((rate * steps + (wrong - rate * before) * harmonic).sum() / steps.sum())

    def risk_at(self, coverage: float, weights: Array) -> float:
        """The risk where so many of the surest steps are answered, the next level included."""
        curve = self.curve(weights)
        if not len(curve.coverage):
            return float("nan")
        return float(curve.risk[np.searchsorted(curve.coverage, coverage - 1e-12)])


def _summed(places: npt.NDArray[np.intp], weights: Array, count: int) -> Array:
    """The weights of each place, added up."""
    return np.bincount(places, weights, count).astype(np.float64)


def _harmonic(numbers: Array) -> Array:
    """1 + 1/2 + ... + 1/n for each n; beyond a thousand by Euler's expansion, there exact to 1e-14."""
    whole = np.rint(numbers).astype(np.intp)
    n = np.maximum(whole, FEW).astype(np.float64)
    large: Array = np.log(n) + np.euler_gamma + 1 / (2 * n) - 1 / (12 * n**2)
    return np.where(whole < FEW, _FIRST[np.minimum(whole, FEW - 1)], large)


FEW = 1000
_FIRST: Array = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, FEW))])
