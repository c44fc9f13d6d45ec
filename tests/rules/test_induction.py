"""Rules from transitions whose causes are known: made by hand, or by the blocks world of `blocks.py`."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator
from functools import reduce
from operator import add

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.engine import Engine
from rules.errors import WorldModelError
from rules.induction import Statistics, Transition, induce
from rules.induction.candidates import candidates
from rules.induction.preconditions import code_length
from rules.language import check, parse, render, render_clause
from rules.logic import FALSE, TRUE, UNKNOWN, WILDCARD, Action, Atom, State, Truth
from rules.ruleset import Evidence, Rule, RuleSet
from tests.rules import blocks


def learned(domain: RuleSet, transitions: Iterator[Transition] | list[Transition]) -> RuleSet:
    statistics = Statistics(domain)
    statistics.update(transitions)
    ruleset = induce(statistics)
    check(ruleset)  # what is learned can be written, read and checked
    assert parse(render(ruleset)) == ruleset
    return ruleset


def written(rule: Rule, ruleset: RuleSet) -> dict[str, set[str]]:
    """A rule's condition and effects as text."""
    return {
        "when": {render_clause(clause, ruleset) for clause in rule.when},
        "adds": set(map(str, rule.adds)),
        "deletes": set(map(str, rule.deletes)),
        "reveals": set(map(str, rule.reveals)),
    }


def only(ruleset: RuleSet, action: str) -> dict[str, set[str]]:
    (rule,) = ruleset.actions[action].rules
    return written(rule, ruleset)


# --- the blocks world -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_blocks_world_is_recovered_exactly(seed: int) -> None:
    ruleset = learned(blocks.DOMAIN, blocks.transitions(seed, episodes=40))
    assert only(ruleset, "pick") == {
        "when": {"clear(?b)", "table(?b)", "no holding(*)"},
        "adds": {"holding(?b)"},
        "deletes": {"clear(?b)", "table(?b)"},
        "reveals": set(),
    }
    assert only(ruleset, "put") == {
        "when": {"holding(?b)"},
        "adds": {"clear(?b)", "table(?b)"},
        "deletes": {"holding(?b)"},
        "reveals": set(),
    }
    assert only(ruleset, "stack") == {
        "when": {"holding(?b)", "clear(?under)"},
        "adds": {"on(?b, ?under)", "clear(?b)"},
        "deletes": {"holding(?b)", "clear(?under)"},
        "reveals": set(),
    }
    assert only(ruleset, "unstack") == {
        "when": {"clear(?b)", "on(?b, ?under)", "no holding(*)"},
        "adds": {"holding(?b)", "clear(?under)"},
        "deletes": {"clear(?b)", "on(?b, ?under)"},
        "reveals": set(),
    }


def test_every_success_supports_its_rule_and_nothing_speaks_against_it() -> None:
    transitions = list(blocks.transitions(5, episodes=40))
    for name, schema in learned(blocks.DOMAIN, transitions).actions.items():
        successes = sum(t.succeeded for t in transitions if t.action.name == name)
        assert [rule.evidence for rule in schema.rules] == [Evidence(successes, 0)]


def accuracy(ruleset: RuleSet, transitions: list[Transition]) -> float:
    """The share of outcomes and next states that the rules get right."""
    engine = Engine(ruleset)
    right = sum(
        engine.outcome(t.before, t.action).truth is Truth.of(t.succeeded)
        and engine.apply(t.before, t.action).true == t.after.true
        for t in transitions
    )
    return right / len(transitions)


@pytest.mark.parametrize("seed", range(3))
def test_a_few_false_reports_destroy_no_rule(seed: int) -> None:
    ruleset = learned(blocks.DOMAIN, blocks.transitions(seed, episodes=60, flipped=0.05))
    assert accuracy(ruleset, list(blocks.transitions(99, episodes=20))) > 0.97


def test_rules_for_three_blocks_hold_for_six() -> None:
    ruleset = learned(blocks.DOMAIN, blocks.transitions(1, episodes=60, blocks=3))
    assert accuracy(ruleset, list(blocks.transitions(2, episodes=10, blocks=6))) == 1.0


