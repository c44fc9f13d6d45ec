"""What an outcome changes and what it shows, from the records of one outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rules.induction.candidates import Candidate
from rules.induction.statistics import Record
from rules.logic import Atom

Counts = Mapping[Record, int]


@dataclass(frozen=True, slots=True)
class Effects:
    """Lifted adds, deletes and reveals; `sensed` are the candidates that an observation shows but no action changes."""

    adds: tuple[Atom, ...]
    deletes: tuple[Atom, ...]
    reveals: tuple[Atom, ...]
    sensed: int


def learn_effects(candidates: Sequence[Candidate], outcome: Counts, siblings: Sequence[Counts]) -> Effects:
    """The effects of one outcome; `siblings` are the records of all successful outcomes of the action.

    What the observation says is an effect if it was seen to change from its opposite, or if it is an
    assertion that every outcome of the action makes; otherwise it was so before, and is shown. (That
    a thing which nobody knew is denied surprises nobody: a denial alone is no sign of a change.)
    """
    adds, deletes, reveals, sensed = [], [], [], 0
    for index, candidate in enumerate(candidates):
        bit = 1 << index
        if candidate.grounded:
            for positive, found in ((True, adds), (False, deletes)):
                kind = _judge(outcome, siblings, bit, positive)
                if kind == "effect":
                    found.append(candidate.atoms[0])
                elif kind == "shown":
                    sensed |= bit
                    if candidate.atoms[0] not in reveals:
                        reveals.append(candidate.atoms[0])
        elif candidate.pattern:
            lost = _count(outcome, lambda r, bit=bit: r.lost & bit)
            kept = _count(outcome, lambda r, bit=bit: r.kept & bit)
            if lost > kept:
                deletes.append(candidate.atoms[0])
            elif _count(outcome, lambda r, bit=bit: r.closed & bit):
                reveals.append(candidate.atoms[0])
    return Effects(tuple(adds), tuple(deletes), tuple(reveals), sensed)


def _count(records: Counts, test: Callable[[Record], object]) -> int:
    return sum(n for record, n in records.items() if test(record))


def _judge(outcome: Counts, siblings: Sequence[Counts], bit: int, positive: bool) -> str | None:
    """``effect``, ``shown`` or None, for one candidate and one value."""

    def seen(record: Record) -> bool:
        return bool((record.seen_true if positive else record.seen_false) & bit)

    def before(record: Record) -> int:
        return (record.true if positive else record.false) & bit

    def opposite(record: Record) -> int:
        return (record.false if positive else record.true) & bit

    total = sum(outcome.values())
    asserted = _count(outcome, seen)
    if 2 * asserted < total:
        return None
    changed = _count(outcome, lambda r: seen(r) and opposite(r))
    stayed = _count(outcome, lambda r: not seen(r) and opposite(r))
    if changed > stayed:
        return "effect"
    fresh = _count(outcome, lambda r: seen(r) and not before(r) and not opposite(r))
    if not fresh:
        return None
    everywhere = positive and all(_count(s, seen) * 2 >= sum(s.values()) for s in siblings)
    return "effect" if everywhere else "shown"
