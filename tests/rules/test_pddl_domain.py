"""PDDL domains as rule sets: golden cases by hand, unified-planning's simulator, what is no domain."""

from __future__ import annotations

import random
import sys
from itertools import product
from pathlib import Path

import pytest

from rules.engine import Engine
from rules.errors import WorldModelError
from rules.language import parse, render
from rules.logic import TRUE, WILDCARD, Action, Atom, State
from rules.pddl import read_domain
from rules.ruleset import RuleSet

pytest.importorskip("unified_planning", reason="the extra pddl is not installed")

HEAD = """(define (domain Rooms) (:requirements :adl)
(:types room thing - object box lid - thing small-box - box)
(:constants Hall - room k)
(:predicates (in ?x - thing ?r - room) (on ?a ?b - thing) (dark) (open ?b - box) (here ?r - room) (seen ?x)
             (wet ?x - thing))
"""


def read(text: str, folder: Path, rules: bool = True) -> RuleSet:
    path = folder / "domain.pddl"
    path.write_text(text)
    return read_domain(path, rules=rules)


def the_rules(action: str, folder: Path) -> str:
    """The rules of the one action of a domain, as text."""
    (schema,) = read(f"{HEAD} {action})", folder).actions.values()
    text = render(read(f"{HEAD} {action})", folder))
    return text[text.index(f"action {schema.name}") :]


def expected(action: str) -> str:
    """What the rule language makes of a text."""
    vocabulary = """domain rooms
type room, thing type box, lid: thing type small-box: box constant hall: room constant k: any
predicate in(thing, room) predicate on(thing, thing) predicate dark predicate open(box)
predicate here(room) predicate seen(any) predicate wet(thing)
"""
    text = render(parse(vocabulary + action))
    return text[text.index("action ") :]


def test_the_vocabulary(tmp_path: Path) -> None:
    ruleset = read(
        HEAD + "(:action go :parameters (?a - room ?b) :precondition (dark) :effect (dark)))", tmp_path, False
    )
    assert ruleset == parse("""domain rooms
        type room, thing type box, lid: thing type small-box: box
        constant hall: room constant k: any
        predicate in(thing, room) predicate on(thing, thing) predicate dark predicate open(box)
        predicate here(room) predicate seen(any) predicate wet(thing)
        action go(?a: room, ?b: any)""")


GOLDEN: dict[str, tuple[str, str, str, str]] = {
    "strips": (
        "(?x - thing ?r - room)",
        "(and (in ?x ?r) (not (dark)) (here Hall))",
        "(and (not (in ?x ?r)) (on ?x ?x) (dark))",
        "action a(?x: thing, ?r: room) rule a_1 when in(?x, ?r), not dark, here(hall) then on(?x,"
        " ?x), dark, not in(?x, ?r)",
    ),
    "nothing": (
        "()",
        "()",
        "()",
        "action a rule a_1",
    ),
    "impossible": (
        "()",
        "(or)",
        "(dark)",
        'action a otherwise says ""',
    ),
    "disjunction": (
        "(?b - box)",
        "(and (or (dark) (open ?b)) (imply (open ?b) (seen ?b)) (or (and (dark) (seen ?b)) (and "
        "(wet ?b) (not (dark)))) (not (and (dark) (wet ?b))))",
        "(dark)",
        "action a(?b: box) rule a_1 when dark or open(?b), not open(?b) or seen(?b), dark or "
        "wet(?b), seen(?b) or wet(?b), seen(?b) or not dark, not dark or not wet(?b) then dark",
    ),
    "equality": (
        "(?x ?y - thing)",
        "(and (not (= ?x ?y)) (or (= ?y k) (dark)))",
        "(dark)",
        "action a(?x: thing, ?y: thing) rule a_1 when ?x != ?y, ?y = k or dark then dark",
    ),
    "wildcards": (
        "(?r - room)",
        "(and (exists (?x - thing) (in ?x ?r)) (not (exists (?a ?b - thing) (on ?a ?b))) (or "
        "(dark) (forall (?x - thing) (not (wet ?x)))))",
        "(forall (?x - thing) (not (in ?x ?r)))",
        "action a(?r: room) rule a_1 when some in(*, ?r), no on(*, *), dark or no wet(*) then not in(*, ?r)",
    ),
    "joins": (
        "(?r - room)",
        "(exists (?x - thing) (and (in ?x ?r) (not (wet ?x))))",
        "(dark)",
        "action a(?r: room) rule a_1 when in(?x, ?r), not wet(?x) then dark",
    ),
    "narrow joins": (
        "(?r - room)",
        "(exists (?x - box) (in ?x ?r))",
        "(forall (?b - small-box) (not (in ?b ?r)))",
        "action a(?r: room) rule a_1 when ?x is box, in(?x, ?r) rule a_2 when ?x is box, in(?x, "
        "?r), ?b is small-box then not in(?b, ?r)",
    ),
    "alternatives": (
        "(?r - room)",
        "(or (dark) (exists (?x - thing) (and (in ?x ?r) (wet ?x))) (here ?r))",
        "(seen ?r)",
        "action a(?r: room) rule a_1 when dark or here(?r) then seen(?r) rule a_2 when in(?x, "
        "?r), wet(?x) then seen(?r)",
    ),
    "types": (
        "(?x - thing)",
        "(and (exists (?b - box) (= ?b ?x)) (forall (?b - small-box) (not (= ?x ?b))) (forall (?b"
        " - box) (or (not (= ?b ?x)) (not (open ?b)))))",
        "(forall (?b - box) (when (= ?b ?x) (open ?b)))",
        "action a(?x: thing) rule a_1 when ?x is box, ?x is not small-box, ?x is not box or not "
        "open(?x) rule a_2 when ?x is box, ?x is not small-box, ?x is not box or not open(?x) "
        "then open(?x)",
    ),
    "conditional": (
        "(?x - thing ?r - room)",
        "(here ?r)",
        "(and (seen ?x) (when (dark) (and (wet ?x) (not (dark)))) (forall (?y - thing) (when (on "
        "?y ?x) (and (in ?y ?r) (not (on ?y ?x))))))",
        "action a(?x: thing, ?r: room) rule a_1 when here(?r) then seen(?x) rule a_2 when "
        "here(?r), dark then wet(?x), not dark rule a_3 when here(?r), on(?y, ?x) then in(?y, "
        "?r), not on(?y, ?x)",
    ),
    "names taken": (
        "(?x - thing)",
        "(and (exists (?x - thing) (and (wet ?x) (seen ?x))) (exists (?x - thing) (and (on ?x ?x)"
        " (seen ?x))))",
        "(wet ?x)",
        "action a(?x: thing) rule a_1 when wet(?x_2), seen(?x_2), on(?x_3, ?x_3), seen(?x_3) then wet(?x)",
    ),
}


