"""The induction benchmark: its scores against hand-worked cases, and one run on two domains without peers."""

from __future__ import annotations

import json
import random
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("unified_planning", reason="reading PDDL needs unified-planning")

from benchmarks import corpus, failures, induction
from benchmarks.corpus import Example, bare, closed, corrupted, read, written
from benchmarks.joins import Joins
from benchmarks.learners import Peers
from benchmarks.scores import Applicability, Score, placed, syntactic
from rules.engine import Engine
from rules.logic import TRUE, Action, Atom, Literal, State
from rules.pddl import read_domain
from rules.pddl.traces import transition
from rules.ruleset import RuleSet

DOMAIN = """
(define (domain lifts)
  (:requirements :strips :typing)
  (:types floor thing)
  (:predicates (at ?f - floor) (above ?f - floor ?g - floor) (lies ?t - thing ?f - floor) (held ?t - thing))
  (:action move :parameters (?f - floor ?g - floor) ; a comment (with a bracket
    :precondition (and (at ?f) (above ?g ?f)) :effect (and (at ?g) (not (at ?f))))
  (:action take :parameters (?t - thing ?f - floor)
    :precondition (and (at ?f) (lies ?t ?f)) :effect (and (held ?t) (not (lies ?t ?f)))))
"""
needs_data = pytest.mark.skipif(not corpus.ARCHIVE.exists(), reason=f"no {corpus.ARCHIVE}")


def _read(folder: Path, text: str, *, rules: bool = True) -> RuleSet:
    file = folder / "domain.pddl"
    file.write_text(text)
    return read_domain(file, rules=rules)


@pytest.fixture
def truth(tmp_path: Path) -> RuleSet:
    return _read(tmp_path, DOMAIN)


@pytest.fixture
def state(truth: RuleSet) -> State:
    objects = {"f1": "floor", "f2": "floor", "f3": "floor", "box": "thing", "mug": "thing"}
    true = [Atom("at", ("f1",)), Atom("above", ("f2", "f1")), Atom("above", ("f3", "f1"))]
    return State(objects, [*true, Atom("lies", ("box", "f1")), Atom("lies", ("mug", "f2"))], closed(truth))


def test_a_bare_domain_tells_names_and_types_and_no_more(tmp_path: Path, truth: RuleSet) -> None:
    told = _read(tmp_path, bare(DOMAIN))
    assert told.predicates == truth.predicates
    assert {n: s.parameters for n, s in told.actions.items()} == {
        n: s.parameters for n, s in truth.actions.items()
    }
    assert not any(r.when or r.adds or r.deletes for s in told.actions.values() for r in s.rules)


def test_syntactic_scores_are_means_over_actions(tmp_path: Path, truth: RuleSet) -> None:
    """`move` has 3 of its 4 literals and one too many, under other names; `take` is not learned at all."""
    learned = _read(
        tmp_path,
        DOMAIN.replace("(?f - floor ?g - floor)", "(?b - floor ?a - floor)")
        .replace("(and (at ?f) (above ?g ?f)) :effect (and (at ?g) (not (at ?f)))",
                 "(and (at ?b) (above ?b ?a)) :effect (and (at ?a) (not (at ?b)))")
        .replace("(and (at ?f) (lies ?t ?f)) :effect (and (held ?t) (not (lies ?t ?f)))", "() :effect ()"),
    )  # fmt: skip
    assert syntactic(truth, truth) == Score(1.0, 1.0)
    assert syntactic(learned, truth) == Score((3 / 4 + 1) / 2, (3 / 4 + 0) / 2)


def test_applicable_actions_are_scored_action_by_action(truth: RuleSet, state: State) -> None:
    moves = frozenset({Action("move", ("f1", "f2")), Action("move", ("f1", "f3"))})
    takes = frozenset({Action("take", ("box", "f1"))})
    judge = Applicability(truth, [Example(state, {"move": moves, "take": takes})])
    assert judge.score(truth) == Score(1.0, 1.0)
    rule = truth.actions["move"].rules[0]
    here = [clause for clause in rule.when if clause[0].atom.predicate == "at"]
    loose = replace(truth.actions["move"], rules=(replace(rule, when=tuple(here)),))
    guess = replace(truth, actions={"move": loose, "take": replace(truth.actions["take"], rules=())})
    assert judge.score(guess) == Score((2 / 3 + 1) / 2, (1 + 0) / 2)  # `move` from f1 to any floor, f1 too


