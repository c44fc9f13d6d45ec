"""Every kind of fault, seeded in a rule set that is otherwise right, is found; the right one has none."""

from __future__ import annotations

import threading

import pytest

from rules.errors import WorldModelError
from rules.language import parse, render
from rules.logic import FALSE, TRUE, Atom, Clause
from rules.ruleset import Parameter, RuleSet
from rules.verification import Finding, Kind, Severity, Status, check, entailed, implies

HOUSEHOLD = """
domain household
type receptacle, object
type microwave, fridge, desk, cabinet: receptacle
type apple, mug, pan, book: object
predicate at(receptacle)
predicate open(receptacle)
predicate openable(receptacle)
predicate in(object, receptacle)
predicate holding(object)
predicate hot(object)
predicate cool(object)
relation can_heat(type) { apple 61, mug 118 / 2, pan 0 / 14 }
relation fits(type, type) { (mug, desk) 12, (apple, fridge) 4, (book, fridge) 0 / 3 }

invariant in(?o, ?r) and in(?o, ?s) implies ?r = ?s
invariant hot(?o) and cool(?o) implies false
invariant holding(?o) and holding(?p) implies ?o = ?p
invariant holding(?o) and in(?o, ?r) implies false
invariant at(?r) and at(?s) implies ?r = ?s
invariant open(?r) implies openable(?r)

action go_to(?r: receptacle) "go to {?r}"
  rule shut
    when    not at(?r), openable(?r), not open(?r)
    then    at(?r), not at(*)
    says    "The {?r} is closed."
  rule seen
    when    not at(?r), open(?r) or not openable(?r)
    then    at(?r), not at(*)
    reveals in(*, ?r)
    says    "On the {?r}, you see {in(*, ?r)}."
action take(?o: object, ?r: receptacle)
  rule t
    when    no holding(*), at(?r), in(?o, ?r), open(?r) or not openable(?r)
    then    holding(?o), not in(?o, ?r)
    says    "You take the {?o}."
action put(?o: object, ?r: receptacle)
  rule p
    when    holding(?o), at(?r), open(?r) or not openable(?r), fits(type of ?o, type of ?r)
    then    in(?o, ?r), not holding(?o)
action heat(?o: object, ?r: receptacle)
  rule h
    when    holding(?o), at(?r), ?r is microwave, can_heat(type of ?o)
    then    hot(?o), not cool(?o)
    says    "You heat the {?o}."
  otherwise says "Nothing happens."
action open_up(?r: receptacle)
  rule o
    when    at(?r), openable(?r), not open(?r)
    then    open(?r)
action check_hand
  rule empty
    when    no holding(*)
    says    "Nothing."
  rule full
    when    holding(?o)
    says    "You hold {?o}."
"""

BLOCKS = """
domain blocks
predicate on(any, any)
predicate table(any)
predicate clear(any)
predicate holding(any)
predicate empty
invariant on(?x, ?y) and on(?x, ?z) implies ?y = ?z
invariant on(?x, ?y) and on(?z, ?y) implies ?x = ?z
invariant holding(?x) and holding(?y) implies ?x = ?y
invariant holding(?x) and empty implies false
invariant on(?x, ?y) and clear(?y) implies false
invariant on(?x, ?y) and table(?x) implies false
invariant holding(?x) and table(?x) implies false
invariant holding(?x) and clear(?x) implies false
invariant holding(?x) and some on(?x, *) implies false
invariant holding(?x) and some on(*, ?x) implies false
action pick(?x)
  rule r
    when clear(?x), table(?x), empty
    then holding(?x), not clear(?x), not table(?x), not empty
action drop(?x)
  rule r
    when holding(?x)
    then clear(?x), table(?x), empty, not holding(?x)
action stack(?x, ?y)
  rule r
    when holding(?x), clear(?y)
    then clear(?x), on(?x, ?y), empty, not holding(?x), not clear(?y)
action unstack(?x, ?y)
  rule r
    when on(?x, ?y), clear(?x), empty
    then holding(?x), clear(?y), not on(?x, ?y), not clear(?x), not empty
"""

SUPPORT = """
invariant not holding(?x) and not table(?x) implies some on(?x, *)
invariant not empty implies some holding(*)
"""


