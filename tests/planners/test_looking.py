"""Where to look: by chance over cost, whatever the search; what hindsight promises, and what it costs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from statistics import fmean

import pytest

from planners import PlanConfig, Planner
from planners.choosing import Ballot
from planners.grounding import ground
from planners.mpc import DEEPER
from planners.sampling import World, by_counts, missing_things
from planners.search import SEARCHES, Limits, Problem, Thought
from planners.search.best_first import best_first
from planners.search.hindsight import in_hindsight
from rules.logic import Atom
from tests.planners.kitchen import atom, belief, goal, model
from tests.planners.test_searches import needs_downward
from worldmodel.belief import Belief
from worldmodel.model import WorldModel

SURFACES = ("countertop 1", "coffeemachine 1", "desk 1")
SHUT = ("fridge 1", "microwave 1")
ROOM = (*SURFACES, *SHUT)
PRICE = {**dict.fromkeys(SURFACES, 1), **dict.fromkeys(SHUT, 2)}
"""The steps it takes to look into a place: what is shut is opened first."""

TWO = goal("in(?a, ?r)", "in(?b, ?r)", "not =(?a, ?b)", a="mug", b="mug", r="desk")
NAMES = [
    pytest.param(name, marks=needs_downward if name == "fast-downward" else ())
    for name in SEARCHES
    if name not in ("shooting", "llm")
]


def kitchen(aim: object = None, true: Sequence[str] = (), extra: Sequence[str] = ()) -> Belief:
    """Three surfaces, two shut places, and nothing seen of what is in them."""
    shut = [f"openable({place})" for place in SHUT]
    outside = ["at(*)", "holding(*)", "open(*)", *(f"openable({place})" for place in SURFACES)]
    return belief(aim or goal("holding(?o)", o="mug"), (*ROOM, *extra), [*shut, *true], outside)  # type: ignore[arg-type]


def odds(**found: int) -> WorldModel:
    """Of a thousand places of each type, how many had a mug."""
    places = [place.split(" ")[0] for place in ROOM]
    tables = {
        "found": {("in", "mug", place): found.get(place, 0) for place in places},
        "seen": {("in", place): 1000 for place in places},
    }
    return model(tables=tables)


def looks(it: WorldModel, known: Belief, search: str, seed: int = 0) -> list[str]:
    """The places in the order in which they are looked into, where there is nothing to be found in any."""
    planner = Planner(it, PlanConfig(search=search, seed=seed))
    order: list[str] = []
    for _ in range(sum(PRICE.values())):
        action = planner.decide(known).action
        (place,) = action.args
        state = known.state
        if action.name == "go_to":
            state = state.updated(
                [Atom("at", (place,))], [Atom("at", (other,)) for other in ROOM if other != place]
            )
        if action.name == "open":
            state = state.updated([Atom("open", (place,))])
        if action.name == "open" or place in SURFACES:
            order.append(place)
            state = state.updated((), [atom(f"in(*, {place})")])
        known = replace(known, state=state)
        if set(order) == set(ROOM):
            break
    return order


CASES = [
    {"countertop": 50, "coffeemachine": 20, "desk": 90, "fridge": 130, "microwave": 60},
    {"countertop": 10, "coffeemachine": 40, "desk": 20, "fridge": 300, "microwave": 60},  # more than half
    {"countertop": 200, "coffeemachine": 190, "desk": 10, "fridge": 390, "microwave": 30},
]


@pytest.mark.parametrize("search", NAMES)
@pytest.mark.parametrize("found", CASES)
def test_looking_is_ordered_by_chance_over_cost(search: str, found: dict[str, int]) -> None:
    """The mug is not where it usually is, nor anywhere else: every place is looked into in turn."""
    index = {place: found[place.split(" ")[0]] / PRICE[place] for place in ROOM}
    assert looks(odds(**found), kitchen(), search) == sorted(ROOM, key=lambda place: -index[place])


@pytest.mark.parametrize("search", NAMES)
def test_a_likely_place_that_is_dear_is_not_looked_into_first(search: str) -> None:
    """Most worlds' plans begin with the way to the fridge, and a vote would go there (hindsight bias)."""
    made = Planner(odds(fridge=550, desk=400), PlanConfig(search=search)).decide(kitchen())
    assert str(made.action) == "go_to(desk 1)"


def test_the_expected_cost_is_that_of_the_best_order_of_looking() -> None:
    """Brute force: for every order, the mean over the worlds of the looks up to the right one."""
    it, known = odds(**CASES[0]), kitchen()
    thought = think(it, known)
    weights = {next(iter(w.facts)).args[1]: w.weight for w in worlds(it, known)}
    costs = [
        sum(weights[p] * (sum(PRICE[q] for q in order[: i + 1]) + 1) for i, p in enumerate(order))
        for order in permutations(ROOM)
    ]
    promised = sum(weight * (PRICE[place] + 1) for place, weight in weights.items())
    assert thought.promised == pytest.approx(promised, rel=0.02)
    assert thought.expected == pytest.approx(min(costs), rel=0.02)
    assert thought.expected > 1.3 * thought.promised


