"""The measures: golden values by hand, and what holds of any judgements."""

from __future__ import annotations

from math import isnan, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.errors import WorldModelError
from rules.logic import FALSE, TRUE, UNKNOWN, State, Truth
from worldmodel.evaluation.metrics import Judgement, says_failure
from worldmodel.evaluation.results import MEASURES, Evaluation, Judged
from worldmodel.model import Prediction


def judged(
    episode: int = 0, failed: bool = False, called: bool = False, chance: float = 1.0, **other: object
) -> Judgement:
    fields: dict[str, object] = {"action": "open", "unknown": False}
    return Judgement(episode=episode, failed=failed, called=called, chance=chance, **fields | other)  # type: ignore[arg-type]


def measure(steps: list[Judgement]) -> dict[str, float]:
    return Judged(steps).measures()


def evaluated(**predictors: list[Judgement]) -> Evaluation:
    return Evaluation(0, 0, 0, 0, predictors)


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
    found = measure([judged(failed=failed, called=called) for failed, called in outcomes])
    assert found["accuracy"] == pytest.approx(7 / 10)
    assert found["failure precision"] == pytest.approx(3 / 4)
    assert found["failure recall"] == pytest.approx(3 / 5)
    assert found["failure F1"] == pytest.approx(2 / 3)


def test_golden_shares_and_time() -> None:
    found = measure(
        [
            judged(exact=True, normalised=True, worded=True, overlap=1.0, knowable=True, seconds=0.001),
            judged(knowable=True, unknown=True, seconds=0.003, tokens=8),
            judged(exact=True, normalised=True, worded=True, overlap=1.0, seconds=0.002),
            judged(normalised=True, worded=True, overlap=0.5, seconds=0.002),
        ]
    )
    assert found["exact"] == 0.5
    assert found["exact, knowable"] == 0.5
    assert found["knowable"] == 0.5
    assert found["unknown"] == 0.25
    assert found["exact, normalised"] == found["worded"] == 0.75
    assert found["token F1"] == pytest.approx(2.5 / 4)
    assert found["ms a prediction"] == pytest.approx(2)
    assert found["tokens a prediction"] == 2


def test_golden_changes_are_averaged_over_facts_not_steps() -> None:
    steps = [judged(changes=4, hits=4), judged(changes=1, false_alarms=2)]
    found = measure(steps)
    assert found["change precision"] == pytest.approx(4 / 6)
    assert found["change recall"] == pytest.approx(4 / 5)
    assert found["change F1"] == pytest.approx(8 / 11)


def test_golden_log_likelihood_of_outcomes_and_contents() -> None:
    steps = [
        judged(chance=0.5, places=2, log_likelihood=-3.0),
        judged(chance=0.0, failed=True, places=1, log_likelihood=-1.0),
        judged(chance=0.0),  # taken for one in a million; its predictor gave no chances for contents
    ]
    found = measure(steps)
    assert found["log-likelihood"] == pytest.approx((log(0.5) + 0 + log(1e-6)) / 3)
    assert found["contents log-likelihood"] == pytest.approx(-4 / 3)


def test_golden_contents() -> None:
    found = measure([judged(present=3, guessed=2, found=2), judged(present=0, guessed=1), judged()])
    assert found["contents F1"] == pytest.approx(2 * 2 / (3 + 3))


@pytest.mark.parametrize(
    ("outcome", "chance", "failure"),
    [(TRUE, 0.1, False), (FALSE, 0.9, True), (UNKNOWN, 0.5, False), (UNKNOWN, 0.49, True)],
)
def test_an_unknown_outcome_is_scored_by_its_chance_and_no_other(
    outcome: Truth, chance: float, failure: bool
) -> None:
    assert says_failure(Prediction(outcome, chance, None, State({}), ())) is failure


def test_nothing_judged_is_measured_as_nan() -> None:
    assert all(isnan(value) for value in measure([]).values())
    found = evaluated(one=[], other=[])
    assert all(isnan(bound) for pair in found.intervals("one").values() for bound in pair)
    assert all(isnan(difference.value) for difference in found.compare("one", "other").values())