def seeded(old: str, new: str, text: str = HOUSEHOLD) -> RuleSet:
    assert old in text
    return parse(text.replace(old, new, 1))


def faults(ruleset: RuleSet) -> list[Finding]:
    return [f for f in check(ruleset).findings if f.status is not Status.PROVED]


def only(ruleset: RuleSet, kind: Kind) -> Finding:
    """The one finding there is, of this kind; whatever else the fault brings with it may be listed too."""
    findings = [f for f in faults(ruleset) if f.kind is kind]
    assert len(findings) == 1, check(ruleset)
    return findings[0]


def test_a_right_rule_set_has_no_fault_and_every_invariant_is_proved() -> None:
    report = check(parse(HOUSEHOLD))
    assert [f for f in report.findings if f.status is not Status.PROVED] == []
    assert [f.kind for f in report.findings] == [Kind.INVARIANT] * 6
    assert report.ok


def test_blocks_keep_their_invariants() -> None:
    report = check(parse(BLOCKS))
    assert [f.status for f in report.findings] == [Status.PROVED] * 10, str(report)


def test_invariants_that_ask_for_a_witness_are_proved_too() -> None:
    """Every block stands on something: an existential below a universal, beyond plain small models."""
    report = check(parse(BLOCKS + SUPPORT))
    assert [f.status for f in report.findings] == [Status.PROVED] * 12, str(report)


def test_a_rule_that_drops_a_block_into_the_void_is_caught() -> None:
    ruleset = seeded(
        "clear(?x), table(?x), empty, not holding", "clear(?x), empty, not holding", BLOCKS + SUPPORT
    )
    finding = only(ruleset, Kind.INVARIANT)
    assert finding.rules == ("drop.r",)
    assert finding.counterexample is not None and finding.counterexample.action is not None
    block = finding.counterexample.action.args[0]
    assert finding.counterexample.before.truth(Atom("holding", (block,))) is TRUE
    assert finding.counterexample.after is not None
    assert not {a for a in finding.counterexample.after.true if a.args[:1] == (block,)} - {
        Atom("clear", (block,))
    }


def test_witnesses_have_room() -> None:
    """Two things need two boxes, though the rule speaks of none."""
    text = """
    domain d
    type box, thing
    predicate in(thing, box)
    predicate big(thing)
    invariant big(?x) implies some in(?x, *)
    invariant in(?x, ?b) and in(?y, ?b) implies ?x = ?y
    action swap(?x: thing, ?y: thing)
      rule r
        when big(?x), big(?y), ?x != ?y
        then not big(?x)
    """
    assert faults(parse(text)) == []


def test_what_only_an_endless_world_could_satisfy_is_unknown() -> None:
    """A first number, each with a next, no two with the same: neither a state to show nor a contradiction."""
    text = """
    domain numbers
    predicate number(any)
    predicate next(any, any)
    predicate first(any)
    invariant number(?x) implies some next(?x, *)
    invariant next(?x, ?y) implies number(?y)
    invariant next(?x, ?z) and next(?y, ?z) implies ?x = ?y
    invariant next(?x, ?y) and first(?y) implies false
    action count(?x)
      rule r
        when first(?x), number(?x)
        says "One."
    """
    finding = only(parse(text), Kind.VACUOUS_RULE)
    assert finding.status is Status.UNKNOWN and finding.severity is Severity.WARNING
    assert not check(parse(text)).ok


def test_a_rule_that_can_never_apply_shows_why() -> None:
    finding = only(
        seeded("holding(?o), at(?r), ?r is micro", "holding(?o), hot(?o), cool(?o), at(?r), ?r is micro"),
        Kind.VACUOUS_RULE,
    )
    assert finding.rules == ("heat.h",)
    assert finding.core == ("hot(?o)", "cool(?o)", "hot(?o) and cool(?o) implies false")
    assert finding.severity is Severity.ERROR


def test_a_rule_at_odds_with_types_or_tables_can_never_apply() -> None:
    by_type = only(seeded("?r is microwave,", "?r is microwave, ?r is fridge,"), Kind.VACUOUS_RULE)
    assert by_type.core == ("?r is microwave", "?r is fridge")
    by_table = only(seeded("can_heat(type of ?o)", "can_heat(type of ?o), ?o is pan"), Kind.VACUOUS_RULE)
    assert by_table.core == ("can_heat(type of ?o)", "?o is pan")


