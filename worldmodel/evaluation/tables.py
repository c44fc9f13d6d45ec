"""An evaluation as tables for a person, and as a dict for JSON."""

from __future__ import annotations

from math import isnan
from typing import Any

from rich.table import Table

from worldmodel.evaluation.harness import Evaluation
from worldmodel.evaluation.metrics import METRICS

CAPTION = (
    "Each prediction is made before its observation is shown, from the transcript alone. "
    "Brackets: 95 % bootstrap intervals over episodes. "
    "A step is well-formed if its command is inside the grammar; no other step is in any measure. "
    "accuracy: of the outcome, success or refusal; an unknown is success if its chance is 1/2 or more. "
    "failure precision, recall: with refusal as the positive. "
    "exact: the next observation word for word, over all well-formed steps and over the knowable ones, "
    "whose share is the row below. Knowable are refusals, and observations that name nothing new, list "
    "nothing that was not known in full, and state no property seen for the first time. "
    "change F1: facts that became another, micro-averaged; what is seen for the first time is no change. "
    "calibration error: expected, over ten bins of the chance of success. "
    "–: no such step."
)

SHOWN = [
    "accuracy",
    "failure precision",
    "failure recall",
    "unknown",
    "exact",
    "exact, knowable",
    "knowable",
    "change F1",
    "calibration error",
    "ms a prediction",
]
"""The measures in the tables, in order; JSON has all."""

PERCENT = frozenset(METRICS) - {"calibration error", "ms a prediction"}


def title(evaluation: Evaluation) -> str:
    """What was measured: episodes, steps, and how many of these are not well-formed."""
    well_formed = evaluation.steps - evaluation.malformed
    return (
        f"{evaluation.episodes:,} episodes, {evaluation.steps:,} steps: {well_formed:,} well-formed; "
        f"{evaluation.malformed:,} not, {evaluation.malformed_refused:,} of them refused"
    )


def table(evaluation: Evaluation, seed: int = 0) -> Table:
    """One row a measure, one column a predictor. `seed` is the bootstrap's."""
    result = Table(title=title(evaluation), caption=CAPTION, caption_justify="left")
    result.add_column("")
    columns = []
    for name in evaluation.predictors:
        result.add_column(name, justify="right")
        values, bounds = evaluation.measures(name), evaluation.intervals(name, seed)
        columns.append([_with_interval(m, values[m], bounds[m]) for m in SHOWN])
    for row in zip(SHOWN, *columns, strict=True):
        result.add_row(*row)
    return result


def action_table(evaluation: Evaluation, predictor: str) -> Table:
    """One row an action, the most frequent first, for one predictor."""
    result = Table(title=f"{predictor}, by action")
    for name in ("", "steps", *SHOWN):
        result.add_column(name, justify="left" if not name else "right")
    for action, count in evaluation.actions.items():
        values = evaluation.measures(predictor, action)
        result.add_row(action, f"{count:,}", *(_text(m, values[m]) for m in SHOWN))
    return result


def to_dict(evaluation: Evaluation, seed: int = 0) -> dict[str, Any]:
    """Everything, for JSON: every measure with its interval, overall and by action; None for none."""
    return {
        "episodes": evaluation.episodes,
        "steps": evaluation.steps,
        "malformed": evaluation.malformed,
        "malformed_refused": evaluation.malformed_refused,
        "actions": evaluation.actions,
        "definitions": CAPTION,
        "predictors": {name: _predictor(evaluation, name, seed) for name in evaluation.predictors},
    }


def _predictor(evaluation: Evaluation, name: str, seed: int) -> dict[str, Any]:
    bounds = evaluation.intervals(name, seed)
    return {
        "measures": _plain(evaluation.measures(name)),
        "intervals": {measure: [_number(low), _number(high)] for measure, (low, high) in bounds.items()},
        "by_action": {action: _plain(evaluation.measures(name, action)) for action in evaluation.actions},
    }


def _plain(measures: dict[str, float]) -> dict[str, float | None]:
    return {name: _number(value) for name, value in measures.items()}


def _number(value: float) -> float | None:
    return None if isnan(value) else value


def _text(measure: str, value: float) -> str:
    if isnan(value):
        return "–"
    return f"{100 * value:.1f} %" if measure in PERCENT else f"{value:.3f}"


def _with_interval(measure: str, value: float, bounds: tuple[float, float]) -> str:
    if isnan(value) or isnan(bounds[0]):
        return _text(measure, value)
    low, high = (_text(measure, bound).removesuffix(" %") for bound in bounds)
    return f"{_text(measure, value)} [{low}, {high}]"
