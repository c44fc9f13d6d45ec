"""What an outcome changes and what it shows, from the records of one outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from rules.induction.candidates import Candidate
from rules.induction.changes import by_chance, explain
from rules.induction.records import Counts, Record
from rules.logic import Atom

FRESH = 0.1
"""What an observation asserts, and was known before in all but this share of the cases, is no news."""
Kind = OneOf["adds", "deletes", "reveals"]


@dataclass(frozen=True, slots=True)
class Effects:
    """Lifted adds, deletes and reveals; `sensed`: candidates that are shown and that no action changes."""

    adds: tuple[Atom, ...]
    deletes: tuple[Atom, ...]
    reveals: tuple[Atom, ...]
    sensed: int


def learn_effects(
    candidates: Sequence[Candidate], outcome: Counts, siblings: Sequence[Counts], noise: float
) -> Effects:
    """The effects of one outcome; `siblings` are the records of all successful outcomes of the action.

    What the observation says is an effect if it was seen to change from its opposite, or if it is an
    assertion that every outcome of the action makes; otherwise it was so before, and is shown. (That
    a thing which nobody knew is denied surprises nobody: a denial alone is no sign of a change.)
    """
    found: dict[Kind, list[Atom]] = {"adds": [], "deletes": [], "reveals": []}
    changes = explain(candidates, outcome, noise)
    silent = any(record.open for record in outcome)  # what is stated there is no news, nor what is not
    sensed = 0
    for index, candidate in enumerate(candidates):
        bit, atom = 1 << index, candidate.atoms[0]
        if candidate.pattern:
            kinds = [_judge_pattern(outcome, bit, noise)]
        elif candidate.grounded and changes.effect(bit):
            kinds = [changes.effect(bit)]
        elif candidate.grounded and not silent:
            kinds = [_judge(outcome, siblings, bit, positive) for positive in (True, False)]
        else:
            continue
        for kind in kinds:
            if kind and atom not in found[kind]:
                found[kind].append(atom)
        if candidate.grounded and "reveals" in kinds:
            sensed |= bit
    return Effects(tuple(found["adds"]), tuple(found["deletes"]), tuple(found["reveals"]), sensed)


def _judge_pattern(outcome: Counts, bit: int, noise: float) -> Kind | None:
    """Whether a pattern's other atoms go, every one but for noise, or are shown in full."""
    lost = sum(n for r, n in outcome.items() if r.lost & bit)
    kept = sum(n for r, n in outcome.items() if r.kept & bit)
    if lost >= by_chance(noise * sum(outcome.values())) > kept:
        return "deletes"
    return "reveals" if any(r.closed & bit for r in outcome) else None


def _count(records: Counts, test: Callable[[Record], object]) -> int:
    return sum(n for record, n in records.items() if test(record))


def _judge(outcome: Counts, siblings: Sequence[Counts], bit: int, positive: bool) -> Kind | None:
    """What it means that a candidate is asserted (or denied), which was never seen to change."""

    def seen(record: Record) -> bool:
        return bool((record.seen_true if positive else record.seen_false) & bit)

    asserted = _count(outcome, seen)
    if not asserted or 2 * asserted < sum(outcome.values()):
        return None
    fresh = _count(outcome, lambda r: seen(r) and not (r.true | r.false) & bit)
    if fresh < FRESH * asserted:
        return None
    everywhere = positive and all(_count(s, seen) * 2 >= sum(s.values()) for s in siblings)
    return "adds" if everywhere else "reveals"
