"""Every kind of thing that can be learned, once: from simulated worlds."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import cache

import pytest

from rules.engine import Engine
from rules.induction import Statistics, Transition, induce
from rules.language import check, parse, render, render_clause
from rules.logic import FALSE, TRUE, UNKNOWN, Action, Atom, Truth
from rules.ruleset import Rule, RuleSet
from tests.rules.simulation import (
    Names,
    complete,
    flipped,
    ground_actions,
    ground_atoms,
    hidden,
    vocabulary,
    walk,
)


def learned(domain: RuleSet, transitions: Iterable[Transition]) -> RuleSet:
    statistics = Statistics(vocabulary(domain))
    statistics.update(transitions)
    ruleset = induce(statistics)
    check(ruleset)
    assert parse(render(ruleset)) == ruleset
    return ruleset


def written(rule: Rule, ruleset: RuleSet) -> tuple[set[str], set[str], set[str]]:
    """Condition, adds and deletes as text."""
    when = {render_clause(clause, ruleset) for clause in rule.when}
    return when, set(map(str, rule.adds)), set(map(str, rule.deletes))


def rules(ruleset: RuleSet, action: str) -> list[tuple[set[str], set[str], set[str]]]:
    found = [written(rule, ruleset) for rule in ruleset.actions[action].rules]
    return sorted(found, key=lambda parts: [sorted(part) for part in parts])


def by_chance(domain: RuleSet, objects: Names, count: int, seed: int, share: float = 0.5) -> list[Transition]:
    """Single steps from random states: every action of the domain, whether or not it succeeds."""
    chance = random.Random(seed)
    atoms, actions, engine = ground_atoms(domain, objects), ground_actions(domain, objects), Engine(domain)
    found = []
    for _ in range(count):
        state = complete(domain, objects, [a for a in atoms if chance.random() < share])
        action = chance.choice(actions)
        succeeded = engine.outcome(state, action).truth is TRUE
        after = complete(domain, objects, engine.apply(state, action).true)
        found.append(Transition(state, action, after.true, after.false, succeeded))
    return found


def assert_predicts(ruleset: RuleSet, transitions: Sequence[Transition]) -> None:
    """Every outcome and every next state, exactly."""
    engine = Engine(ruleset)
    for step in transitions:
        assert engine.outcome(step.before, step.action).truth is Truth.of(step.succeeded), step.action
        assert engine.apply(step.before, step.action).true == step.after.true, step.action


# --- effects --------------------------------------------------------------------------------------


def test_conditional_effects_of_a_silent_action() -> None:
    """The door of a cage lets out what is inside; who opens an empty one only opens it."""
    truth = parse(
        """
domain cages
type cage
predicate open(cage)
predicate tame(cage)
predicate full(cage)
predicate free(cage)
action unlock(?c: cage)
  rule let_out
    when    not open(?c), full(?c), not tame(?c)
    then    open(?c), free(?c), not full(?c)
  rule open_only
    when    not open(?c), not full(?c) or tame(?c)
    then    open(?c)
"""
    )
    objects = {"cage 1": "cage", "cage 2": "cage"}
    ruleset = learned(truth, by_chance(truth, objects, 600, seed=1))
    assert_predicts(ruleset, by_chance(truth, objects, 300, seed=2))
    assert len(ruleset.actions["unlock"].rules) >= 2


def test_an_effect_on_what_is_no_argument_is_a_wildcard() -> None:
    """To call the lift brings it here: it is not at the floor any more where it was, wherever that is."""
    truth = parse(
        """
domain lift
type floor
predicate here(floor)
predicate lit(floor)
action call(?f: floor)
  rule call
    when    not here(?f)
    then    here(?f), lit(?f), not here(*)
