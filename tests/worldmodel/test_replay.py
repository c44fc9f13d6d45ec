"""Episodes to transitions: what the agent knew, did and saw, from the text alone."""

from __future__ import annotations

from rules.logic import FALSE, TRUE, UNKNOWN, WILDCARD, Action, Atom
from tests.worldmodel.blocks_text import REFUSAL, SPOTS, BlocksPerception
from worldmodel.replay import all_transitions, opening, transitions
from worldmodel.trajectories import Episode, Step

PERCEPTION = BlocksPerception()
EPISODE = Episode(
    "by hand",
    "blocks",
    "A table with east, north, south and west. Bring red to west.",
    (
        Step("swing to east", "Swung to east. There: blue and red."),
        Step("juggle", REFUSAL),
        Step("grab red at east", "Got red from east."),
        Step("grab blue at east", REFUSAL),
        Step("swing to north", "Swung to north. A cover."),
        Step("drop red at north", "Something strange."),
    ),
)


def a(predicate: str, *args: str) -> Atom:
    return Atom(predicate, args)


def test_the_opening_names_the_spots_and_says_where_the_arm_is_not() -> None:
    state = opening(EPISODE, PERCEPTION)
    assert state.objects == dict.fromkeys(SPOTS, "spot")
    assert state.truth(a("over", "east")) is FALSE
    assert state.truth(a("covered", "east")) is UNKNOWN


def test_the_transitions_of_an_episode_by_hand() -> None:
    swing, grab, refused, away, strange = transitions(EPISODE, PERCEPTION)
    assert [t.action for t in (swing, grab, refused)] == [
        Action("swing", ("east",)),
        Action("grab", ("red", "east")),
        Action("grab", ("blue", "east")),
    ]
    assert [t.succeeded for t in (swing, grab, refused, away, strange)] == [True, True, False, True, True]
    assert swing.before == opening(EPISODE, PERCEPTION)
    assert swing.true == {a("over", "east"), a("lying", "blue", "east"), a("lying", "red", "east")}
    assert swing.false == {a("over", WILDCARD), a("covered", "east"), a("lying", WILDCARD, "east")}
    assert swing.says == "Swung to {?s}. There: {lying(*, ?s)}."
    assert swing.after.objects == {**dict.fromkeys(SPOTS, "spot"), "blue": "block", "red": "block"}
    assert (refused.says, refused.true, refused.false) == (REFUSAL, frozenset(), frozenset())


def test_what_nothing_speaks_of_stays_as_it_was() -> None:
    *_, away, strange = transitions(EPISODE, PERCEPTION)
    known = strange.before
    assert known == away.after
    assert known.truth(a("over", "north")) is TRUE
    assert known.truth(a("over", "east")) is FALSE
    assert known.truth(a("gripped", "red")) is TRUE
    assert known.truth(a("lying", "red", "east")) is FALSE
    assert known.truth(a("lying", "blue", "east")) is TRUE
    assert known.truth(a("lying", "green", "east")) is FALSE  # the list was complete
    assert known.truth(a("lying", "green", "north")) is UNKNOWN


def test_a_sentence_that_nobody_knows_says_nothing_and_is_kept_as_wording() -> None:
    *_, strange = transitions(EPISODE, PERCEPTION)
    assert strange.after == strange.before
    assert strange.says == "Something strange."


def test_a_command_outside_the_grammar_is_no_transition_though_what_it_shows_counts() -> None:
    steps = (Step("dance", "Swung to south. There: nothing."), Step("feel", "Over south."))
    (feel,) = transitions(Episode("dance", "blocks", EPISODE.observation, steps), PERCEPTION)
    assert feel.before.truth(a("over", "south")) is TRUE


def test_episodes_follow_one_another() -> None:
    assert list(all_transitions([EPISODE, EPISODE], PERCEPTION)) == 2 * list(transitions(EPISODE, PERCEPTION))
