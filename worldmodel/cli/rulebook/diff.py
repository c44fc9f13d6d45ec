"""``worldmodel rules diff``: where two rule files differ in meaning."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldmodel.cli import options
from worldmodel.cli.console import EXIT_FINDINGS, examples, plain, progress, show, show_json
from worldmodel.cli.rulebook.common import load

if TYPE_CHECKING:
    from rich.table import Table

    from rules.verification import Difference, Foretold

EPILOG = examples(
    "worldmodel rules diff household.rules learned.rules",
    "worldmodel rules diff a.rules b.rules --json",
    "Exit code 1: they differ, or nobody can tell.",
)


def diff(
    first: Annotated[Path, typer.Argument(help="A rule file.", show_default=False)],
    second: Annotated[Path, typer.Argument(help="Another one.", show_default=False)],
    as_json: options.Json = False,
) -> None:
    """Compare what two rule files mean: a state and an action on which they predict different things."""
    from rules import verification

    a, b = load(first), load(second)
    with progress("asking z3"):
        found = verification.diff(a, b)
    if as_json:
        differences = [_as_dict(difference) for difference in found]
        show_json({"first": str(first), "second": str(second), "differences": differences})
    elif found:
        show(_table(found, first, second))
    else:
        show("no difference in meaning")
    if found:
        raise typer.Exit(EXIT_FINDINGS)


def _table(found: list[Difference], first: Path, second: Path) -> Table:
    from rich.table import Table

    table = Table(title=f"{len(found)} differences in meaning", title_justify="left", expand=True)
    table.add_column("in", max_width=16)
    table.add_column("shown by", ratio=2)
    table.add_column(plain(first), ratio=1, overflow="fold")
    table.add_column(plain(second), ratio=1, overflow="fold")
    for difference in found:
        shown = plain(difference.message) if difference.ground is None else _shown(difference)
        sides = [_side(difference, foretold) for foretold in (difference.a, difference.b)]
        table.add_row(difference.aspect.value, shown, *sides)
    return table


def _shown(difference: Difference) -> str:
    assert difference.state is not None
    facts = ", ".join(sorted(map(str, difference.state.true))) or "nothing holds"
    assumed = ", ".join(("" if x.positive else "not ") + str(x.atom) for x in difference.assumed)
    return plain(f"{difference.ground}\nin {{{facts}}}" + (f" if {assumed}" if assumed else ""))


def _side(difference: Difference, foretold: Foretold | None) -> str:
    """What one side predicts of the aspect in question."""
    from rules.logic import TRUE
    from rules.verification import Aspect

    if foretold is None:
        return ""
    if difference.aspect is Aspect.APPLICABILITY:
        return "succeeds" if foretold.truth is TRUE else "fails"
    if difference.aspect is Aspect.EFFECTS:
        changes = [*sorted(map(str, foretold.gained)), *(f"not {a}" for a in sorted(map(str, foretold.lost)))]
        return plain(", ".join(changes) or "changes nothing")
    if difference.aspect is Aspect.REVEALS:
        return plain(", ".join(sorted(map(str, foretold.reveals))) or "shows nothing")
    return plain(" / ".join(sorted(foretold.says)) or "says nothing")


def _as_dict(difference: Difference) -> dict[str, Any]:
    state = difference.state
    return {
        "aspect": difference.aspect.value,
        "status": difference.status.value,
        "message": difference.message,
        "action": None if difference.ground is None else str(difference.ground),
        "objects": None if state is None else dict(state.objects),
        "state": None if state is None else sorted(map(str, state.true)),
        "assumed": [("" if x.positive else "not ") + str(x.atom) for x in difference.assumed],
        "first": _foretold(difference.a),
        "second": _foretold(difference.b),
    }


def _foretold(foretold: Foretold | None) -> dict[str, Any] | None:
    if foretold is None:
        return None
    return {
        "outcome": foretold.truth.value,
        "gained": sorted(map(str, foretold.gained)),
        "lost": sorted(map(str, foretold.lost)),
        "reveals": sorted(map(str, foretold.reveals)),
        "says": sorted(foretold.says),
    }
