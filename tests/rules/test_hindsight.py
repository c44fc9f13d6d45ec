"""Partial traces: what is filled in is what was so, and rules from a third are those of the whole."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.induction import Statistics, Transition, induce
from rules.induction.hindsight import Insight, changing, completed, count
from rules.language import parse
from rules.logic import UNKNOWN, Action, Atom, Clause, State
from rules.ruleset import Rule, RuleSet
from tests.rules.simulation import ground_atoms, hidden, vocabulary, walk

BLOCKS = parse(
    """
domain blocks
type block
predicate on(block, block)
predicate table(block)
predicate clear(block)
predicate holding(block)
predicate free
predicate red(block)
action pick(?b: block)
  rule pick
    when    clear(?b), table(?b), free
    then    holding(?b), not clear(?b), not table(?b), not free
action put(?b: block)
  rule put
    when    holding(?b)
    then    clear(?b), table(?b), free, not holding(?b)
action stack(?b: block, ?under: block)
  rule stack
    when    holding(?b), clear(?under)
    then    on(?b, ?under), clear(?b), free, not holding(?b), not clear(?under)
action unstack(?b: block, ?under: block)
  rule unstack
    when    clear(?b), on(?b, ?under), free
    then    holding(?b), clear(?under), not clear(?b), not on(?b, ?under), not free
"""
)
CITY = parse(
    """
domain city
type place, lorry, parcel
constant depot: place
predicate at(lorry, place)
predicate lies(parcel, place)
predicate aboard(parcel, lorry)
predicate road(place, place)
action drive(?l: lorry, ?from: place, ?to: place)
  rule drive
    when    at(?l, ?from), road(?from, ?to)
    then    not at(?l, ?from), at(?l, ?to)
action load(?p: parcel, ?l: lorry, ?at: place)
  rule load
    when    at(?l, ?at), lies(?p, ?at)
    then    aboard(?p, ?l), not lies(?p, ?at)
action drop(?p: parcel, ?l: lorry, ?at: place)
  rule drop
    when    at(?l, ?at), aboard(?p, ?l)
    then    lies(?p, ?at), not aboard(?p, ?l)
action recall(?l: lorry, ?from: place)
  rule recall
    when    at(?l, ?from)
    then    not at(?l, ?from), at(?l, depot)
