"""``worldmodel rules export`` and ``import``, and ``worldmodel induce --domain``."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from rules import language
from rules.engine import Engine
from rules.induction import Statistics, induce
from rules.induction.pruning import prune
from rules.logic import FALSE, TRUE
from rules.pddl import read_domain, read_trace, write_domain
from tests.worldmodel.cli.conftest import Run

pytest.importorskip("unified_planning", reason="the extra pddl is not installed")

LORRIES = """(define (domain lorries) (:requirements :strips :typing) (:types place lorry)
(:predicates (at ?t - lorry ?p - place) (road ?a ?b - place))
(:action drive :parameters (?t - lorry ?a ?b - place) :precondition (and (at ?t ?a) (road ?a ?b))
 :effect (and (not (at ?t ?a)) (at ?t ?b))))
"""
ROADS = "(road a b) (road b c) (road c a)"


def trace(*steps: str) -> str:
    """A lorry that goes round; a failure where it tries to turn back."""
    lines = [f"(:state (at t {steps[0]}) {ROADS})"]
    for here, there in pairwise(steps):
        lines += [f"(:failed (drive t {there} {here}))", lines[-1]]
        lines += [f"(:action (drive t {here} {there}))", f"(:state (at t {there}) {ROADS})"]
    return "(:trajectory\n" + "\n".join(lines) + ")\n"


@pytest.fixture
def domain(tmp_path: Path) -> Path:
    path = tmp_path / "lorries.pddl"
    path.write_text(LORRIES)
    return path


@pytest.fixture
def traces(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "0_trace", tmp_path / "1_trace", tmp_path / "2_trace"]
    for path, steps in zip(paths, ("abcab", "bcabc", "cabca"), strict=True):
        path.write_text(trace(*steps))
    return paths


def test_import_and_export(run: Run, domain: Path, tmp_path: Path) -> None:
    rules, back = tmp_path / "new" / "x.rules", tmp_path / "back.pddl"
    said = json.loads(run("rules", "import", domain, "-o", rules, "--json").stdout)
    assert said == {"output": str(rules), "domain": "lorries", "rules": {"drive": 1}}
    assert language.load(rules) == read_domain(domain, rules=True)
    said = json.loads(run("rules", "export", rules, "--pddl", back, "--json").stdout)
    assert said == {"output": str(back), "actions": 1, "without_rules": []}
    assert read_domain(back, rules=True) == language.load(rules)
    assert run("rules", "export", rules, "-o", "-").stdout == back.read_text()
    assert run("rules", "import", domain, "-o", rules).stdout.endswith(": 1 rules of 1 actions\n")


def test_export_warns_of_actions_without_rules(run: Run, tmp_path: Path) -> None:
    rules = tmp_path / "x.rules"
    rules.write_text("domain d action wait")
    result = run("rules", "export", rules, "--pddl", tmp_path / "x.pddl")
    assert result.exit_code == 0
    assert result.stderr == "warning: no rule, so no effect in PDDL: wait\n"


def test_what_cannot_be_read_or_written(run: Run, domain: Path, tmp_path: Path) -> None:
    rules = tmp_path / "x.rules"
    rules.write_text("domain d predicate p(zork)")
    bad = tmp_path / "bad.pddl"
    bad.write_text("(define (domain d)")
    for arguments, complaint in (
        (("export", rules, "--pddl", tmp_path / "y.pddl"), f"{rules}:1:22: unknown type `zork`"),
        (
            ("export", tmp_path / "gone.rules", "--pddl", tmp_path / "y.pddl"),
            "no such file; expected a rule file",
        ),
        (("import", tmp_path / "gone.pddl", "-o", tmp_path / "y"), "no such file; expected a PDDL domain"),
        (("import", bad, "-o", tmp_path / "y"), f"{bad}: no PDDL domain: "),
        (("import", domain, "-o", domain), f"{domain}: is read by this command too"),
        (("import", domain, "-o", tmp_path), "is a folder"),
    ):
        result = run("rules", *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert complaint in result.stderr
    assert not (tmp_path / "y").exists() and not (tmp_path / "y.pddl").exists()
    assert domain.read_text() == LORRIES


def test_learns_what_the_library_learns(run: Run, domain: Path, traces: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "new" / "x.rules"
    said = json.loads(run("induce", *traces, "--domain", domain, "-o", out, "--json").stdout)
    vocabulary = read_domain(domain)
    statistics = Statistics(vocabulary)
    for path in traces:
        statistics.update(read_trace(path, vocabulary))
    learned = language.load(out)
    assert learned == prune(induce(statistics))
    assert (said["episodes"], said["transitions"], said["rules"]) == (3, 24, {"drive": 1})
    assert sorted(path.name for path in out.parent.iterdir()) == ["x.rules"]
    engine = Engine(learned)
    for path in traces:
        for transition in read_trace(path, vocabulary):
            outcome = engine.outcome(transition.before, transition.action).truth
            assert outcome is (TRUE if transition.succeeded else FALSE)
            assert engine.apply(transition.before, transition.action).true == transition.after.true
    assert "(at ?t ?a)" in write_domain(learned)


def test_the_table(run: Run, domain: Path, traces: list[Path], tmp_path: Path) -> None:
    result = run("induce", *traces, "--domain", domain, "--limit", 2, "-o", tmp_path / "x.rules")
    assert result.exit_code == 0
    assert "drive 1" in result.stdout and " 16 " in result.stdout


def test_counting_goes_on_where_it_stopped(
    run: Run, domain: Path, traces: list[Path], tmp_path: Path
) -> None:
    stats, whole, parts = tmp_path / "x.stats.gz", tmp_path / "whole.rules", tmp_path / "parts.rules"
    run("induce", *traces, "--domain", domain, "-o", whole)
    run("induce", traces[0], "--domain", domain, "--statistics", stats, "-o", parts)
    said = json.loads(
        run("induce", *traces, "--domain", domain, "--statistics", stats, "-o", parts, "--json").stdout
    )
    assert (said["counted_before"], said["transitions"]) == (1, 24)
    assert parts.read_bytes() == whole.read_bytes()
    with traces[0].open("a") as file:
        file.write(trace(*"abc"))
    result = run("induce", *traces, "--domain", domain, "--statistics", stats, "-o", parts)
    assert result.exit_code == 2
    assert f"error: {traces[0]}: has grown since it was counted in {stats}" in result.stderr


def test_two_processes_learn_the_same(run: Run, domain: Path, traces: list[Path], tmp_path: Path) -> None:
    for workers in (1, 2):
        result = run(
            "induce", *traces, "--domain", domain, "-j", workers, "-o", tmp_path / f"{workers}.rules"
        )
        assert result.exit_code == 0
    assert (tmp_path / "1.rules").read_bytes() == (tmp_path / "2.rules").read_bytes()


def test_traces_that_are_none(run: Run, domain: Path, traces: list[Path], logs: Path, tmp_path: Path) -> None:
    broken, empty, out = tmp_path / "broken", tmp_path / "empty", tmp_path / "x.rules"
    broken.write_text("(:trajectory (:state)\n(:action (fly t)) (:state))")
    empty.write_text("(:trajectory (:state))")
    for arguments, complaint in (
        ((*traces, broken, "--domain", domain), f"{broken}:2: unknown `fly`; expected `drive`"),
        ((empty, "--domain", domain), f"{empty}: no action in these traces"),
        ((logs, "--domain", domain), f"{logs}: no trace; expected one as (:trajectory"),
        ((tmp_path / "gone", "--domain", domain), "no such file; expected a trace"),
        ((*traces, "--domain", traces[0]), "no PDDL domain"),
        ((*traces,), f"{traces[0]}: a trace of states and actions; name its PDDL domain with --domain"),
    ):
        result = run("induce", *arguments, "-o", out)
        assert (result.exit_code, result.stdout) == (2, "")
        assert complaint in result.stderr
        assert "Traceback" not in result.stderr
    assert not out.exists()
