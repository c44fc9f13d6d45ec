"""ALFWorld's text and facts: golden sentences, the grammar's own conditions, real tasks, games and logs."""

from __future__ import annotations

import json
import lzma
import re
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.errors import WorldModelError
from rules.logic import Action, Atom, Literal
from rules.ruleset import Parameter
from worldmodel.environments.alfworld.perception import AlfworldPerception
from worldmodel.environments.alfworld.react import read_react
from worldmodel.environments.alfworld.sentences import MAX_TEXT
from worldmodel.environments.alfworld.vocabulary import RECEPTACLES
from worldmodel.environments.base import Goal, Percept, UnknownGoal

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"
needs_games = pytest.mark.skipif(
    not (SHARED / "alfworld").is_dir(), reason="needs the ALFWorld games beside the project (../shared)"
)
needs_logs = pytest.mark.skipif(
    not (SHARED / "knowagent_alfworld").is_dir(), reason="needs the KnowAgent logs beside the project"
)

NEW, OLD = AlfworldPerception(), AlfworldPerception("old")
OPENING = (
    "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, "
    "you see a bed 1, a drawer 2, a drawer 1, and a zorkbench 1.\n\nYour task is to: put a pen in drawer."
)


def atoms(text: str) -> frozenset[Atom]:
    """``"at(desk 1) in(*, desk 1)"`` as atoms."""
    return frozenset(Atom(p, tuple(args.split(", "))) for p, args in re.findall(r"(\w+)\(([^)]*)\)", text))


# command | sentence | true | false
GOLDEN = """
go to desk 1|You arrive at desk 1. On the desk 1, you see a mug 1, and a pen 2.|at(desk 1) in(mug 1, desk 1) \
in(pen 2, desk 1)|at(*) openable(desk 1) in(*, desk 1)
go to desk 1|On the desk 1, you see nothing.|at(desk 1)|at(*) openable(desk 1) in(*, desk 1)
go to desk 1|You arrive at loc 12. On the desk 1, you see nothing.|at(desk 1)\
|at(*) openable(desk 1) in(*, desk 1)
go to safe 1|You arrive at safe 1. The safe 1 is closed.|at(safe 1) openable(safe 1)|at(*) open(safe 1)
go to safe 1|The safe 1 is closed.|at(safe 1) openable(safe 1)|at(*) open(safe 1)
go to safe 1|You arrive at safe 1. The safe 1 is open. In it, you see a cd 1.|at(safe 1) openable(safe 1) \
open(safe 1) in(cd 1, safe 1)|at(*) in(*, safe 1)
open safe 1|You open the safe 1. The safe 1 is open. In it, you see nothing.|openable(safe 1) open(safe 1)\
|in(*, safe 1)
close safe 1|You close the safe 1.|openable(safe 1)|open(safe 1)
take cd 1 from safe 1|You pick up the cd 1 from the safe 1.|holding(cd 1)|in(cd 1, safe 1)
move cd 1 to safe 1|You move the cd 1 to the safe 1.|in(cd 1, safe 1)|holding(cd 1)
put cd 1 in/on safe 1|You put the cd 1 in/on the safe 1.|in(cd 1, safe 1)|holding(cd 1)
clean mug 1 with sinkbasin 1|You clean the mug 1 using the sinkbasin 1.|clean(mug 1)|
heat mug 1 with microwave 1|You heat the mug 1 using the microwave 1.|hot(mug 1)|
cool mug 1 with fridge 1|You cool the mug 1 using the fridge 1.|cool(mug 1)|
use desklamp 1|You turn on the desklamp 1.|on(desklamp 1)|
use desklamp 1|You turn off the desklamp 1.||on(desklamp 1)
slice apple 1 with knife 2|You sliced the apple 1 with the knife 2.|sliced(apple 1)|
examine desk 1|On the desk 1, you see a pen 2.|in(pen 2, desk 1)|openable(desk 1) in(*, desk 1)
examine mug 1|This is a normal mug 1. In it, you see a spoon 1.|vessel(mug 1)|
examine apple 1|This is a hot apple 1.|hot(apple 1)|clean(apple 1) sliced(apple 1) vessel(apple 1)
examine apple 1|This is a cold apple 1.|cool(apple 1)|hot(apple 1) clean(apple 1) \
sliced(apple 1) vessel(apple 1)
examine apple 1|This is a hot sliced apple 1.|hot(apple 1) sliced(apple 1)|clean(apple 1) vessel(apple 1)
examine apple 1|This is a cool and clean apple 1.|cool(apple 1) clean(apple 1)|hot(apple 1) \
sliced(apple 1) vessel(apple 1)
examine apple 1|There's nothing special about apple 1.||hot(apple 1) clean(apple 1) \
vessel(apple 1) cool(apple 1) sliced(apple 1) on(apple 1)
inventory|You are carrying: a apple 1.|holding(apple 1)|holding(*)
inventory|You are not carrying anything.||holding(*)
look|You are facing the drawer 8, and drawer 7. Next to it, you see a boots 1.|at(drawer 8) at(drawer 7)|at(*)
look|You are in the middle of a room. Looking quickly around you, you see nothing.||at(*)
"""


