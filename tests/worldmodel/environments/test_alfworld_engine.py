"""The fast engine alone: transcripts worked by hand, what a copy shares, and files that are no games."""

from __future__ import annotations

import json
import random
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st

from rules.errors import WorldModelError
from tests.worldmodel.environments.alfworld_room import FACTS, LOOK, OBJECTS, TWO, document, problem, treat
from worldmodel.environments.alfworld.engine import NOTHING, FastEngine
from worldmodel.environments.alfworld.environment import AlfworldEnv
from worldmodel.environments.alfworld.game import PUT, Game, demangle
from worldmodel.environments.alfworld.room import Room


def game(*arguments: Any, **others: Any) -> Game:
    return Game.from_document(document(*arguments, **others), "tiny")


def play(engine: FastEngine, transcript: str) -> None:
    """Check a transcript of ``> command`` lines, each followed by its answer."""
    for exchange in transcript.strip().split("\n> "):
        command, answer = exchange.removeprefix("> ").split("\n")
        assert engine.step(command)[0] == answer.strip(), command


def test_the_opening_lists_the_room_in_the_order_of_the_ids() -> None:
    assert FastEngine(game()).reset() == (
        "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around"
        " you, you see a coffeemachine 1, a countertop 1, a desk 1, a drawer 2, a drawer 1, a fridge 1,"
        " a microwave 1, and a sinkbasin 1.\n\nYour task is to: put a pen in desk."
    )


def test_receptacles_that_share_a_location_are_reached_together() -> None:
    engine = FastEngine(game())
    play(
        engine,
        """
> look
You are in the middle of a room. Looking quickly around you, you see nothing.
> go to desk 1
You arrive at desk 1. On the desk 1, you see a bowl 1, a desklamp 1, a mug 2, and a painting 1.
> go to drawer 2
Nothing happens.
> examine drawer 1
On the drawer 1, you see nothing.
> examine drawer 2
The drawer 2 is closed.
> open drawer 2
You open the drawer 2. The drawer 2 is open. In it, you see a pen 1.
> open drawer 2
Nothing happens.
> take pen 1 from drawer 2
You pick up the pen 1 from the drawer 2.
> move pen 1 to drawer 1
You move the pen 1 to the drawer 1.
> look
You are facing the desk 1, drawer 2, and drawer 1. Next to it, you see a pen 1.
> take pen 1 from drawer 1
You pick up the pen 1 from the drawer 1.
> close drawer 2
You close the drawer 2.
> move pen 1 to drawer 2
Nothing happens.
> move pen 1 to desk 1
You move the pen 1 to the desk 1.
> look
You are facing the desk 1, drawer 2, and drawer 1. Next to it, you see a pen 1, and a pen 1.
> examine desk 1
On the desk 1, you see a bowl 1, a desklamp 1, a mug 2, a painting 1, and a pen 1.
""",
    )
    assert engine.won
    play(
        engine,
        """
> take pen 1 from desk 1
You pick up the pen 1 from the desk 1.
> move pen 1 to drawer 1
You move the pen 1 to the drawer 1.
> look
You are facing the desk 1, drawer 2, and drawer 1. Next to it, you see a pen 1, and a pen 1.
""",
    )


def test_an_object_in_two_places_stays_in_the_one_it_was_not_taken_from() -> None:
    play(
        FastEngine(game()),
        """
> go to countertop 1
You arrive at countertop 1. On the countertop 1, you see a apple 1, a knife 1, and a mug 1.
> take mug 1 from countertop 1
You pick up the mug 1 from the countertop 1.
> examine coffeemachine 1
On the coffeemachine 1, you see a mug 1.
> take mug 1 from coffeemachine 1
Nothing happens.
> inventory
You are carrying: a mug 1.
> examine mug 1
This is a normal mug 1. In it, you see nothing.
""",
    )


