"""``worldmodel rules diff``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.worldmodel.cli.conftest import Run, words
from tests.worldmodel.cli.test_check import LAMPS


@pytest.fixture
def lamps(tmp_path: Path) -> Path:
    path = tmp_path / "lamps.rules"
    path.write_text(LAMPS)
    return path


def test_other_words_for_the_same(run: Run, lamps: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.rules"
    other.write_text(LAMPS.replace("?x", "?lamp").replace("rule plain", "rule p  [9 for, 1 against]"))
    result = run("rules", "diff", lamps, other)
    assert (result.exit_code, result.stdout.strip()) == (0, "no difference in meaning")
    assert json.loads(run("rules", "diff", lamps, other, "--json").stdout)["differences"] == []


def test_a_difference_is_shown_by_a_state(run: Run, lamps: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.rules"
    other.write_text(LAMPS.replace("not on(?x), not broken(?x)", "not on(?x)"))
    result = run("rules", "diff", lamps, other)
    assert result.exit_code == 1
    said = words(result.stdout)
    assert "press(lamp 1)" in said and "{broken(lamp 1)}" in said
    assert "fails" in said and "succeeds" in said
    (found,) = json.loads(run("rules", "diff", lamps, other, "--json").stdout)["differences"]
    assert (found["aspect"], found["status"]) == ("whether an action succeeds", "refuted")
    assert (found["state"], found["action"]) == (["broken(lamp 1)"], "press(lamp 1)")
    assert (found["first"]["outcome"], found["second"]["outcome"]) == ("false", "true")
    assert found["second"]["gained"] == ["on(lamp 1)"]


def test_other_effects(run: Run, lamps: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.rules"
    other.write_text(LAMPS.replace("then on(?x)", "then broken(?x)"))
    result = run("rules", "diff", lamps, other)
    assert result.exit_code == 1
    assert "on(lamp 1)" in words(result.stdout) and "broken(lamp 1)" in words(result.stdout)


def test_a_file_that_is_not_there(run: Run, lamps: Path, tmp_path: Path) -> None:
    result = run("rules", "diff", lamps, tmp_path / "none.rules")
    assert result.exit_code == 2 and "no such file" in result.stderr
