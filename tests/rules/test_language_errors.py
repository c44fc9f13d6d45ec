"""Every mistake is a RuleSyntaxError that points at it; hostile text ends the same way."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.errors import RuleSyntaxError
from rules.language import InvalidRules, check, load, parse, render
from rules.language.limits import MAX_CHARACTERS, MAX_LITERALS, MAX_NAME, MAX_TOKENS
from rules.logic import Atom, Literal
from rules.ruleset import ActionSchema, Evidence, Invariant, Parameter, Relation, Rule, RuleSet
from tests.rules.strategies import rulesets

DECLARED = """\
domain d
type place, thing
type fridge: place
type mug: thing
constant kitchen: place
predicate at(place)
predicate in(thing, place)
relation fits(type, type) { (mug, fridge) 3 }
action take(?o: thing, ?r: place) "take {?o}"
rule r1
"""


def error(text: str) -> RuleSyntaxError:
    with pytest.raises(RuleSyntaxError) as caught:
        parse(text, "house.rules")
    assert caught.value.__cause__ is None
    return caught.value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "domain d\ntype mug: object\n",
            "house.rules:2:11: unknown type `object`\n"
            "  type mug: object\n"
            "            ^\n"
            "  expected a declared type: `any`, `mug`",
        ),
        (
            "domain d\nacton go\n",
            "house.rules:2:1: unexpected `acton`; did you mean `action`?\n"
            "  acton go\n"
            "  ^\n"
            "  expected the next declaration or the end of the text",
        ),
        (
            "domain d\npredicate p(any\naction a",
            "house.rules:3:1: unexpected `action`\n  action a\n  ^\n  expected `,` or `)`",
        ),
        (
            "domain d  predicate in(any, type)  # type is a keyword",
            'house.rules:1:29: unexpected `type`; a name that is a keyword is quoted, "type"\n'
            "  domain d  predicate in(any, type)  # type is a keyword\n"
            "                              ^\n"
            "  expected a name",
        ),
        (
            'domain d\naction a "look',
            "house.rules:2:10: a text that does not end on its line\n"
            '  action a "look\n'
            "           ^\n"
            '  expected a closing `"`; write a line break as `\\n`',
        ),
        (
            "domain d\naction",
            "house.rules:2:7: the text ends too early\n  action\n        ^\n  expected a name",
        ),
        (
            DECLARED + "  when\tat(?o)\x1b[2J",
            "house.rules:11:14: '\\x1b' means nothing here\n"
            "    when at(?o) [2J\n"
            "               ^\n"
            "  expected letters a-z, digits, `_`, signs; any other name in double quotes",
        ),
        (
            'domain d "\x1b[2J\u202e"',
            'house.rules:1:10: unexpected `" [2J "`\n'
            '  domain d " [2J "\n'
            "           ^\n"
            "  expected the next declaration or the end of the text",
        ),
        (
            DECLARED + "when at(?r) or in(?x, ?r) then in(?x, ?r)",
            "house.rules:11:19: `?x` is not bound\n"
            "  when at(?r) or in(?x, ?r) then in(?x, ?r)\n"
            "                    ^\n"
            "  expected a parameter or a variable of a positive condition without `or`: `?o`, `?r`",
        ),
    ],
)
def test_message_in_full(text: str, message: str) -> None:
    assert str(error(text)) == message


@pytest.mark.parametrize(
    ("rule", "column", "found", "expected"),
    [
        (
            "when inn(?o)",
            6,
            "unknown predicate `inn`; did you mean `in`?",
            "a declared predicate: `at`, `in`",
        ),
        (
            "when fit(type of ?o)",
            6,
            "unknown relation `fit`; did you mean `fits`?",
            "a declared relation: `fits`",
        ),
        ("when ?o is mugg", 12, "unknown type `mugg`; did you mean `mug`?", "a declared type: `any`, "),
        ("when at(r)", 9, "unknown constant `r`; did you mean `?r`?", "a declared constant: `kitchen`"),
        ("when at(?r, ?o)", 6, "`at` with 2 arguments", "1, as it is declared"),
        ("when in", 6, "`in` with 0 arguments", "2, as it is declared"),
        ("when fits(type of ?o)", 6, "`fits` with 1 argument", "2, as it is declared"),
        ("when fits(?o, ?r)", 6, "`fits` is a relation, on types", "`type of` before each term"),
        ("when at(type of ?r)", 6, "`at` is a predicate, on objects", "objects, without `type of`"),
        ("then fits(?o, ?r)", 6, "`fits` is a relation on types: it never changes", "a predicate"),
        ("when at(?o)", 9, "`?o` is of type `thing`, `at` takes `place` there", "one is below the other"),
        ("when in(kitchen, ?r)", 9, "`kitchen` is of type `place`, `in` takes `thing` there", "one is below"),
        ("when in(?x, ?r), at(?x)", 21, "`?x` is of type `thing`, `at` takes `place` there", "one is below"),
        ("when ?o is fridge", 6, "`?o` is of type `thing`, never `fridge`", "one is below the other"),
        ("when ?o = ?r", 6, "`?o` is of type `thing`, never `place`", "one is below the other"),
        ("when * = ?r", 6, "a wildcard where one object is meant", "a variable or a constant"),
        (
            "when fits(type of *, type of ?r)",
            19,
            "a wildcard where one object is meant",
            "a variable or a con",
        ),
        ("when not at(?x)", 13, "`?x` is not bound", "a positive condition without `or`: `?o`, `?r`"),
        ("then at(?rr)", 9, "`?rr` is not bound; did you mean `?r`?", "a parameter or"),
        ("then at(*)", 9, "a wildcard in what becomes true", "a variable or a constant"),
        ("then not at(?x)", 13, "`?x` is not bound", "a parameter or"),
        ("reveals in(*, ?x)", 15, "`?x` is not bound", "a parameter or"),
        ('says "the {?x}"', 6, "`?x` is not bound (in a slot)", "a parameter or"),
        (
            'says "{inn(*, ?r)}"',
            6,
            "unknown predicate `inn`; did you mean `in`? (in a slot)",
            "a declared predic",
        ),
        ('otherwise says "{in(?r, ?o)}"', 16, "`?r` is of type `place`, `in` takes `thing` there", "one is"),
        (r'says "\q"', 6, r"invalid \escape in a text", r"one of \" \\"),
        ("rule r1", 6, "rule `r1` twice in one action", "another name"),
        (
            "when at(?r) at(?o)",
            13,
            "unexpected `at`",
            "`,`, `or`, `otherwise`, `reveals`, `rule`, `says`, `then`",
        ),
        ("then at(?r) or in(?o, ?r)", 13, "unexpected `or`", "`,`, `otherwise`, `reveals`, `rule`, `says`"),
        ("when ?o", 8, "the text ends too early", "`=`, `!=` or `is`"),
        ('when at("*")', 9, '"*" is no name', "variables and `*` stand without quotes"),
        ('when at("?r")', 9, '"?r" is no name', "variables and `*` stand without quotes"),
        ("when at(?)", 9, "`?` without a name", "a variable such as `?x`"),
        ("when at(é)", 9, "U+00E9 means nothing here", "any other name in double quotes"),
        ("type mug", 6, "type `mug` is declared twice", "another name"),
        ("constant kitchen: any", 10, "constant `kitchen` is declared twice", "another name"),
        ("predicate at(any)", 11, "predicate `at` is declared twice", "another name"),
        ("relation fits(type) {}", 10, "relation `fits` is declared twice", "another name"),
        ("action take", 8, "action `take` is declared twice", "another name"),
        ("predicate fits(any)", 11, "`fits` is a relation too, or built in", "another name"),
        ('predicate "is"(any)', 11, '`"is"` is a relation too, or built in', "another name"),
        ("predicate p(plaice)", 13, "unknown type `plaice`; did you mean `place`?", "a declared type"),
        ("constant k: nowhere", 13, "unknown type `nowhere`", "a declared type"),
        ("type any", 6, "type `any` is built in: it is above all others", "another name"),
        ("type a: b type b: c type c: a", 6, "type `a` is below itself", "a tree of types"),
        ("relation r(type) { mug 1, mug 2 }", 27, "a second row for `mug`", "one row a case"),
        ("relation r(type) { (mug, mug) 1 }", 21, "a row of 2 types", "1, as `r` has"),
        ("relation r(type) { cup 1 }", 20, "unknown type `cup`", "a declared type"),
        ("relation r(type) { mug }", 24, "unexpected `}`", "a number"),
        ("relation r() {}", 12, "unexpected `)`", "`type`"),
        ("action b(?x, ?x)", 14, "parameter `?x` twice, or not like `?x`", "another name"),
        ('action b(?x) "b {?y}"', 14, "`?y` is not bound (in a slot)", "`?x`"),
        ("invariant at(?x) and in(?x, *) implies false", 25, "`?x` is of type `place`, `in` takes", "one is"),
        ("invariant at(?x) implies", 25, "the text ends too early", "a name, a variable such as `?x`, `*`"),
    ],
)
def test_mistake_is_named_where_it_stands(rule: str, column: int, found: str, expected: str) -> None:
    caught = error(DECLARED + rule)
    line = DECLARED.count("\n") + 1
    assert f"house.rules:{line}:{column}: {found}" in str(caught)
    assert expected in caught.expected
    assert (caught.source, caught.line, caught.column) == ("house.rules", line, column)


@pytest.mark.parametrize(
    "ruleset",
    [
        RuleSet(""),
        RuleSet("?d"),
        RuleSet("d", relations={"r": Relation("r", 0)}),
        RuleSet("d", relations={"r": Relation("s", 1)}),
        RuleSet("d", actions={"a": ActionSchema("b")}),
        RuleSet("d", relations={"r": Relation("r", 1, {("any",): Evidence(-1)})}),
        RuleSet("d", invariants=(Invariant((), (), Evidence(0, -1)),)),
        RuleSet("d", invariants=(Invariant((Literal(Atom("is", ("?x",))),)),)),
        RuleSet("d", actions={"a": ActionSchema("a", (Parameter("x"),))}),
        RuleSet("d", actions={"a": ActionSchema("a", rules=(Rule("r", when=((),)),))}),
        RuleSet("d", actions={"a": ActionSchema("a", rules=(Rule("*"),))}),
    ],
)
def test_trees_that_no_text_describes_are_rejected(ruleset: RuleSet) -> None:
    with pytest.raises(InvalidRules, match="; expected "):
        check(ruleset)


def test_a_type_test_that_can_only_fail_may_still_be_denied() -> None:
    parse(DECLARED + "when ?o is not fridge, ?o != ?r")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("#" * MAX_CHARACTERS + "\n", id="long text"),
        pytest.param("#\n" * (MAX_CHARACTERS // 2), id="comments"),
        pytest.param(" " * MAX_CHARACTERS, id="spaces"),
        pytest.param("domain d type a" + ", a" * (MAX_TOKENS // 2), id="many words"),
        pytest.param("domain d predicate p" + "(" * 100_000, id="open brackets"),
        pytest.param("domain d action a rule r when " + "not " * 100_000, id="negations"),
        pytest.param('domain "' + "a" * 1_000_000, id="unclosed text"),
        pytest.param('domain "' + "\\" * 1_000_001, id="backslashes"),
        pytest.param("domain " + "a" * (MAX_NAME + 1), id="long name"),
        pytest.param("domain d action a(?" + "a" * MAX_NAME + ")", id="long variable"),
        pytest.param("domain d relation r(type) { any " + "9" * 100_000 + " }", id="long number"),
        pytest.param("domain d " + " ".join(f"type t{i}: t{i + 1}" for i in range(20_000)), id="deep types"),
        pytest.param(
            "domain d predicate p(t) type " + ", ".join(f"t{i}" for i in range(50_000)), id="many types"
        ),
        pytest.param("\0" * 1000, id="zeros"),
        pytest.param("(" * 1000, id="lisp"),
    ],
)
def test_hostile_text_ends_in_one_short_error(text: str) -> None:
    assert len(str(error(text))) < 600


def test_large_texts_within_the_bounds_are_read() -> None:
    when = " or ".join(["p"] * MAX_LITERALS)
    rules = " ".join(f"rule r{i} when {when}" for i in range(200))
    (action,) = parse(f"domain d predicate p action a {rules}").actions.values()
    assert {len(rule.when[0]) for rule in action.rules} == {MAX_LITERALS}
    types = parse("domain d " + " ".join(f"type t{i}: t{i + 1}" for i in range(99)) + " type t99").types
    assert len(types) == 100


def test_endless_files_are_not_read_to_their_end() -> None:
    if not Path("/dev/zero").exists():
        pytest.skip("no /dev/zero on this system")
    with pytest.raises(RuleSyntaxError, match="more than"):
        load("/dev/zero")


@given(st.text(max_size=60))
def test_garbage_is_an_error(text: str) -> None:
    error("type " + text)


@given(rulesets(), st.randoms(use_true_random=False))
def test_damaged_text_reads_or_is_an_error(ruleset: RuleSet, rng: random.Random) -> None:
    text = render(ruleset)
    start = rng.randrange(len(text))
    end = start + rng.randrange(4)
    damaged = (
        text[:start]
        + rng.choice(["", "(", '"', "?x", "*", " type ", "\\", "9", text[end : end + 9]])
        + text[end:]
    )
    try:
        parse(damaged)
    except RuleSyntaxError as caught:
        assert 1 <= caught.line <= damaged.count("\n") + 1
        assert caught.expected
