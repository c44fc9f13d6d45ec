"""What an action does to a fact, by likelihood: worked by hand, and on simulated values with known noise."""

from __future__ import annotations

import random
from collections import Counter
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.induction import Statistics, Transition, induce
from rules.induction.changes import FLOOR, Change, by_chance, change, explain, noise
from rules.induction.records import Record
from rules.language import parse
from rules.logic import Atom
from tests.rules.simulation import flipped, vocabulary, walk

NOTHING = Record("flip", (), True, "", 0, 0, 0, 0, 0, 0, 0, 0)
LAMPS = parse(
    """
domain lamps
predicate a
predicate b
predicate c
action flip
"""
)
CANDIDATES = Statistics(LAMPS).candidates("flip")
A, B, C = (1 << [c.atoms[0].predicate for c in CANDIDATES].index(p) for p in "abc")


def seen(before: int, after: int, known: int = A | B | C) -> Record:
    """The record of a step between complete states, or of what is known of them."""
    return NOTHING._replace(
        true=before & known, false=~before & known, seen_true=after & known, seen_false=~after & known,
        open=~known & (A | B | C),
    )  # fmt: skip


# --- tables ---------------------------------------------------------------------------------------


def test_a_table_counts_what_became_of_a_fact() -> None:
    records = {seen(A, A): 2, seen(A, 0): 3, seen(0, A): 5, seen(0, 0): 7}
    assert change(records, A) == Change(kept_true=2, ended=3, began=5, kept_false=7)


def test_what_is_not_mentioned_is_kept_unless_it_is_open() -> None:
    silent = NOTHING._replace(true=A, false=B)
    assert change({silent: 4}, A) == Change(kept_true=4)
    assert change({silent: 4}, B) == Change(kept_false=4)
    assert change({silent: 4}, C) == Change()
    assert change({silent._replace(open=A | B): 4}, A) == Change(was_true=4)
    assert change({silent._replace(open=A | B): 4}, B) == Change(was_false=4)
    assert change({NOTHING._replace(seen_true=A): 1, NOTHING._replace(seen_false=A): 2}, A) == Change(
        is_true=1, is_false=2
    )


tables = st.builds(Change, *[st.integers(0, 30)] * 8)


@settings(deadline=None)
@given(tables, st.sampled_from([FLOOR, 0.01, 0.1]))
def test_truth_and_falsehood_are_treated_alike(table: Change, wrong: float) -> None:
    """With all values turned round an addition is a deletion."""
    mirror = Change(
        table.kept_false, table.began, table.ended, table.kept_true,
        table.was_false, table.was_true, table.is_false, table.is_true,
    )  # fmt: skip
    assert table.gain("adds", wrong) == pytest.approx(mirror.gain("deletes", wrong), abs=1e-6)
    assert table.errors("adds") == mirror.errors("deletes")
    assert table.errors(None) == mirror.errors(None)


def test_one_clean_change_is_worth_the_error_that_it_would_otherwise_be() -> None:
    assert Change(began=1).gain("adds", FLOOR) == pytest.approx(log2(1 / FLOOR), rel=0.01)
    assert Change(ended=1).gain("deletes", FLOOR) == pytest.approx(log2(1 / FLOOR), rel=0.01)


# --- effects --------------------------------------------------------------------------------------


def test_one_clean_change_is_an_effect() -> None:
    found = explain(CANDIDATES, {seen(A, B): 1}, FLOOR)
    assert (found.adds, found.deletes, found.unsteady) == (B, A, 0)


def test_what_was_so_already_and_what_stays_is_none() -> None:
    found = explain(CANDIDATES, {seen(A | C, A): 10, seen(C, A): 1}, FLOOR)
    assert (found.adds, found.deletes, found.unsteady) == (A, C, 0)


def test_a_value_that_flips_as_often_as_noise_flips_values_is_none() -> None:
    records = {seen(A, A): 90, seen(A, 0): 2, seen(0, A): 2, seen(A, A | B): 2}
    found = explain(CANDIDATES, records, 0.03)
    assert (found.adds, found.deletes, found.unsteady) == (0, 0, 0)


def test_an_effect_is_found_under_noise() -> None:
    records = {seen(A, B): 80, seen(A | B, B): 5, seen(A, A | B): 4, seen(A, 0): 4, seen(0, B): 5}
    found = explain(CANDIDATES, records, 0.05)
    assert (found.adds, found.deletes, found.unsteady) == (B, A, 0)


def test_what_changes_now_and_then_is_unsteady() -> None:
    found = explain(CANDIDATES, {seen(0, A): 30, seen(0, 0): 30, seen(A, A): 30}, FLOOR)
    assert found.unsteady == A
    switch = explain(CANDIDATES, {seen(0, A): 30, seen(A, 0): 30}, FLOOR)
    assert switch.unsteady == A


