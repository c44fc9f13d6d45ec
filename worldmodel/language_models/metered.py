"""A language model within a budget, whose answers are kept."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import inf

from worldmodel.language_models.base import Answer, Budget, LanguageModel, Sampling, Score
from worldmodel.language_models.cache import Cache, key


class Metered:
    """A `LanguageModel` that asks another: never beyond the budget, and nothing that the cache knows.

    Each prompt to be answered is a call, and so is one to be continued by any number of candidates. Answers
    may be only as long as fits into the tokens that are left; where nothing fits, `BudgetSpent`.
    """

    def __init__(
        self, model: LanguageModel, budget: Budget | None = None, cache: Cache | None = None
    ) -> None:
        self.model, self.budget, self.cache = model, budget or Budget(), cache
        self.name, self.fingerprint = model.name, model.fingerprint
        self.scores, self.overhead = model.scores, model.overhead

    def count(self, text: str) -> int:
        """How many tokens a text takes."""
        return self.model.count(text)

    def generate(self, prompts: Sequence[str], sampling: Sampling) -> list[Answer]:
        """An answer to each prompt. Those that the cache lacks are asked for in one batch."""
        asked = sum(self.count(prompt) + self.overhead for prompt in prompts)
        self.budget.check(len(prompts), asked + len(prompts))
        room = (self.budget.left_tokens() - asked) / max(1, len(prompts))
        sampling = sampling._replace(tokens=int(min(sampling.tokens, room)))
        keys = [self._key(sampling, prompts, number) for number in range(len(prompts))]
        began = time.monotonic()
        known = [None if self.cache is None else self.cache.get(k) for k in keys]
        missing = [i for i, value in enumerate(known) if value is None]
        answers = {i: Answer(*value) for i, value in enumerate(known) if value is not None}
        try:
            if missing:
                limited = sampling._replace(seconds=min(sampling.seconds, self.budget.left_seconds()))
                fresh = self.model.generate([prompts[i] for i in missing], limited)
                answers |= dict(zip(missing, fresh, strict=True))
        finally:
            tokens = sum(a.asked + a.said for a in answers.values())
            self.budget.charge(len(prompts), tokens, began, len(prompts) - len(missing))
        self._keep({keys[i]: answers[i] for i in missing})
        return [answers[i] for i in range(len(prompts))]

    def score(
        self, prompt: str, candidates: Sequence[str], begun: str = "", seconds: float = inf
    ) -> list[Score]:
        """How likely each candidate is to come next."""
        asked = self.count(prompt) + self.overhead + self.count(begun)
        tokens = asked + sum(map(self.count, candidates))
        self.budget.check(1, tokens)
        name = key("scores", self.fingerprint, prompt, begun, candidates)
        began = time.monotonic()
        known = None if self.cache is None else self.cache.get(name)
        try:
            if known is not None:
                return [Score(*value) for value in known]
            found = self.model.score(prompt, candidates, begun, min(seconds, self.budget.left_seconds()))
        finally:
            self.budget.charge(1, tokens, began, int(known is not None))
        self._keep({name: found})
        return found

    def _key(self, sampling: Sampling, prompts: Sequence[str], number: int) -> str:
        """Of the answer to one of some prompts: those that are drawn to the same prompt differ."""
        again = prompts[:number].count(prompts[number]) if sampling.temperature else 0
        how = (sampling.tokens, sampling.temperature, sampling.stop, sampling.seed)
        return key("answer", self.fingerprint, prompts[number], how, again)

    def _keep(self, answers: dict[str, Answer] | dict[str, list[Score]]) -> None:
        if self.cache is not None:
            for name, value in answers.items():
                self.cache.put(name, value)
