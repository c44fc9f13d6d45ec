"""What a belief shows of itself: what is unexplored, the scene graph, and places that go together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rules.logic import WILDCARD, Atom, State
from worldmodel.belief import Belief, with_companions
from worldmodel.environments.base import Goal


def a(predicate: str, *args: str) -> Atom:
    return Atom(predicate, args)


OBJECTS = {"mug 1": "mug", "desk 1": "desk", "safe 1": "safe", "safe 2": "safe"}
STATE = State(
    OBJECTS,
    [a("in", "mug 1", "desk 1"), a("at", "desk 1"), a("openable", "safe 1"), a("dark")],
    [a("in", WILDCARD, "desk 1"), a("at", WILDCARD), a("open", "safe 1"), a("in", "mug 1", "safe 2")],
)
BELIEF = Belief(STATE, Goal("tidy up"))


def test_a_place_is_explored_once_its_contents_are_known_in_full() -> None:
    left = BELIEF.unexplored("in")
    assert "desk 1" not in left
    assert {"safe 1", "safe 2"} <= set(left)  # one denied thing is no full list
    assert BELIEF.unexplored("in", place=0) == list(OBJECTS)


def test_the_scene_graph_shows_what_is_known_and_nothing_else() -> None:
    scene = BELIEF.scene()
    assert set(scene.nodes) == set(OBJECTS)
    assert scene.nodes["desk 1"] == {"type": "desk", "at": True}
    assert scene.nodes["safe 1"] == {"type": "safe", "openable": True, "open": False}
    assert scene.nodes["safe 2"] == {"type": "safe"}
    assert list(scene.edges(keys=True)) == [("mug 1", "desk 1", "in")]


names = st.sampled_from("abcde")
companions = st.frozensets(st.tuples(st.just("at"), names, names), max_size=5)


def test_companions_are_found_along_the_chain_and_for_their_predicate_alone() -> None:
    chain = frozenset([("at", "a", "b"), ("at", "b", "c"), ("near", "a", "e")])
    assert with_companions([a("at", "c")], chain) == {a("at", "a"), a("at", "b"), a("at", "c")}
    assert with_companions([a("in", "a", "b"), a("open", "a")], chain) == {a("in", "a", "b"), a("open", "a")}


@given(st.frozensets(st.builds(Atom, st.just("at"), st.tuples(names))), companions)
def test_to_add_companions_twice_adds_nothing(atoms: frozenset[Atom], pairs: frozenset) -> None:
    found = with_companions(atoms, pairs)
    assert atoms <= found
    assert with_companions(found, pairs) == found
    for predicate, one, other in pairs:
        assert (a(predicate, one) in found) is (a(predicate, other) in found)
