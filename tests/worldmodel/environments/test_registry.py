"""The registry: environments by name, their games, and commands in a game's own wording."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rules.errors import WorldModelError
from rules.logic import Action
from tests.worldmodel.environments.alfworld_room import document
from worldmodel.environments.alfworld.game import Game
from worldmodel.environments.alfworld.games import write_games
from worldmodel.environments.alfworld.generator import TASK_TYPES, generate
from worldmodel.environments.registry import KNOWN, environment

ALFWORLD = environment("alfworld")


@pytest.fixture(autouse=True)
def no_download(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ALFWORLD_DATA", raising=False)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    write_games(generate(8, 5), tmp_path / "train.jsonl")
    return tmp_path


def test_an_unknown_environment_is_answered_with_the_known_ones() -> None:
    with pytest.raises(WorldModelError, match=r"unknown environment 'nethack'; expected .*alfworld"):
        environment("nethack")


@pytest.mark.parametrize("name", KNOWN)
def test_each_environment_has_what_a_spec_promises(name: str) -> None:
    spec = environment(name)
    assert spec.name == name
    (reference,) = spec.games(count=1, seed=3)
    game = reference.load()
    env = spec.make(game, max_steps=2, admissible=False)
    opening, info = env.reset()
    assert "admissible_commands" not in info
    perception = spec.perception(game)
    assert perception.goal(opening).condition
    assert perception.domain.actions == spec.perception(None).domain.actions


def test_asking_for_an_environment_loads_nothing_heavy() -> None:
    code = (
        "import sys; from worldmodel.environments.registry import environment; environment('alfworld');"
        "heavy = {'torch', 'transformers', 'textworld', 'alfworld', 'matplotlib', 'z3', 'ray'};"
        "sys.exit(', '.join(heavy & {m.split('.')[0] for m in sys.modules}) or None)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_games_are_generated_where_nothing_is_given() -> None:
    games = ALFWORLD.games(count=3, seed=7)
    again = ALFWORLD.games(count=3, seed=7)
    assert [g.id for g in games] == [g.id for g in again]
    assert [g.load().problem for g in games] == [g.load().problem for g in again]
    assert {g.id for g in games}.isdisjoint({g.id for g in ALFWORLD.games(count=3, seed=8)})
    assert {g.task_type for g in ALFWORLD.games(count=len(TASK_TYPES), seed=1)} == set(TASK_TYPES)


def test_a_split_is_one_of_the_download_where_no_source_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path))
    with pytest.raises(WorldModelError, match="no ALFWorld games here"):
        ALFWORLD.games(split="train")
    write_games(generate(2, 6), tmp_path / "json_2.1.1" / "valid_seen")
    assert len(ALFWORLD.games(split="valid_seen")) == 2
    with pytest.raises(WorldModelError, match="no split 'nowhere'"):
        ALFWORLD.games(split="nowhere")


def test_a_count_draws_from_the_games_of_a_source_by_the_seed(source: Path) -> None:
    everything = [g.id for g in ALFWORLD.games(source, "train")]
    assert everything == sorted(d["id"] for d in generate(8, 5))
    some = [g.id for g in ALFWORLD.games(source, "train", count=4, seed=1)]
    assert len(set(some)) == 4 and set(some) < set(everything)
    assert some == [g.id for g in ALFWORLD.games(source, "train", count=4, seed=1)]
    draws = {tuple(g.id for g in ALFWORLD.games(source, "train", count=4, seed=seed)) for seed in range(5)}
    assert len(draws) > 1
    assert {g.id for g in ALFWORLD.games(source, "train", count=99)} == set(everything)
    with pytest.raises(WorldModelError, match="count should be at least 1, found 0"):
        ALFWORLD.games(source, "train", count=0)


def test_commands_are_worded_as_the_game_words_them() -> None:
    put = Action("put", ("pen 1", "desk 1"))
    grammar = '"rhs": "Your task is to: put a pen in desk." template :: "put {o} in/on {r}"'
    for extra, command in ({}, "move pen 1 to desk 1"), ({"grammar": grammar}, "put pen 1 in/on desk 1"):
        game = Game.from_document(document(**extra), "tiny")
        perception = ALFWORLD.perception(game)
        assert perception.command(put) == command
        env = ALFWORLD.make(game)
        env.reset()
        for step in "go to drawer 2", "open drawer 2", "take pen 1 from drawer 2":
            env.step(step)
        answer, reward, *_ = env.step(command)
        assert reward == 1.0 and not perception.perceive(put, answer).refused
