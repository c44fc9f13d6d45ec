"""Hostile input ends in an error, or in *unknown*; never in another exception, and never in a hang.

No test measures time: each would run for hours, or out of memory, were its bound not there.
"""

from __future__ import annotations

import random
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules import verification
from rules.engine import MAX_BINDINGS, Engine
from rules.errors import RuleSyntaxError, WorldModelError
from rules.induction import Transition
from rules.language import load, parse, render
from rules.language.limits import (
    MAX_ACTIONS,
    MAX_ARITY,
    MAX_CONSTANTS,
    MAX_INVARIANTS,
    MAX_LITERALS,
    MAX_NAME,
    MAX_RULES,
    MAX_TYPES,
    MAX_VARIABLES,
)
from rules.logic import TRUE, Action, Atom, State
from rules.proposals import MAX_PROPOSALS, fragments, prompt, review
from rules.proposals.witness import Witness
from rules.verification import Kind, Status, solver
from tests.rules.blocks import DOMAIN, transitions
from tests.rules.strategies import rulesets

VALID = (Path(__file__).parents[2] / "worldmodel/environments/alfworld/household.rules").read_bytes()
ALPHABET = [
    b'"',
    b"(",
    b")",
    b"{",
    b"*",
    b"?x",
    b"\0",
    b"\xff",
    b"\xf0\x9f\x98\x80",
    b"\n",
    b" or ",
    b" rule ",
    b"9" * 30,
]


def many(text: str, number: int, between: str = " ") -> str:
    return between.join(text.format(i) for i in range(number))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"predicate p({many('any', MAX_ARITY + 1, ',')})", MAX_ARITY),
        (f"relation r({many('type', MAX_ARITY + 1, ',')}) {{}}", MAX_ARITY),
        (f"action a({many('?x{}', MAX_VARIABLES + 1, ',')})", MAX_VARIABLES),
        (f"predicate p(any) action a rule r when {many('p(?x{})', MAX_VARIABLES + 1, ',')}", MAX_VARIABLES),
        (
            f"predicate p(any) invariant {many('p(?x{})', MAX_VARIABLES + 1, ' and ')} implies false",
            MAX_VARIABLES,
        ),
        (f"predicate p action a rule r when {many('p', MAX_LITERALS + 1, ' or ')}", MAX_LITERALS),
        (f"predicate p action a rule r when {many('p', MAX_LITERALS + 1, ',')}", MAX_LITERALS),
        (f"predicate p action a rule r then {many('p', MAX_LITERALS + 1, ',')}", MAX_LITERALS),
        (f"predicate p invariant {many('p', MAX_LITERALS, ' and ')} implies p", MAX_LITERALS),
        (f"action a {many('rule r{}', MAX_RULES + 1)}", MAX_RULES),
        (many("action a{}", MAX_ACTIONS + 1), MAX_ACTIONS),
        (f"type {many('t{}', MAX_TYPES + 1, ',')}", MAX_TYPES),
        (f"constant {many('c{}', MAX_CONSTANTS + 1, ',')}: any", MAX_CONSTANTS),
        (f"predicate p {many('invariant p implies p', MAX_INVARIANTS + 1)}", MAX_INVARIANTS),
        (f"predicate p action a rule r when {'p' * (MAX_NAME + 1)}", MAX_NAME),
    ],
)
def test_what_is_beyond_a_limit_is_named(text: str, expected: int) -> None:
    with pytest.raises(RuleSyntaxError) as caught:
        parse(f"domain d\n{text}")
    assert caught.value.expected == f"at most {expected}"
    assert str(expected + 1) in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "a million rules" + " rule r" * 1_000_000,
        "domain d action a " + many("rule r{}", 50_000),
        "domain d action a rule r when " + "p or " * 500_000,
        "domain d predicate p(" + "any," * 90_000,
        'domain "' + "\\u0041" * 600_000 + '"',
        "domain d action a rule r when " + "no (" * 200_000,
        "domain d relation r(type) {" + "any 1," * 30_000,
        "\ufeff" * 100_000,
        "domain ｄ",  # a letter that only looks like one
        "domain d\u200b",
        "domain d type \u0430ny",
        "domain d\x00",
        "domain domain",
        "domain d action action",
        "domain d predicate true",
        "domain d action a(?x) rule r when not not p(?x)",
    ],
    ids=lambda text: text[:24],
)
def test_hostile_texts_are_errors(text: str) -> None:
    with pytest.raises(RuleSyntaxError) as caught:
        parse(text)
    assert len(str(caught.value)) < 700


