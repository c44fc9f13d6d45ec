"""Logs as transitions over a rule set: episodes in words through an environment's perception, or
traces of facts in AMLGym's format, which the rule set's own vocabulary reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from worldmodel.cli.console import progress, warn_all
from worldmodel.cli.options import LogFormat

if TYPE_CHECKING:
    from rules.induction import Transition
    from rules.ruleset import RuleSet

HEAD = 1 << 12


def is_trace(path: Path) -> bool:
    """Whether a log holds facts rather than words: it begins with a parenthesis, or a comment in Lisp."""
    try:
        with path.open("rb") as file:
            return file.read(HEAD).lstrip()[:1] in (b"(", b";")
    except OSError:
        return False  # the reader will say what is wrong with it


def transitions(
    ruleset: RuleSet,
    logs: Sequence[Path],
    environment: str,
    format: LogFormat = LogFormat.AUTO,
    limit: int | None = None,
) -> Iterator[Transition]:
    """The transitions of all logs, in order; broken lines are skipped, and warned of at the end.

    `WorldModelError` where there is no such log, or one of words in which there is no episode.
    """
    from worldmodel.cli.files import check_inputs
    from worldmodel.cli.logs import LogFiles
    from worldmodel.environments.registry import environment as environment_named
    from worldmodel.replay import all_transitions

    check_inputs(logs, "a log: episodes (.jsonl, .jsonl.gz), or a trace of states and actions")
    traces = [path for path in logs if is_trace(path)]
    yield from _traced(ruleset, traces[:limit])
    spoken = [path for path in logs if path not in traces]
    if spoken:
        episodes = LogFiles(spoken, environment_named(environment), format, False, limit)
        yield from all_transitions(episodes, episodes.perception)
        episodes.require_some()
        warn_all(episodes.bad)


def _traced(ruleset: RuleSet, paths: Sequence[Path]) -> Iterator[Transition]:
    if not paths:
        return
    from rules.pddl import read_trace

    with progress("reading", len(paths)) as advance:
        for path in paths:
            yield from read_trace(path, ruleset)
            advance()
