"""Those who learn: this project, in this process, and the peers, in theirs."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any

from benchmarks.corpus import Domain, read
from rules.induction import Statistics, hindsight, induce
from rules.induction.analogy import with_analogies
from rules.induction.pruning import prune
from rules.pddl import read_domain, read_trace, write_domain

STAGES = ("domain", "traces", "count", "induce", "prune")
"""What this project's time goes to."""

Row = dict[str, Any]


class Peers:
    """The peers' process. A crash of a learner is an answer; one of the process starts a new one."""

    def __init__(self, python: str, limit: int) -> None:
        self._command = [python, "-I", str(Path(__file__).with_name("peers.py"))]
        self._limit = limit
        self._process: Popen[str] | None = None

    def ask(self, job: Row) -> Row:
        if self._process is None or self._process.poll() is not None:
            self._process = Popen(self._command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True)
        assert self._process.stdin and self._process.stdout
        try:
            self._process.stdin.write(json.dumps({**job, "limit": self._limit}) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        return dict(json.loads(answer)) if answer else {"error": "its process ended"}

    def close(self) -> None:
        if self._process is not None and self._process.stdin:
            self._process.stdin.close()
            self._process.wait(timeout=60)


def ours(bare: Path, paths: Sequence[Path], repeats: int, analogies: bool = False) -> Row:
    """What this project learns, as PDDL, and the CPU seconds of each stage: the least of the repeats."""
    runs = []
    for _ in range(repeats):
        clock = [time.process_time()]
        domain = read_domain(bare)
        clock.append(time.process_time())
        traces = read(paths, domain)
        clock.append(time.process_time())
        statistics = hindsight.count(traces, domain)
        clock.append(time.process_time())
        ruleset = induce(statistics)
        clock.append(time.process_time())
        ruleset = prune(ruleset)
        clock.append(time.process_time())
        seconds = {stage: b - a for stage, a, b in zip(STAGES, clock, clock[1:], strict=False)}
        runs.append((clock[-1] - clock[0], seconds))
    if analogies:
        ruleset = with_analogies(ruleset)
    total, stages = min(runs, key=lambda run: run[0])
    return {"domain": write_domain(ruleset), "seconds": total, "stages": stages}


def streaming(domain: Domain, paths: Sequence[Path], rounds: int = 5) -> float:
    """CPU milliseconds a transition to read and count more of the same: what a long log costs."""
    statistics = Statistics(domain.vocabulary)
    for path in paths:
        statistics.update(read_trace(path, domain.vocabulary))
    begin, known = time.process_time(), len(statistics)
    for _ in range(rounds):
        for path in paths:
            statistics.update(read_trace(path, domain.vocabulary))
    return 1000 * (time.process_time() - begin) / (len(statistics) - known)
