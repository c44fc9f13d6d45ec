"""ALFWorld's language: its vocabulary, its commands, and a `Perception` that speaks it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal as OneOf

from rules.errors import WorldModelError
from rules.logic import Action
from rules.ruleset import ActionSchema, Parameter, RuleSet
from worldmodel.environments.alfworld.goals import read_goal
from worldmodel.environments.alfworld.names import NAME, order, phrase, word
from worldmodel.environments.alfworld.sentences import read
from worldmodel.environments.alfworld.vocabulary import FIXTURES, LAMPS, OBJECT_TYPES, RECEPTACLES
from worldmodel.environments.base import Goal, Percept

Wording = OneOf["new", "old"]
"""Games of 0.4 and later say ``move X to Y``; older ones say ``put X in/on Y``."""

PREDICATES: Mapping[str, tuple[str, ...]] = {
    "at": ("receptacle",),
    "in": ("object", "receptacle"),
    "holding": ("object",),
    "open": ("receptacle",),
    "openable": ("receptacle",),
    "hot": ("object",),
    "cool": ("object",),
    "clean": ("object",),
    "on": ("object",),
    "sliced": ("object",),
    "vessel": ("object",),
}

_PUT: Mapping[Wording, str] = {"new": "move {?o} to {?r}", "old": "put {?o} in/on {?r}"}
_TEMPLATES: Mapping[str, str] = {
    "go_to": "go to {?r}",
    "open": "open {?r}",
    "close": "close {?r}",
    "take": "take {?o} from {?r}",
    "put": _PUT["new"],
    "clean": "clean {?o} with {?r}",
    "heat": "heat {?o} with {?r}",
    "cool": "cool {?o} with {?r}",
    "use": "use {?o}",
    "slice": "slice {?o} with {?k}",
    "examine": "examine {?r}",
    "inspect": "examine {?o}",
    "look": "look",
    "inventory": "inventory",
    "help": "help",
}
_SLOT_TYPES = {"?o": "object", "?k": "object", "?r": "receptacle"}
_SLOT = re.compile(r"\{(\?[a-z]+)\}")


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(
        "".join(f"({NAME})" if i % 2 else re.escape(s) for i, s in enumerate(_SLOT.split(template)))
    )


# A command's first word says which actions it can ask for.
_PATTERNS: dict[str, tuple[str, re.Pattern[str]]] = {
    template.split(" ")[0]: (name, _pattern(template))
    for name, template in (*_TEMPLATES.items(), ("put", _PUT["old"]))
    if name != "inspect"
}


def household(wording: Wording = "new") -> RuleSet:
    """ALFWorld's vocabulary, as a rule set without rules."""
    templates = {**_TEMPLATES, "put": _PUT[wording]}
    schemas = {
        name: ActionSchema(
            name, tuple(Parameter(slot, _SLOT_TYPES[slot]) for slot in _SLOT.findall(template)), template
        )
        for name, template in templates.items()
    }
    types: dict[str, str | None] = {"object": None, "receptacle": None}
    objects = sorted(kind.lower() for kind in (*OBJECT_TYPES, *LAMPS, *FIXTURES))
    types |= dict.fromkeys(objects, "object") | dict.fromkeys(sorted(RECEPTACLES), "receptacle")
    return RuleSet("household", types, PREDICATES, actions=schemas)


class AlfworldPerception:
    """Text to facts and back, for both wordings. Stateless: the same text always says the same.

    `wording` is how `command` writes; `action` and `perceive` understand both.
    """

    def __init__(self, wording: Wording = "new") -> None:
        self.domain = household(wording)
        self._commands = {
            name: (_SLOT.sub("{}", schema.command or ""), len(schema.parameters))
            for name, schema in self.domain.actions.items()
        }

    def parent(self, type_: str) -> str:
        """The top type above a word: ``receptacle`` for furniture, ``object`` for anything else."""
        return "receptacle" if type_ in RECEPTACLES else "object"

    def goal(self, text: str) -> Goal:
        """The goal in an opening text or a bare task sentence; raises `UnknownGoal` if it is none."""
        return read_goal(text)

    def command(self, action: Action) -> str:
        """The command for an action; raises `WorldModelError` if it is no action of the domain."""
        template, arity = self._commands.get(action.name, ("", -1))
        if arity != len(action.args):
            known = ", ".join(f"{name}/{count}" for name, (_, count) in self._commands.items())
            raise WorldModelError(f"{action} is no action of household: expected one of {known}")
        return template.format(*action.args)

    def action(self, command: str) -> Action | None:
        """The action a command asks for, in either wording; None outside the exact grammar."""
        found = _PATTERNS.get(command.partition(" ")[0])
        match = found and found[1].fullmatch(command)
        if not found or not match:
            return None
        name, args = found[0], match.groups()
        if name == "examine" and word(args[0]) not in RECEPTACLES:
            name = "inspect"
        return Action(name, args)

    def perceive(self, action: Action | None, observation: str) -> Percept:
        """What an observation says; the empty percept for a text outside the grammar. Never raises."""
        return read(action, observation)

    def phrase(self, names: Sequence[str]) -> str:
        """The environment's wording of a list: ``nothing``, ``a X``, ``a X, and a Y``, ..."""
        return phrase(names)

    def order(self, names: Sequence[str]) -> list[str]:
        """The order in which the environment lists names; exact unless a game's numbers are shuffled."""
        return order(names)
