"""A language model as a proposer of rules."""

from __future__ import annotations

import pytest

from rules.errors import WorldModelError
from rules.proposals import Witness, propose
from tests.rules.blocks import DOMAIN, transitions
from tests.worldmodel.language_models.words import Table
from worldmodel.language_models import Budget, LanguageProposer, Metered

PICK = "rule p when clear(?b), table(?b), no holding(*) then holding(?b), not table(?b), not clear(?b)"


def test_what_it_proposes_passes_the_gate_or_not() -> None:
    model = Table(lambda prompt: f"```\naction pick\n{PICK}\nrule q when on(?b) then holding(?b)\n```")
    found = propose(DOMAIN, LanguageProposer(model, answers=1), Witness(transitions(0)), ["pick"])
    assert [(v.name, v.admitted) for v in found.verdicts] == [("pick.p", True), ("pick.q", False)]
    assert "rules of pick" in model.asked[0]


def test_when_its_budget_is_spent_what_was_proposed_stays() -> None:
    model = Table(lambda prompt: f"```\naction pick\n{PICK}\n```")
    proposer = LanguageProposer(Metered(model, Budget(calls=1)))
    found = propose(DOMAIN, proposer, Witness(transitions(0)), ["pick", "put"])
    assert [v.admitted for v in found.verdicts] == [True]
    assert "1 calls is spent" in proposer.spent


def test_other_answers_are_drawn() -> None:
    class Drawn(Table):
        def generate(self, prompts, sampling):  # type: ignore[no-untyped-def]
            drawn.append((sampling.temperature > 0, sampling.seed))
            return super().generate(prompts, sampling)

    drawn: list[tuple[bool, int]] = []
    assert len(list(LanguageProposer(Drawn(), answers=3, seed=7).propose("what?"))) == 3
    assert drawn == [(False, 7), (True, 8), (True, 9)]


def test_a_failure_is_none_of_the_budgets() -> None:
    class Broken(Table):
        def generate(self, prompts, sampling):  # type: ignore[no-untyped-def]
            raise WorldModelError("the server is gone")

    with pytest.raises(WorldModelError, match="gone"):
        list(LanguageProposer(Broken()).propose("what?"))
