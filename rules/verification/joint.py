"""Two rule sets as one, so that one solver can compare them.

Each side's actions keep a name of their own, with the parameters in common. What one side knows of
a relation that the other does not becomes a relation of its own. What a rule reveals and says is
turned into effects on made-up predicates, so that wording is compared as effects are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rules.language.slots import SLOT, slot
from rules.logic import IS, WILDCARD, Atom, Clause, Literal
from rules.ruleset import ANY, ActionSchema, Invariant, Parameter, Relation, Rule, RuleSet
from rules.verification.formulas import And, Formula, Or, exists, has_type, negate

SIDES = ("a", "b")


@dataclass(slots=True)
class Joint:
    """Two rule sets over one vocabulary.

    sides: each as it stands, over the types of both. schemas: (side, action) -> its schema in the joint
    rule set, for the actions that both have. relations: side -> own name -> joint name. invariants: of
    each side. shown, said: the made-up predicates, with their arities.
    """

    ruleset: RuleSet
    sides: Mapping[str, RuleSet]
    schemas: dict[tuple[str, str], ActionSchema] = field(default_factory=dict)
    relations: dict[str, dict[str, str]] = field(default_factory=dict)
    invariants: dict[str, tuple[Invariant, ...]] = field(default_factory=dict)
    agreement: list[Formula] = field(default_factory=list)
    """Where the tables do not differ, neither does what is assumed of them."""
    shown: dict[str, int] = field(default_factory=dict)
    said: dict[str, int] = field(default_factory=dict)


def clashes(a: RuleSet, b: RuleSet) -> Iterator[str]:
    """Where the vocabularies contradict each other, in words; such sets cannot be compared."""
    for what, ours, theirs in (
        ("type", _above(a), _above(b)),
        ("predicate", a.predicates, b.predicates),
        ("constant", a.constants, b.constants),
    ):
        for name in ours:
            if name in theirs and ours[name] != theirs[name]:
                mine, yours = _shown(ours[name]), _shown(theirs[name])
                yield f"{what} {name} is {mine} in the one and {yours} in the other"
    for name in {**a.predicates, **a.relations}:
        if (name in a.predicates) != (name in b.predicates) and name in {**b.predicates, **b.relations}:
            yield f"{name} is a predicate in the one and a relation in the other"
    for name, schema in a.actions.items():
        other = b.actions.get(name)
        if other is not None and len(other.parameters) != len(schema.parameters):
            counts = (
                f"{len(schema.parameters)} parameters in the one and {len(other.parameters)} in the other"
            )
            yield f"action {name} has {counts}"


def _above(ruleset: RuleSet) -> dict[str, str]:
    return {t: parent or ANY for t, parent in ruleset.types.items()}


def _shown(value: str | Sequence[str]) -> str:
    return value if isinstance(value, str) else f"({', '.join(value)})"


def joint(a: RuleSet, b: RuleSet) -> Joint:
    """Both rule sets as one; their vocabularies do not clash."""
    common = RuleSet(
        f"{a.name} and {b.name}",
        types={**b.types, **a.types},
        predicates={**b.predicates, **a.predicates},
        constants={**b.constants, **a.constants},
    )
    own = {"a": a, "b": b}
    sides = {
        side: replace(s, types=common.types, predicates=common.predicates, constants=common.constants)
        for side, s in own.items()
    }
    found = Joint(common, sides)
    relations = _relations(found)
    for side, ruleset in own.items():
        names = found.relations[side]
        found.invariants[side] = tuple(
            replace(i, body=_renamed(i.body, {}, names), head=_renamed(i.head, {}, names))
            for i in ruleset.invariants
        )
        for name in [n for n in a.actions if n in b.actions]:
            types = [_type(common, a.actions[name], b.actions[name], i) for i in range(_arity(a, name))]
            found.schemas[side, name] = _schema(found, side, ruleset.actions[name], types)
    made_up = {p: (ANY,) * arity for p, arity in {**found.shown, **found.said}.items()}
    found.ruleset = replace(
        common,
        predicates={**common.predicates, **made_up},
        relations=relations,
        invariants=(*found.invariants["a"], *found.invariants["b"]),
        actions={s.name: s for s in found.schemas.values()},
    )
    return found


def _arity(ruleset: RuleSet, action: str) -> int:
    return len(ruleset.actions[action].parameters)


def _type(common: RuleSet, a: ActionSchema, b: ActionSchema, place: int) -> str:
    """The narrowest type that both sides' parameters are below, if it is one of the two."""
    mine, yours = a.parameters[place].type, b.parameters[place].type
    return yours if common.is_a(mine, yours) else mine if common.is_a(yours, mine) else ANY