def test_two_objects_of_one_type_agree_on_an_unknown_relation() -> None:
    told = 'action say(?o: object, ?p: object)\n rule s\n when %s says "!"'
    parts = "can_heat(type of ?o), not can_heat(type of ?p), ?o is book, ?p is book"
    finding = only(parse(HOUSEHOLD + told % parts), Kind.VACUOUS_RULE)
    assert set(finding.core) == set(parts.split(", "))
    assert faults(parse(HOUSEHOLD + told % "can_heat(type of ?o), ?o is book")) == []


def test_alike_types_may_still_differ_where_nobody_knows() -> None:
    text = """
    domain d
    type apple, pear: fruit
    type fruit
    relation sour(type) { }
    action mix(?x: fruit, ?y: fruit)
      rule r
        when sour(type of ?x), not sour(type of ?y)
        says "!"
    """.replace("relation sour(type) { }", "relation sour(type) { fruit 0 / 1 }")
    assert faults(parse(text)) == []


def test_rules_that_undo_each_other_come_with_a_state() -> None:
    other = "  rule spill\n    when holding(?o), at(?r)\n    then not in(?o, ?r)\naction heat"
    finding = only(seeded("action heat", other), Kind.CONTRADICTORY_EFFECTS)
    assert finding.rules == ("put.p", "put.spill")
    state = finding.counterexample
    assert state is not None and state.action is not None and state.action.name == "put"
    assert state.before.truth(Atom("holding", state.action.args[:1])) is TRUE


def test_deleting_all_but_the_atom_that_is_added_again_is_no_contradiction() -> None:
    twin = "  rule twin\n    when not at(?r)\n    then at(?r), not at(*)\naction take"
    assert not list(check(seeded("action take", twin)).of(Kind.CONTRADICTORY_EFFECTS))


def test_rules_that_say_different_things_are_told_apart() -> None:
    finding = only(
        seeded("openable(?r), not open(?r)\n    then    at", "openable(?r)\n    then    at"),
        Kind.CONTRADICTORY_WORDING,
    )
    assert finding.rules == ("go_to.shut", "go_to.seen")
    assert finding.counterexample is not None
    before = finding.counterexample.before
    assert any(atom.predicate == "open" for atom in before.true)


def test_a_rule_that_may_name_two_objects_is_ambiguous() -> None:
    finding = only(
        seeded("invariant holding(?o) and holding(?p) implies ?o = ?p", ""), Kind.CONTRADICTORY_WORDING
    )
    assert finding.rules == ("check_hand.full",)
    assert finding.counterexample is not None and len(finding.counterexample.before.true) == 2


def test_a_broken_invariant_comes_with_state_action_and_next_state() -> None:
    findings = list(check(seeded("holding(?o), not in(?o, ?r)", "holding(?o)")).of(Kind.INVARIANT))
    [finding] = [f for f in findings if f.status is Status.REFUTED]
    assert finding.rules == ("take.t",)
    assert "holding(?o) and in(?o, ?r) implies false" in finding.message
    state = finding.counterexample
    assert state is not None and state.action is not None and state.after is not None
    o, r = state.action.args
    assert state.assumed == ()
    assert state.before.true == {Atom("in", (o, r)), Atom("at", (r,))}
    assert state.after.true == {Atom("in", (o, r)), Atom("at", (r,)), Atom("holding", (o,))}
    assert str(state) in str(finding)


def test_an_invariant_broken_by_two_rules_together_names_both() -> None:
    text = """
    domain lamp
    predicate red
    predicate green
    predicate loud
    invariant red and green implies false
    action press
      rule a
        when not red, not green then red
      rule b
        when loud, not red, not green then green
    """
    findings = list(check(parse(text)).of(Kind.INVARIANT))
    assert {f.rules for f in findings} == {("press.a", "press.b"), ("press.b", "press.a")}


