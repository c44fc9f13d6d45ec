"""What a place turns out to contain, against what a predictor had expected of it.

Contents are compared as sets of types: which of the room's three mugs it will be nobody can know. A
predictor that can say how likely each type is does so by `Furnisher`; of any other only the
observation that it predicts is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import NamedTuple, Protocol, runtime_checkable

from rules.logic import Atom
from worldmodel.belief import Belief
from worldmodel.environments.base import Perception
from worldmodel.evaluation.metrics import log_chance
from worldmodel.evaluation.observed import Observed
from worldmodel.model import Prediction


@runtime_checkable
class Furnisher(Protocol):
    """Anything that says how likely a place holds things of a type."""

    def contents(self, belief: Belief, pattern: Atom) -> Mapping[str, float]:
        """Type -> the chance that something of it is listed under a pattern such as ``in(*, fridge 1)``.

        A type that is left out has no chance.
        """
        ...


class Contents(NamedTuple):
    """present: types that were there; guessed: that were expected; found: both; places: lists compared.

    log_likelihood: of what was there and what was not, natural logarithms summed over the types that the
    predictor or the place names; ``nan`` where the predictor gives no chances.
    """

    present: int = 0
    guessed: int = 0
    found: int = 0
    places: int = 0
    log_likelihood: float = nan


NONE = Contents()


def compare(
    predictor: object, belief: Belief, prediction: Prediction, observed: Observed, perception: Perception
) -> Contents:
    """The contents that a step shows for the first time, against those that were expected."""
    fresh = [p for p in observed.percept.contents if p not in observed.before.false]
    if not fresh:
        return NONE
    furnisher = predictor if isinstance(predictor, Furnisher) else None
    present = guessed = found = 0
    likelihood = nan if furnisher is None else 0.0
    said = _said(prediction, observed, perception)
    for pattern in fresh:
        there = _types(observed.percept.contents[pattern], observed.percept.objects)
        expected = said.get(pattern)
        if furnisher is not None:
            chances = furnisher.contents(belief, pattern)
            if expected is None:
                expected = {type_ for type_, chance in chances.items() if chance >= 0.5}
            for type_ in there | chances.keys():
                likelihood += log_chance(chances.get(type_, 0.0), type_ in there)
        expected = expected or set()
        present, guessed, found = present + len(there), guessed + len(expected), found + len(there & expected)
    return Contents(present, guessed, found, len(fresh), likelihood)


def _said(prediction: Prediction, observed: Observed, perception: Perception) -> dict[Atom, set[str]]:
    """The contents that a predicted observation lists."""
    if prediction.observation is None:
        return {}
    percept = perception.perceive(observed.action, prediction.observation)
    return {p: _types(names, percept.objects) for p, names in percept.contents.items()}


def _types(names: tuple[str, ...], objects: Mapping[str, str]) -> set[str]:
    return {objects[name] for name in names}
