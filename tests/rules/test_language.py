"""Text and tree say the same: golden pairs, and the round trip for every rule set."""

from __future__ import annotations

import random
import re
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rules.language as language
from rules.errors import RuleSyntaxError, WorldModelError
from rules.language import check, load, parse, render, render_clause, render_rule, save, slots
from rules.language.names import KEYWORDS
from rules.language.parser import _WORDS, _lark
from rules.logic import Atom, Literal
from rules.ruleset import ActionSchema, Evidence, Invariant, Parameter, Relation, Rule, RuleSet
from tests.rules.strategies import rulesets

TEXT = """\
domain household

type receptacle, object
type microwave, fridge: receptacle
type mug, apple: object

constant "kitchen 1": receptacle

predicate at(receptacle)
predicate in(object, receptacle)
predicate holding(object)
predicate hot(any)
predicate dark

relation can_heat(type) { apple 0 / 14, mug 118 / 2 }

relation fits(type, type) { (apple, fridge) 12 }

invariant in(?o, ?r) and in(?o, ?s) implies ?r = ?s  [4102 for, 37 against]
invariant hot(?x) and dark implies false

action heat(?o: object, ?r) "heat {?o} with {?r}"
  rule heat_1  [459 for, 0 against]
    when    holding(?o), at(?r), ?r is microwave, can_heat(type of ?o)
    then    hot(?o), not dark
    says    "You heat the {?o} using the {?r}."
  rule "rule 2"
    when    no holding(*), some in(*, ?r), hot(?r) or not in(?o, "kitchen 1"), ?o is not mug
  otherwise says "Nothing happens."

action look "look"
  rule l
    when    at(?z), not fits(type of ?z, type of ?z), ?z != "kitchen 1"
    then    not at(*), not in(*, ?z)
    reveals in(*, ?z), dark
    says    "On the {?z}, you see {in(*, ?z)}."
"""


def no(predicate: str, *args: str) -> Literal:
    return Literal(Atom(predicate, args), False)


def yes(predicate: str, *args: str) -> Literal:
    return Literal(Atom(predicate, args))


TREE = RuleSet(
    "household",
    types={
        "receptacle": None,
        "object": None,
        "microwave": "receptacle",
        "fridge": "receptacle",
        "mug": "object",
        "apple": "object",
    },
    predicates={
        "at": ("receptacle",),
        "in": ("object", "receptacle"),
        "holding": ("object",),
        "hot": ("any",),
        "dark": (),
    },
    constants={"kitchen 1": "receptacle"},
    relations={
        "can_heat": Relation("can_heat", 1, {("mug",): Evidence(118, 2), ("apple",): Evidence(0, 14)}),
        "fits": Relation("fits", 2, {("apple", "fridge"): Evidence(12)}),
    },
    invariants=(
        Invariant(
            (yes("in", "?o", "?r"), yes("in", "?o", "?s")), (yes("=", "?r", "?s"),), Evidence(4102, 37)
        ),
        Invariant((yes("hot", "?x"), yes("dark"))),
    ),
    actions={
        "heat": ActionSchema(
            "heat",
            (Parameter("?o", "object"), Parameter("?r")),
            "heat {?o} with {?r}",
            (
                Rule(
                    "heat_1",
                    when=(
                        (yes("holding", "?o"),),
                        (yes("at", "?r"),),
                        (yes("is", "?r", "microwave"),),
                        (yes("can_heat", "?o"),),
                    ),
                    adds=(Atom("hot", ("?o",)),),
                    deletes=(Atom("dark"),),
                    says="You heat the {?o} using the {?r}.",
                    evidence=Evidence(459),
                ),
                Rule(
                    "rule 2",
                    when=(
                        (no("holding", "*"),),
                        (yes("in", "*", "?r"),),
                        (yes("hot", "?r"), no("in", "?o", "kitchen 1")),
                        (no("is", "?o", "mug"),),
                    ),
                ),
            ),
            "Nothing happens.",
        ),
        "look": ActionSchema(
            "look",
            command="look",
            rules=(
                Rule(
                    "l",
                    when=((yes("at", "?z"),), (no("fits", "?z", "?z"),), (no("=", "?z", "kitchen 1"),)),
                    deletes=(Atom("at", ("*",)), Atom("in", ("*", "?z"))),
                    reveals=(Atom("in", ("*", "?z")), Atom("dark")),
                    says="On the {?z}, you see {in(*, ?z)}.",
                ),
            ),
        ),
    },
)


def test_text_reads_as_the_tree_worked_by_hand() -> None:
    assert parse(TEXT) == TREE


def test_tree_prints_as_the_text_worked_by_hand() -> None:
    assert render(TREE) == TEXT


@given(rulesets())
def test_what_is_printed_reads_back_equal(ruleset: RuleSet) -> None:
    check(ruleset)
    text = render(ruleset)
    assert parse(text) == ruleset
    assert render(parse(text)) == text
    assert text.replace("\n", "").isprintable(), "a text that hides something"


@given(rulesets(simple=True), st.randoms(use_true_random=False))
def test_layout_and_comments_mean_nothing(ruleset: RuleSet, rng: random.Random) -> None:
    text = render(ruleset)
    words = [str(token) for token in _lark().lex(text)]
    blanks = [" ", "\t", "\r\n", "\n\n  ", ' # "a comment, type\n', "#\n"]
    assert parse("".join(word + rng.choice(blanks) for word in words)) == ruleset