def _relations(found: Joint) -> dict[str, Relation]:
    """Relations under their own name where both sides know the same, else one for each side."""
    a, b = (found.sides[side].relations for side in SIDES)
    apart = {n: _rows_apart(a[n], b[n]) for n in a if n in b}
    tables: dict[str, Relation] = {}
    for side, own in zip(SIDES, (a, b), strict=True):
        found.relations[side] = {n: f"{n} of {side}" if apart.get(n) else n for n in own}
        for name, mine in found.relations[side].items():
            tables.setdefault(mine, replace(own[name], name=mine))
    for name, rows in apart.items():
        if rows and a[name].arity == b[name].arity:
            found.agreement.append(_agreement([found.relations[s][name] for s in SIDES], a[name].arity, rows))
    return tables


def _rows_apart(a: Relation, b: Relation) -> list[tuple[str, ...]]:
    """The rows of which the two say different things; all of them, if their columns are not the same."""
    rows = sorted({*a.table, *b.table})
    return [row for row in rows if a.arity != b.arity or a.truth(row) is not b.truth(row)]


def _agreement(names: Sequence[str], arity: int, rows: Sequence[tuple[str, ...]]) -> Formula:
    """Objects of other types than these are alike to both relations."""
    terms = tuple(f"?t{i}" for i in range(arity))
    mine, yours = (Literal(Atom(name, terms)) for name in names)
    same = (And((mine, yours)), And((negate(mine), negate(yours))))
    apart = [And(tuple(map(has_type, terms, row))) for row in rows]
    return negate(exists(dict.fromkeys(terms, ANY), negate(Or((*same, *apart)))))


def _schema(found: Joint, side: str, schema: ActionSchema, types: Sequence[str]) -> ActionSchema:
    """One side's action, with parameters ``?p0``, ``?p1``, ... that the other side's has too."""
    parameters = tuple([Parameter(f"?p{i}", t) for i, t in enumerate(types)])
    named = {own.name: p.name for own, p in zip(schema.parameters, parameters, strict=True)}
    narrower = tuple(
        (Literal(Atom(IS, (p.name, own.type))),)
        for own, p in zip(schema.parameters, parameters, strict=True)
        if own.type != p.type
    )
    rules = tuple(_rule(found, side, rule, named, narrower) for rule in schema.rules)
    return ActionSchema(f"{schema.name} of {side}", parameters, rules=rules)


def _rule(
    found: Joint, side: str, rule: Rule, named: Mapping[str, str], narrower: tuple[Clause, ...]
) -> Rule:
    atoms = [x.atom for clause in rule.when for x in clause]
    free = {v: f"?f_{v[1:]}" for a in atoms for v in a.args if v.startswith("?") and v not in named}
    binding = {**free, **named}
    when = tuple(_renamed(clause, binding, found.relations[side]) for clause in rule.when)
    adds = [a.substitute(binding) for a in rule.adds]
    adds += [_show(found, pattern.substitute(binding)) for pattern in rule.reveals]
    adds += [_say(found, rule.says, binding)] if rule.says is not None else []
    deletes = tuple(a.substitute(binding) for a in rule.deletes)
    return Rule(rule.name, (*narrower, *when), tuple(adds), deletes)


def _renamed(
    clause: Iterable[Literal], binding: Mapping[str, str], relations: Mapping[str, str]
) -> tuple[Literal, ...]:
    literals = [x.substitute(binding) for x in clause]
    return tuple([Literal(Atom(relations.get(a.predicate, a.predicate), a.args), p) for a, p in literals])


def _show(found: Joint, pattern: Atom) -> Atom:
    """What is revealed, as an atom over the objects that the pattern names."""
    mask = ", ".join(WILDCARD if a == WILDCARD else "_" for a in pattern.args)
    args = tuple([a for a in pattern.args if a != WILDCARD])
    name = f"reveals {pattern.predicate}({mask})"
    found.shown[name] = len(args)
    return Atom(name, args)


def _say(found: Joint, wording: str, binding: Mapping[str, str]) -> Atom:
    """A wording, as an atom over the objects that it names beside the parameters."""
    args: list[str] = []

    def term(name: str) -> str:
        own = binding.get(name, name)
        if not own.startswith("?f_"):
            return own
        args.append(own)
        return "_"

    def put(match: re.Match[str]) -> str:
        stands_for = slot(match)
        if isinstance(stands_for, Atom):
            return f"{{{stands_for.predicate}({', '.join(map(term, stands_for.args))})}}"
        return f"{{{term(stands_for)}}}"

    name = f"says {SLOT.sub(put, wording)!r}"
    found.said[name] = len(args)
    return Atom(name, tuple(args))
