"""What every language model offers, and the budget that bounds what it may cost."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple, Protocol

from rules.errors import WorldModelError


class BudgetSpent(WorldModelError):
    """A call that would cost more calls, tokens or seconds than are left."""


class Sampling(NamedTuple):
    """How an answer is drawn. tokens: at most so many. temperature: 0 takes the likeliest each time.
    stop: the answer ends before any of these. seed: of what is drawn. seconds: give up after that long;
    it changes no answer that is given."""

    tokens: int = 128
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    seed: int = 0
    seconds: float = inf


class Answer(NamedTuple):
    """text: without the stop. asked, said: tokens of the prompt and of the answer. whole: whether it ended
    by itself, and not for want of tokens."""

    text: str
    asked: int
    said: int
    whole: bool = True


class Score(NamedTuple):
    """logprob: of the whole text, given the prompt. tokens: how many they are."""

    logprob: float
    tokens: int

    @property
    def mean(self) -> float:
        """For a token: what texts of different lengths are compared by."""
        return self.logprob / max(1, self.tokens)


class LanguageModel(Protocol):
    """Anything that answers prompts.

    name: for people. fingerprint: changes whenever answers may: with the weights, the revision, the
    template. scores: whether it can say how likely a text is; many servers cannot. overhead: tokens that a
    prompt takes beside its text.
    A prompt is what a user says; `begun` is how the model's own answer begins.
    """

    name: str
    fingerprint: str
    scores: bool
    overhead: int

    def count(self, text: str) -> int:
        """How many tokens a text takes; where that cannot be known, rather more than fewer."""
        ...

    def generate(self, prompts: Sequence[str], sampling: Sampling) -> list[Answer]:
        """An answer to each prompt, in one batch. `BudgetSpent` where there is not time enough."""
        ...

    def score(
        self, prompt: str, candidates: Sequence[str], begun: str = "", seconds: float = inf
    ) -> list[Score]:
        """How likely each candidate is to come next, the prompt being read once.

        Raises `WorldModelError` where `scores` is false, `BudgetSpent` where there is not time enough.
        """
        ...


@dataclass(slots=True)
class Budget:
    """Hard limits on what may be asked, and what has been: a call is never begun that could break one.

    tokens: read and written. seconds: of waiting for the model; what is under way when they are over is
    broken off, within a token or a few candidates. A prompt read once for many candidates
    counts once, however often. Answers from the disk cost calls and tokens too, so that the same limits
    give the same result; `cached` says how many calls they were.
    """

    calls: float = inf
    tokens: float = inf
    seconds: float = inf
    used_calls: int = 0
    used_tokens: int = 0
    used_seconds: float = 0.0
    cached: int = 0

    def __post_init__(self) -> None:
        for name in ("calls", "tokens", "seconds"):
            if not getattr(self, name) >= 0:
                raise WorldModelError(f"a budget of {getattr(self, name)} {name}: expected 0 or more")

    def check(self, calls: int, tokens: int) -> None:
        """Raises `BudgetSpent` where so much is not left."""
        for name, wanted in (("calls", calls), ("tokens", tokens), ("seconds", 0)):
            used, most = getattr(self, f"used_{name}"), getattr(self, name)
            if used + wanted > most or (name == "seconds" and used >= most):
                raise BudgetSpent(f"the budget of {most:g} {name} is spent: {used:g} used, {wanted:g} wanted")

    def left_tokens(self) -> float:
        """How many tokens may yet be used."""
        return self.tokens - self.used_tokens

    def left_seconds(self) -> float:
        """How many seconds may yet be used."""
        return self.seconds - self.used_seconds

    def charge(self, calls: int, tokens: int, since: float, cached: int = 0) -> None:
        """Notes what was used. since: when it began, by `time.monotonic`."""
        self.used_calls += calls
        self.used_tokens += tokens
        self.used_seconds += time.monotonic() - since
        self.cached += cached
