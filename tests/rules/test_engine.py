"""The engine on states worked by hand, and against a brute-force evaluator that knows no third value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine import Engine, Match, effects
from rules.errors import WorldModelError
from rules.language import parse
from rules.logic import (
    EQUALS,
    FALSE,
    IS,
    TRUE,
    UNKNOWN,
    WILDCARD,
    Action,
    Atom,
    Clause,
    Literal,
    State,
    Truth,
)
from rules.ruleset import ActionSchema, Evidence, Parameter, Relation, Rule, RuleSet

BLOCKS = parse(
    """
domain blocks
type block
constant table: block
predicate on(block, block)
predicate clear(block)
predicate holding(block)

action pick(?b: block, ?from: block)
  rule pick_1
    when clear(?b), on(?b, ?from), no holding(*)
    then holding(?b), clear(?from), not on(?b, ?from), not clear(?b)

action put(?b: block, ?to: block)
  rule put_on_block
    when holding(?b), clear(?to), ?to != table
    then on(?b, ?to), clear(?b), not holding(?b), not clear(?to)
  rule put_on_table
    when holding(?b), ?to = table
    then on(?b, ?to), clear(?b), not holding(?b)

action lift(?b: block)
  rule lift_1
    when clear(?b), on(?b, ?under), no holding(*)
    then holding(?b), clear(?under), not on(?b, *), not clear(?b)

action sweep
  rule sweep_1
    when on(?b, table), clear(?b)
    then not on(?b, table), not clear(?b)
"""
)

HOUSEHOLD = parse(
    """
domain household
type receptacle, object
type fridge, shelf, microwave: receptacle
type mug, apple, lamp: object
predicate at(receptacle)
predicate in(object, receptacle)
predicate holding(object)
predicate open(receptacle)
predicate openable(receptacle)
predicate hot(object)
predicate on(object)
relation can_heat(type) { apple 9, mug 4 / 1, lamp 0 / 5 }

action take(?o: object, ?r: receptacle)
  rule take_1
    when at(?r), in(?o, ?r), open(?r) or not openable(?r), no holding(*)
    then holding(?o), not in(?o, ?r)

action heat(?o: object, ?r: receptacle)
  rule heat_1
    when holding(?o), at(?r), ?r is microwave, can_heat(type of ?o)
    then hot(?o)

action use(?o: object)
  rule use_1
    when in(?o, ?r), at(?r), ?o is lamp
    then on(?o)

action go_to(?r: receptacle)
  rule go_open
    when open(?r) or not openable(?r)
    then at(?r), not at(*)
  rule go_closed
    when openable(?r), not open(?r)
    then at(?r), not at(*)
