"""``worldmodel induce``: logs in, a world model out."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldmodel.cli import options, spreading
from worldmodel.cli.console import complain, examples, show, show_json, warn_all

if TYPE_CHECKING:
    from rich.table import Table

    from rules.ruleset import RuleSet
    from worldmodel.checkpoints import Checkpoints
    from worldmodel.cli.logs import LogFiles
    from worldmodel.learning import Spread

Statistics = Annotated[
    Path | None,
    typer.Option(
        "--statistics",
        "--resume",
        help="Keep the counts in this file, and count only what is not in it yet.",
        metavar="FILE.stats.gz",
    ),
]
Domain = Annotated[
    Path | None,
    typer.Option(
        "--domain",
        help="A PDDL domain: the logs are traces of states and actions over it.",
        metavar="FILE.pddl",
    ),
]
Analogies = Annotated[
    bool,
    typer.Option(
        "--analogies", help="With --domain: guess actions that no trace shows, by those that are like them."
    ),
]
EPILOG = examples(
    "worldmodel induce logs.jsonl.gz -o household.rules",
    "worldmodel induce a.jsonl b.jsonl.gz --limit 500 --on-error raise -o household.rules",
    "worldmodel induce react_log.jsonl.xz --format react -o household.rules",
    "worldmodel induce logs/*.jsonl.gz --workers 4 --statistics household.stats.gz -o household.rules",
    "worldmodel induce traces/* --domain blocks.pddl -o blocks.rules",
)


def induce(
    logs: options.Logs,
    output: Annotated[Path, typer.Option("--output", "-o", help="The rule file to write.")],
    environment: options.Environment = "alfworld",
    limit: options.Limit = None,
    on_error: options.SkipOrRaise = options.OnError.SKIP,
    format: options.Format = options.LogFormat.AUTO,
    workers: spreading.Processes = 1,
    ray: spreading.Ray = False,
    ray_address: spreading.RayAddress = spreading.LOCAL,
    statistics: Statistics = None,
    domain: Domain = None,
    analogies: Analogies = False,
    as_json: options.Json = False,
) -> None:
    """Learn rules from logged trajectories, and write them with the knowledge beside them."""
    from worldmodel.cli.files import check_output

    began = perf_counter()
    check_output(output, [*logs, *([domain] if domain else [])])
    if statistics:
        check_output(statistics, [*logs, output])
    with spreading.spread(workers, ray, ray_address) as spread:
        if domain:
            result = _from_traces(logs, domain, output, limit, spread, statistics, analogies)
        else:
            strict = on_error is options.OnError.RAISE
            files = _episodes(logs, environment, format, strict, limit)
            result = _from_episodes(files, output, spread, statistics)
    result |= {"seconds": perf_counter() - began, "output": str(output)}
    if as_json:
        show_json(result)
        return
    show(_table(result))
    if not any(result["rules"].values()):
        complain("no action ever worked in these logs, so no rule was learned", "warning")


def _episodes(
    logs: list[Path], environment: str, format: options.LogFormat, strict: bool, limit: int | None
) -> LogFiles:
    from rules.errors import WorldModelError
    from worldmodel.cli.logs import LogFiles
    from worldmodel.cli.rulebook.transitions import is_trace
    from worldmodel.environments.registry import environment as environment_named

    for path in logs:
        if path.is_file() and is_trace(path):
            raise WorldModelError(
                f"{path}: a trace of states and actions; name its PDDL domain with --domain"
            )
    spec = environment_named(environment)
    return LogFiles(logs, spec, format, strict, limit, ("learning rules", "learning what is where"))


def _from_episodes(
    episodes: LogFiles, output: Path, spread: Spread, statistics: Path | None
) -> dict[str, Any]:
    from worldmodel.checkpoints import Checkpoints
    from worldmodel.learning import in_memory, learn
    from worldmodel.storage import save

    kept = Checkpoints(statistics, episodes) if statistics else None
    model = learn(episodes, episodes.perception, spread, kept or in_memory)
    episodes.require_some()
    save(model, output)
    warn_all(episodes.bad)
    result = _summary(model.ruleset, episodes.episodes, episodes.steps, episodes.malformed)
    return result | {"counted_before": _finish(kept), "broken_lines": len(episodes.bad)}


def _from_traces(
    logs: list[Path],
    domain: Path,
    output: Path,
    limit: int | None,
    spread: Spread,
    statistics: Path | None,
    analogies: bool,
) -> dict[str, Any]:
    """Rules from traces of facts. There are no words in them, and no rooms to know things about."""
    from functools import partial
    from itertools import islice

    from rules.errors import WorldModelError
    from rules.induction import hindsight, induce
    from rules.induction.analogy import with_analogies
    from rules.induction.pruning import prune
    from rules.language import save
    from rules.pddl import read_domain, read_trace
    from worldmodel.checkpoints import Checkpoints
    from worldmodel.cli.traces import TraceFiles, refuse_grown
    from worldmodel.learning import count, in_memory

    traces = TraceFiles(logs, limit)
    vocabulary = read_domain(domain)
    if statistics:
        refuse_grown(traces.paths, statistics, vocabulary)
    kept = Checkpoints(statistics, traces) if statistics else None
    read = partial(read_trace, domain=vocabulary)
    if any(not step.persists for path in traces.paths for step in islice(read(path), 1)):
        if statistics:
            raise WorldModelError(
                f"{', '.join(map(str, logs))}: partial traces are completed by each other before they are"
                " counted, so no counts are kept of them; leave out --statistics"
            )
        counted = hindsight.count([list(read(path)) for path in traces], vocabulary)
    else:
        counted = count(traces, vocabulary, read, spread, kept or in_memory)
    if not len(counted):
        raise WorldModelError(f"{', '.join(map(str, logs))}: no action in these traces")
    ruleset = prune(induce(counted))
    if analogies:
        ruleset = with_analogies(ruleset)
    save(ruleset, output)
    result = _summary(ruleset, len(traces.paths), len(counted), 0)
    before = kept.statistics.resumed if kept and kept.statistics else 0
    return result | {"counted_before": before, "broken_lines": 0}


def _finish(kept: Checkpoints | None) -> int:
    """Says what only the rules know, now that all is written; how many episodes had been counted before."""
    if kept is None or kept.statistics is None:
        return 0
    kept.done()
    others = kept.statistics.others
    if others:
        complain(
            f"{kept.path} counts {len(others):,} more logs ({others[0].name}"
            f"{', ...' if len(others) > 1 else ''}): the rules learn from them too, the knowledge beside the"
            " rules does not; name them to have both",
            "warning",
        )
    return kept.statistics.resumed


def _summary(ruleset: RuleSet, episodes: int, steps: int, malformed: int) -> dict[str, Any]:
    return {
        "episodes": episodes,
        "transitions": steps - malformed,
        "outside_the_grammar": malformed,
        "rules": {name: len(action.rules) for name, action in ruleset.actions.items()},
        "relations": {name: len(relation.table) for name, relation in ruleset.relations.items()},
        "invariants": len(ruleset.invariants),
    }


def _table(result: dict[str, Any]) -> Table:
    from rich.table import Table

    table = Table(title=f"{result['output']}, in {result['seconds']:.1f} s", show_header=False)
    table.add_column(justify="right")
    table.add_column(overflow="fold")
    table.add_row("episodes", f"{result['episodes']:,}")
    if result["counted_before"]:
        table.add_row("of these counted before", f"{result['counted_before']:,}")
    table.add_row("transitions", f"{result['transitions']:,}")
    table.add_row("outside the grammar", f"{result['outside_the_grammar']:,}")
    table.add_row("broken lines", f"{result['broken_lines']:,}")
    table.add_row("rules", _counts(result["rules"]))
    table.add_row("rows of relations", _counts(result["relations"]))
    table.add_row("invariants", f"{result['invariants']}")
    return table


def _counts(counts: dict[str, int]) -> str:
    listed = ", ".join(f"{name} {count}" for name, count in counts.items() if count)
    return f"{sum(counts.values())}" + (f": {listed}" if listed else "")