@given(judgements())
def test_every_episode_drawn_once_is_the_whole(steps: list[Judgement]) -> None:
    whole = Judged(steps)
    assert whole.measures(np.ones(len(whole.episodes))) == pytest.approx(whole.measures(), nan_ok=True)


@given(judgements())
def test_an_episode_drawn_twice_counts_like_its_copy(steps: list[Judgement]) -> None:
    whole = Judged(steps)
    draw = np.array([2.0 if number == 0 else 1.0 for number in whole.episodes])
    copies = [step._replace(episode=9) for step in steps if step.episode == 0]
    assert whole.measures(draw) == pytest.approx(measure(steps + copies), nan_ok=True)


@given(judgements())
def test_shares_are_shares(steps: list[Judgement]) -> None:
    found = measure(steps)
    free = {"ms a prediction", "tokens a prediction", "log-likelihood", "contents log-likelihood"}
    for name in found.keys() - free:
        assert isnan(found[name]) or -1e-9 <= found[name] <= 1 + 1e-9, name
    assert found.keys() == set(MEASURES)


def test_the_bootstrap_resamples_whole_episodes_and_repeats_with_its_seed() -> None:
    # Five episodes of ten steps, alike within: whatever is drawn, ten steps stand or fall together.
    steps = [judged(episode, called=episode < 2) for episode in range(5) for _ in range(10)]
    whole = Judged(steps)
    accuracies = [whole.measures(draw)["accuracy"] for draw in whole.draws(seed=0)]
    assert {round(a, 6) for a in accuracies} <= {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}
    found = evaluated(one=steps)
    assert found.intervals("one", seed=3)["accuracy"] == found.intervals("one", seed=3)["accuracy"]
    assert [list(d) for d in whole.draws(1)] == [list(d) for d in whole.draws(1)]
    assert [list(d) for d in whole.draws(1)] != [list(d) for d in whole.draws(0)]


def test_the_interval_is_that_of_the_binomial_where_every_episode_is_one_step() -> None:
    steps = [judged(episode, called=episode % 4 == 0) for episode in range(400)]
    low, high = evaluated(one=steps).intervals("one")["accuracy"]
    error = 1.96 * (0.75 * 0.25 / 400) ** 0.5
    assert low == pytest.approx(0.75 - error, abs=0.015)
    assert high == pytest.approx(0.75 + error, abs=0.015)


def test_a_small_but_steady_difference_is_clear_where_the_intervals_overlap() -> None:
    # Every episode has its own difficulty; the first predictor is right once more in each.
    def steps(more: int) -> list[Judgement]:
        return [
            judged(episode, called=place >= episode % 10 + more)
            for episode in range(40)
            for place in range(11)
        ]

    found = evaluated(better=steps(1), worse=steps(0))
    difference = found.compare("better", "worse")["accuracy"]
    assert difference.value == pytest.approx(1 / 11)
    assert difference.low == pytest.approx(1 / 11)
    assert difference.p <= 0.002
    assert found.intervals("better")["accuracy"][0] < found.intervals("worse")["accuracy"][1]
    same = found.compare("better", "better")["accuracy"]
    assert (same.value, same.low, same.high, same.p) == (0, 0, 0, 1)


def test_groups_have_their_own_measures() -> None:
    steps = [judged(source="rules", exact=True), judged(source="rules"), judged(source="memory", exact=True)]
    found = evaluated(stack=steps)
    assert found.groups("source", "stack") == {"rules": 2, "memory": 1}
    assert found.group("stack", "source", "rules")["exact"] == 0.5
    with pytest.raises(WorldModelError, match=r"not grouped by 'weather'; expected action, task"):
        found.groups("weather", "stack")
    with pytest.raises(WorldModelError, match=r"no predictor 'heap'; expected stack"):
        found.judged("heap")
