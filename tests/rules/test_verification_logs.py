"""Rules held against logs of a blocks world: what only a log shows is found, and nothing else is."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from benchmarks.blocks import BLOCKS
from rules import engine
from rules.induction import Transition
from rules.language import parse
from rules.logic import WILDCARD, Action, Atom, State
from rules.ruleset import RuleSet
from rules.verification import Finding, Kind, Report, Severity, Status, check
from tests.rules import blocks

LOG = tuple(blocks.transitions(seed=5, episodes=15))


def checked(old: str = "domain", new: str = "domain", log: tuple[Transition, ...] = LOG) -> Report:
    assert old in BLOCKS
    return check(parse(BLOCKS.replace(old, new, 1)), transitions=log)


def grave(report: Report) -> list[Finding]:
    return [f for f in report.findings if f.severity is not Severity.NOTE]


def only(report: Report, kind: Kind) -> Finding:
    (finding,) = report.of(kind)
    return finding


def test_right_rules_agree_with_every_transition() -> None:
    report = checked()
    assert grave(report) == [] and report.ok
    assert report.transitions == len(LOG) == 600
    assert (report.undecided, report.unexplained) == (0, 0)
    worked = {name: sum(t.succeeded and t.action.name == name for t in LOG) for name in blocks.DOMAIN.actions}
    assert {u.rule: u.applied for u in report.usage} == {f"{name}.r": n for name, n in worked.items()}
    assert all(u.contradicted == 0 for u in report.usage)


@pytest.mark.parametrize(
    ("old", "new", "rule", "missing"),
    [
        ("when clear(?b), table(?b), no", "when table(?b), no", "pick.r", "clear(?b)"),
        ("when clear(?b), table(?b), no holding(*)", "when clear(?b), table(?b)", "pick.r", "no holding(*)"),
        ("when holding(?b), clear(?under)", "when holding(?b)", "stack.r", "clear(?under)"),
    ],
)
def test_a_dropped_precondition_is_named(old: str, new: str, rule: str, missing: str) -> None:
    finding = only(checked(old, new), Kind.TOO_BROAD)
    assert finding.rules == (rule,) and finding.severity is Severity.ERROR
    assert finding.message.endswith(f"missing condition: {missing}")
    assert finding.counterexample is not None and finding.counterexample.action is not None
    assert finding.counterexample.action.name == rule.split(".")[0]


def test_a_superfluous_precondition_is_named() -> None:
    finding = only(
        checked("when holding(?b), clear(?under)", "when holding(?b), clear(?under), table(?under)"),
        Kind.TOO_NARROW,
    )
    assert finding.rules == ("stack.r",) and finding.core == ("table(?under)",)
    assert finding.severity is Severity.ERROR


def test_a_superfluous_condition_on_a_third_object_is_named() -> None:
    """Clauses that share a free variable are judged one by one all the same."""
    report = checked("when holding(?b), clear(?under)", "when holding(?b), clear(?under), on(?u, ?v)")
    assert only(report, Kind.TOO_NARROW).core == ("on(?u, ?v)",)


def test_two_superfluous_conditions_at_once_leave_the_success_unexplained() -> None:
    new = "when holding(?b), clear(?under), not clear(?under), not holding(?b)"
    report = checked("when holding(?b), clear(?under)", new)
    finding = only(report, Kind.UNEXPLAINED)
    assert finding.severity is Severity.WARNING and "stack" in finding.message
    assert report.unexplained == sum(t.succeeded and t.action.name == "stack" for t in LOG)


@pytest.mark.parametrize(
    ("old", "new", "afterwards"),
    [
        ("then clear(?b), table(?b), not", "then clear(?b), not", "table(?b)"),
        ("not holding(?b), not clear(?under)", "not clear(?under)", "not holding(?b)"),
        ("then on(?b, ?under), clear(?b)", "then on(?b, ?under), table(?b), clear(?b)", "not table(?b)"),
    ],
)
def test_wrong_effects_are_named(old: str, new: str, afterwards: str) -> None:
    finding = only(checked(old, new), Kind.WRONG_EFFECT)
    assert f"afterwards {afterwards} holds" in finding.message and finding.severity is Severity.ERROR


def test_another_wording_is_a_wrong_effect() -> None:
    log = tuple(replace(t, says="Done." if t.succeeded else "") for t in LOG)
    report = checked("not clear(?b), not table(?b)", 'not clear(?b), not table(?b) says "Up it goes."', log)
    assert "something else was said than 'Up it goes.'" in only(report, Kind.WRONG_EFFECT).message


@pytest.mark.parametrize("flipped", [0.01, 0.05])
@pytest.mark.parametrize("seed", range(3))
def test_noise_is_held_against_no_rule(flipped: float, seed: int) -> None:
    log = tuple(blocks.transitions(seed, flipped=flipped))
    assert grave(checked(log=log)) == []


def test_a_fault_is_seen_through_noise() -> None:
    log = tuple(blocks.transitions(3, flipped=0.05))
    report = checked("when holding(?b), clear(?under)", "when holding(?b)", log)
    assert [f.rules for f in grave(report)] == [("stack.r",)]


@pytest.mark.parametrize("flipped", [0.005, 0.02])
def test_facts_that_flip_for_no_reason_are_held_against_no_rule(flipped: float) -> None:
    chance = random.Random(7)
    names = [f"block {i}" for i in range(1, 5)]
    atoms = [
        Atom(p, args)
        for p, types in blocks.DOMAIN.predicates.items()
        for args in product(names, repeat=len(types))
    ]

    def noisy(state: State) -> State:
        return State(
            state.objects, state.true ^ {a for a in atoms if chance.random() < flipped}, blocks.CLOSURE
        )

    log = tuple(
        Transition(noisy(t.before), t.action, noisy(t.after).true, blocks.CLOSURE, t.succeeded) for t in LOG
    )
    ruleset = parse(BLOCKS + "invariant holding(?a) and holding(?b) implies ?a = ?b\n")
    assert grave(check(ruleset, transitions=log)) == []


@pytest.mark.parametrize("hidden", [0.2, 0.6])
def test_what_is_hidden_is_held_against_no_rule(hidden: float) -> None:
    chance = random.Random(8)

    def part(state: State) -> tuple[frozenset[Atom], frozenset[Atom]]:
        true = frozenset(a for a in state.true if chance.random() >= hidden)
        whole = {p for p in blocks.CLOSURE if not any(p.matches(a) for a in state.true - true)}
        return true, frozenset(p for p in whole if chance.random() >= hidden)

    log = tuple(
        Transition(State(t.before.objects, *part(t.before)), t.action, *part(t.after), t.succeeded)
        for t in LOG
    )
    report = check(parse(BLOCKS), transitions=log)
    assert grave(report) == []
    assert report.undecided > 0.1 * len(log)


def test_two_odd_transitions_are_no_fault() -> None:
    odd = [replace(t, succeeded=False) for t in LOG if t.succeeded and t.action.name == "put"][:2]
    assert grave(checked(log=(*LOG, *odd))) == []


def test_a_logged_state_that_breaks_an_invariant_is_shown() -> None:
    ruleset = parse(BLOCKS + "invariant clear(?b) implies table(?b)\n")
    finding = only(check(ruleset, transitions=LOG), Kind.BROKEN_INVARIANT)
    assert finding.severity is Severity.ERROR and finding.core == ("clear(?b) implies table(?b)",)
    assert finding.counterexample is not None
    state = finding.counterexample.before
    assert any(Atom("table", a.args) not in state.true for a in state.true if a.predicate == "clear")


def test_invariants_found_in_a_log_are_proved_or_refuted_with_a_state() -> None:
    report = checked()
    found = {f.message.split("'")[1]: f for f in report.of(Kind.CANDIDATE)}
    proved = {text for text, f in found.items() if f.status is Status.PROVED}
    assert {
        "holding(?a) and holding(?x) implies ?a = ?x",
        "clear(?a) implies no on(*, ?a)",
        "on(?a, ?b) and on(?x, ?b) implies ?a = ?x",
    } <= proved
    assert all(f.severity is Severity.NOTE for f in found.values())


def test_an_invariant_of_one_log_that_a_rule_breaks_is_refuted_with_a_state() -> None:
    """Nothing was ever stacked, so that everything is on the table or in the hand."""
    flat = tuple(t for t in LOG if not any(a.predicate == "on" for a in t.before.true | t.after.true))
    report = check(parse(BLOCKS), transitions=flat * 3)
    refuted = [f for f in report.of(Kind.CANDIDATE) if f.status is Status.REFUTED]
    assert "clear(?a) implies table(?a)" in {f.message.split("'")[1] for f in refuted}
    assert all(f.counterexample is not None and f.counterexample.after is not None for f in refuted)
    assert report.ok


def lamps(extra: str = "") -> RuleSet:
    return parse(
        """
        domain lamps
        type lamp, red: lamp
        type plug
        predicate on(lamp)
        predicate broken(lamp)
        predicate charged(plug)
        action press(?x: lamp)
          rule plain
            when not on(?x), not broken(?x)
            then on(?x)
          rule spark
            when on(?x), broken(?x)
            then not on(?x)
        """.replace("type lamp, red: lamp", "type lamp\ntype red: lamp")
        + extra
    )


def pressing(closed: tuple[str, ...] = ("on", "broken", "charged")) -> Iterator[Transition]:
    false = frozenset(Atom(p, (WILDCARD,)) for p in closed)
    dark = State({"lamp 1": "lamp"}, (), false)
    lit = frozenset([Atom("on", ("lamp 1",))])
    for _ in range(5):
        yield Transition(dark, Action("press", ("lamp 1",)), lit, frozenset(), True)


def test_a_rule_that_needs_what_no_rule_adds_and_no_state_has_is_unreachable() -> None:
    report = check(lamps(), transitions=pressing())
    finding = only(report, Kind.UNREACHABLE)
    assert finding.rules == ("press.spark",) and finding.severity is Severity.WARNING
    assert list(report.of(Kind.NEVER_EXERCISED)) == []  # said once


def test_what_the_log_leaves_open_may_be_reached() -> None:
    report = check(lamps(), transitions=pressing(closed=("on",)))
    assert list(report.of(Kind.UNREACHABLE)) == []
    assert only(report, Kind.NEVER_EXERCISED).rules == ("press.spark",)
    assert report.ok


def test_reaching_goes_through_other_actions_and_minds_types() -> None:
    breaking = "action drop(?x: lamp)\n  rule r\n    when on(?x)\n    then broken(?x)\n"
    report = check(lamps(breaking), transitions=pressing())
    assert list(report.of(Kind.UNREACHABLE)) == []
    report = check(lamps(breaking.replace("?x: lamp", "?x: red")), transitions=pressing())
    assert {f.rules for f in report.of(Kind.UNREACHABLE)} == {("drop.r",), ("press.spark",)}


def test_without_logs_nothing_is_said_of_reach() -> None:
    assert list(check(lamps(), transitions=()).of(Kind.UNREACHABLE)) == []
    assert list(check(lamps()).of(Kind.UNREACHABLE)) == []


def test_a_clause_without_which_a_rule_runs_wild_is_not_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `table(?u)` too many pairs would have to be tried, and that ends no check."""
    monkeypatch.setattr(engine, "MAX_BINDINGS", 27)
    wild = "when holding(?b), clear(?under), table(?u), on(?v, ?u)"
    ruleset = parse(BLOCKS.replace("when holding(?b), clear(?under)", wild))
    log = [
        t for t in LOG if t.action.name == "stack" and any(a.predicate == "holding" for a in t.before.true)
    ]
    report = check(ruleset, transitions=log)
    assert report.transitions == len(log)
    assert all(f.core != ("table(?u)",) for f in report.of(Kind.TOO_NARROW))


def test_an_action_that_the_rules_do_not_know_is_a_surprise() -> None:
    report = check(replace(parse(BLOCKS), actions={}), transitions=LOG)
    assert {f.message.split()[0] for f in report.of(Kind.UNEXPLAINED)} == set(blocks.DOMAIN.actions)