"""
    )
    objects = dict.fromkeys([f"floor {i}" for i in range(5)], "floor")
    ruleset = learned(truth, walk(truth, objects, [Atom("here", ("floor 0",))], 200, 1, refused=0.5))
    ((when, adds, deletes),) = rules(ruleset, "call")
    assert (when, deletes) == ({"not here(?f)"}, {"here(*)"})
    assert adds == {"here(?f)", "lit(?f)"}


CARRYING = parse(
    """
domain carrying
type place, thing
predicate at(place)
predicate held(thing)
predicate lies(thing, place)
action go(?from: place, ?to: place)
action take(?t: thing, ?p: place)
"""
)


def carrying(steps: int, seed: int) -> list[Transition]:
    """What is held lies where the walker is: a go moves it, though no argument names it."""
    chance = random.Random(seed)
    places, things = [f"p{i}" for i in range(4)], [f"t{i}" for i in range(3)]
    objects = dict.fromkeys(places, "place") | dict.fromkeys(things, "thing")
    here, held, lies = "p0", set[str](), {t: chance.choice(places) for t in things}
    found = []

    def facts() -> set[Atom]:
        spots = {Atom("lies", (t, p)) for t, p in lies.items()}
        return {Atom("at", (here,)), *(Atom("held", (t,)) for t in held), *spots}

    for _ in range(steps):
        before = complete(CARRYING, objects, facts())
        at_hand = [t for t in things if lies[t] == here and t not in held]
        if at_hand and chance.random() < 0.5:
            action = Action("take", (chance.choice(at_hand), here))
            held.add(action.args[0])
        else:
            action = Action("go", (here, chance.choice([p for p in places if p != here])))
            here = action.args[1]
            lies |= dict.fromkeys(held, here)
        if chance.random() < 0.1:
            held.clear()
            continue  # this step is not logged: the walker put down all that he held
        after = complete(CARRYING, objects, facts())
        found.append(Transition(before, action, after.true, after.false, True))
    return found


def test_what_is_carried_along_and_cannot_be_said_is_left_out_not_made_up() -> None:
    """No effect of the language moves *all that is held*. What can be said is learned, and nothing else."""
    ruleset = learned(CARRYING, carrying(400, 1))
    for _, adds, deletes in rules(ruleset, "go"):
        assert adds == {"at(?to)"}
        assert deletes == {"at(?from)"}
    ((_, adds, deletes),) = rules(ruleset, "take")
    assert (adds, deletes) == ({"held(?t)"}, set())


# --- preconditions --------------------------------------------------------------------------------

GATES = parse(
    """
domain gates
type gate, key
type small_gate: gate
constant main: gate
predicate open(gate)
predicate locked(gate)
predicate rusty(gate)
predicate fits(key, gate)
predicate holding(key)
predicate night
action push(?g: gate)
  rule push
    when    not open(?g), not locked(?g) or rusty(?g)
    then    open(?g)
action slip(?g: gate)
  rule slip
    when    open(?g), no holding(*)
    then    night, not open(?g)
action unlock(?g: gate, ?k: key)
  rule unlock
    when    holding(?k), fits(?k, ?g), locked(?g), not night
    then    not locked(?g)
action ring
  rule ring
    when    open(main), not night
    then    night
action climb(?g: gate)
  rule climb
    when    ?g is small_gate, not rusty(?g)
    then    rusty(?g)
action swap(?one: gate, ?other: gate)
  rule swap
    when    ?one != ?other, open(?one), not open(?other)
    then    open(?other), not open(?one)
