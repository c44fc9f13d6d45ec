"""Rules as they may be: what too few have tried is hoped for, so that a plan can try it.

A learned condition can be too strict, and then no plan ever shows that it is: nothing was put into a
fridge, so nothing can be. Beside each rule stand weaker ones, each without one of its conditions, for as
long as little speaks against them (optimism in the face of uncertainty).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rules.engine import Engine, variables
from rules.induction import Transition
from rules.logic import FALSE, IS, Atom, Clause, Literal, Truth
from rules.ruleset import ActionSchema, Evidence, Relation, Rule, RuleSet

REMEMBERED = 150
"""So many tries of an action are kept."""
PATIENCE = 8
"""A hope is given up after so many more failures than successes."""
CAUTION = 2
"""Failures that are taken as seen: a hope costs more than what is known."""


class Tries:
    """The last tries of each action, in the states in which they were made."""

    def __init__(self) -> None:
        self._tries: defaultdict[str, deque[Transition]] = defaultdict(lambda: deque(maxlen=REMEMBERED))

    def note(self, transitions: Iterable[Transition]) -> None:
        """Remembers what was tried."""
        for transition in transitions:
            self._tries[transition.action.name].append(transition)

    def of(self, action: str) -> Sequence[Transition]:
        """What is remembered of an action."""
        return self._tries[action]


def hopeful(ruleset: RuleSet, tries: Tries) -> RuleSet:
    """The rules, and beside them what may be hoped for."""
    engine, relations, actions = Engine(ruleset), dict(ruleset.relations), dict(ruleset.actions)
    for schema in ruleset.actions.values():
        hopes: list[Rule] = []
        for rule in schema.rules:
            if not rule.adds:
                continue
            for number, clause in enumerate(rule.when):
                if variables(clause) <= {p.name for p in schema.parameters}:
                    name = f"hope_{schema.name}_{rule.name}_{number}"
                    hopes += _hopes(engine, schema, rule, clause, name, tries.of(schema.name), relations)
        actions[schema.name] = replace(schema, rules=(*schema.rules, *hopes))
    return replace(ruleset, relations=relations, actions=actions)


def _hopes(
    engine: Engine,
    schema: ActionSchema,
    rule: Rule,
    clause: Clause,
    name: str,
    tries: Sequence[Transition],
    relations: dict[str, Relation],
) -> Iterator[Rule]:
    """The rule without a clause; where that asks for a type, for any type for which little was tried."""
    others = tuple(c for c in rule.when if c is not clause)
    found = [t for t in tries if _all(engine, t, others) and _value(engine, t, clause) is FALSE]
    if len(clause) == 1 and clause[0].positive and clause[0].atom.predicate == IS:
        variable = clause[0].atom.args[0]
        place = [p.name for p in schema.parameters].index(variable)
        table: dict[tuple[str, ...], Evidence] = {}
        for t in found:
            type_ = (engine.type_of(t.action.args[place], t.after),)
            table[type_] = table.get(type_, Evidence(0, CAUTION)) + _evidence([t])
        relations[name] = Relation(name, 1, table)
        instead = (Literal(Atom(name, (variable,))),)
        yield replace(rule, name=name, when=(*others, instead), evidence=Evidence(0, CAUTION))
        return
    support, against = _evidence(found)
    if against <= support + PATIENCE:
        yield replace(rule, name=name, when=others, evidence=Evidence(support, against + CAUTION))


def _evidence(tries: Sequence[Transition]) -> Evidence:
    worked = sum(t.succeeded for t in tries)
    return Evidence(worked, len(tries) - worked)


def _all(engine: Engine, transition: Transition, clauses: Iterable[Clause]) -> bool:
    parameters = engine.binding(transition.action).keys()
    return all(_value(engine, transition, c) is not FALSE for c in clauses if variables(c) <= parameters)


def _value(engine: Engine, transition: Transition, clause: Clause) -> Truth:
    return engine.clause(clause, transition.before, engine.binding(transition.action))
