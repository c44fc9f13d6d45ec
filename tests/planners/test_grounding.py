"""Grounding: what is relevant, what is decided beforehand, and what the operators look like."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from planners.grounding import UNLIKELY, Grounding, ground, seen
from planners.task import Operator
from rules.logic import Action
from tests.planners.kitchen import DOMAIN, RULES, STEP, atom, belief, goal, model
from worldmodel.belief import Belief

HOLD_MUG = goal("holding(?o)", o="mug")
MUG_TO_DESK = goal("in(?o, ?r)", o="mug", r="desk")


def grounded(known: Belief, rules: str = RULES, **imagined: str) -> Grounding:
    return ground(model(rules), known, {name.replace("_", " "): t for name, t in imagined.items()})


def named(grounding: Grounding, *names: str) -> list[Operator]:
    return [o for o in grounding.task.operators if o.action.name in names]


def actions(grounding: Grounding) -> set[str]:
    return {str(o.action) for o in grounding.task.operators}


def spelled(grounding: Grounding, mask: int) -> set[str]:
    """The facts of a mask."""
    return {str(a) for a, bit in grounding.bits.items() if mask & bit}


def condition(grounding: Grounding, operator: Operator) -> tuple[set[str], set[str]]:
    return spelled(grounding, operator.needs), spelled(grounding, operator.forbids)


# --- relevance ------------------------------------------------------------------------------------


def test_only_what_serves_the_goal_is_grounded() -> None:
    known = belief(
        HOLD_MUG, ("mug 1", "pen 1", "desk 1", "microwave 1"), ["in(mug 1, desk 1)", "in(pen 1, desk 1)"]
    )
    found = actions(grounded(known))
    assert {"take(mug 1, desk 1)", "go_to(desk 1)"} <= found
    assert not {a for a in found if "pen 1" in a.split("(")[1] and a.startswith("put")}
    assert not {a for a in found if a.startswith(("heat", "examine", "close"))}


def test_full_hands_make_putting_down_relevant() -> None:
    objects, true = ("mug 1", "pen 1", "desk 1"), ["in(mug 1, desk 1)", "at(desk 1)"]
    empty = grounded(belief(HOLD_MUG, objects, [*true, "in(pen 1, desk 1)"]))
    full = grounded(belief(HOLD_MUG, objects, [*true, "holding(pen 1)"]))
    assert "put(pen 1, desk 1)" not in actions(empty)
    assert "put(pen 1, desk 1)" in actions(full)


def test_a_goal_no_action_serves_leaves_no_operators() -> None:
    known = belief(goal("on(?o)", o="mug"), ("mug 1", "desk 1"))
    task = grounded(known).task
    assert task.operators == ()
    assert not task.satisfied(0)


def test_the_goal_has_a_condition_for_each_binding() -> None:
    known = belief(MUG_TO_DESK, ("mug 1", "mug 2", "desk 1", "desk 2", "drawer 1"))
    found = grounded(known)
    assert {frozenset(spelled(found, g.needs)) for g in found.task.goals} == {
        frozenset([f"in(mug {m}, desk {d})"]) for m in (1, 2) for d in (1, 2)
    }


def test_two_things_of_a_goal_are_not_one() -> None:
    two = goal("in(?a, ?r)", "in(?b, ?r)", "not =(?a, ?b)", a="mug", b="mug", r="desk")
    assert grounded(belief(two, ("mug 1", "desk 1"))).task.goals == ()
    found = grounded(belief(two, ("mug 1", "mug 2", "desk 1")))
    assert [spelled(found, g.needs) for g in found.task.goals] == [{"in(mug 1, desk 1)", "in(mug 2, desk 1)"}]


def test_taking_from_the_goals_own_place_is_not_cut() -> None:
    """A mug that stands where it is wanted, but cold, must be taken away and brought back."""
    hot = goal("in(?o, ?r)", "hot(?o)", o="mug", r="desk")
    found = actions(grounded(belief(hot, ("mug 1", "desk 1", "microwave 1"), ["in(mug 1, desk 1)"])))
    assert {"take(mug 1, desk 1)", "heat(mug 1, microwave 1)", "put(mug 1, desk 1)"} <= found


# --- static facts ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("true", "false", "reveals"),
    [
        (["openable(drawer 1)"], [], False),
        ([], ["openable(drawer 1)"], True),
    ],
)
def test_a_static_fact_is_decided_once(true: list[str], false: list[str], reveals: bool) -> None:
    known = belief(
        HOLD_MUG, ("drawer 1", "mug 1"), [*true, "in(mug 1, drawer 1)"], ["at(*)", "open(*)", *false]
    )
    found = grounded(known)
    assert not any("openable" in str(a) for a in found.task.atoms)
    arrivals = [o for o in named(found, "go_to") if not spelled(found, o.needs)]
    looked = {"seen in(drawer 1)" in spelled(found, o.adds) for o in arrivals}
    assert looked == {reveals}
    assert ("open(drawer 1)" in actions(found)) is not reveals


@pytest.mark.parametrize(("yes", "no", "opens"), [(9, 1, True), (1, 9, False), (0, 0, False)])
def test_an_unknown_static_fact_is_as_it_mostly_is_in_both_polarities(yes: int, no: int, opens: bool) -> None:
    known = belief(
        HOLD_MUG, ("drawer 1", "mug 1"), ["in(mug 1, drawer 1)"], ["at(*)", "open(*)", "holding(*)"]
    )
    counts = {("openable", "drawer", "true"): yes, ("openable", "drawer", "false"): no}
    found = ground(model(tables={"facts": counts}), known, {})
    assert ("open(drawer 1)" in actions(found)) is opens
    needed = [condition(found, o)[0] for o in named(found, "take")]
    assert needed == [{"at(drawer 1)", "in(mug 1, drawer 1)"} | ({"open(drawer 1)"} if opens else set())]


def test_what_is_taken_to_hold_can_be_undone() -> None:
    """Whether the desk is covered nobody knows; it mostly is, so the way to uncover it is grounded."""
    text = f"""{DOMAIN}
    action clear(?r: receptacle)
      rule clears  then not open(?r)
    action shut(?r: receptacle)
      rule shuts   then open(?r)
    action leave(?o: object, ?r: receptacle)
      rule leaves  when not open(?r) then in(?o, ?r)
    """
    known = belief(MUG_TO_DESK, ("mug 1", "desk 1"), false=[])
    counts = {("open", "desk", "true"): 9}
    found = ground(model(text, {"facts": counts}), known, {})
    assert "clear(desk 1)" in actions(found)
    assert spelled(found, found.known) == {"open(desk 1)"}


# --- relations on types ---------------------------------------------------------------------------


def cost_of_putting(thing: str, place: str, **others: Any) -> float:
    aim = goal("in(?o, ?r)", o=thing, r=place)
    known = belief(aim, (f"{thing} 1", f"{place} 1"), [f"holding({thing} 1)"], **others)
    (put,) = named(grounded(known), "put")
    return put.cost


def test_the_odds_of_a_relation_are_in_the_cost() -> None:
    sure, mixed = cost_of_putting("mug", "desk"), cost_of_putting("pen", "drawer")
    untried, never = cost_of_putting("pen", "fridge"), cost_of_putting("mug", "drawer")
    assert sure == pytest.approx(STEP, abs=1e-3)
    assert mixed == pytest.approx(STEP, abs=1e-3)  # one for, one against: it can work
    assert untried == pytest.approx(2 * STEP, abs=2e-3)
    assert never == pytest.approx(STEP / UNLIKELY, abs=2e-2)  # no law: a little is left


def test_a_relation_that_was_seen_to_hold_more_often_than_not_still_costs_by_its_share() -> None:
    text = RULES.replace("(pen, drawer) 1 / 1", "(pen, drawer) 1 / 2")
    aim = goal("in(?o, ?r)", o="pen", r="drawer")
    known = belief(aim, ("pen 1", "drawer 1"), ["holding(pen 1)"])
    (put,) = named(grounded(known, text), "put")
    assert put.cost == pytest.approx(STEP / ((1 + 0.5) / (3 + 1)), abs=1e-2)


def test_an_exception_for_a_type_leaves_a_little_and_a_wrong_type_nothing() -> None:
    text = RULES.replace("when    no holding(*)", "when    ?o is not mug, no holding(*)")
    known = belief(HOLD_MUG, ("mug 1", "desk 1"), ["in(mug 1, desk 1)"])
    (take,) = named(grounded(known, text), "take")
    assert take.cost == pytest.approx(STEP / UNLIKELY, abs=2e-2)
    hot = belief(goal("hot(?o)", o="mug"), ("mug 1", "desk 1", "microwave 1"), ["in(mug 1, desk 1)"])
    assert {o.action.args[1] for o in named(grounded(hot), "heat")} == {"microwave 1"}


def test_every_refusal_makes_an_action_dearer() -> None:
    put = Action("put", ("mug 1", "desk 1"))
    costs = [cost_of_putting("mug", "desk", refused={put: n}) for n in range(3)]
    assert costs == pytest.approx([STEP, 4 * STEP, 9 * STEP], rel=1e-3)


def test_rules_with_little_evidence_cost_more() -> None:
    text = RULES.replace("rule takes  [98 for, 0 against]", "rule takes  [1 for, 1 against]")
    known = belief(HOLD_MUG, ("mug 1", "desk 1"), ["in(mug 1, desk 1)"])
    assert [o.cost for o in named(grounded(known, text), "take")] == [2.0]


# --- conditions -----------------------------------------------------------------------------------

LAMPS = f"""{DOMAIN}
action press(?o: object)
  rule a  when CONDITION
          then on(?o)