def test_clauses_implied_by_the_rest_are_redundant() -> None:
    finding = only(
        seeded("no holding(*), at(?r),", "no holding(*), not holding(?o), at(?r),"), Kind.REDUNDANT_CLAUSE
    )
    assert "'not holding(?o)'" in finding.message and finding.severity is Severity.WARNING
    assert finding.core == ("no holding(*)",)
    finding = only(
        seeded(
            "openable(?r), not open(?r)\n    then    open",
            "?r is receptacle, openable(?r), not open(?r)\n    then    open",
        ),
        Kind.REDUNDANT_CLAUSE,
    )
    assert "'?r is receptacle'" in finding.message


def test_a_clause_that_an_invariant_implies_is_redundant() -> None:
    finding = only(
        seeded("open(?r) or not openable(?r), fits", "open(?r), openable(?r), fits"), Kind.REDUNDANT_CLAUSE
    )
    assert finding.core == ("open(?r)", "open(?r) implies openable(?r)")


def test_alternatives_that_add_nothing_are_found() -> None:
    finding = only(
        seeded("open(?r) or not openable(?r), fits", "open(?r) or not openable(?r) or not in(?o, ?r), fits"),
        Kind.REDUNDANT_CLAUSE,
    )
    assert "or not in(?o, ?r)" in finding.message  # holding(?o) makes the whole clause true
    finding = only(
        seeded("open(?r) or not openable(?r), fits", "open(?r) or not openable(?r) or in(?o, ?r), fits"),
        Kind.REDUNDANT_LITERAL,
    )
    assert "'in(?o, ?r)' adds nothing" in finding.message


def test_a_rule_that_another_covers_is_redundant() -> None:
    twin = (
        "  rule narrow\n    when hot(?o), holding(?o), at(?r), not openable(?r), fits(type of ?o, type of ?r)"
        "\n    then in(?o, ?r), not holding(?o)\naction heat"
    )
    finding = only(seeded("action heat", twin), Kind.REDUNDANT_RULE)
    assert finding.rules == ("put.narrow", "put.p")
    copy = "  rule copy\n    when holding(?o), no holding(*)\naction heat"
    assert only(seeded("action heat", copy), Kind.VACUOUS_RULE).rules == ("put.copy",)


def test_of_two_equal_rules_the_later_one_goes() -> None:
    copy = '  rule again\n    when no holding(*)\n    says "Nothing."\n  rule full'
    finding = only(seeded("  rule full", copy), Kind.REDUNDANT_RULE)
    assert finding.rules == ("check_hand.again", "check_hand.empty")


def test_rules_without_any_effect_are_found() -> None:
    finding = only(seeded("then    open(?r)", "then    openable(?r), at(?r)"), Kind.NO_EFFECT)
    assert finding.rules == ("open_up.o",)
    idle = '  rule idle\n    when hot(?o)\n    says "Nothing happens."\n  otherwise'
    assert only(seeded("  otherwise", idle), Kind.NO_EFFECT).rules == ("heat.idle",)


def test_invariants_that_exclude_each_other_are_reported_alone() -> None:
    text = "domain d\npredicate p\npredicate q\npredicate r\n" + "".join(
        f"invariant {i}\n" for i in ("true implies p", "p implies q", "q implies false", "r implies p")
    )
    [finding] = check(parse(text)).findings
    assert finding.kind is Kind.INCONSISTENT_INVARIANTS
    assert finding.core == ("true implies p", "p implies q", "q implies false")


def test_invariants_that_say_nothing_new_are_noted() -> None:
    implied = seeded("\naction go_to", "invariant in(?o, ?r) and holding(?o) implies hot(?o)\n\naction go_to")
    finding = only(implied, Kind.IMPLIED_INVARIANT)
    assert finding.core == ("holding(?o) and in(?o, ?r) implies false",)
    assert finding.severity is Severity.NOTE
    never = seeded(
        "\naction go_to", "invariant at(?r) implies false\ninvariant at(?r) implies open(?r)\n\naction go_to"
    )
    assert list(check(never).of(Kind.VACUOUS_RULE))


def test_constants_are_objects_of_their_own() -> None:
    text = (
        HOUSEHOLD
        + """
constant "home": desk
action rest(?r: receptacle)
  rule r
    when at(home), at(?r), ?r != home then hot(*)
""".replace("then hot(*)", 'says "!"')
    )
    finding = only(parse(text), Kind.VACUOUS_RULE)
    assert finding.rules == ("rest.r",)
    assert "at(?r) and at(?s) implies ?r = ?s" in finding.core


