"""How much two observations are alike, as the field measures it."""

from __future__ import annotations

from collections import Counter


def normalised(text: str) -> str:
    """A text in lower case with its white space folded: WorldEvolver compares these."""
    return " ".join(text.lower().split())


def token_f1(said: str, text: str) -> float:
    """The harmonic mean of precision and recall over words with their numbers of occurrences (SQuAD)."""
    if said == text:
        return 1.0
    ours, theirs = Counter(said.split()), Counter(text.split())
    shared = (ours & theirs).total()
    return 2 * shared / (ours.total() + theirs.total()) if shared else 0.0
