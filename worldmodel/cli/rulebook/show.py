"""``worldmodel rules show``: rules, readable, with the evidence behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldmodel.cli import options
from worldmodel.cli.console import examples, plain, show, show_json
from worldmodel.cli.rulebook.common import RuleFile, bar, load

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from rules.ruleset import ActionSchema, Rule, RuleSet

EPILOG = examples("worldmodel rules show household.rules", "worldmodel rules show x.rules --action heat")


def show_rules(
    file: RuleFile,
    action: Annotated[str | None, typer.Option("--action", "-a", help="This action only.")] = None,
    as_json: options.Json = False,
) -> None:
    """Show rules, readable, with the evidence behind each of them."""
    from rules.errors import WorldModelError

    ruleset = load(file)
    if action is not None and action not in ruleset.actions:
        raise WorldModelError(f"{file}: no action {action!r}; expected one of {', '.join(ruleset.actions)}")
    schemas = [s for s in ruleset.actions.values() if action in (None, s.name)]
    if as_json:
        show_json(_as_dict(ruleset, schemas))
        return
    show(*[_action(schema, ruleset) for schema in schemas])
    if action is None:
        show(*_background(ruleset))


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
        table.add_row(bar(rule.evidence), _rule(rule, ruleset))
    otherwise = Text("otherwise ", style="dim")
    otherwise.append(plain(schema.otherwise or "nothing is known"), style="italic")
    table.add_row("", otherwise)
    return table


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
        invariants.add_row(bar(invariant.evidence), plain(line.split("  [")[0]))
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
