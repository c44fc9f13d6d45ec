"""The command line on small real inputs: games that are generated, logs and rules made from them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from worldmodel.cli import app

Run = Callable[..., Result]


def invoke(*args: object) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args], catch_exceptions=False)


def words(text: str) -> str:
    """A text without line breaks and boxes."""
    return " ".join(text.replace("│", " ").split())


@pytest.fixture
def run() -> Run:
    return invoke


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fifty games of a random policy, from another seed than the ones that are planned on."""
    path = tmp_path_factory.mktemp("logs") / "logs.jsonl.gz"
    result = invoke("collect", "--count", 50, "--policy", "random", "--seed", 77, "-o", path)
    assert result.exit_code == 0, result.output
    return path


@pytest.fixture(scope="session")
def rules(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rules learned from them."""
    path = tmp_path_factory.mktemp("rules") / "household.rules"
    result = invoke("induce", logs, "-o", path)
    assert result.exit_code == 0, result.output
    return path
