"""Traces of facts in AMLGym's format, as files to count and learn from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rules.errors import WorldModelError
from worldmodel.cli.console import progress
from worldmodel.cli.files import check_inputs
from worldmodel.cli.rulebook.transitions import is_trace

if TYPE_CHECKING:
    from rules.ruleset import RuleSet


class TraceFiles:
    """The paths of traces, one after the other. While one is being dealt with, `current` is its index.

    A broken trace is an error wherever it is read: half a trace teaches wrong.
    """

    def __init__(self, paths: Sequence[Path], limit: int | None = None) -> None:
        check_inputs(paths, "a trace of states and actions")
        for path in paths:
            if not is_trace(path):
                raise WorldModelError(f"{path}: no trace; expected one as (:trajectory (:state ...) ...)")
        self.paths = paths[:limit]
        self.current = 0

    def __iter__(self) -> Iterator[Path]:
        with progress("learning rules", len(self.paths)) as advance:
            for number, path in enumerate(self.paths):
                self.current = number
                yield path
                advance()


def refuse_grown(traces: Sequence[Path], statistics: Path, domain: RuleSet) -> None:
    """Raises `WorldModelError` for a trace that was shorter when it was counted: it is counted whole."""
    from rules import counts
    from rules.induction import storage

    if statistics.exists():
        sizes = {source.name: source.size for source in counts.read(statistics, storage.kind(domain))[1]}
        for path in traces:
            if path.stat().st_size > sizes.get(str(path), path.stat().st_size):
                raise WorldModelError(
                    f"{path}: has grown since it was counted in {statistics}; name another file of statistics"
                )
