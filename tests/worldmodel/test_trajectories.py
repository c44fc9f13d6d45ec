from __future__ import annotations

import gzip
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.errors import WorldModelError
from worldmodel import trajectories
from worldmodel.trajectories import (
    Episode,
    EpisodeWriter,
    Step,
    TrajectoryError,
    read_episodes,
    written_ids,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
STEPS = st.builds(
    Step, action=TEXT, observation=TEXT, reward=st.floats(allow_nan=False, allow_infinity=False)
)
EPISODES = st.builds(
    Episode,
    id=TEXT,
    environment=TEXT,
    observation=TEXT,
    steps=st.lists(STEPS, max_size=4).map(tuple),
    success=st.sampled_from([None, True, False]),
    policy=TEXT,
    seed=st.none() | st.integers(),
    metadata=st.dictionaries(TEXT, TEXT, max_size=3),
)
SUFFIXES = pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz"])


def episode(name: str) -> Episode:
    return Episode(name, "blocks", "You see a blöck.", (Step("lift block", "You lift it.", 1.0),), True)


A, B, C = episode("a"), episode("b"), episode("c")


def write(path: Path, *episodes: Episode, append: bool = False) -> Path:
    with EpisodeWriter(path, append=append) as writer:
        for each in episodes:
            writer.write(each)
    return path


def read_all(path: Path) -> tuple[list[Episode], list[TrajectoryError]]:
    errors: list[TrajectoryError] = []
    return list(read_episodes(path, "skip", errors.append)), errors


@given(st.lists(EPISODES, max_size=5), st.sampled_from([".jsonl", ".jsonl.gz"]))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, log: list[Episode], suffix: str
) -> None:
    path = write(tmp_path_factory.mktemp("log") / f"log{suffix}", *log)
    assert list(read_episodes(path)) == log
    assert written_ids(path) == {each.id for each in log}


@given(EPISODES, st.data())
def test_any_beginning_of_a_line_is_recognised_as_torn(log: Episode, data: st.DataObject) -> None:
    line = trajectories._encode(log).strip()
    with pytest.raises(trajectories._NoEpisode) as caught:
        trajectories._decode(line[: data.draw(st.integers(1, len(line) - 1))])
    assert caught.value.torn


@SUFFIXES
def test_other_tools_read_it(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"log{suffix}", A, B)
    text = gzip.decompress(path.read_bytes()) if suffix.endswith("gz") else path.read_bytes()
    assert [json.loads(line)["id"] for line in text.splitlines()] == ["a", "b"]
    assert json.loads(text.splitlines()[0])["steps"] == [
        {"action": "lift block", "observation": "You lift it.", "reward": 1.0}
    ]


def test_one_big_gzip_member_crlf_blank_lines_and_no_last_line_end(tmp_path: Path) -> None:
    line = trajectories._encode(A).strip()
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(gzip.compress(line + b"\r\n\r\n  \n" + b"\n".join([line] * 2000)))
    assert list(read_episodes(path)) == [A] * 2001


