"""Steps per second of both ALFWorld engines, on the same generated games and the same commands.

    python benchmarks/engines.py [GAMES] [STEPS]

Both list the admissible commands after every step; the official engine cannot do without. Times are of
the processor, so that a busy machine changes little.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from worldmodel.environments.alfworld.engine import FastEngine, TextEngine
from worldmodel.environments.alfworld.game import Game
from worldmodel.environments.alfworld.generator import generate
from worldmodel.environments.alfworld.official import OfficialEngine

Document = dict[str, Any]


class Seconds(NamedTuple):
    """Processor seconds: to make and start a game, and for one step."""

    start: float
    step: float


def script(game: Game, steps: int) -> list[str]:
    """Random admissible commands, a fifth of them impossible."""
    rng, engine = random.Random(game.id), FastEngine(game)
    commands = []
    for _ in range(steps):
        commands.append("dance" if rng.random() < 0.2 else rng.choice(engine.admissible()))
        engine.step(commands[-1])
    return commands


def measure(
    make: Callable[[Game], TextEngine], documents: list[Document], scripts: list[list[str]], repeats: int = 1
) -> Seconds:
    start = step = 0.0
    for document, commands in zip(documents, scripts, strict=True):
        for _ in range(repeats):
            began = time.process_time()
            engine = make(Game.from_document(document, document["id"]))
            engine.reset()
            ready = time.process_time()
            for command in commands:
                engine.step(command)
                engine.admissible()
            start += ready - began
            step += time.process_time() - ready
    runs = repeats * len(documents)
    return Seconds(start / runs, step / (repeats * sum(map(len, scripts))))


def main(count: int = 3, steps: int = 50) -> None:
    documents = list(generate(count, seed=0))
    scripts = [script(Game.from_document(document, document["id"]), steps) for document in documents]
    fast = measure(FastEngine, documents, scripts, repeats=50)
    official = measure(OfficialEngine, documents, scripts)
    table = Table(title=f"ALFWorld engines, {count} games of {steps} commands")
    for column in ("", "official", "fast", "ratio"):
        table.add_column(column, justify="right")
    table.add_row(
        "steps/s", f"{1 / official.step:,.1f}", f"{1 / fast.step:,.0f}", f"{official.step / fast.step:,.0f} x"
    )
    table.add_row(
        "load and reset, ms",
        f"{1e3 * official.start:,.0f}",
        f"{1e3 * fast.start:,.2f}",
        f"{official.start / fast.start:,.0f} x",
    )
    Console().print(table)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
