"""Reduces transitions to records: which candidates held, which the observation asserts, what else went.

This runs once for every transition of a log, so what depends on the action alone is kept from one
time to the next, and facts are compared a set at a time.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from rules.errors import WorldModelError
from rules.induction.candidates import candidates, joined
from rules.induction.records import Record, Transition
from rules.logic import FALSE, TRUE, WILDCARD, Atom, generalisations
from rules.ruleset import ANY, ActionSchema, RuleSet

CACHED = 512
"""So many actions of a schema are remembered."""


class _Grounding(NamedTuple):
    """The candidates of an action with its arguments put in.

    facts: those that speak of the arguments only, and their bits (one fact may be several
    candidates); wider: the same, with the patterns that deny them; patterns: bit, pattern and the
    patterns that deny it; joins: bit, link and the unary predicate; true, false: bits that no state
    can change.
    """

    facts: frozenset[Atom]
    bits: dict[Atom, int]
    wider: tuple[tuple[int, tuple[Atom, ...]], ...]
    patterns: tuple[tuple[int, Atom, tuple[Atom, ...]], ...]
    joins: tuple[tuple[int, Atom, str], ...]
    true: int
    false: int


class Reducer:
    """Turns transitions of one action schema into records."""

    def __init__(self, domain: RuleSet, schema: ActionSchema) -> None:
        self._schema, self._constants = schema, domain.constants
        self.candidates = candidates(domain, schema)
        self._facts = sum(1 << i for i, c in enumerate(self.candidates) if c.grounded)
        self._ground = lru_cache(CACHED)(self._grounding)
        self._closures = [
            (Atom(name, (WILDCARD,) * len(types)), mask)
            for name, types in domain.predicates.items()
            if (mask := self._facts & self._about(name))
        ]

    def _about(self, predicate: str) -> int:
        return sum(1 << i for i, c in enumerate(self.candidates) if c.atoms[0].predicate == predicate)

    def _grounding(self, args: tuple[str, ...]) -> _Grounding:
        binding = {p.name: a for p, a in zip(self._schema.parameters, args, strict=True)}
        bits: dict[Atom, int] = {}
        patterns, joins, true, false = [], [], 0, 0
        for index, candidate in enumerate(self.candidates):
            bit, atom = 1 << index, candidate.atoms[0].substitute(binding)
            if len(candidate.atoms) == 2:
                joins.append((bit, atom, candidate.atoms[1].predicate))
            elif candidate.pattern:
                patterns.append((bit, atom, generalisations(atom)))
            elif not candidate.equality:
                bits[atom] = bits.get(atom, 0) | bit
            elif atom.args[0] == atom.args[1]:
                true |= bit
            else:
                false |= bit
        wider = tuple([(bit, generalisations(atom)) for atom, bit in bits.items()])
        return _Grounding(frozenset(bits), bits, wider, tuple(patterns), tuple(joins), true, false)

    def reduce(self, transition: Transition) -> Record:
        """The record of a transition; `WorldModelError` if the action has too few or many arguments."""
        action, before, after = transition.action, transition.before, transition.after
        if len(action.args) != len(self._schema.parameters):
            raise WorldModelError(
                f"{action}: found {len(action.args)} arguments, expected {len(self._schema.parameters)}"
            )
        ground = self._ground(action.args)
        true = ground.true | self._held(ground, before.true)
        false = ground.false | self._denied(ground, before.false, true)
        arguments = frozenset(action.args)
        closed = lost = kept = 0
        for bit, pattern, wider in ground.patterns:
            matching = before.matching(pattern)
            for atom in matching:
                if not arguments.issuperset(atom.args):
                    if atom in after.true:
                        kept |= bit
                    elif transition.persists or after.truth(atom) is FALSE:
                        lost |= bit
            known = not before.false.isdisjoint(wider)
            if matching:
                true |= bit
            elif known:
                false |= bit
            if not known and not transition.false.isdisjoint(wider):
                closed |= bit
        for bit, link, predicate in ground.joins:
            value = joined(before, link, predicate)
            true |= bit if value is TRUE else 0
            false |= bit if value is FALSE else 0
        seen_true = self._held(ground, transition.true)
        seen_false = self._denied(ground, transition.false, seen_true)
        return Record(
            action.name,
            tuple([after.objects.get(a) or self._constants.get(a, ANY) for a in action.args]),
            transition.succeeded,
            transition.says,
            true,
            false,
            seen_true,
            seen_false,
            0 if transition.persists else self._facts & ~(seen_true | seen_false),
            closed,
            lost,
            kept,
        )

    def _held(self, ground: _Grounding, true: frozenset[Atom]) -> int:
        """The bits of the facts that are among the true ones."""
        return sum([ground.bits[atom] for atom in ground.facts & true])

    def _denied(self, ground: _Grounding, false: frozenset[Atom], true: int) -> int:
        """The bits of the facts that are denied, and are not known to be true."""
        found = 0
        for closure, bits in self._closures:
            if closure in false:
                found |= bits
        if false:
            for bit, wider in ground.wider:
                if not found & bit and not false.isdisjoint(wider):
                    found |= bit
        return found & ~true
