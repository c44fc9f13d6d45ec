"""``worldmodel rules``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rules import language
from tests.worldmodel.cli.conftest import Run

SOUND = """domain lamps
type lamp
predicate on(lamp)
relation dimmable(type) { lamp 3 }
invariant on(?x) implies ?x is lamp  [9 for, 0 against]
action press(?x: lamp) "press {?x}"
  rule press_1  [40 for, 1 against]
    when not on(?x), dimmable(type of ?x)
    then on(?x)
    says "The {?x} shines."
  otherwise says "Nothing happens."
"""
CONTRADICTING = (
    SOUND
    + """
action kick(?x: lamp) "kick {?x}"
  rule a
    then on(?x)
  rule b
    then not on(?x)
"""
)


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "sound.rules"
    path.write_text(SOUND)
    return path


def test_shows_every_part_of_a_rule(run: Run, sound: Path) -> None:
    shown = run("rules", "show", sound).stdout
    for words in (
        "press {?x}",
        "40:1",
        "█",
        "when    not on(?x), dimmable(type of ?x)",
        "then    on(?x)",
        "says    The {?x} shines.",
        "otherwise Nothing happens.",
        "on(?x) implies ?x is lamp",
        "dimmable",
    ):
        assert words in shown


def test_shows_one_action(run: Run, rules: Path) -> None:
    said = json.loads(run("rules", "show", rules, "--action", "take", "--json").stdout)
    learned = language.load(rules).actions["take"].rules
    assert [rule["support"] for rule in said["actions"]["take"]["rules"]] == [
        r.evidence.support for r in learned
    ]
    result = run("rules", "show", rules, "--action", "fly")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no action 'fly'; expected one of go_to" in result.stderr


def test_a_rule_file_does_not_talk_to_the_terminal(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    path.write_text(SOUND.replace("shines", "\\u001b[31mshines[/red]"))
    shown = run("rules", "show", path).stdout
    assert "\x1b" not in shown
    assert "shines[/red]" in shown  # nor is it markup


def test_checking_finds_nothing_in_sound_rules(run: Run, sound: Path) -> None:
    result = run("rules", "check", sound)
    assert result.exit_code == 0
    assert "0 errors" in result.stdout
    assert json.loads(run("rules", "check", sound, "--json").stdout)["ok"] is True


def test_checking_finds_a_contradiction(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    path.write_text(CONTRADICTING)
    result = run("rules", "check", path)
    assert result.exit_code == 1
    assert "kick.a" in result.stdout and "kick.b" in result.stdout
    said = json.loads(run("rules", "check", path, "--json").stdout)
    errors = [finding for finding in said["findings"] if finding["severity"] == "error"]
    assert said["ok"] is False
    assert {rule for finding in errors for rule in finding["rules"]} == {"kick.a", "kick.b"}


def test_what_does_not_parse(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    path.write_text("domain lamps\ntype lamp\npredicate on(lmap)\n")
    for command in ("show", "check"):
        result = run("rules", command, path)
        assert result.exit_code == 2
        assert f"error: {path}:3:14: " in result.stderr
        assert result.stderr.splitlines()[2].strip() == "^"
