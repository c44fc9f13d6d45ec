"""Episodes as JSON lines: one episode a line, ``.jsonl`` or ``.jsonl.gz``."""

from __future__ import annotations

import msgspec


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One command, what the environment answered, and the reward it gave."""

    action: str
    observation: str
    reward: float = 0.0


class Episode(msgspec.Struct, frozen=True, omit_defaults=True):
    """One trajectory.

    id: the game's name, stable over runs. observation: the opening text, with the task in it.
    success: whether the goal was reached, None where nobody knows.
    """

    id: str
    environment: str
    observation: str
    steps: tuple[Step, ...] = ()
    success: bool | None = None
    policy: str = ""
    seed: int | None = None
    metadata: dict[str, str] = {}
