"""Calibration, AUROC, coverage and risk: golden values by hand, and the definitions tried out directly."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldmodel.evaluation.ranking import BINS, Levels

Case = tuple[float, bool]


def levels(*cases: Case) -> Levels:
    return Levels(np.array([score for score, _ in cases]), np.array([good for _, good in cases], dtype=bool))


def ones(cases: list[Case]) -> np.ndarray:
    return np.ones(len(cases))


CASES = st.lists(
    st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]), st.booleans()), min_size=1, max_size=30
)


def test_golden_calibration_error() -> None:
    # Ten scores, ten bins of one step: the gaps are 1/2 for the first and 1/10 for each of the others.
    cases = [(0.5, True)] + [(0.9 + i / 1000, True) for i in range(9)]
    gaps = 0.5 + sum(0.1 - i / 1000 for i in range(9))
    assert levels(*cases).calibration_error(ones(cases)) == pytest.approx(gaps / 10)


def test_equal_scores_share_a_bin() -> None:
    cases = [(0.75, i % 4 != 0) for i in range(100)]
    assert levels(*cases).calibration_error(ones(cases)) == pytest.approx(0)
    assert levels(*cases).reliability(ones(cases)) == [(100, 0.75, 0.75)]


def test_bins_hold_about_equally_many_steps() -> None:
    cases = [(i / 1000, False) for i in range(1000)]
    assert [n for n, _, _ in levels(*cases).reliability(ones(cases))] == [100] * BINS


@given(CASES)
def test_the_auroc_is_the_share_of_pairs_in_the_right_order(cases: list[Case]) -> None:
    good = [score for score, positive in cases if positive]
    bad = [score for score, positive in cases if not positive]
    found = levels(*cases).auroc(ones(cases))
    if not good or not bad:
        assert isnan(found)
        return
    wins = [(g > b) + 0.5 * (g == b) for g in good for b in bad]
    assert found == pytest.approx(sum(wins) / len(wins))


def test_golden_coverage_and_risk() -> None:
    cases = [(0.9, True), (0.9, True), (0.8, False), (0.1, False)]
    found = levels(*cases)
    curve = found.curve(ones(cases))
    assert curve.coverage.tolist() == [0.5, 0.75, 1.0]
    assert curve.risk.tolist() == pytest.approx([0, 1 / 3, 1 / 2])
    assert found.risk_area(ones(cases)) == pytest.approx((0 + 0 + 1 / 3 + 1 / 2) / 4)
    assert found.risk_at(0.5, ones(cases)) == 0
    assert found.risk_at(0.6, ones(cases)) == pytest.approx(1 / 3)


def test_a_confidence_that_ranks_nothing_has_the_error_rate_as_its_area() -> None:
    cases = [(0.7, i % 5 != 0) for i in range(50)]
    assert levels(*cases).risk_area(ones(cases)) == pytest.approx(0.2)


@given(CASES, st.integers(0, 3))
def test_weights_are_copies(cases: list[Case], times: int) -> None:
    weights = np.array([float(times)] + [1.0] * (len(cases) - 1))
    copied = cases[:1] * times + cases[1:]
    weighted, plain = levels(*cases), levels(*copied) if copied else None
    for name in ("auroc", "risk_area", "calibration_error"):
        found = getattr(weighted, name)(weights)
        expected = getattr(plain, name)(ones(copied)) if plain else float("nan")
        assert found == pytest.approx(expected, nan_ok=True), name


@given(CASES)
def test_risk_ends_at_the_error_rate(cases: list[Case]) -> None:
    curve = levels(*cases).curve(ones(cases))
    assert curve.coverage[-1] == pytest.approx(1)
    assert curve.risk[-1] == pytest.approx(sum(not good for _, good in cases) / len(cases))
