"""``worldmodel rules check`` with logs: words and traces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rules import language
from tests.worldmodel.cli.conftest import Run, words

LAMPS = """domain lamps
type lamp
predicate on(lamp)
predicate broken(lamp)
action press(?x: lamp)
  rule plain
    when not on(?x), not broken(?x)
    then on(?x)
action mend(?x: lamp)
  rule r
    when broken(?x)
    then not broken(?x)
"""
TRACE = """(:trajectory
(:state (on a))
(:action (press b))
(:state (on a) (on b))
)
"""


@pytest.fixture
def lamps(tmp_path: Path) -> Path:
    path = tmp_path / "lamps.rules"
    path.write_text(LAMPS)
    return path


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "lamps_traj"
    path.write_text(TRACE)
    return path


def test_a_trace_of_facts_is_held_against_the_rules(run: Run, lamps: Path, trace: Path) -> None:
    said = json.loads(run("rules", "check", lamps, trace, trace, "--json").stdout)
    assert said["transitions"] == 2
    assert said["usage"][0] == {"rule": "press.plain", "agreed": 2, "contradicted": 0, "possible": 0}
    assert [(f["kind"], f["rules"]) for f in said["findings"] if f["severity"] == "warning"] == [
        ("rule out of reach of the logged states", ["mend.r"])
    ]
    assert said["ok"] is True


def test_a_fault_that_only_the_log_shows_ends_with_one(run: Run, lamps: Path, trace: Path) -> None:
    lamps.write_text(LAMPS.replace("not on(?x), not broken(?x)", "not on(?x), broken(?x)"))
    result = run("rules", "check", lamps, *[trace] * 4)
    assert result.exit_code == 1
    assert "press.plain need not ask for 'broken(?x)'" in words(result.stdout)
    assert "4 transitions: 0 undecided, 0 successes that no rule foresees" in words(result.stdout)


def test_learned_rules_fare_in_their_own_log_as_their_evidence_says(
    run: Run, rules: Path, logs: Path
) -> None:
    said = json.loads(run("rules", "check", rules, logs, "--json").stdout)
    assert said["transitions"] > 1000
    assert said["unexplained"] < 0.02 * said["transitions"]
    used = {u["rule"]: (u["agreed"], u["contradicted"]) for u in said["usage"]}
    learned = language.load(rules).actions
    for action in ("open", "close", "take", "put"):
        for rule in learned[action].rules:
            assert used[f"{action}.{rule.name}"] == tuple(rule.evidence)


def test_logs_that_are_not_there(run: Run, lamps: Path, tmp_path: Path) -> None:
    result = run("rules", "check", lamps, tmp_path / "none")
    assert result.exit_code == 2 and "no such file" in result.stderr


def test_a_trace_of_other_facts(run: Run, lamps: Path, trace: Path) -> None:
    trace.write_text(TRACE.replace("(on a)", "(off a)"))
    result = run("rules", "check", lamps, trace)
    assert result.exit_code == 2 and f"{trace}:2: unknown off" in result.stderr.replace("`", "")
