"""``plan --search llm`` and ``rules propose --llm``, with a model behind a server on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rules.language import load, render
from tests.worldmodel.cli.conftest import Run, words
from tests.worldmodel.language_models.faulty import SECRET, Faulty, faulty, said
from worldmodel import shipped_rules
from worldmodel.trajectories import read_episodes

pytest.importorskip("openai", reason="the openai extra is not installed")

__all__ = ["faulty"]  # a fixture

LLM = ("--search", "llm", "--model", "openai:m")


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORLDMODEL_CACHE", str(tmp_path / "cache"))


def test_plan_says_what_the_tokens_bought(run: Run, faulty: type[Faulty], tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    arguments = ("plan", "-n", 2, *LLM, "--max-calls", 3, "-o", log, "--json")
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    total = summary["language_model"]
    assert total["calls"] == len(faulty.asked) + total["cached"] <= 6
    assert total["tokens"] == 10 * total["calls"]
    assert total["proposed"] == total["vetoed"] == total["calls"]  # "late" is no command
    assert (total["steps"], total["won"]) == (total["alone_steps"], total["alone_won"])
    assert "model openai:m" in summary["run"]
    assert SECRET not in log.read_text()
    assert sum(float(e.metadata["llm_calls"]) for e in read_episodes(log)) == total["calls"]
    again = run(*arguments[:-1])
    assert "steps saved: 0 of" in words(again.output)


def test_another_budget_is_another_run(run: Run, faulty: type[Faulty], tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    assert run("plan", "-n", 1, *LLM, "--max-tokens", 50, "-o", log).exit_code == 0
    result = run("plan", "-n", 1, *LLM, "--max-tokens", 60, "-o", log)
    assert result.exit_code != 0
    assert "another run" in words(result.output)


def test_propose_asks_for_rules(run: Run, faulty: type[Faulty], tmp_path: Path) -> None:
    """The shipped rules without heating, a log in which things are heated, and a model that knows how."""
    text = render(load(shipped_rules("alfworld")))
    start = text.index("  rule heat_1")
    cold = tmp_path / "cold.rules"
    cold.write_text(text[:start] + text[text.index("  otherwise", start) :])
    logs = Path(__file__).parents[3] / "datasets" / "household.jsonl.gz"
    rule = "rule h1 when ?r is microwave, at(?r), holding(?o) then hot(?o)"
    faulty.answers.append((200, said(f"Of course:\n```\naction heat\n  {rule}\n```")))
    out = tmp_path / "warm.rules"
    result = run("rules", "propose", cold, logs, "--llm", "openai:m", "--action", "heat", "-o", out, "--json")
    assert result.exit_code == 0, result.output
    assert [v["rule"] for v in json.loads(result.stdout)["proposed"]] == ["heat.h1"]
    assert load(out).actions["heat"].rules
    assert "rule NAME" in faulty.asked[0]["messages"][0]["content"]


def test_propose_takes_one_source_of_rules(run: Run, tmp_path: Path) -> None:
    rules = shipped_rules("alfworld")
    for more in ((), ("--from", rules, "--llm", "openai:m")):
        result = run("rules", "propose", rules, *more, "-o", tmp_path / "out.rules")
        assert result.exit_code != 0
        assert "--from or --llm" in words(result.output)
