"""``worldmodel games``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.worldmodel.cli.conftest import Run, words
from worldmodel.environments.alfworld.games import find_games


@pytest.mark.parametrize("place", ["games.jsonl", "games.jsonl.xz", "folder"])
def test_writes_games_that_play(place: str, run: Run, tmp_path: Path) -> None:
    said = json.loads(run("games", "--count", 4, "--seed", 3, "-o", tmp_path / place, "--json").stdout)
    assert said["count"] == 4
    found = find_games(tmp_path / place)
    assert sorted(game["id"] for game in said["games"]) == sorted(g.id for g in found)
    assert {game["task"] for game in said["games"]} == {reference.load().task for reference in found}


def test_the_same_seed_gives_the_same_games(run: Run, tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        run("games", "--seed", 5, "-o", tmp_path / name)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    assert len(find_games(tmp_path / "a.jsonl.gz")) == 20


def test_room_and_task(run: Run, tmp_path: Path) -> None:
    kind = "pick_heat_then_place_in_recep"
    said = json.loads(run("games", "--count", 3, "--room", "kitchen", "--task", kind, "--json").stdout)
    assert [game["task_type"] for game in said["games"]] == [kind] * 3


def test_lists_a_source(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    run("games", "--count", 12, "-o", path)
    said = json.loads(run("games", "--source", tmp_path, "--split", "train", "--json").stdout)
    assert said["count"] == 12
    kind = said["games"][0]["task_type"]
    some = json.loads(run("games", "--source", path, "--task", kind, "--json").stdout)
    assert {game["task_type"] for game in some["games"]} == {kind}
    listed = run("games", "--source", path, "--count", 2)
    assert listed.stdout.count(" look_at_obj_in_light ") + listed.stdout.count(" pick_") == 2


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["--room", "cellar"], "no room 'cellar': expected one of kitchen"),
        (["--task", "fly"], "no task type 'fly'"),
        (["--source", "nowhere"], "nowhere: no such file or folder of games"),
        (["--source", ".", "--room", "kitchen"], "only for new games"),
        (["--count", "0"], "--count"),
        (["-o", "/dev/null/x"], "cannot be written"),
    ],
)
def test_bad_input(args: list[str], complaint: str, run: Run) -> None:
    result = run("games", *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert complaint in words(result.stderr)