def test_several_rules_are_counted_once(truth: RuleSet, state: State) -> None:
    """Of a thing that lies here or is up there, by either rule: inclusion and exclusion."""
    rule = truth.actions["take"].rules[0]
    lies = replace(rule, name="a", when=((Literal(Atom("lies", ("?t", "?f"))),),))
    here = replace(rule, name="b", when=((Literal(Atom("at", ("?f",))),),))
    both = replace(
        truth, actions={**truth.actions, "take": replace(truth.actions["take"], rules=(lies, here))}
    )
    found = frozenset(Action("take", pair) for pair in [("box", "f1"), ("mug", "f1"), ("mug", "f2")])
    judge = Applicability(truth, [Example(state, {"take": found})])
    assert judge.score(replace(both, actions={"take": both.actions["take"]})).recall == 1.0
    assert judge.score(both).precision == (0 + 1) / 2  # none but `move`'s are extra


@pytest.mark.parametrize("seed", range(5))
def test_joins_find_what_the_engine_finds(tmp_path: Path, seed: int) -> None:
    world = failures.vault(tmp_path, 4)
    engine, joins = Engine(world.truth), Joins(world.vocabulary)
    state = [t.before for t in failures.Walker(world, seed, 0.5).walks(20)][-1]
    for name, schema in world.truth.actions.items():
        options = [rule.when for rule in placed(schema).rules]
        found = {a for when in options for a in joins.all(name, when, state)}
        tried = [Action(name, args) for args in product(state.objects, repeat=len(schema.parameters))]
        assert found == {a for a in tried if engine.outcome(state, a).truth is TRUE}, name
        for when in options:
            assert joins.count(name, when, state) == len(joins.all(name, when, state))
            assert all(joins.holds(when, state, a) == (a in joins.all(name, when, state)) for a in tried)


@pytest.mark.parametrize(("hidden", "flipped"), [(0.7, 0.0), (0.0, 0.1), (0.0, 0.0)])
def test_corrupted_traces_read_as_they_were_made(
    tmp_path: Path, truth: RuleSet, state: State, hidden: float, flipped: float
) -> None:
    action = Action("move", ("f1", "f2"))
    step = transition(state, action, True, Engine(truth).apply(state, action))
    trace = [step] * 20
    states = corrupted(trace, truth, hidden, flipped, random.Random(1))
    told = read([written(tmp_path / "0_traj", states, trace)], truth)[0]
    assert [t.action for t in told] == [action] * 20
    assert [t.before.true for t in told] == [s.true for s in states[:-1]]
    if hidden:
        assert all(s.true <= state.true | step.after.true and not s.false & s.true for s in states)
        kept = sum(len(s.true) + len(s.false) for s in states)
        assert 0.2 < kept / (9 * len(states)) < 0.4  # five are true, four false of f1 and f2
    elif flipped:
        assert any(s.true != state.true for s in states)
    else:
        assert told[0].after.true == step.after.true


@needs_data
def test_the_benchmark_runs_without_peers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rows.json"
    few = "--domains npuzzle visitall --seeds 1 --states 20 --repeats 1"
    settings = "--settings traces transitions hard flip5"
    induction.main([*few.split(), *settings.split(), "--json", str(file)])
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert not [row["error"] for row in rows if "error" in row]
    whole = [row for row in rows if row["setting"] == "traces"]
    assert {row["domain"] for row in whole} == {"npuzzle", "visitall"}
    assert all(row["precision"] > 0.9 and row["recall"] > 0.9 for row in whole)
    assert "OffLAM, published" in capsys.readouterr().out


def test_a_crash_of_the_peers_is_a_result(tmp_path: Path) -> None:
    """No peers here: each job is answered all the same, with what went wrong."""
    peers = Peers(sys.executable, 10)
    job = {"learner": "OffLAM", "domain": "x", "traces": [], "partial": False, "noise": 0.0}
    assert [list(peers.ask(job)), list(peers.ask(job))] == [["error"]] * 2
    peers.close()


def test_failures_are_logged_and_counted(tmp_path: Path) -> None:
    world = failures.vault(tmp_path, 10)
    rows = list(failures.measured(world, [20, 40], 0))
    failed = {(row["log"], row["budget"]): row["failed"] for row in rows}
    assert failed[failures.SAFE, 40] == failed[failures.DROPPED, 40] == 0
    assert failed[failures.BOLD, 40] > failed[failures.BOLD, 20] > 0
