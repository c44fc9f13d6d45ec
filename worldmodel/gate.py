"""A gate before an environment: the rules look at each command of any agent before it is sent.

::

    env = RuleGate(env, model, mode="block")
    observation, reward, terminated, truncated, info = env.step("take mug 1 from desk 2")
    info["gate"]                      # an `Objection`, or None
    env.counts                        # what was caught so far

The agent need not know of it: a blocked command is answered with the reason and with what to do first.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import gymnasium

from rules.errors import WorldModelError
from worldmodel.belief import Belief
from worldmodel.environments.base import UnknownGoal
from worldmodel.model import WorldModel
from worldmodel.objections import Mistake, Objection, objection
from worldmodel.predictors.base import Transcript

Mode = Literal["block", "warn", "annotate"]
RISK = 0.05
"""An objection stands where the evidence leaves room for no larger a share of good actions among its like."""
NOT_SENT, WARNING = "Not sent. ", "Warning: "


@dataclass(slots=True)
class GateCounts:
    """What passed through a gate, over all its episodes.

    steps: commands that were sent. blocked: those that were not. caught: objections that stood, by the
    kind of mistake. confirmed, refuted: how those came out that were sent all the same. unsure: objections
    that the evidence does not bear out. missed: refusals that nothing was said against.
    """

    steps: int = 0
    blocked: int = 0
    caught: Counter[Mistake] = field(default_factory=Counter)
    confirmed: int = 0
    refuted: int = 0
    unsure: int = 0
    missed: int = 0


class RuleGate(gymnasium.Wrapper[str, str, str, str]):
    """Checks every command against the rules before it reaches the environment.

    mode: ``block`` does not send what the rules object to, and answers with the reason; ``warn`` sends it,
    and says so below the observation; ``annotate`` leaves the observation alone. ``info["gate"]`` is the
    objection in every mode, None where there is none.
    risk: the share of good actions that may be objected to, by the evidence of the rules (`certainty` in
    `worldmodel.objections`). What nobody can tell is never objected to.
    most_blocked: the episode is truncated after so many blocked commands, for a blocked step costs none.

    Raises `WorldModelError` for an unknown mode, a risk outside 0 to 1, and for a step before `reset`.
    """

    def __init__(
        self,
        env: gymnasium.Env[str, str],
        model: WorldModel,
        mode: Mode = "block",
        risk: float = RISK,
        most_blocked: int = 100,
    ) -> None:
        super().__init__(env)
        if mode not in get_args(Mode):
            raise WorldModelError(f"unknown mode {mode!r} of a gate; expected {', '.join(get_args(Mode))}")
        if not 0 <= risk <= 1:
            raise WorldModelError(f"the risk of a gate is {risk}; expected a share from 0 to 1")
        self.model, self.mode, self.risk, self.most_blocked = model, mode, risk, most_blocked
        self.counts = GateCounts()
        self._belief: Belief | None = None
        self._texts: list[str] = []
        self._info: dict[str, Any] = {}
        self._blocked = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begins the episode. The counts go on."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._belief, self._texts = begin(self.model, observation), [observation]
        self._info, self._blocked = info, 0
        return observation, {**info, "gate": None}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Sends a command, or answers it with what the rules have against it."""
        found = self.check(action)
        if found is None or self.mode != "block":
            return self._send(action, found)
        self.counts.blocked += 1
        self.counts.caught[found.mistake] += 1
        self._blocked += 1
        truncated = self._blocked >= self.most_blocked
        return NOT_SENT + found.reason, 0.0, False, truncated, {**self._info, "gate": found}

    def check(self, command: str) -> Objection | None:
        """What stands against a command now. Sends nothing, counts nothing."""
        found = objection(self.model, self.belief, command, self._texts)
        return found if found is not None and found.confidence >= 1 - self.risk else None

    @property
    def belief(self) -> Belief:
        """What is known at this moment, by the texts alone."""
        if self._belief is None:
            raise WorldModelError("no episode is running behind the gate: call reset() before step()")
        return self._belief

    def _send(self, command: str, found: Objection | None) -> tuple[str, float, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, self._info = self.env.step(command)
        self._note(command, observation, found)
        action = self.model.perception.action(command)
        self._belief = self.model.update(self.belief, action, observation)
        self._texts.append(observation)
        if found is not None and self.mode == "warn":
            observation = f"{observation}\n{WARNING}{found.reason}"
        return observation, float(reward), terminated, truncated, {**self._info, "gate": found}

    def _note(self, command: str, observation: str, found: Objection | None) -> None:
        action = self.model.perception.action(command)
        refused = self.model.perception.perceive(action, observation).refused
        self.counts.steps += 1
        if found is not None:
            self.counts.caught[found.mistake] += 1
            self.counts.confirmed += refused
            self.counts.refuted += not refused
        else:
            self.counts.missed += refused
            self.counts.unsure += objection(self.model, self.belief, command, self._texts) is not None


def begin(model: WorldModel, opening: str) -> Belief:
    """The belief after an opening text, whether or not it names a goal: a gate need not know it."""
    try:
        return model.begin(opening)
    except UnknownGoal:
        return Transcript(model.perception).begin(opening)