@pytest.mark.parametrize("case", GOLDEN)
def test_golden(case: str, tmp_path: Path) -> None:
    parameters, precondition, effect, rules = GOLDEN[case]
    action = f"(:action a :parameters {parameters} :precondition {precondition} :effect {effect})"
    assert the_rules(action, tmp_path) == expected(rules)


def test_costs_are_left_out(tmp_path: Path) -> None:
    text = HEAD + (
        "(:functions (total-cost) - number (length ?a - room) - number)"
        "(:action go :parameters (?a - room) :precondition (here ?a)"
        " :effect (and (not (here ?a)) (increase (total-cost) (length ?a)))))"
    )
    (rule,) = read(text, tmp_path).actions["go"].rules
    assert rule.deletes == (Atom("here", ("?a",)),)


WALK = (
    HEAD
    + """
(:action carry :parameters (?x - thing ?a ?b - room) :precondition (and (here ?a) (in ?x ?a)
    (forall (?y - thing) (not (on ?y ?x)))) :effect (and (not (here ?a)) (here ?b) (not (in ?x ?a)) (in ?x ?b)
    (forall (?y - thing) (when (on ?x ?y) (not (on ?x ?y))))))
(:action stack :parameters (?x ?y - thing) :precondition (and (not (= ?x ?y)) (or (dark) (exists (?r - room)
    (and (here ?r) (in ?x ?r) (in ?y ?r)))))
    :effect (and (on ?x ?y) (when (exists (?b - box) (= ?b ?y)) (wet ?x))))
(:action shut :parameters (?b - box) :precondition (imply (wet ?b) (open ?b)) :effect (and (not (open ?b))
    (forall (?l - lid) (when (and (on ?l ?b) (not (wet ?l))) (and (wet ?l) (seen ?b))))))
(:action unveil :parameters (?b - box) :precondition (not (exists (?y - thing) (on ?y ?b)))
    :effect (and (open ?b) (when (dark) (not (dark))) (when (not (dark)) (dark)))))
"""
)
PROBLEM = """(define (problem p) (:domain rooms) (:objects attic - room b1 b2 - box s - small-box l - lid)
(:init (here hall) (in b1 hall) (in b2 attic) (in s hall) (in l attic)) (:goal (dark)))"""


