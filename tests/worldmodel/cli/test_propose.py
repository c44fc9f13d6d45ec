"""``worldmodel rules propose``: what is admitted, what is rejected and why, and what is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rules.language import load, render, save
from tests.worldmodel.cli.conftest import Run, words
from worldmodel import environment, shipped_rules
from worldmodel import load as load_model
from worldmodel.cli import app
from worldmodel.storage import knowledge_path

ANSWER = """Of course! This is what heating does:
```
action heat
  rule h1
    when ?r is microwave, at(?r), holding(?o)
    then hot(?o)
    says "You heat the {?o} using the {?r}."
  rule h2 when ?r is mikrowave then hot(?o)
  rule h3 when ( then hot(?o)
  rule h4 when ?r is fridge then not hot(?o)
```
"""


@pytest.fixture
def logs() -> Path:
    """An explorer's log: a random policy would heat nothing."""
    return Path(__file__).parents[3] / "datasets" / "household.jsonl.gz"


@pytest.fixture
def cold(tmp_path: Path) -> Path:
    """The rules that ship, without one for heating."""
    text = render(load(shipped_rules("alfworld")))
    start = text.index("  rule heat_1")
    path = tmp_path / "cold.rules"
    path.write_text(text[:start] + text[text.index("  otherwise", start) :])
    knowledge_path(path).write_bytes(knowledge_path(shipped_rules("alfworld")).read_bytes())
    return path


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    path = tmp_path / "answer.txt"
    path.write_text(ANSWER)
    return path


def test_admits_what_the_logs_bear_out(
    run: Run, cold: Path, answer: Path, logs: Path, tmp_path: Path
) -> None:
    out = tmp_path / "new" / "warm.rules"
    result = run("rules", "propose", cold, logs, "--from", answer, "-o", out, "--json")
    assert result.exit_code == 1  # three are rejected
    said = json.loads(result.stdout)
    assert said["admitted"] == 1 and said["ok"] is False
    assert [(p["rule"], p["stage"], p["line"]) for p in said["proposed"]] == [
        ("heat.h1", "admitted", 4),
        ("heat.h2", "types", 8),
        ("?", "parse", 9),
        ("heat.h4", "logs", 10),
    ]
    (rule,) = load(out).actions["heat"].rules
    assert rule.evidence.support == said["proposed"][0]["support"] > 0
    assert rule.evidence.against == 0
    perception = environment("alfworld").perception(None)
    known = load_model(out, perception).knowledge
    assert known.tables() == load_model(cold, perception).knowledge.tables() != {}  # and nothing else changed
    assert len(load(out).actions) == len(load(cold).actions)


def test_the_table_says_why(run: Run, cold: Path, answer: Path, logs: Path, tmp_path: Path) -> None:
    result = run("rules", "propose", cold, logs, "--from", answer, "-o", tmp_path / "x.rules")
    shown = words(result.stdout)
    assert "1 of 4 proposed rules admitted" in shown
    assert "unknown type `mikrowave`; did you mean `microwave`?" in shown
    assert "unexpected `(`; expected a name, a variable" in shown


def test_reads_stdin(cold: Path, logs: Path, tmp_path: Path) -> None:
    rule = ANSWER.split("rule h2")[0].split("action heat")[1]
    args = ["rules", "propose", cold, logs, "--from", "-", "--action", "heat", "-o", tmp_path / "x.rules"]
    result = CliRunner().invoke(app, [str(a) for a in args], input=rule)
    assert result.exit_code == 0, result.output
    assert len(load(tmp_path / "x.rules").actions["heat"].rules) == 1


def test_without_logs_nothing_is_admitted(run: Run, cold: Path, answer: Path, tmp_path: Path) -> None:
    result = run("rules", "propose", cold, "--from", answer, "-o", tmp_path / "x.rules", "--json")
    said = json.loads(result.stdout)
    assert (result.exit_code, said["admitted"]) == (1, 0)
    assert said["proposed"][0]["reason"] == "no logged transition of heat: nothing speaks for it"
    assert load(tmp_path / "x.rules") == load(cold)


def test_says_where_there_is_no_rule(run: Run, cold: Path, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("I do not know.")
    result = run("rules", "propose", cold, "--from", tmp_path / "x.txt", "-o", tmp_path / "x.rules")
    assert result.exit_code == 0
    assert "no rule was found in the text" in result.stdout


def test_prints_what_to_ask(run: Run, cold: Path, logs: Path) -> None:
    result = run("rules", "propose", cold, logs, "--action", "heat", "--prompt")
    assert result.exit_code == 0
    assert "The rules of heat as they are:\n\n    action heat(?o: object, ?r: receptacle)" in result.stdout
    assert "rules say fails\n  happened  succeeded: hot(" in result.stdout
    assert "rule heat_1" not in result.stdout


def test_traces_of_facts_speak_too(run: Run, tmp_path: Path) -> None:
    rules = tmp_path / "lamps.rules"
    rules.write_text("domain lamps type lamp predicate on(lamp) action press(?x: lamp)")
    state = "(:state (on b)) (:action (press a)) (:state (on a) (on b)) (:failed (press b)) "
    (tmp_path / "x_traj").write_text("(:trajectory " + state * 4 + "(:state (on b)))")
    (tmp_path / "new").write_text("action press rule p when not on(?x) then on(?x)")
    out = tmp_path / "y.rules"
    result = run("rules", "propose", rules, tmp_path / "x_traj", "--from", tmp_path / "new", "-o", out)
    assert result.exit_code == 0, result.output
    assert load(out).actions["press"].rules[0].evidence == (4, 0)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--from", "answer.txt"], "expected --from or --llm (the proposals), and --output"),
        (["-o", "x.rules"], "expected --from or --llm (the proposals), and --output"),
        (["--prompt"], "name it with --action"),
        (["--action", "fly", "--prompt"], "no action 'fly'; expected one of go_to"),
        (["--from", "nowhere.txt", "-o", "x.rules"], "nowhere.txt: cannot read proposals"),
        (["--from", "answer.txt", "-o", "answer.txt"], "answer.txt: is read by this command too"),
    ],
)
def test_wrong_usage(
    run: Run, cold: Path, answer: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], message: str
) -> None:
    monkeypatch.chdir(answer.parent)
    result = run("rules", "propose", cold, *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_a_rule_does_not_talk_to_the_terminal(run: Run, tmp_path: Path) -> None:
    rules = tmp_path / "x.rules"
    save(load(shipped_rules("alfworld")), rules)
    (tmp_path / "new").write_text('action heat rule "\\u001b[31mred[/red]" then hot(?x)')
    result = run("rules", "propose", rules, "--from", tmp_path / "new", "-o", tmp_path / "y.rules")
    assert "\x1b" not in result.stdout and "[/red]" in result.stdout
