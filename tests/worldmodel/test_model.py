"""A world model learned from logs of a domain with its own words, through the code that knows none."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from rules.language import parse, render, render_clause
from rules.logic import FALSE, TRUE, UNKNOWN, Action, Atom, Literal
from tests.worldmodel.blocks_text import REFUSAL, BlocksEnv, BlocksPerception, all_actions, play
from worldmodel.belief import Belief
from worldmodel.environments.base import UnknownGoal
from worldmodel.knowledge import Knowledge
from worldmodel.learning import learn
from worldmodel.model import WorldModel

OPENING = "A table with east, north, south and west. Bring red to west."
ROOT = Path(__file__).parents[2]


@cache
def model() -> WorldModel:
    return learn([play(BlocksEnv(), seed) for seed in range(200)], BlocksPerception())


def a(predicate: str, *args: str) -> Atom:
    return Atom(predicate, args)


def told(*exchanges: str, start: WorldModel | None = None) -> Belief:
    """The belief after exchanges like ``swing to east > Swung to east. A cover.``"""
    it = start or model()
    belief = it.begin(OPENING)
    for exchange in exchanges:
        command, answer = exchange.split(" > ")
        belief = it.update(belief, it.perception.action(command), answer)
    return belief


def action(command: str) -> Action:
    found = BlocksPerception().action(command)
    assert found is not None
    return found


# --- what is learned ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "when", "adds", "deletes", "says"),
    [
        (
            "grab",
            {"over(?s)", "lying(?b, ?s)", "not covered(?s)", "no gripped(*)"},
            {"gripped(?b)"},
            {"lying(?b, ?s)"},
            "Got {?b} from {?s}.",
        ),
        (
            "drop",
            {"over(?s)", "gripped(?b)", "not covered(?s)"},
            {"lying(?b, ?s)"},
            {"gripped(?b)"},
            "Let {?b} go over {?s}.",
        ),
        ("cover", {"over(?s)", "not covered(?s)"}, {"covered(?s)"}, set(), "{?s} lies hidden."),
        (
            "uncover",
            {"over(?s)", "covered(?s)"},
            set(),
            {"covered(?s)"},
            "{?s} lies bare. There: {lying(*, ?s)}.",
        ),
    ],
)
def test_the_rules_of_the_table_are_found(
    name: str, when: set[str], adds: set[str], deletes: set[str], says: str
) -> None:
    ruleset = model().ruleset
    schema = ruleset.actions[name]
    (rule,) = schema.rules
    assert {render_clause(clause, ruleset) for clause in rule.when} == when
    assert (set(map(str, rule.adds)), set(map(str, rule.deletes))) == (adds, deletes)
    assert (rule.says, schema.otherwise) == (says, REFUSAL)
    assert rule.evidence.against == 0


def test_a_swing_has_two_outcomes_by_what_it_finds() -> None:
    ruleset = model().ruleset
    found = {r.says: {render_clause(c, ruleset) for c in r.when} for r in ruleset.actions["swing"].rules}
    assert found == {
        "Swung to {?s}. A cover.": {"not over(?s)", "covered(?s)"},
        "Swung to {?s}. There: {lying(*, ?s)}.": {"not over(?s)", "not covered(?s)"},
    }
    assert model().shared == {"over"}


def test_learned_rules_can_be_written_and_read() -> None:
    assert parse(render(model().ruleset)) == model().ruleset


# --- predictions ----------------------------------------------------------------------------------


def test_what_is_determined_is_predicted_word_for_word() -> None:
    """New tables, played at random: where one rule applies, or none, its words are the table's."""
    determined = 0
    for seed in range(1000, 1030):
        episode = play(BlocksEnv(), seed)
        belief = model().begin(episode.observation)
        for step in episode.steps:
            done = action(step.action)
            prediction = model().predict(belief, done)
            refused = step.observation == REFUSAL
            assert prediction.outcome is UNKNOWN or (prediction.outcome is FALSE) is refused
            if len(prediction.because) == 1 and prediction.observation and prediction.outcome is not UNKNOWN:
                determined += 1
                assert prediction.observation == step.observation
            belief = model().update(belief, done, step.observation)
            if prediction.outcome is not UNKNOWN and len(prediction.because) == 1:
                assert prediction.state.true <= belief.state.true
    assert determined > 700  # of 900


