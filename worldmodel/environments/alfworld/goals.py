"""ALFWorld's task sentences, as goals.

A task is drawn from a few surface templates, two for each of six kinds. The words in it are types, so
a goal says which *kinds* of things must come to stand in which relation. The words themselves are not
checked: a game may have furniture of its own.
"""

from __future__ import annotations

import re

from rules.logic import EQUALS, Atom, Literal
from rules.ruleset import Parameter
from worldmodel.environments.base import Goal, UnknownGoal

_WORD = r"([a-z][a-z0-9_-]{0,39})"
_TASK = re.compile(r"Your task is to: *([^\n]{0,400})")
_PLACE = re.compile(rf"put (?:a|some) {_WORD} (?:in|on) {_WORD}")
_TREAT = re.compile(rf"(clean|heat|cool) some {_WORD} and put it in {_WORD}")
_TREATED = re.compile(rf"put a (clean|hot|cool) {_WORD} in {_WORD}")
_TWO = re.compile(rf"(?:put two {_WORD} in {_WORD}|find two {_WORD} and put them in {_WORD})")
_LOOK = re.compile(rf"(?:look at {_WORD} under the {_WORD}|examine the {_WORD} with the {_WORD})")

_PREDICATE = {"clean": "clean", "heat": "hot", "hot": "hot", "cool": "cool"}

UNDERSTOOD = (
    "put a|some X in|on Y",
    "put a clean|hot|cool X in Y",
    "clean|heat|cool some X and put it in Y",
    "put two X in Y",
    "find two X and put them in Y",
    "look at X under the Y",
    "examine the X with the Y",
)
"""The task sentences, as a person would list them."""


def read_goal(text: str) -> Goal:
    """The goal in an opening observation (``Your task is to: ...``) or in a bare task sentence.

    Raises `UnknownGoal` where the sentence follows none of the templates.
    """
    found = _TASK.search(text)
    task = (found[1] if found else text).strip()
    sentence = task.removesuffix(".")
    if match := _PLACE.fullmatch(sentence):
        return _place(task, match[1], match[2])
    if match := _TREAT.fullmatch(sentence) or _TREATED.fullmatch(sentence):
        return _place(task, match[2], match[3], _positive(_PREDICATE[match[1]], "?o"))
    if match := _TWO.fullmatch(sentence):
        return _two(task, match[1] or match[3], match[2] or match[4])
    if match := _LOOK.fullmatch(sentence):
        return _look(task, match[1] or match[3], match[2] or match[4])
    raise UnknownGoal(f"unknown task {task[:120]!r}: expected one of {'; '.join(UNDERSTOOD)}")


def _positive(predicate: str, *terms: str) -> Literal:
    return Literal(Atom(predicate, terms))


def _place(task: str, thing: str, place: str, *treated: Literal) -> Goal:
    parameters = Parameter("?o", thing), Parameter("?r", place)
    return Goal(task, parameters, (_positive("in", "?o", "?r"), *treated))


def _two(task: str, thing: str, place: str) -> Goal:
    parameters = Parameter("?o1", thing), Parameter("?o2", thing), Parameter("?r", place)
    apart = Literal(Atom(EQUALS, ("?o1", "?o2")), False)
    return Goal(task, parameters, (_positive("in", "?o1", "?r"), _positive("in", "?o2", "?r"), apart))


def _look(task: str, thing: str, lamp: str) -> Goal:
    """The lamp must be on, where the agent stands, with the thing in its hand."""
    parameters = Parameter("?o", thing), Parameter("?l", lamp), Parameter("?s", "receptacle")
    condition = (
        _positive("holding", "?o"),
        _positive("on", "?l"),
        _positive("in", "?l", "?s"),
        _positive("at", "?s"),
    )
    return Goal(task, parameters, condition)
