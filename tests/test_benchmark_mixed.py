"""The players whose logs predictions are measured on: what they do is what the benchmark says."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.mixed import full_hands, make, plan, read, slip, wrong_name, wrong_order
from rules.logic import WILDCARD, Action, Atom, State
from worldmodel import environment, load, shipped_rules
from worldmodel.belief import Belief
from worldmodel.environments.base import Goal

SPEC = environment("alfworld")
ROOT = Path(__file__).resolve().parents[1]
OBJECTS = {"mug 1": "mug", "mug 2": "mug", "pen 1": "pen", "desk 1": "desk", "drawer 1": "drawer"}
AT_DESK = Atom("at", ("desk 1",))
STATE = State(
    {**OBJECTS, "microwave 1": "microwave"},
    [AT_DESK, Atom("in", ("mug 1", "desk 1")), Atom("in", ("pen 1", "desk 1"))],
    [Atom("at", (WILDCARD,)), Atom("holding", (WILDCARD,)), Atom("open", ("drawer 1",))],
)
EMPTY = Belief(STATE, Goal(""))
FULL = Belief(STATE.updated([Atom("holding", ("mug 2",))]), Goal(""))
TAKE = Action("take", ("mug 1", "desk 1"))


@pytest.mark.parametrize("seed", range(20))
def test_each_mistake_is_of_its_kind(seed: int) -> None:
    chance = random.Random(seed)
    named = wrong_name(EMPTY, TAKE, chance)
    assert named is not None and named.name == "take"
    assert sum(a != b for a, b in zip(named.args, TAKE.args, strict=True)) == 1
    early = wrong_order(FULL, TAKE, chance)
    assert early is not None and early.name in ("take", "open", "put", "heat", "use")
    assert full_hands(EMPTY, TAKE, chance) is None
    second = full_hands(FULL, TAKE, chance)
    assert second is not None and second.name == "take" and second.args[1] == "desk 1"


def test_a_mistake_is_never_what_was_meant_and_always_a_command() -> None:
    perception = SPEC.perception(None)
    for seed in range(50):
        kind, made = slip(FULL, TAKE, random.Random(seed)) or ("", TAKE)
        assert made != TAKE
        assert kind in ("wrong_name", "wrong_order", "full_hands")
        assert perception.action(perception.command(made)) is not None


def test_a_careless_player_makes_mistakes_and_goes_on() -> None:
    model = load(shipped_rules("alfworld"), SPEC.perception(None))
    games = SPEC.games(count=4, seed=31)
    careful, careless = ([plan(game, model, 0, share, "x") for game in games] for share in (0.0, 0.5))
    assert not any(episode.metadata["mistakes"] for episode in careful)
    assert sum(len(episode.metadata["mistakes"].split()) for episode in careless) > 3
    assert sum(len(e.steps) for e in careless) > sum(len(e.steps) for e in careful)
    assert all(episode.success for episode in careful)


def test_logs_are_made_once_one_a_player(tmp_path: Path) -> None:
    games = SPEC.games(count=2, seed=32)
    paths = make(tmp_path, games, shipped_rules("alfworld"))
    before = [path.read_bytes() for path in paths]
    assert [path.name for path in make(tmp_path, games, shipped_rules("alfworld"))] == [p.name for p in paths]
    assert before == [path.read_bytes() for path in paths]
    episodes = read(paths, games[:1])
    assert [episode.policy for episode in episodes] == ["random", "curious", "mpc", "slips"]
    assert {episode.id for episode in episodes} == {games[0].id}


@pytest.mark.slow
def test_the_logs_do_not_depend_on_the_process(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from benchmarks.mixed import SPEC, make, shipped_rules\n"
        "for path in make(Path(sys.argv[1]), SPEC.games(count=2, seed=33), shipped_rules('alfworld')):\n"
        "    sys.stdout.buffer.write(path.read_bytes())"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / seed)],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert found[0] == found[1] != b""
