"""The peers' side of `benchmarks.induction`: SAM, NOLAM and OffLAM through AMLGym's adapters.

Runs in their environment, not in ours (`benchmarks/induction.py` tells how to make it), and knows nothing
of this project. Jobs come on standard input, answers go to standard output, one JSON object a line:

    {"learner": "SAM", "domain": PATH, "traces": [PATH, ...], "partial": false, "noise": 0.0, "repeats": 1,
     "limit": SECONDS}                  -> {"domain": PDDL, "seconds": CPU, "filling": CPU} | {"error": ...}
    {"score": PATH, "reference": PATH}  -> {"precision": 0.98, "recall": 1.0} | {"error": ...}

AMLGym's adapters first write traces in which the literals about an action's objects that a state leaves
out stand as false; that costs them time, which is told apart as `filling`. Partial traces say themselves
what is false, and go straight to the learners.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import signal
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

LEARNERS = ("SAM", "NOLAM", "OffLAM")
BARE = "(:requirements)", "(:requirements :typing)"
"""What OffLAM writes and no parser reads, and what its adapter makes of it."""


class TimedOut(BaseException):
    """The job's time is over. No `Exception`, so that no learner catches it."""


def amlgym(module: str) -> Any:
    """One module of AMLGym, without its packages' `__init__`: they import all of it, and torch with it."""
    _packages()
    return importlib.import_module(f"amlgym.{module}")


@cache
def _packages() -> None:
    spec = importlib.util.find_spec("amlgym")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("amlgym is not installed: pip install --no-deps amlgym==1.0.13")
    root = Path(next(iter(spec.submodule_search_locations)))
    for name in ("", "algorithms", "metrics", "util"):
        package = types.ModuleType(f"amlgym.{name}" if name else "amlgym")
        package.__path__ = [str(root / name)]
        sys.modules[package.__name__] = package


def adapter(learner: str, noise: float) -> Any:
    """AMLGym's adapter of a learner. Only NOLAM is told how noisy the traces are."""
    kind = getattr(amlgym(f"algorithms.{learner}"), learner)
    return kind(noise=noise) if learner == "NOLAM" else kind()


def partial(learner: str, noise: float) -> Callable[[str, Sequence[str]], str]:
    """The learner itself, on traces that say what is false."""
    module = amlgym(f"algorithms.{learner}")
    if learner == "OffLAM":
        return lambda domain, traces: module.learn(domain, [*traces]).replace(*BARE)
    if learner == "NOLAM":
        return lambda domain, traces: str(module.Learner().learn(domain, [*traces], e=noise))
    raise ValueError(f"{learner} does not learn from partial traces")


def learn(job: dict[str, Any]) -> dict[str, Any]:
    """The learned domain, and the CPU time that it took: the least of the repeats."""
    runs = []
    for _ in range(job.get("repeats", 1)):
        filling = [0.0]
        if job["partial"]:
            run = partial(job["learner"], job["noise"])
        else:
            found = adapter(job["learner"], job["noise"])
            found._preprocess_trace = _timed(found._preprocess_trace, filling)
            run = found.learn
        begin = time.process_time()
        text = run(job["domain"], job["traces"])
        runs.append((time.process_time() - begin, filling[0], text))
    seconds, filled, text = min(runs)
    return {"domain": text, "seconds": seconds, "filling": filled}


def _timed(function: Callable[..., str], total: list[float]) -> Callable[..., str]:
    def timed(*args: str) -> str:
        begin = time.process_time()
        found = function(*args)
        total[0] += time.process_time() - begin
        return found

    return timed


def score(job: dict[str, Any]) -> dict[str, Any]:
    """AMLGym's own syntactic precision and recall of a domain file."""
    metrics = amlgym("metrics._syntactic")
    files = job["score"], job["reference"]
    return {
        "precision": float(metrics.syntactic_precision(*files)["mean"]),
        "recall": float(metrics.syntactic_recall(*files)["mean"]),
    }


def answer(job: dict[str, Any]) -> dict[str, Any]:
    """The answer to one job; what a learner raises is told as its crash."""
    signal.alarm(int(job.get("limit", 0)))
    try:
        return score(job) if "score" in job else learn(job)
    except TimedOut:
        return {"error": f"more than {job['limit']} s"}
    except (Exception, SystemExit) as error:  # whatever a peer raises is its result
        return {"error": f"{type(error).__name__}: {' '.join(str(error).split())[:120]}"}
    finally:
        signal.alarm(0)


def _alarm(*_: object) -> None:
    raise TimedOut


def main() -> None:
    """Answers jobs until standard input ends. What the learners print goes nowhere."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _alarm)
    answers = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    for learner in LEARNERS:  # imported before anything is timed
        with suppress(Exception):  # told as the crash of its jobs
            amlgym(f"algorithms.{learner}")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # they leave files about
        for line in sys.stdin:
            answers.write(json.dumps(answer(json.loads(line))) + "\n")
            answers.flush()
        os.chdir("/")


if __name__ == "__main__":
    main()
