"""``worldmodel evaluate``: how well a model predicts what logs say happened."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldmodel.cli import options
from worldmodel.cli.console import examples, progress, show, show_json, warn_all

if TYPE_CHECKING:
    from worldmodel.environments.registry import EnvironmentSpec
    from worldmodel.evaluation import Evaluation
    from worldmodel.evaluation.reward import Rewards
    from worldmodel.evaluation.rollouts import Rollouts
    from worldmodel.model import WorldModel

Against = Annotated[
    Path | None, typer.Option("--against", help="Another rule file, compared on the same steps.")
]
Games = Annotated[
    Path | None, typer.Option("--games", help="The logged games: a folder or file (privileged).")
]
LookAhead = Annotated[
    int | None, typer.Option("--rollouts", min=1, help="Look so many steps ahead, without seeing.")
]
Reward = Annotated[
    bool, typer.Option("--reward", help="The progress that the model sees, against the reward earned.")
]
Plots = Annotated[Path | None, typer.Option("--plots", help="A folder for pictures (the report extra).")]
EPILOG = examples(
    "worldmodel evaluate logs.jsonl.gz --rules household.rules",
    "worldmodel evaluate logs.jsonl.gz --by action --by task --limit 50",
    "worldmodel evaluate logs.jsonl.gz --rules mine.rules --against household.rules",
    "worldmodel evaluate logs.jsonl.gz --setting privileged --games GAMES --split valid_seen",
    "worldmodel evaluate logs.jsonl.gz --rollouts 10 --reward",
    "worldmodel evaluate logs.jsonl.gz --json --plots pictures > accuracy.json",
)


class Setting(str, enum.Enum):
    """What the predictors know as an episode begins."""

    PARTIAL = "partial"
    PRIVILEGED = "privileged"


class By(str, enum.Enum):
    """What steps are grouped by."""

    ACTION = "action"
    TASK = "task"
    POLICY = "policy"
    SOURCE = "source"


def evaluate(
    logs: options.Logs,
    rules: options.Rules = None,
    against: Against = None,
    environment: options.Environment = "alfworld",
    setting: Annotated[
        Setting, typer.Option("--setting", help="Privileged: the hidden initial state is given.")
    ] = Setting.PARTIAL,
    games: Games = None,
    split: options.Split = None,
    by: Annotated[
        list[By] | None, typer.Option("--by", help="More tables, one for each; may be repeated.")
    ] = None,
    rollouts: LookAhead = None,
    reward: Reward = False,
    plots: Plots = None,
    limit: options.Limit = None,
    on_error: options.SkipOrRaise = options.OnError.SKIP,
    format: options.Format = options.LogFormat.AUTO,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Measure prediction accuracy on logs, beside two baselines that look at the action's name only.

    Each prediction is made before its observation is shown, from the transcript alone, unless the setting
    is privileged: then everybody starts from the hidden initial state. The two are never mixed.
    """
    from worldmodel import evaluation as measuring
    from worldmodel.cli import measured
    from worldmodel.cli.logs import LogFiles
    from worldmodel.cli.models import rule_file
    from worldmodel.cli.privilege import revealer
    from worldmodel.environments.registry import environment as environment_named
    from worldmodel.evaluation.reward import rewards
    from worldmodel.predictors.counts import Counts

    spec = environment_named(environment)
    paths = [rule_file(spec, rules), *([] if against is None else [rule_file(spec, against)])]
    reveal = revealer(spec, games, split) if setting is Setting.PRIVILEGED else None
    if reveal is None and (games or split):
        raise typer.BadParameter("names the games of the privileged setting", param_hint="--games, --split")
    files = LogFiles(logs, spec, format, on_error is options.OnError.RAISE, limit)
    models = _models(spec, paths, files)
    episodes = list(files)
    files.require_some()
    baselines = measuring.AlwaysSucceeds(), measuring.MostFrequentAnswer(files.perception)
    guessing = [Counts(model) for model in models]
    with progress("predicting", len(episodes)) as advance:
        found = measuring.evaluate(
            [*models, *guessing, *baselines], episodes, files.perception, lambda _: advance(), reveal
        )
    warn_all(files.bad)
    more = {"rules": str(paths[0]), "broken_lines": len(files.bad), "seed": seed}
    ahead = measured.rolled_out(models, episodes, rollouts, reveal) if rollouts else []
    earned = rewards(models[0], episodes) if reward else None
    if as_json:
        _tell_machines(found, [model.name for model in models], more, ahead, earned)
    else:
        _tell(found, [model.name for model in models], by or [], seed)
        show(*(measured.rollout_table(one, seed) for one in ahead))
        show(*([measured.reward_table(earned, seed)] if earned else []))
    if plots is not None:
        measured.draw(found, ahead, plots)


def _models(spec: EnvironmentSpec, paths: list[Path], files: Any) -> list[WorldModel]:
    """The models of the rule files; where there are two, named after the files."""
    from worldmodel.cli.models import load_model

    models = [load_model(spec, path, files.perception) for path in paths]
    if len(models) > 1:
        stems = [path.stem for path in paths]
        for model, path in zip(models, paths, strict=True):
            model.name = path.stem if len(set(stems)) > 1 else str(path)
    return models


def _tell(found: Evaluation, models: list[str], by: list[By], seed: int) -> None:
    """The tables, on stdout."""
    from worldmodel import evaluation as measuring

    show(measuring.table(found, seed), measuring.coverage_table(found))
    for field in by:
        shown = found.predictors[: 2 * len(models)]
        show(*(measuring.group_table(found, name, field.value) for name in shown))
    if len(models) > 1:
        show(measuring.comparison_table(found, models[0], models[1], seed))


def _tell_machines(
    found: Evaluation,
    models: list[str],
    more: dict[str, Any],
    ahead: list[Rollouts],
    earned: Rewards | None,
) -> None:
    """The same as JSON."""
    from worldmodel import evaluation as measuring
    from worldmodel.cli import measured

    seed = more["seed"]
    if len(models) > 1:
        more["difference"] = measuring.comparison_dict(found, models[0], models[1], seed)
    if ahead:
        more["rollouts"] = measured.rollout_dict(ahead)
    if earned:
        more["reward"] = measured.reward_dict(earned, seed)
    show_json(measuring.to_dict(found, seed) | more)
