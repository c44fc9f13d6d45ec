"""The receding-horizon loop: decisions worked by hand in a small kitchen."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from planners import Decision, PlanConfig, Planner
from planners.choosing import Ballot
from planners.grounding import ground
from planners.mpc import STUBBORN
from planners.sampling import World, missing_things
from planners.search import SEARCHES, Limits, Problem, Thought
from planners.task import Operator
from rules.errors import WorldModelError
from rules.logic import Action
from tests.planners.kitchen import DOMAIN, atom, belief, goal, model
from worldmodel.belief import Belief

HOLD_MUG = goal("holding(?o)", o="mug")
SURFACES = ("countertop 1", "coffeemachine 1", "desk 1")
ROOM = (*SURFACES, "fridge 1")
OUTSIDE = ("at(*)", "holding(*)", "open(*)", *(f"openable({place})" for place in SURFACES))


def kitchen(
    aim: object = HOLD_MUG,
    true: tuple[str, ...] = (),
    extra: tuple[str, ...] = (),
    false: tuple[str, ...] = (),
) -> Belief:
    """Three surfaces and a shut fridge, and nothing seen of what is in them."""
    return belief(aim, (*ROOM, *extra), ["openable(fridge 1)", *true], [*OUTSIDE, *false])  # type: ignore[arg-type]


def odds(**found: int) -> dict[str, dict[tuple[str, ...], int]]:
    """Of a thousand places of each type, how many had a mug."""
    places = [place.split(" ")[0] for place in ROOM]
    return {
        "found": {("in", "mug", place): found.get(place, 0) for place in places},
        "seen": {("in", place): 1000 for place in places},
    }


def decide(known: Belief, seed: int = 0, **found: int) -> Decision:
    return Planner(model(tables=odds(**found)), PlanConfig(seed=seed)).decide(known)


# --- what is decided ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        # no place holds more than half of the mugs. The fridge takes two steps: go there, open it.
        ({"desk": 30, "countertop": 20, "coffeemachine": 20, "fridge": 30}, "go_to(desk 1)"),
        ({"desk": 25, "countertop": 20, "coffeemachine": 15, "fridge": 40}, "go_to(desk 1)"),
        ({"desk": 18, "countertop": 18, "coffeemachine": 18, "fridge": 46}, "go_to(fridge 1)"),
        ({"desk": 20, "countertop": 40, "coffeemachine": 20, "fridge": 20}, "go_to(countertop 1)"),
    ],
)
def test_places_are_looked_into_by_chance_over_cost(found: dict[str, int], expected: str) -> None:
    made = Planner(model(tables=odds(**found))).decide(kitchen())
    assert (str(made.action), made.planned, made.guess, made.worlds) == (expected, True, False, 4)


def test_a_place_at_hand_is_looked_into_before_a_likelier_one_far_away() -> None:
    """Already at the fridge, its look costs one step and not two."""
    known = kitchen(true=("at(fridge 1)",))
    assert str(decide(known, desk=35, countertop=15, coffeemachine=12, fridge=38).action) == "open(fridge 1)"
    assert (
        str(decide(kitchen(), desk=35, countertop=15, coffeemachine=12, fridge=38).action) == "go_to(desk 1)"
    )


def test_what_every_world_needs_is_done_first() -> None:
    """The hands are full, and here is the desk, where a pen may be put."""
    known = kitchen(true=("holding(pen 1)", "at(desk 1)"), extra=("pen 1",), false=("in(*, desk 1)",))
    made = decide(known, countertop=30, coffeemachine=30, fridge=30)
    assert str(made.action) == "put(pen 1, desk 1)"
    assert not made.guess


def test_a_plan_that_needs_nothing_unseen_is_kept_to_its_end() -> None:
    known = kitchen(true=("in(mug 1, fridge 1)",), extra=("mug 1",))
    planner = Planner(model())
    made = [planner.decide(known) for _ in range(3)]
    assert [str(m.action) for m in made] == ["go_to(fridge 1)", "open(fridge 1)", "take(mug 1, fridge 1)"]
    assert [m.planned for m in made] == [True, False, False]
    assert (made[0].worlds, made[1].worlds, made[1].expanded) == (1, 0, 0)


def test_a_seen_mug_is_fetched_though_another_may_be_nearer() -> None:
    aim = goal("in(?o, ?r)", "hot(?o)", o="mug", r="desk")
    known = kitchen(
        aim,
        ("in(mug 1, countertop 1)", "at(countertop 1)"),
        ("mug 1", "microwave 1"),
        ("openable(microwave 1)",),
    )
    planner = Planner(model())
    assert [str(planner.decide(known).action) for _ in range(5)] == [
        "take(mug 1, countertop 1)",
        "go_to(microwave 1)",
        "heat(mug 1, microwave 1)",
        "go_to(desk 1)",
        "put(mug 1, desk 1)",
    ]


def test_a_surprise_makes_it_plan_anew() -> None:
    known = kitchen(true=("in(mug 1, fridge 1)",), extra=("mug 1",))
    planner = Planner(model())
    planner.decide(known)
    made = planner.decide(known, held=False)
    assert (str(made.action), made.planned) == ("go_to(fridge 1)", True)


def test_a_find_makes_it_plan_anew() -> None:
    planner = Planner(model(tables=odds(fridge=900)))
    assert str(planner.decide(kitchen()).action) == "go_to(fridge 1)"
    found = planner.decide(kitchen(true=("in(mug 1, desk 1)", "at(desk 1)"), extra=("mug 1",)))
    assert (str(found.action), found.planned) == ("take(mug 1, desk 1)", True)


# --- where there is no plan -----------------------------------------------------------------------


def test_what_keeps_being_refused_gives_way_to_something_else_about_the_same_things() -> None:
    """Where it stands it does not know: perhaps at the desk, and then the desk can be examined."""
    known = belief(HOLD_MUG, (*ROOM, "mug 1"), ["in(mug 1, desk 1)"], OUTSIDE[1:])
    go = Action("go_to", ("desk 1",))
    once = replace(known, refused={go: STUBBORN - 1})
    often = replace(known, refused={go: STUBBORN})
    assert {decide(once, seed).action for seed in range(20)} == {go}
    made = [decide(often, seed) for seed in range(20)]
    assert {m.guess for m in made} == {True, False}
    assert {m.action for m in made if not m.guess} == {go}
    tried = {m.action for m in made if m.guess}
    assert tried - {go}
    assert all("desk 1" in action.args for action in tried)


def test_where_no_plan_leads_on_the_likeliest_place_is_looked_into() -> None:
    """No rule makes a mug shine, but the goal needs one, and it has yet to be found."""
    made = decide(kitchen(goal("on(?o)", o="mug")), desk=10, countertop=70, fridge=10)
    assert (str(made.action), made.guess) == ("go_to(countertop 1)", False)


def test_without_a_plan_or_anything_to_find_it_tries_what_the_rules_allow() -> None:
    known = kitchen(goal("on(?o)", o="mug"), ("in(mug 1, desk 1)", "at(desk 1)"), ("mug 1",))
    it = model()
    for seed in range(10):
        made = Planner(it, PlanConfig(seed=seed)).decide(known)
        assert made.guess
        assert it.predict(known, made.action).chance > 0


def test_it_does_not_try_the_same_again_while_there_is_something_else() -> None:
    known = kitchen(goal("on(?o)", o="mug"), ("in(mug 1, desk 1)", "at(desk 1)"), ("mug 1",))
    planner = Planner(model())
    tried = [planner.decide(known).action for _ in range(4)]
    assert len(set(tried)) == 4


def test_what_the_rules_rule_out_is_tried_when_nothing_else_is_left() -> None:
    text = f'{DOMAIN} action wish(?o: object)\n rule never when on(?o) then hot(?o) otherwise says "No."'
    known = belief(goal("open(?r)", r="desk"), ("mug 1", "desk 1"), ["in(mug 1, desk 1)"])
    made = Planner(model(text)).decide(known)
    assert (str(made.action), made.guess) == ("wish(mug 1)", True)


def test_where_nothing_can_be_tried_it_says_so() -> None:
    with pytest.raises(WorldModelError, match=r"no action can be tried: .* 0 objects"):
        Planner(model()).decide(belief(HOLD_MUG, ()))


# --- choosing between worlds' plans ---------------------------------------------------------------


def weigh(problem: Problem, plans: list[tuple[World, list[Operator]]]) -> list[str]:
    ballot = Ballot(problem)
    for world, plan in plans:
        ballot.add(world, plan)
    return [str(step.action) for step in ballot.choose().steps]


def test_a_command_with_an_imagined_name_is_never_among_the_steps() -> None:
    known = kitchen(true=("at(desk 1)",))
    it = model()
    missing = missing_things(it, known)
    grounding = ground(it, known, {m.name: m.type for m in missing})
    operators = {str(o.action): o for o in grounding.task.operators if o.applies(grounding.known)}
    (take,) = [
        o for o in grounding.task.operators if "unseen" in str(o.action) and "desk 1" in o.action.args
    ][:1]
    world = World(frozenset([atom(f"in({missing[0].name}, desk 1)")]), 1.0)
    problem = Problem(grounding, missing, [world])
    assert weigh(problem, [(world, [operators["examine(desk 1)"], take])]) == ["examine(desk 1)"]
    assert weigh(problem, [(world, [take])]) == []
    assert weigh(problem, []) == []


def test_steps_that_do_not_serve_the_look_are_left_for_later() -> None:
    """A plan may begin with what only its end needs; what is asked now is what shows the place."""
    known = kitchen(true=("at(countertop 1)",))
    it = model()
    missing = missing_things(it, known)
    grounding = ground(it, known, {m.name: m.type for m in missing})

    def step(name: str, state: int) -> Operator:
        return next(o for o in grounding.task.operators if str(o.action) == name and o.applies(state))

    plans = []
    for place, weight in (("fridge 1", 0.5), ("desk 1", 0.5)):
        world = World(frozenset([atom(f"in({missing[0].name}, {place})")]), weight)
        state, plan = grounding.state(world.facts), list[Operator]()
        way = ["go_to(coffeemachine 1)"] if place == "desk 1" else ["go_to(desk 1)"]
        way += ["go_to(fridge 1)", "open(fridge 1)"] if place == "fridge 1" else ["go_to(desk 1)"]
        for name in way:
            plan.append(step(name, state))
            state = plan[-1].apply(state)
        plans.append((world, plan))
    assert weigh(Problem(grounding, missing, [w for w, _ in plans]), plans) == ["go_to(desk 1)"]


# --- settings and repetition ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"search": "luck"}, "unknown search 'luck': expected one of a-star, beam, best-first"),
        ({"sampler": "luck"}, "unknown sampler 'luck': expected one of counts"),
        ({"horizon": 0}, "horizon is 0: expected at least 1"),
        ({"samples": -1}, "samples is -1: expected at least 1"),
        ({"expansions": 0}, "expansions is 0: expected at least 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(WorldModelError, match=message):
        PlanConfig(**settings)  # type: ignore[arg-type]


def test_the_search_is_told_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    told = []

    def spy(problem: Problem, limits: Limits) -> Thought:
        told.append((len(problem.worlds), limits))
        return SEARCHES["best-first"](problem, limits)

    monkeypatch.setitem(SEARCHES, "spy", spy)
    planner = Planner(model(), PlanConfig(horizon=7, expansions=90, samples=4, search="spy", seed=3))
    planner.decide(kitchen(true=("in(mug 1, fridge 1)",), extra=("mug 1",)))
    assert told == [(1, Limits(7, 90, seed=3))]
    planner.decide(kitchen())
    assert told[1:] == [(4, Limits(7, 90, seed=3))]


def test_after_a_reset_the_same_seed_decides_the_same() -> None:
    known = kitchen(goal("in(?a, ?r)", "in(?b, ?r)", "not =(?a, ?b)", a="mug", b="mug", r="desk"))
    planner = Planner(model(), PlanConfig(samples=3, seed=5))
    first = [planner.decide(known, held=False).action for _ in range(5)]
    planner.reset()
    assert [planner.decide(known, held=False).action for _ in range(5)] == first


SCRIPT = """
from planners import PlanConfig, Planner, play
from tests.planners.kitchen import model
from tests.worldmodel.environments.alfworld_room import TWO, document
from worldmodel.environments.alfworld.environment import AlfworldEnv
from worldmodel.environments.alfworld.game import Game

env = AlfworldEnv(Game.from_document(document(TWO, "put two mug in countertop."), "tiny"))
run = play(env, Planner(model(), PlanConfig(samples=5, seed=3)), "tiny", "alfworld")
print([step.action for step in run.episode.steps], run.expanded)
"""


def test_the_same_seed_plays_the_same_whatever_pythons_hash_seed() -> None:
    outputs = set()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert "move mug" in outputs.pop()