def worlds(it: WorldModel, known: Belief, samples: int = 48, seed: int = 0) -> list[World]:

    return by_counts(it, known, missing_things(it, known), samples, random.Random(seed))


def problem(it: WorldModel, known: Belief, samples: int = 48, seed: int = 0) -> Problem:
    missing = missing_things(it, known)
    grounding = ground(it, known, {m.name: m.type for m in missing})
    return Problem(grounding, missing, worlds(it, known, samples, seed))


def think(it: WorldModel, known: Belief, samples: int = 48, seed: int = 0) -> Thought:
    """With all worlds looked at, however clear it is before."""
    asked = problem(it, known, samples, seed)
    ballot = Ballot(asked)
    for world in asked.worlds:
        found = best_first(asked.task, asked.start(world), Limits())
        assert found.plan is not None
        ballot.add(world, found.plan)
    choice = ballot.choose()
    return Thought(choice.steps, 0, choice.promised, choice.expected, choice.sure)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("aim", [None, TWO])
def test_worlds_that_are_not_searched_would_have_changed_nothing(aim: object, seed: int) -> None:
    found = {place.split(" ")[0]: (seed * 37 + i * i * 83) % 400 for i, place in enumerate(ROOM)}
    it, known = odds(**found), kitchen(aim)
    hasty, full = in_hindsight(best_first)(problem(it, known), Limits()), think(it, known)
    assert hasty.steps[0] == full.steps[0]


def test_what_is_plain_is_not_thought_about() -> None:
    """Where one place is as good as certain, its world is the only one that is searched."""
    searched: list[int] = []

    def spy(*args: object) -> object:
        searched.append(1)
        return best_first(*args)  # type: ignore[arg-type]

    decide = in_hindsight(spy)  # type: ignore[arg-type]
    decide(problem(odds(desk=990), kitchen()), Limits())
    assert len(searched) == 1
    searched.clear()
    decide(problem(odds(**dict.fromkeys(("desk", "countertop", "coffeemachine"), 300)), kitchen()), Limits())
    assert len(searched) > 2


def test_more_is_thought_where_the_samples_disagree() -> None:
    """Two mugs to find, and few samples: it draws more where two looks are as good, and not where one is."""
    asked: list[tuple[int, int]] = []

    def spy(given: Problem, limits: Limits) -> Thought:
        asked.append((len(given.worlds), limits.expansions))
        return in_hindsight(best_first)(given, limits)

    config = PlanConfig(samples=6, expansions=100)
    Planner(odds(desk=10, countertop=300, coffeemachine=300), config, spy).decide(kitchen(TWO))
    assert [expansions for _, expansions in asked] == [100 * more for more in DEEPER]
    asked.clear()
    Planner(odds(coffeemachine=900), config, spy).decide(kitchen(TWO))
    assert [expansions for _, expansions in asked] == [100]


def test_where_no_plan_is_found_it_is_searched_further() -> None:
    told: list[int] = []

    def spy(given: Problem, limits: Limits) -> Thought:
        told.append(limits.expansions)
        return in_hindsight(best_first)(given, limits)

    known = kitchen(goal("in(?o, ?r)", o="mug", r="desk"), ["in(mug 1, fridge 1)"], ["mug 1"])
    made = Planner(model(), PlanConfig(expansions=2), spy).decide(known)
    assert told == [2, 4, 8]
    assert (str(made.action), made.guess) == ("go_to(fridge 1)", False)


@pytest.mark.slow
def test_the_tree_is_worth_no_less_than_chance_over_cost() -> None:
    """Over many rooms, the mean cost in the model of following each until the mug is found."""
    searches = ("best-first", "mcts")
    costs: dict[str, list[float]] = {name: [] for name in searches}
    for seed in range(12):
        found = {place.split(" ")[0]: (seed * 61 + i * i * 97) % 300 + 1 for i, place in enumerate(ROOM)}
        it, known = odds(**found), kitchen()
        weights = {next(iter(w.facts)).args[1]: w.weight for w in worlds(it, known)}
        for name in searches:
            order = looks(it, known, name)
            costs[name].append(
                sum(weights[p] * sum(PRICE[q] for q in order[: i + 1]) for i, p in enumerate(order))
            )
    assert fmean(costs["mcts"]) <= fmean(costs["best-first"]) + 1e-9