def test_heating_cooling_cleaning_and_slicing_show_when_examined() -> None:
    play(
        FastEngine(game()),
        """
> go to countertop 1
You arrive at countertop 1. On the countertop 1, you see a apple 1, a knife 1, and a mug 1.
> examine apple 1
Nothing happens.
> take apple 1 from countertop 1
You pick up the apple 1 from the countertop 1.
> examine apple 1
There's nothing special about apple 1.
> go to microwave 1
You arrive at microwave 1. The microwave 1 is closed.
> move apple 1 to microwave 1
Nothing happens.
> heat apple 1 with microwave 1
You heat the apple 1 using the microwave 1.
> examine apple 1
This is a hot apple 1.
> go to fridge 1
You arrive at fridge 1. The fridge 1 is closed.
> heat apple 1 with fridge 1
Nothing happens.
> cool apple 1 with fridge 1
You cool the apple 1 using the fridge 1.
> examine apple 1
This is a cold apple 1.
> go to sinkbasin 1
You arrive at sinkbasin 1. On the sinkbasin 1, you see nothing.
> clean apple 1 with sinkbasin 1
You clean the apple 1 using the sinkbasin 1.
> examine apple 1
This is a cool and clean apple 1.
> move apple 1 to sinkbasin 1
You move the apple 1 to the sinkbasin 1.
> go to countertop 1
You arrive at countertop 1. On the countertop 1, you see a knife 1, and a mug 1.
> take knife 1 from countertop 1
You pick up the knife 1 from the countertop 1.
> slice apple 1 with knife 1
Nothing happens.
> go to sinkbasin 1
You arrive at sinkbasin 1. On the sinkbasin 1, you see a apple 1.
> slice apple 1 with knife 1
You sliced the apple 1 with the knife 1.
> go to desk 1
You arrive at desk 1. On the desk 1, you see a bowl 1, a desklamp 1, a mug 2, and a painting 1.
> move knife 1 to desk 1
You move the knife 1 to the desk 1.
> examine desk 1
On the desk 1, you see a bowl 1, a desklamp 1, a knife 1, a mug 2, and a painting 1.
> take bowl 1 from desk 1
You pick up the bowl 1 from the desk 1.
> examine bowl 1
This is a normal bowl 1. In it, you see a pen 1.
""",
    )


def test_the_old_grammar_puts_and_arrives_at_locations() -> None:
    grammar = '"rhs": "Your task is to: put a \\"pen\\" in desk" template :: "put {o} in/on {r}"'
    old = Game.from_document(document(task=None, grammar=grammar), "old")
    assert (old.task, old.wording) == ('put a "pen" in desk', PUT)
    engine = FastEngine(old)
    play(
        engine,
        """
> go to countertop 1
You arrive at loc 4. On the countertop 1, you see a apple 1, a knife 1, and a mug 1.
> take mug 1 from countertop 1
You pick up the mug 1 from the countertop 1.
> move mug 1 to countertop 1
Nothing happens.
> help
Nothing happens.
""",
    )
    assert "put mug 1 in/on countertop 1" in engine.admissible()
    assert "help" not in engine.admissible()
    play(engine, "> put mug 1 in/on countertop 1\nYou put the mug 1 in/on the countertop 1.")


HOT_APPLE = treat("isHot", "heatable", "Apple", "Fridge")
COOL_APPLE = treat("isCool", "coolable", "Apple", "Desk")
CLEAN_MUG = treat("isClean", "cleanable", "Mug", "CoffeeMachine")
GOALS = [
    (
        LOOK,
        "look_at_obj_in_light",
        "go to desk 1, use desklamp 1, go to countertop 1, take apple 1 from countertop 1, go to desk 1",
    ),
    (
        TWO,
        "pick_two_obj_and_place",
        "go to desk 1, take mug 2 from desk 1, go to countertop 1, move mug 2 to countertop 1",
    ),
    (
        HOT_APPLE,
        "pick_heat_then_place_in_recep",
        "go to countertop 1, take apple 1 from countertop 1, go to microwave 1,"
        " heat apple 1 with microwave 1, go to fridge 1, open fridge 1, move apple 1 to fridge 1",
    ),
    (
        COOL_APPLE,
        "pick_cool_then_place_in_recep",
        "go to countertop 1, take apple 1 from countertop 1, go to fridge 1, cool apple 1 with fridge 1,"
        " go to desk 1, move apple 1 to desk 1",
    ),
    (  # Mug 1 is still in the machine when it is cleaned: won without putting it anywhere.
        CLEAN_MUG,
        "pick_clean_then_place_in_recep",
        "go to countertop 1, take mug 1 from countertop 1, go to sinkbasin 1, clean mug 1 with sinkbasin 1",
    ),
]


@pytest.mark.parametrize(("goal", "task_type", "plan"), GOALS)
def test_a_goal_is_reached_by_the_last_step_of_its_plan(goal: str, task_type: str, plan: str) -> None:
    played = game(goal)
    assert played.task_type == task_type
    engine = FastEngine(played)
    *before, last = plan.split(", ")
    assert not any(engine.step(command)[1] for command in before)
    assert engine.step(last)[1]


