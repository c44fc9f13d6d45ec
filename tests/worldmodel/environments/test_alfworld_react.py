"""ReAct logs as episodes: thoughts told from actions, bad lines named, real logs counted."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from rules.errors import WorldModelError
from worldmodel.environments.alfworld.react import MAX_LINE, ReadReport, read_react
from worldmodel.trajectories import Episode, Step

LOGS = Path(__file__).resolve().parents[4] / "shared" / "data" / "knowagent_alfworld"
OPENING = (
    "You are in the middle of a room. Looking quickly around you, you see a desk 1.\nYour task is to: x."
)
TRAJ = f"""{OPENING}
> Think: Where is it?
> ActionPath: Start
> go to desk 1
On the desk 1, you see nothing.
> think: The loop answers this one.
OK.
> Think
Nothing happens.
> think: This one reached the environment.
Nothing happens.
> help

Available commands:
  look: look around
> go to desk 2
"""
STEPS = (
    Step("go to desk 1", "On the desk 1, you see nothing."),
    Step("Think", "Nothing happens."),
    Step("think: This one reached the environment.", "Nothing happens."),
    Step("help", "Available commands:\n  look: look around", 1.0),
)


def line(traj: str = TRAJ, name: str = "game", result: object = True) -> str:
    return json.dumps({"name": name, "result": result, "traj": traj})


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [("", bytes), (".gz", gzip.compress), (".xz", lzma.compress)],
    ids=["plain", "gz", "xz"],
)
def test_a_log_becomes_episodes(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / f"log.jsonl{suffix}"
    path.write_bytes(pack(f"{line()}\n\n{line(name='other', result=0)}".encode()))
    report = ReadReport()
    won, lost = read_react(path, "llama", report)
    assert won == Episode("game", "alfworld", OPENING, STEPS, success=True, policy="llama")
    assert (lost.id, lost.success, [s.reward for s in lost.steps]) == ("other", False, [0.0] * 4)
    assert report == ReadReport(episodes=2, actions=8, thoughts=8, stray=0)


def test_a_thought_that_runs_on_is_no_action(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(line(f"{OPENING}\n> Think: first\nsecond\nthird\n> look\nYou see.\n"))
    report = ReadReport()
    (episode,) = read_react(path, report=report)
    assert episode.steps == (Step("look", "You see.", 1.0),)
    assert (report.thoughts, report.stray) == (1, 2)


BAD = [
    ("{", "truncated"),
    ("[]", "Expected `object`"),
    (json.dumps({"name": "a", "result": True}), "missing required field `traj`"),
    (line(result="won"), "result"),
    (line(traj="> look\nYou see."), "no 'Your task is to:' before the first '>'"),
    ('"' + " " * MAX_LINE + '"', f"a line of {MAX_LINE} bytes or more"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[message[:12] for _, message in BAD])
def test_bad_lines_are_named_and_skipped_or_raised(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{line()}\n{text}\n{line(name='last')}\n")
    report = ReadReport()
    assert [episode.id for episode in read_react(path, report=report)] == ["game", "last"]
    (reported,) = report.bad
    assert reported.startswith(f"{path}:2: ") and message in reported and "expected {" in reported
    with pytest.raises(WorldModelError, match=r"log\.jsonl:2: .*pass a report"):
        list(read_react(path))


@pytest.mark.parametrize("name", ["absent.jsonl", "broken.jsonl.gz", "cut.jsonl.xz", "cut.jsonl.gz"])
def test_an_unreadable_file_is_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "broken.jsonl.gz").write_text("not gzip")
    (tmp_path / "cut.jsonl.xz").write_bytes(lzma.compress(line().encode() * 9)[:-20])
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(line().encode() * 9)[:-20])
    with pytest.raises(WorldModelError, match=rf"{name}: .*; expected JSON lines"):
        list(read_react(tmp_path / name, report=ReadReport()))


@pytest.mark.skipif(not LOGS.is_dir(), reason="needs the KnowAgent logs beside the project (../shared)")
@pytest.mark.parametrize(
    ("name", "episodes", "won", "actions", "refused"),
    [
        ("ALFWorld_processed_knowagent", 218, 218, 2352, 329),
        ("KnowAgentALFWorld_llama-2-13b_D0", 510, 134, 9000, 2691),
        ("KnowAgentALFWorld_llama-2-13b_D1", 510, 182, 8950, 2848),
    ],
)
def test_real_logs_leave_no_line_over(name: str, episodes: int, won: int, actions: int, refused: int) -> None:
    """Counted apart from the reader: every line is opening, blank, thought, action or its one answer."""
    report = ReadReport()
    read = list(read_react(LOGS / f"{name}.jsonl.xz", report=report))
    answers = [step.observation for episode in read for step in episode.steps]
    assert (report.episodes, report.actions, report.stray, report.bad) == (episodes, actions, 0, [])
    assert (sum(e.success is True for e in read), answers.count("Nothing happens.")) == (won, refused)
    with lzma.open(LOGS / f"{name}.jsonl.xz", "rt") as lines:
        texts = [t for text in lines for t in json.loads(text)["traj"].splitlines() if t]
    assert len(texts) == 2 * episodes + report.thoughts + 2 * actions