def test_names_that_are_keywords_or_look_like_code_are_names() -> None:
    names = ["when", "*or", "__import__('os')", "a\u202eb", "{?x}", "../../etc/passwd", "%s%n", "${HOME}"]
    for name in names:
        quoted = name.replace('"', '\\"')
        ruleset = parse(f'domain "{quoted}" predicate "{quoted}" action "{quoted}" rule "{quoted}"')
        assert ruleset.name == name and list(ruleset.predicates) == [name]
        assert parse(render(ruleset)) == ruleset


@settings(deadline=None, max_examples=150)
@given(st.randoms(use_true_random=False))
def test_a_damaged_file_loads_or_is_an_error(
    tmp_path_factory: pytest.TempPathFactory, rng: random.Random
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "x.rules"
    data = bytearray(VALID)
    for _ in range(rng.randrange(1, 6)):
        start = rng.randrange(len(data))
        end = start + rng.choice([0, 1, 5, 500])
        data[start:end] = rng.choice([*ALPHABET, bytes([rng.randrange(256)]), data[start : start + 300] * 3])
    path.write_bytes(data)
    try:
        load(path)
    except WorldModelError as error:
        assert len(str(error)) < 1000


@given(st.binary(max_size=200))
def test_random_bytes_are_an_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "x.rules"
    path.write_bytes(b"type " + data)
    with pytest.raises(WorldModelError):
        load(path)


# -- rules that are valid, and cost too much


def free(number: int) -> str:
    """A rule whose free variables nothing ties together, and which never holds."""
    when = many("p(?x{})", number, ", ")
    return f"domain d predicate p(any) predicate q(any) action a rule r when {when}, q(?x{number - 1})"


def test_joins_that_explode_are_an_error() -> None:
    objects = {f"o{i}": "any" for i in range(60)}
    state = State(objects, [Atom("p", (name,)) for name in objects], [Atom("q", ("*",))])
    with pytest.raises(
        WorldModelError, match=f"rule r: more than {MAX_BINDINGS:,} ways to choose its 8 free"
    ):
        Engine(parse(free(8))).outcome(state, Action("a"))
    with pytest.raises(WorldModelError, match="conditions that tie them"):
        Engine(parse(free(8))).explain(state, Action("a"))
    assert Engine(parse(free(2))).outcome(state, Action("a")).truth is not TRUE


@pytest.mark.parametrize(
    "text",
    [
        free(MAX_VARIABLES),
        # wildcards under negation in a wide predicate, as conditions and as effects
        f"domain d predicate p({many('any', 8, ',')}) action a rule r when no p({many('*', 8, ',')})"
        f" rule s when some p({many('*', 8, ',')}) then not p({many('*', 8, ',')})",
        # an invariant over many variables
        f"domain d predicate p(any, any) invariant {many('p(?x{0}, ?y{0})', 12, ' and ')} implies ?x0 = ?y1"
        " action a(?x, ?y) rule r then p(?x, ?y)",
        # a relation over many columns and types
        f"domain d type {many('t{}', 60, ',')} relation r({many('type', 6, ',')}) {{}}"
        f" action a({many('?x{}', 6, ',')}) rule r when r({many('type of ?x{}', 6, ',')})",
        # clauses that multiply out to 4 ** 40 cases
        f"domain d {many('predicate p{}', 160)} action a rule r when "
        + ", ".join(" or ".join(f"p{4 * i + j}" for j in range(4)) for i in range(40))
        + f" rule s when {many('not p{}', 160, ', ')}",
    ],
    ids=["free variables", "wildcards", "invariant", "relation", "clauses"],
)
def test_z3_keeps_within_bounds(text: str) -> None:
    ruleset = parse(text)
    report = verification.check(ruleset, rlimit=20_000)
    assert report.questions
    for finding in report.of(Kind.VACUOUS_RULE):
        assert finding.status is not Status.REFUTED


def pigeons(holes: int) -> str:
    """No state puts so many pigeons into so few holes, which resolution cannot see in short."""
    sits = [f"p{i}_{j}" for i in range(holes + 1) for j in range(holes)]
    somewhere = [" or ".join(f"p{i}_{j}" for j in range(holes)) for i in range(holes + 1)]
    apart = [
        f"not p{a}_{j} or not p{b}_{j}" for j in range(holes) for a in range(holes + 1) for b in range(a)
    ]
    declared = " ".join(f"predicate {name}" for name in sits)
    return f"domain d {declared} action a rule r when {', '.join(somewhere + apart)}"


def test_a_question_too_hard_stays_open() -> None:
    found = verification.check(parse(pigeons(9)), rlimit=20_000)
    (finding,) = found.of(Kind.VACUOUS_RULE)
    assert finding.status is Status.UNKNOWN and not found.ok


def test_all_questions_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "WORK", 300_000)
    rules = many("rule r{0} when p{0}, not q then q", 200)
    text = f"domain d predicate q {many('predicate p{}', 200)} action a {rules}"
    with pytest.raises(WorldModelError, match=r"z3 has spent 300,000 units .* expected a smaller"):
        verification.check(parse(text))