action warm(?o: object)
  rule w  then hot(?o)
action raise(?o: object)
  rule r  then holding(?o)
"""
LIGHT = goal("on(?o)", o="mug")


def pressing(condition_text: str, objects: Iterable[str] = ("mug 1",)) -> list[tuple[set[str], set[str]]]:
    found = grounded(
        belief(LIGHT, objects, false=["hot(*)", "holding(*)"]), LAMPS.replace("CONDITION", condition_text)
    )
    return sorted((condition(found, o) for o in named(found, "press")), key=str)


def test_each_alternative_of_a_disjunction_is_an_operator() -> None:
    assert pressing("hot(?o) or holding(?o)") == [({"holding(mug 1)"}, set()), ({"hot(mug 1)"}, set())]
    assert pressing("hot(?o) or not holding(?o)") == [(set(), {"holding(mug 1)"}), ({"hot(mug 1)"}, set())]


def test_a_disjunction_of_which_a_static_part_holds_is_no_condition() -> None:
    assert pressing("hot(?o) or ?o is mug") == [(set(), set())]
    assert pressing("hot(?o) or ?o is pen") == [({"hot(mug 1)"}, set())]


def test_operators_that_differ_in_the_sign_of_one_fact_are_one() -> None:
    either = "hot(?o)\n then on(?o)\n rule b when not hot(?o)"
    assert pressing(either) == [(set(), set())]
    with_more = "hot(?o), holding(?o)\n then on(?o)\n rule b when not hot(?o), holding(?o)"
    assert pressing(with_more) == [({"holding(mug 1)"}, set())]
    different = "hot(?o), holding(?o)\n then on(?o)\n rule b when not hot(?o), not holding(?o)"
    assert len(pressing(different)) == 2


def test_nothing_of_a_pattern_forbids_each_fact_that_matches() -> None:
    assert pressing("no holding(*), ?o is mug", ("mug 1", "pen 1")) == [(set(), set())]  # nothing can be held
    known = belief(LIGHT, ("mug 1", "pen 1"), ["holding(pen 1)"])
    found = grounded(known, LAMPS.replace("CONDITION", "no holding(*)"))
    assert [condition(found, o) for o in named(found, "press")] == [(set(), {"holding(pen 1)"})]


def test_some_of_a_pattern_is_any_of_the_known_facts() -> None:
    known = belief(LIGHT, ("mug 1", "pen 1"), ["holding(pen 1)", "holding(mug 1)"])
    found = grounded(known, LAMPS.replace("CONDITION", "some holding(*)"))
    needs = [condition(found, o)[0] for o in named(found, "press")]
    assert sorted(needs, key=str) == [{"holding(mug 1)"}, {"holding(pen 1)"}]


def test_a_wildcard_deletes_everything_but_what_the_rule_adds() -> None:
    known = belief(HOLD_MUG, ("mug 1", "desk 1", "fridge 1"), ["in(mug 1, desk 1)", "at(fridge 1)"])
    found = grounded(known)
    (arrive,) = [o for o in found.task.operators if o.action.args == ("desk 1",) and o.applies(found.known)]
    assert spelled(found, found.known) == {"at(fridge 1)", "in(mug 1, desk 1)"}
    assert spelled(found, arrive.apply(found.known)) == {"at(desk 1)", "in(mug 1, desk 1)", "seen in(desk 1)"}


def test_what_a_rule_both_deletes_and_adds_stays() -> None:
    """``at(?r), not at(*)``: the place that is reached is not lost by the same step."""
    known = belief(HOLD_MUG, ("mug 1", "desk 1"), ["in(mug 1, desk 1)"])
    found = grounded(known)
    for arrive in named(found, "go_to"):
        assert not arrive.adds & arrive.deletes


def test_places_that_are_one_are_reached_together() -> None:
    known = belief(
        HOLD_MUG,
        ("mug 1", "desk 1", "drawer 1"),
        ["in(mug 1, drawer 1)"],
        companions=frozenset([("at", "desk 1", "drawer 1")]),
    )
    found = grounded(known)
    for arrive in named(found, "go_to"):
        assert {"at(desk 1)", "at(drawer 1)"} <= spelled(found, arrive.adds)


def test_a_variable_that_is_no_parameter_takes_every_fitting_thing() -> None:
    """A lamp is switched where it stands: ``in(?o, ?r), at(?r)`` with ?r in no command."""
    known = belief(
        goal("on(?o)", o="desklamp"), ("desklamp 1", "desk 1", "desk 2"), ["in(desklamp 1, desk 2)"]
    )
    found = grounded(known)
    uses = named(found, "use")
    assert {str(o.action) for o in uses} == {"use(desklamp 1)"}
    places = [condition(found, o)[0] for o in uses]
    assert {"in(desklamp 1, desk 2)", "at(desk 2)"} in places
    assert {"in(desklamp 1, desk 1)", "at(desk 1)"} in places


# --- what is only imagined ------------------------------------------------------------------------


def test_an_imagined_thing_is_acted_on_once_its_place_was_seen() -> None:
    known = belief(
        HOLD_MUG,
        ("desk 1", "drawer 1"),
        ["openable(drawer 1)"],
        ["at(*)", "holding(*)", "open(*)", "openable(desk 1)"],
    )
    found = grounded(known, mug_9="mug")
    for take in named(found, "take"):
        place = take.action.args[1]
        assert f"seen in({place})" in condition(found, take)[0]
    start = found.state([atom("in(mug 9, drawer 1)")])
    assert not any(o.applies(start) for o in named(found, "take"))
    shows = {str(o.action) for o in found.task.operators if "seen in(drawer 1)" in spelled(found, o.adds)}
    assert shows == {"open(drawer 1)", "go_to(drawer 1)"}  # the latter where it is open already


def test_a_thing_that_was_seen_needs_no_look() -> None:
    found = grounded(belief(HOLD_MUG, ("mug 1", "desk 1"), ["in(mug 1, desk 1)"]))
    assert not any("seen" in fact for o in named(found, "take") for fact in condition(found, o)[0])


def test_seen_names_the_place_alone() -> None:
    assert seen(atom("in(mug 9, desk 1)"), "mug 9") == atom("seen in(desk 1)")


def test_a_state_with_more_facts() -> None:
    found = grounded(belief(HOLD_MUG, ("desk 1",), ["at(desk 1)"]), mug_9="mug")
    facts = [atom("in(mug 9, desk 1)"), atom("in(mug 9, desk 1)"), atom("in(knife 1, nowhere)")]
    assert spelled(found, found.state(facts)) == {"at(desk 1)", "in(mug 9, desk 1)"}


def test_grounding_does_not_depend_on_the_order_of_the_facts() -> None:
    objects = ("mug 1", "mug 2", "desk 1", "drawer 1", "fridge 1", "microwave 1")
    true = ["in(mug 1, desk 1)", "in(mug 2, fridge 1)", "openable(fridge 1)", "at(desk 1)"]
    hot = goal("in(?o, ?r)", "hot(?o)", o="mug", r="drawer")
    one, other = grounded(belief(hot, objects, true)), grounded(belief(hot, objects[::-1], true[::-1]))
    assert (one.task.atoms, one.task.operators, one.known) == (
        other.task.atoms,
        other.task.operators,
        other.known,
    )
