"""Seeded faults, a small share of what `benchmarks/verification.py` inserts: all found, none made up."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.reference import compare
from benchmarks.seeding import RECIPES, Domain
from benchmarks.verification import ARCHIVE, domains, main, measure, report, seeded
from rules.engine import Engine
from rules.logic import FALSE, TRUE, State
from rules.verification.simulation import closure, walks

NOWHERE = Path("/nonexistent")


@pytest.fixture(scope="module")
def sets() -> list[Domain]:
    return list(domains(600, 1, NOWHERE))


def test_every_seeded_fault_is_found_and_nothing_else(sets: list[Domain]) -> None:
    faults = seeded(sets, 24, 1)
    assert [sum(f.kind == kind for f in faults) for kind in RECIPES] == [4] * 6
    said = report(measure(sets, faults, twice=6), compare([]))
    assert said["missed"] == [] and said["found"] == 24
    assert said["false_alarms"] == {}
    assert said["same_twice"] is True


def test_the_reference_agrees(sets: list[Domain]) -> None:
    found = compare([d.ruleset for d in sets])
    assert found.small > 50 and found.wrong == 0
    assert found.agree >= 0.9 * found.small


def test_faults_are_drawn_by_the_seed(sets: list[Domain]) -> None:
    assert seeded(sets, 6, 3) == seeded(sets, 6, 3)
    assert seeded(sets, 6, 3) != seeded(sets, 6, 4)


@pytest.mark.slow
@pytest.mark.skipif(not ARCHIVE.exists(), reason="AMLGym's domains are not in ../shared/data/amlgym")
def test_the_benchmark_in_small() -> None:
    pytest.importorskip("unified_planning")
    assert main(["--faults", "12", "--length", "600", "--domains", "miconic", "npuzzle", "tpp"]) == 0


def test_a_walk_is_what_the_engine_says_with_failures_for_every_clause(sets: list[Domain]) -> None:
    blocks = sets[0]
    engine = Engine(blocks.ruleset)
    narrow = set()
    for t in blocks.log:
        assert t.succeeded is (engine.outcome(t.before, t.action).truth is TRUE)
        assert t.after.true == engine.apply(t.before, t.action).true
        if not t.succeeded:
            ((_, failing),) = engine.explain(t.before, t.action)
            if len(failing) == 1 and failing[0][1] is FALSE:
                narrow.add((t.action.name, failing[0][0]))
    clauses = {(s.name, (c,)) for s in blocks.ruleset.actions.values() for r in s.rules for c in r.when}
    # whoever holds a block has nothing on it, so that a block in hand is never clear: no walk gets there
    assert narrow >= {c for c in clauses if c[0] in ("put", "stack", "unstack")}


def test_a_walk_is_drawn_by_its_seed() -> None:
    (blocks,) = domains(50, 1, NOWHERE, ["blocks"])
    start = State({"a": "block", "b": "block"}, (), closure(blocks.ruleset))
    one, same, other = (list(walks(blocks.ruleset, [start], 20, seed)) for seed in (1, 1, 2))
    assert one == same != other
    assert len(one) == 20