"""
)
OBJECTS = {
    "fridge 1": "fridge",
    "shelf 1": "shelf",
    "microwave 1": "microwave",
    "mug 1": "mug",
    "apple 1": "apple",
    "lamp 1": "lamp",
}


def atoms(text: str) -> frozenset[Atom]:
    """``at(shelf 1); open(fridge 1)`` as atoms."""
    found = []
    for part in filter(None, map(str.strip, text.split(";"))):
        predicate, _, args = part.rstrip(")").partition("(")
        found.append(Atom(predicate, tuple(args.split(", ")) if args else ()))
    return frozenset(found)


def room(true: str = "", false: str = "", objects: Mapping[str, str] = OBJECTS) -> State:
    return State(objects, atoms(true), atoms(false))


def act(text: str) -> Action:
    (found,) = atoms(text)
    return Action(found.predicate, found.args)


household, blocks = Engine(HOUSEHOLD), Engine(BLOCKS)


def outcome(state: State, action: str, engine: Engine = household) -> Truth:
    return engine.outcome(state, act(action)).truth


# --- blocks: complete states ----------------------------------------------------------------------


def tower(true: str) -> State:
    return State(dict.fromkeys("abc", "block"), atoms(true), atoms("on(*, *); clear(*); holding(*)"))


START = tower("on(a, b); on(b, table); on(c, table); clear(a); clear(c)")


def test_a_plan_in_the_blocks_world_does_what_it_should() -> None:
    state = START
    for action in ("pick(a, b)", "put(a, c)", "pick(b, table)", "put(b, a)"):
        assert outcome(state, action, blocks) is TRUE, action
        state = blocks.apply(state, act(action))
    assert state.true == atoms("on(c, table); on(a, c); on(b, a); clear(b); clear(table)")
    assert state.truth(Atom("holding", ("b",))) is FALSE


@pytest.mark.parametrize("action", ["pick(b, table)", "pick(a, c)", "put(a, c)", "lift(b)"])
def test_an_action_whose_condition_fails_changes_nothing(action: str) -> None:
    assert outcome(START, action, blocks) is FALSE
    assert blocks.apply(START, act(action)) is START


def test_rules_of_one_action_are_a_disjunction() -> None:
    held = blocks.apply(START, act("pick(a, b)"))
    on_block, on_table = (blocks.outcome(held, act(f"put(a, {to})")).matches for to in ("c", "table"))
    assert [m.rule.name for m in on_block] == ["put_on_block"]
    assert [m.rule.name for m in on_table] == ["put_on_table"]


def test_a_free_variable_is_bound_by_what_is_true() -> None:
    (match,) = blocks.outcome(START, act("lift(a)")).matches
    assert match.bindings == ({"?b": "a", "?under": "b"},)
    after = blocks.apply(START, act("lift(a)"))
    assert after.true == atoms("on(b, table); on(c, table); holding(a); clear(b); clear(c)")


def test_a_free_variable_is_bound_to_a_constant() -> None:
    (match,) = blocks.outcome(START, act("lift(c)")).matches
    assert match.bindings == ({"?b": "c", "?under": "table"},)


def test_a_rule_applies_for_every_binding_of_its_free_variables() -> None:
    flat = tower("on(a, table); on(b, table); on(c, b); clear(a); clear(c)")
    state = State({**flat.objects, "d": "block"}, flat.true | atoms("on(d, table); clear(d)"), flat.false)
    assert blocks.apply(state, act("sweep")).true == atoms("on(b, table); on(c, b); clear(c)")


def test_both_arguments_may_be_the_same_thing() -> None:
    held = tower("holding(a); clear(a)")  # no state of the game: put says what its words say
    after = blocks.apply(held, act("put(a, a)"))
    assert after.true == atoms("on(a, a); clear(a)")  # deletes first, adds win


# --- a household: three values --------------------------------------------------------------------

KNOWN = "at(shelf 1); in(mug 1, shelf 1)"
CLOSED = "at(*); holding(*); in(*, shelf 1)"


def test_success_failure_and_neither() -> None:
    assert outcome(room(KNOWN, f"{CLOSED}; openable(shelf 1)"), "take(mug 1, shelf 1)") is TRUE
    assert outcome(room(KNOWN, CLOSED), "take(mug 1, shelf 1)") is UNKNOWN  # has the shelf a door?
    assert outcome(room(KNOWN, f"{CLOSED}; openable(shelf 1)"), "take(apple 1, shelf 1)") is FALSE
    assert outcome(room(KNOWN, "at(*)"), "take(mug 1, fridge 1)") is FALSE  # one false literal is enough


def test_a_clause_is_false_only_if_all_of_it_is() -> None:
    shut = room(f"{KNOWN}; openable(shelf 1)", f"{CLOSED}; open(shelf 1)")
    assert outcome(shut, "take(mug 1, shelf 1)") is FALSE
    half = room(f"{KNOWN}; openable(shelf 1)", CLOSED)
    assert outcome(half, "take(mug 1, shelf 1)") is UNKNOWN


def test_a_wildcard_means_some_and_its_negation_none() -> None:
    open_hand = room(KNOWN, "at(*); holding(*); openable(shelf 1)")
    assert outcome(open_hand, "take(mug 1, shelf 1)") is TRUE
    full_hand = room(f"{KNOWN}; holding(apple 1)", "at(*); holding(*); openable(shelf 1)")
    assert outcome(full_hand, "take(mug 1, shelf 1)") is FALSE
    nobody_knows = room(KNOWN, "at(*); openable(shelf 1)")
    assert outcome(nobody_knows, "take(mug 1, shelf 1)") is UNKNOWN


@pytest.mark.parametrize(
    ("thing", "expected"), [("apple 1", TRUE), ("mug 1", TRUE), ("lamp 1", FALSE), ("jug 1", UNKNOWN)]
)
def test_a_relation_speaks_of_types_by_its_evidence(thing: str, expected: Truth) -> None:
    state = room(f"at(microwave 1); holding({thing})", "at(*)", {**OBJECTS, "jug 1": "jug"})
    assert outcome(state, f"heat({thing}, microwave 1)") is expected
    assert outcome(state, f"heat({thing}, fridge 1)") is FALSE


@pytest.mark.parametrize(
    ("support", "against", "expected"),
    [(1, 0, TRUE), (3, 3, TRUE), (0, 1, UNKNOWN), (3, 4, UNKNOWN), (0, 2, FALSE), (3, 5, FALSE)],
)
def test_no_single_counter_example_makes_a_relation_false(
    support: int, against: int, expected: Truth
) -> None:
    relation = Relation("fits", 1, {("mug",): Evidence(support, against)})
    assert relation.truth(("mug",)) is expected
    assert relation.truth(("jug",)) is UNKNOWN


@given(st.integers(0, 500), st.integers(0, 500))
def test_confidence_lies_below_the_share_and_grows_with_support(support: int, against: int) -> None:
    evidence = Evidence(support, against)
    assert 0 <= evidence.confidence <= support / max(1, support + against)
    assert evidence.confidence < (evidence + Evidence(1, 0)).confidence
    assert (evidence + Evidence(0, 1)).confidence <= evidence.confidence


def test_a_name_nobody_has_met_is_of_no_type() -> None:
    state = room("holding(apple 1)")
    assert outcome(state, "heat(apple 1, microwave 7)") is FALSE
    assert household.type_of("microwave 7", state) == "any"


def test_an_unknown_type_is_below_no_other() -> None:
    state = room("at(oven 1); holding(apple 1)", objects={**OBJECTS, "oven 1": "oven"})
    assert outcome(state, "heat(apple 1, oven 1)") is FALSE
    assert outcome(state, "go_to(oven 1)") is TRUE  # a parameter's type is no condition


def test_a_join_needs_one_object_that_does_it_all() -> None:
    here = room("at(shelf 1); in(lamp 1, shelf 1)", "at(*)")
    assert outcome(here, "use(lamp 1)") is TRUE
    there = room("at(fridge 1); in(lamp 1, shelf 1)", "at(*); in(*, fridge 1)")
    assert outcome(there, "use(lamp 1)") is FALSE
    unseen = room("at(fridge 1)", "at(*)")
    (match,) = household.outcome(unseen, act("use(lamp 1)")).matches
    assert match.truth is UNKNOWN
    assert match.bindings[0]["?r"] == "fridge 1"


def test_a_join_finds_an_object_of_a_type_that_the_rules_do_not_know() -> None:
    state = room("at(oven 1); in(lamp 1, oven 1)", "at(*)", {**OBJECTS, "oven 1": "oven"})
    assert outcome(state, "use(lamp 1)") is TRUE


def test_a_join_is_not_false_while_somebody_unmet_may_fit() -> None:
    lost = room("", "in(lamp 1, fridge 1)", {"lamp 1": "lamp", "fridge 1": "fridge"})
    assert outcome(lost, "use(lamp 1)") is UNKNOWN
    nowhere = room("", "in(lamp 1, fridge 1); at(*)", {"lamp 1": "lamp", "fridge 1": "fridge"})
    assert outcome(nowhere, "use(lamp 1)") is FALSE


def test_what_befalls_somebody_unmet_changes_nothing_known() -> None:
    rule = Rule("r", (), (Atom("on", ("?o",)), Atom("hot", ("?x",))), (Atom("in", ("?o", "?x")),))
    after = effects((Match(rule, TRUE, ({"?o": "lamp 1", "?x": "?x"},)),), room())
    assert after == room("on(lamp 1)")


def test_one_of_several_rules_must_apply_however_the_unknown_turns_out() -> None:
    dark = room("at(shelf 1)", "at(*)")
    found = household.outcome(dark, act("go_to(fridge 1)"))
    assert found.truth is TRUE
    assert [m.rule.name for m in found.matches] == ["go_open", "go_closed"]
    assert all(m.truth is UNKNOWN for m in found.matches)
    after = household.apply(dark, act("go_to(fridge 1)"))
    assert after.true == atoms("at(fridge 1)")  # what the rules have in common


def test_rules_that_leave_a_gap_do_not_cover() -> None:
    gap = HOUSEHOLD.actions["go_to"].rules[1]
    schema = ActionSchema("go_to", HOUSEHOLD.actions["go_to"].parameters, rules=(gap,))
    engine = Engine(RuleSet("gap", HOUSEHOLD.types, HOUSEHOLD.predicates, actions={"go_to": schema}))
    assert outcome(room(), "go_to(fridge 1)", engine) is UNKNOWN
    assert engine.apply(room(), act("go_to(fridge 1)")) == room()


def test_a_rule_that_surely_applies_speaks_alone() -> None:
    state = room("openable(fridge 1)", "open(fridge 1)")
    found = household.outcome(state, act("go_to(fridge 1)"))
    assert [m.rule.name for m in found.matches] == ["go_closed"]


def test_an_explanation_starts_with_the_nearest_rule() -> None:
    state = room("openable(fridge 1)", "at(*)")
    (first, missing), (second, more) = household.explain(state, act("go_to(fridge 1)"))
    assert (first.name, second.name) == ("go_open", "go_closed")
    assert [t for _, t in missing] == [UNKNOWN] == [t for _, t in more]
    ((rule, reasons),) = household.explain(room(KNOWN, "at(*); holding(*)"), act("take(apple 1, shelf 1)"))
    assert [(len(clauses), truth) for clauses, truth in reasons] == [(1, UNKNOWN), (1, UNKNOWN)]
    assert reasons[0][0] == rule.when[1:2]


def test_an_explanation_keeps_a_join_together() -> None:
    there = room("at(fridge 1); in(lamp 1, shelf 1)", "at(*); in(*, fridge 1)")
    ((rule, ((clauses, truth),)),) = household.explain(there, act("use(lamp 1)"))
    assert (clauses, truth) == (rule.when[:2], FALSE)
    here = room("at(shelf 1); in(lamp 1, shelf 1)", "at(*)")
    assert household.explain(here, act("use(lamp 1)")) == [(rule, [])]


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("fly(mug 1)", "unknown action 'fly': the rule set has go_to, heat, take, use"),
        ("use(lamp 1, mug 1)", "found 2 arguments, expected 1"),
    ],
)
def test_an_action_that_is_none_is_an_error(action: str, message: str) -> None:
    with pytest.raises(WorldModelError, match=message):
        household.outcome(room(), act(action))


# --- against brute force --------------------------------------------------------------------------

TYPES = {"thing": None, "red": "thing", "blue": "thing"}
PREDICATES = {"p": ("thing",), "q": ("thing", "thing"), "r": ()}
PARAMETERS = (Parameter("?a", "thing"), Parameter("?b", "red"))
NAMES = {"r1": "red", "r2": "red", "b1": "blue", "b2": "blue"}
EVERYTHING = [
    *(Atom("p", (n,)) for n in NAMES),
    *(Atom("q", pair) for pair in product(NAMES, repeat=2)),
    Atom("r"),
]
CLOSURE = (Atom("p", (WILDCARD,)), Atom("q", (WILDCARD, WILDCARD)), Atom("r"))
RELATION = Relation(
    "fits",
    2,
    {(a, b): Evidence(3, 0) if a == b else Evidence(0, 3) for a, b in product(["red", "blue"], repeat=2)},
)


def _atoms(terms: list[str]) -> st.SearchStrategy[Atom]:
    one = st.sampled_from(terms)
    return (
        st.builds(Atom, st.just("p"), st.tuples(one))
        | st.builds(Atom, st.just("q"), st.tuples(one, one))
        | st.just(Atom("r"))
    )


def _tests(terms: list[str]) -> st.SearchStrategy[Atom]:
    one = st.sampled_from(terms)
    return (
        st.builds(Atom, st.just(IS), st.tuples(one, st.sampled_from(list(TYPES))))
        | st.builds(Atom, st.just(EQUALS), st.tuples(one, one))
        | st.builds(Atom, st.just("fits"), st.tuples(one, one))
    )


def _clauses(terms: list[str], size: int) -> st.SearchStrategy[Clause]:
    literals = st.builds(Literal, _atoms([*terms, WILDCARD]) | _tests(terms), st.booleans())
    return st.lists(literals, min_size=1, max_size=size).map(tuple)


BINDERS = st.sampled_from([Atom("p", ("?x",)), Atom("q", ("?a", "?x")), Atom("q", ("?x", "?b"))])


@st.composite
def rules(draw: st.DrawFn, joins: bool = True) -> Rule:
    when = draw(st.lists(_clauses(["?a", "?b"], 3), max_size=3))
    terms = ["?a", "?b"]
    if joins and draw(st.booleans()):
        terms.append("?x")
        when.append((Literal(draw(BINDERS)),))
        when += draw(st.lists(_clauses(terms, 2), max_size=2))
    adds, deletes = draw(st.tuples(st.lists(_atoms(terms), max_size=2), st.lists(_atoms(terms), max_size=2)))
    wide = draw(st.lists(_atoms([*terms, WILDCARD]), max_size=1))
    return Rule("?", tuple(when), tuple(adds), (*deletes, *wide))


def engine_of(found: list[Rule]) -> Engine:
    named = tuple(Rule(f"r{i}", r.when, r.adds, r.deletes) for i, r in enumerate(found))
    schema = ActionSchema("act", PARAMETERS, rules=named)
    return Engine(RuleSet("tiny", TYPES, PREDICATES, relations={"fits": RELATION}, actions={"act": schema}))


worlds = st.frozensets(st.sampled_from(EVERYTHING))
actions = st.builds(
    Action, st.just("act"), st.tuples(st.sampled_from(list(NAMES)), st.sampled_from(["r1", "r2"]))
)


def holds(literal: Literal, world: frozenset[Atom], binding: Mapping[str, str]) -> bool:
    """Two-valued truth, by the definitions."""
    predicate, terms = literal.atom.predicate, [binding.get(a, a) for a in literal.atom.args]
    if predicate == IS:
        value = terms[1] in (NAMES[terms[0]], "thing")
    elif predicate == EQUALS:
        value = terms[0] == terms[1]
    elif predicate == "fits":
        value = NAMES[terms[0]] == NAMES[terms[1]]
    else:
        choices = [list(NAMES) if t == WILDCARD else [t] for t in terms]
        value = any(Atom(predicate, args) in world for args in product(*choices))
    return value is literal.positive


def satisfying(rule: Rule, world: frozenset[Atom], action: Action) -> Iterator[dict[str, str]]:
    """Every binding under which a rule's condition holds."""
    free = sorted({t for c in rule.when for lit in c for t in lit.atom.args} & {"?x"})
    for values in product(NAMES, repeat=len(free)):
        binding = dict(zip(["?a", "?b", *free], [*action.args, *values], strict=True))
        if all(any(holds(lit, world, binding) for lit in clause) for clause in rule.when):
            yield binding


