"""Searches behind one signature. To add one: a module here, and a line in `SEARCHES`."""

from __future__ import annotations

from collections.abc import Mapping

from planners.search.a_star import a_star
from planners.search.base import Found, Limits, Problem, Search, Thought
from planners.search.beam import beam
from planners.search.best_first import best_first, greedy
from planners.search.cem import cem
from planners.search.downward import downward
from planners.search.hindsight import in_hindsight
from planners.search.llm import llm
from planners.search.mcts import mcts
from planners.search.shooting import shooting

SEARCHES: Mapping[str, Search] = {
    "best-first": in_hindsight(best_first),
    "a-star": in_hindsight(a_star),
    "greedy": in_hindsight(greedy),
    "beam": in_hindsight(beam),
    "mcts": mcts,
    "cem": in_hindsight(cem),
    "shooting": in_hindsight(shooting),
    "fast-downward": in_hindsight(downward),
    "llm": llm,
}

__all__ = ["SEARCHES", "Found", "Limits", "Problem", "Search", "Thought"]
