"""``worldmodel plan``: what it reports, resuming, interruption, worker processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from planners import PlanConfig
from tests.worldmodel.cli.conftest import Run, words
from tests.worldmodel.cli.deadly import Deadly
from worldmodel import Episode, WorldModelError, environment, read_episodes
from worldmodel.cli.episodes import Job, Setup, play_all
from worldmodel.environments.alfworld.generator import TASK_TYPES

SHORT = ("--max-steps", 12, "--samples", 4)


def untimed(episodes: list[Episode]) -> list[Episode]:
    """The episodes without how long each decision took."""
    return [
        msgspec.structs.replace(e, metadata={k: v for k, v in e.metadata.items() if k != "decision_ms"})
        for e in episodes
    ]


def test_reports_what_it_logged(run: Run, rules: Path, tmp_path: Path) -> None:
    log = tmp_path / "e.jsonl"
    said = json.loads(run("plan", "--rules", rules, *SHORT, "-o", log, "--json").stdout)
    episodes = list(read_episodes(log))
    assert said["games"] == len(episodes) == 12
    assert said["won"] == sum(bool(e.success) for e in episodes) > 0
    assert said["steps"] == sum(len(e.steps) for e in episodes) / 12
    played = {kind: row["games"] for kind, row in said["by_task_type"].items()}
    assert played == dict.fromkeys(TASK_TYPES, 2)
    decisions = [float(ms) for e in episodes for ms in e.metadata["decision_ms"].split()]
    assert len(decisions) == sum(len(e.steps) for e in episodes)
    assert said["ms_per_decision"]["mean"] == pytest.approx(sum(decisions) / len(decisions))
    assert sum(ms <= said["ms_per_decision"]["p95"] for ms in decisions) >= 0.95 * len(decisions)
    assert (said["seed"], said["rules"], said["interrupted"]) == (0, str(rules), False)


def test_the_table_names_what_matters(run: Run, rules: Path) -> None:
    shown = run("plan", "--rules", rules, "--count", 2, *SHORT, "--seed", 4).stdout
    for part in (
        "of 2 games won at the first attempt",
        "ms a decision",
        "Seed 4",
        "engine fast",
        f"rules {rules}",
    ):
        assert part in words(shown)


def test_watching_shows_each_step(run: Run, rules: Path, tmp_path: Path) -> None:
    log = tmp_path / "e.jsonl"
    shown = run("plan", "--rules", rules, "--count", 1, *SHORT, "--watch", "-o", log).stdout
    (episode,) = read_episodes(log)
    assert episode.id in shown
    for number, step in enumerate(episode.steps, 1):
        assert f"{number:3} > {step.action}" in shown
    assert shown.count("expected") == shown.count("observed") == len(episode.steps)


def test_workers_play_the_same_episodes_in_the_same_order(run: Run, rules: Path, tmp_path: Path) -> None:
    alone, together = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    for path, workers in ((alone, 1), (together, 3)):
        result = run("plan", "--rules", rules, "--count", 6, *SHORT, "--workers", workers, "-o", path)
        assert result.exit_code == 0, result.output
    assert untimed(list(read_episodes(alone))) == untimed(list(read_episodes(together)))


def test_goes_on_after_what_was_logged(run: Run, rules: Path, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    run("plan", "--rules", rules, "--count", 5, *SHORT, "-o", whole)
    lines = whole.read_bytes().splitlines(keepends=True)
    parts.write_bytes(b"".join(lines[:2]) + lines[2][:50])  # the third was cut off
    result = run("plan", "--rules", rules, "--count", 5, *SHORT, "-o", parts, "--json")
    said = json.loads(result.stdout)
    assert "cut off in mid-episode" in result.stderr
    assert (said["games"], said["had_before"]) == (5, 2)
    assert untimed(list(read_episodes(parts))) == untimed(list(read_episodes(whole)))


def test_two_runs_are_not_mixed(run: Run, rules: Path, logs: Path, tmp_path: Path) -> None:
    log = tmp_path / "e.jsonl"
    run("plan", "--rules", rules, "--count", 1, *SHORT, "-o", log)
    before = log.read_bytes()
    result = run("plan", "--rules", rules, "--count", 2, *SHORT, "--seed", 1, "-o", log)
    assert result.exit_code == 2
    assert "holds episodes of another run" in result.stderr and "seed 0" in result.stderr
    assert log.read_bytes() == before
    assert run("plan", "--rules", rules, *SHORT, "-o", logs).exit_code == 2


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["--count", "0"], "--count"),
        (["--search", "guess"], "unknown search 'guess': expected one of a-star, beam, best-first"),
        (["--sampler", "guess"], "unknown sampler 'guess': expected one of counts"),
        (["--engine", "steam"], "unknown ALFWorld engine 'steam'"),
        (["--environment", "moon"], "unknown environment 'moon'"),
        (["nowhere"], "nowhere: no such file or folder of games"),
        (["--watch", "--workers", "2"], "shows one episode at a time"),
        (["-o", "/dev/null/x.jsonl"], "/dev/null/x.jsonl: cannot be written"),
    ],
)
def test_bad_input(args: list[str], complaint: str, run: Run, rules: Path) -> None:
    result = run("plan", "--rules", rules, *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert complaint in words(result.stderr)


def test_a_log_has_a_name_that_can_be_read_back(run: Run, rules: Path, tmp_path: Path) -> None:
    result = run("plan", "--rules", rules, "-o", tmp_path / "e.xz")
    assert result.exit_code == 2
    assert "expected one that ends in .jsonl or .jsonl.gz" in result.stderr


@pytest.mark.parametrize("workers", [1, 2])
def test_a_game_without_a_goal_is_named_and_nothing_is_lost(
    workers: int, run: Run, rules: Path, tmp_path: Path
) -> None:
    games, log = tmp_path / "games.jsonl", tmp_path / "e.jsonl"
    run("games", "--count", 3, "--task", "pick_and_place_simple", "-o", games)
    lines = games.read_text().splitlines()
    last = json.loads(lines[-1]) | {"task": "fly to the moon."}
    games.write_text("\n".join([*lines[:-1], json.dumps(last)]))
    result = run("plan", games, "--rules", rules, *SHORT, "--workers", workers, "-o", log)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: game '{last['id']}': ") and result.stderr.count("\n") == 1
    kept = {episode.id for episode in read_episodes(log)}
    assert kept <= {json.loads(line)["id"] for line in lines[:-1]}
    assert workers > 1 or len(kept) == sorted(json.loads(line)["id"] for line in lines).index(last["id"])


def test_rules_that_do_not_parse_are_shown_with_workers_too(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "x.rules"
    file.write_text("domain household\npredicate at(moon)\n")
    result = run("plan", "--rules", file, "--workers", 2, "--count", 2)
    assert result.exit_code == 2
    assert f"error: {file}:2:14: " in result.stderr


def interrupt(rules: Path, log: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Starts a long run, and presses Ctrl-C once something is in its log."""
    line = [sys.executable, "-m", "worldmodel", "plan", "--rules", str(rules), "--count", "300"]
    line += [*map(str, SHORT), "-o", str(log), *more]
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        deadline = time.monotonic() + 60
        while not (log.exists() and log.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of the job's processes
        out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(line, process.returncode, out, err)


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX's")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_interrupted_in_the_middle(workers: str, run: Run, rules: Path, tmp_path: Path) -> None:
    log = tmp_path / "e.jsonl"
    done = interrupt(rules, log, "--workers", workers, "--json")
    assert done.returncode == 130, done.stderr
    said = json.loads(done.stdout)
    kept = list(read_episodes(log))
    assert said["interrupted"] is True
    assert 0 < said["games"] <= len(kept) < 300
    assert done.stderr.count("\n") == 1
    assert f"the same command goes on from {log}" in done.stderr
    count = len(kept) + 1
    more = json.loads(run("plan", "--rules", rules, "--count", count, *SHORT, "-o", log, "--json").stdout)
    assert (more["games"], more["had_before"]) == (count, len(kept))


def test_interrupted_without_a_log(run: Run, rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("worldmodel.cli.episodes.Player.play", interrupted)
    result = run("plan", "--rules", rules, "--count", 3)
    assert result.exit_code == 130
    assert result.stderr == "interrupted with 3 games to go; with -o FILE they could be resumed\n"
    assert "0 of 0 games" in result.stdout


@pytest.fixture
def setup(rules: Path) -> Setup:
    return Setup("alfworld", rules, "fast", 5, PlanConfig(samples=2), "a test")


def jobs(notes: Path, deaths: int) -> list[Job]:
    """Four games; the process that is given the second dies of it so many times."""
    notes.mkdir()
    games = [Job(g.id, g.task_type, g.load()) for g in environment("alfworld").games(count=4, seed=2)]
    games[1] = games[1]._replace(game=Deadly(games[1].game, notes, deaths))
    return games


def test_an_episode_whose_process_died_is_played_again(setup: Setup, tmp_path: Path) -> None:
    games = jobs(tmp_path / "notes", deaths=1)
    sound = [job._replace(game=getattr(job.game, "game", job.game)) for job in games]
    played = list(play_all(setup, games, workers=2))
    assert len(list((tmp_path / "notes").iterdir())) == 1
    assert untimed(played) == untimed(list(play_all(setup, sound)))


def test_a_game_that_kills_twice_is_named(setup: Setup, tmp_path: Path) -> None:
    games = jobs(tmp_path / "notes", deaths=9)
    with pytest.raises(WorldModelError, match=f"game '{games[1].id}': the process .* died twice"):
        list(play_all(setup, games, workers=2))
    assert len(list((tmp_path / "notes").iterdir())) == 2
