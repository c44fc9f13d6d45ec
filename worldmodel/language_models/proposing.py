"""A language model that proposes rules."""

from __future__ import annotations

from collections.abc import Iterator

from worldmodel.language_models.base import BudgetSpent, LanguageModel, Sampling

TOKENS = 512
TEMPERATURE = 0.7


class LanguageProposer:
    """A `rules.proposals.Proposer`: the answers of a language model, whatever is in them.

    answers: to each prompt; the first is the likeliest, the others are drawn. Once the budget is spent it
    has no more to say, and `spent` says so: what it proposed before is not lost.
    """

    def __init__(self, model: LanguageModel, answers: int = 1, tokens: int = TOKENS, seed: int = 0) -> None:
        self.model, self.answers, self.tokens, self.seed = model, answers, tokens, seed
        self.spent = ""

    def propose(self, prompt: str) -> Iterator[str]:
        """The answers. Raises what the model raises, but for `BudgetSpent`."""
        for number in range(self.answers):
            temperature = TEMPERATURE if number else 0.0
            sampling = Sampling(self.tokens, temperature, seed=self.seed + number)
            try:
                answer = self.model.generate([prompt], sampling)[0]
            except BudgetSpent as error:
                self.spent = str(error)
                return
            yield answer.text
