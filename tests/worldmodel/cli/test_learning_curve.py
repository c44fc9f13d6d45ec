"""The learning curve's arithmetic, and that it runs on a few train games."""

from __future__ import annotations

import pytest

from benchmarks.household import GAMES
from benchmarks.learning_curve import Curve, learn, plot, streaks


def test_the_streak_ends_at_the_game_that_completes_it() -> None:
    assert Curve(0, [False, True, True, False, True, True, True]).streak(3) == 7
    assert Curve(0, [True, True]).streak(2) == 2
    assert Curve(0, [True, False, True]).streak(2) is None


def test_what_is_printed_says_where_it_never_came_to_it() -> None:
    curves = [Curve(4, [False, True] * 5, [50, 10] * 5, [50, 0] * 5)]
    assert streaks(curves) == "Train games until 20 wins in a row: seed 4: not within 10, longest run 1."
    assert "seed 4    │·█·█·█·█·█│" in plot(curves)


@pytest.mark.slow
@pytest.mark.skipif(not GAMES.is_dir(), reason=f"needs ALFWorld's games in {GAMES}")
def test_it_plays_train_games_from_nothing() -> None:
    curve = learn(GAMES, 2, seed=0)
    assert len(curve.won) == len(curve.steps) == 2
    assert curve.explored[0] == curve.steps[0]