def result(found: list[Rule], world: frozenset[Atom], action: Action) -> frozenset[Atom]:
    """The next world: deletes first, with every atom that a wildcard covers, then adds."""
    pairs = [(rule, b) for rule in found for b in satisfying(rule, world, action)]
    gone = [d.substitute(b) for rule, b in pairs for d in rule.deletes]
    left = {a for a in world if not any(d.predicate == a.predicate and d.matches(a) for d in gone)}
    return frozenset(left | {a.substitute(b) for rule, b in pairs for a in rule.adds})


@given(st.lists(rules(), min_size=1, max_size=3), worlds, actions)
def test_in_a_complete_state_the_engine_agrees_with_brute_force(
    found: list[Rule], world: frozenset[Atom], action: Action
) -> None:
    engine, state = engine_of(found), State(NAMES, world, CLOSURE)
    answer = engine.outcome(state, action)
    expected = [list(satisfying(rule, world, action)) for rule in found]
    assert answer.truth is Truth.of(any(expected))
    assert [list(m.bindings) for m in answer.matches] == [b for b in expected if b]
    assert engine.apply(state, action).true == result(found, world, action)


@st.composite
def glimpses(draw: st.DrawFn, action: Action, world: frozenset[Atom]) -> State:
    """A part of what is so in a world: some patterns closed, some atoms seen, some objects not met."""
    terms = [*NAMES, WILDCARD]
    denied = draw(st.frozensets(_atoms(terms), max_size=6))
    closed = {a for a in world if any(d.predicate == a.predicate and d.matches(a) for d in denied)}
    true = closed | draw(st.frozensets(st.sampled_from(sorted(world)))) if world else closed
    met = (
        {n for a in true for n in a.args}
        | set(action.args)
        | draw(st.frozensets(st.sampled_from(list(NAMES))))
    )
    return State({n: t for n, t in NAMES.items() if n in met}, true, denied)


