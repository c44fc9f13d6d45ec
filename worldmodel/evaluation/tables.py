"""An evaluation as tables for a person, and as a dict for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

from rich.table import Table

from worldmodel.evaluation.metrics import LOWER_IS_BETTER
from worldmodel.evaluation.results import GROUPINGS, MEASURES, PARTIAL, Difference, Evaluation

SETTINGS = {
    "partial": "Setting: partial. Each prediction is made before its observation is shown, from the "
    "transcript alone.",
    "privileged": "Setting: PRIVILEGED. Everybody was given the hidden initial state of each game: this "
    "measures dynamics, and says nothing of foresight.",
}
DEFINITIONS = (
    "Brackets: 95 % bootstrap intervals over episodes. "
    "A step is well-formed if its command is inside the grammar; no other step is in any measure. "
    "accuracy: of the outcome, success or refusal; an unknown is success if its chance is 1/2 or more. "
    "failure precision, recall: with refusal as the positive. "
    "exact: the next observation word for word, white space at the ends aside (as Word2World); normalised: "
    "lower-cased, white space folded (as WorldEvolver); token F1: of its words. worded: steps for which an "
    "observation was predicted at all. "
    "Knowable are refusals, and observations that name nothing new, list "
    "nothing that was not known in full, and state no property seen for the first time. "
    "change F1: facts that became another, micro-averaged; what is seen for the first time is no change. "
    "contents F1: types in places seen into for the first time, micro-averaged; contents log-likelihood: "
    "of these, in nats a place. "
    "log-likelihood: of the outcome, in nats a step, no chance taken for less than 1e-6. "
    "calibration error: expected, over ten bins of about equally many steps, of the chance of success. "
    "AUROC: of the confidence in the predicted outcome, right ones against wrong ones. "
    "risk area: mean error over all coverages, the surest steps first; of the outcome and of the "
    "(normalised) words, where no words come last. "
    "–: no such step."
)

SHOWN = [
    "accuracy",
    "failure precision",
    "failure recall",
    "unknown",
    "exact",
    "exact, normalised",
    "token F1",
    "worded",
    "exact, knowable",
    "knowable",
    "change precision",
    "change recall",
    "change F1",
    "contents F1",
    "contents log-likelihood",
    "log-likelihood",
    "calibration error",
    "AUROC",
    "risk area",
    "risk area, words",
    "ms a prediction",
    "tokens a prediction",
]
"""The measures in the tables, in order; JSON has all."""
BRIEF = ["accuracy", "failure precision", "failure recall", "exact", "exact, normalised", "exact, knowable",
         "knowable", "change F1", "calibration error"]  # fmt: skip
"""Those in tables with a column a measure."""

PERCENT = frozenset(MEASURES) - {
    "calibration error",
    "AUROC",
    "risk area",
    "risk area, words",
    "log-likelihood",
    "contents log-likelihood",
    "ms a prediction",
    "tokens a prediction",
}
COVERAGES = (0.5, 0.8, 0.9, 0.95, 0.99, 1.0)


def title(evaluation: Evaluation) -> str:
    """What was measured: setting, episodes, steps, and how many of these are not well-formed."""
    well_formed = evaluation.steps - evaluation.malformed
    setting = "" if evaluation.setting == PARTIAL else f"{evaluation.setting.upper()}: "
    return (
        f"{setting}{evaluation.episodes:,} episodes, {evaluation.steps:,} steps: "
        f"{well_formed:,} well-formed; "
        f"{evaluation.malformed:,} not, {evaluation.malformed_refused:,} of them refused"
    )


def caption(evaluation: Evaluation) -> str:
    """The setting, and what the measures mean."""
    return f"{SETTINGS[evaluation.setting]} {DEFINITIONS}"


def table(evaluation: Evaluation, seed: int = 0) -> Table:
    """One row a measure, one column a predictor. `seed` is the bootstrap's."""
    result = Table(title=title(evaluation), caption=caption(evaluation), caption_justify="left")
    result.add_column("")
    columns = []
    for name in evaluation.predictors:
        result.add_column(name, justify="right")
        values, bounds = evaluation.judged(name).measures(), evaluation.intervals(name, seed)
        columns.append([_with_interval(m, values[m], bounds[m]) for m in SHOWN])
    for row in zip(SHOWN, *columns, strict=True):
        result.add_row(*row)
    return result


def group_table(evaluation: Evaluation, predictor: str, by: str) -> Table:
    """One row a group of steps (by action, task, policy or source), the largest first, with its share."""
    result = Table(title=f"{predictor}, by {by}")
    for name in ("", "steps", "share", *BRIEF):
        result.add_column(name, justify="left" if not name else "right", no_wrap=not name)
    groups = evaluation.groups(by, predictor)
    for value, count in groups.items():
        values = evaluation.group(predictor, by, value)
        share = f"{count / sum(groups.values()):.1%}"
        result.add_row(value or "–", f"{count:,}", share, *(text(m, values[m]) for m in BRIEF))
    return result