def test_a_win_can_be_lost() -> None:
    engine = FastEngine(game(HOT_APPLE))
    for command in GOALS[2][2].split(", "):
        engine.step(command)
    assert engine.won
    assert not engine.step("take apple 1 from fridge 1")[1]


def test_heating_undoes_cooling() -> None:
    engine = FastEngine(game(COOL_APPLE))
    *before, last = GOALS[3][2].split(", ")
    for command in [*before, "go to microwave 1", "heat apple 1 with microwave 1", "go to desk 1"]:
        engine.step(command)
    assert engine.step(last) == ("You move the apple 1 to the desk 1.", False)


@pytest.mark.parametrize(
    ("goal", "at_start", "with_apple"),
    [
        ("(exists (?o - object) (and (objectType ?o AppleType) (not (holds agent1 ?o))))", True, False),
        ("(not (inReceptacle Apple_bar_1 CounterTop_bar_1))", False, True),
        (
            "(exists (?l - location) (and (atLocation agent1 ?l) (objectAtLocation Mug_bar_2 ?l)))",
            False,
            True,
        ),
        ("(exists (?t - rtype) (objectType Apple_bar_1 ?t))", False, False),  # AppleType is no rtype
        ("(exists (?t - object) (objectType Apple_bar_1 ?t))", True, True),  # in PDDL all are objects
    ],
)
def test_goals_may_hold_negations_constants_and_types(goal: str, at_start: bool, with_apple: bool) -> None:
    engine = FastEngine(game(goal))
    assert engine.won is at_start
    engine.step("go to countertop 1")
    assert engine.step("take apple 1 from countertop 1")[1] is with_apple


NAMES = list(Room(game()).rank)
PAIRS = ["take {} from {}", "move {} to {}", "clean {} with {}", "heat {} with {}", "cool {} with {}"]
EVERY_COMMAND = [
    *(template.format(*pair) for template in [*PAIRS, "slice {} with {}"] for pair in product(NAMES, NAMES)),
    *(f"{verb} {name}" for verb in ("go to", "open", "close", "use", "examine") for name in NAMES),
    *("look", "inventory", "help", "", "look around", "go", "take", "Look", "put mug 1 in/on desk 1"),
]


@given(st.randoms(use_true_random=False), st.integers(0, 25))
def test_admissible_commands_are_exactly_those_that_something_comes_of(rng: random.Random, n: int) -> None:
    engine = FastEngine(game())
    for _ in range(n):
        engine.step(rng.choice([c for c in engine.admissible() if not c.startswith(("help", "inv"))]))
    admissible = engine.admissible()
    assert admissible == sorted(set(admissible))
    works = {command for command in EVERY_COMMAND if engine.copy().step(command)[0] != NOTHING}
    assert works == set(admissible)


@given(st.randoms(use_true_random=False))
def test_a_copy_goes_its_own_way(rng: random.Random) -> None:
    engine = FastEngine(game())
    for _ in range(rng.randrange(15)):
        engine.step(rng.choice(engine.admissible()))
    state, admissible = engine.state, engine.admissible()
    twin = engine.copy()
    commands = []
    for _ in range(10):
        commands.append(rng.choice(twin.admissible()))
        twin.step(commands[-1])
    assert (engine.state, engine.admissible()) == (state, admissible)
    for command in commands:
        engine.step(command)
    assert (engine.state, engine.won) == (twin.state, twin.won)


def test_names_count_down_in_the_order_of_the_ids() -> None:
    ids = {"drawer_bar__minus_1", "drawer_bar__plus_2", "sink_bar_1_bar_sinkbasin", "mugtype", "loc_bar_7"}
    assert demangle(ids) == {
        "drawer_bar__minus_1": "drawer 2",
        "drawer_bar__plus_2": "drawer 1",
        "loc_bar_7": "loc 1",
        "mugtype": "mugtype ",
        "sink_bar_1_bar_sinkbasin": "sinkbasin 1",
    }


def test_the_environment_keeps_gymnasiums_contract() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(AlfworldEnv(game()), skip_render_check=True)


def test_an_episode_is_truncated_after_max_steps_and_every_command_counts() -> None:
    environment = AlfworldEnv(game(), max_steps=3)
    _, info = environment.reset(seed=1)
    assert info == {"won": False, "admissible_commands": FastEngine(game()).admissible()}
    ends = [environment.step(command)[2:4] for command in ("look", "dance", "look")]
    assert ends == [(False, False), (False, False), (False, True)]
    with pytest.raises(WorldModelError, match=r"call reset\(\)"):
        environment.step("look")


