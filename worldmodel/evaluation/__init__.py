"""How good a model is, measured on logs.

    evaluation = evaluate([model, AlwaysSucceeds()], episodes, perception)
    Console().print(table(evaluation))

Definitions stand with what computes them: `metrics` (what is counted), `observed` (what is knowable,
what changed), `harness` (what a predictor is shown, and when), `baselines`.
"""

from worldmodel.evaluation.baselines import AlwaysSucceeds, MostFrequentAnswer
from worldmodel.evaluation.harness import Evaluation, evaluate
from worldmodel.evaluation.tables import action_table, table, to_dict

__all__ = [
    "AlwaysSucceeds",
    "Evaluation",
    "MostFrequentAnswer",
    "action_table",
    "evaluate",
    "table",
    "to_dict",
]
