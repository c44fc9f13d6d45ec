"""Three-valued logic: Kleene's tables, what a pattern denies, and the order in which a state changes."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.logic import FALSE, TRUE, UNKNOWN, WILDCARD, Atom, Literal, State, Truth, generalisations

VALUES = (FALSE, UNKNOWN, TRUE)
truths = st.sampled_from(VALUES)
names = st.sampled_from(["a", "b", "c"])
atoms = st.builds(Atom, st.just("p"), st.tuples(names, names)) | st.builds(
    Atom, st.just("q"), st.tuples(names)
)
terms = names | st.just(WILDCARD)
patterns = st.builds(Atom, st.just("p"), st.tuples(terms, terms)) | st.builds(
    Atom, st.just("q"), st.tuples(terms)
)
states = st.builds(State, st.just(dict.fromkeys("abc", "any")), st.frozensets(atoms), st.frozensets(patterns))
ALL = [Atom("p", pair) for pair in product("abc", repeat=2)] + [Atom("q", (n,)) for n in "abc"]


def atom(text: str) -> Atom:
    """``in(mug, *)`` as an atom."""
    predicate, _, args = text.rstrip(")").partition("(")
    return Atom(predicate, tuple(args.split(", ")) if args else ())


# --- truth values ---------------------------------------------------------------------------------


def test_and_is_the_smaller_value_and_or_the_larger() -> None:
    for a, b in product(VALUES, repeat=2):
        assert a & b is min(a, b, key=VALUES.index)
        assert a | b is max(a, b, key=VALUES.index)


def test_not_turns_the_order_around_and_leaves_unknown() -> None:
    assert [~value for value in VALUES] == [TRUE, UNKNOWN, FALSE]


@given(truths, truths, truths)
def test_de_morgan_and_distribution(a: Truth, b: Truth, c: Truth) -> None:
    assert ~(a & b) is ~a | ~b
    assert ~(a | b) is ~a & ~b
    assert a & (b | c) is (a & b) | (a & c)


@pytest.mark.parametrize("value", VALUES)
def test_a_truth_is_no_bool(value: Truth) -> None:
    with pytest.raises(TypeError, match="not a bool"):
        bool(value)
    with pytest.raises(TypeError):
        _ = "yes" if value else "no"


# --- atoms and literals ---------------------------------------------------------------------------


def test_a_literal_is_negated_twice_to_itself() -> None:
    literal = Literal(atom("in(?o, ?r)"))
    assert ~literal == Literal(literal.atom, False)
    assert ~~literal == literal
    assert literal.substitute({"?o": "mug 1"}) == Literal(atom("in(mug 1, ?r)"))


@given(atoms)
def test_the_generalisations_of_an_atom_are_the_patterns_that_match_it(ground: Atom) -> None:
    wide = [Atom("p", p) for p in product("abc*", repeat=2)] + [Atom("q", (n,)) for n in "abc*"]
    matching = {p for p in wide if p.predicate == ground.predicate and p.matches(ground)}
    assert set(generalisations(ground)) == matching


def test_a_proposition_has_no_other_generalisation() -> None:
    assert generalisations(Atom("dark")) == (Atom("dark"),)
    assert str(Atom("dark")) == "dark"


# --- states ---------------------------------------------------------------------------------------


def test_what_nobody_said_is_unknown() -> None:
    state = State({}, [atom("in(mug, desk)")], [atom("in(*, desk)"), atom("open(safe)")])
    assert state.truth(atom("in(mug, desk)")) is TRUE  # said, though the pattern covers it
    assert state.truth(atom("in(pen, desk)")) is FALSE
    assert state.truth(atom("in(pen, safe)")) is UNKNOWN
    assert state.truth(atom("open(safe)")) is FALSE
    assert state.truth(atom("open(desk)")) is UNKNOWN


def test_some_is_true_of_one_and_false_only_of_a_denied_pattern() -> None:
    state = State({}, [atom("in(mug, desk)")], [atom("in(*, desk)"), atom("in(*, safe)")])
    assert state.some(atom("in(*, desk)")) is TRUE
    assert state.some(atom("in(mug, *)")) is TRUE
    assert state.some(atom("in(*, safe)")) is FALSE
    assert state.some(atom("in(pen, *)")) is UNKNOWN  # there may be other places
    assert state.some(atom("in(*, *)")) is TRUE
    assert State({}, [], [atom("in(*, *)")]).some(atom("in(pen, *)")) is FALSE


def test_a_pattern_that_is_denied_thing_by_thing_is_not_denied() -> None:
    state = State({"a": "t", "b": "t"}, [], [atom("q(a)"), atom("q(b)")])
    assert state.some(atom("q(*)")) is UNKNOWN  # of things that nobody has met


@given(states, patterns)
def test_matching_finds_what_the_pattern_covers(state: State, pattern: Atom) -> None:
    expected = {a for a in state.true if a.predicate == pattern.predicate and pattern.matches(a)}
    assert set(state.matching(pattern)) == expected
    assert len(state.matching(pattern)) == len(expected)


@given(states, patterns)
def test_some_agrees_with_the_atoms_that_are_covered(state: State, pattern: Atom) -> None:
    values = {state.truth(a) for a in ALL if a.predicate == pattern.predicate and pattern.matches(a)}
    if TRUE in values:
        assert state.some(pattern) is TRUE
    elif UNKNOWN in values:
        assert state.some(pattern) is UNKNOWN


def test_an_update_denies_first_and_asserts_then() -> None:
    before = State({}, [atom("at(desk)"), atom("open(safe)")], [atom("at(safe)")])
    after = before.updated([atom("at(safe)")], [atom("at(*)")])
    assert after.true == {atom("at(safe)"), atom("open(safe)")}
    assert after.false == {atom("at(*)")}  # the exact denial is gone, the sweeping one closes the rest
    assert after.truth(atom("at(desk)")) is FALSE
    assert before.truth(atom("at(desk)")) is TRUE  # the state before is as it was


def test_an_update_adds_objects_and_keeps_the_old_ones() -> None:
    before = State({"a": "t"})
    assert before.updated(objects={"b": "u"}).objects == {"a": "t", "b": "u"}
    assert before.updated([atom("q(a)")]).objects == {"a": "t"}
    assert before.objects == {"a": "t"}


@given(states, st.frozensets(atoms), st.frozensets(patterns))
def test_an_update_says_what_it_was_told_and_keeps_the_rest(
    state: State, true: frozenset[Atom], false: frozenset[Atom]
) -> None:
    after = state.updated(true, false)
    for ground in ALL:
        covered = any(p.predicate == ground.predicate and p.matches(ground) for p in false)
        if ground in true:
            assert after.truth(ground) is TRUE
        elif covered:
            assert after.truth(ground) is FALSE
        else:
            assert after.truth(ground) is state.truth(ground)


@given(states, st.frozensets(atoms), st.frozensets(patterns))
def test_the_same_update_twice_is_one(state: State, true: frozenset[Atom], false: frozenset[Atom]) -> None:
    once = state.updated(true, false)
    assert once.updated(true, false) == once
    assert hash(once.updated(true, false)) == hash(once)


def test_states_are_equal_by_what_they_say() -> None:
    a = State({"x": "t"}, [atom("q(x)")], [atom("p(*, *)")])
    assert a == State({"x": "t"}, {atom("q(x)")}, {atom("p(*, *)")})
    assert a != State({"x": "t"}, [atom("q(x)")])
    assert a != State({"x": "u"}, [atom("q(x)")], [atom("p(*, *)")])
    assert repr(a) == "State(q(x); not p(*, *))"
