"""Learning action models: this project beside SAM, NOLAM and OffLAM, same traces, same scores.

    python3.11 -m venv PEERS
    PEERS/bin/pip install offlam==1.0.1 nolam==1.0.0 n-sam==1.3.1 sympy anytree scikit-learn
    PEERS/bin/pip install --no-deps amlgym==1.0.13

    python -m benchmarks.induction --peers PEERS/bin/python                # every setting, 11 domains
    python -m benchmarks.induction --peers PEERS/bin/python --all          # and 10 that are kept aside
    python -m benchmarks.induction --settings traces flip5 --domains tpp miconic
    python -m benchmarks.failures                                            # what failures are good for

Every learner reads the same domain file, emptied of preconditions and effects, and the same trace files.
Syntactic precision and recall and those of the applicable actions are AMLGym's (`benchmarks.scores`);
applicable actions are judged where the traces contain every action. A crash gives no score: means are over
the runs that ended, and crashes are counted beside them. What hiding and flipping mean is told by
`benchmarks.corpus.corrupted`; only NOLAM is told the rate of flips. SAM reads no partial traces.

CPU time goes from the files to the rules, and includes parsing them, for everyone; the peers' also includes
AMLGym's filling of false literals, without which they do not learn.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.corpus import Domain, corpora, corrupted, first, read, written
from benchmarks.learners import STAGES, Peers, Row, ours, streaming
from benchmarks.scores import Applicability, Score, syntactic
from rules.errors import WorldModelError
from rules.induction import Transition
from rules.pddl import read_domain

OURS, GUESSING = "this project", "with analogies"
PEERS = ("SAM", "NOLAM", "OffLAM")
PUBLISHED = {
    "traces": {"SAM": (0.58, 0.98), "NOLAM": (0.53, 0.98), "OffLAM": (0.91, 0.99)},
    "transitions": {"SAM": (0.50, 0.90), "NOLAM": (0.61, 0.80), "OffLAM": (0.78, 0.91)},
}
"""Syntactic precision and recall over AMLGym's 21 domains, as AMLGym reports them."""


class Setting(NamedTuple):
    """What the learners get to see."""

    name: str
    title: str
    kind: str = "learning"
    transitions: int = 0
    hidden: float = 0.0
    flipped: float = 0.0
    peers: Sequence[str] = PEERS

    @property
    def few(self) -> bool:
        return bool(self.transitions) or self.kind == "learning_hard"

    @property
    def seeded(self) -> bool:
        return bool(self.transitions or self.hidden or self.flipped)


SETTINGS = (
    Setting("traces", "10 traces"),
    Setting("transitions", "10 transitions", transitions=10),
    Setting("hard", "learning_hard", kind="learning_hard"),
    Setting("hide70", "70 % hidden", hidden=0.7, peers=("NOLAM", "OffLAM")),
    Setting("hide90", "90 % hidden", hidden=0.9, peers=("NOLAM", "OffLAM")),
    Setting("flip1", "1 % flipped", flipped=0.01),
    Setting("flip5", "5 % flipped", flipped=0.05),
    Setting("flip10", "10 % flipped", flipped=0.1),
)


# -- one measurement


