"""What held in every success: which of it is a condition, worked out by hand and on simulated logs."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from math import log2

import pytest

from rules.induction import Statistics, Transition, induce
from rules.induction.alternatives import Alternatives, World
from rules.induction.changes import FLOOR
from rules.induction.habits import CAUTION, Successes, cautious, habits
from rules.induction.preconditions import Case, Mask
from rules.induction.scenes import Scenes
from rules.language import parse, render_clause
from rules.logic import Atom, State
from rules.ruleset import RuleSet
from tests.rules.simulation import complete, vocabulary, walk

STREETS = parse(
    """
domain streets
type place, car
predicate at(car, place)
predicate street(place, place)
predicate paved(place)
predicate painted(car)
action drive(?c: car, ?from: place, ?to: place)
  rule drive
    when    at(?c, ?from), street(?from, ?to)
    then    not at(?c, ?from), at(?c, ?to)
"""
)
AT, STREET, BACK = (
    Atom("at", ("?c", "?from")),
    Atom("street", ("?from", "?to")),
    Atom("street", ("?to", "?from")),
)


def town(
    seed: int, both_ways: bool, paved: float = 0.0, painted: float = 0.0
) -> tuple[dict[str, str], set[Atom]]:
    """A town with a few streets among its places, and a car; names differ from town to town."""
    chance = random.Random(seed)
    places = [f"{seed}_p{i}" for i in range(8)]
    objects = dict.fromkeys(places, "place") | {f"{seed}_car": "car"}
    facts = {Atom("at", (f"{seed}_car", places[0]))}
    for i, here in enumerate(places):
        for there in (places[(i + 1) % 8], chance.choice(places)):
            facts.add(Atom("street", (here, there)))
            if both_ways:
                facts.add(Atom("street", (there, here)))
    facts |= {Atom("paved", (p,)) for p in places if chance.random() < paved}
    facts |= {Atom("painted", (n,)) for n, t in objects.items() if t == "car" and chance.random() < painted}
    return objects, facts


def drives(towns: int, refused: float = 0.0, steps: int = 15, **kind: float) -> list[Transition]:
    both_ways = bool(kind.pop("both_ways", False))
    return [
        step
        for seed in range(towns)
        for step in walk(STREETS, *town(seed, both_ways, **kind), steps, seed, refused)
    ]


def conditions(
    transitions: Sequence[Transition], domain: RuleSet = STREETS, action: str = "drive"
) -> set[str]:
    statistics = Statistics(vocabulary(domain))
    statistics.update(transitions)
    ruleset = induce(statistics)
    (rule,) = ruleset.actions[action].rules
    return {render_clause(clause, ruleset) for clause in rule.when}


# --- a log of successes alone is read cautiously --------------------------------------------------


def test_where_all_streets_lead_both_ways_one_direction_is_stated() -> None:
    found = conditions(drives(10, both_ways=True))
    assert found == {"at(?c, ?from)", "street(?from, ?to)"}


def test_where_some_streets_lead_one_way_the_direction_that_held_is_stated() -> None:
    assert conditions(drives(10)) == {"at(?c, ?from)", "street(?from, ?to)"}


def test_what_is_so_of_everything_is_no_condition() -> None:
    found = conditions(drives(200, steps=2, paved=1.0, painted=1.0))
    assert found == {"at(?c, ?from)", "street(?from, ?to)"}


def test_what_is_so_of_the_few_things_there_were_stays_a_condition() -> None:
    """Three towns, three cars, all of them painted: who knows what becomes of one that is not?"""
    assert "painted(?c)" in conditions(drives(3, painted=1.0))


def test_a_coincidence_stays_a_condition() -> None:
    """Places are paved or not, but all drives led to paved ones: no log says that they had to."""
    steps = [s for s in drives(40, paved=0.6) if Atom("paved", (s.action.args[2],)) in s.before.true]
    assert conditions(steps) == {"at(?c, ?from)", "street(?from, ?to)", "paved(?to)"}


LAMPS = parse(
    """
domain lamps
type lamp
predicate dark(lamp)
predicate off(lamp)
action light(?l: lamp)
  rule light
    when    dark(?l), off(?l)
    then    not dark(?l), not off(?l)
