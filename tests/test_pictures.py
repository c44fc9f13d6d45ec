"""The picture beside the notebooks is the one that the documented command makes."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from worldmodel.cli import app

PICTURE = Path("notebooks/pictures/rules.svg")
WORDS = re.compile(r"<!-- (.*?) -->", re.DOTALL)
"""matplotlib draws letters as shapes, which differ by version, and says in comments what they spell."""


def test_the_picture_of_the_rules_that_ship_is_up_to_date(tmp_path: Path) -> None:
    made = tmp_path / "rules.svg"
    result = CliRunner().invoke(app, ["rules", "draw", "-o", str(made)])
    assert result.exit_code == 0, result.output
    shipped = WORDS.findall((Path(__file__).parents[1] / PICTURE).read_text("utf-8"))
    again = f"out of date; make it anew: worldmodel rules draw -o {PICTURE}"
    assert shipped == WORDS.findall(made.read_text("utf-8")), again
    assert len(shipped) > 30
