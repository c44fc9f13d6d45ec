"""Statistics on disk, so that counting can be resumed, shared out, and added to.

The masks of a record speak of an action's candidates; so a file carries a fingerprint of the
vocabulary and of its candidates, and statistics of any other are refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from rules import counts
from rules.counts import Kind, Source, StrPath, Tables
from rules.induction.invariants import UNTOLD, InvariantKey
from rules.induction.records import Record
from rules.induction.scenes import Scene
from rules.induction.statistics import Statistics
from rules.ruleset import RuleSet

ROWS: dict[str, Any] = {"records": Record, "scenes": Scene, "invariants": tuple[InvariantKey, bool]}
"""The tables of `Statistics`, and what their rows are."""
_WIDER = {"one": 0, "implies": 0, "excludes": 0, "never": 1, UNTOLD: 0}
"""By how much an invariant's second predicate has more arguments than its first, by family."""


def save(statistics: Statistics, path: StrPath, read: Sequence[Source] = ()) -> None:
    """Writes statistics, whole or not at all. `read`: the logs that they were counted from.

    Raises `WorldModelError` where the file cannot be written.
    """
    counts.write(path, kind(statistics.domain), tables(statistics), read)


def load(path: StrPath, domain: RuleSet) -> Statistics:
    """The statistics in a file.

    Raises `WorldModelError` where there are none, or where they were counted over another vocabulary.
    """
    return with_tables(domain, counts.read(path, kind(domain))[0])


def tables(statistics: Statistics) -> Tables:
    """The counts of which statistics consist, by table."""
    return {name: getattr(statistics, name) for name in ROWS}


def with_tables(domain: RuleSet, found: Tables) -> Statistics:
    """Statistics that consist of these counts."""
    statistics = Statistics(domain)
    counts.add(tables(statistics), found)
    return statistics


def kind(domain: RuleSet) -> Kind:
    """What a file of statistics over this vocabulary holds."""
    blank = Statistics(domain)
    bits = {name: len(blank.candidates(name)) for name in domain.actions}

    def check(table: str, row: Any) -> str | None:
        if table == "scenes":
            return _scene_problem(domain, row)
        return _invariant_problem(domain, row[0]) if table == "invariants" else _problem(domain, bits, row)

    def fresh() -> Tables:
        return tables(Statistics(domain))

    return Kind(f"statistics over {domain.name}", _fingerprint(blank), ROWS, check, fresh)


def _fingerprint(blank: Statistics) -> str:
    """All that the meaning of a record depends on: the vocabulary, and this version's candidates."""
    domain = blank.domain
    meaning = (
        domain.name,
        *(list(part.items()) for part in (domain.types, domain.predicates, domain.constants)),
        [(name, schema.parameters, blank.candidates(name)) for name, schema in domain.actions.items()],
    )
    return hashlib.sha256(repr(meaning).encode()).hexdigest()


def _problem(domain: RuleSet, bits: dict[str, int], row: Record) -> str | None:
    """What is wrong with a row whose masks speak of an action's candidates."""
    schema = domain.actions.get(row.action)
    if schema is None:
        return f"unknown action {row.action[:80]!r}"
    if len(row.types) != len(schema.parameters):
        return f"{len(row.types)} types, expected {len(schema.parameters)} as {row.action} has arguments"
    masks = [value for value in row if type(value) is int]
    if any(mask < 0 or mask >> bits[row.action] for mask in masks):
        return f"a mask that speaks of more than the {bits[row.action]} candidates of {row.action}"
    return None


def _scene_problem(domain: RuleSet, scene: Scene) -> str | None:
    """What is wrong with a state of the sample."""
    for name, args in (*scene.true, *scene.false):
        if len(domain.predicates.get(name, ())) != len(args) or name not in domain.predicates:
            return f"no fact of this vocabulary: {name[:80]!r} of {len(args)} arguments"
    return None


def _invariant_problem(domain: RuleSet, key: InvariantKey) -> str | None:
    """What is wrong with a candidate invariant."""
    arities = [len(domain.predicates.get(name, ())) for name in (key.first, key.second)]
    if key.family not in _WIDER or not {key.first, key.second} <= set(domain.predicates):
        return f"no invariant of this vocabulary: {key.family[:80]!r} of {key.first[:80]!r}"
    if arities[1] - arities[0] != _WIDER[key.family] or key.place not in range(max(1, arities[1])):
        return f"{key.first} and {key.second} cannot stand in an invariant of the family {key.family!r}"
    return None
