"""``worldmodel rules``: look at rules, and have them checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldmodel.cli import options
from worldmodel.cli.console import EXIT_FINDINGS, examples, plain, progress, show, show_json

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from rules.ruleset import ActionSchema, Evidence, Rule, RuleSet
    from rules.verification import Report

app = typer.Typer(help="Look at rules, and have them checked.", no_args_is_help=True)
RuleFile = Annotated[Path, typer.Argument(help="A rule file.", show_default=False)]
BAR = 10
"""Characters of a bar that is full."""


@app.command(
    "show",
    epilog=examples("worldmodel rules show household.rules", "worldmodel rules show x.rules --action heat"),
)
def show_rules(
    file: RuleFile,
    action: Annotated[str | None, typer.Option("--action", "-a", help="This action only.")] = None,
    as_json: options.Json = False,
) -> None:
    """Show rules, readable, with the evidence behind each of them."""
    from rules.errors import WorldModelError

    ruleset = _load(file)
    if action is not None and action not in ruleset.actions:
        raise WorldModelError(f"{file}: no action {action!r}; expected one of {', '.join(ruleset.actions)}")
    schemas = [s for s in ruleset.actions.values() if action in (None, s.name)]
    if as_json:
        show_json(_as_dict(ruleset, schemas))
        return
    show(*[_action(schema, ruleset) for schema in schemas])
    if action is None:
        show(*_background(ruleset))


@app.command(
    "check",
    epilog=examples(
        "worldmodel rules check household.rules",
        "worldmodel rules check household.rules --json",
        "Exit code 1: an error was found, or something stays open.",
    ),
)
def check(
    file: RuleFile,
    all_: Annotated[bool, typer.Option("--all", help="List what was proved too.")] = False,
    as_json: options.Json = False,
) -> None:
    """Check rules with z3: what can never apply, what contradicts, what is said twice, what stays true."""
    from rules import verification

    ruleset = _load(file)
    with progress("asking z3"):
        report = verification.check(ruleset)
    if as_json:
        show_json(_report_dict(report, file))
    else:
        show(_report(report, file, all_))
    if not report.ok:
        raise typer.Exit(EXIT_FINDINGS)


def _load(file: Path) -> RuleSet:
    from rules import language
    from worldmodel.cli.files import check_inputs

    check_inputs([file], "a rule file")
    return language.load(file)


def _action(schema: ActionSchema, ruleset: RuleSet) -> RenderableType:
    """One table an action, one row a rule."""
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(plain(schema.command or schema.name), style="bold"), title_justify="left", expand=True
    )
    table.add_column("evidence", no_wrap=True)
    table.add_column("rule", ratio=1)
    for rule in schema.rules:
        table.add_row(_bar(rule.evidence), _rule(rule, ruleset))
    otherwise = Text("otherwise ", style="dim")
    otherwise.append(plain(schema.otherwise or "nothing is known"), style="italic")
    table.add_row("", otherwise)
    return table


def _bar(evidence: Evidence) -> Text:
    """For and against, and the confidence that follows, as a bar."""
    from rich.text import Text

    full = round(BAR * evidence.confidence)
    colour = "green" if evidence.confidence > 0.9 else "yellow" if evidence.confidence > 0.5 else "red"
    bar = Text("█" * full, style=colour)
    bar.append("░" * (BAR - full), style="dim")
    return bar.append(f" {evidence.support}:{evidence.against}")


def _rule(rule: Rule, ruleset: RuleSet) -> Text:
    from rich.text import Text

    from rules.language import render_clause

    effects = [*map(str, rule.adds), *[f"not {atom}" for atom in rule.deletes]]
    parts = (
        ("when", "cyan", [render_clause(clause, ruleset) for clause in rule.when]),
        ("then", "green", effects),
        ("reveals", "magenta", list(map(str, rule.reveals))),
        ("says", "italic", [rule.says] if rule.says is not None else []),
    )
    text = Text()
    for keyword, style, items in parts:
        if items:
            text.append(f"{keyword:8}", style="dim").append(plain(", ".join(items)), style=style).append("\n")
    text.right_crop(1)
    return text


def _background(ruleset: RuleSet) -> list[RenderableType]:
    """Relations and invariants."""
    from rich.table import Table

    from rules.language import render_invariant

    relations = Table("relation", "rows that hold", title="relations", title_justify="left", expand=True)
    for relation in ruleset.relations.values():
        rows = [types for types, e in sorted(relation.table.items()) if e.support and e.support >= e.against]
        relations.add_row(plain(relation.name), plain(", ".join(" ".join(types) for types in rows)))
    invariants = Table("evidence", "invariant", title="invariants", title_justify="left", expand=True)
    for invariant in ruleset.invariants:
        line = render_invariant(invariant, ruleset).removeprefix("invariant ")
        invariants.add_row(_bar(invariant.evidence), plain(line.split("  [")[0]))
    return [table for table in (relations, invariants) if table.row_count]


def _as_dict(ruleset: RuleSet, schemas: list[ActionSchema]) -> dict[str, Any]:
    from rules.language import render_clause

    def rule(rule: Rule) -> dict[str, Any]:
        return {
            "name": rule.name,
            "when": [render_clause(clause, ruleset) for clause in rule.when],
            "adds": list(map(str, rule.adds)),
            "deletes": list(map(str, rule.deletes)),
            "reveals": list(map(str, rule.reveals)),
            "says": rule.says,
            "support": rule.evidence.support,
            "against": rule.evidence.against,
            "confidence": rule.evidence.confidence,
        }

    return {
        "domain": ruleset.name,
        "actions": {
            schema.name: {
                "command": schema.command,
                "rules": [rule(r) for r in schema.rules],
                "otherwise": schema.otherwise,
            }
            for schema in schemas
        },
    }


def _report(report: Report, file: Path, everything: bool) -> Table:
    from rich.table import Table
    from rich.text import Text

    colours = {"error": "red", "warning": "yellow", "note": "dim"}
    counts = {severity: sum(f.severity.value == severity for f in report.findings) for severity in colours}
    table = Table(
        title=f"{file}: {report.questions:,} questions, " + ", ".join(f"{n} {s}s" for s, n in counts.items()),
        title_justify="left",
        expand=True,
    )
    table.add_column("")
    table.add_column("status")
    table.add_column("finding", ratio=1)
    for finding in report.findings:
        severity = finding.severity.value
        if everything or severity != "note":
            message = Text(plain(finding).removeprefix(f"{severity}: "))
            table.add_row(Text(severity, style=colours[severity]), finding.status.value, message)
    if not table.row_count:
        table.add_row(Text("ok", style="green"), "", "no errors, no warnings, nothing left open")
    return table


def _report_dict(report: Report, file: Path) -> dict[str, Any]:
    return {
        "file": str(file),
        "ok": report.ok,
        "questions": report.questions,
        "findings": [
            {
                "severity": f.severity.value,
                "kind": f.kind.value,
                "status": f.status.value,
                "message": f.message,
                "rules": list(f.rules),
                "core": list(f.core),
                "counterexample": f.counterexample and str(f.counterexample),
            }
            for f in report.findings
        ],
    }