@pytest.mark.parametrize("row", GOLDEN.strip().splitlines())
def test_each_sentence_says_this_and_no_more(row: str) -> None:
    command, sentence, true, false = row.split("|")
    percept = NEW.perceive(NEW.action(command), sentence)
    assert (percept.true, percept.false) == (atoms(true), atoms(false))
    assert percept.objects or not re.search(r"[a-z] [0-9]", sentence)
    assert all(NEW.domain.types[type_] == NEW.parent(type_) for type_ in percept.objects.values())
    assert set(percept.contents) == {
        atom for atom in percept.false if atom.predicate == "in" and "*" in atom.args
    }


def test_contents_keep_the_order_of_the_text() -> None:
    percept = NEW.perceive(None, "On the desk 1, you see a pen 2, a mug 1, and a cd 3.")
    assert percept.contents == {Atom("in", ("*", "desk 1")): ("pen 2", "mug 1", "cd 3")}
    assert list(percept.objects.items()) == [
        ("desk 1", "desk"), ("pen 2", "pen"), ("mug 1", "mug"), ("cd 3", "cd"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", [OPENING, OPENING.split("\n\n", 1)[1], OPENING[37:].replace("\n\n", "\n")])
def test_the_opening_lists_the_room_and_denies_place_and_possession(text: str) -> None:
    percept = NEW.perceive(None, text)
    assert percept.objects == {
        "bed 1": "bed", "drawer 2": "drawer", "drawer 1": "drawer", "zorkbench 1": "zorkbench",
    }  # fmt: skip
    assert (percept.true, percept.false) == (frozenset(), atoms("at(*) holding(*)"))
    assert NEW.goal(text).text == "put a pen in drawer."


def test_refusal_is_neither_silence_nor_the_unknown() -> None:
    assert NEW.perceive(Action("look"), "Nothing happens.") == Percept(refused=True)
    assert NEW.perceive(Action("look"), "Nothing happened.") == Percept()
    assert NEW.perceive(Action("help"), "\nAvailable commands:\n  look: look around") == Percept()


@pytest.mark.parametrize(
    "text",
    [
        "On the desk 1, you see a pen 2, and a mu",  # truncated: a list half read would deny the rest
        "On the desk 1, you see a pen 2, a mug 1.",
        "On the desk 1, you see a pen 2 and a mug 1.",
        "You arrive at desk 1. On the bed 1, you see nothing.",
        "You open the safe 1. The safe 2 is open. In it, you see nothing.",
        "You pick up the Mug 1 from the desk 1.",
        "This is a on mug 1.",
        "You are facing the desk. Next to it, you see nothing.",
        "On the desk 1, you see nothing." + " " * MAX_TEXT + ".",
        "",
    ],
)
def test_a_garbled_sentence_says_nothing(text: str) -> None:
    assert NEW.perceive(None, text) == Percept()


@pytest.mark.skipif(not (SHARED / "alfworld").is_dir(), reason="needs ALFWorld's grammar beside the project")
def test_inspection_says_exactly_what_the_grammars_conditions_entail() -> None:
    """Over every state a thing can be in: a fact is asserted (denied) iff all states of a sentence agree."""
    text = (SHARED / "alfworld" / "alfred.twl2").read_text().split('grammar :: """')[1].split('"""')[0]
    branches = json.loads(text)["examineObject.feedback"]
    facts = {"hot": "ishot", "cool": "iscool", "clean": "isclean", "sliced": "issliced", "on": "istoggled",
             "vessel": "isreceptacleobject"}  # fmt: skip
    outcomes: dict[str, list[dict[str, bool]]] = defaultdict(list)
    names = [*facts.values(), "toggleable", "sliceable"]
    for values in product([False, True], repeat=len(names)):
        state = dict(zip(names, values, strict=True))
        if state["istoggled"] > state["toggleable"] or state["issliced"] > state["sliceable"]:
            continue
        outcomes[next(b["rhs"] for b in branches if _fits(b.get("condition", ""), state))].append(state)
    assert len(outcomes) == 15
    for sentence, states in outcomes.items():
        sentence = re.sub(r"\[[^\]]*\]", "nothing", sentence.replace("{o.name}", "egg 1"))
        percept = NEW.perceive(Action("inspect", ("egg 1",)), sentence)
        entailed = {p for p, name in facts.items() if all(s[name] for s in states)}
        excluded = {p for p, name in facts.items() if not any(s[name] for s in states)}
        assert {a.predicate for a in percept.true} == entailed, sentence
        assert {a.predicate for a in percept.false} == excluded, sentence


def _fits(condition: str, state: dict[str, bool]) -> bool:
    parts = re.findall(r"(not_)?(\w+)\(", condition)
    return all(state[name] is not bool(negated) for negated, name in parts)


# --- commands -------------------------------------------------------------------------------------

COMMANDS = {
    "go to desk 1": Action("go_to", ("desk 1",)),
    "open safe 1": Action("open", ("safe 1",)),
    "close safe 1": Action("close", ("safe 1",)),
    "take cd 1 from desk 1": Action("take", ("cd 1", "desk 1")),
    "move cd 1 to desk 1": Action("put", ("cd 1", "desk 1")),
    "clean cd 1 with sinkbasin 1": Action("clean", ("cd 1", "sinkbasin 1")),
    "heat egg 1 with microwave 1": Action("heat", ("egg 1", "microwave 1")),
    "cool egg 1 with fridge 1": Action("cool", ("egg 1", "fridge 1")),
    "use desklamp 1": Action("use", ("desklamp 1",)),
    "slice egg 1 with knife 1": Action("slice", ("egg 1", "knife 1")),
    "examine desk 1": Action("examine", ("desk 1",)),
    "examine egg 1": Action("inspect", ("egg 1",)),
    "look": Action("look"),
    "inventory": Action("inventory"),
    "help": Action("help"),
}


@pytest.mark.parametrize(("command", "action"), COMMANDS.items())
def test_commands_and_actions_are_one_another(command: str, action: Action) -> None:
    assert NEW.action(command) == action
    assert NEW.command(action) == command


def test_both_wordings_are_understood_and_one_is_written() -> None:
    put = Action("put", ("cd 1", "desk 1"))
    for perception, written in (NEW, "move cd 1 to desk 1"), (OLD, "put cd 1 in/on desk 1"):
        assert perception.action("move cd 1 to desk 1") == put == perception.action("put cd 1 in/on desk 1")
        assert perception.command(put) == written


@pytest.mark.parametrize(
    "command",
    ["", "Go to desk 1", "go to desk", "go to  desk 1", "go to desk 1.", "put cd 1 in desk 1", "look around",
     "take cd 1", "clean cd 1 with sinkbasin 1 now", "think: where?", "go to desk 1\n", "use lamp \u0661"],
)  # fmt: skip
def test_what_is_outside_the_grammar_is_no_action(command: str) -> None:
    assert NEW.action(command) is None


@pytest.mark.parametrize("action", [Action("fly"), Action("open"), Action("look", ("desk 1",))])
def test_no_command_for_what_is_no_action(action: Action) -> None:
    with pytest.raises(WorldModelError, match="no action of household: expected one of go_to/1"):
        NEW.command(action)


furniture = st.builds("{} {}".format, st.sampled_from(sorted(RECEPTACLES)), st.integers(1, 99))
things = st.builds("{} {}".format, st.sampled_from("mug pen cd zork winebottle".split()), st.integers(1, 99))


@given(st.data(), st.sampled_from([NEW, OLD]))
def test_every_ground_action_survives_the_round_trip(
    data: st.DataObject, perception: AlfworldPerception
) -> None:
    schema = data.draw(st.sampled_from(list(perception.domain.actions.values())))
    args = tuple(data.draw(furniture if p.type == "receptacle" else things) for p in schema.parameters)
    action = Action(schema.name, args)
    assert perception.action(perception.command(action)) == action


# --- lists ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], "nothing"),
        (["apple 1"], "a apple 1"),
        (["mug 1", "pan 2"], "a mug 1, and a pan 2"),
        (["mug 1", "pan 2", "egg 3"], "a mug 1, a pan 2, and a egg 3"),
    ],
)
def test_lists_are_worded_as_the_environment_words_them(names: list[str], text: str) -> None:
    assert NEW.phrase(names) == text


