"""``worldmodel plan --learn`` and ``--ray``: the same by seed, resumed or not; what is learned is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planners import PlanConfig
from tests.worldmodel.cli.conftest import Run, words
from tests.worldmodel.cli.test_plan import jobs, untimed
from worldmodel import environment, load, read_episodes
from worldmodel.cli.episodes import Setup, play_all
from worldmodel.knowledge import TABLES

SHORT = ("--max-steps", 25, "--samples", 4)
NOTHING = ("--learn", "--rules", "none", "--count", 4, *SHORT)


def test_from_nothing_it_learns_says_what_it_explored_and_keeps_it(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "deep" / "e.jsonl.gz"
    result = run("plan", *NOTHING, "-o", log, "--json")
    assert result.exit_code == 0, result.output
    said, episodes = json.loads(result.stdout), list(read_episodes(log))
    assert said["rules"] == "none" and said["games"] == 4
    assert said["explored_steps"] == sum(int(e.metadata["explored"]) for e in episodes) > 0
    assert said["mispredicted_steps"] > 0 and said["revisions"] >= 1
    assert int(episodes[0].metadata["explored"]) == len(episodes[0].steps)  # nothing to plan with
    learned = load(tmp_path / "deep" / "e.rules", environment("alfworld").perception(None))
    assert learned.ruleset.actions["go_to"].rules
    assert learned.knowledge.found


def test_the_text_says_who_was_told_what(run: Run) -> None:
    shown = words(run("plan", *NOTHING, "--count", 1).stdout)
    assert "there was no plan to trust, and an explorer acted, who is told the admissible commands" in shown
    assert "steps came out otherwise than expected" in shown


def test_interrupted_and_resumed_it_plays_and_learns_the_same(run: Run, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    run("plan", *NOTHING, "-o", whole)
    lines = whole.read_bytes().splitlines(keepends=True)
    parts.write_bytes(b"".join(lines[:2]))
    result = run("plan", *NOTHING, "-o", parts, "--json")
    assert json.loads(result.stdout)["had_before"] == 2
    assert untimed(list(read_episodes(parts))) == untimed(list(read_episodes(whole)))
    for end in (".rules", ".knowledge.json.gz", ".stats.gz"):
        assert whole.with_name(f"whole{end}").read_bytes() == parts.with_name(f"parts{end}").read_bytes()


def test_goes_on_from_the_rules_that_ship_and_from_what_was_learned(run: Run, tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    assert run("plan", "--learn", "--count", 1, *SHORT, "-o", first).exit_code == 0
    spec = environment("alfworld")
    assert spec.rules is not None
    mine, shipped = (load(p, spec.perception(None)) for p in (tmp_path / "a.rules", spec.rules))
    assert all(
        sum(getattr(mine.knowledge, name).values()) >= sum(getattr(shipped.knowledge, name).values())
        for name in TABLES
    )
    result = run("plan", "--learn", "--rules", tmp_path / "a.rules", "--count", 1, *SHORT, "-o", second)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["--rules", "none"], "none: no such file"),
        (["--learn", "--workers", "2"], "each game builds on those before"),
        (["--ray", "--workers", "2"], "Ray knows the number of cores"),
        (["--watch", "--ray"], "leave out --workers and --ray"),
    ],
)
def test_bad_input(args: list[str], complaint: str, run: Run) -> None:
    result = run("plan", *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert complaint in words(result.stderr)


def test_rules_without_statistics_are_no_start(run: Run, rules: Path) -> None:
    result = run("plan", "--learn", "--rules", rules, "--count", 1)
    assert result.exit_code == 2
    assert "learning goes on from the statistics behind the rules" in result.stderr


def test_what_is_learned_never_overwrites_what_it_started_from(run: Run, tmp_path: Path) -> None:
    run("plan", *NOTHING, "--count", 1, "-o", tmp_path / "e.jsonl")
    again = ("--learn", "--rules", tmp_path / "e.rules", "--count", 1, *SHORT)
    result = run("plan", *again, "-o", tmp_path / "e.jsonl.gz")
    assert result.exit_code == 2 and "is read by this command too" in result.stderr


@pytest.mark.slow
def test_through_ray_the_same_episodes_and_one_that_died_is_played_again(rules: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="ray is missing: the ray extra")
    from worldmodel.cluster import Cluster

    setup = Setup("alfworld", rules, "fast", 5, PlanConfig(samples=2), "a test")
    games = jobs(tmp_path / "notes", deaths=1)
    sound = [job._replace(game=getattr(job.game, "game", job.game)) for job in games]
    cluster = Cluster()
    try:
        played = list(play_all(setup, games, cluster=cluster))
    finally:
        cluster.close()
    assert len(list((tmp_path / "notes").iterdir())) == 1
    assert untimed(played) == untimed(list(play_all(setup, sound)))
