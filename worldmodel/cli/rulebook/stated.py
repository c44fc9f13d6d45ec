"""Actions and states as one writes them on a command line: ``heat(mug 1, microwave 1)``,
``holding(mug 1), not open(fridge 1), no at(*), mug 1 is mug``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from rules.errors import WorldModelError

if TYPE_CHECKING:
    from rules.logic import Action, Atom, State
    from rules.ruleset import RuleSet

_CALL = re.compile(r"\s*([^\s()]+)\s*(?:\(([^()]*)\))?\s*")
_APART = re.compile(r"[,;](?![^(]*\))")
"""A comma outside brackets."""
_NUMBERED = re.compile(r"[ _-]?\d+$")


class _Call(NamedTuple):
    name: str
    args: tuple[str, ...]


def action_named(text: str, ruleset: RuleSet) -> Action:
    """The action of a text: ``name(argument, ...)``, or the wording of one of the commands."""
    from rules.logic import Action

    call = _call(text)
    if call is not None and call.name in ruleset.actions:
        return Action(*call)
    for name, schema in ruleset.actions.items():
        places = {p.name: f"(?P<p{i}>.+)" for i, p in enumerate(schema.parameters)}
        pattern = re.escape(schema.command or "")
        for parameter, group in places.items():
            pattern = pattern.replace(re.escape(f"{{{parameter}}}"), group)
        match = re.fullmatch(pattern, text.strip())
        if match and schema.command:
            return Action(name, tuple([match[f"p{i}"] for i in range(len(places))]))
    known = ", ".join(ruleset.actions)
    raise WorldModelError(f"{text!r} is no action; expected name(argument, ...) with one of {known}")


def state_of(text: str, ruleset: RuleSet, action: Action, closed: bool = False) -> State:
    """The state that a text states. `closed`: what it does not state is false.

    An object's type is the one stated, else the type it is named for (``mug 1``), else that of the
    places it takes. `WorldModelError` where a part is no fact over the rule set's vocabulary.
    """
    from rules.logic import WILDCARD, Atom, State

    types: dict[str, str] = {}
    true: list[Atom] = []
    false: list[Atom] = []
    for part in filter(None, map(str.strip, _APART.split(text))):
        name, is_, type_ = part.partition(" is ")
        if is_ and "(" not in part:
            types[name.strip()] = type_.strip()
            continue
        negative = part.startswith(("not ", "no "))
        atom = _atom(part.partition(" ")[2] if negative else part, ruleset)
        (false if negative else true).append(atom)
    objects = {n: t for n, t in _placed(ruleset, action, [*true, *false]).items() if n != WILDCARD}
    if closed:
        false += [Atom(p, (WILDCARD,) * len(signature)) for p, signature in ruleset.predicates.items()]
    return State({**objects, **types}, true, false)


def _call(text: str) -> _Call | None:
    match = _CALL.fullmatch(text)
    if match is None:
        return None
    args = tuple(arg.strip() for arg in match[2].split(",")) if match[2] and match[2].strip() else ()
    return _Call(match[1], args)


def _atom(text: str, ruleset: RuleSet) -> Atom:
    from rules.logic import Atom

    call = _call(text)
    if call is None or call.name not in ruleset.predicates:
        known = ", ".join(ruleset.predicates)
        raise WorldModelError(f"{text!r} is no fact; expected predicate(object, ...) with one of {known}")
    if len(call.args) != len(ruleset.predicates[call.name]):
        arity = len(ruleset.predicates[call.name])
        raise WorldModelError(f"{text!r}: found {len(call.args)} arguments, expected {arity}")
    return Atom(*call)


def _placed(ruleset: RuleSet, action: Action, atoms: list[Atom]) -> Mapping[str, str]:
    """The types of the objects: what they are named for, else the narrowest place that they take."""
    found: dict[str, str] = {}
    for name, type_ in _places(ruleset, action, atoms):
        stem = _NUMBERED.sub("", name)
        own = stem if stem in ruleset.types else type_
        if name not in found or ruleset.is_a(own, found[name]):
            found[name] = own
    return found


def _places(ruleset: RuleSet, action: Action, atoms: list[Atom]) -> Iterator[tuple[str, str]]:
    for parameter, name in zip(ruleset.actions[action.name].parameters, action.args, strict=False):
        yield name, parameter.type
    for atom in atoms:
        yield from zip(atom.args, ruleset.predicates[atom.predicate], strict=True)