def test_contents_that_nobody_has_seen_are_not_predicted() -> None:
    belief = told("swing to east > Swung to east. A cover.")
    unseen = model().predict(belief, action("uncover east"))
    assert (unseen.outcome, unseen.observation) == (TRUE, None)
    assert unseen.state.truth(a("covered", "east")) is FALSE
    assert unseen.state.truth(a("lying", "red", "east")) is UNKNOWN


def test_a_refusal_is_predicted_with_its_words() -> None:
    prediction = model().predict(told(), action("grab red at east"))
    assert (prediction.outcome, prediction.chance, prediction.observation) == (FALSE, 0.0, REFUSAL)
    assert prediction.state == told().state


def test_a_move_is_sure_though_nobody_knows_what_it_will_find() -> None:
    prediction = model().predict(told(), action("swing to east"))
    assert prediction.outcome is TRUE
    assert len(prediction.because) == 2
    assert prediction.state.truth(a("over", "east")) is TRUE
    assert prediction.chance > 0.9


def test_the_words_of_a_list_follow_what_was_done() -> None:
    belief = told(
        "swing to east > Swung to east. There: blue, green and red.",
        "grab green at east > Got green from east.",
        "swing to north > Swung to north. There: nothing.",
        "drop green at north > Let green go over north.",
    )
    back = model().predict(belief, action("swing to east"))
    assert back.observation == "Swung to east. There: blue and red."
    again = model().update(belief, action("swing to east"), back.observation)
    assert model().predict(again, action("swing to north")).observation == "Swung to north. There: green."


def test_of_an_action_that_the_rules_do_not_know_nothing_is_predicted() -> None:
    prediction = model().predict(told(), Action("fly"))
    assert (prediction.outcome, prediction.observation, prediction.because) == (UNKNOWN, None, ())
    assert prediction.state == told().state


# --- beliefs --------------------------------------------------------------------------------------


def test_a_belief_begins_with_the_text_alone() -> None:
    belief = told()
    assert belief.goal.condition == (Literal(a("lying", "red", "west")),)
    assert (belief.steps, belief.refused, belief.companions) == (0, {}, frozenset())
    assert belief.state.objects.keys() == {"east", "north", "south", "west"}
    with pytest.raises(UnknownGoal):
        model().begin("A table.")


def test_the_same_transcript_gives_the_same_belief_whatever_the_table() -> None:
    episode = play(BlocksEnv(), 7)
    lines = [f"{step.action} > {step.observation}" for step in episode.steps]
    assert told(*lines) == told(*lines)


def test_a_command_outside_the_grammar_counts_as_a_step_and_shows_what_it_shows() -> None:
    belief = model().update(told(), None, "Swung to east. There: red.")
    assert belief.steps == 1
    assert belief.state.truth(a("lying", "red", "east")) is TRUE
    assert model().update(told(), None, REFUSAL).state == told().state


def test_an_unheard_sentence_of_a_likely_action_has_its_effects() -> None:
    belief = told("swing to east > Swung to east. There: red.")
    after = model().update(belief, action("grab red at east"), "Oops, red slipped into the grip.")
    assert after.state.truth(a("gripped", "red")) is TRUE


# --- hidden structure: two spots so close that one swing reaches both -----------------------------


def twins() -> BlocksEnv:
    layout = {"east": ["red"], "north": ["blue", "green"], "south": ["black"]}
    env = BlocksEnv(layout, twins=("east", "north"))
    env.reset(seed=0)
    return env


def test_a_move_refused_against_the_rules_shows_that_two_places_are_one() -> None:
    env, belief = twins(), told()
    for command in ("swing to east", "swing to north"):
        answer = env.step(command)[0]
        sure = model().predict(belief, action(command)).outcome
        belief = model().update(belief, action(command), answer)
    assert (sure, answer) == (TRUE, REFUSAL)
    assert belief.state.truth(a("over", "north")) is TRUE  # the fact that was only assumed is taken back
    assert belief.state.truth(a("over", "east")) is TRUE
    assert belief.state.truth(a("over", "south")) is FALSE
    assert belief.companions == {("over", "east", "north")}
    assert belief.refused == {}
    assert model().predict(belief, action("swing to north")).outcome is FALSE  # it has learned


