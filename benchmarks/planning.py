"""All searches on the same ALFWorld games: success, steps, expansions, CPU seconds and searches a game.

    python benchmarks/planning.py --logs FOLDER
    python benchmarks/planning.py --logs FOLDER --split valid_train --games 40 --searches best-first mcts

The rules are learned from logs of explored ``train`` games, as `benchmarks/household.py` makes and keeps
them. Beside the searches stand an agent that draws from the admissible commands, and ALFWorld's handcoded
expert, repaired, which unlike the others may read facts of the engine. How far planning in hindsight is too
hopeful is measured too: what it promises at the start of a game, and what the game took.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent))
from expert import RepairedExpert
from household import (
    GAMES,
    RESAMPLES,
    STEPS,
    Logs,
    collect,
    read,
    train_games,
    walkthroughs,
    wilson,
)

from planners import Moment, PlanConfig, Planner, play
from planners.search import SEARCHES
from rules.errors import WorldModelError
from worldmodel.cli.console import progress
from worldmodel.cli.models import load_model
from worldmodel.cli.summary import SEEN
from worldmodel.environments.alfworld.game import Game
from worldmodel.environments.alfworld.games import GameReference, find_games
from worldmodel.environments.alfworld.spec import SPEC
from worldmodel.learning import learn
from worldmodel.model import WorldModel
from worldmodel.storage import save

RANDOM, EXPERT = "(random)", "(handcoded, repaired)"
SLOW = ("llm",)
"""Searches that are only run where they are named."""

REFERENCES = {"valid_seen": (("perfect dynamics, train placements, greedily by chance over cost", 6.9),)}
"""Mean steps: quoted, not measured here."""


Document = dict[str, Any]
"""A game as it is written."""


class Result(NamedTuple):
    """One game. promised and expected: its cost as seen from the start, None where nothing was planned."""

    game: str
    won: bool
    steps: int
    expanded: int = 0
    searches: int = 0
    seconds: float = 0.0
    promised: float | None = None
    expected: float | None = None


# playing


@cache
def loaded(rules: Path) -> WorldModel:
    return load_model(SPEC, rules)


def planned(rules: Path, config: PlanConfig, document: Document) -> Result:
    """One game by a search."""
    game, base = Game.from_document(document, document["id"]), loaded(rules)
    planner = Planner(WorldModel(base.ruleset, SPEC.perception(game), base.knowledge), config)
    moments: list[Moment] = []
    began = _cpu()
    env = SPEC.make(game, engine="fast", max_steps=STEPS, admissible=False)
    run = play(env, planner, game.id, SPEC.name, moments.append)
    first = moments[0].decision
    return Result(
        game.id, run.success, len(moments), run.expanded, run.replans, _cpu() - began,
        _finite(first.promised), _finite(first.expected),
    )  # fmt: skip


def _finite(cost: float | None) -> float | None:
    return cost if cost is not None and cost < float("inf") else None


def acted(begin: Callable[[Any, Document], Callable[[str, str], str]], document: Document) -> Result:
    """One game by an agent, which is told what each command was answered with."""
    game = Game.from_document(document, document["id"])
    env = SPEC.make(game, engine="fast", max_steps=STEPS, admissible=True)
    began = _cpu()
    observation, _ = env.reset(seed=0)
    act, command, steps, won, done = begin(env, document), "", 0, False, False
    while not done:
        command = act(command, observation)
        observation, _, terminated, truncated, info = env.step(command)
        steps, won, done = steps + 1, info["won"], terminated or truncated
    return Result(game.id, won, steps, seconds=_cpu() - began)


def random_agent(env: Any, document: Document) -> Callable[[str, str], str]:
    chance = random.Random(document["id"])
    return lambda command, observation: chance.choice(env.engine.admissible())


def expert_agent(env: Any, document: Document) -> Callable[[str, str], str]:
    return RepairedExpert(env, document).act


def _cpu() -> float:
    """Seconds of this process, and of those that it waited for."""
    return sum(os.times()[:4])


def players(searches: Sequence[str], rules: Path, options: argparse.Namespace) -> dict[str, Any]:
    """What plays, by name."""
    found: dict[str, Any] = {}
    for search in searches:
        config = PlanConfig(
            search=search, samples=options.samples, expansions=options.expansions, seed=options.seed
        )
        found[search] = partial(planned, rules, config)
    return {**found, RANDOM: partial(acted, random_agent), EXPERT: partial(acted, expert_agent)}


def measure(player: Any, name: str, games: Sequence[Document], workers: int) -> Iterator[Result]:
    with ProcessPoolExecutor(workers) as pool, progress(f"{name}: games played", len(games)) as advance:
        for result in pool.map(player, games):
            yield result
            advance()


# what is printed


def row(name: str, results: Sequence[Result], seed: int) -> dict[str, Any]:
    """The means, and 95 % intervals: Wilson's for success, a bootstrap over games for steps."""
    steps = np.array([result.steps for result in results])
    draws = np.random.default_rng(seed).choice(steps, (RESAMPLES, len(steps))).mean(axis=1)
    won = sum(result.won for result in results)
    promises = [r for r in results if r.promised is not None and r.expected is not None]
    return {
        "player": name,
        "games": len(results),
        "won": won,
        "success_interval": wilson(won, len(results)),
        "steps": float(steps.mean()),
        "steps_interval": np.percentile(draws, [2.5, 97.5]).tolist(),
        "expanded": fmean(r.expanded for r in results),
        "searches": fmean(r.searches for r in results),
        "seconds": fmean(r.seconds for r in results),
        "promised": fmean(r.promised for r in promises) if promises else None,
        "expected": fmean(r.expected for r in promises) if promises else None,
        "lost": [r.game for r in results if not r.won],
        "steps_by_game": {r.game: r.steps for r in results},
    }


