"""Graphs as GraphML, by networkx, whatever names and values are in them."""

from __future__ import annotations

import io
from typing import Any

import networkx as nx


def graphml(graph: nx.MultiDiGraph) -> bytes:
    """The graph as a GraphML file. The same graph gives the same bytes."""
    clean = type(graph)(**_clean(graph.graph))
    clean.add_nodes_from((_text(node), _clean(data)) for node, data in graph.nodes(data=True))
    for source, target, key, data in graph.edges(keys=True, data=True):
        data = {"relation": _text(key)} | _clean(data)
        clean.add_edge(_text(source), _text(target), key=_text(key), **data)
    out = io.BytesIO()
    nx.write_graphml_xml(clean, out, prettyprint=True)  # not lxml's, so that the bytes do not depend on it
    return out.getvalue()


def _clean(data: dict[str, Any]) -> dict[str, Any]:
    return {_text(key): _text(value) if isinstance(value, str) else value for key, value in data.items()}


def _text(value: str) -> str:
    """Without what XML cannot say: control characters and lone surrogates."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in value)
