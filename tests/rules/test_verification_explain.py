"""Explanations: worked by hand, and against every way in which what is unknown may turn out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.engine import Engine
from rules.errors import WorldModelError
from rules.language import parse
from rules.logic import FALSE, TRUE, UNKNOWN, WILDCARD, Action, Atom, State, Truth
from rules.ruleset import RuleSet
from rules.verification import Explanation, explain
from rules.verification.explanations import Reading
from rules.verification.violations import violation_in
from tests.rules.test_verification import HOUSEHOLD

RULES = parse(HOUSEHOLD)
OBJECTS = {
    "mug 1": "mug",
    "pan 1": "pan",
    "desk 1": "desk",
    "fridge 1": "fridge",
    "microwave 1": "microwave",
}


def facts(*texts: str) -> list[Atom]:
    return [
        Atom(n, tuple(a.strip() for a in rest[:-1].split(",")))
        for n, _, rest in (t.partition("(") for t in texts)
    ]


def explained(
    true: list[Atom], false: list[Atom], name: str, *args: str, rules: RuleSet = RULES
) -> Explanation:
    return explain(rules, State(OBJECTS, true, false), Action(name, args))


def part(found: Explanation, text: str, rule: int = 0) -> Reading:
    return next(p for p in found.rules[rule].parts if p.text == text)


def test_a_success_rests_on_facts() -> None:
    known = facts("holding(mug 1)", "at(desk 1)")
    found = explained(known, facts("openable(desk 1)"), "put", "mug 1", "desk 1")
    assert found.truth is TRUE and found.rules[0].rule == "put.p" and found.rules[0].failing == ()
    assert (found.gained, found.lost) == ((Atom("in", ("mug 1", "desk 1")),), (Atom("holding", ("mug 1",)),))
    assert part(found, "open(desk 1) or not openable(desk 1)").because == ("not openable(desk 1)",)
    assert part(found, "fits(type of mug 1, type of desk 1)").because == ()  # the table says so


def test_a_failure_names_the_clause_the_fact_and_the_remedy() -> None:
    known = facts("holding(pan 1)", "at(desk 1)", "in(mug 1, desk 1)")
    found = explained(known, facts("openable(desk 1)"), "take", "mug 1", "desk 1")
    (rule,) = found.rules
    assert found.truth is FALSE
    (failing,) = rule.failing
    assert (failing.text, failing.because) == ("no holding(*)", ("holding(pan 1)",))
    assert [(w.literal, w.rules) for w in failing.unless] == [("no holding(*)", ("put.p",))]
    assert rule.core == ("no holding(*)", "holding(pan 1)")


def test_an_invariant_excludes_what_no_fact_denies() -> None:
    found = explained(facts("in(mug 1, desk 1)"), [], "take", "mug 1", "fridge 1")
    reading = part(found, "in(mug 1, fridge 1)")
    assert (reading.truth, reading.verdict) == (UNKNOWN, FALSE)
    assert reading.because == ("in(mug 1, desk 1)", "in(?o, ?r) and in(?o, ?s) implies ?r = ?s")
    assert found.rules[0].truth is UNKNOWN  # which is what the engine predicts
    assert found.rules[0].core[0] == "in(mug 1, fridge 1)"


def test_clauses_that_exclude_each_other_only_together() -> None:
    rules = parse(
        HOUSEHOLD.replace(
            "when    holding(?o), at(?r), ?r is", "when    cool(?o), holding(?o), hot(?o), ?r is"
        )
    )
    found = explained([], [], "heat", "mug 1", "microwave 1", rules=rules)
    (rule,) = found.rules
    assert all(p.verdict is not FALSE for p in rule.parts)
    assert set(rule.core) == {"cool(mug 1)", "hot(mug 1)", "hot(?o) and cool(?o) implies false"}


def test_a_condition_on_a_third_object() -> None:
    found = explained(facts("holding(mug 1)"), [], "check_hand")
    assert (found.rules[0].rule, found.says) == ("check_hand.full", ("You hold {?o}.",))
    assert part(found, "holding(mug 1)").because == ("holding(mug 1)",)
    denied = explained([], facts("holding(*)"), "check_hand")
    assert denied.rules[-1].rule == "check_hand.full"
    assert part(denied, "holding(?o)", -1).because == ("no holding(*)",)


def test_wrong_types_need_no_rule() -> None:
    found = explained([], [], "heat", "desk 1", "microwave 1")
    assert found.truth is FALSE and found.rules == () and found.says == ("Nothing happens.",)
    assert found.reason == "desk 1 is desk, and ?o is to be object"
    assert "nothing that anybody has met" in explained([], [], "heat", "ghost 1", "microwave 1").reason


def test_a_state_that_contradicts_the_invariants_is_said_to() -> None:
    found = explained(facts("at(desk 1)", "at(fridge 1)"), [], "put", "mug 1", "desk 1")
    assert "at(?r) and at(?s) implies ?r = ?s" in found.conflict
    assert part(found, "at(desk 1)").verdict is TRUE


def test_an_unknown_action() -> None:
    with pytest.raises(WorldModelError, match="unknown action 'fly'"):
        explained([], [], "fly")


TINY = parse(
    """
    domain tiny
    type thing, box
    predicate held(thing)
    predicate in(thing, box)
    predicate open(box)
    invariant held(?x) and held(?y) implies ?x = ?y
    invariant held(?x) implies no in(?x, *)
    action take(?x: thing, ?b: box)
      rule r
        when in(?x, ?b), open(?b) or held(?x), no held(*)
        then held(?x), not in(?x, ?b)
    action swap(?x: thing)
      rule r
        when held(?y), ?y != ?x, in(?x, ?c), open(?c)
        then held(?x), not held(?y)
    """
)
THINGS = {"a": "thing", "b": "thing", "x": "box"}
ATOMS = [
    Atom("held", ("a",)),
    Atom("held", ("b",)),
    Atom("in", ("a", "x")),
    Atom("in", ("b", "x")),
    Atom("open", ("x",)),
]
PATTERNS = [*ATOMS, Atom("held", (WILDCARD,)), Atom("in", (WILDCARD, "x")), Atom("in", ("a", WILDCARD))]
CLOSED = [Atom(p, (WILDCARD,) * len(s)) for p, s in TINY.predicates.items()]


def completions(state: State) -> Iterator[State]:
    """Every complete state of these objects that agrees with the known one and keeps the invariants."""
    engine = Engine(TINY)
    for size in range(len(ATOMS) + 1):
        for true in combinations(ATOMS, size):
            world = State(THINGS, true, CLOSED)
            agrees = all(state.truth(a) in (UNKNOWN, Truth.of(a in true)) for a in ATOMS)
            if agrees and not any(violation_in(engine, i, world) for i in TINY.invariants):
                yield world


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(ATOMS), max_size=3),
    st.lists(st.sampled_from(PATTERNS), max_size=3),
    st.sampled_from([Action("take", ("a", "x")), Action("take", ("b", "x")), Action("swap", ("a",))]),
)
def test_no_completion_contradicts_an_explanation(
    true: list[Atom], false: list[Atom], action: Action
) -> None:
    state = State(THINGS, true, false)
    engine, found = Engine(TINY), explain(TINY, state, action)
    assert found.truth is engine.outcome(state, action).truth
    worlds = list(completions(state))
    assert bool(found.conflict) <= (not worlds)
    if found.conflict:
        return
    (rule,), (reading,) = TINY.actions[action.name].rules, found.rules
    values = {engine.match(rule, world, action).truth for world in worlds}
    if reading.core:
        assert TRUE not in values
    for p in reading.parts:
        assert p.truth in (UNKNOWN, p.verdict)
        assert (p.verdict is UNKNOWN) or p.truth is not UNKNOWN or p.because
        if p.verdict is FALSE:
            assert TRUE not in values
    if reading.parts and all(p.verdict is TRUE for p in reading.parts) and action.name == "take":
        assert values <= {TRUE}
