"""What an environment is to the rest of the project: a gymnasium text game and a `Perception`.

Adding an environment is one module or folder here and one line in `registry.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rules.errors import WorldModelError
from rules.logic import Action, Atom, Literal
from rules.ruleset import Parameter, RuleSet


class UnknownGoal(WorldModelError):
    """A text that states no goal the environment's grammar knows."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What is to be brought about: some binding of `parameters` makes every literal of `condition` true."""

    text: str
    parameters: tuple[Parameter, ...] = ()
    condition: tuple[Literal, ...] = ()


@dataclass(frozen=True, slots=True)
class Percept:
    """What one observation says.

    objects: name -> type of everything named, in the order of the text.
    true, false: facts asserted, and patterns denied (see `rules.logic.State`).
    contents: pattern -> the names listed for its wildcard, in the order of the text, e.g.
        ``in(*, desk 1) -> ("mug 1", "pen 2")``. Such a list is complete: each entry is in `true`
        and the pattern in `false` too.
    refused: the environment said that nothing happened.
    """

    objects: Mapping[str, str] = field(default_factory=dict)
    true: frozenset[Atom] = frozenset()
    false: frozenset[Atom] = frozenset()
    contents: Mapping[Atom, tuple[str, ...]] = field(default_factory=dict)
    refused: bool = False


class Perception(Protocol):
    """Text to facts and back. It translates sentences and knows nothing of what actions do.

    domain: the vocabulary (types, predicates, action names with parameters and command
    templates), as a rule set without rules.
    """

    domain: RuleSet

    def goal(self, text: str) -> Goal:
        """The goal in an opening observation or a task sentence; `UnknownGoal` if it is none."""
        ...

    def command(self, action: Action) -> str:
        """The command for an action."""
        ...

    def action(self, command: str) -> Action | None:
        """The action a command asks for; None if the command is outside the grammar."""
        ...

    def perceive(self, action: Action | None, observation: str) -> Percept:
        """What an observation says, after an action (None: the opening, or an unknown command)."""
        ...

    def phrase(self, names: Sequence[str]) -> str:
        """The environment's wording of a list, in the order given: ``a mug 1, and a pan 2``."""
        ...

    def order(self, names: Sequence[str]) -> list[str]:
        """The order in which the environment lists these names."""
        ...
