"""Counting kept on disk: interrupted anywhere, killed, or given more logs, it comes to the same result."""

from __future__ import annotations

import gzip
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules.counts import Tables
from rules.errors import WorldModelError
from rules.language import render
from tests.worldmodel.blocks_text import BlocksEnv, BlocksPerception, play
from tests.worldmodel.cli.conftest import invoke
from tests.worldmodel.test_parallel import group, until
from worldmodel import learn, read_episodes
from worldmodel.checkpoints import Checkpoints
from worldmodel.learning import here
from worldmodel.trajectories import Episode, EpisodeWriter

ROOT = Path(__file__).resolve().parents[2]
TABLE = BlocksPerception()
TABLES = [play(BlocksEnv(twins=("east", "north") if seed % 3 else ()), seed, 12) for seed in range(160)]


class Interrupted(Exception):
    pass


class Files:
    """Log files, one after the other."""

    def __init__(self, *paths: Path) -> None:
        self.paths, self.current = list(paths), 0

    def __iter__(self) -> Iterator[Episode]:
        for number, path in enumerate(self.paths):
            self.current = number
            yield from read_episodes(path)


def written(path: Path, episodes: Sequence[Episode]) -> Path:
    with EpisodeWriter(path, append=True) as writer:
        for episode in episodes:
            writer.write(episode)
    return path


class Watch:
    """Counts here, notes how many episodes are counted, and is interrupted before a chunk."""

    def __init__(self, chunks: int = 1 << 30) -> None:
        self.left, self.episodes = chunks, 0

    def __call__(self, begin: Any, chunks: Iterable[Sequence[Any]]) -> Iterator[Tables]:
        for chunk in chunks:
            if not self.left:
                raise Interrupted
            self.left -= 1
            self.episodes += len(chunk)
            yield from here(begin, [chunk])


def learned(statistics: Path, *logs: Path, watch: Watch | None = None) -> tuple[str, Any]:
    files = Files(*logs)
    kept = Checkpoints(statistics, files)
    model = learn(files, TABLE, watch or here, kept)
    kept.done()
    return render(model.ruleset), model.knowledge.tables()


def expected(*logs: Path) -> tuple[str, Any]:
    model = learn(Files(*logs), TABLE)
    return render(model.ruleset), model.knowledge.tables()


@cache
def expected_of_all() -> tuple[str, Any]:
    """What the three logs teach when nothing goes wrong."""
    model = learn(TABLES, TABLE)
    return render(model.ruleset), model.knowledge.tables()


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    return [
        written(tmp_path / "a.jsonl.gz", TABLES[:70]),
        written(tmp_path / "b.jsonl", TABLES[70:75]),
        written(tmp_path / "c.jsonl.gz", TABLES[75:]),
    ]


@pytest.fixture(autouse=True)
def saves_after_every_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldmodel.checkpoints.PATIENCE", 0)


@pytest.mark.parametrize("stops", [[0, 1], [3, 0, 3], [5, 1], [9]])
def test_interrupted_it_goes_on_where_it_stopped(stops: list[int], logs: list[Path], tmp_path: Path) -> None:
    """Five chunks in each of the two passes; every one is counted once, however often it is interrupted."""
    counted = 0
    for chunks in stops:
        watch = Watch(chunks)
        with pytest.raises(Interrupted):
            learned(tmp_path / "s", *logs, watch=watch)
        counted += watch.episodes
    last = Watch()
    assert learned(tmp_path / "s", *logs, watch=last) == expected_of_all()
    assert counted + last.episodes == 2 * len(TABLES)
    learned(tmp_path / "t", *logs)
    assert (tmp_path / "s").read_bytes() == (tmp_path / "t").read_bytes()
    assert {p.name for p in tmp_path.iterdir()} == {"s", "t", *(log.name for log in logs)}


@settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1 << 30))
def test_more_logs_in_any_order_add_what_is_new(seed: int, tmp_path: Path) -> None:
    """Runs over a growing set of logs, named in another order each time, some of which grow themselves."""
    folder = tmp_path / str(seed)
    folder.mkdir(exist_ok=True)
    chance = random.Random(seed)
    sizes, counted = [0, 0, 0], 0
    names = ["a.jsonl", "b.jsonl.gz", "c.jsonl"]
    for _ in range(3):
        for number, name in enumerate(names):
            start = number * 50 + sizes[number]
            more = TABLES[start : start + chance.choice((0, 7, 15))]
            written(folder / name, more)
            sizes[number] += len(more)
        given_ = [folder / name for name in chance.sample(names, 3)]
        watch = Watch()
        assert learned(folder / "s", *given_, watch=watch) == expected(*given_)
        counted += watch.episodes - sum(sizes)  # the second pass is over all of them
    assert counted == sum(sizes)
    shutil.rmtree(folder)


def test_a_log_is_known_by_its_content(logs: list[Path], tmp_path: Path) -> None:
    first = learned(tmp_path / "s", *logs)
    moved = [log.rename(tmp_path / f"moved {log.name}") for log in logs]
    watch = Watch()
    assert learned(tmp_path / "s", *moved[::-1], watch=watch) == first
    assert watch.episodes == len(TABLES)  # of the second pass alone


