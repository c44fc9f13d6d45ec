"""``worldmodel rules``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rules import language
from tests.worldmodel.cli.conftest import Run
from worldmodel import shipped_rules

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


def test_shows_what_ships_where_no_file_is_named(run: Run) -> None:
    result = run("rules", "show")
    assert result.exit_code == 0
    assert "household: 15 actions" in result.stdout and "heat {?o} with {?r}" in result.stdout


MANY = """domain many
type a, b, c, d, e, f, g, h, i, j, k, l, m, n
relation eats(type, type) { (a, b) 1, (b, c) 50, (c, d) 0 / 9, (d, e) 2 / 3%s }
predicate p
invariant p implies p  [1 for, 0 against]
invariant true implies p  [99 for, 0 against]
action wait
  rule weak  [1 for, 1 against]
    then p
  rule strong  [80 for, 0 against]
    when p
"""


@pytest.fixture
def many(tmp_path: Path) -> Path:
    path = tmp_path / "many.rules"
    path.write_text(MANY % "".join(f", (n, {x}) 1" for x in "abcdefghijkl"))
    return path


def test_shows_relations_row_by_row(run: Run, many: Path) -> None:
    shown = run("rules", "show", many).stdout
    lines = {" ".join(line.replace("█", "").replace("░", "").split()) for line in shown.splitlines()}
    assert {"1:0 holds a, b", "50:0 holds b, c", "0:9 does not hold c, d", "2:3 unknown d, e"} <= lines
    assert "relation eats 16 cases" in lines and "and 4 more: --all" in lines
    assert "n, l" not in shown and "n, l" in run("rules", "show", many, "--all").stdout


def test_sorts_by_evidence(run: Run, many: Path) -> None:
    for args, first, second in (
        ((), ("weak", "a, b", "p implies p"), ("strong", "b, c", "true implies p")),
        (("--sort", "evidence"), ("strong", "b, c", "true implies p"), ("weak", "a, b", "p implies p")),
    ):
        shown = run("rules", "show", many, *args, "--all").stdout
        for one, other in zip(first, second, strict=True):
            assert shown.index(one) < shown.index(other)


def test_says_relations_and_invariants_to_machines(run: Run, many: Path) -> None:
    said = json.loads(run("rules", "show", many, "--json").stdout)
    assert said["relations"]["eats"][2] == {"types": ["c", "d"], "holds": "false", "support": 0, "against": 9}
    assert said["invariants"][1] == {"text": "true implies p", "support": 99, "against": 0}


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


def test_shows_the_hidden_relations_that_the_knowledge_beside_the_rules_proposes(
    run: Run, tmp_path: Path
) -> None:
    text = "same(?a, ?b) and at(?a): at(?b)"
    said = json.loads(run("rules", "show", "--json").stdout)["hidden"]
    assert [(found["text"], found["action"], found["against"]) for found in said] == [(text, None, 0)]
    assert text in run("rules", "show").stdout
    alone = tmp_path / "alone.rules"
    alone.write_bytes(shipped_rules("alfworld").read_bytes())
    assert json.loads(run("rules", "show", alone, "--json").stdout)["hidden"] == []
