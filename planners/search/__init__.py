"""Searches behind one signature. To add one: a module here, and a line in `SEARCHES`."""

from __future__ import annotations

from collections.abc import Mapping

from planners.search.base import Found, Limits, Search
from planners.search.best_first import best_first

SEARCHES: Mapping[str, Search] = {"best-first": best_first}

__all__ = ["SEARCHES", "Found", "Limits", "Search"]