"""
)
GATE_OBJECTS = {"main": "gate", "north": "gate", "cat flap": "small_gate", "key 1": "key", "key 2": "key"}
EXPECTED = {
    "push": ({"not open(?g)", "not locked(?g) or rusty(?g)"}, {"open(?g)"}, set()),
    "slip": ({"open(?g)", "no holding(*)"}, {"night"}, {"open(?g)"}),
    "unlock": ({"holding(?k)", "fits(?k, ?g)", "locked(?g)", "not night"}, set(), {"locked(?g)"}),
    "ring": ({"open(main)", "not night"}, {"night"}, set()),
    "climb": ({"?g is small_gate", "not rusty(?g)"}, {"rusty(?g)"}, set()),
    "swap": ({"open(?one)", "not open(?other)"}, {"open(?other)"}, {"open(?one)"}),
}


@pytest.fixture(scope="module")
def gates() -> RuleSet:
    """Rules from 4,000 tries, seven in ten of them in vain."""
    return learned(GATES, by_chance(GATES, GATE_OBJECTS, 4000, seed=3, share=0.4))


@pytest.mark.parametrize("action", EXPECTED)
def test_preconditions_of_every_kind_are_learned_from_failures(action: str, gates: RuleSet) -> None:
    """Disjunction, quantifier, conjunction, constant and no argument at all, subtype, one object twice."""
    assert rules(gates, action) == [EXPECTED[action]]


def test_what_is_learned_from_failures_predicts_other_states(gates: RuleSet) -> None:
    assert_predicts(gates, by_chance(GATES, GATE_OBJECTS, 500, seed=4, share=0.4))
    assert_predicts(gates, by_chance(GATES, {**GATE_OBJECTS, "attic": "gate"}, 500, seed=5, share=0.6))


def test_unknown_literals_reject_nothing() -> None:
    """A third of all values is hidden, the conditions are the same."""
    steps = by_chance(GATES, GATE_OBJECTS, 2500, seed=6, share=0.4)
    seen = [hidden(GATES, [step], 0.3, number)[0] for number, step in enumerate(steps)]
    ruleset = learned(GATES, seen)
    for action in ("slip", "unlock", "ring"):
        ((when, adds, deletes),) = rules(ruleset, action)
        assert (adds, deletes) == EXPECTED[action][1:]
        assert EXPECTED[action][0] - {"no holding(*)"} <= when
        assert not any("rusty" in clause for clause in when)


# --- noise ----------------------------------------------------------------------------------------

LOGISTICS = parse(
    """
domain logistics
type place, parcel, vehicle
type lorry, plane: vehicle
type airport: place
predicate at(vehicle, place)
predicate lies(parcel, place)
predicate aboard(parcel, vehicle)
predicate road(place, place)
action drive(?l: lorry, ?from: place, ?to: place)
  rule drive
    when    at(?l, ?from), road(?from, ?to)
    then    not at(?l, ?from), at(?l, ?to)
action fly(?a: plane, ?from: airport, ?to: airport)
  rule fly
    when    at(?a, ?from)
    then    not at(?a, ?from), at(?a, ?to)
action load(?p: parcel, ?v: vehicle, ?at: place)
  rule load
    when    lies(?p, ?at), at(?v, ?at)
    then    not lies(?p, ?at), aboard(?p, ?v)
action drop(?p: parcel, ?v: vehicle, ?at: place)
  rule drop
    when    aboard(?p, ?v), at(?v, ?at)
    then    not aboard(?p, ?v), lies(?p, ?at)
"""
)


@cache
def deliveries(seed: int, steps: int) -> list[Transition]:
    chance = random.Random(seed)
    towns, fields = [f"town {i}" for i in range(5)], ["field 1", "field 2", "field 3"]
    objects = dict.fromkeys(towns, "place") | dict.fromkeys(fields, "airport")
    objects |= {"lorry 1": "lorry", "lorry 2": "lorry", "plane 1": "plane"}
    objects |= dict.fromkeys([f"parcel {i}" for i in range(4)], "parcel")
    places = towns + fields
    facts = {Atom("at", (v, chance.choice(places))) for v in ("lorry 1", "lorry 2")}
    facts |= {Atom("at", ("plane 1", chance.choice(fields)))}
    facts |= {Atom("lies", (p, chance.choice(places))) for p, t in objects.items() if t == "parcel"}
    facts |= {Atom("road", (a, b)) for a in places for b in places if a != b and chance.random() < 0.35}
    return walk(LOGISTICS, objects, facts, steps, seed)


@pytest.mark.parametrize("wrong", [0.0, 0.01, 0.05, 0.1])
def test_rules_stay_right_under_noise(wrong: float) -> None:
    traces = [flipped(LOGISTICS, deliveries(seed, 30), wrong, seed) for seed in range(20)]
    ruleset = learned(LOGISTICS, [step for trace in traces for step in trace])
    for name, schema in LOGISTICS.actions.items():
        (true,) = schema.rules
        assert rules(ruleset, name) == [written(true, ruleset)], name


# --- nothing, one thing, and one thing twice ------------------------------------------------------


def test_an_action_and_predicates_without_arguments() -> None:
    truth = parse(
        """
