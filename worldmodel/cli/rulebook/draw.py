"""``worldmodel rules draw``: the rule graph and the knowledge graph, as pictures or for other tools."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worldmodel.cli import options
from worldmodel.cli.console import examples, show_json
from worldmodel.cli.rulebook.common import RuleFileOrShipped, load, or_shipped

if TYPE_CHECKING:
    import networkx as nx

    from rules.ruleset import RuleSet

EPILOG = examples(
    "worldmodel rules draw -o rules.svg",
    "worldmodel rules draw household.rules --what knowledge -o household.svg",
    "worldmodel rules draw household.rules -o household.graphml",
)
SUFFIXES = (".svg", ".graphml")


class What(str, enum.Enum):
    """Which graph."""

    RULES = "rules"
    KNOWLEDGE = "knowledge"


def draw(
    file: RuleFileOrShipped = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="What to write: .svg, or .graphml for other tools.")
    ] = Path("rules.svg"),
    what: Annotated[
        What, typer.Option("--what", help="Which rule enables which, or what is known of types.")
    ] = What.RULES,
    links: Annotated[
        int | None, typer.Option("--links", min=1, help="Draw at most so many links, the surest.")
    ] = None,
    environment: options.Environment = "alfworld",
    as_json: options.Json = False,
) -> None:
    """Draw which rule enables or disables which, or what is known of types. A .graphml holds every link."""
    from rules.errors import WorldModelError
    from worldmodel.cli.files import check_output, write
    from worldmodel.drawing import graphml, rule_graph

    if output.suffix not in SUFFIXES:
        raise WorldModelError(
            f"{output}: unknown format; expected a name that ends in {' or '.join(SUFFIXES)}"
        )
    path = or_shipped(file, environment)
    ruleset = load(path)
    check_output(output, [path])
    graph = rule_graph(ruleset) if what is What.RULES else _knowledge(ruleset, path)
    data = graphml(graph) if output.suffix == ".graphml" else _svg(ruleset, graph, what, links)
    write(output, data)
    nodes, edges = graph.number_of_nodes(), graph.number_of_edges()
    if as_json:
        show_json({"output": str(output), "what": what.value, "nodes": nodes, "links": edges})
    else:
        typer.echo(f"{output}: {what.value} graph, {nodes:,} nodes, {edges:,} links")


def _knowledge(ruleset: RuleSet, path: Path) -> nx.MultiDiGraph:
    """The knowledge graph: what lies beside the rules, and the relations in them."""
    from rules.errors import WorldModelError
    from worldmodel.knowledge import Knowledge
    from worldmodel.storage import knowledge_path, load_knowledge

    beside = knowledge_path(path)
    knowledge = load_knowledge(beside) if beside.exists() else Knowledge()
    graph = knowledge.graph(ruleset)
    if not graph:
        raise WorldModelError(
            f"{path}: no relations in it, and no {beside.name} beside it; expected a rule file"
            " with its knowledge, as `worldmodel induce` writes them"
        )
    return graph


def _svg(ruleset: RuleSet, graph: nx.MultiDiGraph, what: What, links: int | None) -> bytes:
    from worldmodel.drawing import knowledge_picture, rule_picture, svg
    from worldmodel.drawing.pictures import KNOWLEDGE_LINKS, RULE_LINKS

    if what is What.RULES:
        return svg(rule_picture(ruleset, links or RULE_LINKS))
    return svg(knowledge_picture(graph, ruleset, links or KNOWLEDGE_LINKS))
