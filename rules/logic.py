"""Three-valued logic over atoms: what is true, what is false, what nobody has said.

A `State` is a set of true atoms and a set of *denied* patterns. A pattern is an atom that may
hold the wildcard ``*``; it denies every atom that it matches and that is not in the true set.
So ``in(*, fridge 1)`` in `false` says that the contents of the fridge are known in full, and a
state that denies ``p(*, ...)`` for every predicate is closed-world. Whatever is neither true nor
denied is unknown.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import product
from typing import NamedTuple

WILDCARD = "*"


class Truth(enum.Enum):
    """Kleene's three values. Deliberately has no bool(): unknown is not false."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"

    def __bool__(self) -> bool:
        raise TypeError("a Truth is not a bool: compare with `is TRUE`, `is FALSE` or `is UNKNOWN`")

    def __invert__(self) -> Truth:
        return FALSE if self is TRUE else TRUE if self is FALSE else UNKNOWN

    def __and__(self, other: Truth) -> Truth:
        if self is FALSE or other is FALSE:
            return FALSE
        return TRUE if self is TRUE and other is TRUE else UNKNOWN

    def __or__(self, other: Truth) -> Truth:
        if self is TRUE or other is TRUE:
            return TRUE
        return FALSE if self is FALSE and other is FALSE else UNKNOWN

    @staticmethod
    def of(value: bool) -> Truth:
        return TRUE if value else FALSE


TRUE, FALSE, UNKNOWN = Truth.TRUE, Truth.FALSE, Truth.UNKNOWN


class Atom(NamedTuple):
    """A predicate over terms. A term is a constant's name, a ``?variable`` or the wildcard ``*``."""

    predicate: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.predicate}({', '.join(self.args)})" if self.args else self.predicate

    def substitute(self, binding: Mapping[str, str]) -> Atom:
        """The atom with every term in `binding` replaced."""
        return Atom(self.predicate, tuple([binding.get(a, a) for a in self.args]))

    def matches(self, atom: Atom) -> bool:
        """Whether this pattern covers `atom`."""
        return self.predicate == atom.predicate and all(
            a == WILDCARD or a == b for a, b in zip(self.args, atom.args, strict=True)
        )


class Literal(NamedTuple):
    """An atom or its negation.

    Three predicates are built in: ``is(?x, t)`` (the object's type is `t` or below it), ``=``, and
    every relation of the rule set, whose arguments are read as *the types of* its terms. A wildcard
    means *some*: positively ``holding(*)`` is "something is held", negatively "nothing is".
    """

    atom: Atom
    positive: bool = True

    def __invert__(self) -> Literal:
        return Literal(self.atom, not self.positive)

    def substitute(self, binding: Mapping[str, str]) -> Literal:
        return Literal(self.atom.substitute(binding), self.positive)


IS, EQUALS = "is", "="
Clause = tuple[Literal, ...]
"""A disjunction of literals."""


class Action(NamedTuple):
    """A ground action: an action schema's name and its arguments."""

    name: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.args)})"


@lru_cache(maxsize=65536)
def generalisations(atom: Atom) -> tuple[Atom, ...]:
    """The patterns that cover `atom`: itself, and every way to put wildcards in it."""
    choices = [(a, WILDCARD) for a in atom.args]
    return tuple(Atom(atom.predicate, args) for args in product(*choices))


class State:
    """What is known at one moment. Immutable; `updated` gives the next one.

    objects: name -> type; true: atoms that hold; false: denied patterns (module docstring).
    """

    __slots__ = ("_by_predicate", "false", "objects", "true")

    def __init__(
        self,
        objects: Mapping[str, str],
        true: Iterable[Atom] = (),
        false: Iterable[Atom] = (),
    ) -> None:
        self.objects = objects
        self.true = frozenset(true)
        self.false = frozenset(false)
        self._by_predicate: dict[str, list[Atom]] | None = None

    def truth(self, atom: Atom) -> Truth:
        """The value of a ground atom."""
        if atom in self.true:
            return TRUE
        return UNKNOWN if self.false.isdisjoint(generalisations(atom)) else FALSE

    def atoms(self, predicate: str) -> list[Atom]:
        """The true atoms of one predicate."""
        if self._by_predicate is None:
            index: dict[str, list[Atom]] = {}
            for atom in self.true:
                index.setdefault(atom.predicate, []).append(atom)
            self._by_predicate = index
        return self._by_predicate.get(predicate, [])

    def matching(self, pattern: Atom) -> list[Atom]:
        """The true atoms that a pattern covers."""
        atoms = self.atoms(pattern.predicate)
        for place, term in enumerate(pattern.args):
            if term != WILDCARD:
                atoms = [atom for atom in atoms if atom.args[place] == term]
        return atoms

    def some(self, pattern: Atom) -> Truth:
        """Whether any atom that the pattern covers holds."""
        if self.matching(pattern):
            return TRUE
        return UNKNOWN if self.false.isdisjoint(generalisations(pattern)) else FALSE

    def updated(
        self,
        true: Iterable[Atom] = (),
        false: Iterable[Atom] = (),
        objects: Mapping[str, str] | None = None,
    ) -> State:
        """The state after an observation or an effect: first the denials, then the assertions.

        A denied pattern removes the true atoms it covers; an asserted atom removes the denial of
        exactly that atom (a wider denial stays, as the closure of what is known).
        """
        asserted, denied = frozenset(true), frozenset(false)
        kept = self.true
        if denied:
            about = {pattern[0] for pattern in denied}  # most atoms are of other predicates
            kept = frozenset([a for a in kept if a[0] not in about or denied.isdisjoint(generalisations(a))])
        return State(
            {**self.objects, **objects} if objects else self.objects,
            kept | asserted,
            (self.false | denied) - asserted,
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, State)
            and self.true == other.true
            and self.false == other.false
            and dict(self.objects) == dict(other.objects)
        )

    def __hash__(self) -> int:
        return hash((self.true, self.false))

    def __repr__(self) -> str:
        true = ", ".join(sorted(map(str, self.true)))
        false = ", ".join(f"not {a}" for a in sorted(map(str, self.false)))
        return f"State({true}; {false})"