class Bench:
    """Runs every learner on every log of one domain."""

    def __init__(self, domain: Domain, peers: Peers | None, folder: Path, states: int, repeats: int) -> None:
        self.domain, self.peers, self.folder, self.repeats = domain, peers, folder, repeats
        self._applicability = Applicability(domain.vocabulary, domain.examples(states, 0))

    def rows(self, setting: Setting, seed: int) -> Iterator[Row]:
        """A row for every learner; none where there is nothing to learn from."""
        paths, traces = self._log(setting, seed)
        if not any(traces):
            return
        seen = {t.action.name for trace in traces for t in trace}
        row: Row = {
            "setting": setting.name,
            "domain": self.domain.name,
            "seed": seed,
            "transitions": sum(map(len, traces)),
            "every action": seen == set(self.domain.truth.actions),
        }
        for learner, found in self._answers(setting, paths):
            yield row | {"learner": learner} | self._scored(learner, found, row["transitions"], setting)

    def _log(self, setting: Setting, seed: int) -> tuple[list[Path], list[list[Transition]]]:
        paths = self.domain.traces(setting.kind)
        traces = read(paths, self.domain.vocabulary)
        if not setting.seeded:
            return paths, traces
        if setting.transitions:
            traces = first(traces, setting.transitions, seed)
        folder = self.folder / f"{setting.name} {self.domain.name} {seed}"
        folder.mkdir()
        chance = random.Random(seed)
        return [
            written(folder / f"{number}_traj", self._states(setting, trace, chance), trace)
            for number, trace in enumerate(traces)
        ], traces

    def _states(self, setting: Setting, trace: list[Transition], chance: random.Random) -> list[Any]:
        return corrupted(trace, self.domain.vocabulary, setting.hidden, setting.flipped, chance)

    def _answers(self, setting: Setting, paths: Sequence[Path]) -> Iterator[tuple[str, Row]]:
        repeats = 1 if setting.seeded else self.repeats
        for learner in (OURS, GUESSING) if setting.few else (OURS,):
            try:
                yield learner, ours(self.domain.bare, paths, repeats, learner == GUESSING)
            except Exception as error:  # a crash is a result, ours like theirs
                yield learner, {"error": f"{type(error).__name__}: {error}"}
        for learner in setting.peers if self.peers else ():
            job = {
                "learner": learner,
                "domain": str(self.domain.bare),
                "traces": [str(path.resolve()) for path in paths],
                "partial": bool(setting.hidden),
                "noise": setting.flipped,
                "repeats": repeats,
            }
            assert self.peers is not None
            yield learner, self.peers.ask(job)

    def _scored(self, learner: str, found: Row, transitions: int, setting: Setting) -> Row:
        if "error" in found:
            return {"error": found["error"]}
        file = self.folder / f"{learner} {self.domain.name}.pddl"
        file.write_text(found["domain"])
        try:
            learned = read_domain(file, rules=True)
        except WorldModelError as error:
            return {"error": f"what it learned is no PDDL: {error}"}
        literals = syntactic(learned, self.domain.truth)
        applicable = self._applicability.score(learned)
        row = {
            "precision": literals.precision,
            "recall": literals.recall,
            "applicable precision": applicable.precision,
            "applicable recall": applicable.recall,
            "ms": 1000 * found["seconds"] / transitions,
            "filling ms": 1000 * found.get("filling", 0.0) / transitions,
            "stages": {k: 1000 * s / transitions for k, s in found.get("stages", {}).items()},
        }
        if self.peers and setting.name == "traces":
            row["amlgym"] = self.peers.ask({"score": str(file), "reference": str(self.domain.file)})
        return row


