"""Planning ALFWorld's official games with rules induced from few explored episodes: success and steps.

    python benchmarks/household.py
    python benchmarks/household.py --episodes 1 3 10 30 100 all --workers 2 --logs FOLDER

Explores games of the split ``train``, induces the rules from these logs alone, without any LLM, and plays
every game of another split once. The games are drawn by the seed and explored in chunks of 100, each by an
explorer of its own, so that the logs are the same for any number of workers. A row of the table learns from
the first so many of these episodes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from math import ceil, sqrt
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from planners import PlanConfig
from rules.errors import WorldModelError
from worldmodel.cli.console import progress
from worldmodel.cli.episodes import Job, Setup, play_all
from worldmodel.cli.summary import SEEN, summarise
from worldmodel.collecting import collect_into
from worldmodel.environments.alfworld.games import GameReference, find_games
from worldmodel.environments.alfworld.spec import SPEC
from worldmodel.exploration import POLICIES
from worldmodel.learning import learn
from worldmodel.storage import save
from worldmodel.trajectories import Episode, read_episodes

GAMES = Path(__file__).resolve().parents[2] / "shared" / "data" / "alfworld"
CHUNK = 100
"""Games that one explorer plays. What it learned in one it knows in the next."""
STEPS = 50
RESAMPLES = 10_000

REFERENCES = (
    ("agent with perfect dynamics and all 3,553 train placements", None, 6.9),
    ("handcoded expert, repaired", 0.936, 19.9),
)
"""Name, success and mean steps on valid_seen: quoted, not measured here."""

Row = dict[str, Any]


class Logs(NamedTuple):
    """Where the train games are, how they are explored, and the folder that keeps the logs."""

    games: Path
    policy: str
    seed: int
    folder: Path

    def path(self, chunk: int) -> Path:
        return self.folder / f"{self.policy}-seed{self.seed}-{chunk:02d}.jsonl.gz"

    def rules(self, episodes: int) -> Path:
        return self.folder / f"{self.policy}-seed{self.seed}-{episodes}-episodes.rules"


@cache
def train_games(folder: Path, seed: int) -> list[GameReference]:
    """All train games, in an order drawn by the seed."""
    return SPEC.games(folder, "train", count=sys.maxsize, seed=seed)  # type: ignore[return-value]


def collect(logs: Logs, episodes: int, workers: int) -> int:
    """Explores the first so many train games, as far as they are not logged yet; the number of new ones."""
    chunks = range(ceil(episodes / CHUNK))
    explore = partial(_explore, logs, episodes)
    with ProcessPoolExecutor(workers) as pool, progress("chunks explored", len(chunks)) as advance:
        added = 0
        for number in pool.map(explore, chunks):
            added += number
            advance()
    return added


def _explore(logs: Logs, episodes: int, chunk: int) -> int:
    games = _games_of(logs, episodes, chunk)
    return sum(1 for _ in collect_into(logs.path(chunk), SPEC, games, logs.policy, logs.seed, STEPS))


def _games_of(logs: Logs, episodes: int, chunk: int) -> list[GameReference]:
    return train_games(logs.games, logs.seed)[chunk * CHUNK : min(episodes, (chunk + 1) * CHUNK)]


def read(logs: Logs, episodes: int) -> Iterator[Episode]:
    """The first so many logged episodes."""
    for chunk in range(ceil(episodes / CHUNK)):
        wanted = {game.id for game in _games_of(logs, episodes, chunk)}
        yield from (episode for episode in read_episodes(logs.path(chunk)) if episode.id in wanted)


def measure(logs: Logs, episodes: int, jobs: Sequence[Job], workers: int) -> Row:
    """Learns from the first so many episodes, plays every game, and sums up."""
    training = list(read(logs, episodes))
    began = time.perf_counter()
    save(learn(training, SPEC.perception(None)), logs.rules(episodes))
    learned = time.perf_counter()
    setup = Setup(SPEC.name, logs.rules(episodes), "fast", STEPS, PlanConfig(seed=logs.seed), "benchmark")
    with progress(f"{episodes} train episodes: games played", len(jobs)) as advance:
        played = []
        for episode in play_all(setup, jobs, workers):
            played.append(episode)
            advance()
    return {
        "train_episodes": episodes,
        "train_steps": sum(len(episode.steps) for episode in training),
        "learning_seconds": learned - began,
        "playing_seconds": time.perf_counter() - learned,
        **summarise(played),
        **_spread(played, logs.seed),
    }


def _spread(played: Sequence[Episode], seed: int) -> Row:
    """Intervals, the mean steps of the games that were won, and what happened in each game."""
    steps = np.array([len(episode.steps) for episode in played])
    won = [len(episode.steps) for episode in played if episode.success]
    draws = np.random.default_rng(seed).choice(steps, (RESAMPLES, len(steps))).mean(axis=1)
    return {
        "success_interval": wilson(len(won), len(played)),
        "steps_interval": np.percentile(draws, [2.5, 97.5]).tolist(),
        "steps_of_won": fmean(won) if won else None,
        "steps_by_game": {episode.id: len(episode.steps) for episode in played},
        "lost": [episode.id for episode in played if not episode.success],
    }


def wilson(won: int, games: int, z: float = 1.959964) -> tuple[float, float]:
    """The 95 % score interval of a share (Wilson 1927)."""
    share, weight = won / games, z * z / games
    centre, half = share + weight / 2, z * sqrt(share * (1 - share) / games + weight / (4 * games))
    return max(0.0, (centre - half) / (1 + weight)), min(1.0, (centre + half) / (1 + weight))


def walkthroughs(games: Sequence[GameReference]) -> dict[str, float]:
    """Mean lengths of the official full-information solutions, by task type and of ``all``."""
    lengths: dict[str, list[int]] = {}
    for game in games:
        length = len(game.document()["walkthrough"])
        for kind in (game.task_type, "all"):
            lengths.setdefault(kind, []).append(length)
    return {kind: fmean(values) for kind, values in lengths.items()}


# what is printed


def result_table(rows: Sequence[Row], walkthrough: float, split: str) -> Table:
    """One row for each number of train episodes, and the references."""
    table = Table(title=f"ALFWorld {split}, first attempt", title_justify="left")
    for name in ("train episodes", "train steps", "won", "success", "95 %", "steps", "95 %", "steps if won",
                 "replans", "ms a decision", "p95", "learning, s", "playing, s"):  # fmt: skip
        table.add_column(name, justify="left" if name == "train episodes" else "right")
    for row in rows:
        ms = row["ms_per_decision"]
        table.add_row(
            f"{row['train_episodes']:,}",
            f"{row['train_steps']:,}",
            f"{row['won']}/{row['games']}",
            f"{row['success']:.1%}",
            "–".join(f"{100 * x:.1f}" for x in row["success_interval"]),
            f"{row['steps']:.2f}",
            "–".join(f"{x:.2f}" for x in row["steps_interval"]),
            "–" if row["steps_of_won"] is None else f"{row['steps_of_won']:.2f}",
            f"{row['replans']:.1f}",
            f"{ms['mean']:.1f}",
            f"{ms['p95']:.1f}",
            f"{row['learning_seconds']:.1f}",
            f"{row['playing_seconds']:.1f}",
        )
    table.add_section()
    table.add_row("reference: walkthrough, all known", *[""] * 2, "100 %", "", f"{walkthrough:.2f}")
    if split == "valid_seen":
        for name, success, steps in REFERENCES:
            share = "" if success is None else f"{success:.1%}"
            table.add_row(f"reference, quoted: {name}", *[""] * 2, share, "", f"{steps:.1f}")
    return table


def type_table(rows: Sequence[Row], walkthrough: dict[str, float]) -> Table:
    """Games won and mean steps by task type."""
    table = Table(title="won, and mean steps, by train episodes", title_justify="left")
    table.add_column("task type")
    table.add_column("games", justify="right")
    for row in rows:
        table.add_column(f"{row['train_episodes']:,}", justify="right")
    table.add_column("walkthrough", justify="right")
    for kind in rows[0]["by_task_type"]:
        kinds = [row["by_task_type"][kind] for row in rows]
        cells = [f"{k['won']}  {k['steps']:5.2f}" for k in kinds]
        table.add_row(kind, str(kinds[0]["games"]), *cells, f"{walkthrough[kind]:.2f}")
    return table


def caption(logs: Logs, added: int, seconds: float) -> str:
    return (
        f"{SEEN} At most {STEPS} steps; a game that was not won counts with all it took. Seed {logs.seed}.\n"
        f"Logs: the {logs.policy} policy, which sees text and what is admissible, {STEPS} steps in each "
        "of the train games, "
        f"one explorer for every {CHUNK} games, no LLM; {added:,} episodes explored now in {seconds:.0f} s, "
        "the others found in the folder of logs.\n"
        "Intervals: Wilson's for success; a bootstrap over games for steps."
    )


def run(options: argparse.Namespace, folder: Path) -> None:
    logs = Logs(options.games, options.policy, options.seed, folder)
    games = find_games(options.games, options.split)
    jobs = [Job(game.id, game.task_type, game.load()) for game in games]
    known = len(train_games(options.games, options.seed))
    counts = sorted({known if count == "all" else min(int(count), known) for count in options.episodes})
    began = time.perf_counter()
    added = collect(logs, counts[-1], options.workers)
    seconds = time.perf_counter() - began
    rows = []
    for count in counts:
        rows.append(measure(logs, count, jobs, options.workers))
        _tell(rows[-1])
    lengths, text = walkthroughs(games), caption(logs, added, seconds)
    if options.json:
        result = {"split": options.split, "rows": rows, "walkthrough": lengths, "caption": text}
        print(json.dumps(result))
    else:
        width = None if sys.stdout.isatty() else 190
        Console(width=width).print(
            result_table(rows, lengths["all"], options.split),
            type_table(rows, lengths),
            text,
            highlight=False,
        )


def _tell(row: Row) -> None:
    """A line on stderr, so that a long run says early how it goes."""
    result = f"{row['won']}/{row['games']} won, {row['steps']:.2f} steps"
    print(f"{row['train_episodes']:,} train episodes: {result}", file=sys.stderr)


def _count(text: str) -> str:
    if text != "all" and not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number from 1, or all")
    return text


def _split(text: str) -> str:
    if text == "train":
        raise argparse.ArgumentTypeError("the rules are learned from train: expected another split")
    return text


def main() -> None:
    about, _, more = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=more, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--episodes", nargs="+", type=_count, default=["100"], help="train episodes, or all")
    parser.add_argument("--policy", choices=POLICIES, default="curious")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--split", type=_split, default="valid_seen", help="what is played")
    parser.add_argument("--games", type=Path, default=GAMES, help="the folder with the splits")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--logs", type=Path, help="keeps logs and rules; empty it where another explorer is to be measured"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        with TemporaryDirectory() as passing:
            folder = options.logs or Path(passing)
            folder.mkdir(parents=True, exist_ok=True)
            run(options, folder)
    except WorldModelError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
