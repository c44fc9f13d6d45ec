"""A language model that proposes rules."""

from __future__ import annotations

from collections.abc import Iterator

from worldmodel.language_models.base import LanguageModel, Sampling

TOKENS = 512
TEMPERATURE = 0.7


class LanguageProposer:
    """A `rules.proposals.Proposer`: the answers of a language model, whatever is in them.

    answers: to each prompt; the first is the likeliest, the others are drawn.
    """

    def __init__(self, model: LanguageModel, answers: int = 1, tokens: int = TOKENS, seed: int = 0) -> None:
        self.model, self.answers, self.tokens, self.seed = model, answers, tokens, seed

    def propose(self, prompt: str) -> Iterator[str]:
        """The answers. Raises what the model raises, `BudgetSpent` among it."""
        for number in range(self.answers):
            temperature = TEMPERATURE if number else 0.0
            sampling = Sampling(self.tokens, temperature, seed=self.seed + number)
            yield self.model.generate([prompt], sampling)[0].text
