"""The measures: golden values by hand, and what holds of any judgements."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.logic import FALSE, TRUE, UNKNOWN, State, Truth
from worldmodel.evaluation.metrics import (
    METRICS,
    Judgement,
    add_up,
    by_episode,
    intervals,
    measure,
    resample,
    says_failure,
)
from worldmodel.model import Prediction


def judged(
    episode: int = 0, failed: bool = False, called: bool = False, chance: float = 1.0, **other: object
) -> Judgement:
    fields: dict[str, object] = {
        "action": "open",
        "unknown": False,
        "exact": False,
        "knowable": False,
        "changes": 0,
        "hits": 0,
        "false_alarms": 0,
        "seconds": 0.0,
    }
    return Judgement(episode=episode, failed=failed, called=called, chance=chance, **fields | other)  # type: ignore[arg-type]


def judgements() -> st.SearchStrategy[list[Judgement]]:
    booleans, counts = st.booleans(), st.integers(0, 3)
    one = st.builds(
        lambda episode, chance, changes, missed, **rest: judged(
            episode, chance=chance, changes=changes, hits=max(0, changes - missed), **rest
        ),
        st.integers(0, 4),
        st.floats(0, 1),
        counts,
        counts,
        failed=booleans,
        called=booleans,
        unknown=booleans,
        exact=booleans,
        knowable=booleans,
        false_alarms=counts,
        seconds=st.floats(0, 1),
    )
    return st.lists(one, max_size=20)


def test_golden_outcomes() -> None:
    # 3 caught, 1 false call, 2 missed, 4 rightly let pass.
    outcomes = [(True, True)] * 3 + [(False, True)] + [(True, False)] * 2 + [(False, False)] * 4
    found = measure(add_up([judged(failed=failed, called=called) for failed, called in outcomes]))
    assert found["accuracy"] == pytest.approx(7 / 10)
    assert found["failure precision"] == pytest.approx(3 / 4)
    assert found["failure recall"] == pytest.approx(3 / 5)
    assert found["failure F1"] == pytest.approx(2 / 3)


def test_golden_shares_and_time() -> None:
    found = measure(
        add_up(
            [
                judged(exact=True, knowable=True, seconds=0.001),
                judged(knowable=True, unknown=True, seconds=0.003),
                judged(exact=True, seconds=0.002),
                judged(seconds=0.002),
            ]
        )
    )
    assert found["exact"] == 0.5
    assert found["exact, knowable"] == 0.5
    assert found["knowable"] == 0.5
    assert found["unknown"] == 0.25
    assert found["ms a prediction"] == pytest.approx(2)


def test_golden_changes_are_averaged_over_facts_not_steps() -> None:
    steps = [judged(changes=4, hits=4), judged(changes=1, false_alarms=2)]
    found = measure(add_up(steps))
    assert found["change precision"] == pytest.approx(4 / 6)
    assert found["change recall"] == pytest.approx(4 / 5)
    assert found["change F1"] == pytest.approx(8 / 11)


def test_golden_calibration_error() -> None:
    # Bin 0.7: mean chance 0.75, half of two succeed. Bin 0.9, which 1.0 is in: mean 0.95, both succeed.
    steps = [
        judged(chance=0.75),
        judged(chance=0.75, failed=True),
        judged(chance=0.9),
        judged(chance=1.0),
    ]
    assert measure(add_up(steps))["calibration error"] == pytest.approx((2 * 0.25 + 2 * 0.05) / 4)


@pytest.mark.parametrize(
    ("outcome", "chance", "failure"),
    [(TRUE, 0.1, False), (FALSE, 0.9, True), (UNKNOWN, 0.5, False), (UNKNOWN, 0.49, True)],
)
def test_an_unknown_outcome_is_scored_by_its_chance_and_no_other(
    outcome: Truth, chance: float, failure: bool
) -> None:
    assert says_failure(Prediction(outcome, chance, None, State({}), ())) is failure


def test_nothing_judged_is_measured_as_nan() -> None:
    assert all(isnan(value) for value in measure(add_up([])).values())
    assert all(isnan(bound) for pair in intervals(by_episode([])).values() for bound in pair)


@given(judgements())
def test_episodes_add_up_to_the_whole(steps: list[Judgement]) -> None:
    groups = by_episode(steps)
    assert len(groups.table) == len({step.episode for step in steps})
    np.testing.assert_allclose(groups.table.sum(axis=0), add_up(steps).table, atol=1e-9)


@given(judgements())
def test_shares_are_shares(steps: list[Judgement]) -> None:
    found = measure(add_up(steps))
    del found["ms a prediction"]
    assert all(isnan(value) or -1e-9 <= value <= 1 + 1e-9 for value in found.values())


def test_the_bootstrap_resamples_whole_episodes_and_repeats_with_its_seed() -> None:
    # Five episodes of ten steps, alike within: whatever is drawn, ten steps stand or fall together.
    steps = [judged(episode, called=episode < 2) for episode in range(5) for _ in range(10)]
    groups = by_episode(steps)
    accuracies = METRICS["accuracy"](resample(groups))
    assert {round(float(a), 6) for a in accuracies} <= {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}
    assert intervals(groups, seed=3)["accuracy"] == intervals(groups, seed=3)["accuracy"]
    assert not np.array_equal(accuracies, METRICS["accuracy"](resample(groups, seed=1)))


def test_the_interval_is_that_of_the_binomial_where_every_episode_is_one_step() -> None:
    steps = [judged(episode, called=episode % 4 == 0) for episode in range(400)]
    low, high = intervals(by_episode(steps), resamples=4000)["accuracy"]
    error = 1.96 * (0.75 * 0.25 / 400) ** 0.5
    assert low == pytest.approx(0.75 - error, abs=0.01)
    assert high == pytest.approx(0.75 + error, abs=0.01)
