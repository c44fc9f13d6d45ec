"""Who proposes rules: anything that answers a prompt with texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Protocol

from rules.errors import WorldModelError
from rules.induction import Transition
from rules.proposals.fragments import MAX_CHARACTERS
from rules.proposals.gate import CONFIDENCE, Review, review
from rules.proposals.prompts import prompt
from rules.proposals.witness import Witness
from rules.ruleset import RuleSet


class Proposer(Protocol):
    """Answers a prompt with texts that may hold rules: a language model, a search, a person."""

    def propose(self, prompt: str) -> Iterable[str]:
        """The answers, each a text in which `fragments` looks for rules."""
        ...


class FileProposer:
    """Proposes what stands in a file, whatever it is asked."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def propose(self, prompt: str) -> Iterator[str]:
        """The file's text. Raises `WorldModelError` where it cannot be read, is too long, or no UTF-8."""
        try:
            with self.path.open("rb") as file:
                yield read(file, str(self.path))
        except OSError as error:
            raise WorldModelError(f"{self.path}: cannot read proposals: {error.strerror or error}") from None


def read(file: BinaryIO, source: str) -> str:
    """The text of an open file. Raises `WorldModelError` where it is too long or no UTF-8."""
    data = file.read(MAX_CHARACTERS + 1)
    if len(data) > MAX_CHARACTERS:
        raise WorldModelError(f"{source}: more than {MAX_CHARACTERS} bytes; expected a few rules")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise WorldModelError(f"{source}: not UTF-8; expected rules as text") from None


def propose(
    ruleset: RuleSet,
    proposer: Proposer,
    transitions: Iterable[Transition] | Witness,
    actions: Sequence[str] | None = None,
    confidence: float = CONFIDENCE,
) -> Review:
    """Asks a proposer about each action whose logged outcomes the rules get wrong, and reviews its answers.

    actions: ask about these instead. confidence: what the evidence for a rule must exceed.
    Raises `WorldModelError` for an action that the rule set lacks, and what the proposer raises.
    """
    witness = transitions if isinstance(transitions, Witness) else Witness(transitions)
    unknown = [name for name in actions or () if name not in ruleset.actions]
    if unknown:
        raise WorldModelError(f"unknown action {unknown[0]!r}; expected one of {', '.join(ruleset.actions)}")
    reviewed = Review(ruleset)
    for name in ruleset.actions if actions is None else actions:
        if actions is None and next(witness.mistaken(reviewed.admitted, name), None) is None:
            continue
        for answer in proposer.propose(prompt(reviewed.admitted, name, witness)):
            source = f"proposed for {name}"
            found = review(
                reviewed.admitted, answer, witness, source=source, action=name, confidence=confidence
            )
            reviewed = Review(found.admitted, (*reviewed.verdicts, *found.verdicts))
    return reviewed
