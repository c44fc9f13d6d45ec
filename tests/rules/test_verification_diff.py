"""Differences in meaning: by hand, and against trying every state of a few objects."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules.language import load, parse
from rules.logic import FALSE, TRUE, Action, Atom, Clause, Literal
from rules.ruleset import ActionSchema, Rule, RuleSet
from rules.verification import Aspect, Difference, Status, diff, foretold
from rules.verification.questions import assuming
from tests.rules.test_verification import BLOCKS, HOUSEHOLD, seeded
from tests.rules.test_verification_properties import World, allowed, as_world, matches, rulesets, step, steps
from worldmodel import shipped_rules

RULES = parse(HOUSEHOLD)
HEAT = "when    holding(?o), at(?r), ?r is microwave, can_heat(type of ?o)"


def only(a: RuleSet, b: RuleSet, aspect: Aspect) -> Difference:
    (difference,) = diff(a, b)
    assert difference.aspect is aspect and difference.status is Status.REFUTED
    return difference


@pytest.mark.parametrize(
    ("old", "new", "aspect"),
    [
        (HEAT, HEAT.replace("at(?r), ", ""), Aspect.APPLICABILITY),
        (HEAT, HEAT.replace("at(?r)", "at(?r), hot(?o)"), Aspect.APPLICABILITY),
        (HEAT, HEAT.replace("microwave", "fridge"), Aspect.APPLICABILITY),
        ("mug 118 / 2", "mug 0 / 20", Aspect.APPLICABILITY),
        ("then    hot(?o), not cool(?o)", "then    hot(?o)", Aspect.EFFECTS),
        (
            "then    at(?r), not at(*)\n    says",
            "then    at(?r), not at(*), open(?r)\n    says",
            Aspect.EFFECTS,
        ),
        ("You heat the {?o}.", "You warm the {?o}.", Aspect.WORDING),
        ('says "Nothing happens."', 'says "{?o} stays as it is."', Aspect.WORDING),
        ("reveals in(*, ?r)", "reveals open(?r)", Aspect.REVEALS),
        ("invariant hot(?o) and cool(?o) implies false\n", "", Aspect.INVARIANT),
    ],
)
def test_every_aspect_is_shown_by_a_state(old: str, new: str, aspect: Aspect) -> None:
    other = seeded(old, new)
    for a, b in ((RULES, other), (other, RULES)):
        found = diff(a, b)
        assert {d.aspect for d in found} == {aspect} and {d.status for d in found} == {Status.REFUTED}
        for d in found:
            assert d.state is not None
            if aspect is not Aspect.INVARIANT:
                assert d.ground is not None and d.a is not None and d.b is not None
                assert d.a.part(aspect) != d.b.part(aspect)
                assert foretold(assuming(a, named(d, "a")), d.state, d.ground) == d.a
                assert foretold(assuming(b, named(d, "b")), d.state, d.ground) == d.b


def named(difference: Difference, side: str) -> list[Literal]:
    """What a side assumes; where the tables differ, its relation goes by another name."""
    own = [(x, x.atom.predicate.removesuffix(f" of {side}")) for x in difference.assumed]
    return [Literal(Atom(n, x.atom.args), x.positive) for x, n in own if n in RULES.relations]


def test_the_state_is_small_and_within_the_invariants_of_both() -> None:
    found = only(RULES, seeded(HEAT, HEAT.replace("at(?r), ", "")), Aspect.APPLICABILITY)
    assert found.state is not None and found.ground is not None
    assert {a.predicate for a in found.state.true} == {"holding"}
    assert set(found.ground.args) == set(found.state.objects)
    assert found.a is not None and found.b is not None
    assert (found.a.truth, found.b.truth) == (FALSE, TRUE)


@pytest.mark.parametrize("text", [HOUSEHOLD, BLOCKS])
def test_a_rule_set_means_what_it_means(text: str) -> None:
    assert diff(parse(text), parse(text)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("no holding(*), at(?r), in(?o, ?r)", "in(?o, ?r), at(?r), not holding(?o), no holding(*)"),
        (
            "action take(?o: object, ?r: receptacle)\n  rule t",
            "action take(?o: object, ?r: receptacle)\n  rule x",
        ),
        (
            'when    holding(?o)\n    says    "You hold {?o}."',
            'when    holding(?x)\n    says    "You hold {?x}."',
        ),
        ("apple 61, mug 118 / 2", "apple 3, mug 9"),
        (
            "at(?r), openable(?r), not open(?r)\n    then    open",
            "openable(?r), not open(?r), at(?r)\n    then    open",
        ),
        ("?r is microwave, can_heat", "?r is microwave, ?r is receptacle, can_heat"),
    ],
)
def test_what_is_written_otherwise_means_the_same(old: str, new: str) -> None:
    assert diff(RULES, seeded(old, new)) == []


def test_renamed_parameters_mean_the_same() -> None:
    renamed = HOUSEHOLD.replace("?o", "?tmp").replace("?r", "?o").replace("?tmp", "?r")
    assert diff(RULES, parse(renamed)) == []


def test_a_rule_split_in_two_means_the_same() -> None:
    split = seeded(
        "    when    at(?r), openable(?r), not open(?r)\n    then    open(?r)\n",
        "    when    at(?r), openable(?r), not open(?r), hot(?r)\n    then    open(?r)\n"
        "  rule p\n    when    at(?r), openable(?r), not open(?r), not hot(?r)\n    then    open(?r)\n",
        HOUSEHOLD.replace("predicate hot(object)", "predicate hot(any)"),
    )
    assert diff(parse(HOUSEHOLD.replace("predicate hot(object)", "predicate hot(any)")), split) == []


def test_shipped_rules_against_themselves() -> None:
    rules = load(shipped_rules("alfworld"))
    assert diff(rules, rules) == []


def test_actions_that_only_one_has() -> None:
    fewer = replace(RULES, actions={n: s for n, s in RULES.actions.items() if n != "heat"})
    assert only(RULES, fewer, Aspect.ACTION).message == "only the first says anything of heat"
    assert only(fewer, RULES, Aspect.ACTION).message == "only the second says anything of heat"
    silent = replace(
        fewer, actions={**fewer.actions, "heat": ActionSchema("heat", RULES.actions["heat"].parameters)}
    )
    assert only(RULES, silent, Aspect.ACTION)


def test_narrower_parameters_are_a_narrower_condition() -> None:
    narrow = seeded("action heat(?o: object, ?r: receptacle)", "action heat(?o: object, ?r: microwave)")
    assert diff(RULES, narrow) == []  # it asks for a microwave anyway
    narrower = seeded("action heat(?o: object,", "action heat(?o: mug,")
    found = only(RULES, narrower, Aspect.APPLICABILITY)
    assert found.state is not None and found.ground is not None
    assert found.state.objects[found.ground.args[0]] != "mug"


def test_vocabularies_that_clash_are_not_compared() -> None:
    other = seeded("type apple, mug, pan, book: object", "type apple, mug, pan: object type book: receptacle")
    found = only(RULES, other, Aspect.VOCABULARY)
    assert found.message == "type book is object in the one and receptacle in the other"
    fewer = seeded("action go_to(?r: receptacle)", "action go_to(?r: receptacle, ?x: object)")
    assert "go_to has 1 parameters in the one and 2" in only(RULES, fewer, Aspect.VOCABULARY).message


def test_invariants_that_exclude_each_other() -> None:
    a = parse(HOUSEHOLD + "invariant true implies some at(*)\n")
    b = parse(HOUSEHOLD + "invariant true implies no at(*)\n")
    assert only(a, b, Aspect.INVARIANT).message == "no state satisfies the invariants of both"


def test_what_z3_cannot_tell_is_unknown() -> None:
    found = diff(RULES, seeded(HEAT, HEAT.replace("at(?r), ", "")), rlimit=1)
    assert found and {d.status for d in found} == {Status.UNKNOWN}


def test_the_same_question_has_the_same_answer() -> None:
    other = seeded(HEAT, HEAT.replace("at(?r), ", ""))
    assert diff(RULES, other) == diff(RULES, other)


# -- against trying

SETTINGS = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


def applied(
    world: World, ruleset: RuleSet, fixed: Mapping[str, str]
) -> tuple[bool, frozenset[Atom], set[str]]:
    schema = ruleset.actions["go"]
    found = [rule for rule in schema.rules if matches(world, rule.when, fixed)]
    said = {rule.says for rule in found if rule.says} if found else {"no"}
    return bool(found), step(world, schema, fixed).true, said


@SETTINGS
@given(rulesets(), rulesets())
def test_differences_are_those_that_trying_finds(one: RuleSet, other: RuleSet) -> None:
    pair = one, replace(one, actions=other.actions)
    found = diff(*pair)
    for d in (d for d in found if d.status is Status.REFUTED and d.state is not None and d.ground):
        assert d.state is not None and d.ground is not None
        world = as_world(one, _Example(d))  # type: ignore[arg-type]
        fixed = dict(zip(("?x", "?b"), d.ground.args, strict=True))
        assert allowed(world, one)
        a, b = (applied(world, ruleset, fixed) for ruleset in pair)
        assert a != b, d
    if found == []:
        for world, fixed in steps(one):
            assert applied(world, pair[0], fixed) == applied(world, pair[1], fixed), (world, fixed)


class _Example:
    """A difference in the clothes of a counterexample."""

    def __init__(self, difference: Difference) -> None:
        assert difference.state is not None
        self.before, self.assumed = difference.state, difference.assumed


@SETTINGS
@given(rulesets(), st.integers(0, 9))
def test_the_order_of_clauses_and_rules_means_nothing(ruleset: RuleSet, seed: int) -> None:
    chance = random.Random(seed)

    def shuffled(rule: Rule) -> Rule:
        when: list[Clause] = [
            tuple(chance.sample(c, len(c))) for c in chance.sample(rule.when, len(rule.when))
        ]
        return replace(rule, when=tuple(when), adds=rule.adds[::-1])

    schema = ruleset.actions["go"]
    other = replace(schema, rules=tuple(shuffled(r) for r in schema.rules[::-1]))
    found = diff(ruleset, replace(ruleset, actions={"go": other}))
    assert [d for d in found if d.aspect is not Aspect.INVARIANT and d.status is Status.REFUTED] == []


def test_free_variables_are_no_meaning_but_what_is_said_of_them_is() -> None:
    text = """
    domain d
    predicate p(any)
    predicate q(any)
    action look
      rule r
        when p(?x), q(?y)
        says "{?x} and {?y}"
    """
    a = parse(text)
    assert diff(a, parse(text.replace("?x", "?z"))) == []
    swapped = only(a, parse(text.replace("p(?x), q(?y)", "p(?y), q(?x)")), Aspect.WORDING)
    assert swapped.ground == Action("look", ())