def test_what_nobody_saw_before_and_after_is_no_effect() -> None:
    """Not known before and true afterwards: it may always have been."""
    found = explain(CANDIDATES, {seen(A, A, known=B)._replace(seen_true=A, open=C): 20}, FLOOR)
    assert (found.adds, found.deletes) == (0, 0)


def test_values_known_before_only_and_afterwards_only_tell_of_an_effect_together() -> None:
    """Half of the values are hidden, so that none is seen on both sides of a step."""
    before, after = NOTHING._replace(false=A, open=A | B | C), NOTHING._replace(seen_true=A, open=B | C)
    found = explain(CANDIDATES, {before: 20, after: 20}, FLOOR)
    assert (found.adds, found.deletes, found.unsteady) == (A, 0, 0)


# --- one object bound twice -----------------------------------------------------------------------

SHOP = parse(
    """
domain shop
type goods, truck, market, level
predicate ready(goods, market, level)
predicate loaded(goods, truck, level)
predicate next(level, level)
action load(?g: goods, ?t: truck, ?m: market, ?l1: level, ?l2: level, ?l3: level, ?l4: level)
  rule load
    when    loaded(?g, ?t, ?l3), ready(?g, ?m, ?l2), next(?l2, ?l1), next(?l4, ?l3)
    then    loaded(?g, ?t, ?l4), not loaded(?g, ?t, ?l3), ready(?g, ?m, ?l1), not ready(?g, ?m, ?l2)
"""
)


def loads(towns: int, seed: int) -> list[list[Transition]]:
    """Nearly always level 1 becomes 0 here and 0 becomes 1 there: two names for each of two levels."""
    levels = {f"level {i}": "level" for i in range(3)}
    found = []
    for town in range(towns):
        chance = random.Random(100 * seed + town)
        goods = {f"goods {i}": "goods" for i in range(3)}
        objects = {**levels, **goods, "truck 1": "truck", "market 1": "market"}
        facts = {Atom("next", ("level 1", "level 0")), Atom("next", ("level 2", "level 1"))}
        facts |= {Atom("ready", (g, "market 1", f"level {chance.choice('1112')}")) for g in goods}
        facts |= {Atom("loaded", (g, "truck 1", "level 0")) for g in goods}
        found.append(walk(SHOP, objects, facts, 20, town))
    return found


@pytest.mark.parametrize("wrong", [0.0, 0.02])
def test_where_one_object_is_bound_twice_no_effect_is_told_twice(wrong: float) -> None:
    traces = loads(40, seed=1)
    twice = [s for trace in traces for s in trace if len(set(s.action.args)) < len(s.action.args)]
    assert len(twice) > sum(map(len, traces)) / 2
    statistics = Statistics(vocabulary(SHOP))
    for number, trace in enumerate(traces):
        statistics.update(flipped(SHOP, trace, wrong, number))
    (rule,) = induce(statistics).actions["load"].rules
    (true,) = SHOP.actions["load"].rules
    assert set(rule.adds) == set(true.adds)
    assert set(rule.deletes) == set(true.deletes)
    assert set(rule.when) == set(true.when)


# --- noise ----------------------------------------------------------------------------------------


def simulated(effect: str, times: int, wrong: float, chance: random.Random) -> Change:
    """What is seen of a fact that an action adds, deletes or leaves, or to which it does either."""
    counts: Counter[tuple[bool, bool]] = Counter()
    for _ in range(times):
        before = chance.random() < 0.4
        one = chance.choice(["adds", "deletes"]) if effect == "either" else effect
        after = one == "adds" or (one == "leaves" and before)
        counts[before ^ (chance.random() < wrong), after ^ (chance.random() < wrong)] += 1
    return Change(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


@pytest.mark.parametrize("wrong", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("seed", range(4))
def test_noise_is_estimated_within_a_factor_of_two(wrong: float, seed: int) -> None:
    chance = random.Random(seed)
    kinds = ["leaves"] * 10 + ["adds"] * 3 + ["deletes"] * 3 + ["either"] * 2
    found = noise([simulated(kind, chance.randrange(20, 200), wrong, chance) for kind in kinds])
    assert wrong / 2 < found < 2 * wrong


def test_a_log_without_errors_has_no_noise_but_what_is_always_feared() -> None:
    chance = random.Random(0)
    kinds = ["leaves", "adds", "deletes", "either"]
    assert noise([simulated(kind, 50, 0.0, chance) for kind in kinds]) == FLOOR
    assert noise([]) == FLOOR


@settings(deadline=None)
@given(st.floats(0, 1000))
def test_what_is_expected_may_happen_by_chance(expected: float) -> None:
    assert by_chance(expected) >= expected + 1
