"""Contents of unseen places, guessed from counts."""

from __future__ import annotations

import pytest

from rules.logic import Action, Atom
from tests.worldmodel.evaluation.tiny_log import PERCEPTION, opening
from worldmodel.evaluation import evaluate
from worldmodel.learning import learn
from worldmodel.model import WorldModel
from worldmodel.predictors.counts import Counts, fresh
from worldmodel.trajectories import Episode, Step


def visit(number: int, desk: str, shelf: str, room: str = "bed 1") -> Episode:
    """An episode in which a desk and a shelf are looked at, in a room of their own."""
    steps = (
        Step("go to desk 1", f"You arrive at desk 1. On the desk 1, you see {desk}."),
        Step("go to shelf 1", f"You arrive at shelf 1. On the shelf 1, you see {shelf}."),
        Step("go to shelf 1", "Nothing happens."),
    )
    return Episode(f"visit {number}", "alfworld", opening("desk 1", "shelf 1", room), steps)


LOG = [visit(n, "a mug 1, and a pen 2" if n % 4 else "a mug 2", "nothing", f"bed {n}") for n in range(20)]


@pytest.fixture(scope="module")
def counts() -> Counts:
    return Counts(learn(LOG, PERCEPTION))


def test_the_likeliest_contents_are_worded(counts: Counts) -> None:
    belief = counts.tracker.begin(opening("desk 1", "shelf 1", "sofa 1"))
    found = counts.predict(belief, Action("go_to", ("desk 1",)))
    assert found.observation == "You arrive at desk 1. On the desk 1, you see a mug 1, and a pen 1."
    assert found.source == "counts"
    assert 0.5 < found.certainty < 0.9
    empty = counts.predict(belief, Action("go_to", ("shelf 1",)))
    assert empty.observation == "You arrive at shelf 1. On the shelf 1, you see nothing."
    assert empty.certainty > found.certainty


def test_chances_follow_the_counts(counts: Counts) -> None:
    belief = counts.tracker.begin(opening("desk 1", "shelf 1", "sofa 1"))
    chances = counts.contents(belief, Atom("in", ("*", "desk 1")))
    assert chances.keys() == {"mug", "pen"}
    assert 0.8 < chances["mug"] < 1
    assert 0.55 < chances["pen"] < 0.75
    assert counts.contents(belief, Atom("in", ("*", "shelf 1"))) == {}
    assert counts.contents(belief, Atom("holding", ("*",))) == {}


def test_what_the_rules_can_word_is_theirs(counts: Counts) -> None:
    belief = counts.tracker.begin(opening("desk 1", "shelf 1", "sofa 1"))
    go = Action("go_to", ("desk 1",))
    belief = counts.tracker.update(belief, go, "You arrive at desk 1. On the desk 1, you see a pen 3.")
    assert counts.predict(belief, go) == counts.model.predict(belief, go)
    assert counts.predict(belief, Action("slice", ("pen 3", "pen 3"))).source == "rules"


def test_names_are_numbered_on() -> None:
    assert fresh("mug", {}) == "mug 1"
    assert fresh("mug", {"mug 1": "mug", "mug 3": "mug"}) == "mug 2"


class Shy(WorldModel):
    """Counts how often it is asked for a belief."""

    asked = 0

    def begin(self, observation: str):  # type: ignore[no-untyped-def]
        self.asked += 1
        return super().begin(observation)


def test_one_belief_serves_the_rules_and_the_counts(counts: Counts) -> None:
    model = Shy(counts.model.ruleset, PERCEPTION, counts.model.knowledge)
    found = evaluate([model, Counts(model)], LOG[:4], PERCEPTION)
    assert model.asked == 4
    rules, both = (found.measures(name) for name in found.predictors)
    assert both["exact"] > rules["exact"]
    assert both["contents F1"] > 0.8
    assert found.groups("source", "rules + counts").keys() == {"counts", "rules"}