def action_table(evaluation: Evaluation, predictor: str) -> Table:
    """`group_table` by action."""
    return group_table(evaluation, predictor, "action")


def coverage_table(evaluation: Evaluation) -> Table:
    """The share of errors where only the surest steps are answered, outcome and words."""
    result = Table(title="errors among the surest steps (outcome / words)")
    result.add_column("coverage", justify="right")
    for name in evaluation.predictors:
        result.add_column(name, justify="right")
    for coverage in COVERAGES:
        cells = []
        for name in evaluation.predictors:
            judged = evaluation.judged(name)
            risks = [levels.risk_at(coverage, judged.weights()) for levels in (judged.outcomes, judged.words)]
            cells.append(" / ".join("–" if isnan(risk) else f"{risk:.2%}" for risk in risks))
        result.add_row(f"{coverage:.0%}", *cells)
    return result


def comparison_table(evaluation: Evaluation, first: str, second: str, seed: int = 0) -> Table:
    """Every measure of one predictor less that of another, on the same resamples of episodes."""
    result = Table(title=f"{first} less {second} (paired bootstrap over episodes; * p < 0.05)")
    for name in ("", "difference", "95 %", "p", "better"):
        result.add_column(name, justify="left" if not name else "right")
    for measure, found in evaluation.compare(first, second, seed).items():
        if measure in SHOWN and not isnan(found.value):
            result.add_row(measure, *_difference(measure, found, first, second))
    return result


def _difference(measure: str, found: Difference, first: str, second: str) -> Sequence[str]:
    clear = found.p < 0.05
    better = (found.value < 0) is (measure in LOWER_IS_BETTER)
    return (
        text(measure, found.value),
        f"[{text(measure, found.low)}, {text(measure, found.high)}]",
        f"{found.p:.3f}{'*' if clear else ''}",
        (first if better else second) if clear and measure != "knowable" else "",
    )


def to_dict(evaluation: Evaluation, seed: int = 0) -> dict[str, Any]:
    """Everything, for JSON: every measure with its interval, overall and by group; None for none."""
    return {
        "setting": evaluation.setting,
        "episodes": evaluation.episodes,
        "steps": evaluation.steps,
        "malformed": evaluation.malformed,
        "malformed_refused": evaluation.malformed_refused,
        "actions": evaluation.actions,
        "definitions": caption(evaluation),
        "predictors": {name: _predictor(evaluation, name, seed) for name in evaluation.predictors},
    }


def comparison_dict(evaluation: Evaluation, first: str, second: str, seed: int = 0) -> dict[str, Any]:
    """`comparison_table` for JSON."""
    return {
        name: {field: number(getattr(found, field)) for field in ("value", "low", "high", "p")}
        for name, found in evaluation.compare(first, second, seed).items()
    }


def _predictor(evaluation: Evaluation, name: str, seed: int) -> dict[str, Any]:
    bounds, judged = evaluation.intervals(name, seed), evaluation.judged(name)
    weights = judged.weights()
    return {
        "measures": _plain(judged.measures()),
        "intervals": {measure: [number(low), number(high)] for measure, (low, high) in bounds.items()},
        **{f"by_{by}": _groups(evaluation, name, by) for by in GROUPINGS},
        "coverage_risk": {
            str(coverage): [
                number(levels.risk_at(coverage, weights)) for levels in (judged.outcomes, judged.words)
            ]
            for coverage in COVERAGES
        },
        "reliability": judged.chances.reliability(weights),
    }


def _groups(evaluation: Evaluation, name: str, by: str) -> dict[str, Any]:
    return {
        value: {"steps": count, **_plain(evaluation.group(name, by, value))}
        for value, count in evaluation.groups(by, name).items()
    }


def _plain(measures: dict[str, float]) -> dict[str, float | None]:
    return {name: number(value) for name, value in measures.items()}


def number(value: float) -> float | None:
    """A number for JSON, which knows no ``nan``."""
    return None if isnan(value) else value


def text(measure: str, value: float) -> str:
    """A value of a measure for a person."""
    if isnan(value):
        return "–"
    return f"{100 * value:.1f} %" if measure in PERCENT else f"{value:.3f}"


def _with_interval(measure: str, value: float, bounds: tuple[float, float]) -> str:
    if isnan(value) or isnan(bounds[0]):
        return text(measure, value)
    low, high = (text(measure, bound).removesuffix(" %") for bound in bounds)
    return f"{text(measure, value)} [{low}, {high}]"
