"""Templates and observations are inverse where everything is known; no text breaks them."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.language import slots
from rules.logic import WILDCARD, Action, Atom, State
from rules.ruleset import ActionSchema, Parameter
from tests.worldmodel.blocks_text import BlocksEnv, BlocksPerception, play
from tests.worldmodel.environments.alfworld_room import document
from worldmodel.environments.alfworld.engine import FastEngine
from worldmodel.environments.alfworld.game import Game
from worldmodel.environments.alfworld.perception import AlfworldPerception
from worldmodel.environments.base import Percept, Perception
from worldmodel.replay import transitions
from worldmodel.trajectories import Episode, Step
from worldmodel.wording import ANYTHING, lift, realize

TAKE = ActionSchema("take", (Parameter("?o"), Parameter("?r")), "take {?o} from {?r}")
HOUSE = AlfworldPerception()


def lifted(text: str, action: Action, perception: Perception = HOUSE) -> str:
    schema = perception.domain.actions[action.name]
    return lift(text, action, schema, perception.perceive(action, text), perception)


@pytest.mark.parametrize(
    ("action", "text", "template"),
    [
        (
            Action("take", ("mug 1", "desk 1")),
            "You pick up the mug 1 from the desk 1.",
            "You pick up the {?o} from the {?r}.",
        ),
        (
            Action("go_to", ("desk 1",)),
            "You arrive at desk 1. On the desk 1, you see a mug 1, and a pen 2.",
            "You arrive at {?r}. On the {?r}, you see {in(*, ?r)}.",
        ),
        (
            Action("open", ("safe 1",)),
            "You open the safe 1. The safe 1 is open. In it, you see nothing.",
            "You open the {?r}. The {?r} is open. In it, you see {in(*, ?r)}.",
        ),
        (Action("inventory"), "You are carrying: a mug 1.", "You are carrying: {holding(*)}."),
        (Action("inventory"), "You are not carrying anything.", "You are not carrying anything."),
        (
            Action("look"),
            "You are facing the desk 1. Next to it, you see nothing.",
            "You are facing the {the at(*)}. Next to it, you see nothing.",
        ),
        (
            Action("look"),
            "You are facing the drawer 2, and drawer 1. Next to it, you see a drawer 11.",
            f"You are facing the {{the at(*)}}. Next to it, you see a {ANYTHING}.",
        ),
        (
            Action("examine", ("desk 1",)),
            "On the desk 1, you see a desk 1.",
            "On the {?r}, you see {in(*, ?r)}.",
        ),
        (Action("take", ("mug 1", "desk 1")), "Nothing happens.", "Nothing happens."),
    ],
)
def test_a_sentence_of_the_household_becomes_a_template(action: Action, text: str, template: str) -> None:
    assert lifted(text, action) == template


@pytest.mark.parametrize(
    ("action", "text", "template"),
    [
        (Action("swing", ("east",)), "Swung to east. A cover.", "Swung to {?s}. A cover."),
        (
            Action("swing", ("east",)),
            "Swung to east. There: blue, green and red.",
            "Swung to {?s}. There: {lying(*, ?s)}.",
        ),
        (Action("feel"), "Over east and north.", "Over {over(*)}."),
        (Action("grab", ("red", "east")), "Got red from east.", "Got {?b} from {?s}."),
    ],
)
def test_a_sentence_of_the_table_becomes_a_template(action: Action, text: str, template: str) -> None:
    assert lifted(text, action, BlocksPerception()) == template


def household_walk(seed: int) -> Episode:
    chance = random.Random(seed)
    engine = FastEngine(Game.from_document(document(), "tiny"))
    opening = engine.reset()
    steps = []
    for _ in range(40):
        command = chance.choice(sorted(engine.admissible()))
        steps.append(Step(command, engine.step(command)[0]))
    return Episode("tiny", "alfworld", opening, tuple(steps))


def walks(seed: int) -> Iterator[tuple[Episode, Perception]]:
    yield household_walk(seed), HOUSE
    yield play(BlocksEnv(), seed), BlocksPerception()


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_what_is_lifted_is_realized_word_for_word_where_all_is_known(seed: int) -> None:
    for episode, perception in walks(seed):
        texts = [s.observation for s in episode.steps if perception.action(s.action) is not None]
        for transition, text in zip(transitions(episode, perception), texts, strict=True):
            parameters = perception.domain.actions[transition.action.name].parameters
            binding = dict(zip((p.name for p in parameters), transition.action.args, strict=True))
            found = realize(transition.says, binding, transition.after, perception)
            assert found == (None if ANYTHING in transition.says else text)


def test_a_list_that_is_not_known_in_full_is_not_predicted() -> None:
    template, binding = "On the {?r}, you see {in(*, ?r)}.", {"?r": "desk 1"}
    mug = Atom("in", ("mug 1", "desk 1"))
    everything = Atom("in", (WILDCARD, "desk 1"))
    assert realize(template, binding, State({}, [mug]), HOUSE) is None
    full = State({}, [mug], [everything])
    assert realize(template, binding, full, HOUSE) == "On the desk 1, you see a mug 1."
    empty = State({}, [], [everything])
    assert realize(template, binding, empty, HOUSE) == "On the desk 1, you see nothing."


@pytest.mark.parametrize("template", ["{?x}", "{in(*, *)}", "{in(?o, ?r)}", f"see {ANYTHING}"])
def test_a_slot_that_nothing_fills_is_not_predicted(template: str) -> None:
    closed = State({}, [], [Atom("in", (WILDCARD, WILDCARD)), Atom("in", ("mug 1", "desk 1"))])
    assert realize(template, {"?o": "mug 1", "?r": "desk 1"}, closed, HOUSE) is None


def test_names_are_found_as_whole_words_the_longest_first() -> None:
    action = Action("take", ("mug 1", "mug 12"))
    text = "mug 1, mug 12, mug 123 and a red mug 1!"
    assert lift(text, action, TAKE, Percept(), HOUSE) == "{?o}, {?r}, mug 123 and a red {?o}!"


def test_a_name_may_be_a_bare_number() -> None:
    action = Action("take", ("1", "0"))
    percept = Percept({"2": "any"})
    assert lift("1 from 0 and 2, not 10", action, TAKE, percept, HOUSE) == "{?o} from {?r} and {_}, not 10"


def test_twice_the_same_argument_is_the_first_parameter() -> None:
    assert lift("put a on a", Action("take", ("a", "a")), TAKE, Percept(), HOUSE) == "put {?o} on {?o}"


@pytest.mark.parametrize(
    "text", ["{?o}", "a {?z} b", "{in(*, ?r)}", "\0000\0", "\0009\0", "\ue000", "\uf8ff 1"]
)
def test_text_that_looks_like_a_slot_or_a_mark_becomes_none(text: str) -> None:
    template = lift(text, Action("take", ("mug 1", "desk 1")), TAKE, Percept(), HOUSE)
    assert list(slots(template)) == []


hostile = st.text(st.sampled_from("ab 1?{}()*,_o\0\ue000\uf8ff\n"), max_size=30)


@given(hostile, hostile.filter(bool), hostile.filter(bool), st.lists(hostile.filter(bool), max_size=3))
def test_no_text_breaks_a_template(text: str, o: str, r: str, others: list[str]) -> None:
    percept = Percept(dict.fromkeys(others, "any"))
    template = lift(text, Action("take", (o, r)), TAKE, percept, HOUSE)
    assert {s for s in slots(template) if isinstance(s, str)} <= {"?o", "?r"}
    realize(template, {"?o": o, "?r": r}, State({}), HOUSE)
