"""The two graphs as pictures: what a rule changes and which rules that concerns; what is known of types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import cycle

import networkx as nx

from rules.ruleset import ANY, Evidence, RuleSet
from worldmodel.drawing.columns import Box, Column, Kind, Link, Picture, untangled
from worldmodel.drawing.rule_graph import DISABLES, ENABLES, rule_graph

RULE_LINKS, KNOWLEDGE_LINKS = 300, 60
"""Links drawn unless more are asked for: what a page holds."""

GREEN, RED, GREY = "#2e8b57", "#c0392b", "#8a8f98"
PALETTE = (
    "#4e79a7 #f28e2b #76b7b2 #b07aa1 #edc948 #9c755f #ff9da7 #59a14f #1f6f8b #d37295 #8cd17d #79706e "
    "#a0cbe8 #d4a6c8 #ffbe7d #bab0ac #499894 #f1ce63 #86bcb6"
).split()
"""Colours of boxes, to be told apart (Tableau's, without the red that means something else)."""
INKS = "#3b5b8c #8c3b5b #8c6e3b #6e3b8c #3b8c86 #5b6b3b".split()
"""Colours of links."""


def rule_picture(ruleset: RuleSet, limit: int = RULE_LINKS) -> Picture:
    """Three columns: the rules that change something, the changes, and the rules that these concern.

    Of more links than `limit`, those between the best supported rules.
    """
    graph = rule_graph(ruleset)
    colours = dict(zip(ruleset.actions, cycle(PALETTE), strict=False))
    causes: dict[str, Box] = {}
    changes: dict[str, Box] = {}
    concerned: dict[str, Box] = {}
    links: dict[Link, None] = {}
    left_out = 0
    for source, target, data in _best_supported(graph):
        change = f"change {data['change']}"
        wanted = Link(f"from {source}", change, "brings about"), Link(change, f"to {target}", data["kind"])
        if len(links.keys() | wanted) > limit:
            left_out += 1
            continue
        links |= dict.fromkeys(wanted)
        causes[wanted[0].source] = _rule_box(graph.nodes[source], colours)
        changes[change] = Box(data["change"])
        concerned[wanted[1].target] = _rule_box(graph.nodes[target], colours)
    drawn = {graph.nodes[key.split(" ", 1)[1]]["action"] for key in (*causes, *concerned)}
    return untangled(
        Picture(
            title=f"{ruleset.name}: which rule enables which",
            columns=(
                Column("a rule …", causes),
                Column("… makes this so, which …", changes),
                Column("… enables or disables", concerned),
            ),
            links=tuple(links),
            kinds={
                "brings about": Kind(GREY, "brings about"),
                ENABLES: Kind(GREEN, "enables: the rule needs it so"),
                DISABLES: Kind(RED, "disables: the rule needs the opposite", dashed=True),
            },
            colours={action: colour for action, colour in colours.items() if action in drawn},
            notes=tuple(_rule_notes(graph, left_out)),
        )
    )


def _best_supported(graph: nx.MultiDiGraph) -> Sequence[tuple[str, str, Mapping[str, str]]]:
    sure = nx.get_node_attributes(graph, "confidence")
    edges: list[tuple[str, str, Mapping[str, str]]] = list(graph.edges(data=True))
    return sorted(edges, key=lambda edge: -min(sure[edge[0]], sure[edge[1]]))


def _rule_box(data: Mapping[str, str], colours: Mapping[str, str]) -> Box:
    return Box(data["rule"], f"{data['support']}:{data['against']}", colours[data["action"]])


def _rule_notes(graph: nx.MultiDiGraph, left_out: int) -> Iterator[str]:
    yield "Beside a rule: logged transitions for it, and against it."
    alone = [data["rule"] for name, data in graph.nodes(data=True) if not graph.degree(name)]
    if alone:
        yield f"Without links: {_listed(alone)}."
    if left_out:
        yield f"{left_out:,} of {graph.number_of_edges():,} links between rules are left out."


def knowledge_picture(graph: nx.MultiDiGraph, ruleset: RuleSet, limit: int = KNOWLEDGE_LINKS) -> Picture:
    """Two columns: types, and what is known of each; of more links than `limit`, the surest.

    A link's strength is the lower bound of its share, so that little evidence is thin.
    """
    found = sorted(_known(graph), key=lambda link: (-link.strength, link))
    kept = found[:limit]
    kinds = sorted({link.kind for link in kept})
    inks = dict(zip(kinds, cycle(INKS), strict=False))
    roots = {_root(ruleset, t): None for link in kept for t in _types(link)}
    colours = dict(zip(roots, cycle(PALETTE), strict=False))

    def box(key: str) -> Box:
        sort, label = key.split(" ", 1)
        return Box(label, "", GREY if sort == "is" else colours[_root(ruleset, label)])

    return untangled(
        Picture(
            title=f"{ruleset.name}: what is known of types",
            columns=(
                Column("type", {link.source: box(link.source) for link in kept}),
                Column("goes with", {link.target: box(link.target) for link in kept}),
            ),
            links=tuple(kept),
            kinds={kind: Kind(inks[kind], _meaning(kind, ruleset)) for kind in kinds},
            colours=colours,
            notes=tuple(_knowledge_notes(kept, len(found))),
        )
    )


def _types(link: Link) -> Iterator[str]:
    yield link.source.split(" ", 1)[1]
    if link.target.startswith("to "):
        yield link.target.split(" ", 1)[1]


def _root(ruleset: RuleSet, type_: str) -> str:
    return [ANY, *(t for t in ruleset.ancestors(type_) if t != ANY)][-1]


def _meaning(kind: str, ruleset: RuleSet) -> str:
    return f"{kind}, at first sight" if kind in ruleset.predicates else kind


def _knowledge_notes(kept: Sequence[Link], found: int) -> Iterator[str]:
    if kept:
        least, most = kept[-1].strength, kept[0].strength
        yield (
            "Width and darkness: how sure it is, by the lower bound (90 %) of the share of cases in which"
            f" it held, here from {least:.0%} to {most:.0%}."
        )
    if found > len(kept):
        yield f"The surest {len(kept)} of {found:,} links; {found - len(kept):,} are left out."


def _known(graph: nx.MultiDiGraph) -> Iterable[Link]:
    """Every edge, and every mark of a node."""
    for source, target, kind, data in graph.edges(keys=True, data=True):
        against = data["against"] if "against" in data else max(0, data.get("places", 0) - data["count"])
        yield _link(f"of {source}", f"to {target}", kind, Evidence(data["count"], against))
    for node, data in graph.nodes(data=True):
        for name in sorted(data):
            if not name.startswith("not_"):
                evidence = Evidence(data[name], data.get(f"not_{name}", 0))
                yield _link(f"of {node}", f"is {name}", name, evidence)


def _link(source: str, target: str, kind: str, evidence: Evidence) -> Link:
    return Link(source, target, kind, round(evidence.confidence, 6))


def _listed(names: Sequence[str], shown: int = 8) -> str:
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more} more" if more > 0 else "")