@given(st.lists(things, unique=True))
def test_a_list_that_is_written_is_read_back(names: list[str]) -> None:
    percept = NEW.perceive(None, f"On the desk 1, you see {NEW.phrase(names)}.")
    assert percept.contents == {Atom("in", ("*", "desk 1")): tuple(names)}


def test_order_is_by_word_then_by_falling_number() -> None:
    names = ["toiletpaper 2", "pencil 1", "pen 9", "pen 10", "toilet 1", "cd 3", "candle 1"]
    assert NEW.order(names) == [
        "candle 1",
        "cd 3",
        "pen 10",
        "pen 9",
        "pencil 1",
        "toilet 1",
        "toiletpaper 2",
    ]


# --- odd text -------------------------------------------------------------------------------------

fragments = st.sampled_from(
    ["You arrive at ", "desk 1", "loc 12", ". ", "On the ", ", you see ", "a pen 1", ", and ", "nothing", ".",
     "You are facing the ", "Next to it, you see ", "Your task is to: ", "This is ", "put a ", "\u0661", "\n"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(fragments).map("".join)))
def test_odd_text_never_raises(text: str) -> None:
    NEW.perceive(NEW.action(text), text)
    NEW.perceive(Action("go_to", ("desk 1",)), text)
    NEW.order([text, "pen " + text])
    try:
        assert isinstance(NEW.goal(text), Goal)
    except UnknownGoal as error:
        assert "\n" not in str(error)


