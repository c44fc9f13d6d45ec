"""How good a model is, measured on logs.

    evaluation = evaluate([model, AlwaysSucceeds()], episodes, perception)
    Console().print(table(evaluation))

Definitions stand with what computes them: `metrics` and `ranking` (what is counted), `observed` (what is
knowable, what changed), `contents` (what was seen for the first time), `harness` (what a predictor is
shown, and when), `results` (groups, intervals, differences), `baselines`.
"""

from worldmodel.evaluation.baselines import AlwaysSucceeds, MostFrequentAnswer
from worldmodel.evaluation.contents import Furnisher
from worldmodel.evaluation.harness import evaluate
from worldmodel.evaluation.plots import plots
from worldmodel.evaluation.results import Difference, Evaluation
from worldmodel.evaluation.tables import (
    action_table,
    comparison_dict,
    comparison_table,
    coverage_table,
    group_table,
    table,
    to_dict,
)

__all__ = [
    "AlwaysSucceeds",
    "Difference",
    "Evaluation",
    "Furnisher",
    "MostFrequentAnswer",
    "action_table",
    "comparison_dict",
    "comparison_table",
    "coverage_table",
    "evaluate",
    "group_table",
    "plots",
    "table",
    "to_dict",
]
