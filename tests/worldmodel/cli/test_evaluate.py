"""``worldmodel evaluate``, and rule files that do not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.worldmodel.cli.conftest import Run
from worldmodel import environment, evaluate, load, read_episodes
from worldmodel.evaluation import AlwaysSucceeds, MostFrequentAnswer

TIMED = "ms a prediction"


def test_measures_what_the_library_measures(run: Run, logs: Path, rules: Path) -> None:
    result = run("evaluate", logs, "--rules", rules, "--limit", 5, "--json")
    said = json.loads(result.stdout)
    perception = environment("alfworld").perception(None)
    model = load(rules, perception)
    episodes = list(read_episodes(logs))[:5]
    found = evaluate([model, AlwaysSucceeds(), MostFrequentAnswer(perception)], episodes, perception)
    assert list(said["predictors"]) == found.predictors
    for name in found.predictors:
        measures = said["predictors"][name]["measures"]
        wanted = {m: None if v != v else v for m, v in found.measures(name).items()}
        assert {m: v for m, v in measures.items() if m != TIMED} == {
            m: v for m, v in wanted.items() if m != TIMED
        }
    assert said["predictors"]["rules"]["measures"]["accuracy"] > 0.8
    assert said["rules"] == str(rules)


def test_tables(run: Run, logs: Path, rules: Path) -> None:
    result = run("evaluate", logs, "--rules", rules, "--limit", 2, "--by-action")
    assert result.exit_code == 0
    for words in ("always succeeds", "most frequent", "rules, by action", "go_to"):
        assert words in result.stdout


def test_no_episodes(run: Run, rules: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    result = run("evaluate", tmp_path / "empty.jsonl", "--rules", rules)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no episodes in it" in result.stderr


def test_a_rule_that_does_not_parse_is_shown_with_a_caret(run: Run, logs: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.rules"
    file.write_text(
        'domain household\ntype thing\naction go(?x: thing) "go {?x}"\n  rule g\n    then flown(?x)\n'
    )
    result = run("evaluate", logs, "--rules", file)
    assert result.exit_code == 2
    head, line, caret, *_ = result.stderr.splitlines()
    assert head.startswith(f"error: {file}:5:10: unknown predicate `flown`")
    assert line[caret.index("^") :].startswith("flown")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("domain moon\naction fly\n", "action fly/0 is none of alfworld's; expected go_to/1, "),
        ("domain moon\npredicate at(any, any)\n", "predicate at/2 is none of alfworld's; expected "),
    ],
)
def test_rules_of_another_world_do_not_fit(
    text: str, complaint: str, run: Run, logs: Path, tmp_path: Path
) -> None:
    file = tmp_path / "moon.rules"
    file.write_text(text)
    for command in (["evaluate", logs], ["plan", "--count", 1]):
        result = run(*command, "--rules", file)
        assert result.exit_code == 2
        assert f"error: {file}: {complaint}" in result.stderr


@pytest.mark.parametrize("command", [["evaluate", "LOGS"], ["plan"]])
def test_rule_files_that_are_none(command: list[str], run: Run, logs: Path, tmp_path: Path) -> None:
    words = [logs if word == "LOGS" else word for word in command]
    for file, complaint in ((tmp_path / "gone.rules", "no such file"), (tmp_path, "is a folder")):
        result = run(*words, "--rules", file)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"error: {file}: {complaint}")
