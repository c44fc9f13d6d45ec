"""Random valid rule sets, for every test that must hold for all of them.

`rulesets()` is the strategy. Names are often keywords, odd or invisible; every construct of the
language occurs. `simple=True` keeps names to plain identifiers and leaves wordings without oddities.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from rules.language.names import KEYWORDS, spell, spell_term
from rules.logic import EQUALS, IS, WILDCARD, Atom, Clause, Literal
from rules.ruleset import ANY, ActionSchema, Evidence, Invariant, Parameter, Relation, Rule, RuleSet

Draw = Callable[..., Any]

_tails = st.text("abcxyz019_-", max_size=3)
identifiers = st.builds("".join, st.tuples(st.sampled_from("abcpqrXY_"), _tails)).filter(
    lambda n: n not in KEYWORDS
)
odd_names = st.one_of(
    st.sampled_from(sorted(KEYWORDS)),
    st.sampled_from(
        ["mug 1", "Küche", 'say "hi"', "back\\slash", "a\nb", "\ud800", "\u202e", "#", "0", "and*"]
    ),
    st.text(min_size=1, max_size=8),
).filter(lambda n: n != WILDCARD and not n.startswith("?"))
variables = st.sampled_from(["?a", "?b", "?c", "?x-1", "?_", "?type"])
evidences = st.builds(Evidence, st.integers(0, 999), st.integers(0, 999)) | st.just(Evidence())
plain_texts = st.text(string.ascii_letters + " .,'", max_size=12)
odd_texts = st.one_of(
    st.text(st.characters(blacklist_characters="{"), max_size=12), st.sampled_from(["{", "{ ?x }", "{}"])
)


@dataclass
class Vocabulary:
    """What a rule may speak about while it is drawn."""

    ruleset: RuleSet
    texts: st.SearchStrategy[str]
    fixed: Mapping[str, str] = field(default_factory=dict)  # parameters and constants -> type
    free: Mapping[str, str] = field(default_factory=dict)  # other variables -> the type they will be at most

    def terms(self, type_: str) -> list[str]:
        """The terms that may stand where `type_` is declared.

        A free variable stands only at its own type and above: so its places agree, in any order.
        """
        is_a = self.ruleset.is_a
        fixed = [t for t, kind in self.fixed.items() if is_a(kind, type_) or is_a(type_, kind)]
        return fixed + [t for t, kind in self.free.items() if is_a(kind, type_)]

    def atoms(self, wildcards: bool = True) -> st.SearchStrategy[Atom]:
        """Atoms of the declared predicates; nothing where no predicate can be filled."""
        extra = [WILDCARD] if wildcards else []
        possible = []
        for name, types in self.ruleset.predicates.items():
            places = [self.terms(t) + extra for t in types]
            if all(places):
                possible.append(st.builds(Atom, st.just(name), st.tuples(*map(st.sampled_from, places))))
        return st.one_of(possible)

    def builtins(self) -> st.SearchStrategy[Atom]:
        """Type tests, equalities and look-ups in relations."""
        terms = self.terms(ANY)
        if not terms:
            return st.nothing()
        kinds = {**self.fixed, **self.free}
        one = st.sampled_from(terms)
        tests = one.flatmap(
            lambda t: st.sampled_from([Atom(IS, (t, a)) for a in self.ruleset.ancestors(kinds[t])])
        )
        equal = one.flatmap(
            lambda t: st.sampled_from(
                [Atom(EQUALS, (t, o)) for o in terms if self.ruleset.is_a(kinds[t], kinds[o])]
            )
        )
        lookups = [
            st.builds(Atom, st.just(r.name), st.tuples(*[one] * r.arity))
            for r in self.ruleset.relations.values()
        ]
        return st.one_of(tests, equal, *lookups)

    def literals(self) -> st.SearchStrategy[Literal]:
        return st.builds(Literal, self.atoms() | self.builtins(), st.booleans())

    def clauses(self) -> st.SearchStrategy[Clause]:
        return st.lists(self.literals(), min_size=1, max_size=3).map(tuple)

    def wordings(self) -> st.SearchStrategy[str | None]:
        """Texts with slots for names and for lists."""
        names = st.sampled_from(sorted({**self.fixed, **self.free})).map(lambda t: f"{{{t}}}")
        slots = names.filter(lambda t: t.startswith("{?")) if {**self.fixed, **self.free} else st.nothing()
        lists = self.atoms().filter(lambda a: bool(a.args)).map(_list_slot)
        return st.none() | st.lists(st.one_of(self.texts, slots, lists), max_size=4).map("".join)


def _list_slot(atom: Atom) -> str:
    return f"{{{spell(atom.predicate)}({', '.join(map(spell_term, atom.args))})}}"


def _tuples(strategy: st.SearchStrategy[object], size: int) -> st.SearchStrategy[tuple]:
    """Up to `size` items; none at all where the strategy has nothing to give."""
    return st.just(()) if strategy.is_empty else st.lists(strategy, max_size=size).map(tuple)


@st.composite
def _rules(draw: Draw, name: str, vocabulary: Vocabulary, kinds: list[str]) -> Rule:
    wished = draw(
        st.dictionaries(
            variables.filter(lambda v: v not in vocabulary.fixed), st.sampled_from(kinds), max_size=2
        )
    )
    texts, fixed, ruleset = vocabulary.texts, vocabulary.fixed, vocabulary.ruleset
    atoms = Vocabulary(ruleset, texts, fixed, wished).atoms()
    alone = Vocabulary(ruleset, texts, free=wished).atoms()
    binders = tuple((Literal(atom),) for atom in draw(_tuples(alone, 2)) + draw(_tuples(atoms, 2)))
    used = {term for ((atom, _),) in binders for term in atom.args}
    bound = Vocabulary(ruleset, texts, fixed, {v: t for v, t in wished.items() if v in used})
    clauses = st.nothing() if bound.literals().is_empty else bound.clauses()
    return Rule(
        name,
        when=binders + draw(_tuples(clauses, 3)),
        adds=draw(_tuples(bound.atoms(wildcards=False), 2)),
        deletes=draw(_tuples(bound.atoms(), 2)),
        reveals=draw(_tuples(bound.atoms(), 2)),
        says=draw(bound.wordings()),
        evidence=draw(evidences),
    )


@st.composite
def _actions(draw: Draw, name: str, ruleset: RuleSet, kinds: list[str], names, texts) -> ActionSchema:
    parameters = draw(st.dictionaries(variables, st.sampled_from(kinds), max_size=3))
    vocabulary = Vocabulary(ruleset, texts, {**parameters, **ruleset.constants})
    rule_names = draw(st.lists(names, min_size=1, max_size=2, unique=True))
    return ActionSchema(
        name,
        tuple(Parameter(p, t) for p, t in parameters.items()),
        draw(vocabulary.wordings()),
        tuple(draw(_rules(n, vocabulary, kinds)) for n in rule_names),
        draw(vocabulary.wordings()),
    )


@st.composite
def _invariants(draw: Draw, ruleset: RuleSet, kinds: list[str]) -> Invariant:
    free = draw(st.dictionaries(variables, st.sampled_from(kinds), max_size=2))
    literals = Vocabulary(ruleset, plain_texts, ruleset.constants, free).literals()
    return Invariant(draw(_tuples(literals, 3)), draw(_tuples(literals, 2)), draw(evidences))


@st.composite
def _relations(draw: Draw, name: str, kinds: list[str]) -> Relation:
    arity = draw(st.integers(1, 2))
    rows = st.tuples(*[st.sampled_from(kinds)] * arity)
    return Relation(name, arity, draw(st.dictionaries(rows, evidences, max_size=4)))


@st.composite
def rulesets(draw: Draw, simple: bool = False) -> RuleSet:
    """Any rule set that `rules.language.check` accepts."""
    names = identifiers if simple else identifiers | odd_names
    texts = plain_texts if simple else plain_texts | odd_texts
    types: dict[str, str | None] = {}
    for name in draw(st.lists(names.filter(lambda n: n != ANY), max_size=5, unique=True)):
        types[name] = draw(st.sampled_from([None, ANY, *types]))
    kinds = [ANY, *types]
    vocabulary = st.lists(names.filter(lambda n: n != IS), min_size=1, max_size=5, unique=True)
    predicates: dict[str, tuple[str, ...]] = {}
    relations: dict[str, Relation] = {}
    for name in draw(vocabulary):
        if draw(st.integers(0, 3)):
            predicates[name] = draw(st.lists(st.sampled_from(kinds), max_size=3).map(tuple))
        else:
            relations[name] = draw(_relations(name, kinds))
    constants = draw(st.dictionaries(names, st.sampled_from(kinds), max_size=2))
    bare = RuleSet(draw(names), types, predicates, constants, relations)
    invariants = draw(st.lists(_invariants(bare, kinds), max_size=3).map(tuple))
    actions = {
        n: draw(_actions(n, bare, kinds, names, texts))
        for n in draw(st.lists(names, max_size=2, unique=True))
    }
    return RuleSet(bare.name, types, predicates, constants, relations, invariants, actions)
