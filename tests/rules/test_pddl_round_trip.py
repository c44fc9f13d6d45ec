"""Rules -> PDDL -> rules means the same, and unified-planning takes what is between."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from rules import language
from rules.engine import Engine
from rules.logic import TRUE, WILDCARD, Action, Atom, State
from rules.pddl import read_domain, static_atoms, write_domain
from rules.pddl.names import Names
from rules.ruleset import ANY, Evidence, Relation, RuleSet
from tests.rules.strategies import rulesets

unified_planning = pytest.importorskip("unified_planning.io", reason="the extra pddl is not installed")
MANY = 12


def accepted(text: str) -> bool:
    """Whether unified-planning's reader, as it comes, takes a domain."""
    return unified_planning.PDDLReader().parse_problem_string(text) is not None


def reread(ruleset: RuleSet, folder: Path) -> RuleSet:
    path = folder / "domain.pddl"
    path.write_text(write_domain(ruleset), encoding="utf-8")
    return read_domain(path, rules=True)


def decided(ruleset: RuleSet) -> RuleSet:
    """The same rules with relations that leave no pair of types open: PDDL has no third value."""
    relations = {}
    for name, relation in ruleset.relations.items():
        rows = product([ANY, *ruleset.types], repeat=relation.arity)
        table = {row: Evidence(1, 0) if relation.truth(row) is TRUE else Evidence(0, 2) for row in rows}
        relations[name] = Relation(name, relation.arity, table)
    return replace(ruleset, relations=relations)


class Renamed:
    """States and actions of a rule set, in the spelling of its PDDL domain."""

    def __init__(self, ruleset: RuleSet) -> None:
        self.ruleset, self.names = ruleset, Names(ruleset)

    def atom(self, atom: Atom) -> Atom:
        return Atom(self.names.predicates[atom.predicate], tuple(map(self.term, atom.args)))

    def term(self, term: str) -> str:
        return self.names.constants.get(term, term)

    def action(self, action: Action) -> Action:
        return Action(self.names.actions[action.name], tuple(map(self.term, action.args)))

    def state(self, state: State) -> State:
        objects = {name: self.type(type_) for name, type_ in state.objects.items()}
        static = {self.atom(atom) for atom in static_atoms(self.ruleset, state.objects)}
        true = {self.atom(atom) for atom in state.true}
        closed = {
            Atom(self.names.predicates[r.name], (WILDCARD,) * r.arity)
            for r in self.ruleset.relations.values()
        }
        return State(objects, true | static, {self.atom(atom) for atom in state.false} | closed)

    def type(self, type_: str) -> str:
        return ANY if type_ == ANY else self.names.types[type_]


@st.composite
def cases(draw) -> tuple[RuleSet, list[State]]:
    """A rule set, and complete states of two objects a type."""
    ruleset = decided(draw(rulesets(simple=True)))
    # The engine lets a thing whose type nobody knows stand for a free variable of any type; PDDL does not.
    assume(not ruleset.types or ANY not in ruleset.constants.values())
    objects = {f"o{n}-{i}": type_ for n, type_ in enumerate(ruleset.types or [ANY]) for i in (1, 2)}
    typed = {**ruleset.constants, **objects}
    atoms = [
        Atom(name, args)
        for name, types in ruleset.predicates.items()
        for args in product(*[[o for o, t in typed.items() if ruleset.is_a(t, place)] for place in types])
    ]
    closure = {Atom(name, (WILDCARD,) * len(types)) for name, types in ruleset.predicates.items()}
    chosen = st.sets(st.sampled_from(atoms), max_size=MANY) if atoms else st.just(set())
    return ruleset, [
        State(objects, true, closure - true) for true in draw(st.lists(chosen, min_size=1, max_size=3))
    ]


def property_test(examples: int):
    """The property, on so many random cases."""

    @settings(max_examples=examples, deadline=None, suppress_health_check=[*HealthCheck])
    @given(cases())
    def check(tmp_path_factory: pytest.TempPathFactory, case: tuple[RuleSet, list[State]]) -> None:
        ruleset, states = case
        assert accepted(write_domain(ruleset))
        same_meaning(ruleset, reread(ruleset, tmp_path_factory.mktemp("pddl")), states)

    return check


test_any_rules_mean_the_same_as_pddl = property_test(25)
test_many_rules_mean_the_same_as_pddl = pytest.mark.slow(property_test(200))


def same_meaning(ruleset: RuleSet, again: RuleSet, states: list[State]) -> None:
    """Every action succeeds in the same states, and leads to the same next ones."""
    before, after, renamed = Engine(ruleset), Engine(again), Renamed(ruleset)
    for state in states:
        other = renamed.state(state)
        for schema in ruleset.actions.values():
            pools = [[*ruleset.constants, *state.objects]] * len(schema.parameters)
            for args in list(product(*pools))[:60]:
                action = Action(schema.name, args)
                succeeds = before.outcome(state, action).truth is TRUE
                assert (after.outcome(other, renamed.action(action)).truth is TRUE) is succeeds, action
                if succeeds:
                    then = renamed.state(well_typed(ruleset, before.apply(state, action)))
                    assert after.apply(other, renamed.action(action)).true == then.true, action


def well_typed(ruleset: RuleSet, state: State) -> State:
    """The state without atoms that only a term of a wider type could bring about: PDDL has none."""
    typed = {**ruleset.constants, **state.objects}
    true = [
        atom
        for atom in state.true
        if all(
            ruleset.is_a(typed[o], t)
            for o, t in zip(atom.args, ruleset.predicates[atom.predicate], strict=True)
        )
    ]
    return State(state.objects, true, state.false)


def test_the_domains_of_amlgym_come_back_equal(amlgym: Path, tmp_path: Path) -> None:
    paths = sorted(amlgym.glob("domains/*.pddl"))
    assert len(paths) == 11
    for path in paths:
        ruleset = read_domain(path, rules=True)
        assert accepted(write_domain(ruleset))
        assert reread(ruleset, tmp_path) == ruleset


def test_the_household_comes_back_with_the_same_meaning(tmp_path: Path) -> None:
    ruleset = language.load(Path("worldmodel/environments/alfworld/household.rules"))
    assert accepted(write_domain(ruleset))
    again, names = reread(ruleset, tmp_path), Names(ruleset)
    assert {names.actions[name] for name in ruleset.actions} == set(again.actions)
    objects = {"mug 1": "mug", "desk 1": "desk", "fridge 1": "fridge", "toaster 1": "toaster", "pan 1": "pan"}
    closure = {Atom(name, (WILDCARD,) * len(types)) for name, types in ruleset.predicates.items()}
    here = {Atom("at", ("fridge 1",)), Atom("openable", ("fridge 1",)), Atom("in", ("pan 1", "fridge 1"))}
    held = {Atom("holding", ("mug 1",)), Atom("cool", ("mug 1",))}
    worlds = [
        set(),
        here,
        here | held,
        here | held | {Atom("open", ("fridge 1",))},
        {*held, Atom("at", ("toaster 1",))},
    ]
    same_meaning(ruleset, again, [State(objects, world, closure) for world in worlds])
