"""Seeded faults: what `rules check` finds of 200 faults in correct rule sets, and what it says of these.

    python -m benchmarks.verification                         # 200 faults, a few minutes
    python -m benchmarks.verification --faults 24 --seed 3

Correct are the 11 PDDL domains of AMLGym, the household rules that ship with ALFWorld, and a blocks
world. Each writes two walks by itself, failures among them, from states of AMLGym's traces (or rooms
and towers): from one its invariants are discovered and proved, and clauses that these imply are
pruned; the other tells whether a fault is one (`benchmarks.seeding`). Then every faulty set is checked
against the first walk. A fault is found if an error or warning of its kind names the faulty rule.

`benchmarks.reference` answers the same questions without z3, by trying every state of a few objects.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.blocks import BLOCKS
from benchmarks.reference import Comparison, compare
from benchmarks.seeding import RECIPES, Domain, Fault, insert
from rules.induction.pruning import prune
from rules.language import load, parse
from rules.logic import Atom, State
from rules.pddl import read_domain, read_trace
from rules.ruleset import RuleSet
from rules.verification import RLIMIT, Report, Severity, Status, check
from rules.verification.logged import LoggedStates, discovered
from rules.verification.simulation import walks
from worldmodel import shipped_rules

ARCHIVE = Path(__file__).resolve().parents[2] / "shared" / "data" / "amlgym" / "amlgym_11_domains.tar.xz"
LENGTH = 1500
"""Transitions of a walk."""
TWICE = 24
"""So many faulty sets are checked twice, to see whether the answers are the same to the letter."""

PLACES = (
    "cabinet",
    "drawer",
    "fridge",
    "microwave",
    "sinkbasin",
    "countertop",
    "desk",
    "stoveburner",
    "toaster",
)
DOORS = ("cabinet", "drawer", "fridge", "microwave")
VESSELS = ("bowl", "cup", "mug", "plate", "pot")
THINGS = ("apple", "mug", "plate", "desklamp", "knife", "bowl", "box", "tomato")


# -- correct rule sets


def domains(length: int, seed: int, archive: Path = ARCHIVE, only: Sequence[str] = ()) -> Iterator[Domain]:
    """The correct rule sets, with their walks."""
    if not only or "blocks" in only:
        towers = [State({f"block {i}": "block" for i in range(n)}, _tower(n)) for n in (2, 3, 4)]
        yield domain("blocks", parse(BLOCKS), towers, length, seed)
    if not only or "household" in only:
        rooms = [_room(random.Random(f"{seed} {i}")) for i in range(10)]
        yield domain("household", load(shipped_rules("alfworld")), rooms, length, seed)
    if archive.exists():
        with tempfile.TemporaryDirectory() as folder, tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
            for path in sorted(Path(folder).glob("domains/*.pddl")):
                if not only or path.stem in only:
                    ruleset = read_domain(path, rules=True)
                    traces = sorted(Path(folder).glob(f"trajectories/learning/{path.stem}/*_traj"))
                    starts = [s for trace in traces for s in _starts(trace, ruleset)]
                    yield domain(path.stem, ruleset, starts, length, seed)


def domain(name: str, ruleset: RuleSet, starts: Sequence[State], length: int, seed: int) -> Domain:
    """A correct rule set with the invariants that its own log suggests and z3 proves, pruned by them."""
    log, walk = (tuple(walks(ruleset, starts, length, s)) for s in (seed, seed + 1000))
    states = LoggedStates(ruleset)
    for transition in log:
        states.add(transition)
    found = discovered(ruleset, states.candidates, RLIMIT)
    sound = replace(ruleset, invariants=(*ruleset.invariants, *found.invariants))
    return Domain(name, prune(sound), log, walk)


def _starts(trace: Path, ruleset: RuleSet) -> list[State]:
    """A trace's first state, and the one half way."""
    states = [t.before for t in read_trace(trace, ruleset)]
    return [states[0], states[len(states) // 2]]


def _tower(height: int) -> list[Atom]:
    names = [f"block {i}" for i in range(height)]
    on = [Atom("on", pair) for pair in pairwise(names)]
    return [*on, Atom("clear", (names[0],)), Atom("table", (names[-1],))]


def _room(chance: random.Random) -> State:
    places = {f"{p} {i}": p for p in PLACES for i in range(1, chance.randint(1, 2) + 1)}
    things = {f"{t} {i}": t for t in THINGS for i in range(1, chance.randint(1, 2) + 1)}
    true = [Atom("in", (thing, chance.choice(list(places)))) for thing in things]
    true += [Atom("openable", (p,)) for p, type_ in places.items() if type_ in DOORS]
    true += [Atom("vessel", (t,)) for t, type_ in things.items() if type_ in VESSELS]
    return State({**places, **things}, [*true, Atom("at", (chance.choice(list(places)),))])


# -- faults


def seeded(sets: Sequence[Domain], total: int, seed: int) -> list[Fault]:
    """So many faults: as many of each kind, from each set in turn as long as it has another."""
    faults: list[Fault] = []
    kinds = list(RECIPES)
    for number, kind in enumerate(kinds):
        wanted = total // len(kinds) + (number < total % len(kinds))
        chances = {d.name: random.Random(f"{seed} {d.name} {kind}") for d in sets}
        left, found = list(sets), 0
        for place in cycle(sets):
            if found == wanted or not left:
                break
            if place in left:
                fault = insert(place, kind, chances[place.name], [f.ruleset for f in faults])
                if fault is None:
                    left.remove(place)
                else:
                    faults.append(fault)
                    found += 1
    return faults


def is_found(fault: Fault, report: Report) -> bool:
    """Whether an error or warning of the fault's kind names the faulty rule."""
    return any(
        f.kind in RECIPES[fault.kind].found and f.status is Status.REFUTED and fault.rule in f.rules
        for f in report.findings
    )


def grave(report: Report) -> list[str]:
    """The errors and warnings of a report."""
    return [str(f) for f in report.findings if f.severity is not Severity.NOTE]


class Result(NamedTuple):
    """What was measured."""

    false_alarms: dict[str, list[str]]
    faults: list[Fault]
    found: list[bool]
    questions: int
    seconds: float
    same: bool


def measure(sets: Sequence[Domain], faults: Sequence[Fault], twice: int = TWICE) -> Result:
    """Checks the correct sets, then the faulty ones, then the first few of these again."""
    logs = {d.name: d.log for d in sets}
    began = time.process_time()
    correct = {d.name: check(d.ruleset, transitions=d.log) for d in sets}
    reports = [check(f.ruleset, transitions=logs[f.domain]) for f in faults]
    seconds = time.process_time() - began
    again = [check(f.ruleset, transitions=logs[f.domain]) for f in faults[:twice]]
    return Result(
        {name: grave(report) for name, report in correct.items()},
        list(faults),
        [is_found(f, r) for f, r in zip(faults, reports, strict=True)],
        sum(r.questions for r in (*correct.values(), *reports)),
        seconds,
        again == reports[:twice],
    )


# -- tables


def report(result: Result, comparison: Comparison) -> dict[str, Any]:
    """What was measured, for a machine."""
    kinds = {
        kind: {
            "inserted": sum(f.kind == kind for f in result.faults),
            "found": sum(ok for f, ok in zip(result.faults, result.found, strict=True) if f.kind == kind),
        }
        for kind in RECIPES
    }
    missed = [f for f, ok in zip(result.faults, result.found, strict=True) if not ok]
    return {
        "kinds": kinds,
        "inserted": len(result.faults),
        "found": sum(result.found),
        "missed": [f"{f.domain} {f.rule}: {f.kind}: {f.what}" for f in missed],
        "correct_sets": len(result.false_alarms),
        "false_alarms": {name: alarms for name, alarms in result.false_alarms.items() if alarms},
        "questions": result.questions,
        "seconds": result.seconds,
        "same_twice": result.same,
        "reference": comparison._asdict(),
    }


def show(said: dict[str, Any], out: Console) -> None:
    """The same, for people."""
    table = Table("kind of fault", "inserted", "found")
    for kind, row in said["kinds"].items():
        table.add_row(kind, str(row["inserted"]), str(row["found"]))
    table.add_row("all", str(said["inserted"]), str(said["found"]), style="bold")
    out.print(table)
    for line in said["missed"]:
        out.print("missed:", line)
    alarms = sum(map(len, said["false_alarms"].values()))
    out.print(f"errors and warnings on the {said['correct_sets']} correct sets: {alarms}")
    for name, lines in said["false_alarms"].items():
        out.print(name, *lines, sep="\n  ")
    sets = said["inserted"] + said["correct_sets"]
    each = said["seconds"] / sets
    spent = f"{said['seconds']:.1f} s of CPU, {each:.2f} a rule set and log"
    out.print(f"{said['questions']:,} questions to z3 in {spent}")
    out.print(f"checked twice, the same to the letter: {'yes' if said['same_twice'] else 'NO'}")
    r = Comparison(**said["reference"])
    out.print(
        f"reference without z3, which can answer {r.small} of {r.questions} questions: {r.agree} agree, "
        f"{r.larger} take more objects, {r.wrong} z3 got wrong"
    )
    out.print(
        f"reference {r.reference:.1f} s of CPU, z3 {r.z3:.1f} s: {r.reference / max(r.z3, 1e-9):.1f} times"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs it; 1 if a fault was missed, a correct set was blamed, or an answer changed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--length", type=int, default=LENGTH, help="transitions of a walk")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--archive", type=Path, default=ARCHIVE, help="amlgym_11_domains.tar.xz")
    parser.add_argument("--domains", nargs="*", default=(), help="only these")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    if not given.archive.exists():
        print(f"{given.archive}: not there; without AMLGym's domains", file=sys.stderr)
    sets = list(domains(given.length, given.seed, given.archive, given.domains))
    result = measure(sets, seeded(sets, given.faults, given.seed))
    said = report(result, compare([d.ruleset for d in sets]))
    if given.json:
        print(json.dumps(said))
    else:
        show(said, Console())
    return int(bool(said["missed"] or said["false_alarms"] or not said["same_twice"]))


if __name__ == "__main__":
    sys.exit(main())
