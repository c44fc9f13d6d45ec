"""``worldmodel plan``: play games with a world model and MPC."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from worldmodel.cli import advising, options, spreading
from worldmodel.cli.console import (
    EXIT_INTERRUPTED,
    complain,
    console,
    examples,
    plain,
    show,
    show_json,
)

if TYPE_CHECKING:
    from rich.text import Text

    from planners.play import Moment
    from worldmodel.cli.episodes import Watch
    from worldmodel.cli.record import Record

Games = Annotated[Path | None, typer.Argument(help="Games to play; by default new ones.", show_default=False)]
Count = Annotated[
    int | None,
    typer.Option("--count", "-n", min=1, help="How many; by default 12 new ones, or all there are."),
]
MaxSteps = Annotated[int, typer.Option("--max-steps", min=1, help="Commands in a game, at most.")]
Search = Annotated[
    str,
    typer.Option(
        "--search", help="a-star, beam, best-first, cem, fast-downward, greedy, llm, mcts or shooting."
    ),
]
Sampler = Annotated[str, typer.Option("--sampler", help="How unseen things are imagined.")]
Samples = Annotated[int, typer.Option("--samples", min=1, help="Worlds imagined for a decision.")]
Expansions = Annotated[
    int, typer.Option("--expansions", min=1, help="States that a search may expand in one world.")
]
Engine = Annotated[str, typer.Option("--engine", help="fast, or official (the alfworld extra).")]
Watching = Annotated[bool, typer.Option("--watch", help="Show each step as it happens.")]
Learning = Annotated[
    bool, typer.Option("--learn", help="Revise the rules between games; explore where there is no plan.")
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Log the episodes: .jsonl or .jsonl.gz.")]
EPILOG = examples(
    "worldmodel plan",
    "worldmodel plan --watch --count 1",
    "worldmodel plan json_2.1.1 --split valid_seen --workers 4 -o episodes.jsonl",
    "worldmodel plan --count 2 --search llm --max-tokens 20000",
    "worldmodel plan json_2.1.1 --split train --count 50 --learn --rules none -o learning.jsonl",
    "With -o, the same command again goes on where an interrupted one stopped.",
)
NEW_GAMES = 12
NOTHING = Path("none")
"""The name of no rules at all, from which only learning can start."""


def plan(
    games: Games = None,
    rules: options.Rules = None,
    environment: options.Environment = "alfworld",
    split: options.Split = None,
    count: Count = None,
    max_steps: MaxSteps = 50,
    search: Search = "best-first",
    sampler: Sampler = "counts",
    samples: Samples = 48,
    expansions: Expansions = 500,
    engine: Engine = "fast",
    model: advising.Model = "embedded",
    max_calls: advising.Calls = 100,
    max_tokens: advising.Tokens = 100_000,
    max_seconds: advising.Seconds = 120.0,
    revisions: advising.Revisions = 1,
    plans: advising.Plans = 1,
    free: advising.Free = False,
    watch: Watching = False,
    learn: Learning = False,
    workers: spreading.Processes = 1,
    ray: spreading.Ray = False,
    ray_address: spreading.RayAddress = spreading.LOCAL,
    output: Output = None,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Plan episodes: imagine, search, act, observe, and think again where it came out otherwise.

    Without arguments: new games, and the rules that ship with the environment. With --learn, `--rules none`
    starts from nothing, and what was learned is written beside the log that -o names: e.rules for e.jsonl.
    """
    from planners.mpc import PlanConfig
    from planners.search.llm import Advice
    from worldmodel.cli.episodes import Job, Setup, play_all
    from worldmodel.cli.files import check_log, check_output
    from worldmodel.cli.gaming import chosen_games
    from worldmodel.cli.learner import Learner, learned_path
    from worldmodel.cli.models import rule_file
    from worldmodel.cli.record import Record, name_run
    from worldmodel.environments.registry import environment as environment_named

    if ray or workers > 1:
        _refuse_many(watch, learn)
    began = perf_counter()
    spec = environment_named(environment)
    path = None if learn and rules == NOTHING else rule_file(spec, rules)
    config = PlanConfig(search=search, sampler=sampler, samples=samples, expansions=expansions, seed=seed)
    if output is not None:
        inputs = [source for source in (games, path) if source]
        check_log(output, inputs)
        if learn:
            check_output(learned_path(output), inputs)
    if games is None and split is None:
        count = count or NEW_GAMES
    jobs = [Job(g.id, g.task_type, game) for g, game in chosen_games(spec, games, split, count, seed)]
    advice = None
    if search == advising.LLM:
        advice = Advice(model, max_calls, max_tokens, max_seconds, revisions, plans, not free)
    run = name_run(path, engine, max_steps, config, learn, advice)
    setup = Setup(environment, path, engine, max_steps, config, run, advice)
    record, watcher = Record(setup, jobs, output), _watcher(as_json) if watch else None
    if learn:
        learner = Learner(setup, watcher, record.episodes)
        finished = record.play(learner.play_all, bar=not watch)
        if output is not None:
            learner.save(learned_path(output))
    else:
        with spreading.cluster(ray, workers, ray_address) as elsewhere:
            spread = partial(play_all, setup, workers=workers, watch=watcher, cluster=elsewhere)
            finished = record.play(spread, bar=not watch)
    _tell(record, perf_counter() - began, finished, as_json)
    if not finished:
        complain(_how_to_go_on(record), kind="")
        raise typer.Exit(EXIT_INTERRUPTED)


