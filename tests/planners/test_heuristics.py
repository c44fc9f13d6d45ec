"""The relaxed plan: values worked by hand, what it calls helpful, and what it gives up."""

from __future__ import annotations

from math import inf

from hypothesis import given

from planners.heuristics import DEAD, RelaxedPlan
from planners.task import Condition, Task
from tests.planners.bits import cheapest, names, operator, task, tasks

A, B, C, D, E = (1 << i for i in range(5))


def helpful(problem: Task, state: int) -> list[str]:
    return sorted(names(sorted(RelaxedPlan(problem)(state).helpful)))


def test_at_the_goal_nothing_is_left_to_do() -> None:
    estimate = RelaxedPlan(task([operator("a", adds=B)], A))(A | C)
    assert (estimate.cost, estimate.helpful) == (0.0, frozenset())


def test_a_chain_costs_the_sum_of_its_steps() -> None:
    chain = task([operator("a", 0, A, cost=1), operator("b", A, B, cost=2), operator("c", B, C, cost=4)], C)
    plan = RelaxedPlan(chain)
    assert [plan(state).cost for state in (0, A, A | B, B)] == [7, 6, 4, 4]
    assert (helpful(chain, 0), helpful(chain, A)) == (["a"], ["b"])


def test_deletes_are_ignored() -> None:
    """Each of two steps spoils what the other made: three steps in truth, two if nothing is lost."""
    spoiling = task([operator("a", 0, A, deletes=B), operator("b", A, B)], A | B)
    assert RelaxedPlan(spoiling)(0).cost == 2
    fatal = task([operator("a", 0, A, deletes=B), operator("b", C, B)], A | B)
    assert RelaxedPlan(fatal)(B).cost == 1


def test_a_step_that_serves_twice_is_paid_once() -> None:
    shared = task([operator("a", 0, A, cost=3), operator("b", A, B), operator("c", A, C)], B | C)
    assert RelaxedPlan(shared)(0).cost == 5
    both = task([operator("ab", 0, A | B, cost=3)], A | B)
    assert RelaxedPlan(both)(0).cost == 3
    forked = task([operator("a", 0, A, cost=3), operator("b", A, B), operator("bc", A, B | C, cost=2)], C | B)
    assert RelaxedPlan(forked)(0).cost <= 6


def test_no_step_makes_what_it_needs() -> None:
    """The second step keeps A, but does not bring it about."""
    keeping = task([operator("a", 0, A), operator("ab", A, A | B)], B)
    assert RelaxedPlan(keeping)(0).cost == 2
    assert helpful(keeping, 0) == ["a"]


def test_the_nearer_of_two_goals_counts() -> None:
    two = task([operator("a", 0, A, cost=3), operator("b", 0, B, cost=2)], A, B)
    assert RelaxedPlan(two)(0).cost == 2
    assert helpful(two, 0) == ["b"]


def test_what_no_operator_makes_is_a_dead_end() -> None:
    lost = task([operator("a", 0, A), operator("d", E, D)], A | D)
    assert RelaxedPlan(lost)(0) == DEAD
    assert RelaxedPlan(lost)(0).cost == inf
    assert RelaxedPlan(lost)(E).cost == 2
    assert RelaxedPlan(task([operator("a", 0, A)]))(0) == DEAD  # no goal at all


def test_where_only_something_forbidden_stands_in_the_way_one_step_undoes_it() -> None:
    tidy = task(
        [operator("undo", 0, 0, deletes=B), operator("other", 0, C), operator("shut", D, 0, B)],
        Condition(A, B),
    )
    estimate = RelaxedPlan(tidy)(A | B)
    assert estimate.cost == 1
    assert helpful(tidy, A | B) == ["undo"]


def test_helpful_steps_apply_at_once() -> None:
    """The way to A is barred while B holds, and the relaxation does not see it."""
    barred = task([operator("a", 0, A, forbids=B), operator("undo", 0, 0, deletes=B)], A)
    assert RelaxedPlan(barred)(B).cost == 1
    assert helpful(barred, B) == []
    assert helpful(barred, 0) == ["a"]


def test_the_same_state_is_judged_once() -> None:
    plan = RelaxedPlan(task([operator("a", 0, A)], A))
    assert plan(0) is plan(0)


@given(tasks())
def test_a_dead_end_is_one_and_an_estimate_is_never_for_nothing(case: tuple[Task, int]) -> None:
    problem, start = case
    estimate = RelaxedPlan(problem)(start)
    assert (estimate.cost == 0) is problem.satisfied(start)
    if estimate.cost == inf:
        assert cheapest(problem, start) == inf
    assert all(o in problem.operators and o.applies(start) for o in estimate.helpful)


@given(tasks())
def test_without_deletes_and_prohibitions_the_estimate_is_a_plans_cost(case: tuple[Task, int]) -> None:
    """There the relaxed plan is a plan: it costs no less than the cheapest."""
    problem, start = case
    easy = task(
        [o._replace(deletes=0, forbids=0) for o in problem.operators],
        *[goal._replace(forbids=0) for goal in problem.goals],
    )
    estimate, least = RelaxedPlan(easy)(start).cost, cheapest(easy, start)
    assert estimate >= least
    assert (estimate == inf) is (least == inf)


def test_where_one_rule_is_barred_another_of_the_same_action_is_helpful() -> None:
    """To go to a shut place and to an open one are two rules of one action."""
    shut, ajar = operator("go", 0, A, forbids=B), operator("go", B, A, cost=2)
    doors = task([shut, ajar, operator("other", C, A, cost=3)], A)
    plan = RelaxedPlan(doors)
    assert plan(0).helpful == {shut}
    assert plan(B).helpful == {ajar}
    assert plan(B | C).helpful == {ajar}
