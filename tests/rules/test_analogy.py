"""Guesses for actions that no log shows: translated, well formed, without evidence, or not made at all."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules.induction.analogy import with_analogies
from rules.language import check, parse, render, render_clause
from rules.ruleset import ANY, ActionSchema, Evidence, Parameter, RuleSet
from tests.rules.strategies import rulesets

ROVER = """
domain rovers
type rover, store, waypoint
predicate at(rover, waypoint)
predicate at_soil_sample(waypoint)
predicate at_rock_sample(waypoint)
predicate equipped_for_soil_analysis(rover)
predicate equipped_for_rock_analysis(rover)
predicate have_soil_analysis(rover, waypoint)
predicate have_rock_analysis(rover, waypoint)
predicate store_of(store, rover)
predicate empty(store)
predicate full(store)
action drop(?x: rover, ?y: store)
  rule drop_1  [9 for, 0 against]
    when    store_of(?y, ?x), full(?y)
    then    empty(?y), not full(?y)
action sample_soil(?x: rover, ?s: store, ?p: waypoint)
  rule sample_soil_1  [12 for, 0 against]
    when    at(?x, ?p), at_soil_sample(?p), equipped_for_soil_analysis(?x), store_of(?s, ?x), empty(?s)
    then    full(?s), have_soil_analysis(?x, ?p), not empty(?s), not at_soil_sample(?p)
    says    "You sample the soil."
action sample_rock(?r: rover, ?into: store, ?w: waypoint)
"""
FLEET = """
domain fleet
type vehicle, place
type lorry, van: vehicle
predicate at(vehicle, place)
predicate road(place, place)
predicate fuelled(vehicle)
predicate hitched(lorry)
action drive_lorry(?l: lorry, ?from: place, ?to: place)
  rule drive_lorry_1  [30 for, 0 against]
    when    at(?l, ?from), road(?from, ?to), fuelled(?l), hitched(?l)
    then    at(?l, ?to), not at(?l, ?from)
action drive_van(?v: van, ?a: place, ?b: place)
"""


def guesses(ruleset: RuleSet, action: str) -> list[tuple[set[str], set[str], set[str]]]:
    return [
        (
            {render_clause(clause, ruleset) for clause in rule.when},
            set(map(str, rule.adds)),
            set(map(str, rule.deletes)),
        )
        for rule in ruleset.actions[action].rules
    ]


def test_rocks_are_sampled_as_soil_is() -> None:
    found = with_analogies(parse(ROVER))
    assert guesses(found, "sample_rock") == [
        (
            {
                "at(?r, ?w)",
                "at_rock_sample(?w)",
                "equipped_for_rock_analysis(?r)",
                "store_of(?into, ?r)",
                "empty(?into)",
            },
            {"full(?into)", "have_rock_analysis(?r, ?w)"},
            {"empty(?into)", "at_rock_sample(?w)"},
        )
    ]
    (rule,) = found.actions["sample_rock"].rules
    assert rule.evidence == Evidence(0, 0) and rule.evidence.confidence == 0.0
    assert rule.says is None, "nobody has heard what the environment says"
    assert "soil" in rule.name and "rock" in rule.name


def test_what_is_known_stays_as_it_is() -> None:
    ruleset = parse(ROVER)
    found = with_analogies(ruleset)
    for name in ("drop", "sample_soil"):
        assert found.actions[name] == ruleset.actions[name]
    assert replace(found, actions=ruleset.actions) == ruleset
    assert with_analogies(found) == found


def test_a_van_is_driven_as_a_lorry_but_for_what_only_lorries_have() -> None:
    found = with_analogies(parse(FLEET))
    check(found)
    assert guesses(found, "drive_van") == [
        ({"at(?v, ?a)", "road(?a, ?b)", "fuelled(?v)"}, {"at(?v, ?b)"}, {"at(?v, ?a)"})
    ]


UNLIKE = """
domain unlike
type cup, door, lamp
predicate full(cup)
predicate open(door)
predicate lit(lamp)
action fill(?c: cup)
  rule fill_1  [12 for, 0 against]
    when    not full(?c)
    then    full(?c)
