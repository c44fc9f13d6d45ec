"""Replaying logs: when a predictor is asked, what it is shown, and a tiny log computed by hand."""

from __future__ import annotations

import json
from math import isnan, log

import pytest
from msgspec.structs import replace
from rich.console import Console

from rules.errors import WorldModelError
from rules.logic import FALSE, TRUE, UNKNOWN, Action, Atom
from tests.worldmodel.evaluation.tiny_log import (
    FAILURE,
    FIRST,
    LOG,
    PERCEPTION,
    REFUSAL,
    SECOND,
    SUCCESS,
    Scripted,
    says,
)
from worldmodel.belief import Belief
from worldmodel.environments.base import UnknownGoal
from worldmodel.evaluation import AlwaysSucceeds, MostFrequentAnswer, action_table, evaluate, table, to_dict
from worldmodel.evaluation.results import MEASURES
from worldmodel.learning import learn
from worldmodel.model import Prediction
from worldmodel.predictors.base import Predictor, Tracker, Transcript
from worldmodel.trajectories import Episode, Step

AT_DESK, AT_DRAWER = Atom("at", ("desk 1",)), Atom("at", ("drawer 1",))
SCRIPT = (
    # go to desk 1: right, but for the mug; knows where it will be
    says(TRUE, 1.0, "You arrive at desk 1. On the desk 1, you see nothing.", (AT_DESK,)),
    # take mug 1: right, word for word but for white space; no changes predicted: two missed
    says(TRUE, 1.0, " You pick up the mug 1 from the desk 1.\n"),
    # go to drawer 1: a guess that comes true, of what was not knowable; one change of two
    says(TRUE, 1.0, "You arrive at drawer 1. The drawer 1 is closed.", (AT_DRAWER,)),
    # go to desk 7, refused: an unknown leaning to success, with two changes: two false alarms
    says(UNKNOWN, 0.6, None, (Atom("at", ("desk 7",)),), (AT_DRAWER,)),
    # go to desk 1: called a failure, wrongly
    says(FALSE, 0.0, REFUSAL),
    # go to sinkbasin 1, clean: right, says nothing
    SUCCESS,
    SUCCESS,
    # second episode, go to drawer 1: an unknown leaning to failure, wrongly; open drawer 1: right
    says(UNKNOWN, 0.2),
    says(TRUE, 1.0, None, (Atom("open", ("drawer 1",)),)),
)


class Spy(Transcript):
    """A predictor that keeps its own belief, and writes down who was called when."""

    name = "spy"

    def __init__(self) -> None:
        super().__init__(PERCEPTION)
        self.calls: list[str] = []

    def begin(self, observation: str) -> Belief:
        self.calls.append("begin")
        return super().begin(observation)

    def predict(self, belief: Belief, action: Action) -> Prediction:
        self.calls.append(f"predict {PERCEPTION.command(action)}")
        return SUCCESS(belief)

    def update(self, belief: Belief, action: Action | None, observation: str) -> Belief:
        self.calls.append(f"update {observation}")
        return super().update(belief, action, observation)


