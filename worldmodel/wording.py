"""Observations to templates and back: ``You pick up the {?o} from the {?r}.``

A slot ``{?o}`` is an argument's name; ``{in(*, ?r)}`` is the list of what matches a pattern; ``{_}``
stands for a name that is neither, which nobody can predict.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rules.logic import WILDCARD, Action, Atom, State
from rules.ruleset import ActionSchema
from worldmodel.environments.base import Percept, Perception

ANYTHING = "{_}"
_SLOT = re.compile(r"\{([^{}]*)\}")
_PATTERN = re.compile(r"([\w-]+)\(([^()]*)\)")


def lift(text: str, action: Action, schema: ActionSchema, percept: Percept, perception: Perception) -> str:
    """The template of an observation: lists and arguments replaced by slots, stray names by ``{_}``."""
    names = {a: p.name for p, a in reversed(list(zip(schema.parameters, action.args, strict=True)))}
    slots: list[str] = []

    def put(slot: str) -> str:
        slots.append(slot)
        return f"\0{len(slots) - 1}\0"

    for pattern, listed in _lists(percept):
        lifted = pattern.substitute(names)
        if all(a == WILDCARD or a.startswith("?") for a in lifted.args):
            phrase = perception.phrase(listed)
            before, found, after = text.rpartition(phrase)
            if found:
                text = f"{before}{put('{' + str(lifted) + '}')}{after}"
    for name in sorted({*names, *percept.objects}, key=lambda n: (-len(n), n)):
        slot = "{" + names[name] + "}" if name in names else ANYTHING
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _, slot=slot: put(slot), text)
    return re.sub(r"\0(\d+)\0", lambda m: slots[int(m[1])], text)


def _lists(percept: Percept) -> list[tuple[Atom, tuple[str, ...]]]:
    """Every pattern that the observation lists in full, with the names for its wildcard."""
    found = dict(percept.contents)
    for pattern in percept.false:
        if pattern.args.count(WILDCARD) == 1 and pattern not in found:
            place = pattern.args.index(WILDCARD)
            names = sorted(a.args[place] for a in percept.true if pattern.matches(a))
            if names:
                found[pattern] = tuple(names)
    return sorted(found.items())


def realize(template: str, binding: Mapping[str, str], state: State, perception: Perception) -> str | None:
    """The observation that a template makes in a state; None if it depends on what is not known."""
    parts = _SLOT.split(template)
    for index in range(1, len(parts), 2):
        text = _fill(parts[index], binding, state, perception)
        if text is None:
            return None
        parts[index] = text
    return "".join(parts)


def _fill(slot: str, binding: Mapping[str, str], state: State, perception: Perception) -> str | None:
    if slot in binding:
        return binding[slot]
    match = _PATTERN.fullmatch(slot)
    if match is None:
        return None
    terms = tuple(binding.get(term, term) for term in match[2].split(", "))
    pattern = Atom(match[1], terms)
    if pattern not in state.false or terms.count(WILDCARD) != 1:
        return None
    place = terms.index(WILDCARD)
    return perception.phrase(perception.order([atom.args[place] for atom in state.matching(pattern)]))
