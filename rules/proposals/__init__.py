"""Rules that somebody proposes, a person or a language model, and the gate that they must pass.

::

    review = review(ruleset, text, transitions)     # text: rules, or an answer with rules in it
    review.admitted                                 # the rule set with what was admitted, evidence counted
    review.verdicts                                 # what became of each proposed rule, and why

    review = propose(ruleset, proposer, transitions)    # asks a proposer about what the rules get wrong

A proposed rule is text, and stays text until it has been parsed: nothing of it is ever executed.
"""

from __future__ import annotations

from rules.proposals.fragments import MAX_CHARACTERS, MAX_PROPOSALS, Fragment, fragments
from rules.proposals.gate import CONFIDENCE, Review, Stage, Verdict, review
from rules.proposals.prompts import prompt
from rules.proposals.proposers import FileProposer, Proposer, propose, read
from rules.proposals.witness import Score, Witness

__all__ = [
    "CONFIDENCE",
    "MAX_CHARACTERS",
    "MAX_PROPOSALS",
    "FileProposer",
    "Fragment",
    "Proposer",
    "Review",
    "Score",
    "Stage",
    "Verdict",
    "Witness",
    "fragments",
    "prompt",
    "propose",
    "read",
    "review",
]
