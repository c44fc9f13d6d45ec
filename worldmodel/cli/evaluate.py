"""``worldmodel evaluate``: how well a model predicts what logs say happened."""

from __future__ import annotations

from typing import Annotated

import typer

from worldmodel.cli import options
from worldmodel.cli.console import examples, progress, show, show_json, warn_all

EPILOG = examples(
    "worldmodel evaluate logs.jsonl.gz --rules household.rules",
    "worldmodel evaluate logs.jsonl.gz --by-action --limit 50",
    "worldmodel evaluate logs.jsonl.gz --json > accuracy.json",
)


def evaluate(
    logs: options.Logs,
    rules: options.Rules = None,
    environment: options.Environment = "alfworld",
    by_action: Annotated[bool, typer.Option("--by-action", help="A second table, by action.")] = False,
    limit: options.Limit = None,
    on_error: options.SkipOrRaise = options.OnError.SKIP,
    format: options.Format = options.LogFormat.AUTO,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Measure prediction accuracy on logs, beside two baselines that look at the action's name only.

    Each prediction is made before its observation is shown, from the transcript alone.
    """
    from worldmodel import evaluation as measuring
    from worldmodel.cli.logs import LogFiles
    from worldmodel.cli.models import load_model, rule_file
    from worldmodel.environments.registry import environment as environment_named

    spec = environment_named(environment)
    path = rule_file(spec, rules)
    files = LogFiles(logs, spec, format, on_error is options.OnError.RAISE, limit)
    model = load_model(spec, path, files.perception)
    episodes = list(files)
    files.require_some()
    baselines = measuring.AlwaysSucceeds(), measuring.MostFrequentAnswer(files.perception)
    with progress("predicting", len(episodes)) as advance:
        found = measuring.evaluate([model, *baselines], episodes, files.perception, lambda _: advance())
    warn_all(files.bad)
    if as_json:
        more = {"rules": str(path), "broken_lines": len(files.bad), "seed": seed}
        show_json(measuring.to_dict(found, seed) | more)
        return
    show(measuring.table(found, seed))
    if by_action:
        show(measuring.action_table(found, model.name))