def test_the_invariants_of_the_blocks_world_are_found() -> None:
    ruleset = learned(blocks.DOMAIN, blocks.transitions(0, episodes=60))
    text = render(ruleset)
    for expected in (
        "invariant clear(?a) implies not holding(?a)",
        "invariant holding(?a) implies not table(?a)",
        "invariant clear(?a) implies no on(*, ?a)",
        "invariant holding(?a) and holding(?x) implies ?a = ?x",
        "invariant on(?a, ?b) and on(?a, ?x) implies ?b = ?x",
    ):
        assert expected in text
    assert "table(?a) and table(?x)" not in text
    assert "implies clear" not in text
    assert all(i.evidence.against == 0 for i in ruleset.invariants)


# --- conditions, one kind each --------------------------------------------------------------------

ROOM = parse(
    """
domain room
type receptacle, object
type shelf, fridge, sink: receptacle
type apple, mug, pen, book, lamp, cup: object
predicate at(receptacle)
predicate in(object, receptacle)
predicate holding(object)
predicate open(receptacle)
predicate openable(receptacle)
predicate on(object)
action take(?o: object, ?r: receptacle)
action open(?r: receptacle)
action press(?o: object)
action go_to(?r: receptacle)
"""
)
PLACES = {"shelf 1": "shelf", "fridge 1": "fridge", "sink 1": "sink"}
THINGS = {f"{t} 1": t for t in ("apple", "mug", "pen", "book", "lamp", "cup")}
OBJECTS = {**PLACES, **THINGS}
CLOSURE = frozenset(Atom(p, (WILDCARD,) * len(s)) for p, s in ROOM.predicates.items())
Chance = random.Random


def a(predicate: str, *args: str) -> Atom:
    return Atom(predicate, args)


def situations(chance: Chance, count: int) -> Iterator[State]:
    """Random complete states: the agent somewhere, things in places, doors, open or not."""
    for _ in range(count):
        true = {a("at", chance.choice(list(PLACES)))}
        true |= {a("in", thing, chance.choice(list(PLACES))) for thing in THINGS}
        for place in PLACES:
            true |= {a(p, place) for p in ("openable", "open") if chance.random() < 0.5}
        true |= {a("on", thing) for thing in THINGS if chance.random() < 0.5}
        yield State(OBJECTS, true, CLOSURE)


def trials(
    action: str,
    works: Callable[[frozenset[Atom], tuple[str, ...]], bool],
    changes: Callable[[frozenset[Atom], tuple[str, ...]], tuple[set[Atom], set[Atom]]],
    count: int = 400,
    says: Callable[[frozenset[Atom], tuple[str, ...]], str] = lambda world, args: "",
) -> Iterator[Transition]:
    """An action tried on random things, half of the time where it works."""
    chance = Chance(0)
    pools = [list(PLACES if p.type == "receptacle" else THINGS) for p in ROOM.actions[action].parameters]
    for index, state in enumerate(situations(chance, count)):
        for _ in range(20):
            args = tuple(chance.choice(pool) for pool in pools)
            success = works(state.true, args)
            if success is (index % 2 == 0):
                break
        adds, deletes = changes(state.true, args) if success else (set(), set())
        after = (state.true - deletes) | adds
        text = says(state.true, args) if success else "Nothing happens."
        yield Transition(state, Action(action, args), after, CLOSURE, success, text)


def test_a_disjunction_is_learned() -> None:
    ruleset = learned(
        ROOM,
        trials(
            "take",
            lambda w, x: a("at", x[1]) in w and (a("openable", x[1]) not in w or a("open", x[1]) in w),
            lambda w, x: ({a("holding", x[0])}, set()),
        ),
    )
    assert only(ruleset, "take")["when"] == {"at(?r)", "open(?r) or not openable(?r)"}


def test_what_works_for_some_types_is_a_table_of_evidence() -> None:
    hot = {"apple", "mug", "cup"}
    ruleset = learned(
        ROOM, trials("press", lambda w, x: OBJECTS[x[0]] in hot, lambda w, x: ({a("on", x[0])}, set()))
    )
    assert only(ruleset, "press")["when"] == {"can_press(type of ?o)"}
    table = ruleset.relations["can_press"]
    assert {t: table.truth((t,)) for t in ("apple", "mug", "cup", "pen", "book", "lamp", "fork")} == {
        **dict.fromkeys(hot, TRUE),
        **dict.fromkeys(("pen", "book", "lamp"), FALSE),
        "fork": UNKNOWN,
    }


