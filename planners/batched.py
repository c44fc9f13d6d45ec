"""Many states at once: the same steps as `Operator.apply`, for arrays of states and action sequences.

A state is a row of 64-bit words, a bit an atom, as in a `Task`; so a step is a few bitwise operations on
whole arrays. They run in numpy, or with a `device` in torch (extra ``neural``), on a GPU too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from planners.task import Task
from rules.errors import WorldModelError

WORD = 64
Array = Any
"""A numpy array, or a torch tensor where there is a device. B states, W words, O operators, T steps."""


class Rollouts(NamedTuple):
    """What action sequences came to, each up to the step after which the goal held.

    states: int64 [B, W], the last ones. reached: int64 [B], after how many steps the goal held first,
    0 if at once, -1 if never. cost: float [B] of the steps taken. refused: int64 [B], how many of them
    did not apply; such a step changes nothing, and is paid for.
    """

    states: Array
    reached: Array
    cost: Array
    refused: Array


class BatchedTask:
    """A task's operators and goals as arrays."""

    def __init__(self, task: Task, device: str | None = None) -> None:
        """device: None for numpy, else torch's name of one, as ``cpu`` or ``cuda``.

        Raises `WorldModelError` where torch, or the device, is missing.
        """
        self.task, self._words = task, max(1, -(-len(task.atoms) // WORD))
        self._device = device
        if device is not None:
            self._torch = _torch(device)
        self._needs, self._forbids, self._adds, self._deletes = (
            self.encode([getattr(o, part) for o in task.operators])
            for part in ("needs", "forbids", "adds", "deletes")
        )
        self._costs = self._array(np.array([o.cost for o in task.operators], dtype=np.float64))
        self._goals = [(self.encode([g.needs]), self.encode([g.forbids])) for g in task.goals]

    def _array(self, values: np.ndarray[Any, Any]) -> Array:
        return values if self._device is None else self._torch.from_numpy(values).to(self._device)

    def encode(self, states: Iterable[int]) -> Array:
        """States as rows: int64 [B, W]."""
        data = b"".join(state.to_bytes(self._words * WORD // 8, "little") for state in states)
        return self._array(np.frombuffer(bytearray(data), dtype="<i8").reshape(-1, self._words))

    def decode(self, states: Array) -> list[int]:
        """Rows as states."""
        rows = states if self._device is None else states.cpu().numpy()
        return [int.from_bytes(row.astype("<i8").tobytes(), "little") for row in rows]

    def satisfied(self, states: Array) -> Array:
        """Whether some goal holds: bool [B]."""
        found = states[:, 0] != states[:, 0]
        for needs, forbids in self._goals:
            found = found | self._holds(states, needs, forbids)
        return found

    def applicable(self, states: Array) -> Array:
        """Which operators apply: bool [B, O]."""
        return self._holds(states[:, None], self._needs[None], self._forbids[None])

    def step(self, states: Array, chosen: Array) -> tuple[Array, Array]:
        """The states after one operator each (chosen: int64 [B]), and whether it applied (bool [B])."""
        applies = self._holds(states, self._needs[chosen], self._forbids[chosen])
        after = states & ~self._deletes[chosen] | self._adds[chosen]
        return self._where(applies[:, None], after, states), applies

    def rollouts(self, states: Array, plans: Array) -> Rollouts:
        """Follows action sequences (int64 [B, T]) from the states, until the goal holds."""
        done = self.satisfied(states)
        reached = self._where(done, 0, -1) + states[:, 0] * 0
        cost = self._costs[:1] * 0 + done * 0.0
        refused = reached * 0
        for number in range(plans.shape[1]):
            chosen = plans[:, number]
            after, applies = self.step(states, chosen)
            states = self._where(done[:, None], states, after)
            cost = cost + self._where(done, 0.0, self._costs[chosen])
            refused = refused + self._where(done | applies, 0, 1)
            there = self.satisfied(states) & ~done
            reached = self._where(there, number + 1, reached)
            done = done | there
        return Rollouts(states, reached, cost, refused)

    def plans(self, sequences: Sequence[Sequence[int]]) -> Array:
        """Sequences of operators' indices, all of one length, as an array for `rollouts`."""
        return self._array(np.array(sequences, dtype=np.int64).reshape(len(sequences), -1))

    def wander(self, states: Array, steps: int, draws: np.random.Generator) -> tuple[Array, Array]:
        """Random walks: at each step one of the operators that apply; where none does, nothing happens.

        Returns the last states and what was chosen (int64 [B, T]; -1: nothing).
        """
        walked = []
        for _ in range(steps):
            mask = self.applicable(states)
            count = mask.sum(-1)
            wish = self._array(draws.random(len(states))) * count
            chosen = (mask.cumsum(-1) <= wish[:, None]).sum(-1)
            free = count > 0
            after, _ = self.step(states, self._where(free, chosen, 0))
            states = self._where(free[:, None], after, states)
            walked.append(self._where(free, chosen, -1))
        stack = np.stack if self._device is None else self._torch.stack
        return states, stack(walked, -1)

    def _holds(self, states: Array, needs: Array, forbids: Array) -> Array:
        return ((states & needs == needs) & (states & forbids == 0)).all(-1)

    def _where(self, condition: Array, then: Any, otherwise: Any) -> Array:
        return (np if self._device is None else self._torch).where(condition, then, otherwise)


def _torch(device: str) -> Any:
    """The torch module, if it is there and has the device."""
    try:
        import torch
    except ImportError:
        raise WorldModelError(
            "rollouts on a device need torch: pip install 'worldmodel[neural]', or leave out the device"
        ) from None
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise WorldModelError(f"no device {device!r} for torch: {str(error).splitlines()[0]}") from None
    return torch
