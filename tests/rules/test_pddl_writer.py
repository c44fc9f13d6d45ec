"""Rule sets as PDDL text: golden cases by hand, names, static predicates, and Fast Downward."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rules import language
from rules.engine import Engine
from rules.language import InvalidRules, parse
from rules.logic import TRUE, WILDCARD, Action, Atom, State
from rules.pddl import read_domain, static_atoms, write_domain
from rules.ruleset import ActionSchema, Rule, RuleSet

STRIPS = """domain lorries
type place, lorry type depot: place constant home: depot
predicate at(lorry, place) predicate road(place, place) predicate raining
action drive(?t: lorry, ?from: place, ?to: place)
  rule drive_1
    when at(?t, ?from), road(?from, ?to), not raining
    then at(?t, ?to), not at(?t, ?from)
action wait
  rule wait_1
"""
STRIPS_PDDL = """(define (domain lorries)
  (:requirements :strips :typing :negative-preconditions)
  (:types
    place lorry - object
    depot - place
  )
  (:constants
    home - depot
  )
  (:predicates
    (at ?x1 - lorry ?x2 - place)
    (road ?x1 - place ?x2 - place)
    (raining)
  )

  (:action drive
    :parameters (?t - lorry ?from - place ?to - place)
    :precondition (and
      (at ?t ?from)
      (road ?from ?to)
      (not (raining)))
    :effect (and
      (at ?t ?to)
      (not (at ?t ?from))))

  (:action wait
    :parameters ()
    :precondition (and)
    :effect (and))
)
"""


def test_plain_rules_are_plain_strips() -> None:
    assert write_domain(parse(STRIPS)) == STRIPS_PDDL


ROOMS = """domain rooms
type room, thing type box: thing constant hall: room
predicate in(thing, room) predicate here(room) predicate held(thing) predicate dark predicate open(box)
relation fits(type, type) { (box, room) 5, (thing, room) 1 / 9 }
"""


def written(action: str) -> tuple[str, str]:
    """The requirements and the action that a text becomes, on one line each."""
    text = write_domain(parse(ROOMS + action))
    requirements = re.search(r"\(:requirements (.*)\)", text)
    assert requirements is not None
    body = " ".join(text[text.index("(:action") :].split())
    return requirements[1].replace(":strips :typing", "").strip(), body.removesuffix(" )")


GOLDEN = {
    "wildcards": (
        "action take(?x: thing) rule r when no held(*), some in(?x, *) then held(?x), not in(?x, *)",
        ":existential-preconditions :universal-preconditions :negative-preconditions :conditional-effects",
        "(forall (?any1 - thing) (not (held ?any1))) (exists (?any2 - room) (in ?x ?any2))",
        "(held ?x) (forall (?any2 - room) (not (in ?x ?any2)))",
    ),
    "disjunction and equality": (
        "action a(?x: thing, ?y: thing) rule r when held(?x) or dark, ?x != ?y then dark",
        ":negative-preconditions :disjunctive-preconditions :equality",
        "(or (held ?x) (dark)) (not (= ?x ?y))",
        "(dark)",
    ),
    "joins": (
        "action look(?r: room) rule r when in(?x, ?r), not held(?x), here(?r) then dark",
        ":negative-preconditions :existential-preconditions",
        "(here ?r) (exists (?x - thing) (and (in ?x ?r) (not (held ?x))))",
        "(dark)",
    ),
    "joins with effects on all": (
        "action drop(?r: room) rule r when held(?x), here(?r) then in(?x, ?r), not held(?x)",
        ":existential-preconditions :conditional-effects",
        "(here ?r) (exists (?x - thing) (held ?x))",
        "(forall (?x - thing) (when (held ?x) (and (in ?x ?r) (not (held ?x)))))",
    ),
    "other types": (
        "action a(?x: thing) rule r when ?x is not box, dark or ?x is box then held(?x)",
        ":negative-preconditions :disjunctive-preconditions :equality :existential-preconditions"
        " :universal-preconditions",
        "(forall (?any1 - box) (not (= ?any1 ?x))) (or (dark) (exists (?any1 - box) (= ?any1 ?x)))",
        "(held ?x)",
    ),
    "two outcomes": (
        "action a(?x: thing) rule r when held(?x), dark then not dark"
        " rule s when held(?x), not dark then dark",
        ":negative-preconditions :conditional-effects",
        "(held ?x)",
        "(when (dark) (not (dark))) (when (not (dark)) (dark))",
    ),
    "two ways to one outcome": (
        "action a(?x: thing) rule r when held(?x), dark then not held(?x)"
        " rule s when held(?x), in(?x, hall) then not held(?x)",
        ":disjunctive-preconditions",
        "(held ?x) (or (dark) (in ?x hall))",
        "(not (held ?x))",
    ),
    "a further outcome": (
        "action a(?x: thing) rule r when held(?x) then not held(?x)"
        " rule s when held(?x), dark then in(?x, hall)",
        ":conditional-effects",
        "(held ?x)",
        "(not (held ?x)) (when (dark) (in ?x hall))",
    ),
    "relations": (
        "action put(?x: thing, ?r: room) rule r when held(?x), fits(type of ?x, type of ?r) then in(?x, ?r)",
        "",
        "(held ?x) (fits ?x ?r)",
        "(in ?x ?r)",
    ),
}


@pytest.mark.parametrize("case", GOLDEN)
def test_golden(case: str) -> None:
    action, requirements, precondition, effect = GOLDEN[case]
    flags, body = written(action)
    assert set(flags.split()) == set(requirements.split())
    assert f":precondition (and {precondition}) :effect (and {effect}))" in body


def test_a_type_that_every_rule_asks_for_is_the_parameters() -> None:
    flags, body = written("action open(?x: thing) rule r when ?x is box, not open(?x) then open(?x)")
    assert flags == ":negative-preconditions"
    assert ":parameters (?x - box) :precondition (and (not (open ?x))) :effect (and (open ?x))" in body


def test_a_wider_term_becomes_a_variable_of_the_places_type() -> None:
    _, body = written("action open(?x: thing) rule r when dark or open(?x) then open(?x)")
    unequal = "(forall (?any1 - box) (or (not (= ?any1 ?x)) (not (open ?any1))))"
    assert f"(or (dark) (not {unequal}))" in body
    assert "(forall (?any1 - box) (when (= ?any1 ?x) (open ?any1)))" in body


def test_what_no_types_allow_is_false() -> None:
    _, body = written("action a(?x) rule r when open(?x), not here(?x), held(?x) or dark then here(?x)")
    assert "(?x - box) :precondition (and (open ?x) (or (held ?x) (dark))) :effect (and))" in body


def test_actions_without_rules() -> None:
    assert "do-wait" not in written("action wait")[1]
    assert written("action wait")[1].endswith(":precondition (and) :effect (and))")  # nobody knows
    assert written('action wait otherwise says "No."')[1].endswith(":precondition (and (or)) :effect (and))")


ODD = """domain "Über all"
type object type "type", Box, box: object
constant "kitchen 1", "kitchen-1", "kitchen_1": box
predicate open(object) predicate "and" predicate "2nd"(box) predicate OPEN(object)
action open(?X: object, ?x: object, ?_: box) "open {?X}"
  rule "a b" when not open(?X), open(?x), not OPEN(?_), "and" then open("kitchen 1")
