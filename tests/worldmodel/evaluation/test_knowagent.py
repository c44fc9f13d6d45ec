"""On the logs of a real agent: rules from one half predict the other, far beyond the baselines."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks.knowagent import FOLDER, main, measure, read


def test_without_the_logs_the_benchmark_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"no KnowAgent\S+D0\S+ and no KnowAgent\S+D1\S+; give the folder"):
        main(tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"needs KnowAgent's logs in {FOLDER}")
@pytest.mark.parametrize(("training", "test", "malformed"), [("D0", "D1", 111), ("D1", "D0", 261)])
def test_rules_from_one_log_predict_the_other(training: str, test: str, malformed: int) -> None:
    logs = read(FOLDER)
    evaluation = measure(logs[training], logs[test], Console(file=StringIO()))
    assert (evaluation.episodes, evaluation.malformed) == (510, malformed)
    rules, no_rooms, *baselines = (evaluation.measures(name) for name in evaluation.predictors)
    assert rules["accuracy"] >= 0.98
    assert no_rooms["accuracy"] >= 0.97
    assert rules["failure precision"] >= 0.99
    assert rules["failure recall"] >= 0.95
    assert rules["exact, knowable"] >= 0.96
    assert rules["change F1"] >= 0.98
    assert rules["unknown"] <= 0.01
    assert rules["calibration error"] <= 0.02
    assert all(baseline["accuracy"] < 0.8 for baseline in baselines)