action open_up(?d: door)
action shine(?l: lamp, ?d: door)
"""


def test_where_nothing_is_alike_nothing_is_guessed() -> None:
    ruleset = parse(UNLIKE)
    assert with_analogies(ruleset) == ruleset


def test_where_nothing_is_known_nothing_is_guessed() -> None:
    ruleset = parse(UNLIKE)
    bare = replace(ruleset, actions={n: replace(s, rules=()) for n, s in ruleset.actions.items()})
    assert with_analogies(bare) == bare


def test_of_two_models_the_one_with_more_words_in_common_is_taken() -> None:
    """``communicate_rock`` takes what ``navigate`` takes, and is named like ``communicate_soil``."""
    ruleset = parse(
        """
domain two
type rover, waypoint
predicate at(rover, waypoint)
predicate told_soil(waypoint)
predicate told_rock(waypoint)
action navigate(?x: rover, ?p: waypoint)
  rule navigate_1  [99 for, 0 against]
    then    at(?x, ?p)
action communicate_soil(?x: rover, ?p: waypoint)
  rule communicate_soil_1  [2 for, 0 against]
    when    at(?x, ?p)
    then    told_soil(?p)
action communicate_rock(?x: rover, ?p: waypoint)
"""
    )
    assert guesses(with_analogies(ruleset), "communicate_rock") == [
        ({"at(?x, ?p)"}, {"told_rock(?p)"}, set())
    ]


def test_a_parameter_that_the_model_lacks_is_tied_by_the_one_fact_that_can() -> None:
    ruleset = parse(
        """
domain pictures
type rover, camera, goal
predicate on_board(camera, rover)
predicate seen(rover, goal)
predicate filmed(rover, goal)
action see(?r: rover, ?g: goal)
  rule see_1  [9 for, 0 against]
    when    not seen(?r, ?g)
    then    seen(?r, ?g)
action see_filmed(?r: rover, ?g: goal, ?c: camera)
"""
    )
    ((when, _, _),) = guesses(with_analogies(ruleset), "see_filmed")
    assert "on_board(?c, ?r)" in when


def with_twins(ruleset: RuleSet, chance: random.Random) -> RuleSet:
    """The rule set, and for each of its actions another with other parameters of the same or any types."""
    twins = {}
    for name, schema in ruleset.actions.items():
        kinds = [
            p.type if chance.random() < 0.8 else chance.choice([ANY, *ruleset.types])
            for p in schema.parameters
        ]
        kinds += chance.choices([ANY, *ruleset.types], k=chance.choice([0, 0, 0, 1]))
        parameters = tuple(
            Parameter(f"?{letter}", kind) for letter, kind in zip("abxyz", kinds, strict=False)
        )
        twin = f"{name}_{chance.choice([*ruleset.predicates, 'twin'])}"
        twins[twin] = ActionSchema(twin, parameters)
    return replace(ruleset, actions={**twins, **ruleset.actions})


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rulesets(), st.randoms(use_true_random=False))
def test_every_guess_is_well_formed_and_without_evidence(ruleset: RuleSet, chance: random.Random) -> None:
    given_ = with_twins(ruleset, chance)
    found = with_analogies(given_)
    check(found)
    assert parse(render(found)) == found
    for name, schema in given_.actions.items():
        if schema.rules:
            assert found.actions[name] == schema
        for rule in found.actions[name].rules if not schema.rules else ():
            assert rule.evidence == Evidence()
            assert rule.adds or rule.deletes


def test_names_without_a_word_are_no_error() -> None:
    ruleset = parse(
        """
domain signs
predicate "+"
action "-"
  rule minus
    then    "+"
action "="
"""
    )
    assert guesses(with_analogies(ruleset), "=") == [(set(), {"+"}, set())]


@pytest.mark.parametrize("text", [ROVER, FLEET])
def test_guesses_do_not_depend_on_the_order_of_actions(text: str) -> None:
    ruleset = parse(text)
    turned = replace(ruleset, actions=dict(reversed(ruleset.actions.items())))
    assert with_analogies(turned).actions == with_analogies(ruleset).actions
