"""An environment of which nothing can be read but what an agent is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium

Answer = tuple[str, float, bool, bool, dict[str, Any]]


class SealedInfo(dict[str, Any]):
    """Holds the outcome, which only the record of the episode may ask for."""

    def __getitem__(self, key: str) -> Any:
        return self.get(key)

    def get(self, key: str, default: Any = None) -> Any:
        if key != "won":
            raise AssertionError(f"info[{key!r}] is hidden from the agent")
        return super().get(key, default)

    def _hidden(self, *_: Any) -> Any:
        raise AssertionError("info is hidden from the agent")

    __iter__ = keys = values = items = __contains__ = _hidden


class Sealed:
    """`reset` and `step` of an environment; to touch anything else is an error."""

    __slots__ = ("_reset", "_step")

    def __init__(self, env: gymnasium.Env[str, str]) -> None:
        def reset(**options: Any) -> tuple[str, dict[str, Any]]:
            observation, info = env.reset(**options)
            return observation, SealedInfo(info)

        def step(command: str) -> Answer:
            observation, reward, terminated, truncated, info = env.step(command)
            return observation, float(reward), terminated, truncated, SealedInfo(info)

        object.__setattr__(self, "_reset", reset)
        object.__setattr__(self, "_step", step)

    def __getattribute__(self, name: str) -> Callable[..., Any]:
        if name not in ("reset", "step"):
            raise AssertionError(f"env.{name} is hidden from the agent")
        found: Callable[..., Any] = object.__getattribute__(self, f"_{name}")
        return found

    def __setattr__(self, name: str, value: object) -> None:
        raise AssertionError(f"env.{name} is not the agent's to change")
