"""Whole episodes: the record of them, and that the agent has nothing but the text."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from planners import Moment, PlanConfig, Planner, Run, play
from tests.planners.kitchen import RULES, model
from tests.planners.sealed import Sealed
from tests.worldmodel.blocks_text import SPOTS, BlocksEnv, BlocksPerception
from tests.worldmodel.blocks_text import play as wander
from tests.worldmodel.environments.alfworld_room import LOOK, PLACE, TWO, document, treat
from worldmodel.belief import Belief
from worldmodel.environments.alfworld.environment import AlfworldEnv
from worldmodel.environments.alfworld.game import Game
from worldmodel.learning import learn, observe
from worldmodel.model import WorldModel
from worldmodel.trajectories import Episode

ROOT = Path(__file__).parents[2]
TASKS = {
    "pen": (PLACE, "put a pen in desk."),
    "two mugs": (TWO, "put two mug in countertop."),
    "hot mug": (treat("isHot", "heatable", "Mug", "Desk"), "put a hot mug in desk."),
    "lamp": (LOOK, "look at apple under the desklamp."),
}


def room(task: str, max_steps: int = 50) -> AlfworldEnv:
    """The room with one of each oddity: desk and drawers are one place, counter and machine another."""
    goal, text = TASKS[task]
    return AlfworldEnv(Game.from_document(document(goal, text), task), max_steps=max_steps)


@cache
def blocks() -> WorldModel:
    return learn([wander(BlocksEnv(), seed) for seed in range(200)], BlocksPerception())


def run(
    env: gymnasium.Env[str, str], it: WorldModel | None = None, seed: int = 0, samples: int = 16
) -> tuple[Run, list[Moment]]:
    moments: list[Moment] = []
    planner = Planner(it or model(), PlanConfig(seed=seed, samples=samples))
    return play(env, planner, "an episode", "some environment", moments.append), moments


def replayed(it: WorldModel, episode: Episode) -> Belief:
    """The belief that the written transcript alone leads to."""
    belief = it.begin(episode.observation)
    for step in episode.steps:
        belief = it.update(belief, it.perception.action(step.action), step.observation)
    return belief


def commands(episode: Episode) -> list[str]:
    return [step.action for step in episode.steps]


# --- the record -----------------------------------------------------------------------------------


def test_an_episode_is_recorded_as_it_happened() -> None:
    done, moments = run(room("pen"), seed=3)
    episode = done.episode
    assert (episode.id, episode.environment, episode.policy, episode.seed) == (
        "an episode",
        "some environment",
        "mpc",
        3,
    )
    assert episode.observation.startswith("-= Welcome to TextWorld")
    assert episode.observation.endswith("Your task is to: put a pen in desk.")
    assert [(s.action, s.observation) for s in episode.steps] == [(m.command, m.observation) for m in moments]
    assert [m.number for m in moments] == list(range(1, len(moments) + 1))
    assert done.success and episode.success
    assert [s.reward for s in episode.steps] == [0.0] * (len(moments) - 1) + [1.0]


def test_the_work_is_counted() -> None:
    done, moments = run(room("two mugs"))
    assert done.replans == sum(m.decision.planned for m in moments) < len(moments)
    assert done.expanded == sum(m.decision.expanded for m in moments) > 0
    assert len(done.seconds) == len(moments)
    assert all(s >= 0 for s in done.seconds)


def test_the_record_says_what_the_environment_answers_when_asked_again() -> None:
    done, _ = run(room("hot mug"))
    env = room("hot mug")
    assert env.reset()[0] == done.episode.observation
    assert [env.step(step.action)[:2] for step in done.episode.steps] == [
        (step.observation, step.reward) for step in done.episode.steps
    ]


def test_a_truncated_episode_is_no_success() -> None:
    done, moments = run(room("pen", max_steps=2))
    assert (done.success, done.episode.success, len(moments)) == (False, False, 2)


def test_a_prediction_that_fails_is_followed_by_a_new_plan() -> None:
    _, moments = run(room("two mugs"))
    surprised = [k for k, moment in enumerate(moments[:-1]) if not moment.held]
    assert surprised
    assert all(moments[k + 1].decision.planned for k in surprised)
    for moment in moments:
        if moment.prediction.observation is not None:
            assert moment.held is (moment.prediction.observation == moment.observation)


def test_other_words_than_predicted_are_a_surprise_though_it_works() -> None:
    """These rules say "seize" where the game says "pick up"."""
    done, moments = run(room("pen"), model(RULES.replace("You pick up", "You seize")))
    (taken,) = [m for m in moments if m.command.startswith("take")]
    assert (taken.prediction.observation, taken.observation) == (
        "You seize the pen 1 from the drawer 2.",
        "You pick up the pen 1 from the drawer 2.",
    )
    assert not taken.held
    assert moments[taken.number].decision.planned
    assert done.success


def test_a_planner_begins_each_episode_afresh() -> None:
    planner = Planner(model(), PlanConfig(samples=5, seed=1))
    first = play(room("two mugs"), planner, "1", "alfworld").episode
    play(room("pen", max_steps=3), planner, "2", "alfworld")
    assert commands(play(room("two mugs"), planner, "3", "alfworld").episode) == commands(first)


# --- the agent sees what it is told ---------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
def test_the_planner_and_the_model_see_only_what_the_agent_sees(task: str) -> None:
    """An environment whose state cannot be read is played, and played just the same."""
    sealed, _ = run(Sealed(room(task)))  # type: ignore[arg-type]
    assert sealed.success
    assert commands(sealed.episode) == commands(run(room(task))[0].episode)


def test_the_seal_holds() -> None:
    env: Any = Sealed(room("pen"))
    _, info = env.reset(seed=0)
    for touch in ("engine", "game", "unwrapped", "__dict__", "_step", "observation_space"):
        with pytest.raises(AssertionError, match="hidden"):
            getattr(env, touch)
    for look in (lambda: info["admissible_commands"], lambda: dict(info.items()), lambda: list(info)):
        with pytest.raises(AssertionError, match="hidden"):
            look()
    assert info["won"] is False


@pytest.mark.parametrize("task", TASKS)
def test_the_belief_is_made_from_the_transcript_alone(task: str) -> None:
    done, moments = run(room(task))
    assert replayed(model(), done.episode) == moments[-1].belief


def test_the_belief_holds_nothing_that_the_transcript_does_not_name() -> None:
    done, moments = run(room("pen"))
    text = done.episode.observation + " ".join(step.observation for step in done.episode.steps)
    assert all(name in text for name in moments[-1].belief.state.objects)


@pytest.mark.parametrize("task", TASKS)
def test_nothing_imagined_is_ever_named_to_the_environment(task: str) -> None:
    for seed in range(4):
        done, moments = run(room(task), seed=seed, samples=4)
        known = set(model().begin(done.episode.observation).state.objects)
        for moment in moments:
            assert set(moment.decision.action.args) <= known
            assert "unseen" not in moment.command
            known = set(moment.belief.state.objects)


def imported(module: str) -> set[str]:
    """What a module of the project imports, anywhere in it."""
    path = ROOT / Path(*module.split("."))
    source = path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"
    found: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in found if exists(name)}


def exists(module: str) -> bool:
    path = ROOT / Path(*module.split("."))
    return module.split(".")[0] in ("rules", "worldmodel", "planners") and (
        path.with_suffix(".py").exists() or (path / "__init__.py").exists()
    )


def test_neither_planners_nor_model_reach_an_environment_by_any_way() -> None:
    planners = [".".join(p.relative_to(ROOT).with_suffix("").parts) for p in ROOT.glob("planners/**/*.py")]
    waiting = [p.removesuffix(".__init__") for p in planners]
    waiting += [
        f"worldmodel.{name}" for name in "model belief knowledge learning replay wording storage".split()
    ]
    reached = set(waiting)
    while waiting:
        fresh = imported(waiting.pop()) - reached
        reached |= fresh
        waiting += fresh
    assert {"planners.grounding", "worldmodel.environments.base", "rules.logic"} <= reached
    assert not {name for name in reached if name.startswith("worldmodel.environments.alfworld")}
    assert "worldmodel.environments.registry" not in reached


# --- hidden structure: places that are one --------------------------------------------------------


def refused(episode: Episode, verb: str) -> list[str]:
    return [
        s.action for s in episode.steps if s.observation == "Nothing happens." and s.action.startswith(verb)
    ]


def test_a_move_refused_against_the_rules_is_understood_and_worked_around() -> None:
    """Pen in drawer 2, which is where the desk is: to go from one to the other is refused."""
    done, moments = run(room("pen"))
    (move,) = refused(done.episode, "go to")
    surprise = commands(done.episode).index(move)
    assert moments[surprise].prediction.outcome.value == "true"
    assert not moments[surprise].held
    assert moments[surprise].belief.companions == {("at", "desk 1", "drawer 2")}
    assert commands(done.episode)[surprise - 1 :] == [
        "take pen 1 from drawer 2",
        "go to desk 1",
        "move pen 1 to desk 1",
    ]  # it is there already, and goes on from there
    assert done.success


def test_a_place_it_was_at_all_along_is_looked_at_without_going_there() -> None:
    done, moments = run(room("two mugs"))
    places = {("at", "coffeemachine 1", "countertop 1"), ("at", "desk 1", "drawer 2")}
    assert places <= moments[-1].belief.companions
    assert done.success
    assert any(command.startswith(("examine", "open")) for command in commands(done.episode))
    assert len(set(refused(done.episode, "go to"))) == len(refused(done.episode, "go to"))  # each but once


def test_what_it_learned_of_a_room_it_knows_the_next_time() -> None:
    it = model()
    first = run(room("two mugs"), it)[0].episode
    observe(it, first)
    second = run(room("two mugs"), it)[0]
    assert refused(first, "go to")
    assert second.success
    assert refused(second.episode, "go to") == []
    assert len(second.episode.steps) < len(first.steps)


# --- another domain, through the same code --------------------------------------------------------


def test_blocks_are_brought_where_they_belong() -> None:
    """Twenty tables that nobody has seen, some spots covered; the goal calls a block by its name."""
    steps = []
    for seed in range(1000, 1020):
        done, moments = run(Sealed(BlocksEnv()), blocks(), seed=seed)  # type: ignore[arg-type]
        assert done.success, commands(done.episode)
        assert replayed(blocks(), done.episode) == moments[-1].belief
        assert not any(m.decision.guess for m in moments)
        steps.append(len(moments))
    # a look at each spot, covers off, and the block is carried: 12 steps at most
    assert max(steps) <= 2 * len(SPOTS) + 4


def test_spots_that_are_one_do_not_stop_it() -> None:
    won = 0
    for seed in range(10):
        env = BlocksEnv(twins=("east", "north"))
        won += run(env, blocks(), seed=seed)[0].success
    assert won == 10