def test_a_win_on_the_last_step_is_termination_and_not_truncation() -> None:
    commands = GOALS[1][2].split(", ")
    environment = AlfworldEnv(game(TWO), max_steps=len(commands), admissible=False)
    environment.reset()
    rewards = [environment.step(command)[1:] for command in commands]
    assert rewards[-2] == (0.0, False, False, {"won": False})
    assert rewards[-1] == (1.0, True, False, {"won": True})


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(WorldModelError, match="unknown ALFWorld engine 'quick'; expected fast or official"):
        AlfworldEnv(game(), engine="quick")


def test_a_file_is_read_under_its_folders_name(tmp_path: Path) -> None:
    path = tmp_path / "pick-Pen" / "trial_1" / "game.tw-pddl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(document()))
    assert Game.load(path).id == "pick-Pen/trial_1"
    assert Game.load(path, id="mine").id == "mine"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "0 bytes is no size"),
        ("{", "not a game file"),
        ("[" * 5000, "not a game file"),
        (b"\xff\xfe", "not a game file"),
        ('{"task": "put a pen in desk."}', "missing required field `pddl_problem`"),
        ('{"pddl_problem": 3, "task": "x"}', r"Expected `str`, got `int` - at `\$.pddl_problem`"),
    ],
)
def test_a_file_that_is_no_game_is_named(tmp_path: Path, content: str | bytes, message: str) -> None:
    path = tmp_path / "broken.tw-pddl"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(WorldModelError, match=message) as caught:
        Game.load(path)
    assert str(path) in str(caught.value)
    with pytest.raises(WorldModelError, match="cannot read the game file"):
        Game.load(tmp_path / "absent.tw-pddl")


MANY = [f"?v{index}" for index in range(16)]
MUGS = " ".join(f"(objectType {mug} MugType) (not (= ?v0 {mug}))" for mug in MANY)
BAD_PROBLEMS = [
    ("", "one expression"),
    ("(define (problem x)", "every \\( closed"),
    ("(define)) (", "without its \\("),
    ("(problem x)", "should begin with"),
    ("(" * 60 + ")" * 60, "nested deeper than 40"),
    ("x" * 2_000_001, "longer than"),
    ("(define (problem x) (:objects) (:goal (and)))", "no \\(:init ...\\) section"),
    (problem(facts=FACTS.replace("(atLocation agent1 loc_bar_0)", "")), "expected one agent"),
    (problem(facts=FACTS + "(atLocation agent1 loc_bar_1)"), "at one location, found 2"),
    (problem(facts=FACTS + "(holds agent1 Pen_bar_1)"), "holds one thing and holdsAny"),
    (problem(facts=FACTS + "(receptacleAtLocation Desk_bar_1 loc_bar_5)"), "stands at two locations"),
    (problem(facts=FACTS + "(openable Cupboard_bar_1)"), "not in \\(:objects ...\\)"),
    (problem(facts=FACTS + "(openable)"), "openable takes 1 argument"),
    (problem(facts=FACTS + "(not (openable Desk_bar_1))"), "expected a ground fact"),
    (problem(objects=OBJECTS + " x -"), "expected a type after '-'"),
    (problem(goal="(forall (?o - object) (isHot ?o))"), "goal not understood at \\(forall"),
    (problem(goal="(exists (?o - object) (shiny ?o))"), "goal not understood at \\(shiny"),
    (problem(goal="(isHot ?o)"), "goal not understood at \\(ishot \\?o\\)"),
    (problem(goal="(exists (?o - object) (isHot ?o ?o))"), "goal not understood"),
    (problem(goal="pen"), "goal not understood at pen"),
    (problem(goal=f"(exists ({' '.join(MANY)} - object) (and {MUGS}))"), "over 20,000 bindings"),
]


@pytest.mark.parametrize(("text", "message"), BAD_PROBLEMS)
def test_a_problem_that_is_no_room_is_refused(text: str, message: str) -> None:
    with pytest.raises(WorldModelError, match=f"^tiny: .*{message}"):
        FastEngine(Game.from_document({"pddl_problem": text, "task": "put a pen in desk."}, "tiny"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": None}, "no task"),
        ({"task": None, "grammar": "nothing"}, "no task"),
        ({"task": "two\nlines"}, "one line of text"),
        ({"task": "x" * 501}, "one line of text"),
        ({"grammar": "template :: 'stow {o}'"}, "grammar not understood"),
        ({"walkthrough": 3}, "walkthrough"),
    ],
)
def test_a_document_without_task_or_known_grammar_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(WorldModelError, match=message):
        Game.from_document({**document(), **change}, "tiny")