"""


def test_names_that_pddl_does_not_take() -> None:
    text = write_domain(parse(ODD))
    assert "(define (domain _ber_all)" not in text
    assert "(define (domain x_ber_all)" in text
    for line in (
        '; object-type is "object"',
        '; box-type is "Box"',
        '; kitchen_1-object is "kitchen 1"',
        '; and-fact is "and"',
        '; x2nd is "2nd"',
        '; open-fact is "OPEN"',
        '; do-open is "open"',
    ):
        assert line in text
    assert "kitchen-1 is" not in text and "kitchen_1 is" not in text  # these may stay
    assert ":parameters (?x-2 - object-type ?x - object-type ?x_ - box)" in text
    assert "(not (open ?x-2))\n      (open ?x)\n      (not (open-fact ?x_))\n      (and-fact))" in text


def test_untyped_domains_stay_untyped() -> None:
    text = write_domain(
        parse("domain d predicate p(any, any) action a(?x, ?y) rule r when p(?x, ?y) then p(?y, ?x)")
    )
    assert "(:requirements :strips)" in text
    assert "(p ?x1 ?x2)" in text
    assert ":parameters (?x ?y)" in text
    assert "object" not in text


def test_long_formulas_are_laid_out() -> None:
    many = ", ".join(f"p{i}(?x) or p{i + 1}(?x)" for i in range(0, 40, 2))
    predicates = " ".join(f"predicate p{i}(any)" for i in range(41))
    text = write_domain(
        parse(f"domain d {predicates} action a(?x) rule r when {many} rule s when p40(?x) then p0(?x)")
    )
    assert max(map(len, text.splitlines())) <= 120
    assert text.count("(") == text.count(")")


def test_static_atoms_are_what_the_relations_say() -> None:
    ruleset = parse(ROOMS)
    atoms = set(static_atoms(ruleset, {"b": "box", "attic": "room", "t": "thing"}))
    assert atoms == {Atom("fits", ("b", "attic")), Atom("fits", ("b", "hall"))}
    assert ";   box room\n" in write_domain(ruleset)
    assert "thing room\n" not in write_domain(ruleset)


def test_rules_that_mean_nothing_are_refused() -> None:
    with pytest.raises(InvalidRules, match="unknown predicate `p`"):
        write_domain(
            RuleSet("d", actions={"a": ActionSchema("a", (), rules=(Rule("r", adds=(Atom("p"),)),))})
        )


def downward(domain: Path, problem: Path, folder: Path) -> list[Action]:
    """The plan that Fast Downward finds, reading the files themselves."""
    found = importlib.util.find_spec("up_fast_downward")
    if found is None or found.origin is None:
        pytest.skip("up-fast-downward is not installed")
    driver = Path(found.origin).parent / "downward" / "fast-downward.py"
    files = ["--plan-file", folder / "plan", "--sas-file", folder / "sas", domain, problem]
    command = [sys.executable, driver, *files, "--search", "lazy_greedy([ff()],preferred=[ff()])"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    steps = re.findall(r"^\((.*)\)$", (folder / "plan").read_text(), re.MULTILINE)
    return [Action(name, tuple(args)) for name, *args in (step.split() for step in steps)]


def replay(ruleset: RuleSet, state: State, plan: list[Action]) -> State:
    engine = Engine(ruleset)
    for action in plan:
        assert engine.outcome(state, action).truth is TRUE, action
        state = engine.apply(state, action)
    return state


def initial_and_goal(domain: Path, problem: Path, ruleset: RuleSet) -> tuple[State, list[Atom]]:
    from unified_planning.io import PDDLReader

    def atom(node) -> Atom:
        return Atom(node.fluent().name, tuple(map(str, node.args)))

    parsed = PDDLReader().parse_problem(str(domain), str(problem))
    true = {atom(node) for node, value in parsed.explicit_initial_values.items() if value.is_true()}
    closure = {Atom(name, (WILDCARD,) * len(types)) for name, types in ruleset.predicates.items()}
    goals = [part for goal in parsed.goals for part in (goal.args if goal.is_and() else [goal])]
    return State({o.name: o.type.name for o in parsed.all_objects}, true, closure), [atom(g) for g in goals]


@pytest.mark.parametrize("name", ["grippers", "npuzzle", "barman", "tpp"])
def test_fast_downward_plans_with_what_was_written(name: str, amlgym: Path, tmp_path: Path) -> None:
    pytest.importorskip("unified_planning", reason="the extra pddl is not installed")
    ruleset = read_domain(amlgym / f"domains/{name}.pddl", rules=True)
    domain, problem = tmp_path / "domain.pddl", amlgym / f"problems/learning_hard/{name}/0_{name}_prob.pddl"
    domain.write_text(write_domain(ruleset))
    plan = downward(domain, problem, tmp_path)
    state, goals = initial_and_goal(domain, problem, ruleset)
    assert plan and goals
    end = replay(ruleset, state, plan)
    assert all(end.truth(goal) is TRUE for goal in goals)


HOME = """(define (problem home) (:domain household)
(:objects mug1 - mug apple1 - apple fridge1 - fridge desk1 - desk toaster1 - toaster microwave1 - microwave)
(:init (in mug1 desk1) (in apple1 fridge1) (at desk1) (openable fridge1) (openable microwave1))
(:goal (and (in mug1 fridge1) (hot apple1) (in apple1 desk1))))
"""


def test_fast_downward_plans_in_the_household(tmp_path: Path) -> None:
    """Wildcards, type tests and disjunctions, by rules that were induced."""
    pytest.importorskip("unified_planning", reason="the extra pddl is not installed")
    ruleset = language.load(Path("worldmodel/environments/alfworld/household.rules"))
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    domain.write_text(write_domain(ruleset))
    problem.write_text(HOME)
    plan = [Action(a.name.removeprefix("do-"), a.args) for a in downward(domain, problem, tmp_path)]
    state, goals = initial_and_goal(domain, problem, ruleset)
    assert len(plan) >= 9
    end = replay(ruleset, state, plan)
    assert all(end.truth(goal) is TRUE for goal in goals)