def test_a_single_type_is_a_type_literal() -> None:
    ruleset = learned(
        ROOM, trials("press", lambda w, x: x[0] == "lamp 1", lambda w, x: ({a("on", x[0])}, set()))
    )
    assert only(ruleset, "press")["when"] == {"?o is lamp"}


def test_what_fits_where_is_a_table_over_two_types() -> None:
    fits = {("apple", "fridge"), ("cup", "sink"), ("mug", "sink"), ("pen", "shelf"), ("book", "shelf")}
    ruleset = learned(
        ROOM,
        trials(
            "take",
            lambda w, x: (OBJECTS[x[0]], OBJECTS[x[1]]) in fits,
            lambda w, x: ({a("holding", x[0])}, set()),
        ),
    )
    tables = {name: r for name, r in ruleset.relations.items() if r.arity == 2}
    assert all(r.truth(pair) is TRUE for r in tables.values() for pair in fits)
    engine = Engine(ruleset)
    state = next(situations(Chance(3), 1))
    for thing, place in ((t, p) for t in THINGS for p in PLACES):
        said = engine.outcome(state, Action("take", (thing, place))).truth
        assert said is Truth.of((OBJECTS[thing], OBJECTS[place]) in fits), (thing, place)


def test_tables_of_one_action_have_names_of_their_own() -> None:
    good = {"apple", "cup", "pen"}
    ruleset = learned(
        ROOM,
        trials(
            "take",
            lambda w, x: OBJECTS[x[0]] in good and x[1] != "sink 1",
            lambda w, x: ({a("holding", x[0])}, set()),
        ),
    )
    lookups = [
        (literal.atom.predicate, len(literal.atom.args))
        for rule in ruleset.actions["take"].rules
        for clause in rule.when
        for literal in clause
        if literal.atom.predicate in ruleset.relations
    ]
    assert lookups
    assert all(ruleset.relations[name].arity == arity for name, arity in lookups)


def test_a_condition_on_an_object_that_is_no_argument_is_a_join() -> None:
    ruleset = learned(
        ROOM,
        trials(
            "press",
            lambda w, x: any(a("in", x[0], place) in w and a("at", place) in w for place in PLACES),
            lambda w, x: ({a("on", x[0])}, set()),
        ),
    )
    (rule,) = ruleset.actions["press"].rules
    link, here = (clause[0].atom for clause in rule.when)
    assert (link.predicate, link.args[0], here.predicate) == ("in", "?o", "at")
    assert link.args[1] == here.args[0] not in {p.name for p in ruleset.actions["press"].parameters}


def test_a_move_deletes_where_one_was_before() -> None:
    ruleset = learned(
        ROOM,
        trials(
            "go_to",
            lambda w, x: a("at", x[0]) not in w,
            lambda w, x: ({a("at", x[0])}, {a("at", place) for place in PLACES}),
        ),
    )
    rule = only(ruleset, "go_to")
    assert rule["when"] == {"not at(?r)"}
    assert (rule["adds"], rule["deletes"]) == ({"at(?r)"}, {"at(*)"})


def test_a_switch_has_two_outcomes_told_apart_by_their_words() -> None:
    ruleset = learned(
        ROOM,
        trials(
            "press",
            lambda w, x: OBJECTS[x[0]] == "lamp",
            lambda w, x: (set(), {a("on", x[0])}) if a("on", x[0]) in w else ({a("on", x[0])}, set()),
            says=lambda w, x: "It goes dark." if a("on", x[0]) in w else "The {?o} shines.",
        ),
    )
    rules = {rule.says: written(rule, ruleset) for rule in ruleset.actions["press"].rules}
    assert rules["It goes dark."]["when"] == {"?o is lamp", "on(?o)"}
    assert rules["It goes dark."]["deletes"] == {"on(?o)"}
    assert rules["The {?o} shines."]["when"] == {"?o is lamp", "not on(?o)"}
    assert rules["The {?o} shines."]["adds"] == {"on(?o)"}
    assert ruleset.actions["press"].otherwise == "Nothing happens."


