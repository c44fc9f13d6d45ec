"""``worldmodel evaluate``, and rule files that do not fit."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.worldmodel.cli.conftest import Run, words
from worldmodel import environment, evaluate, load, read_episodes, shipped_rules
from worldmodel.evaluation import AlwaysSucceeds, MostFrequentAnswer
from worldmodel.predictors.counts import Counts

TIMED = "ms a prediction"


def test_measures_what_the_library_measures(run: Run, logs: Path, rules: Path) -> None:
    result = run("evaluate", logs, "--rules", rules, "--limit", 5, "--json")
    said = json.loads(result.stdout)
    perception = environment("alfworld").perception(None)
    model = load(rules, perception)
    episodes = list(read_episodes(logs))[:5]
    baselines = AlwaysSucceeds(), MostFrequentAnswer(perception)
    found = evaluate([model, Counts(model), *baselines], episodes, perception)
    assert list(said["predictors"]) == found.predictors
    assert found.predictors[:2] == ["rules", "rules + counts"]
    for name in found.predictors:
        measures = said["predictors"][name]["measures"]
        wanted = {m: None if v != v else v for m, v in found.measures(name).items()}
        assert {m: v for m, v in measures.items() if m != TIMED} == {
            m: v for m, v in wanted.items() if m != TIMED
        }
    assert said["predictors"]["rules"]["measures"]["accuracy"] > 0.8
    assert said["rules"] == str(rules)


def test_tables(run: Run, logs: Path, rules: Path) -> None:
    result = run("evaluate", logs, "--rules", rules, "--limit", 2, "--by", "action")
    assert result.exit_code == 0
    for phrase in ("always succeeds", "most frequent", "rules, by action", "go_to"):
        assert phrase in result.stdout


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


def test_two_models_are_compared_on_the_same_steps(run: Run, logs: Path, rules: Path) -> None:
    shipped = shipped_rules("alfworld")
    args = ("evaluate", logs, "--rules", rules, "--against", shipped, "--limit", 3)
    said = json.loads(run(*args, "--json").stdout)
    names = list(said["predictors"])[:2]
    assert len(set(names)) == 2
    mine, theirs = (said["predictors"][name]["measures"]["exact"] for name in names)
    assert said["difference"]["exact"]["value"] == pytest.approx(mine - theirs)
    assert "(paired bootstrap over episodes; * p < 0.05)" in words(run(*args).stdout)


def test_pictures(run: Run, logs: Path, rules: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs the report extra")
    folder = tmp_path / "new" / "plots"
    result = run("evaluate", logs, "--rules", rules, "--limit", 2, "--rollouts", 3, "--plots", folder)
    assert result.exit_code == 0, result.output
    found = sorted(folder.iterdir())
    names = ["actions", "calibration", "coverage-risk", "divergence"]
    assert [file.name for file in found] == [f"{name}.png" for name in names]
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in found)


def test_pictures_without_matplotlib(
    run: Run, logs: Path, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = run("evaluate", logs, "--rules", rules, "--limit", 1, "--plots", tmp_path)
    assert result.exit_code == 2
    assert "not installed: pip install 'worldmodel[report]'" in result.stderr


@pytest.fixture
def games(run: Run, tmp_path: Path) -> Path:
    path = tmp_path / "games.jsonl.gz"
    assert run("games", "--count", 3, "--seed", 5, "-o", path).exit_code == 0
    return path


def test_privileged_is_another_setting_and_says_so(
    run: Run, games: Path, rules: Path, tmp_path: Path
) -> None:
    log = tmp_path / "logs.jsonl"
    run("collect", "--games", games, "--policy", "random", "-o", log)
    args = ("evaluate", log, "--rules", rules)
    partial = json.loads(run(*args, "--json").stdout)
    privileged = run(*args, "--setting", "privileged", "--games", games, "--json")
    said = json.loads(privileged.stdout)
    assert (partial["setting"], said["setting"]) == ("partial", "privileged")
    assert said["predictors"]["rules"]["measures"]["knowable"] > 0.95
    exact = [found["predictors"]["rules"]["measures"]["exact"] for found in (partial, said)]
    assert exact[1] > exact[0] + 0.1
    assert "PRIVILEGED: 3 episodes" in run(*args, "--setting", "privileged", "--games", games).stdout


def test_privileged_needs_the_games_that_were_logged(run: Run, logs: Path, games: Path, rules: Path) -> None:
    args = ("evaluate", logs, "--rules", rules)
    result = run(*args, "--setting", "privileged")
    assert (result.exit_code, "needs the games that were logged" in result.stderr) == (2, True)
    result = run(*args, "--setting", "privileged", "--games", games)
    assert result.exit_code == 2
    assert "its game is not among the 3 of" in result.stderr
    result = run(*args, "--games", games)
    assert result.exit_code == 2


def test_looking_ahead_and_rewards(run: Run, games: Path, rules: Path, tmp_path: Path) -> None:
    won, lost = tmp_path / "won.jsonl", tmp_path / "lost.jsonl"
    assert run("plan", games, "-o", won).exit_code == 0
    run("collect", "--games", games, "--policy", "random", "--steps", 12, "-o", lost)
    args = ("evaluate", won, lost, "--rules", rules, "--rollouts", 3, "--reward")
    said = json.loads(run(*args, "--json").stdout)
    ahead = said["rollouts"]["rules"]
    assert len(ahead) == 3
    assert all(row["outcome"] >= row["outcomes so far"] > 0.3 for row in ahead)
    pairs = said["reward"]["pairs"]
    assert 1 <= len(pairs) <= 3
    mean = sum(pair["steps"] for pair in pairs) / len(pairs)
    assert said["reward"]["distance to steps"] == pytest.approx(mean)
    text = words(run(*args).stdout)
    assert "rules, looking ahead without seeing" in text
    assert "reward from state, " in text