def table(rows: Sequence[dict[str, Any]], walkthrough: float, split: str) -> Table:
    """One row a player, and the references."""
    result = Table(title=f"ALFWorld {split}, first attempt", title_justify="left")
    for name in ("search", "won", "95 %", "steps", "95 %", "expansions", "searches", "CPU s", "promised",
                 "expected"):  # fmt: skip
        result.add_column(name, justify="left" if name == "search" else "right")
    for line in rows:
        result.add_row(
            line["player"],
            f"{line['won']}/{line['games']}",
            "–".join(f"{100 * x:.1f}" for x in line["success_interval"]),
            f"{line['steps']:.2f}",
            "–".join(f"{x:.2f}" for x in line["steps_interval"]),
            f"{line['expanded']:,.0f}",
            f"{line['searches']:.1f}",
            f"{line['seconds']:.2f}",
            *("–" if line[key] is None else f"{line[key]:.2f}" for key in ("promised", "expected")),
        )
    result.add_section()
    result.add_row("reference: walkthrough, all known", "", "", f"{walkthrough:.2f}")
    for name, steps in REFERENCES.get(split, ()):
        result.add_row(f"reference, quoted: {name}", "", "", f"{steps:.2f}")
    return result


CAPTION = f"""{SEEN} At most {STEPS} steps; a game that was not won counts with all it took.
Expansions, searches and CPU seconds are means a game. Intervals: Wilson's for success, a bootstrap over games
for steps. promised: the mean cost of the plans made at the start as if each world were known; expected: with
the looks in vain; both count refusals, and are to be held against the steps. The expert reads facts."""


def rules_of(options: argparse.Namespace) -> Path:
    """The rules learned from the first so many train games, made now if the folder has none."""
    logs = Logs(options.data, "curious", 0, options.logs)
    known = len(train_games(options.data, 0))
    episodes = known if options.episodes == "all" else min(int(options.episodes), known)
    if not logs.rules(episodes).exists():
        options.logs.mkdir(parents=True, exist_ok=True)
        collect(logs, episodes, options.workers)
        save(learn(list(read(logs, episodes)), SPEC.perception(None)), logs.rules(episodes))
    return logs.rules(episodes)


def chosen(options: argparse.Namespace) -> list[GameReference]:
    """All games of the split, or some drawn by the seed."""
    games = find_games(options.data, options.split)
    if options.games is None or options.games >= len(games):
        return games
    return sorted(random.Random(options.seed).sample(games, options.games), key=lambda game: game.id)


def run(options: argparse.Namespace) -> None:
    games, rows = chosen(options), []
    documents = [game.document() for game in games]
    for name, player in players(options.searches, rules_of(options), options).items():
        try:
            results = list(measure(player, name, documents, options.workers))
        except (WorldModelError, ImportError) as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
            continue
        rows.append(row(name, results, options.seed))
        print(f"{name}: {rows[-1]['won']}/{len(games)} won, {rows[-1]['steps']:.2f} steps", file=sys.stderr)
    lengths = walkthroughs(games)
    if options.json:
        print(json.dumps({"split": options.split, "rows": rows, "walkthrough": lengths, "caption": CAPTION}))
    else:
        width = None if sys.stdout.isatty() else 150
        Console(width=width).print(table(rows, lengths["all"], options.split), CAPTION, highlight=False)


def main() -> None:
    about, _, more = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=more, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    usual = [name for name in SEARCHES if name not in SLOW]
    parser.add_argument("--searches", nargs="+", choices=list(SEARCHES), default=usual, metavar="NAME")
    parser.add_argument("--games", type=int, help="so many, drawn by the seed; by default all of the split")
    parser.add_argument("--split", choices=["valid_train", "valid_seen"], default="valid_seen")
    parser.add_argument("--episodes", default="all", help="train games to learn from: a number, or all")
    parser.add_argument("--logs", type=Path, required=True, help="the folder that keeps logs and rules")
    parser.add_argument("--data", type=Path, default=GAMES, help="the folder with the splits")
    parser.add_argument("--samples", type=int, default=PlanConfig().samples)
    parser.add_argument("--expansions", type=int, default=PlanConfig().expansions)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    try:
        run(parser.parse_args())
    except WorldModelError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
