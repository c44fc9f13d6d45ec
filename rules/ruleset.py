"""What a rule set is: the syntax tree of the rule language, as plain immutable data.

`rules.language` reads and prints it, `rules.engine` applies it, `rules.induction` learns it,
`rules.verification` checks it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from rules.logic import FALSE, TRUE, UNKNOWN, Atom, Clause, Literal, Truth

ANY = "any"
"""The type above all types."""


class Evidence(NamedTuple):
    """How often the logs agreed and disagreed."""

    support: int = 0
    against: int = 0

    @property
    def confidence(self) -> float:
        """The lower end of the true share's 90 % interval (Wilson 1927): little evidence, little trust."""
        n = self.support + self.against
        if not self.support:
            return 0.0
        z = 1.645
        share = self.support / n
        spread = z * math.sqrt((share * (1 - share) + z * z / (4 * n)) / n)
        return max(0.0, (share + z * z / (2 * n) - spread) / (1 + z * z / n))

    def __add__(self, other: object) -> Evidence:
        if not isinstance(other, Evidence):
            return NotImplemented
        return Evidence(self.support + other.support, self.against + other.against)


class Parameter(NamedTuple):
    """An action's parameter: ``?name`` and its type."""

    name: str
    type: str = ANY


@dataclass(frozen=True, slots=True)
class Rule:
    """One outcome of an action: when it happens, what it changes, shows and says.

    when: conjunction of clauses (each a disjunction of literals). A variable that is no parameter
        is bound by matching, as in Datalog (only in clauses of one literal).
    adds, deletes: lifted atoms; deletes may hold wildcards, and are done before the adds.
    reveals: patterns whose truth is known afterwards.
    says: the wording, with slots ``{?x}`` (a name) and ``{in(*, ?x)}`` (the list of what matches).
    """

    name: str
    when: tuple[Clause, ...] = ()
    adds: tuple[Atom, ...] = ()
    deletes: tuple[Atom, ...] = ()
    reveals: tuple[Atom, ...] = ()
    says: str | None = None
    evidence: Evidence = Evidence()


@dataclass(frozen=True, slots=True)
class ActionSchema:
    """An action's name, parameters, command template (``heat {?o} with {?r}``) and its rules.

    The rules are not ordered: every one whose condition holds applies. Where none does the action
    fails, changes nothing, and the environment says `otherwise`.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    command: str | None = None
    rules: tuple[Rule, ...] = ()
    otherwise: str | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """A static relation on types, as an evidence-counted table: what is heatable, what fits where."""

    name: str
    arity: int
    table: Mapping[tuple[str, ...], Evidence] = field(default_factory=dict)

    def truth(self, types: tuple[str, ...]) -> Truth:
        """What the evidence says of these types. No single counter-example makes it false."""
        support, against = self.table.get(types, Evidence())
        if support and support >= against:
            return TRUE
        return FALSE if against >= support + 2 else UNKNOWN


@dataclass(frozen=True, slots=True)
class Invariant:
    """Body (a conjunction) implies head (a disjunction; empty: the body never holds)."""

    body: tuple[Literal, ...]
    head: Clause = ()
    evidence: Evidence = Evidence()


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A domain and its rules.

    types: type -> parent (None at the top); predicates: name -> argument types;
    constants: name -> type.
    """

    name: str
    types: Mapping[str, str | None] = field(default_factory=dict)
    predicates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    relations: Mapping[str, Relation] = field(default_factory=dict)
    invariants: tuple[Invariant, ...] = ()
    actions: Mapping[str, ActionSchema] = field(default_factory=dict)

    def ancestors(self, type_: str) -> Iterator[str]:
        """The type itself, and every type above it, up to `ANY`."""
        current: str | None = type_
        while current is not None and current != ANY:
            yield current
            current = self.types.get(current)
        yield ANY

    def is_a(self, type_: str, other: str) -> bool:
        """Whether `type_` is `other` or below it."""
        return other in self.ancestors(type_)
