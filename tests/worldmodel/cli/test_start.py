"""The installed command as a process: what it loads, how it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import planners
import worldmodel

HEAVY = {"gymnasium", "lark", "msgspec", "networkx", "numpy", "planners", "torch", "z3", "matplotlib"}


def command(*args: object, **options: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "worldmodel", *map(str, args)]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False, **options)  # type: ignore[call-overload]


def test_help_loads_nothing_heavy() -> None:
    line = [sys.executable, "-X", "importtime", "-m", "worldmodel", "--help"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=True)
    loaded = {row.rsplit("|", 1)[-1].strip().split(".")[0] for row in done.stderr.splitlines()}
    assert "typer" in loaded  # the names are read right
    assert not loaded & HEAVY
    for name in ("plan", "collect", "induce", "evaluate", "games", "rules"):
        assert name in done.stdout


@pytest.mark.parametrize(
    "name", ["plan", "collect", "induce", "evaluate", "games", "rules show", "rules check"]
)
def test_every_help_has_examples(name: str, run: object) -> None:
    assert callable(run)
    result = run(*name.split(), "--help")
    assert result.exit_code == 0
    assert f"$ worldmodel {name}" in result.stdout


def test_version() -> None:
    done = command("--version")
    assert (done.returncode, done.stdout) == (0, f"worldmodel {worldmodel.__version__}\n")


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["games", "--count", 1], 0),
        (["fly"], 2),
        (["plan", "--fly"], 2),
        (["plan", "--count", "0"], 2),
        (["rules", "show", "no-such.rules"], 2),
    ],
)
def test_exit_codes(args: list[object], code: int, tmp_path: Path) -> None:
    done = command(*args, cwd=tmp_path, env={"PYTHONPATH": str(Path(worldmodel.__file__).parents[1])})
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_error(rules: Path) -> None:
    line = [sys.executable, "-m", "worldmodel", "rules", "show", str(rules)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.wait(timeout=60) == 1
        assert process.stderr.read() == b""


def test_public_names_are_all_there() -> None:
    for module in (worldmodel, planners):
        for name in module.__all__:
            assert getattr(module, name).__name__ == name
            assert name in dir(module)
    with pytest.raises(AttributeError, match="no attribute 'fly'"):
        worldmodel.fly  # noqa: B018
