"""Which types need telling apart.

Two types are alike if every formula sees the same in them: the same types above that are mentioned,
the same rows and columns in every relation. A domain of n objects needs at most n alike types.
"""

from __future__ import annotations

from collections.abc import Iterable

from rules.logic import UNKNOWN
from rules.ruleset import RuleSet
from rules.verification.theory import Theory


def representatives(theory: Theory, sort: str, mentioned: Iterable[str], limit: int) -> list[str]:
    """Types of a sort, at most `limit` of each that are alike. The sort itself stands for *any other*."""
    ruleset = theory.ruleset
    rows = _rows(ruleset)
    mentioned = sorted(mentioned)
    taken: dict[object, int] = {}
    kept = []
    for type_ in dict.fromkeys((sort, *ruleset.types)):
        if theory.root(type_) != sort:
            continue
        above = tuple(m for m in mentioned if ruleset.is_a(type_, m))
        profile = (above, frozenset(rows.get(type_, ())))
        taken[profile] = taken.get(profile, 0) + 1
        if taken[profile] <= limit:
            kept.append(type_)
    return kept


def _rows(ruleset: RuleSet) -> dict[str, list[object]]:
    """For each type, what the relations know of it: relation, place, the other types, the value."""
    rows: dict[str, list[object]] = {}
    for relation in ruleset.relations.values():
        for types in relation.table:
            value = relation.truth(types)
            if value is UNKNOWN:
                continue
            for place, type_ in enumerate(types):
                others = (*types[:place], *types[place + 1 :])
                rows.setdefault(type_, []).append((relation.name, place, others, value))
    return rows