def test_a_tree_holds_ordinary_strings() -> None:
    def leaves(node: object) -> list[str]:
        if isinstance(node, str):
            return [node]
        if isinstance(node, dict):
            return [leaf for item in node.items() for leaf in leaves(item)]
        if isinstance(node, tuple):
            return [leaf for item in node for leaf in leaves(item)]
        fields = getattr(node, "__dataclass_fields__", ())
        return [leaf for name in fields for leaf in leaves(getattr(node, name))]

    found = leaves(parse(TEXT))
    assert len(found) > 100
    assert {type(leaf) for leaf in found} == {str}


HEAD = "domain d type t predicate p(t) predicate q relation r(type) { t 1 } "


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("action a rule x when not p(*)", "action a() rule x when no p(*)"),
        ("action a rule x when p(*)", "action a() rule x when some p(*)"),
        ("action a rule x when q, not q", "action a rule x when some q(), no q()"),
        (
            "action a(?x) rule x then not q, p(?x), not p(?x)",
            "action a(?x) rule x then p(?x), not q, not p(?x)",
        ),
        ("action a(?x: any)", "action a(?x)"),
        ("relation s(type) { t 1, }", "relation s(type) { (t) 1 / 0 }"),
        ("invariant true implies q [0 for, 0 against]", "invariant true implies q"),
        (
            'action "a" rule "x" when "p"("*x"), "*x" is "t" constant "*x": "t"',
            'constant "*x": t action a rule x when p("*x"), "*x" is t',
        ),
    ],
)
def test_two_ways_to_write_one_thing(one: str, other: str) -> None:
    assert parse(HEAD + one) == parse(HEAD + other)


def test_declarations_may_come_in_any_order() -> None:
    head, *sections = TEXT.split("\n\n")
    assert parse("\n".join([head, *reversed(sections)])) == TREE


def test_long_lists_are_broken_into_lines() -> None:
    types = {f"type_{i:02}": None for i in range(40)}
    table = {(t,): Evidence(i) for i, t in enumerate(types)}
    when = tuple((yes("is", "?x", t),) for t in types)
    rule = Rule("r", when)
    ruleset = RuleSet(
        "d",
        types,
        relations={"r": Relation("r", 1, table)},
        actions={"a": ActionSchema("a", (Parameter("?x"),), rules=(rule,))},
    )
    text = render(ruleset)
    assert max(map(len, text.splitlines())) <= 100
    assert "\n  type_07 7,\n" in text
    assert "\n            ?x is type_" in text
    assert parse(text) == ruleset


def test_equal_tables_print_alike_whatever_their_order() -> None:
    table = {("a",): Evidence(1), ("b",): Evidence(2)}
    turned = dict(reversed(table.items()))
    one, other = (
        RuleSet("d", {"a": None, "b": None}, relations={"r": Relation("r", 1, t)}) for t in (table, turned)
    )
    assert render(one) == render(other)


def test_parts_print_as_they_stand_in_the_whole() -> None:
    rule = TREE.actions["heat"].rules[1]
    assert render_rule(rule, TREE) in TEXT
    assert render_clause(rule.when[2], TREE) == 'hot(?r) or not in(?o, "kitchen 1")'


def test_the_reference_in_the_docstring_is_true() -> None:
    example = textwrap.dedent(language.__doc__.split("::\n", 1)[1].split("\nLayout")[0])
    ruleset = parse(example)
    assert set(ruleset.actions) == {"heat", "take"}
    assert parse(render(ruleset)) == ruleset


def test_printer_and_messages_know_the_grammars_words() -> None:
    terminals = {t.name: t.pattern for t in _lark().terminals}
    words = {p.value for p in terminals.values() if p.type == "str" and re.fullmatch("[a-z]+", p.value)}
    assert words == KEYWORDS
    assert set(terminals) - {"SPACE", "COMMENTS"} == set(_WORDS) - {"declaration", "$END"}


@pytest.mark.parametrize(
    ("wording", "expected"),
    [
        ("take {?o} from {?r}", ["?o", "?r"]),
        ("you see {in(*, ?r)}.", [Atom("in", ("*", "?r"))]),
        ('{"odd one"("mug 1",mug)}', [Atom("odd one", ("mug 1", "mug"))]),
        ("{} { ?x } {x} {?} {p()} {{?x}}", ["?x"]),
        ("", []),
    ],
)
def test_slots_of_a_wording(wording: str, expected: list[object]) -> None:
    assert list(slots(wording)) == expected


@settings(max_examples=20)
@given(ruleset=rulesets())
def test_what_is_saved_loads_equal(ruleset: RuleSet, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("rules") / "x.rules"
    save(ruleset, path)
    assert load(path) == ruleset
    assert path.read_bytes() == render(ruleset).encode("utf-8")


def test_load_takes_files_from_other_editors(tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode("utf-8"))
    assert load(path) == TREE


def test_a_failed_save_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    save(TREE, path)
    with pytest.raises(RuleSyntaxError, match="unknown type `nowhere`"):
        save(RuleSet("d", predicates={"p": ("nowhere",)}), path)
    with pytest.raises(WorldModelError, match="differs from its entry's name"):
        save(RuleSet("d", actions={"a": ActionSchema("b")}), path)
    assert load(path) == TREE
    assert list(tmp_path.iterdir()) == [path]


def test_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(WorldModelError, match=r"none\.rules: cannot read rules: No such file"):
        load(tmp_path / "none.rules")
    with pytest.raises(WorldModelError, match="cannot read rules"):
        load(tmp_path)
    with pytest.raises(WorldModelError, match="cannot write rules"):
        save(TREE, tmp_path / "none" / "x.rules")
    path = tmp_path / "x.rules"
    path.write_bytes(b"domain d\ntype \xff")
    with pytest.raises(RuleSyntaxError, match=r"x\.rules:2:6: a byte that is no UTF-8"):
        load(path)