def test_random_walks_as_unified_planning_simulates_them(tmp_path: Path) -> None:
    from unified_planning.engines import UPSequentialSimulator
    from unified_planning.io import PDDLReader
    from unified_planning.shortcuts import get_environment

    get_environment().credits_stream = None
    engine = Engine(read(WALK, tmp_path))
    problem = PDDLReader().parse_problem_string(WALK, PROBLEM)
    objects = {o.name: o.type.name if o.type.name != "object" else "any" for o in problem.all_objects}
    closure = {Atom(name, (WILDCARD,) * len(types)) for name, types in engine.ruleset.predicates.items()}

    def facts(state) -> State:
        found = set()
        for fluent in problem.fluents:
            pools = [
                [o for o in problem.all_objects if p.type.is_compatible(o.type)] for p in fluent.signature
            ]
            for args in product(*pools):
                if state.get_value(fluent(*args)).is_true():
                    found.add(Atom(fluent.name, tuple(o.name for o in args)))
        return State(objects, found, closure)

    chance, applied = random.Random(5), 0
    with UPSequentialSimulator(problem) as simulator:
        state = simulator.get_initial_state()
        for _ in range(60):
            action = chance.choice(problem.actions)
            pools = [
                [o for o in problem.all_objects if p.type.is_compatible(o.type)] for p in action.parameters
            ]
            args = [chance.choice(pool) for pool in pools]
            ours, before = Action(action.name, tuple(o.name for o in args)), facts(state)
            applicable = simulator.is_applicable(state, action, args)
            assert (engine.outcome(before, ours).truth is TRUE) is applicable, (ours, before)
            if applicable:
                applied += 1
                state = simulator.apply(state, action, args)
                assert engine.apply(before, ours).true == facts(state).true, (ours, before)
    assert applied > 20


def only(action: str) -> str:
    return f"{HEAD} {action})"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no PDDL domain: Expected '('"),
        ("(define (domain", "no PDDL domain: "),
        ("(define (problem p) (:domain d))", "no PDDL domain: "),
        (
            only("(:action a :parameters (?x - zork) :effect (dark))"),
            "no PDDL domain: Undefined parameter's type: zork",
        ),
        (only("(:action a :parameters () :precondition (zork) :effect (dark))"), "no PDDL domain: "),
        (only("(:action a :parameters () :precondition (here b1) :effect (dark))"), "no PDDL domain: "),
        (
            only("(:action a :parameters (?r - room) :precondition (wet ?r) :effect (dark))"),
            "is not well-formed",
        ),
        ("(" * 101 + ")" * 101, ":1: brackets nested more than 100 deep"),
        (
            only("(:action a :parameters () :precondition (forall (?x - thing) (wet ?x)) :effect (dark))"),
            "action a: for all ?x: wet(?x); expected one negated atom with ?x once in it",
        ),
        (
            only(
                "(:action a :parameters () :precondition (forall (?x - thing) (or (dark) (exists (?y - thing)"
                " (and (on ?x ?y) (wet ?y))))) :effect (dark))"
            ),
            "action a: `Forall (thing - object x)",
        ),
        (
            HEAD
            + "(:functions (fuel)) (:action a :parameters () :precondition (> (fuel) 1) :effect (dark)))",
            "action a: `(1 < fuel)` is no atom; expected predicates over parameters and constants",
        ),
        (
            HEAD + "(:functions (fuel)) (:action a :parameters () :effect (increase (fuel) 1)))",
            "action a: `fuel` is no atom",
        ),
        (HEAD.replace("(dark)", "(is ?x)") + ")", '`"is"` is a relation too, or built in'),
        (
            HEAD + "(:durative-action a :parameters () :duration (= ?duration 1) :condition ()"
            " :effect (at end (dark))))",
            "action a: it takes time; expected actions that happen at once",
        ),
        (
            only(
                "(:action a :parameters () :precondition (or "
                + " ".join("(and (dark) (here hall) (seen k))" for _ in range(9))
                + ") :effect (dark))"
            ),
            "comes to more than 256 clauses",
        ),
    ],
)
def test_what_is_no_domain_or_cannot_be_said(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(WorldModelError) as caught:
        read(text, tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'domain.pddl'}:")
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(WorldModelError, match="cannot read a PDDL domain: No such file"):
        read_domain(tmp_path / "gone.pddl")
    (tmp_path / "x").write_bytes(b"(define\n\xff")
    with pytest.raises(WorldModelError, match=":2: a byte that is no UTF-8"):
        read_domain(tmp_path / "x")
    (tmp_path / "x").write_bytes(b" " * (4 * 2**20 + 1))
    with pytest.raises(WorldModelError, match="more than 4194304 bytes"):
        read_domain(tmp_path / "x")


def test_without_unified_planning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "unified_planning.io", None)
    with pytest.raises(WorldModelError, match=r"pip install 'worldmodel\[pddl\]'"):
        read(HEAD + ")", tmp_path)


def test_reading_leaves_unified_planning_as_it_was(tmp_path: Path) -> None:
    from unified_planning.environment import get_environment

    before = get_environment().error_used_name
    read(only("(:action open :parameters (?b - box) :effect (open ?b))"), tmp_path)
    assert get_environment().error_used_name is before is True