# -- proposals


@settings(deadline=None, max_examples=40)
@given(rulesets(), st.text(max_size=80), st.randoms(use_true_random=False))
def test_any_proposal_gets_a_verdict(witness_rules: object, noise: str, rng: random.Random) -> None:
    text = render(witness_rules)  # type: ignore[arg-type]
    start = rng.randrange(len(text))
    found = review(DOMAIN, text[:start] + noise + text[start:], _WITNESS, action="pick", rlimit=20_000)
    assert found.admitted.predicates == DOMAIN.predicates
    assert all(verdict.reason for verdict in found.verdicts)
    verification.check(found.admitted)


@given(st.text(st.sampled_from(string.printable + '`~#"?\0é'), max_size=300))
def test_any_text_is_searched_for_rules(text: str) -> None:
    try:
        found = fragments(text)
    except WorldModelError:
        return
    assert len(found) <= MAX_PROPOSALS
    assert all(fragment.above <= text.count("\n") for fragment in found)


@pytest.mark.parametrize(
    "text",
    [
        "rule r when " + "(" * 200_000,
        "rule r when p" + " or p" * 100_000,
        "```\n" * 100_000,
        'rule "' * 200,
        "#" * 1_000_000,
        "rule r " + "\n" * 1_000_000,
        ("\n" * 2000 + "rule r when (") * 400,
        "action pick " * 50_000 + "rule r",
        "rule " + "r" * 100_000,
    ],
    ids=lambda text: text[:14].strip(),
)
def test_hostile_proposals_are_rejected(text: str) -> None:
    found = review(DOMAIN, text, _WITNESS, action="pick")
    assert found.admitted == DOMAIN
    assert not any(verdict.admitted for verdict in found.verdicts)


def test_a_proposal_whose_joins_explode_is_rejected() -> None:
    objects = {f"o{i}": "block" for i in range(60)}
    crowd = State(objects, [Atom("clear", (name,)) for name in objects], [Atom("holding", ("*",))])
    seen = Transition(crowd, Action("pick", ("o1",)), frozenset(), frozenset(), succeeded=False)
    text = f"rule r when {many('clear(?x{})', 12, ', ')}, holding(?x11) then not table(?b)"
    (verdict,) = review(DOMAIN, text, [seen], action="pick", rlimit=20_000).verdicts
    assert not verdict.admitted
    assert "free variables" in verdict.reason


def test_a_prompt_stays_short_whatever_the_log() -> None:
    objects = {f"block {i}": "block" for i in range(3000)}
    crowd = State(objects, [Atom("clear", (name,)) for name in objects])
    seen = Transition(crowd, Action("pick", ("block 1",)), frozenset(), frozenset(), succeeded=True)
    text = prompt(DOMAIN, "pick", Witness([seen] * 50))
    assert len(text) < 10_000 and "and 2988 more" in text


_WITNESS = Witness(transitions(seed=1, episodes=2))
