"""``worldmodel rules show``: rules, readable, with the evidence behind them."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from worldmodel.cli import options
from worldmodel.cli.console import examples, plain, show, show_json
from worldmodel.cli.rulebook.common import RuleFileOrShipped, bar, load, or_shipped

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from rules.induction.hidden import Hidden
    from rules.ruleset import ActionSchema, Invariant, Relation, Rule, RuleSet

EPILOG = examples(
    "worldmodel rules show",
    "worldmodel rules show household.rules --action heat",
    "worldmodel rules show household.rules --sort evidence --all",
)
ROWS = 12
"""So many rows of a relation are shown, unless all are asked for."""
EVIDENCE, NAME = 20, 13
"""Least widths, so that tables below one another line up."""
T = TypeVar("T")


class Sort(str, enum.Enum):
    """In which order rules, rows and invariants stand."""

    FILE = "file"
    EVIDENCE = "evidence"


def show_rules(
    file: RuleFileOrShipped = None,
    action: Annotated[str | None, typer.Option("--action", "-a", help="This action only.")] = None,
    sort: Annotated[
        Sort, typer.Option("--sort", help="As in the file, or best supported first.")
    ] = Sort.FILE,
    all_: Annotated[bool, typer.Option("--all", help="Every row of every relation.")] = False,
    environment: options.Environment = "alfworld",
    as_json: options.Json = False,
) -> None:
    """Show rules, readable, with the evidence behind each of them.

    A bar is the confidence that follows from the evidence; beside it, cases for and against.
    """
    from rules.errors import WorldModelError

    path = or_shipped(file, environment)
    ruleset = load(path)
    if action is not None and action not in ruleset.actions:
        raise WorldModelError(f"{path}: no action {action!r}; expected one of {', '.join(ruleset.actions)}")
    schemas = [s for s in ruleset.actions.values() if action in (None, s.name)]
    hidden = _hidden(path, ruleset)
    if as_json:
        show_json(_as_dict(ruleset, schemas, hidden))
        return
    if action is None:
        show(_heading(ruleset))
    show(*[_action(schema, ruleset, sort) for schema in schemas])
    if action is None:
        show(*_background(ruleset, hidden, sort, None if all_ else ROWS))


def _heading(ruleset: RuleSet) -> Text:
    from rich.text import Text

    rules = sum(len(schema.rules) for schema in ruleset.actions.values())
    counts = (
        f"{len(ruleset.actions)} actions, {rules} rules, {len(ruleset.relations)} relations, "
        f"{len(ruleset.invariants)} invariants over {len(ruleset.types)} types and "
        f"{len(ruleset.predicates)} predicates"
    )
    return Text(plain(ruleset.name), style="bold").append(f": {counts}\n", style="not bold dim")


def _sorted(items: Iterable[T], sort: Sort) -> list[T]:
    """By evidence, or as they are. The items have evidence, or are rows whose second part is it."""
    if sort is Sort.FILE:
        return list(items)

    def confidence(item: Any) -> float:
        evidence = item[1] if isinstance(item, tuple) else item.evidence
        return -float(evidence.confidence)

    return sorted(items, key=confidence)


def _bars(title: Text | str, *columns: str) -> Table:
    """A table whose first column are bars."""
    from rich.box import HORIZONTALS
    from rich.table import Table

    table = Table(
        title=title, title_justify="left", title_style="bold", expand=True, box=HORIZONTALS, show_header=False
    )
    table.add_column("evidence", no_wrap=True, min_width=EVIDENCE)
    for column in columns[:-1]:
        table.add_column(column, min_width=NAME, max_width=2 * NAME, overflow="fold", style="dim")
    table.add_column(columns[-1], ratio=1)
    return table


def _action(schema: ActionSchema, ruleset: RuleSet, sort: Sort) -> RenderableType:
    """One table an action, one row a rule."""
    from rich.text import Text

    title = Text(plain(schema.command or schema.name))
    title.append(
        f"   {plain(schema.name)}({', '.join(map(_parameter, schema.parameters))})", style="not bold dim"
    )
    table = _bars(title, "name", "rule")
    for rule in _sorted(schema.rules, sort):
        table.add_row(bar(rule.evidence), plain(rule.name), _rule(rule, ruleset))
    otherwise = Text("otherwise ", style="dim")
    otherwise.append(plain(schema.otherwise or "nothing is known"), style="italic")
    table.add_row("", "", otherwise)
    return table


def _parameter(parameter: tuple[str, str]) -> str:
    return plain(": ".join(parameter))


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


def _hidden(path: Path, ruleset: RuleSet) -> tuple[Hidden, ...]:
    """The hidden relations that the knowledge beside the rules proposes."""
    from rules.induction.hidden import propose_hidden
    from worldmodel.storage import knowledge_path, load_knowledge

    beside = knowledge_path(path)
    return propose_hidden(ruleset, load_knowledge(beside).hidden) if beside.exists() else ()


def _background(
    ruleset: RuleSet, hidden: tuple[Hidden, ...], sort: Sort, rows: int | None
) -> list[RenderableType]:
    """Relations, hidden relations and invariants."""
    tables: list[RenderableType] = [_relation(r, sort, rows) for r in ruleset.relations.values()]
    if hidden:
        table = _bars("hidden relations, whose facts each episode shows anew", "pairs", "relation")
        for found in _sorted(hidden, sort):
            table.add_row(
                bar(found.evidence), f"{found.pairs.support}:{found.pairs.against}", plain(str(found))
            )
        tables.append(table)
    if ruleset.invariants:
        invariants = _bars("invariants", "invariant")
        for invariant in _sorted(ruleset.invariants, sort):
            invariants.add_row(bar(invariant.evidence), _invariant(invariant, ruleset))
        tables.append(invariants)
    return tables


def _relation(relation: Relation, sort: Sort, rows: int | None) -> Table:
    """One row a case: what the evidence says of it."""
    from rich.text import Text

    styles = {"true": "green", "false": "red", "unknown": "dim"}
    words = {"true": "holds", "false": "does not hold", "unknown": "unknown"}
    found = _sorted(sorted(relation.table.items()), sort)
    title = Text(f"relation {plain(relation.name)}").append(f"   {len(found)} cases", style="not bold dim")
    table = _bars(title, "holds", "types")
    for types, evidence in found[:rows]:
        value = relation.truth(types).value
        table.add_row(bar(evidence), Text(words[value], style=styles[value]), plain(", ".join(types)))
    if rows is not None and len(found) > rows:
        table.add_row("", "", Text(f"and {len(found) - rows} more: --all", style="dim"))
    return table


def _invariant(invariant: Invariant, ruleset: RuleSet) -> str:
    from rules.language import render_invariant

    return plain(render_invariant(invariant, ruleset).removeprefix("invariant ").split("  [")[0])


def _as_dict(ruleset: RuleSet, schemas: list[ActionSchema], hidden: tuple[Hidden, ...]) -> dict[str, Any]:
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
        "relations": {
            relation.name: [
                {
                    "types": list(types),
                    "holds": relation.truth(types).value,
                    "support": evidence.support,
                    "against": evidence.against,
                }
                for types, evidence in sorted(relation.table.items())
            ]
            for relation in ruleset.relations.values()
        },
        "hidden": [
            {
                "text": str(found),
                "action": found.key.action or None,
                "symmetric": found.symmetric,
                "support": found.evidence.support,
                "against": found.evidence.against,
                "related": found.pairs.support,
                "unrelated": found.pairs.against,
                "bits": found.bits,
            }
            for found in hidden
        ],
        "invariants": [
            {
                "text": _invariant(invariant, ruleset),
                "support": invariant.evidence.support,
                "against": invariant.evidence.against,
            }
            for invariant in ruleset.invariants
        ],
    }
