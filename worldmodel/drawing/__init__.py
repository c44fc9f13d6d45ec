"""Graphs and their pictures: which rule enables which, and what is known of types.

::

    svg(rule_picture(ruleset))                          # bytes of an SVG file
    svg(knowledge_picture(knowledge.graph(ruleset), ruleset))
    graphml(rule_graph(ruleset))                        # bytes of a GraphML file
"""

from __future__ import annotations

from worldmodel.drawing.graphml import graphml
from worldmodel.drawing.pictures import knowledge_picture, rule_picture
from worldmodel.drawing.rule_graph import rule_graph
from worldmodel.drawing.svg import svg

__all__ = ["graphml", "knowledge_picture", "rule_graph", "rule_picture", "svg"]