def _refuse_many(watch: bool, learn: bool) -> None:
    """Raises `BadParameter` for what takes one game at a time."""
    if watch:
        raise typer.BadParameter(
            "shows one episode at a time; leave out --workers and --ray", param_hint="--watch"
        )
    if learn:
        raise typer.BadParameter(
            "each game builds on those before; leave out --workers and --ray", param_hint="--learn"
        )


def _tell(record: Record, seconds: float, finished: bool, as_json: bool) -> None:
    """The result, on stdout."""
    from worldmodel.cli.summary import notes, summarise, table

    setup = record.setup
    summary = {
        **summarise(record.episodes),
        "had_before": record.had_before,
        "seconds": seconds,
        "seed": setup.config.seed,
        "rules": str(setup.rules or NOTHING),
        "engine": setup.engine,
        "run": setup.run,
        "output": record.output and str(record.output),
        "interrupted": not finished,
    }
    show_json(summary) if as_json else show(table(summary), notes(summary))


def _how_to_go_on(record: Record) -> str:
    left = f"interrupted with {len(record.left)} games to go"
    if record.output is None:
        return f"{left}; with -o FILE they could be resumed"
    return f"{left}; the same command goes on from {record.output}"


def _watcher(stderr: bool) -> Watch:
    """Prints each step as it happens: the command, what was expected of it, and what was observed."""
    from rich.text import Text

    out = console(stderr)
    playing = ""

    def watch(game: str, moment: Moment) -> None:
        nonlocal playing
        if game != playing:
            playing = game
            goal = plain(moment.belief.goal.text)
            out.print(Text.assemble("\n", (plain(game), "bold"), f"\n{goal}"), soft_wrap=True)
        out.print(_step(moment), soft_wrap=True)

    return watch


def _step(moment: Moment) -> Text:
    from rich.text import Text

    prediction = moment.prediction
    said = "" if prediction.observation is None else f": {plain(prediction.observation)}"
    outcome = {"true": "succeeds", "false": "fails", "unknown": "unknown"}[prediction.outcome.value]
    mark, colour = ("✓", "green") if moment.held else ("✗", "red")
    if not said and outcome == "unknown":
        mark, colour = "?", "yellow"
    return Text.assemble(
        (f"{moment.number:3} > {plain(moment.command)}", "bold cyan"),
        ("  (planned anew)" if moment.decision.planned else "", "dim"),
        (f"\n      expected  {outcome}, {prediction.chance:.0%}{said}", "dim"),
        "\n      observed  ",
        (f"{plain(moment.observation)} {mark}", colour),
    )
