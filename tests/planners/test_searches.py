"""What holds of every search: plans that work, limits that are kept, the same again by the same seed."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from math import inf

import pytest
from hypothesis import given, settings

from planners import PlanConfig, Planner, play
from planners.focus import focused
from planners.grounding import Grounding
from planners.landmarks import LandmarkCut
from planners.sampling import World
from planners.search import SEARCHES, Limits, Problem
from planners.search.a_star import a_star
from planners.search.base import PathSearch
from planners.search.beam import beam
from planners.search.best_first import best_first, greedy
from planners.search.cem import cem
from planners.search.downward import downward, written
from planners.search.shooting import shooting
from planners.task import Condition, Task
from rules.errors import WorldModelError
from tests.planners.bits import cheapest, cost, names, operator, random_task, task, tasks, works
from tests.planners.kitchen import model
from tests.worldmodel.environments.alfworld_room import TWO, document
from worldmodel.environments.alfworld.environment import AlfworldEnv
from worldmodel.environments.alfworld.game import Game

A, B, C, D = (1 << i for i in range(4))
AMPLE = Limits(horizon=200, expansions=10_000, thorough=True)
SHORT = Limits(horizon=12, expansions=200, seed=3)
PATHS = [best_first, greedy, a_star, beam, cem, shooting]
COMPLETE = [best_first, greedy, a_star]
INSTALLED = importlib.util.find_spec("up_fast_downward") is not None
needs_downward = pytest.mark.skipif(not INSTALLED, reason="up-fast-downward is not installed")
SYMBOLIC = [name for name in SEARCHES if name != "llm"]
NAMES = [pytest.param(n, marks=needs_downward if n == "fast-downward" else ()) for n in SYMBOLIC]

every_path = pytest.mark.parametrize("search", PATHS, ids=lambda search: search.__name__)


def known(problem: Task, start: int) -> Problem:
    """The problem of a world that is known."""
    return Problem(Grounding(problem, {}, start), (), [World(frozenset(), 1.0)])


# --- plans in one world ---------------------------------------------------------------------------


@every_path
@settings(deadline=None, max_examples=60)
@given(case=tasks())
def test_a_plan_reaches_the_goal_within_the_horizon_and_costs_what_is_said(
    search: PathSearch, case: tuple[Task, int]
) -> None:
    problem, start = case
    found = search(problem, start, SHORT)
    assert (found.plan is None) is (found.cost == inf)
    if found.plan is not None:
        assert works(problem, start, found.plan)
        assert len(found.plan) <= SHORT.horizon
        assert cheapest(problem, start) - 1e-9 <= cost(found.plan) <= found.cost + 1e-9


@every_path
@settings(deadline=None, max_examples=30)
@given(case=tasks())
def test_the_same_search_finds_the_same(search: PathSearch, case: tuple[Task, int]) -> None:
    assert search(*case, SHORT) == search(*case, SHORT)


@every_path
def test_expansions_are_limited(search: PathSearch) -> None:
    wide = task([operator(f"o{i}", 0, 1 << i % 4, 1 << (i + 1) % 4) for i in range(9)], 1 << 5)
    assert search(wide, 0, Limits(expansions=5)).expanded <= 6


@every_path
def test_time_is_limited(search: PathSearch) -> None:
    steps = [operator(f"go{i}", 1 << i, 1 << i + 1, 1 << i) for i in range(5)]
    assert search(task(steps, 1 << 5), 1, Limits(seconds=1e-9)).plan is None


@pytest.mark.parametrize("search", COMPLETE, ids=lambda search: search.__name__)
@settings(deadline=None, max_examples=60)
@given(case=tasks())
def test_where_there_is_a_plan_one_is_found(search: PathSearch, case: tuple[Task, int]) -> None:
    assert (search(*case, AMPLE).plan is None) is (cheapest(*case) == inf)


@settings(deadline=None)
@given(case=tasks())
def test_a_star_finds_the_cheapest_plan(case: tuple[Task, int]) -> None:
    found = a_star(*case, AMPLE)
    assert found.cost == pytest.approx(cheapest(*case))
    if found.plan is not None:
        assert cost(found.plan) == pytest.approx(found.cost)


def test_a_star_agrees_with_dijkstra_on_many_tasks() -> None:
    for seed in range(600):
        problem, start = random_task(seed)
        assert a_star(problem, start, AMPLE).cost == cheapest(problem, start), seed


@pytest.mark.parametrize(
    ("search", "least"), [(greedy, 0.3), (beam, 0.9), (cem, 0.9), (shooting, 0.9)], ids=lambda x: str(x)[:20]
)
def test_most_plans_of_small_tasks_are_the_cheapest(search: PathSearch, least: float) -> None:
    """Six bits are few enough even for chance."""
    costs = [(search(*random_task(s), SHORT).cost, cheapest(*random_task(s))) for s in range(150)]
    solvable = [(found, best) for found, best in costs if 0 < best < inf]
    assert sum(found == best for found, best in solvable) >= least * len(solvable)


# --- the lower bound, and what matters of a task --------------------------------------------------


def test_landmarks_worked_by_hand() -> None:
    chain = task([operator("a", 0, A, cost=1), operator("b", A, B, cost=2), operator("c", B, C, cost=4)], C)
    bound = LandmarkCut(chain)(0)
    assert (bound.cost, {o.action.name: paid for o, paid in bound.paid.items()}) == (
        7,
        {"a": 1, "b": 2, "c": 4},
    )
    either = LandmarkCut(task([operator("a", 0, A, cost=3), operator("b", 0, A, cost=2)], A))(0)
    assert (either.cost, sorted(either.paid.values())) == (2, [2, 2])
    shared = task([operator("a", 0, A, cost=3), operator("b", A, B), operator("c", A, C)], B | C)
    assert LandmarkCut(shared)(0).cost == 5
    barred = task([operator("take", 0, A, forbids=B), operator("drop", B, 0, B)], A)
    assert [LandmarkCut(barred)(state).cost for state in (0, B)] == [1, 2]  # what is forbidden must go


@given(case=tasks())
def test_no_plan_costs_less_than_the_bound(case: tuple[Task, int]) -> None:
    problem, start = case
    bounds = LandmarkCut(problem)
    for number, goal in enumerate(problem.goals):
        least = cheapest(replace(problem, goals=(goal,)), start)
        bound = bounds(start, number)
        assert bound.cost <= least
        for step in problem.operators:
            if step.applies(start) and bound.cost < inf:
                after = cheapest(replace(problem, goals=(goal,)), step.apply(start))
                assert bound.cost - bound.paid.get(step, 0) <= after + 1e-9


@given(case=tasks())
def test_what_is_left_out_of_a_task_is_of_no_use(case: tuple[Task, int]) -> None:
    problem, start = case
    assert set(focused(problem, start).operators) <= set(problem.operators)
    assert cheapest(focused(problem, start), start) == cheapest(problem, start)


def test_only_what_is_reached_and_leads_on_is_kept() -> None:
    steps = [operator("a", 0, A), operator("b", A, B), operator("idle", 0, C), operator("never", D, B)]
    assert names(focused(task(steps, B), 0).operators) == ["a", "b"]
    undo = task([operator("undo", 0, C, deletes=A), operator("other", 0, C)], Condition(0, A))
    assert names(focused(undo, A).operators) == ["undo"]


# --- fast downward --------------------------------------------------------------------------------


@needs_downward
@pytest.mark.parametrize("seed", range(40))
def test_fast_downward_reads_what_is_written(seed: int) -> None:
    problem, start = random_task(seed)
    found = downward(problem, start, AMPLE)
    assert (found.plan is None) is (cheapest(problem, start) == inf)
    if found.plan is not None:
        assert works(problem, start, found.plan)
        assert cost(found.plan) == found.cost


@needs_downward
def test_a_large_problem_is_one_for_fast_downward() -> None:
    """Six things are brought from one end of a corridor to the other, one at a time."""
    places, things = 5, 6
    at = [1 << i for i in range(places)]
    here = [[1 << places + t * places + p for p in range(places)] for t in range(things)]
    held = [1 << places + things * places + t for t in range(things)]
    steps = [operator(f"go {i}{j}", at[i], at[j], at[i]) for i in range(places) for j in (i - 1, i + 1)
             if 0 <= j < places]  # fmt: skip
    steps += [operator(f"take {t}{p}", at[p] | here[t][p], held[t], here[t][p], sum(held))
              for t in range(things) for p in range(places)]  # fmt: skip
    steps += [operator(f"put {t}{p}", at[p] | held[t], here[t][p], held[t])
              for t in range(things) for p in range(places)]  # fmt: skip
    large = replace(task(steps, sum(row[-1] for row in here)), atoms=tuple(map(str, range(200))))  # type: ignore[arg-type]
    start = at[0] | sum(row[0] for row in here)
    found = downward(large, start, Limits(horizon=1000))
    assert found.plan is not None
    assert works(large, start, found.plan)
    assert len(found.plan) >= 6 * 2 + 4 * 11


def test_what_is_written_for_fast_downward() -> None:
    problem = task([operator("a", A, B, A, forbids=C, cost=1.5)], B, Condition(0, A))
    lines = written(replace(problem, atoms=problem.atoms[:3]), A).splitlines()
    body = lines[lines.index("begin_state") :]
    assert " ".join(body) == (
        "begin_state 0 1 1 1 end_state begin_goal 1 3 0 end_goal 3 "
        "begin_operator o0 1 2 1 2 0 0 0 1 0 1 -1 0 1500 end_operator "
        "begin_operator goal 0 1 1 0 1 0 3 -1 0 0 end_operator "
        "begin_operator goal 1 1 0 1 1 0 3 -1 0 0 end_operator 0"
    )


def test_where_fast_downward_is_missing_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(WorldModelError, match=r"pip install 'worldmodel\[downward\]'"):
        downward(task([operator("a", 0, A)], A), 0, AMPLE)


# --- searches through all worlds ------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_in_a_world_that_is_known_the_steps_can_be_taken_and_lead_on(name: str) -> None:
    """A tree may end before the goal: then it is asked again from where its steps lead."""
    for seed in range(25):
        problem, start = random_task(seed)
        if cheapest(problem, start) in (0, inf):
            continue
        state = start
        for _ in range(8):
            thought = SEARCHES[name](known(problem, state), Limits(expansions=2000, seed=seed))
            for step in thought.steps:
                assert step.applies(state)
                state = step.apply(state)
                if problem.satisfied(state):
                    break
            if problem.satisfied(state) or not thought.steps:
                break
        assert problem.satisfied(state), (name, seed)


@pytest.mark.parametrize("name", NAMES)
def test_where_there_is_no_way_there_are_no_steps(name: str) -> None:
    thought = SEARCHES[name](known(task([operator("a", 0, A)], B), 0), Limits(expansions=50))
    assert list(thought.steps) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_search_wins_a_small_game_and_the_same_seed_plays_the_same(name: str) -> None:
    def played(seed: int) -> tuple[bool, list[str], int]:
        env = AlfworldEnv(Game.from_document(document(TWO, "put two mug in countertop."), "tiny"))
        run = play(env, Planner(model(), PlanConfig(search=name, samples=5, seed=seed)), "tiny", "alfworld")
        return run.success, [step.action for step in run.episode.steps], run.expanded

    first = played(3)
    assert first[0]
    assert first == played(3)


def test_where_the_time_is_up_there_is_no_plan_and_something_is_done_all_the_same() -> None:
    with pytest.raises(WorldModelError, match="seconds is 0: expected more than 0"):
        PlanConfig(seconds=0)
    env = AlfworldEnv(Game.from_document(document(TWO, "put two mug in countertop."), "tiny"), max_steps=5)
    run = play(env, Planner(model(), PlanConfig(seconds=1e-9)), "tiny", "alfworld")
    assert len(run.episode.steps) == 5
