"""Induction from long logs: is the time linear, is the memory flat, and what do two workers gain?

    python benchmarks/scale.py
    python benchmarks/scale.py --transitions 10000 100000 1000000 --logged 100000 --workers 2

Transitions are random walks in a rule set's own engine, made while they are counted: how long that takes
is told apart. Every row is a process of its own, so that its peak of memory is its own. Then a log is
written as trace files, and read and counted in one process and in several. All but the seconds are of the
processor, so that a busy machine changes little; what is done *here* is what more workers cannot share.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.blocks import BLOCKS
from rules.engine import Engine
from rules.induction import Statistics, Transition, induce
from rules.induction.storage import tables
from rules.language import load, parse, render
from rules.logic import TRUE, WILDCARD, Action, Atom, State
from rules.pddl import read_trace
from rules.pddl.traces import transition
from rules.ruleset import RuleSet
from worldmodel.environments.registry import shipped_rules
from worldmodel.learning import count, here
from worldmodel.parallel import Workers

STEPS = 50
"""Transitions of a walk."""
BATCH = 100
"""Walks that are made before they are counted."""
TRIES = 8
"""So many actions are drawn for every other step, until one works: else little would ever happen."""
TRACE = 100
"""Transitions of a trace file."""

OPENABLE = ("cabinet", "drawer", "fridge", "microwave", "safe")

Row = dict[str, Any]


class Domain(NamedTuple):
    """Rules to walk in, and the worlds where walks begin."""

    rules: Callable[[], RuleSet]
    begin: Callable[[RuleSet, random.Random], tuple[dict[str, str], set[Atom]]]


def blocks_world(rules: RuleSet, chance: random.Random) -> tuple[dict[str, str], set[Atom]]:
    """A few towers."""
    blocks = [f"b{n}" for n in range(chance.randint(4, 9))]
    true = set()
    below: str | None = None
    for block in blocks:
        true.add(Atom("on", (block, below)) if below else Atom("table", (block,)))
        below = block if chance.random() < 0.6 else None
        if below is None:
            true.add(Atom("clear", (block,)))
    if below:
        true.add(Atom("clear", (below,)))
    return dict.fromkeys(blocks, "block"), true


def household_room(rules: RuleSet, chance: random.Random) -> tuple[dict[str, str], set[Atom]]:
    """Things in places, of any types."""
    places = chance.sample([t for t, parent in rules.types.items() if parent == "receptacle"], 8)
    things = chance.sample([t for t, parent in rules.types.items() if parent == "object"], 10)
    true = {Atom("openable", (f"{place}1",)) for place in places if place in OPENABLE}
    true |= {Atom("in", (f"{thing}1", f"{chance.choice(places)}1")) for thing in things}
    return {f"{type_}1": type_ for type_ in [*places, *things]}, true | {Atom("at", (f"{places[0]}1",))}


DOMAINS = {
    "blocks": Domain(partial(parse, BLOCKS), blocks_world),
    "household": Domain(lambda: load(shipped_rules("alfworld")), household_room),
}


@cache
def engine(domain: str) -> Engine:
    return Engine(DOMAINS[domain].rules())


@cache
def vocabulary(domain: str) -> RuleSet:
    """What a learner may know: the rules' vocabulary."""

    rules = engine(domain).ruleset
    bare = {name: replace(schema, rules=(), otherwise=None) for name, schema in rules.actions.items()}
    return replace(rules, relations={}, invariants=(), actions=bare)


def walk(domain: str, seed: int) -> list[Transition]:
    """A random walk; every state is known in full."""
    walker, chance = engine(domain), random.Random(f"{domain} {seed}")
    objects, true = DOMAINS[domain].begin(walker.ruleset, chance)
    closed = frozenset(Atom(p, (WILDCARD,) * len(s)) for p, s in walker.ruleset.predicates.items())
    state = State(objects, true, closed)
    found = []
    for step in range(STEPS):
        for _ in range(TRIES if step % 2 else 1):
            action = draw(walker.ruleset, state, chance)
            succeeded = walker.outcome(state, action).truth is TRUE
            if succeeded:
                break
        after = walker.apply(state, action) if succeeded else state
        after = State(objects, after.true, closed - after.true)
        found.append(transition(state, action, succeeded, after))
        state = after
    return found


def draw(rules: RuleSet, state: State, chance: random.Random) -> Action:
    """An action of fitting types."""
    schema = chance.choice(list(rules.actions.values()))
    return Action(
        schema.name,
        tuple(
            chance.choice([name for name, type_ in state.objects.items() if rules.is_a(type_, p.type)])
            for p in schema.parameters
        ),
    )


