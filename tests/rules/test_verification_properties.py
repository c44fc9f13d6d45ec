"""Verification against a small evaluator of its own that tries every state of a few objects.

What is found by trying must be found by the check; and every counterexample must be one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, combinations, product
from typing import Any, NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules.logic import FALSE, TRUE, Atom, Clause, Literal
from rules.ruleset import ActionSchema, Evidence, Invariant, Parameter, Relation, Rule, RuleSet
from rules.verification import Counterexample, Kind, Status, check, entailed, implies

TYPES = {"box": None, "thing": None, "red": "thing"}
PREDICATES = {"p": ("thing",), "q": ("thing", "box"), "r": ("red",), "f": ()}
PARAMETERS = (Parameter("?x", "thing"), Parameter("?b", "box"))
PLACES = {"thing": ["?x", "?y", "?z", "*"], "red": ["?x", "?y", "*"], "box": ["?b", "?c", "*"]}


# -- random rule sets


def atoms(terms: Mapping[str, list[str]]) -> st.SearchStrategy[Atom]:
    return st.one_of(
        [
            st.builds(Atom, st.just(p), st.tuples(*(st.sampled_from(terms[t]) for t in signature)))
            for p, signature in PREDICATES.items()
        ]
    )


def only(*allowed: str) -> dict[str, list[str]]:
    return {t: [v for v in places if v in allowed] for t, places in PLACES.items()}


BUILT_IN = st.sampled_from(
    [
        Atom("is", ("?x", "red")),
        Atom("is", ("?x", "thing")),
        Atom("warm", ("?x",)),
        Atom("fits", ("?x", "?b")),
    ]
)
FREE = atoms(only("?x", "?y", "?b", "?c", "*")).map(Literal)
BOUND = st.builds(Literal, atoms(only("?x", "?b", "*")) | BUILT_IN, st.booleans())
CLAUSES: st.SearchStrategy[Clause] = st.tuples(BOUND) | st.tuples(FREE) | st.tuples(BOUND, BOUND)


@st.composite
def rules(draw: Any, name: str) -> Rule:
    when = draw(st.lists(CLAUSES, max_size=3).map(tuple))
    free = {a for c in when for x in c for a in x.atom.args if a in ("?y", "?c")}
    adds = draw(st.lists(atoms(only("?x", "?b", *free)), max_size=2).map(tuple))
    deletes = draw(st.lists(atoms(only("?x", "?b", "*", *free)), max_size=2).map(tuple))
    return Rule(name, when, adds, deletes, (), draw(st.sampled_from([None, "a", "b"])))


LITERALS = st.builds(
    Literal, atoms(only("?x", "?y", "?b", "?c", "*")) | st.just(Atom("=", ("?x", "?y"))), st.booleans()
)
INVARIANTS = st.builds(
    Invariant,
    st.lists(LITERALS, min_size=1, max_size=2).map(tuple),
    st.lists(LITERALS, max_size=1).map(tuple),
)
TABLES = st.dictionaries(
    st.sampled_from(list(product(TYPES, TYPES))), st.sampled_from([Evidence(9), Evidence(0, 9)]), max_size=4
)


@st.composite
def rulesets(draw: Any) -> RuleSet:
    table = draw(TABLES)
    relations = {
        "warm": Relation("warm", 1, {(t,): e for (t, _), e in table.items()}),
        "fits": Relation("fits", 2, table),
    }
    schema = ActionSchema("go", PARAMETERS, None, (draw(rules("a")), draw(rules("b"))), "no")
    invariants = draw(st.lists(INVARIANTS, max_size=2).map(tuple))
    return RuleSet("tiny", TYPES, PREDICATES, {}, relations, invariants, {"go": schema})


# -- an evaluator of its own, two-valued, by the letter of the contracts


class World(NamedTuple):
    objects: Mapping[str, str]
    true: frozenset[Atom]
    tables: Mapping[Atom, bool]


def below(type_: str | None, other: str) -> bool:
    return other == "any" or type_ == other or (type_ is not None and below(TYPES[type_], other))


def holds(world: World, literal: Literal, binding: Mapping[str, str]) -> bool:
    predicate, args = literal.atom.substitute(binding)
    if predicate == "=":
        value = args[0] == args[1]
    elif predicate == "is":
        value = below(world.objects[args[0]], args[1])
    elif predicate in ("warm", "fits"):
        value = world.tables[Atom(predicate, tuple(world.objects[a] for a in args))]
    else:
        value = any(Atom(predicate, args).matches(atom) for atom in world.true)
    return value is literal.positive


def bindings(
    world: World, clauses: tuple[Clause, ...], fixed: Mapping[str, str]
) -> Iterator[Mapping[str, str]]:
    """Every binding of the variables in the clauses to objects of the deepest type they are used at."""
    types: dict[str, str] = {}
    for atom in (x.atom for clause in clauses for x in clause):
        for arg, type_ in zip(atom.args, PREDICATES.get(atom.predicate, ("any", "any")), strict=False):
            if arg.startswith("?") and arg not in fixed:
                old = types.get(arg, "any")
                types[arg] = type_ if old == "any" or type_ == "red" else old
    options = [[o for o, t in world.objects.items() if below(t, type_)] for type_ in types.values()]
    for values in product(*options):
        yield {**fixed, **dict(zip(types, values, strict=True))}


def matches(world: World, when: tuple[Clause, ...], fixed: Mapping[str, str]) -> list[Mapping[str, str]]:
    return [b for b in bindings(world, when, fixed) if all(any(holds(world, x, b) for x in c) for c in when)]


def keeps(world: World, invariant: Invariant) -> bool:
    clauses = ((*invariant.body, *invariant.head),)
    return all(
        not all(holds(world, x, b) for x in invariant.body) or any(holds(world, x, b) for x in invariant.head)
        for b in bindings(world, clauses, {})
    )


def allowed(world: World, ruleset: RuleSet) -> bool:
    return all(keeps(world, invariant) for invariant in ruleset.invariants)


def step(world: World, schema: ActionSchema, fixed: Mapping[str, str]) -> World:
    found = [(rule, b) for rule in schema.rules for b in matches(world, rule.when, fixed)]
    deleted = [a.substitute(b) for rule, b in found for a in rule.deletes]
    added = [a.substitute(b) for rule, b in found for a in rule.adds]
    kept = {a for a in world.true if not any(d.matches(a) for d in deleted)}
    well_typed = {a for a in added if fits_signature(world, a)}
    return world._replace(true=frozenset(kept | well_typed))


def fits_signature(world: World, atom: Atom) -> bool:
    return all(below(world.objects[a], t) for a, t in zip(atom.args, PREDICATES[atom.predicate], strict=True))


def worlds(ruleset: RuleSet) -> Iterator[World]:
    """Every state of one box and one or two things (two only where that is few)."""
    for things in (("red",), ("thing",), ("red", "thing")):
        objects = {f"{t} 1": t for t in things} | {"box 1": "box"}
        ground = [
            atom
            for p, signature in PREDICATES.items()
            for args in product(objects, repeat=len(signature))
            if fits_signature(World(objects, frozenset(), {}), atom := Atom(p, args))
        ]
        subsets = chain.from_iterable(combinations(ground, n) for n in range(len(ground) + 1))
        states = [frozenset(s) for s in subsets]
        for tables in completions(ruleset, objects):
            yield from (World(objects, state, tables) for state in states)


def completions(ruleset: RuleSet, objects: Mapping[str, str]) -> Iterator[dict[Atom, bool]]:
    """The relations on the types that occur: known cells as they are, the others all false, then all true."""
    known: dict[Atom, bool] = {}
    for name, arity in (("warm", 1), ("fits", 2)):
        for types in product(dict.fromkeys(objects.values()), repeat=arity):
            value = ruleset.relations[name].truth(types)
            if value in (TRUE, FALSE):
                known[Atom(name, types)] = value is TRUE
    for default in (False, True):
        cells = [Atom("warm", (t,)) for t in TYPES] + [Atom("fits", p) for p in product(TYPES, TYPES)]
        yield {cell: known.get(cell, default) for cell in cells}


def steps(ruleset: RuleSet) -> Iterator[tuple[World, dict[str, str]]]:
    """Every allowed world, and every action in it."""
    for world in worlds(ruleset):
        if allowed(world, ruleset):
            for thing in (o for o, t in world.objects.items() if t != "box"):
                yield world, {"?x": thing, "?b": "box 1"}


# -- what must agree

SETTINGS = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))


@SETTINGS
@given(rulesets())
def test_no_fault_that_trying_finds_is_missed(ruleset: RuleSet) -> None:
    report = check(ruleset)
    schema = ruleset.actions["go"]
    vacuous = {f.rules[0] for f in report.of(Kind.VACUOUS_RULE)}
    broken = {(f.rules[0], f.message) for f in report.of(Kind.INVARIANT) if f.status is not Status.PROVED}
    worded = any(True for _ in report.of(Kind.CONTRADICTORY_WORDING))
    for world, fixed in steps(ruleset):
        assert not any(True for _ in report.of(Kind.INCONSISTENT_INVARIANTS))
        applied = [rule for rule in schema.rules if matches(world, rule.when, fixed)]
        for rule in applied:
            assert f"go.{rule.name}" not in vacuous, (world, rule)
        if len({rule.says for rule in applied} - {None}) == 2:
            assert worded, world
        after = step(world, schema, fixed)
        if not allowed(after, ruleset):
            for rule in applied:
                assert f"go.{rule.name}" in {name for name, _ in broken}, (world, fixed, after)


def as_world(ruleset: RuleSet, example: Counterexample) -> World:
    assumed = {literal.atom: literal.positive for literal in example.assumed}
    tables = next(completions(ruleset, example.before.objects)) | assumed
    return World(example.before.objects, example.before.true, tables)


@SETTINGS
@given(rulesets())
def test_every_counterexample_is_one(ruleset: RuleSet) -> None:
    schema = ruleset.actions["go"]
    for finding in check(ruleset).findings:
        example = finding.counterexample
        if example is None:
            continue
        assert example.action is not None and example.after is not None
        world = as_world(ruleset, example)
        assert allowed(world, ruleset), finding
        fixed = dict(zip(("?x", "?b"), example.action.args, strict=True))
        names = [r.name for r in schema.rules if matches(world, r.when, fixed)]
        assert all(name.removeprefix("go.") in names for name in finding.rules), finding
        assert step(world, schema, fixed).true == {
            a for a in example.after.true if fits_signature(world, a)
        }, finding
        if finding.kind is Kind.INVARIANT:
            assert not allowed(step(world, schema, fixed), ruleset), finding


@SETTINGS
@given(rulesets())
def test_clauses_called_entailed_change_nothing(ruleset: RuleSet) -> None:
    for rule in ruleset.actions["go"].rules:
        dropped = entailed(ruleset, rule.when, PARAMETERS)
        kept = tuple(c for i, c in enumerate(rule.when) if i not in dropped)
        for world, fixed in steps(ruleset):
            assert bool(matches(world, rule.when, fixed)) == bool(matches(world, kept, fixed)), (kept, world)


@SETTINGS
@given(rulesets())
def test_implication_agrees_with_trying(ruleset: RuleSet) -> None:
    a, b = (rule.when for rule in ruleset.actions["go"].rules)
    value = implies(ruleset, a, b, PARAMETERS)
    if value is TRUE:
        for world, fixed in steps(ruleset):
            assert not matches(world, a, fixed) or matches(world, b, fixed), world
    assert implies(ruleset, a, a, PARAMETERS) is TRUE


def test_the_evaluator_itself_tells_right_from_wrong() -> None:
    """So that the properties above cannot pass for want of worlds."""
    when = ((Literal(Atom("p", ("?x",))),),)
    rule = Rule("a", when, (Atom("f"),), (Atom("p", ("*",)),))
    invariant = Invariant((Literal(Atom("f")),))
    relations = {"warm": Relation("warm", 1), "fits": Relation("fits", 2)}
    schema = ActionSchema("go", PARAMETERS, None, (rule,))
    ruleset = RuleSet("tiny", TYPES, PREDICATES, {}, relations, (invariant,), {"go": schema})
    tried = [(w, f) for w, f in steps(ruleset) if matches(w, when, f)]
    assert tried
    assert all(
        step(w, schema, f).true >= {Atom("f")} and not allowed(step(w, schema, f), ruleset) for w, f in tried
    )
