"""What else could have been done: against every binding there is, in states that are small enough."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.induction import alternatives
from rules.induction.alternatives import Alternatives, Tally, World
from rules.induction.scenes import Scenes
from rules.language import parse
from rules.logic import FALSE, TRUE, UNKNOWN, Atom, State
from rules.ruleset import RuleSet

DOMAIN = parse(
    """
domain yard
type place, thing
type shed: place
type cart, dog: thing
constant home: shed
predicate at(thing, place)
predicate path(place, place)
predicate open(shed)
predicate calm
action pull(?t: thing, ?from: place, ?to: shed)
"""
)
PULL = DOMAIN.actions["pull"]
TYPES = {p.name: p.type for p in PULL.parameters}
TERMS = {"thing": ["?t"], "place": ["?from", "?to", "home"], "shed": ["?to", "?from", "home"]}
LIFTED = [
    Atom(name, args)
    for name, types in DOMAIN.predicates.items()
    for args in product(*(TERMS[t] for t in types))
]
OBJECTS = {"meadow": "place", "barn": "shed", "wagon": "cart", "rex": "dog"}
GROUND = [
    Atom(name, args)
    for name, types in DOMAIN.predicates.items()
    for args in product(
        *(
            [n for n, t in {**DOMAIN.constants, **OBJECTS}.items() if DOMAIN.is_a(t, wanted)]
            for wanted in types
        )
    )
]
values = st.lists(st.sampled_from([True, False, None]), min_size=len(GROUND), max_size=len(GROUND))


def drawn(seen: Sequence[bool | None]) -> State:
    pairs = list(zip(GROUND, seen, strict=True))
    return State(OBJECTS, [a for a, v in pairs if v], [a for a, v in pairs if v is False])


states = st.builds(drawn, values)


def worlds(found: Sequence[State], domain: RuleSet = DOMAIN) -> list[World]:
    sample = Scenes()
    for state in found:
        sample.note(state)
    return [World(domain, scene) for scene in sorted(sample.trim())]


def bindings(state: State, premises: Sequence[Atom], fact: Atom) -> Iterator[dict[str, str]]:
    """Every binding of the variables that occur under which the premises surely hold."""
    names = {**DOMAIN.constants, **state.objects}
    variables = sorted({a for atom in (*premises, fact) for a in atom.args if a in TYPES})
    pools = [[n for n, t in names.items() if DOMAIN.is_a(t, TYPES[v])] for v in variables]
    for chosen in product(*pools):
        binding = dict(zip(variables, chosen, strict=True))
        if all(state.truth(atom.substitute(binding)) is TRUE for atom in premises):
            yield binding


def by_force(found: Sequence[State], fact: Atom, premises: Sequence[Atom]) -> Tally:
    cases = [fact.substitute(b) for state in found for b in bindings(state, premises, fact)]
    truths = [state.truth(fact.substitute(b)) for state in found for b in bindings(state, premises, fact)]
    held = {case for case, truth in zip(cases, truths, strict=True) if truth is TRUE}
    mostly_unknown = 2 * truths.count(UNKNOWN) > len(truths)
    return Tally(truths.count(TRUE), truths.count(FALSE), 0 if mostly_unknown else len(held))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(states, min_size=1, max_size=3, unique_by=lambda s: (s.true, s.false)),
    st.sampled_from(LIFTED),
    st.lists(st.sampled_from(LIFTED), max_size=3),
    st.integers(1, 3),
)
def test_tallies_are_those_of_all_bindings_that_satisfy_the_premises(
    found: list[State], fact: Atom, premises: list[Atom], instances: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alternatives, "PER_SCENE", 1000)
        patch.setattr(alternatives, "MAX_STEPS", 10_000)
        known = Alternatives(DOMAIN, PULL, worlds(found))
        expected = by_force(found, fact, premises)
        assert known.tally(fact, premises) == expected
        assert known.tally(fact, premises[::-1]) == expected
        lawful = not expected.broken and expected.instances >= instances
        assert known.follows(fact, premises, instances, noise=0.0) is lawful


@settings(max_examples=60, deadline=None)
@given(states, st.sampled_from(LIFTED), st.lists(st.sampled_from(LIFTED), max_size=3), st.integers(1, 4))
def test_a_few_alternatives_are_some_of_them(
    state: State, fact: Atom, premises: list[Atom], most: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alternatives, "PER_SCENE", most)
        patch.setattr(alternatives, "MAX_STEPS", 10_000)
        few = Alternatives(DOMAIN, PULL, worlds([state])).tally(fact, premises)
        assert few == Alternatives(DOMAIN, PULL, worlds([state])).tally(fact, premises)
    every = by_force([state], fact, premises)
    assert few.held + few.broken <= most
    assert few.held <= every.held and few.broken <= every.broken
    if most >= sum(1 for _ in bindings(state, premises, fact)):
        assert few == every


def test_a_fact_is_never_broken_where_it_is_a_premise() -> None:
    chance = random.Random(2)
    found = [drawn([chance.choice([True, False, None]) for _ in GROUND]) for _ in range(30)]
    known = Alternatives(DOMAIN, PULL, worlds(found))
    for fact in LIFTED:
        tally = known.tally(fact, [fact, Atom("path", ("?from", "?to"))])
        assert tally.held > 0 == tally.broken


def test_a_fact_about_a_thing_that_nobody_has_met_is_no_alternative() -> None:
    state = State(OBJECTS, [Atom("at", ("ghost", "barn")), Atom("at", ("rex", "barn"))], [Atom("calm")])
    known = Alternatives(DOMAIN, PULL, worlds([state]))
    assert known.tally(Atom("calm"), [Atom("at", ("?t", "?to"))]) == Tally(0, 1, 0)


def test_what_cannot_be_enumerated_takes_a_bounded_number_of_steps() -> None:
    """Each of 216,000 ways fails at its last step, for no place is a shed."""
    many = {f"t{i}": "cart" for i in range(300)} | {f"p{i}": "place" for i in range(300)}
    facts = [Atom("at", (f"t{i}", f"p{j}")) for i in range(60) for j in range(60)]
    state = State(many, facts, [Atom("path", ("*", "*"))])
    known = Alternatives(DOMAIN, PULL, worlds([state]))
    premises = [Atom("at", ("?t", "?from")), Atom("at", ("?t", "?to"))]
    assert known.tally(Atom("path", ("?from", "?to")), premises) == Tally(0, 0, 0)


def test_noise_allows_for_exceptions_to_a_law() -> None:
    found = []
    for number in range(50):
        objects = {f"wagon {number}": "cart", "meadow": "place"}
        right = number != 7
        fact = [Atom("at", (f"wagon {number}", "meadow"))]
        found.append(State(objects, fact if right else [], [] if right else fact))
    known = Alternatives(DOMAIN, PULL, worlds(found))
    fact = Atom("at", ("?t", "?from"))
    assert known.tally(fact, []) == Tally(49, 1, 49)
    assert not known.follows(fact, [], 40, noise=0.0)
    assert Alternatives(DOMAIN, PULL, worlds(found)).follows(fact, [], 40, noise=0.02)
    assert not Alternatives(DOMAIN, PULL, worlds(found)).follows(fact, [], 50, noise=0.02)


@pytest.mark.parametrize(("share", "lawful"), [(3, False), (1, True)])
def test_where_most_is_unknown_nothing_is_a_law(share: int, lawful: bool) -> None:
    """A partial log shows what there is sooner than what there is not."""
    sheds = {f"shed {i}": "shed" for i in range(12)}
    names = [*sheds, "home"]
    pairs = [(a, b) for i, a in enumerate(names) for j, b in enumerate(names) if (i + j) % share == 0]
    known = Alternatives(DOMAIN, PULL, worlds([State(sheds, [Atom("path", pair) for pair in pairs])]))
    fact = Atom("path", ("?from", "?to"))
    held, broken, instances = known.tally(fact, [])
    assert (held > 3, broken, instances) == (True, 0, held if lawful else 0)
    assert known.follows(fact, [], 4, noise=0.0) is lawful