def test_a_silent_switch_has_two_outcomes_told_apart_by_what_changes() -> None:
    ruleset = learned(
        ROOM,
        trials(
            "press",
            lambda w, x: True,
            lambda w, x: (set(), {a("on", x[0])}) if a("on", x[0]) in w else ({a("on", x[0])}, set()),
        ),
    )
    found = [written(rule, ruleset) for rule in ruleset.actions["press"].rules]
    assert {(*r["when"], *r["adds"], "; not", *r["deletes"]) for r in found} == {
        ("on(?o)", "; not", "on(?o)"),
        ("not on(?o)", "on(?o)", "; not"),
    }


def test_a_rare_outcome_that_nothing_foretells_does_not_stand_beside_the_others() -> None:
    chance = Chance(4)
    ruleset = learned(
        ROOM,
        trials(
            "press",
            lambda w, x: OBJECTS[x[0]] == "lamp",
            lambda w, x: ({a("on", x[0])}, set()),
            says=lambda w, x: "It bursts." if chance.random() < 0.03 else "The {?o} shines.",
        ),
    )
    (rule,) = ruleset.actions["press"].rules
    assert rule.says == "The {?o} shines."
    assert 0 < rule.evidence.against < rule.evidence.support / 10


# --- what is not known ----------------------------------------------------------------------------


def forget(transition: Transition, chance: Chance, share: float) -> Transition:
    """The same transition for an agent that knows only a part of what was so."""
    state = transition.before
    atoms = sorted({*state.true, *(a(p, o) for p in ("open", "openable", "at") for o in PLACES)})
    known = {atom for atom in atoms if chance.random() > share}
    partial = State(OBJECTS, known & state.true, {atom for atom in known if state.truth(atom) is FALSE})
    changed = (transition.true - state.true, state.true - transition.true)
    return Transition(
        partial, transition.action, *map(frozenset, changed), transition.succeeded, transition.says
    )


def test_unknown_literals_reject_nothing() -> None:
    whole = trials(
        "take",
        lambda w, x: a("at", x[1]) in w and (a("openable", x[1]) not in w or a("open", x[1]) in w),
        lambda w, x: ({a("holding", x[0])}, set()),
        count=2000,
    )
    chance = Chance(1)
    ruleset = learned(ROOM, [forget(t, chance, 0.4) for t in whole])
    assert {"at(?r)", "open(?r) or not openable(?r)"} <= only(ruleset, "take")["when"]


def test_what_an_observation_shows_is_no_effect() -> None:
    """Opening shows what is inside; it puts nothing there."""
    transitions = []
    for number in range(40):
        place, inside = ("fridge 1", "shelf 1")[number % 2], list(THINGS)[number % 3]
        before = State(OBJECTS, [a("openable", place)], [a("open", place)])
        everything = a("in", WILDCARD, place)
        seen = frozenset([a("open", place), a("in", inside, place)])
        transitions.append(Transition(before, Action("open", (place,)), seen, frozenset([everything]), True))
    rule = only(learned(ROOM, transitions), "open")
    assert (rule["adds"], rule["deletes"], rule["reveals"]) == ({"open(?r)"}, set(), {"in(*, ?r)"})


def test_an_action_never_seen_has_no_rules_and_one_never_granted_has_its_refusal() -> None:
    refused = trials("press", lambda w, x: False, lambda w, x: (set(), set()), count=20)
    ruleset = learned(ROOM, refused)
    assert ruleset.actions["take"].rules == ruleset.actions["press"].rules == ()
    assert ruleset.actions["press"].otherwise == "Nothing happens."
    assert ruleset.actions["take"].otherwise is None


def test_a_type_first_met_in_a_log_is_put_under_its_place() -> None:
    state = State({"oven 1": "oven"}, [], CLOSURE)
    step = Transition(state, Action("go_to", ("oven 1",)), frozenset([a("at", "oven 1")]), frozenset(), True)
    assert learned(ROOM, [step]).types["oven"] == "receptacle"