@SUFFIXES
def test_an_empty_file_has_no_episodes(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"log{suffix}"
    path.touch()
    assert read_all(path) == ([], [])
    assert list(read_episodes(write(path, A))) == [A]


def test_several_files_are_read_in_order(tmp_path: Path) -> None:
    paths = [write(tmp_path / "2.jsonl", B), write(tmp_path / "1.jsonl.gz", A, C)]
    assert list(read_episodes(paths)) == [B, A, C]


def test_it_streams(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(trajectories._encode(A) * 500 + b"nonsense\n")
    reading = read_episodes(path)
    assert [next(reading) for _ in range(500)] == [A] * 500
    with pytest.raises(TrajectoryError):
        next(reading)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"nonsense", "found b'nonsense'"),
        (b'{"id": 5}', "expected 'str', got 'int' at id"),
        (b"[1]", "expected 'object', got 'array'"),
        (b'{"id": "a"}', "missing required field 'environment'"),
        (
            b'{"id":"a","environment":"b","observation":"c","steps":[{"action":"d","observation":null}]}',
            "expected 'str', got 'null' at steps[0].observation",
        ),
        (b'{"id":"a","environ', "cut off in mid-episode"),
        (b'{"id":"\xff"}', "UTF-8"),
        (b'{"id":"a","deep":' + b"[" * 100_000, "nested too deeply"),
        (b"\0\0\0\0", "expected one episode as a JSON object"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_is_read(tmp_path: Path, line: bytes, said: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(trajectories._encode(A) + line + b"\n" + trajectories._encode(B))
    episodes, [error] = read_all(path)
    assert episodes == [A, B]
    assert str(error).startswith(f"{path}:2: ") and said in str(error) and "\n" not in str(error)
    assert (error.source, error.line) == (str(path), 2)
    with pytest.raises(WorldModelError, match=r"log\.jsonl:2: "):
        list(read_episodes(path))


def test_skipping_is_never_silent(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"nonsense\n" + trajectories._encode(A))
    assert list(read_episodes(path, on_error="skip")) == [A]
    assert "log.jsonl:1" in caplog.text


@SUFFIXES
def test_a_huge_line_is_skipped_in_bounded_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.setattr(trajectories, "MAX_LINE", 200)
    path = tmp_path / f"log{suffix}"
    line = trajectories._encode(A)
    text = line + b'{"id":"' + b"x" * 300_000 + b'"}\n' + line + b"y" * 201
    path.write_bytes(gzip.compress(text) if suffix.endswith("gz") else text)
    episodes, errors = read_all(path)
    assert episodes == [A, A]
    assert [error.line for error in errors] == [2, 4]
    assert all("longer than 200 bytes" in str(error) for error in errors)


def test_a_line_at_the_bound_is_read_and_one_above_it_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trajectories, "MAX_LINE", len(trajectories._encode(A)) - 1)
    path = write(tmp_path / "log.jsonl", A)
    assert read_all(path) == ([A], [])
    with pytest.raises(TrajectoryError, match="'longer' was not written"):
        write(path, episode("longer"), append=True)


def test_a_decompression_bomb_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trajectories, "MAX_TEXT", 1 << 20)
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(gzip.compress(trajectories._encode(A)) + gzip.compress(b"\n" * (1 << 24)))
    episodes, [error] = read_all(path)
    assert episodes == [A]
    assert "unpacks to far more" in str(error)


def test_gzip_cut_anywhere_keeps_what_was_finished(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.jsonl.gz", A, B).read_bytes()
    first = len(write(tmp_path / "first.jsonl.gz", A).read_bytes())
    for size in range(1, len(whole)):
        path = tmp_path / "cut.jsonl.gz"
        path.write_bytes(whole[:size])
        episodes, errors = read_all(path)
        assert episodes == [A, B][: len(episodes)]
        assert len(episodes) >= (size >= first)
        assert bool(errors) == (size != first)
        assert all("ends early" in str(error) for error in errors)
        assert list(read_episodes(write(path, C, append=True))) == [*episodes, C]


def test_plain_text_cut_anywhere_keeps_what_was_finished(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.jsonl", A, B).read_bytes()
    first = len(trajectories._encode(A))
    for size in range(1, len(whole)):
        path = tmp_path / "cut.jsonl"
        path.write_bytes(whole[:size])
        episodes, errors = read_all(path)
        assert episodes == [A, B][: (size >= first - 1) + (size == len(whole) - 1)]
        assert bool(errors) == (size not in (first - 1, first, len(whole) - 1))
        assert list(read_episodes(write(path, C, append=True))) == [*episodes, C]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["cut.jsonl", "whole.jsonl"]


def test_one_torn_big_gzip_member_is_salvaged(tmp_path: Path) -> None:
    log = [episode(f"game {number}") for number in range(3000)]
    path = tmp_path / "log.jsonl.gz"
    whole = gzip.compress(b"".join(map(trajectories._encode, log)))
    path.write_bytes(whole[: len(whole) * 2 // 3])
    kept, [_] = read_all(path)
    assert kept == log[: len(kept)] and len(kept) > 1000
    assert list(read_episodes(write(path, C, append=True))) == [*kept, C]


def test_damage_in_the_middle_is_reported_and_not_appended_to(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl.gz", A)
    before = path.read_bytes() + b"garbage" + path.read_bytes()
    path.write_bytes(before)
    episodes, [error] = read_all(path)
    assert episodes == [A] and "damaged" in str(error)
    with pytest.raises(TrajectoryError, match="damaged"):
        EpisodeWriter(path, append=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", [b"my notes", b'{"name": "other data"}', b'{"id": 7, "b'])
def test_a_file_that_is_no_log_is_left_as_it_is(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(text)
    with pytest.raises(TrajectoryError, match="not appended to"):
        EpisodeWriter(path, append=True)
    assert path.read_bytes() == text


@SUFFIXES
def test_resuming(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "runs" / f"log{suffix}"
    assert written_ids(path) == set()
    write(path, A, append=True)
    write(path, B, append=True)
    assert written_ids(path) == {"a", "b"}
    assert list(read_episodes(path)) == [A, B]
    with pytest.raises(TrajectoryError, match="already holds something"):
        EpisodeWriter(path)
    assert list(read_episodes(path)) == [A, B]


@SUFFIXES
def test_a_killed_writer_loses_nothing_it_had_written(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"log{suffix}"
    code = (
        "import os, sys; from worldmodel.trajectories import *\n"
        "writer = EpisodeWriter(sys.argv[1])\n"
        "for name in 'abc': writer.write(Episode(name, 'blocks', ''))\n"
        "os._exit(9)"
    )
    root = Path(trajectories.__file__).parents[1]
    assert subprocess.run([sys.executable, "-c", code, str(path)], cwd=root).returncode == 9
    assert [each.id for each in read_episodes(path)] == ["a", "b", "c"]


def test_what_could_not_be_read_back_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    not_a_number = Episode("a", "b", "c", (Step("d", "e", math.nan),))
    with EpisodeWriter(path) as writer:
        for bad in [not_a_number, Episode("a", "b", "\ud800"), Episode(1, "b", "c")]:  # type: ignore[arg-type]
            with pytest.raises(TrajectoryError, match="was not written"):
                writer.write(bad)
        writer.write(A)
    assert list(read_episodes(path)) == [A]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in [tmp_path / "file" / "log.jsonl", tmp_path]:
        with pytest.raises(TrajectoryError, match="cannot be written"):
            EpisodeWriter(path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said() -> None:
    with pytest.raises(TrajectoryError, match="/dev/full: cannot be written: No space"):
        write(Path("/dev/full"), A)


def test_places_that_cannot_be_read(tmp_path: Path) -> None:
    for path in [tmp_path / "nowhere.jsonl", tmp_path]:
        with pytest.raises(TrajectoryError, match="cannot be read"):
            list(read_episodes(path, on_error="skip"))
