"""``worldmodel collect``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.worldmodel.cli.conftest import Run
from worldmodel import collecting, read_episodes

RANDOM = ("--policy", "random", "--steps", 10)


def test_logs_what_it_says(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "new folder" / "logs.jsonl"
    result = run("collect", "--count", 3, *RANDOM, "-o", log, "--json")
    said = json.loads(result.stdout)
    episodes = list(read_episodes(log))
    assert said["episodes"] == len(episodes) == 3
    assert said["steps"] == sum(len(e.steps) for e in episodes) == 30
    assert said["refused"] == sum(s.observation == "Nothing happens." for e in episodes for s in e.steps)
    assert {(e.policy, e.seed, e.environment) for e in episodes} == {("random", 0, "alfworld")}
    assert not said["interrupted"]


def test_goes_on_where_it_stopped(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    run("collect", "--count", 5, *RANDOM, "-o", whole)
    played = []
    play = collecting._play

    def interrupted(*args: object) -> object:
        if len(played) == 2:
            raise KeyboardInterrupt
        played.append(args)
        return play(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(collecting, "_play", interrupted)
    result = run("collect", "--count", 5, *RANDOM, "-o", parts)
    assert result.exit_code == 130
    assert "3 games to go; the same command goes on" in result.stderr
    monkeypatch.setattr(collecting, "_play", play)
    said = json.loads(run("collect", "--count", 5, *RANDOM, "-o", parts, "--json").stdout)
    assert (said["episodes"], said["had_before"]) == (3, 2)
    assert parts.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--environment", "moon"], "unknown environment 'moon'; expected alfworld"),
        (["--policy", "brave"], "unknown exploration policy 'brave'"),
        (["--games", "nowhere"], "nowhere: no such file or folder of games"),
    ],
)
def test_bad_input_is_one_line(more: list[str], complaint: str, run: Run, tmp_path: Path) -> None:
    result = run("collect", "-o", tmp_path / "x.jsonl", *more)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert result.stderr.startswith("error: ") and result.stderr.count("\n") == 1


def test_no_games_is_wrong_usage(run: Run, tmp_path: Path) -> None:
    assert run("collect", "--count", 0, "-o", tmp_path / "x.jsonl").exit_code == 2


def test_a_folder_is_no_log(run: Run, tmp_path: Path) -> None:
    result = run("collect", "-o", tmp_path)
    assert (result.exit_code, result.stderr) == (
        2,
        f"error: {tmp_path}: is a folder; expected the name of a file to write\n",
    )


def test_a_damaged_game_is_named_before_anything_is_played(run: Run, tmp_path: Path) -> None:
    games, log = tmp_path / "games.jsonl", tmp_path / "x.jsonl"
    run("games", "--count", 3, "-o", games)
    lines = games.read_text().splitlines()
    broken = json.loads(lines[1]) | {"pddl_problem": "(define"}
    games.write_text("\n".join([lines[0], json.dumps(broken), lines[2]]))
    result = run("collect", "--games", games, "-o", log)
    assert result.exit_code == 2
    assert f"{games}:2" in result.stderr
    assert not log.exists()
