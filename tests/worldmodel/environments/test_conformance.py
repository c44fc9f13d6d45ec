"""The conformance suite: both environments pass it, and each broken one fails at the check meant for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from rules.errors import WorldModelError
from rules.logic import Action, Atom
from rules.ruleset import Rule
from tests.worldmodel.blocks_text import DOMAIN, REFUSAL, BlocksEnv, BlocksPerception
from tests.worldmodel.environments.alfworld_room import LOOK, TWO, document, treat
from worldmodel.environments.alfworld.environment import AlfworldEnv
from worldmodel.environments.alfworld.game import Game
from worldmodel.environments.alfworld.games import find_games
from worldmodel.environments.alfworld.perception import AlfworldPerception
from worldmodel.environments.base import Goal, Percept
from worldmodel.environments.testing import ConformanceError, check_environment

SHARED = Path(__file__).parents[4] / "shared" / "data" / "alfworld"


def test_the_blocks_on_the_table_conform() -> None:
    check_environment(BlocksPerception(), BlocksEnv, seeds=range(10))
    check_environment(BlocksPerception(), lambda: BlocksEnv(twins=("east", "north")))


@pytest.mark.parametrize(
    ("goal", "task"),
    [
        (TWO, "find two mug and put them in countertop."),
        (LOOK, "look at apple under the desklamp."),
        (treat("isHot", "heatable", "Apple", "Fridge"), "put a hot apple in fridge."),
    ],
)
def test_the_fast_engine_of_alfworld_conforms(goal: str, task: str) -> None:
    game = Game.from_document(document(goal, task), "tiny")
    check_environment(AlfworldPerception(), lambda: AlfworldEnv(game))
    check_environment(AlfworldPerception(), lambda: AlfworldEnv(game, admissible=False), seeds=(5,))


@pytest.mark.skipif(not SHARED.is_dir(), reason="ALFWorld's games are not beside the project")
def test_real_games_of_alfworld_conform() -> None:
    for reference in find_games(SHARED, "valid_seen")[::35]:
        game = reference.load()
        check_environment(AlfworldPerception(), lambda game=game: AlfworldEnv(game), seeds=(0,), steps=30)


# --- what breaks the contract ---------------------------------------------------------------------


class Spotless(BlocksPerception):
    """Lists blocks without saying that they lie there."""

    def perceive(self, action: Action | None, observation: str) -> Percept:
        percept = super().perceive(action, observation)
        return replace(percept, true=frozenset(a for a in percept.true if a.predicate != "lying"))


class OpenEnded(BlocksPerception):
    """Lists blocks without saying that there are no more."""

    def perceive(self, action: Action | None, observation: str) -> Percept:
        percept = super().perceive(action, observation)
        return replace(percept, false=frozenset(a for a in percept.false if a.predicate != "lying"))


class Undeclared(BlocksPerception):
    def perceive(self, action: Action | None, observation: str) -> Percept:
        percept = super().perceive(action, observation)
        return replace(percept, false=percept.false | {Atom("heavy", ("red",))})


class Nameless(BlocksPerception):
    def perceive(self, action: Action | None, observation: str) -> Percept:
        percept = super().perceive(action, observation)
        return replace(percept, objects={}) if percept.contents else percept


class Fragile(BlocksPerception):
    def perceive(self, action: Action | None, observation: str) -> Percept:
        observation.split(".")[0].encode("ascii")
        return super().perceive(action, observation)


class Shouting(BlocksPerception):
    def command(self, action: Action) -> str:
        return super().command(action).upper()


class Obliging(BlocksPerception):
    def action(self, command: str) -> Action | None:
        return super().action(command) or Action("feel")


class Hopeful(BlocksPerception):
    def goal(self, text: str) -> Goal:
        try:
            return super().goal(text)
        except WorldModelError:
            return Goal("be happy")


class Knowing(BlocksPerception):
    domain = replace(
        DOMAIN,
        actions={**DOMAIN.actions, "feel": replace(DOMAIN.actions["feel"], rules=(Rule("feel_1"),))},
    )


class Dropping(BlocksPerception):
    def order(self, names: Sequence[str]) -> list[str]:
        return sorted(names)[1:]


@pytest.mark.parametrize(
    ("perception", "message"),
    [
        (Spotless, r"lying\(\w+, \w+\) is listed, but not asserted, perceived in"),
        (OpenEnded, r"the list of lying\(\*, \w+\) is complete, but not denied beyond it"),
        (Undeclared, r"heavy\(red\) is no predicate of the domain"),
        (Nameless, "is not among the objects"),
        (Fragile, r"perceive\(.*\) raises UnicodeEncodeError"),
        (Shouting, "is read back as None"),
        (Obliging, "is an action; expected None"),
        (Hopeful, "is a goal; expected UnknownGoal"),
        (Knowing, "action feel has rules"),
        (Dropping, "no reordering"),
    ],
)
def test_a_perception_that_breaks_the_contract_is_told_how(
    perception: Callable[[], BlocksPerception], message: str
) -> None:
    with pytest.raises(ConformanceError, match=message):
        check_environment(perception(), BlocksEnv)


Answer = tuple[str, float, bool, bool, dict[str, Any]]


class Moody(BlocksEnv):
    """Answers by the whole past, not by the seed: every eleventh step of all tables is refused."""

    past = count()

    def step(self, action: str) -> Answer:
        answer, *rest = super().step(action)
        return (answer if next(self.past) % 11 else REFUSAL, *rest)


class Offended(BlocksEnv):
    """Loses its grip when it is asked for something that does not work."""

    def step(self, action: str) -> Answer:
        answer, *rest = super().step(action)
        if answer == REFUSAL:
            self.over = None
        return (answer, *rest)


class OldStyle(BlocksEnv):
    def step(self, action: str) -> Any:
        answer, reward, terminated, _, info = super().step(action)
        return answer, reward, terminated, info


class Numbered(BlocksEnv):
    def step(self, action: str) -> Any:
        answer, *rest = super().step(action)
        return (len(answer), *rest)


class Boasting(BlocksEnv):
    def _info(self) -> dict[str, Any]:
        return {"admissible_commands": ["fly away"]}


@pytest.mark.parametrize(
    ("env", "message"),
    [
        (Moody, "in a new environment, observation"),
        (Offended, "without the refused commands before it"),
        (OldStyle, "check_env objects"),
        (Numbered, "an observation is int; expected text"),
        (Boasting, "the admissible command 'fly away' is read as no action"),
    ],
)
def test_an_environment_that_breaks_the_contract_is_told_how(
    env: Callable[[], BlocksEnv], message: str
) -> None:
    with pytest.raises(ConformanceError, match=message):
        check_environment(BlocksPerception(), env, seeds=range(5))
