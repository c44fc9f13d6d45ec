"""Best-first search: plans worked by hand, limits, and parity with Dijkstra on random tasks."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given, settings

from planners.search import Found, Limits
from planners.search.best_first import best_first as search
from planners.task import Condition, Task
from tests.planners.bits import BITS, cheapest, cost, names, operator, random_task, task, tasks, works

A, B, C, D, E = (1 << i for i in range(5))
AMPLE = Limits(horizon=200, expansions=10_000)


def find(problem: Task, start: int = 0, limits: Limits = AMPLE) -> Found:
    return search(problem, start, limits)


def corridor(length: int) -> Task:
    """One bit moves from place to place."""
    steps = [operator(f"go{i}", 1 << i, 1 << i + 1, 1 << i) for i in range(length)]
    return task(steps, 1 << length)


def test_a_corridor_is_walked() -> None:
    found = find(corridor(5), 1)
    assert names(found.plan) == ["go0", "go1", "go2", "go3", "go4"]
    assert (found.cost, found.expanded) == (5.0, 5)  # straight on


def test_at_the_goal_the_plan_is_empty() -> None:
    assert find(corridor(3), 1 << 3) == Found([], 0.0, 0)


def test_what_was_spoiled_is_made_again() -> None:
    """B needs A, and making B takes A away."""
    problem = task([operator("a", 0, A), operator("b", A, B, A)], A | B)
    assert names(find(problem).plan) == ["a", "b", "a"]


def test_what_bars_the_way_is_undone_first() -> None:
    """The relaxed plan does not see the bar: taking something needs an empty hand."""
    problem = task([operator("take", 0, A, forbids=B), operator("drop", B, 0, B)], A)
    assert names(find(problem, B).plan) == ["drop", "take"]
    assert names(find(task([operator("drop", B, 0, B)], Condition(0, B)), B).plan) == ["drop"]


def test_the_cheaper_way_is_taken() -> None:
    problem = task([operator("dear", B, A, cost=5), operator("x", 0, B), operator("y", B, A, cost=2)], A)
    assert names(find(problem).plan) == ["x", "y"]
    assert find(problem).cost == 3


def test_any_goal_will_do() -> None:
    problem = task([operator("a", 0, A, cost=9), operator("b", 0, B)], A, B)
    assert names(find(problem).plan) == ["b"]


@pytest.mark.parametrize(("seed", "least"), [(666, 4), (1151, 5)])
def test_a_state_that_is_reached_again_for_less_is_taken_up_again(seed: int, least: float) -> None:
    """Tasks in which the first way found to some state is a dear one: 5 and 9 if it were kept."""
    problem, start = random_task(seed)
    assert find(problem, start).cost == least


@pytest.mark.parametrize("thorough", [False, True])
def test_no_plan_is_none_at_infinite_cost(thorough: bool) -> None:
    unreachable = find(task([operator("a", 0, A)], B), limits=AMPLE._replace(thorough=thorough))
    assert (unreachable.plan, unreachable.cost, unreachable.expanded) == (None, inf, 0)
    dead_end = task([operator("a", C, A, C), operator("b", C, B, C)], A | B)  # C serves only once
    assert find(dead_end, C, AMPLE._replace(thorough=thorough)).plan is None


def test_the_horizon_is_the_longest_plan() -> None:
    assert len(find(corridor(5), 1, Limits(horizon=5)).plan or ()) == 5
    assert find(corridor(5), 1, Limits(horizon=4)).plan is None


def test_expansions_are_limited() -> None:
    assert find(corridor(5), 1, Limits(expansions=6)).plan is not None
    found = find(corridor(5), 1, Limits(expansions=4))
    assert (found.plan, found.expanded) == (None, 4)


def test_a_thorough_search_repairs_a_hasty_plan() -> None:
    """The trap makes C, and loses B, which the relaxed plan does not see."""
    problem = task([operator("trap", 0, C, B), operator("straight", 0, A, cost=2)], A, B | C)
    hasty, careful = find(problem, B), find(problem, B, AMPLE._replace(thorough=True))
    assert (names(hasty.plan), hasty.cost) == (["trap", "straight"], 3)
    assert (names(careful.plan), careful.cost) == (["straight"], 2)
    assert careful.expanded > hasty.expanded  # what the first search expanded counts too


@settings(deadline=None)
@given(tasks())
def test_a_plan_is_found_if_and_only_if_there_is_one(case: tuple[Task, int]) -> None:
    problem, start = case
    least = cheapest(problem, start)
    found = find(problem, start)
    assert (found.plan is None) is (least == inf)
    if found.plan is not None:
        assert works(problem, start, found.plan)
        assert least <= cost(found.plan) <= found.cost + 1e-9


@settings(deadline=None)
@given(tasks())
def test_thorough_never_costs_more_and_is_as_complete(case: tuple[Task, int]) -> None:
    problem, start = case
    hasty = find(problem, start)
    careful = find(problem, start, AMPLE._replace(thorough=True))
    assert careful.cost <= hasty.cost
    assert (careful.plan is None) is (hasty.plan is None)
    if careful.plan is not None:
        assert works(problem, start, careful.plan)


@settings(deadline=None)
@given(tasks())
def test_the_same_search_finds_the_same(case: tuple[Task, int]) -> None:
    assert find(*case) == find(*case)
    assert find(*case).expanded <= 2**BITS * 4 * BITS


def test_plans_of_random_tasks_cost_little_more_than_the_cheapest() -> None:
    """Parity with Dijkstra: over all tasks, and never twice as much for any one."""
    costs = []
    for seed in range(600):
        problem, start = random_task(seed)
        least = cheapest(problem, start)
        if 0 < least < inf:
            found = [find(problem, start, AMPLE._replace(thorough=t)).cost for t in (False, True)]
            costs.append((least, *found))
    least, hasty, careful = (sum(column) for column in zip(*costs, strict=True))
    assert len(costs) > 100
    assert least <= careful <= hasty
    assert careful <= 1.05 * least
    assert hasty <= 1.15 * least
    assert max(row[2] / row[0] for row in costs) <= 2