"""
)


def blocks_trace(seed: int, steps: int, refused: float = 0.0) -> list[Transition]:
    names = [f"block {i}" for i in range(4)]
    facts = {Atom(p, (n,)) for n in names for p in ("clear", "table")} | {
        Atom("free"),
        Atom("red", (names[0],)),
    }
    return walk(BLOCKS, dict.fromkeys(names, "block"), facts, steps, seed, refused)


def city_trace(seed: int, steps: int, refused: float = 0.0) -> list[Transition]:
    chance = random.Random(seed)
    places = ["north", "east", "south", "depot"]
    objects = {"depot": "place", "north": "place", "east": "place", "south": "place", "lorry 1": "lorry"}
    objects |= {"parcel 1": "parcel", "parcel 2": "parcel"}
    facts = {Atom("at", ("lorry 1", chance.choice(places)))}
    facts |= {Atom("lies", (p, chance.choice(places))) for p in ("parcel 1", "parcel 2")}
    facts |= {Atom("road", (a, b)) for a in places for b in places if chance.random() < 0.6}
    return walk(CITY, objects, facts, steps, seed, refused)


TRACES = {"blocks": (BLOCKS, blocks_trace), "city": (CITY, city_trace)}


def insights(truth: RuleSet, informed: bool) -> dict[str, Insight]:
    """What the rules themselves say of each action, or only what its parameters are called."""
    found = {}
    for name, schema in truth.actions.items():
        parameters = tuple(p.name for p in schema.parameters)
        found[name] = Insight(parameters)
        if informed:
            (rule,) = schema.rules
            changed = {*rule.adds, *rule.deletes}
            lifted = {c.atoms[0] for c in Statistics(truth).candidates(name) if c.grounded}
            leaves = tuple(sorted(lifted - changed))
            found[name] = Insight(parameters, rule.adds, rule.deletes, leaves)
    return found


def values(states: Sequence[State], domain: RuleSet) -> Iterator[tuple[int, Atom]]:
    return ((i, atom) for i, s in enumerate(states) for atom in ground_atoms(domain, s.objects))


def states(trace: Sequence[Transition]) -> list[State]:
    return [*(step.before for step in trace), trace[-1].after]


@pytest.mark.parametrize("name", TRACES)
@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(1, 15), st.sampled_from([0.3, 0.7, 0.9]), st.booleans(), st.booleans()
)
def test_what_is_filled_in_is_what_was_so(
    name: str, seed: int, steps: int, share: float, informed: bool, failing: bool
) -> None:
    truth, make = TRACES[name]
    whole = make(seed, steps, refused=0.4 if failing else 0.0)
    domain = vocabulary(truth)
    partial = hidden(domain, whole, share, seed)
    dynamic = frozenset(a.predicate for rule in _rules(truth) for a in (*rule.adds, *rule.deletes))
    filled = list(completed(partial, domain, dynamic, insights(truth, informed)))
    assert [t.action for t in filled] == [t.action for t in whole]
    more = 0
    for i, atom in values(states(whole), domain):
        real, shown, told = (states(t)[i].truth(atom) for t in (whole, partial, filled))
        assert told in (real, UNKNOWN)
        assert shown in (told, UNKNOWN), "nothing that was shown is lost"
        more += shown is not told
    for one, two in pairwise(filled):
        assert one.after == two.before
    assert all(not state.true & state.false for state in states(filled))
    if steps == 15 and len(whole) > 5 and share == 0.7:
        assert more > 0


def _rules(truth: RuleSet) -> list[Rule]:
    return [rule for schema in truth.actions.values() for rule in schema.rules]


def test_a_failed_action_changes_nothing() -> None:
    """What a success of it would add is not there afterwards, and what was there is."""
    state = State({"a": "block"}, [Atom("table", ("a",))], [Atom("holding", ("a",))])
    later = State({"a": "block"}, [Atom("clear", ("a",))])
    step = Transition(state, Action("pick", ("a",)), later.true, later.false, False, persists=False)
    (filled,) = completed([step], BLOCKS, frozenset(BLOCKS.predicates), insights(BLOCKS, informed=True))
    assert filled.after.true == {Atom("table", ("a",)), Atom("clear", ("a",))}
    assert filled.after.false == {Atom("holding", ("a",))}
    assert filled.before.true == filled.after.true


def test_what_a_state_says_is_never_overruled() -> None:
    """Everything that is expected is denied: by the states before and after, and by the effects."""
    held, free = Atom("holding", ("a",)), Atom("free")
    red, table = Atom("red", ("a",)), Atom("table", ("a",))
    before = State({"a": "block"}, [red, free], [table])
    after = State({"a": "block"}, [free, table], [red, held])
    step = Transition(before, Action("pick", ("a",)), after.true, after.false, True, persists=False)
    (filled,) = completed([step], BLOCKS, frozenset({"holding", "free"}), insights(BLOCKS, informed=True))
    for shown, told in ((before, filled.before), (after, filled.after)):
        assert shown.true <= told.true and shown.false <= told.false
        assert not told.true & told.false


def test_predicates_change_of_which_a_fact_had_two_values_in_one_trace() -> None:
    traces = [hidden(CITY, city_trace(seed, 12), 0.0, seed) for seed in range(6)]
    assert changing(traces) == {"at", "lies", "aboard"}
    assert changing([]) == frozenset()
    still = State({}, [Atom("free")])
    step = Transition(still, Action("pick", ("a",)), frozenset(), frozenset([Atom("free")]), True)
    assert changing([[step]]) == {"free"}
    other = replace(step, before=State({}), false=frozenset())
    assert changing([[replace(step, false=frozenset())], [other]]) == frozenset()


def learned(statistics: Statistics) -> dict[str, tuple[set[Clause], set[Atom], set[Atom]]]:
    """The parts of the rules that say what they mean."""
    found = {}
    for name, schema in induce(statistics).actions.items():
        (rule,) = schema.rules
        found[name] = set(rule.when), set(rule.adds), set(rule.deletes)
    return found


@pytest.mark.parametrize("name", TRACES)
def test_a_third_of_a_trace_teaches_what_the_whole_does(name: str) -> None:
    truth, make = TRACES[name]
    domain = vocabulary(truth)
    traces = [make(seed, 25) for seed in range(30)]
    whole = Statistics(domain)
    whole.update(step for trace in traces for step in trace)
    partial = [hidden(domain, trace, 0.7, seed) for seed, trace in enumerate(traces)]
    found = learned(count(partial, domain))
    assert found == learned(whole)
    for action, schema in truth.actions.items():
        (rule,) = schema.rules
        assert found[action][1:] == (set(rule.adds), set(rule.deletes) - set(rule.adds)), action


def test_complete_traces_are_counted_as_they_are() -> None:
    traces = [blocks_trace(seed, 20) for seed in range(5)]
    whole = Statistics(vocabulary(BLOCKS))
    whole.update(step for trace in traces for step in trace)
    counted = count(iter(traces), vocabulary(BLOCKS))
    assert counted.records == whole.records
    assert counted.scenes == whole.scenes
    assert counted.invariants == whole.invariants


def test_the_order_of_partial_traces_does_not_matter() -> None:
    domain = vocabulary(CITY)
    traces = [hidden(domain, city_trace(seed, 15), 0.7, seed) for seed in range(8)]
    traces += [city_trace(seed, 5) for seed in range(2)]
    assert count(traces, domain).records == count(traces[::-1], domain).records


def test_no_traces_are_no_statistics() -> None:
    assert len(count([], BLOCKS)) == len(count([[]], BLOCKS)) == 0
