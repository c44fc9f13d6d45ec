"""Work spread over real processes: the order, the deaths, and what is left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from multiprocessing import active_children
from pathlib import Path

import pytest

from rules.errors import WorldModelError
from tests.worldmodel.cli.deadly import Deadly
from tests.worldmodel.jobs import giant, recorder, squarer, stickler
from worldmodel.parallel import AHEAD, Workers

ROOT = Path(__file__).resolve().parents[2]


def test_results_come_in_the_order_of_the_jobs(tmp_path: Path) -> None:
    numbers = list(range(30))
    workers = Workers(partial(recorder, tmp_path), 2, str)
    assert list(workers.map(numbers)) == [n * n for n in numbers]
    assert len(list(tmp_path.iterdir())) == 2  # the processes, and none was started for each job
    assert not active_children()
    assert list(Workers(squarer, 2, str).map([])) == []


def test_jobs_are_taken_only_a_few_ahead() -> None:
    taken = []

    def jobs() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    results = Workers(squarer, 2, str).map(jobs())
    for number in range(20):
        assert next(results) == number * number
        assert len(taken) <= number + 2 * AHEAD
    results.close()  # type: ignore[attr-defined]
    assert not active_children()


def test_an_error_is_the_error_of_the_job() -> None:
    with pytest.raises(WorldModelError, match=r"^-1: expected no debts$"):
        list(Workers(squarer, 2, str).map([3, 4, -1, 5]))
    assert not active_children()
    with pytest.raises(FileNotFoundError):
        list(Workers(partial(recorder, Path("nowhere")), 1, str).map([1]))


def test_an_error_of_several_parts_comes_through() -> None:
    with pytest.raises(WorldModelError, match=r"<string>:1:1: .*expected") as caught:
        list(Workers(stickler, 2, str).map(["domain x", "no rules"]))
    assert "parse" in str(caught.value.__cause__)  # where it happened


def test_given_up_in_the_middle_of_a_large_answer() -> None:
    """Answers that take longer to send than to make; whoever is ended is in the middle of one."""
    for _ in range(4):
        answers = Workers(giant, 2, str).map([1 << 24] * 20)
        assert len(next(answers)) == 1 << 24
        answers.close()  # type: ignore[attr-defined]
        assert not active_children()


def test_a_job_whose_process_died_is_done_again(tmp_path: Path) -> None:
    jobs = [1, 2, Deadly(3, tmp_path, deaths=1), 4, 5]
    assert list(Workers(squarer, 2, str).map(jobs)) == [1, 4, 9, 16, 25]
    assert len(list(tmp_path.iterdir())) == 1


def test_a_job_that_is_deadly_is_named(tmp_path: Path) -> None:
    jobs = [1, Deadly(3, tmp_path, deaths=9), 4]
    name = {jobs[1]: "the third man"}
    with pytest.raises(WorldModelError, match=r"^the third man: the process that worked on it died twice"):
        list(Workers(squarer, 2, lambda job: name[job]).map(jobs))
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_the_killed_leave_no_orphans() -> None:
    boss = subprocess.Popen([sys.executable, "-m", "tests.worldmodel.jobs"], cwd=ROOT, start_new_session=True)
    until(lambda: len(group(boss.pid)) >= 3)  # it, two workers, and multiprocessing's tracker
    boss.send_signal(signal.SIGKILL)
    boss.wait()
    until(lambda: not group(boss.pid))


def group(leader: int) -> list[int]:
    """The living processes of a group."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, own = stat.read_text().rpartition(") ")[2].split()[:3]
        except OSError:
            continue
        if int(own) == leader and state != "Z":
            found.append(int(stat.parent.name))
    return found


def until(true: object, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not true():  # type: ignore[operator]
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.02)
