"""Rules that do again what has worked: what held in every success, and for which types it was one.

A handful of successes among many failures says little of when an action works, and the rules that explain
both say too little or too much. But what all successes had in common is a safe recipe (as in SAM, Juba et al.
2021), and which types an action worked for is a fair preference. For planning alone: as a prediction, they
are too timid.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

from rules.induction import Statistics, induce
from rules.logic import Atom, Literal
from rules.ruleset import Evidence, Relation, RuleSet

Table = dict[tuple[str, ...], Evidence]


def cautious(statistics: Statistics) -> RuleSet:
    """The rules of the successes alone, each with a relation for the types of every parameter."""
    ruleset = induce(_successes(statistics))
    tables = _tables(statistics)
    relations, actions = dict(ruleset.relations), dict(ruleset.actions)
    for schema in ruleset.actions.values():
        more = []
        for place, parameter in enumerate(schema.parameters):
            name = f"worked_{schema.name}_{place + 1}"
            relations[name] = Relation(name, 1, tables[schema.name, place])
            more.append((Literal(Atom(name, (parameter.name,))),))
        rules = tuple(replace(rule, when=(*rule.when, *more)) if rule.adds else rule for rule in schema.rules)
        actions[schema.name] = replace(schema, rules=rules)
    return replace(ruleset, relations=relations, actions=actions)


def _successes(statistics: Statistics) -> Statistics:
    found = Statistics(statistics.domain) + statistics
    found.records = Counter({r: n for r, n in statistics.records.items() if r.succeeded})
    return found


def _tables(statistics: Statistics) -> defaultdict[tuple[str, int], Table]:
    """How often an action succeeded and failed, by the type at each place."""
    tables: defaultdict[tuple[str, int], Table] = defaultdict(dict)
    for record, count in statistics.records.items():
        evidence = Evidence(count, 0) if record.succeeded else Evidence(0, count)
        for place, type_ in enumerate(record.types):
            table = tables[record.action, place]
            table[type_,] = table.get((type_,), Evidence()) + evidence
    return tables