def measured(args: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """All rows, domain by domain."""
    peers = Peers(args.peers, args.limit) if args.peers else None
    known, aside = corpora(folder, args.peers if args.all else None, args.domains)
    for domain in (*known, *aside):
        bench = Bench(domain, peers, folder, args.states, args.repeats)
        for setting in SETTINGS:
            if setting.name not in args.settings:
                continue
            for seed in range(args.seeds if setting.seeded else 1):
                print(f"{domain.name}: {setting.title}, seed {seed}", file=sys.stderr, flush=True)
                for row in bench.rows(setting, seed):
                    yield row | {"aside": domain in aside}
        if "traces" in args.settings:
            ms = streaming(domain, domain.traces("learning"))
            yield {"setting": "streaming", "domain": domain.name, "ms": ms, "aside": domain in aside}
    if peers:
        peers.close()


# -- tables


def mean(rows: Sequence[Row], key: str) -> float | None:
    """The mean over domains of the mean over the seeds of each."""
    values: dict[str, list[float]] = {}
    for row in rows:
        if key in row:
            values.setdefault(row["domain"], []).append(row[key])
    return fmean(map(fmean, values.values())) if values else None


SCORES = ("precision", "recall", "applicable precision", "applicable recall")


def show(console: Console, rows: Sequence[Row], title: str) -> None:
    """A line a setting and learner, and how this project compares to the best peer."""
    table = Table(title=title)
    table.add_column("learner", no_wrap=True)
    for column in (
        "precision",
        "recall",
        "applicable: precision",
        "recall",
        "1/1",
        "ms/transition",
        "crashes",
    ):
        table.add_column(column, justify="right")
    for setting in SETTINGS:
        found = [row for row in rows if row["setting"] == setting.name]
        if not found:
            continue
        learners = list(dict.fromkeys(row["learner"] for row in found))
        table.add_section()
        table.add_row(f"[bold]{setting.title}", f"{fmean(r['transitions'] for r in found):.0f} tr.")
        summaries = {x: summary([row for row in found if row["learner"] == x]) for x in learners}
        for learner in learners:
            table.add_row(f"  {learner}", *summaries[learner]["cells"])
        best = best_peer(summaries)
        if best is not None:
            table.add_row(f"  [dim]to {best}", *ratios(summaries[OURS], summaries[best]))
        elif setting.name in PUBLISHED:
            for learner, (precision, recall) in PUBLISHED[setting.name].items():
                table.add_row(f"  [dim]{learner}, published", f"{precision:.2f}", f"{recall:.2f}")
    console.print(table)


def summary(rows: Sequence[Row]) -> Row:
    """The means of one learner in one setting, and its table cells."""
    ended = [row for row in rows if "error" not in row]
    complete = [row for row in ended if row["every action"]]
    found: Row = {key: mean(ended if key[:2] != "ap" else complete, key) for key in (*SCORES, "ms")}
    perfect = sum(row["applicable precision"] == row["applicable recall"] == 1 for row in complete)
    crashes = len(rows) - len(ended)
    found["cells"] = [
        *[_cell(found[key], 3) for key in SCORES],
        f"{perfect} of {len(complete)}",
        _cell(found["ms"], 2),
        f"{crashes} of {len(rows)}" if crashes else "",
    ]
    return found


def _cell(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def best_peer(summaries: dict[str, Row]) -> str | None:
    """The peer whose precision and recall together (F1) are best."""
    scored = [x for x in PEERS if x in summaries and summaries[x]["precision"] is not None]
    return max(
        scored, key=lambda x: Score(summaries[x]["precision"], summaries[x]["recall"]).f1, default=None
    )


def ratios(own: Row, peer: Row) -> list[str]:
    """This project's scores over a peer's, and how much less time it takes."""
    cells = [f"[dim]x {own[key] / peer[key]:.2f}" if own[key] and peer[key] else "" for key in SCORES]
    return [*cells, "", f"[dim]x {peer['ms'] / own['ms']:.2f} as fast" if own["ms"] else ""]


def show_domains(console: Console, rows: Sequence[Row]) -> None:
    """Each domain of the main setting: every learner's precision / recall, and where our time goes."""
    found = [row for row in rows if row["setting"] == "traces"]
    if not found:
        return
    learners = list(dict.fromkeys(row["learner"] for row in found))
    table = Table(title="10 traces: syntactic precision / recall; applicable actions; ms per transition")
    for column in ("domain", *learners):
        table.add_column(column)
    for name in dict.fromkeys(row["domain"] for row in found):
        own = {row["learner"]: row for row in found if row["domain"] == name}
        mark = "" if own[OURS]["every action"] else " *"
        cells = [_domain_cell(own[x]) for x in learners]
        table.add_row(f"{name}{mark}\n{own[OURS]['transitions']} transitions", *cells)
    console.print(table)
    console.print("* the traces lack an action")
    for learner in PEERS:
        filled = mean([row for row in found if row["learner"] == learner], "filling ms")
        if filled is not None:
            console.print(f"{learner}: of its time, {filled:.2f} ms go to filling in what is false")


def show_stages(console: Console, rows: Sequence[Row]) -> None:
    """Where this project's time goes, and what a transition more costs in a long log."""
    table = Table(title="This project, CPU ms per transition")
    for column in ("setting", *STAGES, "total"):
        table.add_column(column, justify="left" if column == "setting" else "right")
    for setting in SETTINGS:
        own = [r for r in rows if r["setting"] == setting.name and r.get("learner") == OURS and "ms" in r]
        if own:
            cells = [f"{fmean(r['stages'][stage] for r in own):.3f}" for stage in STAGES]
            table.add_row(setting.title, *cells, f"{fmean(r['ms'] for r in own):.3f}")
    streamed = [row["ms"] for row in rows if row["setting"] == "streaming"]
    if streamed:
        table.add_section()
        table.add_row("a long log: reading, counting", *[""] * len(STAGES), f"{fmean(streamed):.3f}")
    console.print(table)


def _domain_cell(row: Row) -> str:
    if "error" in row:
        return str(row["error"])
    literals, applicable = ("/".join(f"{row[k]:.2f}" for k in SCORES[i : i + 2]) for i in (0, 2))
    return f"{literals}  {applicable}\n{row['ms']:.2f} ms"


def show_agreement(console: Console, rows: Sequence[Row]) -> None:
    """Where AMLGym's own scorer, which rounds to two digits, says something else than ours."""
    differing = [
        f"{row['learner']} in {row['domain']}: {row['precision']:.3f}/{row['recall']:.3f},"
        f" AMLGym: {row['amlgym']}"
        for row in rows
        if any(abs(row["amlgym"].get(key, 9) - row[key]) > 0.0051 for key in ("precision", "recall"))
    ]
    if rows:
        console.print(
            f"AMLGym's scorer agrees on {len(rows) - len(differing)} of {len(rows)} domains learned"
        )
        console.print(*differing, sep="\n")


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--peers", metavar="PYTHON", help="the python of the peers' environment")
    parser.add_argument("--all", action="store_true", help="also the domains that only their amlgym has")
    names = [setting.name for setting in SETTINGS]
    parser.add_argument("--settings", nargs="+", choices=names, default=names)
    parser.add_argument("--domains", nargs="+", default=[])
    parser.add_argument("--seeds", type=int, default=3, help="of what is shuffled or corrupted")
    parser.add_argument("--states", type=int, default=200, help="test states a domain; 0: all")
    parser.add_argument("--repeats", type=int, default=3, help="of what is timed in full")
    parser.add_argument("--limit", type=int, default=300, help="seconds a peer may take for a domain")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every row at once, a line each")
    args = parser.parse_args(argv)
    if args.all and not args.peers:
        parser.error("--all needs --peers: the other domains are in the peers' amlgym")
    return args


def main(argv: Sequence[str] | None = None) -> None:
    args = arguments(argv)
    console = Console(width=None if sys.stdout.isatty() else 150)
    rows = []
    with tempfile.TemporaryDirectory() as folder, (args.json or Path(os.devnull)).open("w") as file:
        for row in measured(args, Path(folder)):
            rows.append(row)
            print(json.dumps(row), file=file, flush=True)
    groups = {"AMLGym's 11 domains": [r for r in rows if not r["aside"]]}
    if args.all:
        groups |= {"The domains kept aside": [r for r in rows if r["aside"]], "All domains": rows}
    for title, chosen in groups.items():
        if chosen:
            show(console, chosen, title)
    if "traces" in args.settings:
        show_domains(console, groups["AMLGym's 11 domains"])
        show_agreement(console, [row for row in rows if "amlgym" in row])
    show_stages(console, rows)


if __name__ == "__main__":
    main()
