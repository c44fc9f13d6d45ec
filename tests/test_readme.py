"""The README does what it says: its commands and its Python run, and its excerpts are what is printed.

The two commands of the markers ``plan`` and ``test`` are run by .ci/run: they install, and run these
tests. ``python tests/test_readme.py`` brings the excerpts up to date after the rules were learned anew.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
SHIPPED = "worldmodel/environments/alfworld/household.rules"
LAST_STEPS = 4
"""So many steps of the watched game are shown."""


def blocks(language: str, marker: str = "") -> list[str]:
    """The code blocks of a language, or those below a marker ``<!-- marker -->``."""
    before = re.escape(f"<!-- {marker} -->\n") if marker else ""
    return re.findall(rf"^{before}```{language}\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)


def worldmodel(*args: str) -> str:
    """What a command prints."""
    command = [sys.executable, "-m", "worldmodel", *args]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def excerpts() -> dict[str, str]:
    """What should stand below the markers of the excerpts."""
    game = worldmodel("plan", "--count", "1", "--watch").split("\n\n")[0].strip().splitlines()
    game = game[: next((i for i, line in enumerate(game) if " games won " in line), len(game))]
    steps = [i for i, line in enumerate(game) if re.match(r" *\d+ > ", line)]
    shown = [*game[:2], *(["  ..."] if len(steps) > LAST_STEPS else []), *game[steps[-LAST_STEPS:][0] :]]
    rules = (ROOT / SHIPPED).read_text()
    (put,) = re.findall(r"^action put\(.*?(?=\n\n)", rules, re.MULTILINE | re.DOTALL)
    return {"watch": "\n".join(shown) + "\n", "rules": f"{put}\n"}


def refresh() -> None:
    """Writes the excerpts into the README."""
    text = README.read_text()
    for marker, excerpt in excerpts().items():
        pattern = rf"(?<=<!-- {marker} -->\n```text\n).*?(?=^```$)"
        text = re.sub(pattern, lambda _, new=excerpt: new, text, count=1, flags=re.MULTILINE | re.DOTALL)
    README.write_text(text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder, but for the logs that a checkout has."""
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    return tmp_path


def test_excerpts_are_what_is_printed() -> None:
    found = {marker: blocks("text", marker) for marker in ("watch", "rules")}
    expected = {marker: [excerpt] for marker, excerpt in excerpts().items()}
    assert found == expected, "python tests/test_readme.py brings the excerpts up to date"


@pytest.mark.slow
@pytest.mark.parametrize("script", blocks("bash", "run"))
def test_commands_run(script: str, folder: Path) -> None:
    program = folder / "bin" / "worldmodel"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m worldmodel "$@"\n')
    program.chmod(0o755)
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    environ = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    for line in script.splitlines():
        command = ["bash", "-euo", "pipefail", "-c", line]
        result = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True)
        found_something = result.returncode == 1 and line.startswith("worldmodel rules check ")
        assert result.returncode == 0 or found_something, result.stdout + result.stderr


def test_python_runs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(compile(block, str(README), "exec"), names)
    success, steps, replans = capsys.readouterr().out.split()
    assert success in ("True", "False")
    assert 1 <= int(replans) <= int(steps) <= 50
    assert (folder / "mine.rules").exists()


def test_every_block_is_accounted_for() -> None:
    markers = re.findall(r"^<!-- (\w+) -->$", README.read_text(), re.MULTILINE)
    assert markers == ["plan", "watch", "rules", "run", "test"]
    assert len(blocks("bash")) == 3  # plan, run, test: a fourth would be run by nobody


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "datasets/README.md"])
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / page).read_text())
    missing = [link for link in links if not (ROOT / page).parent.joinpath(link).exists()]
    assert not missing


if __name__ == "__main__":
    refresh()
