"""Batched steps against the scalar ones, in numpy and, where it is installed, in torch."""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planners.batched import BatchedTask
from planners.task import Condition, Operator, Task
from rules.errors import WorldModelError
from rules.logic import Action, Atom
from tests.planners.bits import random_task, tasks

DEVICES = [None, pytest.param("cpu", marks=pytest.mark.slow)]


def _batched(task: Task, device: str | None) -> BatchedTask:
    if device is not None:
        pytest.importorskip("torch", reason="torch is not installed (extra `neural`)")
    return BatchedTask(task, device)


def _followed(task: Task, state: int, plan: list[int]) -> tuple[int, int, float, int]:
    """What one rollout comes to, by `Operator.apply`."""
    if task.satisfied(state):
        return state, 0, 0.0, 0
    cost, refused = 0.0, 0
    for number, index in enumerate(plan, 1):
        operator = task.operators[index]
        cost += operator.cost
        if operator.applies(state):
            state = operator.apply(state)
        else:
            refused += 1
        if task.satisfied(state):
            return state, number, cost, refused
    return state, -1, cost, refused


@pytest.mark.parametrize("device", DEVICES)
@settings(deadline=None)
@given(tasks(), st.data())
def test_a_rollout_is_what_the_operators_do_one_by_one(
    device: str | None, problem: tuple[Task, int], data: st.DataObject
) -> None:
    task, start = problem
    length = data.draw(st.integers(1, 6))
    one = st.lists(st.integers(0, len(task.operators) - 1), min_size=length, max_size=length)
    plans = data.draw(st.lists(one, min_size=1, max_size=5))
    batched = _batched(task, device)
    found = batched.rollouts(batched.encode([start] * len(plans)), batched.plans(plans))
    each = zip(batched.decode(found.states), *(part.tolist() for part in found[1:]), strict=True)
    assert list(each) == [_followed(task, start, plan) for plan in plans]


@given(tasks(), st.lists(st.integers(0, 63), min_size=1, max_size=9))
def test_applicable_and_satisfied(problem: tuple[Task, int], states: list[int]) -> None:
    task, _ = problem
    batched = BatchedTask(task)
    rows = batched.encode(states)
    assert batched.decode(rows) == states
    assert batched.satisfied(rows).tolist() == [task.satisfied(s) for s in states]
    assert batched.applicable(rows).tolist() == [[o.applies(s) for o in task.operators] for s in states]


@pytest.mark.parametrize("device", DEVICES)
def test_more_atoms_than_fit_in_a_word(device: str | None) -> None:
    """Atoms 0, 63, 64 and 199 lie on the borders of words, and 63 is the sign."""
    atoms = tuple(Atom(f"p{i}") for i in range(200))
    draw = random.Random(0)
    edges = [0, 63, 64, 127, 128, 199]

    def some() -> int:
        return sum(1 << i for i in draw.sample(edges, 2))

    operators = tuple(
        Operator(Action(f"o{i}"), some(), 1 << draw.choice(edges), some(), some(), 1.0) for i in range(40)
    )
    task = Task(atoms, operators, (Condition(1 << 199 | 1, 1 << 63),))
    states = [draw.getrandbits(200) for _ in range(50)]
    batched = _batched(task, device)
    rows = batched.encode(states)
    for index, operator in enumerate(operators):
        after, applied = batched.step(rows, batched.plans([[index]] * 50)[:, 0])
        assert applied.tolist() == [operator.applies(s) for s in states]
        assert batched.decode(after) == [operator.apply(s) if operator.applies(s) else s for s in states]
    assert batched.satisfied(rows).tolist() == [task.satisfied(s) for s in states]


def test_a_walk_takes_applicable_steps_and_is_the_same_by_its_seed() -> None:
    task, start = random_task(3)
    batched = BatchedTask(task)

    def walk(seed: int) -> tuple[list[int], list[list[int]]]:
        ends, chosen = batched.wander(batched.encode([start] * 30), 8, np.random.default_rng(seed))
        return batched.decode(ends), chosen.tolist()

    ends, walks = walk(1)
    for end, steps in zip(ends, walks, strict=True):
        state = start
        for index in steps:
            applicable = [i for i, o in enumerate(task.operators) if o.applies(state)]
            assert index in applicable or (index == -1 and not applicable)
            state = task.operators[index].apply(state) if applicable else state
        assert state == end
    assert walk(1) == (ends, walks) != walk(2)


def test_every_applicable_operator_is_taken_about_equally_often() -> None:
    operators = tuple(Operator(Action(f"o{i}"), 0, 0, 1 << i, 0, 1.0) for i in range(4))
    task = Task(tuple(Atom(f"p{i}") for i in range(4)), operators, (Condition(16, 0),))
    batched = BatchedTask(task)
    _, chosen = batched.wander(batched.encode([0] * 4000), 1, np.random.default_rng(0))
    assert np.bincount(chosen[:, 0], minlength=4) == pytest.approx([1000] * 4, rel=0.1)


def test_without_torch_a_device_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(WorldModelError, match=r"pip install 'worldmodel\[neural\]'"):
        BatchedTask(random_task(0)[0], "cpu")


@pytest.mark.slow
def test_a_device_that_is_not_there_is_named() -> None:
    pytest.importorskip("torch", reason="torch is not installed (extra `neural`)")
    with pytest.raises(WorldModelError, match="no device 'nonsense'"):
        BatchedTask(random_task(0)[0], "nonsense")