# --- goals ----------------------------------------------------------------------------------------

PLACE, TWO = "in(?o, ?r)", "in(?o1, ?r) in(?o2, ?r)"
LOOK = "holding(?o) on(?l) in(?l, ?s) at(?s)"
TASKS = {
    "put a mug in desk.": PLACE,
    "put some mug on desk.": PLACE,
    "put a clean mug in desk.": PLACE + " clean(?o)",
    "clean some mug and put it in desk.": PLACE + " clean(?o)",
    "put a hot mug in desk.": PLACE + " hot(?o)",
    "heat some mug and put it in desk.": PLACE + " hot(?o)",
    "put a cool mug in desk.": PLACE + " cool(?o)",
    "cool some mug and put it in desk.": PLACE + " cool(?o)",
    "put two mug in desk.": TWO,
    "find two mug and put them in desk.": TWO,
    "look at mug under the desklamp.": LOOK,
    "examine the mug with the desklamp.": LOOK,
}


@pytest.mark.parametrize(("task", "facts"), TASKS.items())
def test_every_task_template_is_a_goal(task: str, facts: str) -> None:
    goal = NEW.goal(task)
    expected = {Literal(atom) for atom in atoms(facts)}
    if facts is TWO:
        expected.add(Literal(Atom("=", ("?o1", "?o2")), False))
        parameters = Parameter("?o1", "mug"), Parameter("?o2", "mug"), Parameter("?r", "desk")
    elif facts is LOOK:
        parameters = Parameter("?o", "mug"), Parameter("?l", "desklamp"), Parameter("?s", "receptacle")
    else:
        parameters = Parameter("?o", "mug"), Parameter("?r", "desk")
    assert (goal.text, goal.parameters, set(goal.condition)) == (task, parameters, expected)


@pytest.mark.parametrize("task", ["", "dance", "put a clean slice of apple in desk.", "put 3 mug in desk."])
def test_an_unknown_task_is_named_with_what_is_understood(task: str) -> None:
    with pytest.raises(UnknownGoal, match=rf"unknown task '{task}'.*find two X and put them in Y"):
        NEW.goal(f"Your task is to: {task}")


