"""A language model that is a table: for what is around language models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from worldmodel.language_models import Answer, Sampling, Score


class Table:
    """Answers by a function of the prompt; scores by a function of what was begun and the candidate.

    A word is a token. `asked` are the prompts it was given, in order.
    """

    name = "table"
    fingerprint = "table 1"
    overhead = 0

    def __init__(
        self,
        answer: Callable[[str], str] = lambda prompt: "",
        score: Callable[[str, str], float] | None = None,
    ) -> None:
        self._answer, self._score, self.scores = answer, score, score is not None
        self.asked: list[str] = []

    def count(self, text: str) -> int:
        return len(text.split())

    def generate(self, prompts: Sequence[str], sampling: Sampling) -> list[Answer]:
        self.asked += prompts
        return [self._said(prompt, sampling.tokens) for prompt in prompts]

    def _said(self, prompt: str, most: int) -> Answer:
        words = self._answer(prompt).split(" ")[:most]
        return Answer(" ".join(words), self.count(prompt), len(words), len(words) < most)

    def score(
        self, prompt: str, candidates: Sequence[str], begun: str = "", seconds: float = inf
    ) -> list[Score]:
        assert self._score is not None
        self.asked.append(prompt)
        return [Score(self._score(begun, c) * self.count(c), self.count(c)) for c in candidates]