def test_the_tiny_log_by_hand() -> None:
    evaluation = evaluate([Scripted(*SCRIPT)], LOG, PERCEPTION)
    assert (evaluation.episodes, evaluation.steps) == (2, 11)
    assert (evaluation.malformed, evaluation.malformed_refused) == (2, 1)
    found = evaluation.measures("scripted")
    expected = {
        "accuracy": 6 / 9,
        "failure precision": 0 / 2,
        "failure recall": 0 / 1,
        "failure F1": 0.0,
        "unknown": 2 / 9,
        "exact": 2 / 9,
        "exact, knowable": 1 / 4,
        "knowable": 4 / 9,
        # Changes: 1 + 2 + 2 + 0 + 2 + 2 + 1 in the first episode, 1 + 1 in the second.
        "change precision": 3 / 5,
        "change recall": 3 / 12,
        "change F1": 6 / 17,
        # Success by chance, each level a bin of its own: 0 and 0.2 (succeed), 0.6 (fails), 1 (five of five).
        "calibration error": (1.0 + 0.8 + 0.6) / 9,
        "exact, normalised": 2 / 9,
        "worded": 4 / 9,
        # Confidence of what was right: 1, 1, 1, 1, 1, 1; of what was wrong: 0.6, 1 and 0.8.
        "AUROC": (6 * (1 + 0.5 + 1)) / (6 * 3),
        "log-likelihood": (log(0.4) + log(1e-6) + log(0.2)) / 9,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert found.keys() == set(MEASURES)


def test_measures_by_action() -> None:
    evaluation = evaluate([Scripted(*SCRIPT)], LOG, PERCEPTION)
    assert evaluation.actions == {"go_to": 6, "clean": 1, "open": 1, "take": 1}
    assert next(iter(evaluation.actions)) == "go_to"
    assert evaluation.measures("scripted", "go_to")["accuracy"] == pytest.approx(3 / 6)
    assert evaluation.measures("scripted", "take")["exact"] == 1
    assert isnan(evaluation.measures("scripted", "slice")["accuracy"])


def test_a_predictor_is_asked_before_it_is_shown() -> None:
    spy = Spy()
    assert isinstance(spy, Tracker)
    evaluate([spy], [SECOND], PERCEPTION)
    assert spy.calls == [
        "begin",
        "predict go to drawer 1",
        f"update {SECOND.steps[0].observation}",
        "predict open drawer 1",
        f"update {SECOND.steps[1].observation}",
        "update You hear a song.",
    ]


def test_a_predictor_without_a_belief_of_its_own_is_asked_with_the_transcripts() -> None:
    scripted = Scripted(*SCRIPT)
    evaluate([scripted, Spy()], LOG, PERCEPTION)
    first, second = scripted.asked[0][0], scripted.asked[1][0]
    assert set(first.objects) == {"desk 1", "drawer 1", "sinkbasin 1"}
    assert first.true == frozenset()
    assert second.true == {Atom("at", ("desk 1",)), Atom("in", ("mug 1", "desk 1"))}
    assert scripted.asked[7][0].true == frozenset(), "a new episode starts from its own opening"


def test_a_learned_model_is_a_predictor_that_keeps_its_own_belief() -> None:
    model: Predictor = learn(LOG, PERCEPTION)
    assert isinstance(model, Tracker)
    evaluation = evaluate([model, AlwaysSucceeds()], LOG, PERCEPTION)
    assert evaluation.predictors == ["rules", "always succeeds"]
    assert evaluation.measures("rules")["change recall"] > 0.5
    assert evaluation.measures("always succeeds")["change recall"] == 0


def test_what_comes_later_changes_no_earlier_prediction() -> None:
    model = learn(LOG, PERCEPTION)
    changed = replace(FIRST, steps=(*FIRST.steps[:-1], Step(FIRST.steps[-1].action, REFUSAL)))
    told = [
        [(j.called, j.chance, j.hits) for j in evaluate([model], [episode], PERCEPTION).judgements["rules"]]
        for episode in (FIRST, changed)
    ]
    assert told[0][:-1] == told[1][:-1]


@pytest.mark.parametrize("episodes", [[], [Episode("silent", "alfworld", FIRST.observation)]])
def test_an_empty_log_is_measured_as_nothing(episodes: list[Episode]) -> None:
    evaluation = evaluate([AlwaysSucceeds(), MostFrequentAnswer(PERCEPTION)], episodes, PERCEPTION)
    assert (evaluation.episodes, evaluation.steps, evaluation.actions) == (len(episodes), 0, {})
    assert isnan(evaluation.measures("always succeeds")["accuracy"])
    found = json.loads(json.dumps(to_dict(evaluation), allow_nan=False))
    assert found["predictors"]["always succeeds"]["measures"]["accuracy"] is None
    assert table(evaluation).row_count


def test_episodes_may_come_as_a_stream_and_progress_is_told() -> None:
    told: list[int] = []
    evaluation = evaluate([AlwaysSucceeds()], iter(LOG), PERCEPTION, told.append)
    assert told == [1, 2]
    assert evaluation.measures("always succeeds")["accuracy"] == pytest.approx(8 / 9)


def test_predictors_of_one_name_are_refused() -> None:
    with pytest.raises(WorldModelError, match=r"always succeeds, always succeeds: expected a different name"):
        evaluate([AlwaysSucceeds(), AlwaysSucceeds()], LOG, PERCEPTION)


def test_an_error_names_its_place() -> None:
    with pytest.raises(
        WorldModelError, match=r"^episode 'first', step 1, 'take mug 1 .*scripted .* chance of 7"
    ):
        evaluate([Scripted(FAILURE, says(TRUE, 7.0))], LOG, PERCEPTION)
    aimless = replace(FIRST, id="aimless", observation=FIRST.observation.partition("Your task")[0])
    with pytest.raises(WorldModelError, match=r"^episode 'aimless', opening: ") as caught:
        evaluate([learn(LOG, PERCEPTION)], [aimless], PERCEPTION)
    assert isinstance(caught.value.__cause__, UnknownGoal)


def test_tables_say_what_was_counted_and_how() -> None:
    evaluation = evaluate([Scripted(*SCRIPT), AlwaysSucceeds()], LOG, PERCEPTION)
    console = Console(width=200)
    with console.capture() as capture:
        console.print(table(evaluation))
        console.print(action_table(evaluation, "scripted"))
    text = " ".join(capture.get().split())
    assert "2 episodes, 11 steps: 9 well-formed; 2 not, 1 of them refused" in text
    assert "66.7 % [" in text
    assert "well-formed if its command is inside the grammar" in text
    assert "go_to │ 6 │ 66.7% │ 50.0 %" in text


def test_json_has_every_measure_with_its_interval() -> None:
    found = json.loads(json.dumps(to_dict(evaluate([Scripted(*SCRIPT)], LOG, PERCEPTION)), allow_nan=False))
    assert (found["malformed"], found["actions"]["go_to"]) == (2, 6)
    scripted = found["predictors"]["scripted"]
    assert scripted["measures"]["accuracy"] == pytest.approx(6 / 9)
    assert scripted["intervals"].keys() == set(MEASURES)
    low, high = scripted["intervals"]["accuracy"]
    assert low <= 6 / 9 <= high
    assert scripted["by_action"]["take"]["exact"] == 1
