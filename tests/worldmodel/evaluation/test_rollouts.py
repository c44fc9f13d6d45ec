"""Rollouts, the consistency ratio and rewards, on logs and games small enough to check."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, sqrt
from typing import Any

import gymnasium
import pytest

from rules.errors import WorldModelError
from rules.logic import FALSE, TRUE, Atom
from tests.worldmodel.blocks_text import BlocksEnv
from tests.worldmodel.evaluation.tiny_log import FIRST, LOG, PERCEPTION, REFUSAL, Scripted, says
from worldmodel.evaluation.consistency import Trial, consistency, replay
from worldmodel.evaluation.reward import along, distance, rewards
from worldmodel.evaluation.rollouts import roll_out
from worldmodel.learning import learn
from worldmodel.trajectories import Episode, Step

AT_DESK = Atom("at", ("desk 1",))


def test_a_rollout_goes_on_from_what_was_imagined() -> None:
    scripted = Scripted(
        says(TRUE, 1.0, None, (AT_DESK,)),  # go to desk 1: right
        says(FALSE, 0.0, REFUSAL),  # take mug 1: wrong
        says(TRUE, 1.0, "You ARRIVE at drawer 1.  The drawer 1 is closed."),  # right, too late
    )
    found = roll_out(scripted, [FIRST], PERCEPTION, depth=3, stride=100)
    assert AT_DESK in scripted.asked[1][0].true
    assert scripted.asked[1][0] == scripted.asked[2][0], "what is refused changes nothing"
    assert Atom("in", ("mug 1", "desk 1")) not in scripted.asked[1][0].true, "nothing was shown"
    rows = found.by_depth()
    assert [row["outcome"] for row in rows] == [1, 0, 1]
    assert [row["outcomes so far"] for row in rows] == [1, 0, 0]
    assert [row["exact"] for row in rows] == [0, 0, 1]
    # At the desk a mug lies there, which nobody could know; it is no drawer. At the drawer the agent
    # is still at the desk, in its mind; that the drawer has a door, and is shut, is news.
    assert rows[0]["facts unknown"] == pytest.approx(2 / 3)
    assert rows[2]["facts unknown"] == pytest.approx(2 / 3)
    assert rows[2]["facts contradicted"] == pytest.approx(1 / 3)


def test_every_so_many_steps_a_rollout_begins() -> None:
    model = learn(LOG, PERCEPTION)
    rows = roll_out(model, LOG, PERCEPTION, depth=4, stride=2).by_depth()
    # 7 and 2 steps inside the grammar: from 0, 2, 4, 6, and from 0
    assert [row["rollouts"] for row in rows] == [5, 4, 3, 2]
    found = roll_out(model, LOG, PERCEPTION, depth=1, stride=1)
    assert found.by_depth()[0]["outcome"] == found.by_depth()[0]["outcomes so far"]
    ((low, high),) = found.intervals("outcome")
    assert low <= found.by_depth()[0]["outcome"] <= high
    assert roll_out(model, [], PERCEPTION).by_depth() == []
    with pytest.raises(WorldModelError, match="depth 0 every 5 steps"):
        roll_out(model, LOG, PERCEPTION, depth=0)


LAYOUT = {"east": ["red"], "west": ["blue"]}


class Table(BlocksEnv):
    """A table with a goal that does not depend on the seed."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[str, dict[str, Any]]:
        _, info = super().reset(seed=seed)
        self.goal = ("red", "north")
        return "A table with east, north, south and west. Bring red to north.", info


def table() -> gymnasium.Env[str, str]:
    return Table(LAYOUT)


def twin_table() -> gymnasium.Env[str, str]:
    return Table(LAYOUT, twins=("east", "north"))


def bring(env: gymnasium.Env[str, str]) -> Sequence[str]:
    """Brings the red block to the north, by as few swings as the table allows."""
    env.reset()
    commands = ["swing to east", "grab red at east", "drop red at north"]
    answers = [env.step(command)[0] for command in commands]
    return commands if answers[-1].startswith("Let") else [*commands[:2], "swing to north", commands[2]]


def test_what_only_works_in_the_model_is_inconsistent() -> None:
    faithful, wishful = Trial("faithful", table, table), Trial("wishful", table, twin_table)
    found = consistency(bring, [faithful, wishful])
    assert [(r.real, r.model, r.replayed) for r in found.results] == [(True, True, True), (True, True, False)]
    assert [(r.real_steps, r.model_steps) for r in found.results] == [(4, 4), (4, 3)]
    assert (found.ratio, found.share("model"), found.share("replayed")) == (0.5, 1, 0.5)
    low, high = found.interval()
    assert (low, high) == (0, 1)
    assert isnan(consistency(bring, []).ratio)


def test_a_replay_stops_with_the_episode() -> None:
    assert replay(table(), [*bring(table()), "grab red at north"])
    assert not replay(table(), bring(table())[:-1])


def test_the_distance_is_that_of_correlation() -> None:
    assert distance([0, 1, 2], [0, 10, 20]) == pytest.approx(0, abs=1e-7)
    assert distance([0, 1, 2], [2, 1, 0]) == pytest.approx(1)
    assert distance([1, 1, 1], [0, 0, 1]) == pytest.approx(sqrt(0.5))
    assert distance([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(sqrt(0.5))


def test_winning_and_losing_trajectories_of_a_game_are_paired() -> None:
    won = Episode(
        "game",
        "alfworld",
        FIRST.observation,
        (*FIRST.steps, Step("go to drawer 1", "You arrive at drawer 1. The drawer 1 is closed."),
         Step("open drawer 1", "You open the drawer 1. The drawer 1 is open. In it, you see nothing."),
         Step("move mug 1 to drawer 1", "You move the mug 1 to the drawer 1.", 1.0)),
        success=True,
        metadata={"task_type": "clean"},
    )  # fmt: skip
    lost = Episode("game", "alfworld", FIRST.observation, FIRST.steps[4:5] * 3, success=False)
    alone = Episode("alone", "alfworld", FIRST.observation, FIRST.steps, success=False)
    model = learn([won, lost], PERCEPTION)
    found = rewards(model, [won, lost, alone])
    assert (len(found.pairs), found.unpaired, found.tasks) == (1, 1, ["clean"])
    steps = along(model, won)
    assert min(steps) == steps[0] < max(steps[:-1]) < steps[-1] == 1
    assert len(set(along(model, lost))) == 1
    assert found.separated == 1
    assert 0 <= found.distance("steps") < 0.3
    assert found.distance("steps") < found.distance("environment") < sqrt(0.5)
    assert isnan(found.distance("steps", "other"))
    low, high = found.interval("steps")
    assert low <= found.distance("steps") <= high + 1e-9
