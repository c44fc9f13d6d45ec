"""Records against the plainest reading of what their masks mean, candidate by candidate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.errors import WorldModelError
from rules.induction import Statistics, Transition
from rules.induction.candidates import JOINED, Candidate
from rules.induction.records import Record
from rules.induction.reduction import Reducer
from rules.language import parse
from rules.logic import FALSE, TRUE, UNKNOWN, WILDCARD, Action, Atom, State, Truth, generalisations
from rules.ruleset import ANY
from tests.rules import blocks

DOMAIN = parse(
    """
domain yard
type place, thing
type shed: place
type cart, dog: thing
constant home: shed
predicate at(thing, place)
predicate path(place, place)
predicate between(place, place, place)
predicate open(shed)
predicate heavy(thing)
predicate calm
action pull(?t: thing, ?from: place, ?to: place)
action shut(?s: shed)
action wait
"""
)
OBJECTS = {"home": "shed", "meadow": "place", "barn": "shed", "wagon": "cart", "rex": "dog"}
REDUCERS = {name: Reducer(DOMAIN, schema) for name, schema in DOMAIN.actions.items()}


def named(type_: str) -> list[str]:
    return [name for name, own in OBJECTS.items() if DOMAIN.is_a(own, type_)]


GROUND = [
    Atom(name, args) for name, types in DOMAIN.predicates.items() for args in product(*map(named, types))
]
PATTERNS = sorted({pattern for atom in GROUND for pattern in generalisations(atom)})
ACTIONS = [
    Action(name, args)
    for name, schema in DOMAIN.actions.items()
    for args in product(*(named(p.type) for p in schema.parameters))
]
facts = st.frozensets(st.sampled_from(GROUND), max_size=12)
patterns = st.frozensets(st.sampled_from(PATTERNS), max_size=8)
transitions = st.builds(
    Transition,
    st.builds(State, st.just(OBJECTS), facts, patterns),
    st.sampled_from(ACTIONS),
    facts,
    patterns,
    st.booleans(),
    st.sampled_from(["", "Done."]),
    st.just({}),
    st.booleans(),
)


def value(candidate: Candidate, binding: Mapping[str, str], state: State) -> Truth:
    """The truth of one candidate in a state."""
    atom = candidate.atoms[0].substitute(binding)
    if candidate.equality:
        return Truth.of(atom.args[0] == atom.args[1])
    if len(candidate.atoms) == 1:
        return state.some(atom) if candidate.pattern else state.truth(atom)
    predicate = candidate.atoms[1].predicate
    found = FALSE if Atom(predicate, (WILDCARD,)) in state.false else UNKNOWN
    for name in OBJECTS:
        if Atom(predicate, (name,)) in state.true:
            found = found | state.truth(atom.substitute({JOINED: name}))
    return found


def plain(step: Transition) -> Record:
    """The record of a transition, in the words of its docstring."""
    schema, candidates = DOMAIN.actions[step.action.name], REDUCERS[step.action.name].candidates
    binding = dict(zip([p.name for p in schema.parameters], step.action.args, strict=True))
    seen, others = State(OBJECTS, step.true, step.false), set(step.action.args)
    fields: dict[str, int] = dict.fromkeys(Record._fields[4:], 0)

    def mark(field: str, index: int, holds: bool) -> None:
        fields[field] |= holds << index

    for index, candidate in enumerate(candidates):
        before = value(candidate, binding, step.before)
        mark("true", index, before is TRUE)
        mark("false", index, before is FALSE)
        if candidate.grounded:
            said = value(candidate, binding, seen)
            mark("seen_true", index, said is TRUE)
            mark("seen_false", index, said is FALSE)
            mark("open", index, said is UNKNOWN and not step.persists)
        elif candidate.pattern and len(candidate.atoms) == 1:
            pattern = candidate.atoms[0].substitute(binding)
            known = not step.before.false.isdisjoint(generalisations(pattern))
            mark("closed", index, not known and not step.false.isdisjoint(generalisations(pattern)))
            befell = [
                step.after.truth(atom)
                for atom in step.before.true
                if pattern.matches(atom) and not set(atom.args) <= others
            ]
            mark("kept", index, TRUE in befell)
            mark("lost", index, FALSE in befell or (step.persists and UNKNOWN in befell))
    types = tuple(OBJECTS[name] for name in step.action.args)
    return Record(step.action.name, types, step.succeeded, step.says, **fields)


@settings(max_examples=400, deadline=None)
@given(transitions)
def test_a_record_says_of_every_candidate_what_the_state_says(step: Transition) -> None:
    assert REDUCERS[step.action.name].reduce(step) == plain(step)


def test_every_kind_of_candidate_is_among_those_compared() -> None:
    found = [c for reducer in REDUCERS.values() for c in reducer.candidates]
    assert any(c.equality for c in found) and any(c.pattern for c in found)
    assert any(len(c.atoms) == 2 for c in found)
    assert any("home" in c.atoms[0].args for c in found)
    assert any(not c.atoms[0].args for c in found)


def steps() -> Iterator[Transition]:
    yield from blocks.transitions(1, episodes=2)


def test_a_reducer_remembers_no_state() -> None:
    """What is kept from one transition to the next is right for the next."""
    every = list(steps())
    domain = blocks.DOMAIN
    shared = {name: Reducer(domain, schema) for name, schema in domain.actions.items()}
    for step in every:
        own = Reducer(domain, domain.actions[step.action.name])
        assert shared[step.action.name].reduce(step) == own.reduce(step)


def test_one_object_bound_twice_is_one_fact_of_several_candidates() -> None:
    reducer = REDUCERS["pull"]
    state = State(OBJECTS, [Atom("at", ("wagon", "barn"))])
    step = Transition(state, Action("pull", ("wagon", "barn", "barn")), frozenset(), frozenset(), True)
    record = reducer.reduce(step)
    true = {c.atoms[0] for i, c in enumerate(reducer.candidates) if c.grounded and record.true >> i & 1}
    assert true == {Atom("at", ("?t", "?from")), Atom("at", ("?t", "?to"))}
    equal = {c.atoms[0].args for i, c in enumerate(reducer.candidates) if c.equality and record.true >> i & 1}
    assert equal == {("?from", "?to")}


def test_a_constant_among_the_arguments_has_its_declared_type() -> None:
    """Perception need not list constants among the objects that it meets."""
    state = State({name: own for name, own in OBJECTS.items() if name != "home"})
    step = Transition(state, Action("shut", ("home",)), frozenset(), frozenset(), True)
    assert REDUCERS["shut"].reduce(step).types == ("shed",)
    strange = replace(step, action=Action("shut", ("hall",)))
    assert REDUCERS["shut"].reduce(strange).types == (ANY,)


def test_what_an_observation_brings_has_its_type() -> None:
    step = Transition(
        State({}), Action("shut", ("hut",)), frozenset(), frozenset(), True, objects={"hut": "shed"}
    )
    assert REDUCERS["shut"].reduce(step).types == ("shed",)


@pytest.mark.parametrize("persists", [True, False])
def test_what_a_partial_state_does_not_mention_is_open(persists: bool) -> None:
    held = Atom("at", ("wagon", "barn"))
    step = Transition(
        State(OBJECTS, [held]), Action("wait"), frozenset(), frozenset(), True, persists=persists
    )
    assert (held in step.after.true) is persists
    statistics = Statistics(DOMAIN)
    statistics.add(step)
    (record,) = statistics.records
    calm = sum(1 << i for i, c in enumerate(statistics.candidates("wait")) if c.grounded)
    assert record.open == (0 if persists else calm)
    lost = [c.atoms[0] for i, c in enumerate(statistics.candidates("wait")) if record.lost >> i & 1]
    assert lost == []


def test_an_action_with_too_many_arguments_is_an_error() -> None:
    step = Transition(State({}), Action("wait", ("rex",)), frozenset(), frozenset(), True)
    with pytest.raises(WorldModelError, match=r"wait\(rex\): found 1 arguments, expected 0"):
        REDUCERS["wait"].reduce(step)