def test_names_that_look_like_ours_do_not_clash() -> None:
    text = """
    domain d
    type "a 1", "0 a"
    constant "#0 a 1", "a 1 1": "a 1"
    predicate "applies a r"("a 1")
    predicate alike(any, any)
    action a(?x: "a 1", ?y)
      rule r
        when "applies a r"(?x), alike(?x, ?y), ?x != "a 1 1", ?y != ?x
        then not alike(*, ?x), alike(?y, ?x)
    """
    assert faults(parse(text)) == []


def test_unknown_is_never_success() -> None:
    report = check(parse(BLOCKS), rlimit=1)
    assert {f.status for f in report.findings} == {Status.UNKNOWN}
    assert not report.ok


def test_the_same_report_every_time_and_in_every_thread() -> None:
    ruleset = seeded("holding(?o), not in(?o, ?r)", "holding(?o)")
    reports = [check(ruleset)]
    threads = [threading.Thread(target=lambda: reports.append(check(ruleset))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(reports) == 4
    assert all(str(r) == str(reports[0]) and r == reports[0] for r in reports)


def clauses(
    ruleset: RuleSet, text: str, parameters: str = "?o: object, ?r: receptacle"
) -> tuple[Clause, ...]:
    return (
        parse(f"{render(ruleset)}\naction probe({parameters})\n rule x\n when {text}\n")
        .actions["probe"]
        .rules[0]
        .when
    )


OBJECT_AND_PLACE = (Parameter("?o", "object"), Parameter("?r", "receptacle"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("holding(?o), at(?r)", []),
        ("holding(?o), at(?r), holding(?o)", [2]),
        ("holding(?o), some holding(*)", [1]),
        ("some holding(*), holding(?o)", [0]),
        ("in(?o, ?r), not holding(?o), hot(?o) or some in(?o, *)", [1, 2]),
        ("in(?o, ?s), in(?o, ?r)", [0]),
        ("in(?o, ?s), at(?s), in(?o, ?r)", []),
        ("?r is fridge, ?r is receptacle, ?r is not desk", [1, 2]),
        ("?o is mug, can_heat(type of ?o), ?r is desk, fits(type of ?o, type of ?r)", [1, 3]),
        ("?o is apple, fits(type of ?o, type of ?r), ?r is desk", []),
    ],
)
def test_entailed(text: str, expected: list[int]) -> None:
    ruleset = parse(HOUSEHOLD)
    assert entailed(ruleset, clauses(ruleset, text), OBJECT_AND_PLACE) == expected


def test_a_clause_that_gives_a_variable_its_type_is_not_entailed() -> None:
    ruleset = parse("domain d\ntype t\npredicate s(any)\npredicate u(t)\npredicate f")
    assert entailed(ruleset, clauses(ruleset, "f, s(?y), f or not u(?y)", "?o")) == []
    assert entailed(ruleset, clauses(ruleset, "f, s(?y), f or not s(?y)", "?o")) == [2]


def test_a_rule_set_that_means_nothing_is_refused() -> None:
    looped = RuleSet("d", {"a": "b", "b": "a"}, {"p": ("a",)})
    with pytest.raises(WorldModelError, match="below itself"):
        check(looped)
    with pytest.raises(WorldModelError, match="below itself"):
        entailed(looped, ())


def test_implies() -> None:
    ruleset = parse(HOUSEHOLD)

    def ask(a: str, b: str) -> object:
        return implies(ruleset, clauses(ruleset, a), clauses(ruleset, b), OBJECT_AND_PLACE)

    assert ask("in(?o, ?r)", "not holding(?o)") is TRUE
    assert ask("in(?o, ?r)", "in(?o, ?s)") is TRUE
    assert ask("in(?o, ?s)", "in(?o, ?r)") is FALSE
    assert ask("in(?o, ?r), in(?o, ?s), at(?s)", "at(?r)") is TRUE
    assert ask("no holding(*)", "not holding(?o)") is TRUE
    assert ask("not holding(?o)", "no holding(*)") is FALSE
