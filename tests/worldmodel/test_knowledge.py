"""Counts about types and rooms: worked by hand, and free of the order in which logs are read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.logic import WILDCARD, Atom, State
from rules.ruleset import Evidence, Relation, RuleSet
from tests.worldmodel.blocks_text import BlocksEnv, BlocksPerception, play
from worldmodel.knowledge import PRIOR_RATE, Knowledge, setting
from worldmodel.learning import learn, observe
from worldmodel.model import WorldModel


def a(predicate: str, *args: str) -> Atom:
    return Atom(predicate, args)


BEFORE = State({"desk 1": "desk", "mug 1": "mug"}, [a("holding", "mug 1")], [a("at", WILDCARD)])
SEEN = {"true": [a("in", "pen 1", "desk 1"), a("in", "mug 1", "desk 1"), a("old", "desk 1")]}
AFTER = BEFORE.updated(
    SEEN["true"], [a("in", WILDCARD, "desk 1"), a("open", "desk 1"), a("at", "mug 1")], {"pen 1": "pen"}
)


def noted(*caused: Atom) -> Knowledge:
    knowledge = Knowledge()
    knowledge.note("room", BEFORE, AFTER, caused)
    return knowledge


def test_contents_are_counted_at_first_sight_by_type_and_by_place() -> None:
    knowledge = noted()
    assert knowledge.seen == {("in", "desk"): 1, ("room", "in", "desk 1"): 1}
    # the mug was met before: that it lies here now says nothing of where mugs are found
    assert knowledge.found == {("in", "pen", "desk"): 1, ("room", "in", "pen", "desk 1"): 1}
    knowledge.note("room", AFTER, AFTER)
    assert knowledge.tables() == noted().tables()


def test_properties_are_counted_once_unless_the_action_made_them_or_they_were_known() -> None:
    assert noted().facts == {
        ("old", "desk", "true"): 1,
        ("room", "old", "desk 1", "true"): 1,
        ("open", "desk", "false"): 1,
        ("room", "open", "desk 1", "false"): 1,
    }
    assert ("old", "desk", "true") not in noted(a("old", "desk 1")).facts


def test_a_rate_starts_at_the_prior_and_moves_towards_what_was_seen() -> None:
    nothing = Knowledge().rate("room", "in", "pen", "desk 1", "desk")
    assert nothing == pytest.approx(PRIOR_RATE)
    here = noted().rate("room", "in", "pen", "desk 1", "desk")
    elsewhere = noted().rate("other", "in", "pen", "desk 1", "desk")
    assert nothing < elsewhere < here < 1  # the type's count tells of every room, the room's own of this one
    assert noted().rate("room", "in", "pen", "safe 1", "safe") == pytest.approx(PRIOR_RATE)


def test_a_chance_starts_at_a_half() -> None:
    assert Knowledge().chance("room", a("old", "desk 1"), "desk") == 0.5
    assert noted().chance("room", a("old", "desk 1"), "desk") == pytest.approx((1 + 0.75) / 2)
    assert noted().chance("other", a("old", "desk 1"), "desk") == 0.75
    assert noted().chance("other", a("open", "desk 1"), "desk") == 0.25


def test_places_are_companions_until_one_episode_shows_them_apart() -> None:
    knowledge = Knowledge()
    knowledge.note_pair("room", "at", "b", "a", together=True)
    assert knowledge.companions("room") == {("at", "a", "b")}
    assert knowledge.companions("other") == frozenset()
    knowledge.note_pair("room", "at", "a", "b", together=False)
    assert knowledge.companions("room") == frozenset()


def test_a_room_is_known_by_what_its_opening_lists() -> None:
    one, two = State({"a": "t", "b": "t"}), State({"b": "t", "a": "t"}, [a("on", "a")])
    assert setting(one) == setting(two) != setting(State({"a": "t"}))


def test_the_graph_joins_where_things_are_found_with_what_the_rules_say_of_types() -> None:
    relations = {
        "can_heat": Relation("can_heat", 1, {("pen",): Evidence(0, 3)}),
        "fits": Relation("fits", 2, {("pen", "desk"): Evidence(4, 1)}),
    }
    graph = noted().graph(RuleSet("room", relations=relations))
    assert graph.nodes["pen"] == {"can_heat": 0, "not_can_heat": 3}
    assert graph.edges["pen", "desk", "in"] == {"count": 1, "places": 1}
    assert graph.edges["pen", "desk", "fits"] == {"count": 4, "against": 1}


EPISODES = [play(BlocksEnv(twins=("east", "north") if seed % 3 else ()), seed) for seed in range(12)]
MODEL = learn(EPISODES, BlocksPerception())


def read(episodes: list) -> Knowledge:
    model = WorldModel(MODEL.ruleset, BlocksPerception())
    for episode in episodes:
        observe(model, episode)
    return model.knowledge


@settings(max_examples=10, deadline=None)
@given(st.permutations(EPISODES), st.integers(0, len(EPISODES)))
def test_counts_add_up_in_any_order(episodes: list, cut: int) -> None:
    whole = read(episodes)
    assert (read(episodes[:cut]) + read(episodes[cut:])).tables() == whole.tables()
    assert whole.tables() == MODEL.knowledge.tables()


def test_the_counts_of_the_table_are_those_of_its_layouts() -> None:
    found = sum(n for key, n in MODEL.knowledge.found.items() if len(key) == 3)
    assert 0 < found <= 4 * len(EPISODES)  # no block is found twice
    chance = MODEL.knowledge.chance("nowhere", a("covered", "east"), "spot")
    assert 0.3 < chance < 0.7  # a cover lies on every other spot


def test_two_places_are_one_as_often_as_their_room_or_any_room_showed() -> None:
    known = Knowledge()
    assert known.general_sameness() == 0.5
    for _ in range(3):
        known.note_pair("room", "at", "desk 1", "drawer 1", together=True)
        known.note_pair("room", "at", "bed 1", "desk 1", together=False)
    assert known.general_sameness() == pytest.approx(3.5 / 7)
    assert known.sameness("room", "at", "drawer 1", "desk 1", 0.1) == pytest.approx(3.1 / 4)
    assert known.sameness("room", "at", "desk 1", "bed 1", 0.1) == pytest.approx(0.1 / 4)
    assert known.sameness("other", "at", "desk 1", "bed 1", 0.1) == pytest.approx(0.1)
