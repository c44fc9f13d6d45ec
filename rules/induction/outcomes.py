"""The different ways in which an action can succeed: groups of records with one wording or one change."""

from __future__ import annotations

from collections.abc import Sequence

from rules.induction.candidates import Candidate
from rules.induction.changes import explain
from rules.induction.records import Counts, Record


def outcomes(candidates: Sequence[Candidate], records: Counts, noise: float) -> list[dict[Record, int]]:
    """The successful records, grouped by what the environment said, or where it is silent by what changed.

    Most frequent group first.
    """
    said: dict[str, dict[Record, int]] = {}
    for record, count in sorted(records.items()):
        if record.succeeded:
            said.setdefault(record.says, {})[record] = count
    silent = said.pop("", {})
    groups = [*said.values(), *_by_change(silent, explain(candidates, silent, noise).unsteady)]
    return sorted(groups, key=lambda group: -sum(group.values()))


def _by_change(records: Counts, unsteady: int) -> list[dict[Record, int]]:
    """Groups records by what befell the facts to which not always the same happens.

    A smaller change joins a larger one if its next states agree with it: an add that was true already
    changes nothing, so such a record shows only a part of the effect.
    """
    by_change: dict[tuple[int, int], dict[Record, int]] = {}
    for record, count in records.items():
        began, ended = record.seen_true & ~record.true, record.seen_false & ~record.false
        by_change.setdefault((began & unsteady, ended & unsteady), {})[record] = count
    groups: dict[tuple[int, int], dict[Record, int]] = {}
    for change in sorted(by_change, key=lambda c: (-(c[0].bit_count() + c[1].bit_count()), c)):
        home = next((g for g in groups if _agrees(change, by_change[change], g)), change)
        groups.setdefault(home, {}).update(by_change[change])
    return list(groups.values())


def _agrees(change: tuple[int, int], records: Counts, whole: tuple[int, int]) -> bool:
    adds, deletes = whole
    if change[0] & ~adds or change[1] & ~deletes:
        return False
    return all(r.seen_true & adds == adds and r.seen_false & deletes == deletes for r in records)
