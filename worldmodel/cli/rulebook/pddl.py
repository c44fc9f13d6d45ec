"""``worldmodel rules export`` and ``import``: rules as a PDDL domain, and a PDDL domain as rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldmodel.cli import options
from worldmodel.cli.console import complain, examples, plain, show_json
from worldmodel.cli.rulebook.common import RuleFile, load

EXPORT_EPILOG = examples(
    "worldmodel rules export household.rules --pddl household.pddl",
    "worldmodel rules export household.rules --pddl - | less",
)
IMPORT_EPILOG = examples("worldmodel rules import blocks.pddl -o blocks.rules")
STDOUT = Path("-")

Pddl = Annotated[
    Path,
    typer.Option("--pddl", "-o", help="The PDDL domain to write; - is stdout.", show_default=False),
]
DomainFile = Annotated[Path, typer.Argument(help="A PDDL domain.", show_default=False)]
Output = Annotated[Path, typer.Option("--output", "-o", help="The rule file to write.", show_default=False)]


def export(file: RuleFile, pddl: Pddl, as_json: options.Json = False) -> None:
    """Write rules as a PDDL domain, for planners. What actions reveal and say has no place in it."""
    from rules.pddl import write_domain
    from worldmodel.cli.files import check_output, write

    ruleset = load(file)
    text = write_domain(ruleset)
    bare = [name for name, action in ruleset.actions.items() if not action.rules]
    if bare:
        complain(f"no rule, so no effect in PDDL: {', '.join(map(plain, bare))}", "warning")
    if pddl == STDOUT:
        typer.echo(text, nl=False)
        return
    check_output(pddl, [file])
    write(pddl, text.encode())
    if as_json:
        show_json({"output": str(pddl), "actions": len(ruleset.actions), "without_rules": bare})
    else:
        typer.echo(f"{pddl}: {len(ruleset.actions)} actions")


def import_(file: DomainFile, output: Output, as_json: options.Json = False) -> None:
    """Read a PDDL domain as rules: its types, predicates, constants, and what its actions need and do."""
    from rules.language import save
    from rules.pddl import read_domain
    from worldmodel.cli.files import check_inputs, check_output

    check_inputs([file], "a PDDL domain")
    check_output(output, [file])
    ruleset = read_domain(file, rules=True)
    save(ruleset, output)
    rules = {name: len(action.rules) for name, action in ruleset.actions.items()}
    if as_json:
        show_json({"output": str(output), "domain": ruleset.name, "rules": rules})
    else:
        typer.echo(f"{output}: {sum(rules.values())} rules of {len(rules)} actions")