domain switch
predicate on
predicate powered
action toggle_on
  rule toggle_on
    when    powered, not on
    then    on
action toggle_off
  rule toggle_off
    when    on
    then    not on
"""
    )
    ruleset = learned(truth, by_chance(truth, {}, 200, seed=1))
    assert rules(ruleset, "toggle_on") == [({"powered", "not on"}, {"on"}, set())]
    assert rules(ruleset, "toggle_off") == [({"on"}, set(), {"on"})]


def test_one_object_in_two_places_of_an_action() -> None:
    """To mirror something onto itself is allowed, and changes nothing that it should not."""
    truth = parse(
        """
domain mirrors
type slot
predicate holds(slot)
predicate marked(slot)
action copy(?from: slot, ?to: slot)
  rule copy
    when    holds(?from)
    then    holds(?to), marked(?to), not marked(?from)
"""
    )
    objects = {"a": "slot", "b": "slot", "c": "slot"}
    steps = by_chance(truth, objects, 500, seed=1)
    assert sum(s.succeeded and s.action.args[0] == s.action.args[1] for s in steps) > 50
    ruleset = learned(truth, steps)
    ((when, adds, deletes),) = rules(ruleset, "copy")
    assert (when, adds, deletes) == ({"holds(?from)"}, {"holds(?to)", "marked(?to)"}, {"marked(?from)"})
    assert_predicts(ruleset, by_chance(truth, objects, 200, seed=2))


def test_a_pair_of_types_that_no_log_shows_is_unknown() -> None:
    domain = parse(
        """
domain kitchen
type thing, place
type pan, mug, book: thing
type stove, shelf: place
predicate lies(thing, place)
predicate hot(thing)
action heat(?t: thing, ?p: place)
"""
    )
    objects = {f"{t} {i}": t for t in ("pan", "mug", "book", "stove", "shelf") for i in range(2)}
    works = {("pan", "stove"), ("mug", "stove"), ("book", "shelf")}
    steps = []
    for number in range(240):
        thing = f"{('pan', 'mug', 'book')[number % 3]} {number // 3 % 2}"
        place = f"{('stove', 'shelf')[number // 6 % 2]} {number // 12 % 2}"
        pair = objects[thing], objects[place]
        if pair == ("mug", "shelf"):
            continue  # nobody ever tried
        before = complete(domain, objects, [])
        facts = frozenset([Atom("hot", (thing,))] if pair in works else [])
        after = complete(domain, objects, facts)
        steps.append(
            Transition(before, Action("heat", (thing, place)), after.true, after.false, pair in works)
        )
    ruleset = learned(domain, steps)
    (relation,) = ruleset.relations.values()
    assert {pair: relation.truth(pair) for pair in (*works, ("pan", "shelf"), ("mug", "shelf"))} == {
        **dict.fromkeys(works, TRUE),
        ("pan", "shelf"): FALSE,
        ("mug", "shelf"): UNKNOWN,
    }
    assert all(min(evidence) == 0 for evidence in relation.table.values())
    engine, state = Engine(ruleset), complete(domain, objects, [])
    assert engine.outcome(state, Action("heat", ("mug 1", "shelf 1"))).truth is UNKNOWN
