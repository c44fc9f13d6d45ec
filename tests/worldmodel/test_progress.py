"""How far a goal is reached, by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine import Engine
from rules.logic import WILDCARD, Atom, State
from worldmodel.environments.alfworld.perception import AlfworldPerception
from worldmodel.environments.base import Goal
from worldmodel.progress import achieved, progress

PERCEPTION = AlfworldPerception()
ENGINE = Engine(PERCEPTION.domain)
CLEAN = PERCEPTION.goal("Your task is to: put a clean mug in desk.")
TWO = PERCEPTION.goal("Your task is to: put two mug in desk.")
OBJECTS = {"mug 1": "mug", "mug 2": "mug", "pen 1": "pen", "desk 1": "desk", "sinkbasin 1": "sinkbasin"}
NOTHING_ELSE = [Atom(p, (WILDCARD,) * len(types)) for p, types in PERCEPTION.domain.predicates.items()]
FACTS = {
    "in": Atom("in", ("mug 1", "desk 1")),
    "also": Atom("in", ("mug 2", "desk 1")),
    "clean": Atom("clean", ("mug 1",)),
    "held": Atom("holding", ("mug 1",)),
    "at": Atom("at", ("desk 1",)),
    "pen": Atom("holding", ("pen 1",)),
}


def state(*facts: str, objects: dict[str, str] | None = None) -> State:
    return State(OBJECTS if objects is None else objects, [FACTS[f] for f in facts], NOTHING_ELSE)


def test_progress_rises_with_what_is_known_at_hand_and_done() -> None:
    # Two parameters and two literals: a quarter each. At hand counts half, of each argument.
    along = [
        state(objects={"desk 1": "desk"}),
        state(),
        state("held"),
        state("held", "clean"),
        state("held", "clean", "at"),
        state("in", "clean"),
    ]
    expected = [1, 2, 2 + 0.25 + 0.5, 2 + 0.25 + 1, 2 + 0.5 + 1, 4]
    assert [progress(CLEAN, s, ENGINE) for s in along] == pytest.approx([e / 4 for e in expected])
    assert [achieved(CLEAN, s, ENGINE) for s in along] == [False] * 5 + [True]


def test_one_thing_must_do_it_all_and_two_must_be_two() -> None:
    assert not achieved(CLEAN, State(OBJECTS, [FACTS["also"], FACTS["clean"]], NOTHING_ELSE), ENGINE)
    assert not achieved(TWO, state("in"), ENGINE)
    assert achieved(TWO, state("in", "also"), ENGINE)


def test_what_is_unknown_is_not_achieved() -> None:
    assert not achieved(CLEAN, State(OBJECTS, [FACTS["in"]]), ENGINE)
    assert progress(Goal("be happy"), state("in"), ENGINE) == 0
    assert not achieved(Goal("be happy"), state("in"), ENGINE)


@given(st.sets(st.sampled_from(sorted(FACTS))), st.sampled_from([CLEAN, TWO]))
def test_progress_is_one_exactly_where_the_goal_is_achieved(facts: set[str], goal: Goal) -> None:
    found = progress(goal, state(*sorted(facts)), ENGINE)
    assert 0 <= found <= 1
    assert (found == 1) is achieved(goal, state(*sorted(facts)), ENGINE)
