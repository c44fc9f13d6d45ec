"""ALFWorld's handcoded expert in the fast engine, with its bookkeeping repaired (alfworld's pull 114).

Since its commands say ``move`` where they said ``put``, it never noticed that its hand is empty again.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple


class Fact(NamedTuple):
    """What the expert reads of TextWorld's facts."""

    name: str
    names: tuple[str, ...]


class RepairedExpert:
    """One game. Raises ImportError where alfworld is not installed."""

    def __init__(self, env: Any, document: dict[str, Any]) -> None:
        from alfworld.agents.expert import HandCodedTWAgent

        random.seed(document["id"])
        self._env, self._agent = env, HandCodedTWAgent(max_steps=200)
        with TemporaryDirectory() as folder:
            task = {key: document[key] for key in ("pddl_params", "task_type")}
            Path(folder, "traj_data.json").write_text(json.dumps(task))
            self._agent.reset(str(Path(folder, "game.tw-pddl")))

    def act(self, command: str, observation: str) -> str:
        """The next command, after one was answered so. Where the expert gives up, it looks around."""
        from alfworld.agents.expert import HandCodedAgentFailed

        if not command:
            self._agent.observe(observation)
            return "look"
        admissible = self._env.engine.admissible()
        state = {"feedback": observation, "facts": list(self._facts()), "admissible_commands": admissible}
        try:
            chosen = self._agent.act(state, 0, False, command.replace("move ", "put ", 1))
        except (HandCodedAgentFailed, IndexError):
            return "look"
        return chosen if chosen in admissible else "look"

    def _facts(self) -> Iterator[Fact]:
        state = self._env.engine.state
        if state.held:
            yield Fact("holds", ("agent 1", state.held))
        for place, things in state.contents.items():
            yield from (Fact("inreceptacle", (thing, place)) for thing in things)
        for name, having in (("ishot", state.hot), ("iscool", state.cool), ("isclean", state.clean)):
            yield from (Fact(name, (thing,)) for thing in having)