def test_companions_are_remembered_when_the_arm_comes_back() -> None:
    env, belief = twins(), told()
    commands = ("swing to east", "swing to north", "swing to south", "swing to north", "grab red at east")
    for command in commands:
        predicted = model().predict(belief, action(command))
        answer = env.step(command)[0]
        belief = model().update(belief, action(command), answer)
    assert (predicted.outcome, predicted.observation) == (TRUE, answer) == (TRUE, "Got red from east.")
    assert belief.state.true >= {a("over", "north"), a("over", "east"), a("gripped", "red")}


def test_a_success_against_the_rules_shows_it_too() -> None:
    env, belief = twins(), told()
    for command in ("swing to east", "cover north"):
        surprise = model().predict(belief, action(command)).outcome
        belief = model().update(belief, action(command), env.step(command)[0])
    assert surprise is FALSE  # north was thought to be out of reach
    assert belief.companions == {("over", "east", "north")}
    assert belief.state.true >= {a("over", "east"), a("over", "north"), a("covered", "north")}


def test_a_refusal_that_nothing_explains_lowers_the_trust_for_this_episode_alone() -> None:
    belief = told("swing to east > Swung to east. There: red.")
    grab = action("grab red at east")
    before = model().predict(belief, grab)
    after = model().update(belief, grab, REFUSAL)
    assert after.state == belief.state
    assert after.refused == {grab: 1}
    assert model().predict(after, grab).chance < before.chance / 2
    assert told().refused == {}


def test_a_refusal_that_was_foreseen_is_counted_and_changes_no_fact() -> None:
    grab = action("grab red at east")
    belief = model().update(told(), grab, REFUSAL)
    assert (belief.state, belief.refused, belief.steps) == (told().state, {}, 1)
    assert belief.foreseen == {grab: 1} and belief.refusals(grab) == 1


def test_places_found_to_be_one_are_known_in_the_next_episode_of_that_room() -> None:
    log = play(BlocksEnv(twins=("east", "north")), 3, steps=200)
    again = learn([*(play(BlocksEnv(), seed) for seed in range(40)), log], BlocksPerception())
    assert again.begin(OPENING).room == again.begin(log.observation).room
    counted = again.knowledge.together[again.begin(OPENING).room, "over", "east", "north"]
    assert counted > 0


# --- knowledge ------------------------------------------------------------------------------------


def test_a_new_model_knows_nothing_and_predicts_all_the_same() -> None:
    bare = WorldModel(model().ruleset, BlocksPerception())
    assert bare.knowledge.tables() == Knowledge().tables()
    assert bare.predict(told(start=bare), action("swing to east")).outcome is TRUE


def test_every_chance_is_one() -> None:
    for seed in range(3):
        episode = play(BlocksEnv(), seed)
        belief = model().begin(episode.observation)
        for step in episode.steps:
            predictions = [model().predict(belief, each) for each in all_actions()]
            assert all(0 <= p.chance <= 1 for p in predictions)
            assert all(p.outcome is FALSE for p in predictions if p.chance == 0)
            assert all(p.chance <= 0.5 for p in predictions if p.outcome is FALSE)
            belief = model().update(belief, action(step.action), step.observation)


# --- the house ------------------------------------------------------------------------------------


def modules() -> list[Path]:
    """What must name no environment: rules, planners, and the top of worldmodel."""
    return [
        *ROOT.glob("rules/**/*.py"),
        *ROOT.glob("planners/**/*.py"),
        *(
            ROOT / "worldmodel" / f"{name}.py"
            for name in "wording replay belief knowledge model learning".split()
        ),
    ]


def test_the_model_imports_no_environment() -> None:
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            wrong = [n for n in names if n.startswith("worldmodel.environments.") and not n.endswith(".base")]
            assert not wrong, f"{path.name} imports {wrong}"
