"""Where unseen things may be: every world with its weight, or draws that agree with it."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planners.sampling import Container, Missing, World, by_counts, containers, missing_things, showing
from rules.language import parse
from rules.logic import Action, Atom
from rules.ruleset import RuleSet
from tests.planners.kitchen import RULES, atom, belief, goal, model
from worldmodel.belief import Belief
from worldmodel.model import WorldModel

IN = Container("in", 0)
ROOM = ("desk 1", "drawer 1", "drawer 2", "fridge 1")
MUG = goal("in(?o, ?r)", o="mug", r="desk")
TWO = goal("in(?a, ?r)", "in(?b, ?r)", "not =(?a, ?b)", a="mug", b="mug", r="desk")
COUNTS: dict[str, dict[tuple[str, ...], int]] = {
    "found": {("in", "mug", "desk"): 8, ("in", "mug", "drawer"): 1, ("in", "pen", "drawer"): 5},
    "seen": {("in", "desk"): 10, ("in", "drawer"): 10, ("in", "fridge"): 10},
}


@cache
def kitchen() -> WorldModel:
    return model(tables=COUNTS)


def draw(known: Belief, samples: int = 1000, seed: int = 0, it: WorldModel | None = None) -> list[World]:
    it = it or kitchen()
    return by_counts(it, known, missing_things(it, known), samples, random.Random(seed))


def wanting(
    aim: object = MUG, true: tuple[str, ...] = (), false: tuple[str, ...] = (), extra: tuple[str, ...] = ()
) -> Belief:
    return belief(aim, (*ROOM, *extra), true, false)  # type: ignore[arg-type]


# --- what is missing ------------------------------------------------------------------------------


def missing(known: Belief) -> list[str]:
    return [thing.name for thing in missing_things(kitchen(), known)]


def test_a_thing_of_the_goal_that_nobody_saw_is_missing() -> None:
    assert missing_things(kitchen(), wanting()) == [Missing("mug (unseen 1)", "mug", IN)]
    assert missing(wanting(true=("in(mug 1, drawer 1)",), extra=("mug 1",))) == []
    assert missing(wanting(true=("holding(mug 1)",), extra=("mug 1",))) == []


def test_a_thing_of_another_type_does_not_fill_in() -> None:
    assert missing(wanting(true=("in(pen 1, drawer 1)",), extra=("pen 1",))) == ["mug (unseen 1)"]


def test_two_are_missing_less_those_at_hand() -> None:
    assert missing(wanting(TWO)) == ["mug (unseen 1)", "mug (unseen 2)"]
    assert missing(wanting(TWO, true=("in(mug 1, desk 1)",), extra=("mug 1",))) == ["mug (unseen 2)"]


def test_a_thing_whose_whereabouts_nobody_knows_is_no_help() -> None:
    assert missing(wanting(extra=("mug 1",))) == ["mug (unseen 1)"]


def test_a_thing_that_was_refused_is_not_counted_on() -> None:
    known = belief(
        MUG, (*ROOM, "mug 1"), ["in(mug 1, desk 1)"], [], refused={Action("take", ("mug 1", "desk 1")): 1}
    )
    assert missing(known) == ["mug (unseen 1)"]


def test_places_are_not_missing_and_neither_is_what_can_be_anything() -> None:
    assert missing(wanting(goal("at(?r)", r="microwave"))) == []
    assert missing(wanting(goal("holding(?o)", o="object"))) == []
    assert missing(wanting(goal("holding(?o)", o="any"))) == []


def test_what_the_goal_calls_by_name_is_missing_until_it_is_met() -> None:
    named = goal("in(mug 7, ?r)", "not hot(apple 2)", r="desk")
    assert missing_things(kitchen(), wanting(named)) == [
        Missing("apple 2", "object", IN),
        Missing("mug 7", "object", IN),
    ]
    assert missing(wanting(named, extra=("mug 7",))) == ["apple 2"]


# --- worlds ---------------------------------------------------------------------------------------


def test_there_is_a_world_for_every_place_weighted_by_the_counts() -> None:
    worlds = {next(iter(w.facts)).args[1]: w.weight for w in draw(wanting())}
    rates = {place: kitchen().knowledge.rate("", "in", "mug", place, place.split(" ")[0]) for place in ROOM}
    assert worlds == pytest.approx({place: rate / sum(rates.values()) for place, rate in rates.items()})
    assert worlds["desk 1"] > worlds["drawer 1"] == worlds["drawer 2"] > worlds["fridge 1"] > 0


def test_two_things_make_every_pair_of_places() -> None:
    worlds = draw(wanting(TWO))
    assert len({w.facts for w in worlds}) == len(worlds) == 16
    one = {next(iter(w.facts)).args[1]: w.weight for w in draw(wanting())}
    for facts, weight in worlds:
        places = [a.args[1] for a in sorted(facts)]
        assert weight == pytest.approx(one[places[0]] * one[places[1]])


def test_nothing_is_placed_where_everything_is_known() -> None:
    looked = ("in(*, desk 1)", "in(*, drawer 1)")
    for samples in (1000, 3):
        for world in draw(wanting(TWO, false=looked), samples):
            assert {a.args[1] for a in world.facts} <= {"drawer 2", "fridge 1"}


def test_nothing_is_placed_in_what_is_no_place() -> None:
    places = {a.args[1] for w in draw(wanting(extra=("pen 1", "apple 1"))) for a in w.facts}
    assert places == set(ROOM)


def test_where_all_is_known_there_is_no_world() -> None:
    assert draw(wanting(false=tuple(f"in(*, {place})" for place in ROOM))) == []
    assert draw(wanting(true=("in(mug 1, desk 1)",), extra=("mug 1",))) == []


def test_without_counts_every_place_is_as_likely() -> None:
    weights = [w.weight for w in draw(wanting(), it=model())]
    assert weights == pytest.approx([0.25] * 4)


@given(st.integers(1, 40), st.integers(0, 1000))
def test_weights_add_up_to_one_and_no_world_comes_twice(samples: int, seed: int) -> None:
    worlds = draw(wanting(TWO), samples, seed)
    assert sum(w.weight for w in worlds) == pytest.approx(1)
    assert len({w.facts for w in worlds}) == len(worlds) <= max(samples, 16)
    assert all(len(w.facts) == 2 for w in worlds)


@given(st.integers(0, 1000))
def test_draws_are_spaced_evenly(seed: int) -> None:
    """Three draws of four places: no place is drawn more than once above or below its share."""
    share = {next(iter(w.facts)).args[1]: w.weight for w in draw(wanting())}
    counted = Counter({next(iter(w.facts)).args[1]: round(w.weight * 3) for w in draw(wanting(), 3, seed)})
    assert sum(counted.values()) == 3
    assert all(abs(counted[place] - 3 * share[place]) < 1 for place in ROOM)


def test_draws_agree_with_the_exact_worlds_in_distribution() -> None:
    exact = {w.facts: w.weight for w in draw(wanting(TWO))}
    drawn = Counter[frozenset[Atom]]()
    for seed in range(400):
        for world in draw(wanting(TWO), 15, seed):  # one fewer than there are worlds
            drawn[world.facts] += world.weight / 400  # type: ignore[assignment]
    assert drawn.keys() <= exact.keys()
    for facts, weight in exact.items():
        assert drawn[facts] == pytest.approx(weight, abs=0.03)


def test_the_seed_decides() -> None:
    assert draw(wanting(TWO), 5, 1) == draw(wanting(TWO), 5, 1)
    assert len({tuple(draw(wanting(TWO), 5, seed)) for seed in range(20)}) > 1


# --- what shows a place ---------------------------------------------------------------------------


def test_what_is_revealed_as_a_list_is_a_container() -> None:
    assert containers(kitchen().ruleset) == [IN]
    assert IN.atom("mug 1", "desk 1") == atom("in(mug 1, desk 1)")
    assert Container("holds", 1).atom("mug 1", "desk 1") == Atom("holds", ("desk 1", "mug 1"))
    assert containers(RuleSet("empty")) == []


def test_what_shows_a_place_is_found_in_the_rules() -> None:
    shown = list(showing(kitchen().ruleset, atom("in(*, desk 1)")))
    assert shown == [Action(name, ("desk 1",)) for name in ("go_to", "open", "examine")]
    assert list(showing(kitchen().ruleset, atom("in(mug 1, *)"))) == []
    assert list(showing(kitchen().ruleset, atom("at(*)"))) == []
    more = parse(RULES.replace("reveals in(*, ?r)", "reveals in(*, ?r), at(?r), in(*, *)", 1))
    assert list(showing(more, atom("in(*, desk 1)"))) == shown
