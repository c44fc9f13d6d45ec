"""``worldmodel rules check``: what z3 finds in a rule set, and what logs hold against it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldmodel.cli import options
from worldmodel.cli.console import EXIT_FINDINGS, examples, plain, progress, show, show_json
from worldmodel.cli.rulebook.common import RuleFile, bar, load

if TYPE_CHECKING:
    from rich.table import Table

    from rules.verification import Report

EPILOG = examples(
    "worldmodel rules check household.rules",
    "worldmodel rules check household.rules logs.jsonl.gz",
    "worldmodel rules check blocks.rules traces/*_traj --json",
    "Exit code 1: an error was found, or something stays open.",
)


def check(
    file: RuleFile,
    logs: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Logs to hold the rules against: .jsonl, .jsonl.gz, or traces of states and actions.",
            show_default=False,
        ),
    ] = None,
    environment: options.Environment = "alfworld",
    limit: options.Limit = None,
    format: options.Format = options.LogFormat.AUTO,
    all_: Annotated[bool, typer.Option("--all", help="List what was proved and what is noted too.")] = False,
    as_json: options.Json = False,
) -> None:
    """Check rules with z3: what can never apply, what contradicts, what is said twice, what stays true.

    With logs also: rules that apply where an action failed, conditions that refuse what worked,
    effects that did not come about, invariants broken and invariants that might be added.
    """
    from rules import verification
    from worldmodel.cli.rulebook.transitions import transitions

    ruleset = load(file)
    logged = transitions(ruleset, logs, environment, format, limit) if logs else None
    if logged is None:
        with progress("asking z3"):
            report = verification.check(ruleset)
    else:
        report = verification.check(ruleset, transitions=logged)
    if as_json:
        show_json(_report_dict(report, file))
    else:
        show(_report(report, file, all_), *([_usage(report)] if report.usage else []))
    if not report.ok:
        raise typer.Exit(EXIT_FINDINGS)


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


def _usage(report: Report) -> Table:
    """How every rule fared in the logs."""
    from rich.table import Table

    from rules.ruleset import Evidence

    table = Table(
        title=f"{report.transitions:,} transitions: {report.undecided:,} undecided, "
        f"{report.unexplained:,} successes that no rule foresees",
        title_justify="left",
    )
    for name in ("rule", "agreed : contradicted", "may have applied"):
        table.add_column(name)
    for usage in report.usage:
        counts = bar(Evidence(usage.agreed, usage.contradicted))
        table.add_row(plain(usage.rule), counts, f"{usage.possible:,}")
    return table


def _report_dict(report: Report, file: Path) -> dict[str, Any]:
    return {
        "file": str(file),
        "ok": report.ok,
        "questions": report.questions,
        "transitions": report.transitions,
        "undecided": report.undecided,
        "unexplained": report.unexplained,
        "usage": [
            {
                "rule": u.rule,
                "agreed": u.agreed,
                "contradicted": u.contradicted,
                "possible": u.possible,
            }
            for u in report.usage
        ],
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
