"""What a check reports: findings, each about rules or invariants, with a core or a state."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from rules.logic import Action, Literal, State


class Status(enum.Enum):
    """Whether what one expects of a rule set holds."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


class Kind(enum.Enum):
    """What a finding is about."""

    VACUOUS_RULE = "rule can never apply"
    CONTRADICTORY_EFFECTS = "rules undo each other"
    CONTRADICTORY_WORDING = "rules say different things"
    INVARIANT = "invariant kept by every rule"
    INCONSISTENT_INVARIANTS = "invariants exclude each other"
    REDUNDANT_CLAUSE = "condition implied by the rest"
    REDUNDANT_LITERAL = "alternative adds nothing"
    REDUNDANT_RULE = "rule covered by another"
    NO_EFFECT = "rule changes nothing"
    VACUOUS_INVARIANT = "invariant's condition never holds"
    IMPLIED_INVARIANT = "invariant implied by others"
    TOO_BROAD = "rule applies where the log shows otherwise"
    TOO_NARROW = "rule refuses what worked in the log"
    WRONG_EFFECT = "effect that the log contradicts"
    UNEXPLAINED = "success that no rule explains"
    BROKEN_INVARIANT = "invariant that a logged state breaks"
    UNREACHABLE = "rule out of reach of the logged states"
    NEVER_EXERCISED = "rule that the log never exercises"
    CANDIDATE = "invariant found in the log"


_ERRORS = {
    Kind.VACUOUS_RULE,
    Kind.CONTRADICTORY_EFFECTS,
    Kind.CONTRADICTORY_WORDING,
    Kind.INVARIANT,
    Kind.INCONSISTENT_INVARIANTS,
    Kind.TOO_BROAD,
    Kind.TOO_NARROW,
    Kind.WRONG_EFFECT,
    Kind.BROKEN_INVARIANT,
}
_OFFERED = {Kind.NEVER_EXERCISED, Kind.CANDIDATE}
"""What a log offers, and no rule set claims: it may stay open."""
_NOTES = {Kind.VACUOUS_INVARIANT, Kind.IMPLIED_INVARIANT, *_OFFERED}


class Severity(enum.Enum):
    """How much a finding matters."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A state (closed-world: what it does not assert is false), an action, and the state after it.

    assumed: what the state takes for granted of relations whose tables do not say.
    """

    before: State
    action: Action | None = None
    after: State | None = None
    assumed: tuple[Literal, ...] = ()

    def __str__(self) -> str:
        parts = [f"in {{{_facts(self.before)}}}"]
        if self.assumed:
            parts[0] += f" if {', '.join(_literal(assumption) for assumption in self.assumed)}"
        if self.action is not None:
            parts.append(str(self.action))
        if self.after is not None:
            parts.append(f"gives {{{_facts(self.after)}}}")
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Finding:
    """One answer. `rules` are written ``action.rule``; `core` names the clauses and invariants that
    the finding follows from; a counterexample is given where there is one."""

    kind: Kind
    status: Status
    message: str
    rules: tuple[str, ...] = ()
    core: tuple[str, ...] = ()
    counterexample: Counterexample | None = None

    @property
    def severity(self) -> Severity:
        """An error makes predictions wrong, a warning makes rules worse than they need be."""
        if self.status is Status.PROVED or self.kind in _NOTES:
            return Severity.NOTE
        if self.status is Status.REFUTED and self.kind in _ERRORS:
            return Severity.ERROR
        return Severity.WARNING

    def __str__(self) -> str:
        core = f" (from: {'; '.join(self.core)})" if self.core else ""
        state = f"; {self.counterexample}" if self.counterexample else ""
        return f"{self.severity.value}: {self.message}{core}{state}"


@dataclass(frozen=True, slots=True)
class Usage:
    """How a rule (``action.rule``) fared in a log: how often it surely applied, how often the log
    then agreed, and how often it was contradicted. possible: successes where it may have applied."""

    rule: str
    applied: int
    agreed: int
    possible: int = 0

    @property
    def contradicted(self) -> int:
        """How often the log says otherwise."""
        return self.applied - self.agreed


@dataclass(frozen=True, slots=True)
class Report:
    """All findings of one check, how many questions z3 was asked, and what the logs made of the rules.

    transitions: how many were read; undecided: those to which no rule surely applies, and some may;
    unexplained: successes that no rule foresees.
    """

    findings: tuple[Finding, ...]
    questions: int = 0
    transitions: int = 0
    undecided: int = 0
    unexplained: int = 0
    usage: tuple[Usage, ...] = ()

    @property
    def ok(self) -> bool:
        """No error, and nothing left open that the rule set claims."""
        return all(
            f.severity is not Severity.ERROR and (f.status is not Status.UNKNOWN or f.kind in _OFFERED)
            for f in self.findings
        )

    def of(self, kind: Kind) -> Iterator[Finding]:
        """The findings of one kind."""
        return (f for f in self.findings if f.kind is kind)

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings))


def _facts(state: State) -> str:
    return ", ".join(sorted(map(str, state.true))) or "nothing holds"


def _literal(literal: Literal) -> str:
    return str(literal.atom) if literal.positive else f"not {literal.atom}"
