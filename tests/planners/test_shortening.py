"""Leaving out of a plan what it does not need."""

from __future__ import annotations

import random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planners.shortening import shortened
from planners.task import Operator, Task
from tests.planners.bits import cost, names, operator, task, tasks, works

A, B, C, D = (1 << i for i in range(4))


def plan(problem: Task, *wanted: str) -> list[Operator]:
    by_name = {o.action.name: o for o in problem.operators}
    return [by_name[name] for name in wanted]


def test_an_idle_step_goes() -> None:
    problem = task([operator("a", 0, A), operator("idle", 0, B)], A)
    assert names(shortened(problem, 0, plan(problem, "idle", "a", "idle"))) == ["a"]


def test_a_step_goes_with_those_that_only_it_made_possible() -> None:
    """There and back: neither can go alone."""
    problem = task([operator("there", A, B, A), operator("back", B, A, B), operator("goal", A, C)], C)
    assert names(shortened(problem, A, plan(problem, "there", "back", "goal"))) == ["goal"]


def test_a_detour_in_the_middle_goes() -> None:
    problem = task(
        [operator("in", 0, A), operator("open", A, B), operator("shut", B, 0, B), operator("c", A, C)], C
    )
    assert names(shortened(problem, 0, plan(problem, "in", "open", "shut", "c"))) == ["in", "c"]


def test_a_step_that_only_served_what_has_gone_goes_too() -> None:
    """The key is for the repair, and nothing needs to be repaired if nothing is broken."""
    steps = [operator("key", 0, A), operator("break", 0, 0, B), operator("repair", A, B)]
    problem = task(steps, B)
    assert list(shortened(problem, B, plan(problem, "key", "break", "repair"))) == []


def test_what_is_needed_stays() -> None:
    problem = task([operator("a", 0, A), operator("b", A, B, A), operator("c", B, C)], A | C)
    needed = plan(problem, "a", "b", "c", "a")
    assert shortened(problem, 0, needed) == needed


def test_at_the_goal_nothing_is_needed() -> None:
    problem = task([operator("a", 0, A)], A)
    assert list(shortened(problem, A, plan(problem, "a"))) == []
    assert list(shortened(problem, A, [])) == []


@settings(deadline=None)
@given(tasks(), st.integers(0, 1000))
def test_a_random_walk_to_the_goal_is_still_one_and_never_longer(case: tuple[Task, int], seed: int) -> None:
    problem, start = case
    walk, state, chance = list[Operator](), start, random.Random(seed)
    for _ in range(12):
        steps = [o for o in problem.operators if o.applies(state)]
        if not steps or (walk and problem.satisfied(state)):
            break
        walk.append(chance.choice(steps))
        state = walk[-1].apply(state)
    assume(problem.satisfied(state))
    short = shortened(problem, start, walk)
    assert works(problem, start, short)
    assert cost(short) <= cost(walk)
    rest = iter(walk)
    assert all(step in rest for step in short)  # in the order of the walk
    assert shortened(problem, start, short) == short  # nothing else can go
