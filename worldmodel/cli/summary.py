"""What came of planned episodes, as a table for a person and as a dict for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from statistics import fmean
from typing import Any

from rich.table import Table
from rich.text import Text

from worldmodel.cli import advising
from worldmodel.cli.console import plain
from worldmodel.trajectories import Episode

SEEN = (
    "The agent saw the opening text and what each command was answered with; neither the list of admissible "
    "commands nor the state of the engine. Each game was tried once."
)


def summarise(episodes: Sequence[Episode]) -> dict[str, Any]:
    """Success at the first attempt, steps and replans, overall and by task type; milliseconds a decision."""
    kinds = sorted({kind_of(episode) for episode in episodes})
    decisions = sorted(ms for episode in episodes for ms in _decisions(episode))
    return {
        **_row(episodes),
        **_learning(episodes),
        **_advice(episodes),
        "by_task_type": {kind: _row([e for e in episodes if kind_of(e) == kind]) for kind in kinds},
        "ms_per_decision": {"mean": _mean(decisions), "p95": _percentile(decisions, 0.95)},
        "seen_by_the_agent": SEEN,
    }


EXPLORED = (
    "In {explored} of {steps} steps there was no plan to trust, and an explorer acted, who is told the "
    "admissible commands."
)


def _learning(episodes: Sequence[Episode]) -> dict[str, Any]:
    """How much was explored and learned, where the episodes say so."""
    told = [e.metadata for e in episodes if "explored" in e.metadata]
    if not told:
        return {}
    return {
        "explored_steps": sum(int(m["explored"]) for m in told),
        "mispredicted_steps": sum(int(m["mispredicted"]) for m in told),
        "revisions": sum(m["revised"] == "yes" for m in told),
        "all_steps": sum(len(e.steps) for e in episodes),
    }


def _advice(episodes: Sequence[Episode]) -> dict[str, Any]:
    """What a language model brought, where one was asked."""
    total = advising.totals(episodes)
    return {"language_model": total} if total else {}


def kind_of(episode: Episode) -> str:
    """The episode's task type."""
    return episode.metadata.get("task_type", "")


def _row(episodes: Sequence[Episode]) -> dict[str, Any]:
    won = sum(bool(episode.success) for episode in episodes)
    return {
        "games": len(episodes),
        "won": won,
        "success": won / len(episodes) if episodes else None,
        "steps": _mean([len(episode.steps) for episode in episodes]),
        "replans": _mean([int(episode.metadata.get("replans", 0)) for episode in episodes]),
    }


def _decisions(episode: Episode) -> list[float]:
    return [float(ms) for ms in episode.metadata.get("decision_ms", "").split()]


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _percentile(ordered: Sequence[float], share: float) -> float | None:
    """The nearest rank: so much of the values are at most this."""
    return ordered[ceil(share * len(ordered)) - 1] if ordered else None


def table(summary: dict[str, Any]) -> Table:
    """One row a task type, and all of them."""
    result = Table(title=title(summary), title_justify="left", show_footer=True)
    for name, field in (("task type", None), ("games", "games"), ("won", "won"), ("success", "success"),
                        ("steps", "steps"), ("replans", "replans")):  # fmt: skip
        footer = "all" if field is None else _cell(field, summary[field])
        result.add_column(name, footer, justify="left" if field is None else "right")
    for kind, row in summary["by_task_type"].items():
        result.add_row(kind or "–", *(_cell(field, value) for field, value in row.items()))
    return result


def title(summary: dict[str, Any]) -> str:
    """The result in a line."""
    return f"{summary['won']} of {summary['games']} games won at the first attempt"


def _cell(field: str, value: float | None) -> str:
    if value is None:
        return "–"
    if field == "success":
        return f"{value:.0%}"
    return str(value) if isinstance(value, int) else f"{value:.1f}"


def notes(summary: dict[str, Any]) -> Text:
    """How fast, by which seed and rules, and what the agent could see."""
    ms = summary["ms_per_decision"]
    speed = (
        "" if ms["mean"] is None else f"{ms['mean']:.1f} ms a decision (95th percentile {ms['p95']:.1f}), "
    )
    learned = ""
    if "explored_steps" in summary:
        explored = EXPLORED.format(explored=summary["explored_steps"], steps=summary["all_steps"])
        learned = (
            f"\n{explored}\n{summary['mispredicted_steps']} steps came out otherwise than expected; the rules"
            f" changed after {summary['revisions']} games."
        )
    advised = advising.bought(summary["language_model"]) if "language_model" in summary else ""
    return Text(
        f"{speed}{summary['seconds']:.1f} s in all. Seed {summary['seed']}, engine {summary['engine']}, "
        f"rules {plain(summary['rules'])}.\n{SEEN}{learned}{advised}",
        style="dim",
    )