"""
)


def test_what_the_action_ends_stays_though_it_follows_from_the_rest() -> None:
    """A lamp that is dark is off, and the other way round. Lighting it ends both."""
    steps = []
    for seed in range(30):
        objects = dict.fromkeys([f"{seed}_{i}" for i in range(4)], "lamp")
        facts = {Atom(p, (name,)) for name in list(objects)[seed % 3 :] for p in ("dark", "off")}
        steps += walk(LAMPS, objects, facts, 2, seed)
    assert conditions(steps, LAMPS, "light") == {"dark(?l)", "off(?l)"}


# --- the same by hand, on cases and alternatives --------------------------------------------------


def successes(
    cases: Sequence[Case], facts: Mapping[int, Atom], states: Sequence[State], noise: float = FLOOR
) -> Successes:
    sample = Scenes()
    for state in states:
        sample.note(state)
    worlds = [World(STREETS, scene) for scene in sorted(sample.trim())]
    return Successes(cases, facts, Alternatives(STREETS, STREETS.actions["drive"], worlds), noise)


TYPES = ("car", "place", "place")
PAINTED = Atom("painted", ("?c",))


def cars(painted: int, plain: int) -> State:
    """One state with so many painted cars, and others."""
    objects = {f"car {i}": "car" for i in range(painted + plain)}
    return complete(STREETS, objects, [Atom("painted", (f"car {i}",)) for i in range(painted)])


def test_surprise_is_the_bits_by_which_a_condition_beats_the_habit_of_the_alternatives() -> None:
    own = successes([Case(1, 0, TYPES, 10, 0)], {0: PAINTED}, [cars(1, 3)])
    tally = own.tally(0, [])
    assert tally == (1, 3, 1)
    assert own.surprise(0, tally) == pytest.approx(10 * log2(1 / 0.3), rel=0.01)  # (1 + 1/2) of (4 + 1)


def test_a_success_without_it_costs_what_only_noise_could_explain() -> None:
    own = successes([Case(1, 0, TYPES, 9, 0), Case(0, 1, TYPES, 1, 0)], {0: PAINTED}, [cars(1, 3)], 0.1)
    chance = 0.3 * 0.9 + 0.7 * 0.1
    expected = 9 * log2(0.9 / chance) + log2(0.1 / (1 - chance))
    assert own.surprise(0, own.tally(0, [])) == pytest.approx(expected)


LENGTH = log2(3) + 1 + CAUTION
"""What the only habit there could be must be worth."""


@pytest.mark.parametrize(
    ("times", "painted", "plain"), [(10, 1, 3), (3, 1, 3), (10, 3, 1), (40, 3, 1), (4, 1, 18)]
)
def test_where_there_are_failures_a_habit_must_be_worth_its_length(
    times: int, painted: int, plain: int
) -> None:
    cases = [Case(1, 0, TYPES, times, 0), Case(0, 1, TYPES, 0, 5)]
    chance = (painted + 0.5) / (painted + plain + 1)
    worth = times * log2(1 / chance) > LENGTH
    found = habits(successes(cases, {0: PAINTED}, [cars(painted, plain)]), [])
    assert found == ([Mask(1, 0)] if worth else [])


def test_what_a_chosen_condition_implies_is_no_habit() -> None:
    """Under ``street(?from, ?to)`` the way back is no news, though it would be without."""
    objects, facts = town(0, both_ways=True)
    state, known = complete(STREETS, objects, facts), {0: STREET, 1: BACK}
    cases = [Case(0b11, 0, TYPES, 20, 0), Case(0, 0b11, TYPES, 0, 5)]
    assert habits(successes(cases, known, [state]), [Mask(0b01, 0)]) == []
    assert habits(successes(cases, known, [state]), []) == [Mask(0b01, 0)]


def test_a_habit_that_was_broken_is_none() -> None:
    cases = [Case(1, 0, TYPES, 40, 0), Case(0, 1, TYPES, 2, 0), Case(0, 1, TYPES, 0, 5)]
    assert habits(successes(cases, {0: PAINTED}, [cars(1, 9)]), []) == []
    assert cautious(successes(cases[:2], {0: PAINTED}, [cars(1, 9)]), [], [], "drive") == []


def test_what_is_unknown_in_a_success_speaks_neither_for_a_condition_nor_against_it() -> None:
    cases = [Case(1, 0, TYPES, 5, 0), Case(0, 0, TYPES, 5, 0)]
    assert cautious(successes(cases, {0: PAINTED}, [cars(1, 3)]), [], [], "drive") == [Mask(1, 0)]
    assert cautious(successes(cases[1:], {0: PAINTED}, [cars(1, 3)]), [], [], "drive") == []


def test_of_two_facts_that_say_the_same_the_one_named_like_the_action_stays() -> None:
    twins = parse(
        """
domain twins
type lamp
predicate lit(lamp)
predicate fit_to_switch(lamp)
predicate done(lamp)
action switch(?l: lamp)
  rule switch
    when    lit(?l), fit_to_switch(?l)
    then    done(?l)
"""
    )
    steps = []
    for seed in range(60):
        objects = dict.fromkeys([f"{seed}_{i}" for i in range(4)], "lamp")
        facts = {Atom(p, (name,)) for name in list(objects)[:2] for p in ("lit", "fit_to_switch")}
        steps += walk(twins, objects, facts, 2, seed)
    assert conditions(steps, twins, "switch") == {"fit_to_switch(?l)"}


# --- with failures --------------------------------------------------------------------------------


def test_failures_make_nobody_careless() -> None:
    """Where all is known, what held in every success stays, though failures are explained without it."""
    every = drives(8, refused=0.6, paved=0.9)
    steps = [s for s in every if not s.succeeded or Atom("paved", (s.action.args[2],)) in s.before.true]
    assert {s.succeeded for s in steps} == {True, False}
    assert conditions(steps) == conditions([s for s in steps if s.succeeded])
    assert "paved(?to)" in conditions(steps)


def test_a_habit_must_pay_for_itself() -> None:
    few, many = [Case(1, 0, TYPES, 2, 9)], [Case(1, 0, TYPES, 30, 9)]
    assert habits(successes(few, {0: PAINTED}, [cars(1, 3)]), []) == []
    assert habits(successes(many, {0: PAINTED}, [cars(1, 3)]), []) == [Mask(1, 0)]