def test_a_log_given_twice_counts_twice(logs: list[Path], tmp_path: Path) -> None:
    assert learned(tmp_path / "s", logs[1], logs[1]) == expected(logs[1], logs[1])
    assert learned(tmp_path / "s", logs[1], logs[1]) == expected(logs[1], logs[1])
    assert learned(tmp_path / "t", logs[1]) == expected(logs[1])
    assert learned(tmp_path / "t", logs[1], logs[1]) == expected(logs[1], logs[1])


def test_a_log_that_has_changed_is_an_error(logs: list[Path], tmp_path: Path) -> None:
    learned(tmp_path / "s", *logs)
    before = (tmp_path / "s").read_bytes()
    text = logs[1].read_bytes()
    logs[1].write_bytes(text.replace(b"swing", b"SWING", 1))
    with pytest.raises(WorldModelError, match=r"b\.jsonl: has changed since it was counted in .*s; name an"):
        learned(tmp_path / "s", *logs)
    assert (tmp_path / "s").read_bytes() == before


def test_rules_that_are_new_make_the_second_pass_new(logs: list[Path], tmp_path: Path) -> None:
    """Interrupted in the second pass, and then given more logs: knowledge by the old rules is no use."""
    with pytest.raises(Interrupted):
        learned(tmp_path / "s", logs[0], watch=Watch(4))
    assert (tmp_path / "s.knowledge").exists()
    assert learned(tmp_path / "s", *logs) == expected_of_all()
    assert not (tmp_path / "s.knowledge").exists()


# --- on the command line --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def long_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Long enough to be interrupted."""
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    episodes = gzip.decompress((ROOT / "datasets" / "household.jsonl.gz").read_bytes())
    path.write_bytes(episodes * 2)
    return path


@pytest.fixture(scope="module")
def uninterrupted(long_log: Path, tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    return result(induce(long_log, tmp_path_factory.mktemp("whole")))


def induce(log: Path, folder: Path, *options: object) -> Path:
    assert invoke("induce", log, "-o", folder / "x.rules", *options).exit_code == 0
    return folder


def result(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in ("x.rules", "x.knowledge.json.gz")]


@pytest.mark.slow
@pytest.mark.parametrize("options", [["--workers", "2"], ["--ray"]])
def test_command_spreads_with_the_same_result(
    options: list[str], long_log: Path, uninterrupted: list[bytes], tmp_path: Path
) -> None:
    if "--ray" in options:
        pytest.importorskip("ray", reason="the ray extra is not installed")
    assert result(induce(long_log, tmp_path, *options)) == uninterrupted


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])
def test_command_that_was_killed_goes_on(
    workers: int, blow: signal.Signals, long_log: Path, uninterrupted: list[bytes], tmp_path: Path
) -> None:
    kept, out = tmp_path / "s.stats.gz", tmp_path / "x.rules"
    command = ["induce", str(long_log), "-o", str(out), "--workers", str(workers), "--statistics", str(kept)]
    for file in (kept, tmp_path / "s.stats.gz.knowledge"):  # struck in the first pass, then in the second
        struck = subprocess.Popen(
            [sys.executable, "-m", "worldmodel", *command],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        until(lambda file=file, struck=struck: file.exists() or struck.poll() is not None)
        os.kill(struck.pid, blow)
        _, said = struck.communicate()
        assert struck.returncode == (-blow if blow is signal.SIGKILL else 130), said
        assert blow is signal.SIGKILL or said == b"interrupted\n"
        assert not out.exists()
        until(lambda struck=struck: not group(struck.pid))
    last = invoke(*command)
    assert last.exit_code == 0, last.stderr
    assert result(tmp_path) == uninterrupted
    assert sorted(p.name for p in tmp_path.glob("[!.]*")) == ["s.stats.gz", "x.knowledge.json.gz", "x.rules"]


def test_command_refuses_statistics_that_are_none(long_log: Path, tmp_path: Path) -> None:
    def complaint(statistics: Path) -> str:
        said = invoke(
            "induce", long_log, "--limit", 1, "-o", tmp_path / "x.rules", "--statistics", statistics
        )
        assert said.exit_code == 2
        return said.stderr

    (tmp_path / "s").write_text("no statistics")
    assert "cannot read counts: Not a gzipped file" in complaint(tmp_path / "s")
    assert "is read by this command too" in complaint(long_log)
    assert "is a folder" in complaint(tmp_path)


def test_command_says_what_it_knew_and_what_is_missing(tmp_path: Path) -> None:
    lines = gzip.decompress((ROOT / "datasets" / "household.jsonl.gz").read_bytes()).splitlines(keepends=True)
    a, b, kept = tmp_path / "a.jsonl", tmp_path / "b.jsonl", tmp_path / "s"
    a.write_bytes(b"".join(lines[:6]))
    b.write_bytes(b"".join(lines[6:9]))
    induce(a, tmp_path, "--statistics", kept)
    both = invoke("induce", b, a, "-o", tmp_path / "x.rules", "--statistics", kept, "--json")
    assert '"counted_before": 6' in both.stdout and not both.stderr
    one = invoke("induce", b, "-o", tmp_path / "x.rules", "--statistics", kept)
    assert f"warning: {kept} counts 1 more logs ({a})" in one.stderr
