"""An evaluation as pictures, drawn by matplotlib (extra ``report``), which is imported when it is used."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

from rules.errors import WorldModelError
from worldmodel.evaluation.results import Evaluation
from worldmodel.evaluation.rollouts import Rollouts

DOTS = 110
FEW = 30
"""A curve of fewer points shows them."""


def plots(evaluation: Evaluation, rollouts: Sequence[Rollouts] = ()) -> Iterator[tuple[str, bytes]]:
    """File names and pictures (PNG). `WorldModelError` where matplotlib is not installed."""
    figure = _figures()
    yield "coverage-risk.png", _coverage_risk(figure(figsize=(10, 4), layout="constrained"), evaluation)
    yield "calibration.png", _calibration(figure(figsize=(5, 5), layout="constrained"), evaluation)
    yield "actions.png", _actions(figure(figsize=(8, 5), layout="constrained"), evaluation)

    if rollouts:
        yield "divergence.png", _divergence(figure(figsize=(6, 4), layout="constrained"), rollouts)


def _figures() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise WorldModelError(
            "plots are drawn by matplotlib, which is not installed: pip install 'worldmodel[report]'"
        ) from None
    return Figure


def png(figure: Any) -> bytes:
    """A figure as the bytes of a PNG file; the same figure gives the same bytes."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=DOTS, metadata={"Software": None})
    return file.getvalue()


def _coverage_risk(figure: Any, evaluation: Evaluation) -> bytes:
    """The share of errors among the surest steps, for the outcome and for the words."""
    for axes, title in zip(figure.subplots(1, 2), ("outcome", "words (normalised)"), strict=True):
        for name in evaluation.predictors:
            judged = evaluation.judged(name)
            levels = judged.outcomes if title == "outcome" else judged.words
            curve = levels.curve(judged.weights())
            dots = "." if len(curve.coverage) < FEW else None
            axes.plot(curve.coverage, curve.risk, label=name, drawstyle="steps-pre", marker=dots)
        axes.set(
            title=title, xlabel="coverage, the surest first", ylabel="risk: share of errors", xlim=(0, 1)
        )
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.legend()
    return png(figure)


def _calibration(figure: Any, evaluation: Evaluation) -> bytes:
    """The share of successes by the predicted chance, in bins of about equally many steps."""
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="grey", linewidth=1, linestyle="--")
    for name in evaluation.predictors:
        judged = evaluation.judged(name)
        bins = judged.chances.reliability(judged.weights())
        error = judged.measures()["calibration error"]
        axes.plot([b[1] for b in bins], [b[2] for b in bins], marker="o", label=f"{name} ({error:.3f})")
    axes.set(title="calibration (expected error)", xlabel="predicted chance of success", ylabel="successes")
    axes.grid(alpha=0.3)
    axes.legend()
    return png(figure)


def _actions(figure: Any, evaluation: Evaluation) -> bytes:
    """Accuracy and normalised exact match by action, for each predictor."""
    actions = list(evaluation.actions)
    for axes, measure in zip(
        figure.subplots(1, 2, sharey=True), ("accuracy", "exact, normalised"), strict=True
    ):
        height = 0.8 / max(1, len(evaluation.predictors))
        for place, name in enumerate(evaluation.predictors):
            shares = [evaluation.group(name, "action", action)[measure] for action in actions]
            axes.barh([row + place * height for row in range(len(actions))], shares, height, label=name)
        axes.set_yticks([row + 0.4 - height / 2 for row in range(len(actions))], actions)
        axes.set(title=measure, xlim=(0, 1))
    axes.invert_yaxis()  # of both: they share it
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize="small")
    return png(figure)


def _divergence(figure: Any, rollouts: Sequence[Rollouts]) -> bytes:
    """The share of rollouts whose outcomes were all foretold, by depth, and that of exact words."""
    axes = figure.subplots()
    for found in rollouts:
        rows, bounds = found.by_depth(), found.intervals("outcomes so far")
        depths = range(1, len(rows) + 1)
        (line,) = axes.plot(
            depths, [row["outcomes so far"] for row in rows], marker="o", label=found.predictor
        )
        axes.fill_between(depths, *zip(*bounds, strict=True), color=line.get_color(), alpha=0.2)
        axes.plot(depths, [row["exact"] for row in rows], color=line.get_color(), linestyle="--")
    axes.set(title="outcomes so far (line), exact words (dashed)", xlabel="steps ahead", ylim=(0, 1.02))
    axes.grid(alpha=0.3)
    axes.legend()
    return png(figure)
