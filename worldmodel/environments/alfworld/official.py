"""ALFWorld's own engine, TextWorld over Fast Downward, behind the interface of the fast one.

The one module that imports alfworld and textworld, and only when an engine is made.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from rules.errors import WorldModelError
from worldmodel.environments.alfworld.game import Game

_UNSPEAKABLE = frozenset(';|"<>[]#{}\\')
"""What TextWorld's text generator would read as its own syntax."""


class OfficialEngine:
    """TextWorld on one game: about 1 s to make, 1 s to reset, 50 ms a step. It cannot be copied,
    and some 6 MB of each stay with the process: Fast Downward's own clean-up ends in a crash.

    Raises `WorldModelError` without the `alfworld` extra, or where TextWorld refuses the game.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        with _guarded(game), tempfile.TemporaryDirectory(prefix="worldmodel-") as folder:
            textworld, wrappers = _packages()
            path = Path(folder) / "game.tw-pddl"
            path.write_text(json.dumps(official_document(game)), encoding="utf-8")
            infos = textworld.EnvInfos(won=True, admissible_commands=True, extras=["gamefile"])
            self._environment: Any = textworld.start(str(path), infos, wrappers)
        self._state: Any = None
        self.won = False

    def reset(self) -> str:
        with _guarded(self.game):
            self._state = self._environment.reset()
        self.won = bool(self._state["won"])
        return str(self._state.feedback)

    def step(self, command: str) -> tuple[str, bool]:
        if self._state is None:
            raise WorldModelError(f"{self.game.id}: step before reset: call reset() first")
        self._state, _, _ = self._environment.step(command)
        self.won = bool(self._state["won"])
        return str(self._state.feedback), self.won

    def admissible(self) -> list[str]:
        return list(self._state["admissible_commands"]) if self._state is not None else []


def official_document(game: Game) -> dict[str, Any]:
    """The game as a file that ALFWorld loads: where it brings none, with the installed domain and grammar."""
    document = game.document
    domain, grammar = document.pddl_domain, document.grammar
    if domain is None or grammar is None:
        data = files("alfworld") / "data"
        domain = domain or (data / "alfred.pddl").read_text(encoding="utf-8")
        grammar = grammar or _with_task((data / "alfred.twl2").read_text(encoding="utf-8"), game)
    return {
        "pddl_domain": domain,
        "grammar": grammar,
        "pddl_problem": document.pddl_problem,
        "solvable": document.solvable is not False,
        "walkthrough": list(document.walkthrough or ()),
    }


def _with_task(grammar: str, game: Game) -> str:
    if not _UNSPEAKABLE.isdisjoint(game.task):
        raise WorldModelError(
            f"{game.id}: TextWorld cannot say the task {game.task!r};"
            f" leave out {' '.join(sorted(_UNSPEAKABLE))}"
        )
    return grammar.replace("UNKNOWN GOAL.", game.task)


def _packages() -> tuple[Any, list[Any]]:
    """textworld, and the two wrappers that AlfredTWEnv puts around a game."""
    try:
        import textworld
        from alfworld.agents.environment.alfred_tw_env import AlfredDemangler, AlfredInfos
    except ImportError as error:
        raise WorldModelError(
            f"the official engine needs the alfworld extra ({error}): pip install 'worldmodel[alfworld]'"
        ) from None
    # By hand and not through AlfredTWEnv, whose order of games depends on the file system.
    return textworld, [AlfredDemangler(shuffle=False), AlfredInfos]


@contextmanager
def _guarded(game: Game) -> Iterator[None]:
    """Keep Fast Downward's translator from changing sys.argv for good, and from ending the program."""
    arguments = sys.argv
    try:
        yield
    except WorldModelError:
        raise
    except (Exception, SystemExit) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise WorldModelError(f"{game.id}: TextWorld cannot load the game: {reason}") from error
    finally:
        sys.argv = arguments
