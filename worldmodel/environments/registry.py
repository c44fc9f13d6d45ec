"""The environments by name. Adding one is one module that defines `SPEC`, and one line here."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import gymnasium

from rules.errors import WorldModelError
from rules.logic import State
from worldmodel.belief import Companions
from worldmodel.environments.base import Perception

_MODULES = {
    "alfworld": "worldmodel.environments.alfworld.spec",
}
KNOWN: tuple[str, ...] = tuple(_MODULES)


class GameReference(Protocol):
    """A game that is known by its id, and read when it is wanted."""

    @property
    def id(self) -> str: ...

    @property
    def task_type(self) -> str: ...

    @property
    def source(self) -> str:
        """Where it was found: a file, or a file and line."""
        ...

    def load(self) -> Any:
        """The game; `WorldModelError` if it is gone or damaged."""
        ...


class Games(Protocol):
    """Finds games, or makes some where nothing is given."""

    def __call__(
        self,
        source: str | os.PathLike[str] | None = None,
        split: str | None = None,
        count: int | None = None,
        seed: int = 0,
    ) -> Sequence[GameReference]:
        """The games of a split of a source; if `count` is given, so many of them, drawn by the seed.

        New ones, made by the seed, where neither source nor split is given. Raises `WorldModelError`
        where there are none.
        """
        ...


class Maker(Protocol):
    """Makes the gymnasium environment of one game."""

    def __call__(
        self, game: Any, *, engine: str = ..., max_steps: int = ..., admissible: bool = ...
    ) -> gymnasium.Env[str, str]:
        """engine: which of the environment's engines; admissible: whether `info` lists what can be done."""
        ...


class Hidden(NamedTuple):
    """What nobody sees of a game as it starts: all facts, closed-world, and the places that are one."""

    state: State
    companions: Companions = frozenset()


@dataclass(frozen=True, slots=True)
class EnvironmentSpec:
    """What the project needs of an environment.

    perception: the perception that speaks a loaded game's wording, or without a game the newest.
    What it understands does not depend on the game.
    rules: the rule file that ships with the environment. hidden: the state of a loaded game as it starts,
    in the perception's vocabulary: for measuring alone, in the privileged setting.
    """

    name: str
    perception: Callable[[Any], Perception]
    games: Games
    make: Maker
    rules: Path | None = None
    hidden: Callable[[Any], Hidden] | None = None


def environment(name: str) -> EnvironmentSpec:
    """The environment of that name; `WorldModelError` listing the known ones if there is none."""
    if name not in _MODULES:
        raise WorldModelError(f"unknown environment {name!r}; expected {' or '.join(KNOWN)}")
    spec: EnvironmentSpec = import_module(_MODULES[name]).SPEC
    return spec


def shipped_rules(name: str) -> Path:
    """The rule file that ships with an environment; `WorldModelError` if there is none."""
    path = environment(name).rules
    if path is None or not path.exists():
        raise WorldModelError(
            f"no rules ship with {name}: name a rule file (--rules), as `worldmodel induce` writes it"
        )
    return path
