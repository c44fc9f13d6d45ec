"""Likeness of observations, and contents seen for the first time, by hand."""

from __future__ import annotations

from collections.abc import Mapping
from math import log

import pytest

from rules.logic import TRUE, Action, Atom
from tests.worldmodel.evaluation.tiny_log import LOG, PERCEPTION
from worldmodel.belief import Belief
from worldmodel.evaluation import evaluate
from worldmodel.evaluation.text import normalised, token_f1
from worldmodel.model import Prediction


def test_normalised_texts_differ_in_words_alone() -> None:
    assert normalised("  You ARRIVE at\n desk 1. ") == "you arrive at desk 1."
    assert normalised("desk 1") != normalised("desk1")


def test_token_f1_counts_words_as_often_as_they_occur() -> None:
    assert token_f1("a b c", "a b c") == token_f1("", "") == 1
    assert token_f1("a b", "c d") == token_f1("", "a") == 0
    # two of three words said, two of four asked for
    assert token_f1("a a b", "a b c d") == pytest.approx(2 * 2 / (3 + 4))
    assert token_f1("a a", "a") == pytest.approx(2 / 3)


class Furnished:
    """Expects a mug everywhere, and half expects a pen; says so in chances, or in words where it has any."""

    name, tokens = "furnished", 0

    def __init__(self, observation: str | None = None) -> None:
        self.observation = observation

    def predict(self, belief: Belief, action: Action) -> Prediction:
        self.tokens += 5
        return Prediction(TRUE, 1.0, self.observation, belief.state, (), "furniture")

    def contents(self, belief: Belief, pattern: Atom) -> Mapping[str, float]:
        return {"mug": 0.8, "pen": 0.4}


def test_contents_are_expected_by_chance_and_their_likelihood_added_up() -> None:
    # Seen into for the first time: desk 1 (a mug), sinkbasin 1 (nothing), drawer 1 (a pen).
    found = evaluate([Furnished()], LOG, PERCEPTION)
    measures = found.measures("furnished")
    assert measures["contents F1"] == pytest.approx(2 * 1 / (3 + 2))
    desk, sink, drawer = log(0.8) + log(0.6), log(0.2) + log(0.6), log(0.2) + log(0.4)
    assert measures["contents log-likelihood"] == pytest.approx((desk + sink + drawer) / 3)
    assert measures["tokens a prediction"] == 5
    assert found.groups("source", "furnished") == {"furniture": 9}


def test_what_is_said_goes_before_what_is_likely() -> None:
    said = "You open the drawer 1. The drawer 1 is open. In it, you see a pen 3, and a pen 1."
    steps = evaluate([Furnished(said)], LOG[1:], PERCEPTION).judgements["furnished"]
    assert [(s.present, s.guessed, s.found) for s in steps] == [(0, 0, 0), (1, 1, 1)]
    assert (steps[1].exact, steps[1].overlap) == (False, pytest.approx(2 * 17 / (20 + 18)))


class Silent(Furnished):
    name = "silent"
    contents = None  # type: ignore[assignment]


def test_a_predictor_without_chances_has_no_likelihood() -> None:
    measures = evaluate([Silent()], LOG, PERCEPTION).measures("silent")
    assert measures["contents log-likelihood"] != measures["contents log-likelihood"]
    assert measures["contents F1"] == 0
