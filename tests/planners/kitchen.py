"""A small rule set for ALFWorld's words, written by hand, and beliefs spelled out as facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from rules.language import parse
from rules.logic import Atom, Literal, State
from rules.ruleset import Parameter
from worldmodel.belief import Belief
from worldmodel.environments.alfworld.perception import AlfworldPerception
from worldmodel.environments.base import Goal
from worldmodel.knowledge import Knowledge
from worldmodel.model import WorldModel

DOMAIN = """
domain kitchen

type object, receptacle
type mug, apple, pen, bowl, knife, desklamp, painting: object
type desk, drawer, countertop, coffeemachine, sinkbasin, microwave, fridge: receptacle

predicate at(receptacle)
predicate in(object, receptacle)
predicate holding(object)
predicate open(receptacle)
predicate openable(receptacle)
predicate hot(object)
predicate on(object)
"""

RULES = f"""{DOMAIN}
relation fits(type, type) {{ (mug, desk) 9, (pen, desk) 9, (mug, drawer) 0 / 9, (pen, drawer) 1 / 1 }}
relation heatable(type) {{ mug 9, apple 9 }}

action go_to(?r: receptacle) "go to {{?r}}"
  rule surface  [98 for, 0 against]
    when    not at(?r), not openable(?r)
    then    at(?r), not at(*)
    reveals in(*, ?r)
    says    "You arrive at {{?r}}. On the {{?r}}, you see {{in(*, ?r)}}."
  rule shut  [98 for, 0 against]
    when    not at(?r), openable(?r), not open(?r)
    then    at(?r), not at(*)
    says    "You arrive at {{?r}}. The {{?r}} is closed."
  rule ajar  [98 for, 0 against]
    when    not at(?r), open(?r)
    then    at(?r), not at(*)
    reveals in(*, ?r)
    says    "You arrive at {{?r}}. The {{?r}} is open. In it, you see {{in(*, ?r)}}."
  otherwise says "Nothing happens."

action open(?r: receptacle) "open {{?r}}"
  rule opens  [98 for, 0 against]
    when    at(?r), openable(?r), not open(?r)
    then    open(?r)
    reveals in(*, ?r)
    says    "You open the {{?r}}. The {{?r}} is open. In it, you see {{in(*, ?r)}}."
  otherwise says "Nothing happens."

action close(?r: receptacle) "close {{?r}}"
  rule closes  [98 for, 0 against]
    when    at(?r), open(?r)
    then    not open(?r)
    says    "You close the {{?r}}."
  otherwise says "Nothing happens."

action examine(?r: receptacle) "examine {{?r}}"
  rule surveys  [98 for, 0 against]
    when    at(?r), not openable(?r)
    reveals in(*, ?r)
    says    "On the {{?r}}, you see {{in(*, ?r)}}."
  otherwise says "Nothing happens."

action take(?o: object, ?r: receptacle) "take {{?o}} from {{?r}}"
  rule takes  [98 for, 0 against]
    when    no holding(*), at(?r), in(?o, ?r), open(?r) or not openable(?r)
    then    holding(?o), not in(?o, ?r)
    says    "You pick up the {{?o}} from the {{?r}}."
  otherwise says "Nothing happens."

action put(?o: object, ?r: receptacle) "move {{?o}} to {{?r}}"
  rule puts  [98 for, 0 against]
    when    holding(?o), at(?r), fits(type of ?o, type of ?r), open(?r) or not openable(?r)
    then    in(?o, ?r), not holding(?o)
    says    "You move the {{?o}} to the {{?r}}."
  otherwise says "Nothing happens."

action heat(?o: object, ?r: receptacle) "heat {{?o}} with {{?r}}"
  rule heats  [98 for, 0 against]
    when    holding(?o), at(?r), ?r is microwave, heatable(type of ?o)
    then    hot(?o)
    says    "You heat the {{?o}} using the {{?r}}."
  otherwise says "Nothing happens."

action use(?o: object) "use {{?o}}"
  rule lights  [98 for, 0 against]
    when    ?o is desklamp, in(?o, ?r), at(?r)
    then    on(?o)
    says    "You turn on the {{?o}}."
  otherwise says "Nothing happens."
"""

STEP = 1.01
"""The cost of an action by these rules: they worked 98 times of 98, (98 + 1) / (98 + 2)."""

CLOSED = ("at(*)", "holding(*)", "in(*, *)", "hot(*)", "on(*)", "open(*)", "openable(*)")
"""What to deny for a state that is known in full."""


def atom(text: str) -> Atom:
    """``in(mug 1, desk 1)`` as an atom."""
    predicate, args = re.fullmatch(r"([\w= ]+)(?:\((.*)\))?", text).groups()  # type: ignore[union-attr]
    return Atom(predicate, tuple(args.split(", ")) if args else ())


def literal(text: str) -> Literal:
    """``not in(mug 1, desk 1)`` as a literal."""
    return Literal(atom(text.removeprefix("not ")), not text.startswith("not "))


def goal(*condition: str, **parameters: str) -> Goal:
    """``goal("in(?o, ?r)", o="mug", r="desk")``."""
    return Goal(
        " and ".join(condition),
        tuple(Parameter(f"?{name}", type_) for name, type_ in parameters.items()),
        tuple(map(literal, condition)),
    )


def belief(
    aim: Goal,
    objects: Iterable[str],
    true: Iterable[str] = (),
    false: Iterable[str] = CLOSED,
    **others: Any,
) -> Belief:
    """A belief in which every object is named for its type: ``mug 1``."""
    state = State({name: name.split(" ")[0] for name in objects}, map(atom, true), map(atom, false))
    return Belief(state, aim, **others)


def model(text: str = RULES, tables: Mapping[str, Mapping[Any, int]] | None = None) -> WorldModel:
    """The model of these rules, with these counts as its knowledge."""
    return WorldModel(parse(text), AlfworldPerception(), Knowledge(tables))
