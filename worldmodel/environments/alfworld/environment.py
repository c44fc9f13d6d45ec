"""ALFWorld as a gymnasium environment: text in, text out."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
from gymnasium.spaces import Text

from rules.errors import WorldModelError
from worldmodel.environments.alfworld.engine import FastEngine, TextEngine
from worldmodel.environments.alfworld.game import Game
from worldmodel.environments.alfworld.official import OfficialEngine

ENGINES: Mapping[str, Callable[[Game], TextEngine]] = {"fast": FastEngine, "official": OfficialEngine}
MAX_OBSERVATION, MAX_COMMAND = 16_384, 256


class AlfworldEnv(gymnasium.Env[str, str]):
    """One game. The reward is 1 on the step that reaches the goal, which ends the episode; else 0.

    engine: ``fast`` or ``official``; both answer alike. max_steps: the episode is truncated there;
    every command counts, also one that nothing comes of. admissible: whether `info` lists the
    ``admissible_commands``. ``info["won"]`` says whether the goal holds.

    Raises `WorldModelError` for an unknown engine, for a step outside an episode, and what the
    engine raises where it cannot load the game.
    """

    metadata = {"render_modes": []}

    def __init__(
        self, game: Game, *, engine: str = "fast", max_steps: int = 50, admissible: bool = True
    ) -> None:
        if engine not in ENGINES:
            raise WorldModelError(f"unknown ALFWorld engine {engine!r}; expected {' or '.join(ENGINES)}")
        if max_steps < 1:
            raise WorldModelError(f"max_steps should be at least 1, found {max_steps}")
        self.game, self.max_steps, self.admissible = game, max_steps, admissible
        self.engine = ENGINES[engine](game)
        charset = "".join(sorted({*string.printable, *game.task}))
        self.observation_space = Text(MAX_OBSERVATION, min_length=0, charset=charset)
        self.action_space = Text(MAX_COMMAND, min_length=0, charset=string.printable)
        self._steps_left = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin the episode: the opening text, with the task in it. Nothing is random: no seed matters."""
        super().reset(seed=seed, options=options)
        observation = self.engine.reset()
        self._steps_left = self.max_steps
        return observation, self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Give a command: observation, reward, terminated (won), truncated (out of steps), info."""
        if not self._steps_left:
            raise WorldModelError(f"{self.game.id}: no episode is running: call reset() before step()")
        observation, won = self.engine.step(action)
        self._steps_left -= 1
        truncated = not won and not self._steps_left
        if won:
            self._steps_left = 0
        return observation, float(won), won, truncated, self._info()

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"won": self.engine.won}
        if self.admissible:
            info["admissible_commands"] = self.engine.admissible()
        return info
