"""The literals that a precondition may be made of, for one action schema.

Candidates are ordered and depend on the vocabulary alone, so that a set of them is one int (a bit
a candidate), and the counts of two logs can be added.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from rules.logic import EQUALS, FALSE, TRUE, UNKNOWN, WILDCARD, Atom, State, Truth
from rules.ruleset import ANY, ActionSchema, RuleSet

JOINED = "?other"
"""The free variable of a joined candidate: the object that is no argument."""

MAX_WILDCARD_ARITY = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """One lifted condition: an atom, or two that share the free variable `JOINED`.

    The first kind may hold wildcards (*some* object). In a join, ``in(?o, ?other), at(?other)``,
    the second atom is unary.
    """

    atoms: tuple[Atom, ...]

    @property
    def grounded(self) -> bool:
        """Whether it speaks of the arguments only, so that it can be an effect."""
        return len(self.atoms) == 1 and not self.pattern and not self.equality

    @property
    def equality(self) -> bool:
        """Whether it says that two names mean one object."""
        return self.atoms[0].predicate == EQUALS

    @property
    def pattern(self) -> bool:
        """Whether it is a pattern with a wildcard."""
        return WILDCARD in self.atoms[0].args


def joined(state: State, link: Atom, predicate: str) -> Truth:
    """Whether some object has the unary property and stands in the link's free place, `JOINED`."""
    values = {state.truth(link.substitute({JOINED: other.args[0]})) for other in state.atoms(predicate)}
    if TRUE in values:
        return TRUE
    closed = Atom(predicate, (WILDCARD,)) in state.false
    return FALSE if closed and UNKNOWN not in values else UNKNOWN


def candidates(domain: RuleSet, schema: ActionSchema) -> tuple[Candidate, ...]:
    """All candidates for a schema, the plainest first: of two that tell the same, the first is learned."""
    atoms = []
    for predicate, signature in domain.predicates.items():
        for terms in product(*(_terms(domain, schema, t, len(signature)) for t in signature)):
            if not signature or terms.count(WILDCARD) < max(2, len(signature)):
                atoms.append(Atom(predicate, terms))
    atoms.sort(key=lambda atom: WILDCARD in atom.args)
    found = dict.fromkeys(Candidate((atom,)) for atom in atoms)
    for link in _links(domain, schema):
        found[link] = None
    for i, (name, type_) in enumerate(schema.parameters):
        for other, its_type in (*schema.parameters[i + 1 :], *domain.constants.items()):
            if _compatible(domain, type_, its_type):
                found[Candidate((Atom(EQUALS, (name, other)),))] = None
    return tuple(found)


def _terms(domain: RuleSet, schema: ActionSchema, type_: str, arity: int) -> list[str]:
    fitting = [p.name for p in schema.parameters if _compatible(domain, p.type, type_)]
    fitting += [name for name, own in domain.constants.items() if _compatible(domain, own, type_)]
    return [*fitting, WILDCARD] if arity <= MAX_WILDCARD_ARITY else fitting


def _links(domain: RuleSet, schema: ActionSchema) -> Iterator[Candidate]:
    """Joins of a binary predicate on a parameter with a unary one on its other place, where no other
    parameter could stand in that place: what the action names is preferred to what it does not."""
    unary = [(p, s[0]) for p, s in domain.predicates.items() if len(s) == 1]
    for predicate, signature in domain.predicates.items():
        if len(signature) != 2:
            continue
        for place, parameter in product((0, 1), schema.parameters):
            if not _compatible(domain, parameter.type, signature[place]):
                continue
            other = signature[1 - place]
            if any(p != parameter and _compatible(domain, p.type, other) for p in schema.parameters):
                continue
            args = (parameter.name, JOINED) if place == 0 else (JOINED, parameter.name)
            for name, type_ in unary:
                if _compatible(domain, type_, other):
                    yield Candidate((Atom(predicate, args), Atom(name, (JOINED,))))


def _compatible(domain: RuleSet, a: str, b: str) -> bool:
    return ANY in (a, b) or domain.is_a(a, b) or domain.is_a(b, a)
