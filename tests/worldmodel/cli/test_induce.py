"""``worldmodel induce``: formats, streaming, and logs that are no logs."""

from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path

import pytest

from rules.language import render
from tests.worldmodel.cli.conftest import Run
from worldmodel import environment, learn, load, read_episodes

TRAJ = """You are in the middle of a room. Looking quickly around you, you see a desk 1, and a drawer 1.

Your task is to: put a pen in drawer.
> think: the pen may be on the desk
OK.
> go to desk 1
On the desk 1, you see a pen 1.
> take pen 1 from desk 1
You pick up the pen 1 from the desk 1.
"""


def test_learns_what_the_library_learns(run: Run, logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "new folder" / "x.rules"
    said = json.loads(run("induce", logs, "-o", out, "--json").stdout)
    perception = environment("alfworld").perception(None)
    episodes = list(read_episodes(logs))
    model = learn(episodes, perception)
    loaded = load(out, perception)
    assert render(loaded.ruleset) == render(model.ruleset)
    assert loaded.knowledge.tables() == model.knowledge.tables()
    assert said["episodes"] == 50
    assert said["transitions"] == sum(len(e.steps) for e in episodes)  # a random policy stays in the grammar
    assert said["rules"] == {name: len(a.rules) for name, a in model.ruleset.actions.items()}
    assert sum(said["rules"].values()) > 10


def test_the_table_says_the_same(run: Run, logs: Path, tmp_path: Path) -> None:
    result = run("induce", logs, "--limit", 3, "-o", tmp_path / "x.rules")
    assert result.exit_code == 0
    assert "episodes" in result.stdout and " 3 " in result.stdout


def test_several_logs_are_one(run: Run, logs: Path, tmp_path: Path) -> None:
    lines = gzip.decompress(logs.read_bytes()).splitlines(keepends=True)
    (tmp_path / "a.jsonl").write_bytes(b"".join(lines[:20]))
    (tmp_path / "b.jsonl").write_bytes(b"".join(lines[20:]))
    run("induce", logs, "-o", tmp_path / "whole.rules")
    run("induce", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "-o", tmp_path / "parts.rules")
    assert (tmp_path / "whole.rules").read_bytes() == (tmp_path / "parts.rules").read_bytes()


@pytest.fixture
def broken(logs: Path, tmp_path: Path) -> Path:
    """Ten sound lines, one that is no JSON, one of another environment, one without a task."""
    lines = gzip.decompress(logs.read_bytes()).splitlines()[:10]
    other = json.loads(lines[0]) | {"environment": "moon"}
    aimless = json.loads(lines[0]) | {"observation": "You are on the moon."}
    path = tmp_path / "broken.jsonl"
    path.write_bytes(
        b"\n".join([*lines, b"\x00 no json", json.dumps(other).encode(), json.dumps(aimless).encode()])
    )
    return path


def test_broken_lines_are_skipped_and_reported(run: Run, broken: Path, tmp_path: Path) -> None:
    result = run("induce", broken, "-o", tmp_path / "x.rules", "--json")
    assert result.exit_code == 0
    said = json.loads(result.stdout)
    assert (said["episodes"], said["broken_lines"]) == (10, 3)
    assert result.stderr.count("warning: ") == 3
    assert f"{broken}:11: " in result.stderr
    assert "of environment 'moon', expected 'alfworld'" in result.stderr


def test_broken_lines_may_be_fatal(run: Run, broken: Path, tmp_path: Path) -> None:
    result = run("induce", broken, "--on-error", "raise", "-o", tmp_path / "x.rules")
    assert result.exit_code == 2
    assert f"error: {broken}:11: " in result.stderr
    assert not (tmp_path / "x.rules").exists()


@pytest.mark.parametrize("text", ["", "\n\n", "no log at all\n", '{"id": 3}\n'])
def test_nothing_to_learn_from_is_an_error(text: str, run: Run, tmp_path: Path) -> None:
    log, out = tmp_path / "empty.jsonl", tmp_path / "x.rules"
    log.write_text(text)
    result = run("induce", log, "-o", out)
    assert result.exit_code == 2
    assert f"error: {log}: no episodes in it" in result.stderr
    assert not out.exists()


def test_files_that_are_none(run: Run, logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.rules"
    for log, complaint in ((tmp_path / "gone.jsonl", "no such file"), (tmp_path, "is a folder")):
        result = run("induce", logs, log, "-o", out)
        assert result.exit_code == 2
        assert f"error: {log}: {complaint}" in result.stderr
    assert not out.exists()


def test_places_that_cannot_be_written(run: Run, logs: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    before = logs.read_bytes()
    for out, complaint in (
        (tmp_path, "is a folder"),
        (file / "x.rules", "cannot be written"),
        (logs, "is read by this command too"),
    ):
        result = run("induce", logs, "-o", out)
        assert result.exit_code == 2
        assert f"error: {out}: {complaint}" in result.stderr
    assert logs.read_bytes() == before


@pytest.mark.parametrize("name", ["log.jsonl", "log.jsonl.gz", "log.jsonl.xz"])
def test_react_logs_are_recognised(name: str, run: Run, tmp_path: Path) -> None:
    path, out = tmp_path / name, tmp_path / "x.rules"
    line = json.dumps({"name": "a", "result": False, "traj": TRAJ}).encode() + b"\n"
    pack = {".gz": gzip.compress, ".xz": lzma.compress}.get(path.suffix, bytes)
    path.write_bytes(pack(line * 3 + b"no line\n"))
    result = run("induce", path, "-o", out, "--json")
    said = json.loads(result.stdout)
    assert (said["episodes"], said["transitions"], said["broken_lines"]) == (3, 6, 1)
    assert run("induce", path, "--on-error", "raise", "-o", out).exit_code == 2


def test_a_format_that_is_named_is_believed(run: Run, logs: Path, tmp_path: Path) -> None:
    result = run("induce", logs, "--format", "react", "-o", tmp_path / "x.rules")
    assert result.exit_code == 2
    assert "no episodes in it" in result.stderr


def test_interrupted_nothing_is_written(
    run: Run, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: object, *_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rules.induction.Statistics.update", interrupted)
    result = run("induce", logs, "-o", tmp_path / "x.rules")
    assert (result.exit_code, result.stderr) == (130, "interrupted\n")
    assert list(tmp_path.iterdir()) == []
