"""Traces in PDDL's manner: golden cases by hand, all of AMLGym's learning traces, and files that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.engine import Engine
from rules.errors import WorldModelError
from rules.induction import Transition
from rules.logic import FALSE, TRUE, UNKNOWN, Action, Atom, Truth
from rules.pddl import forms, read_domain, read_trace
from rules.ruleset import ActionSchema, Parameter, RuleSet

DOMAIN = RuleSet(
    "lorries",
    types={"place": None, "depot": "place", "market": "place", "lorry": None},
    predicates={
        "at": ("lorry", "place"),
        "road": ("place", "place"),
        "raining": (),
        "same": ("place", "place"),
    },
    constants={"home": "depot"},
    actions={
        "drive": ActionSchema(
            "drive", (Parameter("?t", "lorry"), Parameter("?a", "place"), Parameter("?b", "place"))
        ),
        "load": ActionSchema("load", (Parameter("?t", "lorry"), Parameter("?m", "market"))),
        "wait": ActionSchema("wait"),
    },
)
TRACE = """; a comment, (with brackets)
(:trajectory

(:state (at t1 home) (road home Hill) (road hill quay) (raining))  ; ( another
(:action (drive t1 home hill))
(:state (at t1 hill)
        (road home hill)
        (road hill quay))
(:failed (load t1 hill))
(:state (at t1 hill) (road home hill) (road hill quay))
(:action (wait))
(:state (at t1 hill) (road home hill) (road hill quay) (raining)))
"""


def read(text: str, folder: Path, domain: RuleSet = DOMAIN) -> list[Transition]:
    path = folder / "trace"
    path.write_text(text)
    return list(read_trace(path, domain))


def test_states_actions_and_failures(tmp_path: Path) -> None:
    drive, load, wait = read(TRACE, tmp_path)
    assert drive.action == Action("drive", ("t1", "home", "hill"))
    assert (drive.succeeded, load.succeeded, wait.succeeded) == (True, False, True)
    assert load.action == Action("load", ("t1", "hill"))
    assert wait.action == Action("wait")
    assert drive.before.truth(Atom("at", ("t1", "home"))) is TRUE
    assert drive.after.truth(Atom("at", ("t1", "home"))) is FALSE
    assert drive.after.truth(Atom("road", ("home", "hill"))) is TRUE
    assert [t.before.truth(Atom("raining")) for t in (drive, load, wait)] == [TRUE, FALSE, FALSE]
    assert wait.after.truth(Atom("raining")) is TRUE


def test_the_next_state_is_what_follows_from_what_was_seen(tmp_path: Path) -> None:
    for transition in read(TRACE, tmp_path):
        assert transition.before.updated(transition.true, transition.false) == transition.after


def test_types_are_those_of_the_places_taken(tmp_path: Path) -> None:
    objects = read(TRACE, tmp_path)[0].before.objects
    assert objects == {"t1": "lorry", "home": "depot", "hill": "market", "quay": "place"}


def test_one_object_may_be_bound_twice(tmp_path: Path) -> None:
    (transition,) = read(
        "(:trajectory (:state (at t1 a) (road a a)) (:action (drive t1 a a)) (:state (at t1 a) (road a a)))",
        tmp_path,
    )
    assert transition.action.args == ("t1", "a", "a")


PARTIAL = """(:trajectory
(:observation (at t1 a) (not (raining)))
(:action (drive t1 a b))
(:observation (not (at t1 a)) (road a b) (not (same a b)))
(:action (wait))
(:observation (at t1 b)))
"""


def test_a_state_with_denials_leaves_the_rest_open(tmp_path: Path) -> None:
    drive, wait = read(PARTIAL, tmp_path)
    values: dict[str, tuple[Truth, Truth]] = {
        str(atom): (drive.before.truth(atom), drive.after.truth(atom))
        for atom in (Atom("at", ("t1", "a")), Atom("raining"), Atom("road", ("a", "b")))
    }
    assert values == {
        "at(t1, a)": (TRUE, FALSE),
        "raining": (FALSE, UNKNOWN),  # not carried over: the drive may have changed it
        "road(a, b)": (UNKNOWN, TRUE),
    }
    assert wait.after.truth(Atom("road", ("a", "b"))) is UNKNOWN  # no denial in it, but in others


def test_other_heads_for_the_same(tmp_path: Path) -> None:
    text = "((:init (at t1 a)) (operator: (drive t1 a b)) (:state (at t1 b)))"
    assert [t.action.name for t in read(text, tmp_path)] == ["drive"]


def test_nothing_leads_from_one_trajectory_to_the_next(tmp_path: Path) -> None:
    one = "(:trajectory (:state (at t1 a)) (:action (drive t1 a b)) (:state (at t1 b)))"
    first, second = read(f"{one}\n{one}", tmp_path)
    assert first == second


def test_all_traces_of_amlgym(amlgym: Path) -> None:
    """Every logged action succeeds by its own domain, and leads where the domain says."""
    count = 0
    for path in sorted(amlgym.glob("domains/*.pddl")):
        engine = Engine(read_domain(path, rules=True))
        vocabulary = read_domain(path)
        for trace in sorted(amlgym.glob(f"trajectories/*/{path.stem}/*")):
            for transition in read_trace(trace, vocabulary):
                assert engine.outcome(transition.before, transition.action).truth is TRUE
                assert engine.apply(transition.before, transition.action).true == transition.after.true
                count += 1
    assert count == 1930


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "(:trajectory (:state (at t1 a))\n(:action (drive t1 a)) (:state))",
            ":2: `drive` with 2 arguments; expected 3",
        ),
        ("(:trajectory\n(:state (at t1)))", ":2: `at` with 1 arguments; expected 2"),
        (
            "(:trajectory\n\n(:state (att t1 a)))",
            ":3: unknown `att`; did you mean `at`?; expected `at`, `raining`",
        ),
        ("(:trajectory (:state)\n(:action (fly t1)))", ":2: unknown `fly`; expected `drive`, `load`, `wait`"),
        (
            "(:trajectory (:state (at t1 a))\n(:state (at a t1)))",
            ":2: `a` where `at` takes `lorry`; expected",
        ),
        ("(:trajectory (:state)\n(:state))", ":2: a second :state; expected an action between two states"),
        (
            "(:trajectory\n(:action (wait)) (:state))",
            ":2: :action without a state before it; expected a state",
        ),
        ("(:trajectory (:state) (:action (wait))\n)", ":2: no state after wait(); expected a state"),
        ("(:trajectory (:state) (:action (wait)) (:action (wait)) (:state))", "without a state before it"),
        (
            "(:trajectory (:state)\n(:action (wait) (wait)) (:state))",
            ":2: `(wait) (wait)`; expected one action",
        ),
        (
            "(:trajectory (:state)\n(:action (not (wait))) (:state))",
            ":2: `(not (wait))`; expected one action",
        ),
        (
            "(:trajectory (:state)\n(:goal (at t1 a)))",
            ":2: (:goal ...; expected (:state ...) or (:action ...)",
        ),
        (
            "(:trajectory (:state\n(at t1 a) t1))",
            ":1: `t1` in (:state ...); expected atoms and negated atoms",
        ),
        ("(:trajectory (:state (= (cost) 3)))", ":1: `(= 3)` in (:state ...); expected atoms"),
        ("(:trajectory (:state ()))", ':1: unknown `""`; expected'),
        ("(:trajectory\n(:state (at t1 a))", ":2: the file ends within brackets; expected `)`"),
        ("(:trajectory (:state)))", ":1: a closing bracket too many"),
        ("(:trajectory (:state\n" + "(" * 9 + ")" * 9 + "))", ":2: brackets nested more than 4 deep"),
    ],
)
def test_what_is_no_trace(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(WorldModelError) as caught:
        read(text, tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'trace'}:")
    assert complaint in str(caught.value)


def test_bounds_on_lines_and_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "MAX_CHARACTERS", 100)
    with pytest.raises(WorldModelError, match=":1: a line of 100 characters or more"):
        read("(:trajectory (:state " + "(at t1 a) " * 20 + "))", tmp_path)
    with pytest.raises(WorldModelError, match=":12: more than 100 characters in a form that began in line 2"):
        read("(:trajectory\n(:state\n" + "(at t1 a)\n" * 20 + "))", tmp_path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(WorldModelError, match="cannot read a trace: No such file"):
        list(read_trace(tmp_path / "gone", DOMAIN))
    (tmp_path / "bytes").write_bytes(b"(:trajectory (:state \xff))")
    with pytest.raises(WorldModelError, match="no UTF-8"):
        list(read_trace(tmp_path / "bytes", DOMAIN))


def test_nothing_in_it(tmp_path: Path) -> None:
    assert read("", tmp_path) == read("(:trajectory (:state (at t1 a)))", tmp_path) == []