# --- constants, and the candidates ----------------------------------------------------------------


def test_a_constant_may_stand_in_a_condition_and_an_effect() -> None:
    domain = parse(
        """
domain tables
type block
constant table: block
predicate on(block, block)
action drop(?b: block)
"""
    )
    objects = {"a": "block", "b": "block", "table": "block"}
    closure = frozenset([a("on", WILDCARD, WILDCARD)])
    transitions = []
    for number in range(60):
        block, under = ("a", "b") if number % 2 else ("b", "a")
        high = number % 3 > 0
        world = frozenset([a("on", under, "table"), a("on", block, under if high else "table")])
        after = world - {a("on", block, under)} | {a("on", block, "table")}
        state = State(objects, world, closure)
        transitions.append(Transition(state, Action("drop", (block,)), after, closure, high))
    rule = only(learned(domain, transitions), "drop")
    assert "not on(?b, table)" in rule["when"]
    assert "on(?b, table)" in rule["adds"]
    assert rule["deletes"] == {"on(?b, *)"}


def test_candidates_are_distinct_and_the_plainest_come_first() -> None:
    for schema in ROOM.actions.values():
        found = candidates(ROOM, schema)
        assert len(set(found)) == len(found)
        patterns = [c.pattern for c in found if len(c.atoms) == 1 and c.atoms[0].predicate != "="]
        assert patterns == sorted(patterns)


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(0, 60))
def test_the_code_is_shortest_for_pure_cases_and_symmetric(good: int, bad: int) -> None:
    assert code_length(good, bad) == pytest.approx(code_length(bad, good))
    assert code_length(good + bad, 0) <= code_length(good, bad) + 1e-9


# --- statistics add up ----------------------------------------------------------------------------

SAMPLE = list(blocks.transitions(7, episodes=6, flipped=0.03))
WHOLE = Statistics(blocks.DOMAIN)
WHOLE.update(SAMPLE)
RULES = induce(WHOLE)


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 5))
def test_counts_merged_in_any_order_and_partition_give_the_same_rules(chance: Chance, parts: int) -> None:
    shuffled = SAMPLE[:]
    chance.shuffle(shuffled)
    counted = [Statistics(blocks.DOMAIN) for _ in range(parts)]
    for transition in shuffled:
        chance.choice(counted).add(transition)
    chance.shuffle(counted)
    merged = reduce(add, counted)
    assert len(merged) == len(SAMPLE)
    assert induce(merged) == RULES
    assert render(induce(merged)) == render(RULES)


def test_counts_survive_the_way_to_another_process() -> None:
    copy: Statistics = pickle.loads(pickle.dumps(WHOLE))
    assert induce(copy) == RULES
    assert len(copy + WHOLE) == 2 * len(SAMPLE)


def test_memory_grows_with_what_is_different_not_with_the_log() -> None:
    statistics = Statistics(blocks.DOMAIN)
    for _ in range(5):
        statistics.update(SAMPLE)
    assert statistics.records.keys() == WHOLE.records.keys()
    assert len(statistics) == 5 * len(SAMPLE)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (Action("fly", ("block 1",)), "unknown action 'fly': the vocabulary has pick, put, stack, unstack"),
        (Action("pick", ("block 1", "block 2")), r"pick\(block 1, block 2\): found 2 arguments, expected 1"),
    ],
)
def test_an_action_outside_the_vocabulary_is_an_error(action: Action, message: str) -> None:
    transition = Transition(SAMPLE[0].before, action, frozenset(), frozenset(), True)
    with pytest.raises(WorldModelError, match=message):
        Statistics(blocks.DOMAIN).add(transition)


def test_counts_over_different_vocabularies_do_not_add_up() -> None:
    with pytest.raises(WorldModelError, match="expected the same vocabulary"):
        _ = Statistics(blocks.DOMAIN) + Statistics(ROOM)


def test_nothing_seen_is_nothing_learned() -> None:
    ruleset = induce(Statistics(ROOM))
    assert ruleset.actions.keys() == ROOM.actions.keys()
    assert not any(schema.rules for schema in ruleset.actions.values())
