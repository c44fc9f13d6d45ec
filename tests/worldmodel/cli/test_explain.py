"""``worldmodel rules explain``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.worldmodel.cli.conftest import Run, words
from tests.worldmodel.cli.test_check import LAMPS, TRACE


@pytest.fixture
def lamps(tmp_path: Path) -> Path:
    path = tmp_path / "lamps.rules"
    path.write_text(LAMPS.replace("press(?x: lamp)", 'press(?x: lamp) "press {?x} hard"'))
    return path


def test_an_action_in_a_stated_state(run: Run, lamps: Path) -> None:
    said = words(run("rules", "explain", lamps, "press(lamp 1)", "--state", "on(lamp 1)").stdout)
    assert said.startswith("press(lamp 1) fails")
    assert "press.plain does not apply" in said
    assert "no not on(lamp 1) on(lamp 1)" in said
    assert "? not broken(lamp 1) nobody knows not broken(lamp 1): mend.r" in said


def test_a_command_and_a_closed_state(run: Run, lamps: Path) -> None:
    result = run("rules", "explain", lamps, "press the lamp hard", "--state", "", "--closed", "--json")
    said = json.loads(result.stdout)
    assert (said["action"], said["outcome"]) == ("press(the lamp)", "true")
    assert said["gained"] == ["on(the lamp)"]
    assert said["rules"][0]["parts"][0] == {
        "condition": "not on(the lamp)",
        "truth": "true",
        "verdict": "true",
        "because": ["no on(*)"],
        "unless": {},
    }


def test_types_are_stated_or_read_off_the_names(run: Run, rules: Path) -> None:
    """A thing called `mug 1` is a mug; that `x` is one has to be said."""
    for name, state in (("mug 1", ""), ("x", "x is mug, ")):
        state += f"holding({name}), at(desk 1), not openable(desk 1)"
        said = json.loads(
            run("rules", "explain", rules, f"put({name}, desk 1)", "-s", state, "--json").stdout
        )
        assert said["outcome"] == "true" and f"in({name}, desk 1)" in said["gained"]
    said = json.loads(
        run("rules", "explain", rules, "put(desk 2, desk 1)", "-s", "at(desk 1)", "--json").stdout
    )
    assert said["reason"] == "desk 2 is desk, and ?o is to be object"


def test_a_step_of_a_trace(run: Run, lamps: Path, tmp_path: Path) -> None:
    trace = tmp_path / "lamps_traj"
    trace.write_text(TRACE)
    said = json.loads(run("rules", "explain", lamps, trace, "--step", 1, "--json").stdout)
    assert (said["action"], said["outcome"], said["logged"]) == ("press(b)", "true", "it worked")
    assert "no step 2" in run("rules", "explain", lamps, trace, "--step", 2).stderr


def test_a_step_of_a_log_in_words(run: Run, rules: Path, logs: Path) -> None:
    for step in range(1, 6):
        result = run("rules", "explain", rules, logs, "--episode", 2, "--step", step, "--json")
        said = json.loads(result.stdout)
        assert said["logged"] and said["outcome"] in ("true", "false", "unknown")
        if said["outcome"] == "false" and not said["reason"]:
            assert all(any(p["verdict"] == "false" for p in r["parts"]) for r in said["rules"])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ("fly(lamp 1)",),
            "'fly(lamp 1)' is no action; expected name(argument, ...) with one of press, mend",
        ),
        (("press(a)", "--state", "lit(a)"), "'lit(a)' is no fact; expected predicate(object, ...)"),
        (("press(a)", "--state", "on(a, b)"), "'on(a, b)': found 2 arguments, expected 1"),
        (("press(a, b)",), "found 2 arguments, expected 1"),
    ],
)
def test_what_means_nothing(run: Run, lamps: Path, arguments: tuple[str, ...], complaint: str) -> None:
    result = run("rules", "explain", lamps, *arguments)
    assert result.exit_code == 2 and complaint in result.stderr


def test_an_episode_that_is_not_there(run: Run, rules: Path, logs: Path) -> None:
    assert "no episode 99" in run("rules", "explain", rules, logs, "--episode", 99).stderr
    assert "has no step 9999" in run("rules", "explain", rules, logs, "--step", 9999).stderr