@given(st.data(), st.lists(rules(), min_size=1, max_size=3), worlds, actions)
def test_to_know_more_never_turns_success_into_failure(
    data: st.DataObject, found: list[Rule], world: frozenset[Atom], action: Action
) -> None:
    engine = engine_of(found)
    glimpse = data.draw(glimpses(action, world))
    said = engine.outcome(glimpse, action).truth
    assert said is UNKNOWN or said is engine.outcome(State(NAMES, world, CLOSURE), action).truth
    for rule in engine.ruleset.actions["act"].rules:
        value = engine.match(rule, glimpse, action).truth
        assert value is UNKNOWN or value is engine.match(rule, State(NAMES, world, CLOSURE), action).truth


@given(st.data(), rules(joins=False), worlds, actions)
def test_what_one_rule_predicts_comes_true_in_the_world(
    data: st.DataObject, rule: Rule, world: frozenset[Atom], action: Action
) -> None:
    engine = engine_of([rule])
    glimpse = data.draw(glimpses(action, world))
    if engine.outcome(glimpse, action).truth is not UNKNOWN:
        predicted, so = engine.apply(glimpse, action), result([rule], world, action)
        assert all(predicted.truth(a) in (UNKNOWN, Truth.of(a in so)) for a in EVERYTHING)