def measure(domain: str, transitions: int) -> Row:
    """One pass over so many transitions."""
    statistics = Statistics(vocabulary(domain))
    making = counting = 0.0
    for first in range(0, transitions // STEPS, BATCH):
        began = time.process_time()
        made = [walk(domain, seed) for seed in range(first, min(first + BATCH, transitions // STEPS))]
        done = time.process_time()
        for some in made:
            statistics.update(some)
        making, counting = making + done - began, counting + time.process_time() - done
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began = time.process_time()
    ruleset = induce(statistics)
    return {
        "domain": domain,
        "transitions": len(statistics),
        "making_us": 1e6 * making / len(statistics),
        "counting_us": 1e6 * counting / len(statistics),
        "peak_mib": peak,
        "distinct": {name: len(table) for name, table in tables(statistics).items()},
        "inducing_seconds": time.process_time() - began,
        "rules": sum(len(schema.rules) for schema in ruleset.actions.values()),
    }


def write_traces(domain: str, transitions: int, folder: Path) -> list[Path]:
    """A log of trace files."""
    per_file = TRACE // STEPS
    paths = []
    for first in range(0, transitions // STEPS, per_file):
        path = folder / f"{first:06d}_{domain}_traj"
        with path.open("w", encoding="utf-8") as file:
            for seed in range(first, first + per_file):
                file.write("(:trajectory\n" + "\n".join(_lines(walk(domain, seed))) + ")\n")
        paths.append(path)
    return paths


def _lines(transitions: Sequence[Transition]) -> Iterator[str]:
    yield _state(transitions[0].before)
    for found in transitions:
        head = ":action" if found.succeeded else ":failed"
        yield f"({head} ({' '.join((found.action.name, *found.action.args))}))"
        yield _state(found.after)


def _state(state: State) -> str:
    return f"(:state {' '.join(f'({chr(32).join((p, *args))})' for p, args in sorted(state.true))})"


def spread(domain: str, paths: Sequence[Path], workers: int) -> Row:
    """Reads and counts a log of traces, in this process or in several."""

    def processes(begin: Any, chunks: Any) -> Any:
        return Workers(begin, workers, str).map(chunks)

    read = partial(read_trace, domain=vocabulary(domain))
    began, own, used = time.perf_counter(), time.process_time(), _cpu()
    statistics = count(paths, vocabulary(domain), read, processes if workers > 1 else here)
    return {
        "domain": domain,
        "workers": workers,
        "transitions": len(statistics),
        "seconds": time.perf_counter() - began,
        "cpu_us": 1e6 * (_cpu() - used) / len(statistics),
        "own_us": 1e6 * (time.process_time() - own) / len(statistics),
        "rules": render(induce(statistics)),
    }


def _cpu() -> float:
    """Processor seconds of this process and of its children that have ended."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


# what is printed


def scale_table(rows: Sequence[Row]) -> Table:
    """One pass, by the length of the log; ratios are to the shortest log of the domain."""
    table = Table(title="one pass over a log", title_justify="left")
    for name in ("domain", "transitions", "making, us", "counting, us", "ratio", "peak, MiB", "ratio",
                 "distinct records", "other rows", "inducing, s", "rules"):  # fmt: skip
        table.add_column(name, justify="left" if name == "domain" else "right")
    for row in rows:
        first = next(r for r in rows if r["domain"] == row["domain"])
        distinct = dict(row["distinct"])
        table.add_row(
            row["domain"],
            f"{row['transitions']:,}",
            f"{row['making_us']:.0f}",
            f"{row['counting_us']:.0f}",
            f"{row['counting_us'] / first['counting_us']:.2f}",
            f"{row['peak_mib']:.0f}",
            f"{row['peak_mib'] / first['peak_mib']:.2f}",
            f"{distinct.pop('records'):,}",
            ", ".join(f"{name} {rows_:,}" for name, rows_ in distinct.items()),
            f"{row['inducing_seconds']:.2f}",
            str(row["rules"]),
        )
    return table


def spread_table(rows: Sequence[Row]) -> Table:
    """Reading and counting the same log by the number of workers."""
    table = Table(title="reading and counting trace files", title_justify="left")
    for name in (
        "domain",
        "transitions",
        "workers",
        "seconds",
        "speed-up",
        "CPU, us",
        "of it here, us",
        "same rules",
    ):
        table.add_column(name, justify="left" if name == "domain" else "right")
    for row in rows:
        first = next(r for r in rows if r["domain"] == row["domain"])
        table.add_row(
            row["domain"],
            f"{row['transitions']:,}",
            str(row["workers"]),
            f"{row['seconds']:.1f}",
            f"{first['seconds'] / row['seconds']:.2f}",
            f"{row['cpu_us']:.0f}",
            f"{row['own_us']:.0f}",
            "yes" if row["rules"] == first["rules"] else "NO",
        )
    return table


def run(options: argparse.Namespace) -> tuple[list[Row], list[Row]]:
    rows, spreads = [], []
    for domain in options.domains:
        for transitions in options.transitions:
            with ProcessPoolExecutor(1, get_context("spawn")) as process:
                rows.append(process.submit(measure, domain, transitions).result())
            print(f"{domain}: {transitions:,} transitions counted", file=sys.stderr)
        with TemporaryDirectory() as folder:
            paths = write_traces(domain, options.logged, Path(folder))
            for workers in sorted({1, options.workers}):
                spreads.append(spread(domain, paths, workers))
    return rows, spreads


def main() -> None:
    about, _, more = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=more, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--transitions", nargs="+", type=int, default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--domains", nargs="+", choices=DOMAINS, default=list(DOMAINS))
    parser.add_argument("--logged", type=int, default=100_000, help="transitions of the log that is read")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows, spreads = run(options)
    if options.json:
        for row in spreads:
            del row["rules"]
        print(json.dumps({"one_pass": rows, "spread": spreads}))
    else:
        out = Console(width=None if sys.stdout.isatty() else 170, highlight=False)
        out.print(scale_table(rows), spread_table(spreads))


if __name__ == "__main__":
    main()