GOAL_OF = {
    "pick_and_place_simple": (PLACE, ("object_target", "parent_target")),
    "look_at_obj_in_light": (LOOK, ("object_target", "toggle_target")),
    "pick_clean_then_place_in_recep": (PLACE + " clean(?o)", ("object_target", "parent_target")),
    "pick_heat_then_place_in_recep": (PLACE + " hot(?o)", ("object_target", "parent_target")),
    "pick_cool_then_place_in_recep": (PLACE + " cool(?o)", ("object_target", "parent_target")),
    "pick_two_obj_and_place": (TWO, ("object_target", "object_target", "parent_target")),
}


def games(split: str) -> list[dict[str, Any]]:
    with lzma.open(SHARED / "alfworld" / f"{split}.jsonl.xz", "rt") as lines:
        return [json.loads(line) for line in lines]


@needs_games
@pytest.mark.parametrize("split", ["train", "valid_train", "valid_seen"])
def test_every_real_task_means_what_its_game_asks_for(split: str) -> None:
    for game in games(split):
        facts, keys = GOAL_OF[game["task_type"]]
        goal = NEW.goal(game["task"])
        types = [p.type for p in goal.parameters if p.type != "receptacle"]
        assert types == [game["pddl_params"][key].lower() for key in keys], game["id"]
        assert {x.atom for x in goal.condition if x.positive} == atoms(facts), game["id"]


# --- real games and logs --------------------------------------------------------------------------


@needs_games
def test_every_walkthrough_command_is_in_the_grammar() -> None:
    commands = {command for game in games("train") for command in game["walkthrough"]}
    assert len(commands) > 1000
    assert [c for c in commands if (a := NEW.action(c)) is None or NEW.command(a) != c] == []


@needs_logs
def test_the_logs_of_a_real_agent_are_understood() -> None:
    answers = understood = arrivals = lists = ordered = 0
    for path in sorted((SHARED / "knowagent_alfworld").glob("*.jsonl.xz")):
        for episode in read_react(path):
            texts = [(None, episode.observation)]
            texts += [(NEW.action(step.action), step.observation) for step in episode.steps]
            for action, text in texts:
                percept = NEW.perceive(action, text)
                answers += 1
                understood += percept != Percept()
                if action and action.name == "go_to" and not percept.refused:
                    assert Atom("at", action.args) in percept.true
                    arrivals += 1
                names = (
                    list(percept.objects)
                    if action is None
                    else [n for c in percept.contents.values() for n in c]
                )
                if len(names) > 1:
                    lists += 1
                    ordered += NEW.order(names[::-1]) == names
    assert answers > 20_000 and arrivals > 9_000 and lists > 4_000
    assert understood / answers > 0.999
    assert ordered / lists > 0.999


@pytest.mark.slow
@needs_games
def test_a_game_of_the_official_engine_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Walk through a real game, and ask everything on the way: no admissible command, no answer is missed."""
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path))  # importing alfworld creates that folder
    textworld = pytest.importorskip("textworld", reason="needs the alfworld extra")
    wrappers = pytest.importorskip(
        "alfworld.agents.environment.alfred_tw_env", reason="needs the alfworld extra"
    )
    game = next(g for g in games("train") if g["task_type"] == "pick_heat_then_place_in_recep")
    grammar = (SHARED / "alfworld" / "alfred.twl2").read_text().replace("UNKNOWN GOAL.", game["task"])
    files = {"pddl_domain": (SHARED / "alfworld" / "alfred.pddl").read_text(), "grammar": grammar}
    path = tmp_path / "game.tw-pddl"
    path.write_text(json.dumps({**files, "pddl_problem": game["pddl_problem"], "solvable": True}))
    env = textworld.start(
        str(path),
        request_infos=textworld.EnvInfos(admissible_commands=True),
        wrappers=[wrappers.AlfredDemangler],
    )
    state = env.reset()
    assert NEW.goal(state.feedback).text == game["task"]
    assert NEW.perceive(None, state.feedback).false == atoms("at(*) holding(*)")
    for command in game["walkthrough"]:
        state, _, _ = env.step(command)
        questions = [c for c in state.admissible_commands if c.startswith("examine ")]
        answers = [(command, state.feedback), *((c, env.step(c)[0].feedback) for c in ["look", *questions])]
        assert [c for c in state.admissible_commands if NEW.action(c) is None] == []
        for asked, answer in answers:
            percept = NEW.perceive(NEW.action(asked), answer)
            assert percept != Percept() and not percept.refused, (asked, answer)
