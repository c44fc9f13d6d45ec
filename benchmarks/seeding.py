"""Faults to insert into correct rule sets, six kinds of them, and whether each is one.

A fault counts only if it changes what it is said to change. That is told without the checker, by the
engine on an independent walk (another seed than the log that the checker sees), and for the last two
kinds by `diff` as well: a precondition that the others entail under the invariants is no fault.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from rules.engine import Engine
from rules.induction import Transition
from rules.language import InvalidRules, render_clause
from rules.language import check as well_formed
from rules.logic import TRUE, WILDCARD, Atom, Clause, Literal, State
from rules.ruleset import ActionSchema, Rule, RuleSet
from rules.verification import Aspect, Kind, Status, diff
from rules.verification.coverage import Try
from rules.verification.faults import literals
from rules.verification.violations import violation_in

SHOWN = 5
"""So many transitions of the walk must show a dropped or superfluous precondition ..."""
SHARE = 0.02
"""... and such a share of the rule's cases: twice what the checker takes for noise."""
EXTRA = "seeded"
"""The name of an inserted rule."""


@dataclass(frozen=True)
class Domain:
    """A correct rule set, the log that the checker gets, and a walk that it does not get."""

    name: str
    ruleset: RuleSet
    log: tuple[Transition, ...]
    walk: tuple[Transition, ...]


class Fault(NamedTuple):
    """A rule set with one fault, the rule that has it, and what was done to it."""

    kind: str
    domain: str
    ruleset: RuleSet
    rule: str
    what: str


Draft = tuple[Rule | None, Rule | None, str]
"""What a rule becomes (None: as it was), a rule beside it, and what was done."""


# -- one fault of each kind


def contradiction(domain: Domain, schema: ActionSchema, rule: Rule, chance: random.Random) -> Draft | None:
    """A second rule that undoes an effect, or says something else, under the same or a wider condition."""
    when = list(rule.when)
    if when and chance.random() < 0.5:
        del when[chance.randrange(len(when))]
    if rule.says is not None and chance.random() < 0.5:
        return None, Rule(EXTRA, tuple(when), says="Something else happens."), "says something else"
    if rule.adds:
        effect = chance.choice(rule.adds)
        return None, Rule(EXTRA, tuple(when), deletes=(effect,)), f"undoes {effect}"
    plain = [a for a in rule.deletes if WILDCARD not in a.args]
    if not plain:
        return None
    effect = chance.choice(plain)
    return None, Rule(EXTRA, tuple(when), adds=(effect,)), f"does {effect} again"


def redundancy(domain: Domain, schema: ActionSchema, rule: Rule, chance: random.Random) -> Draft | None:
    """A clause that another implies, alone or by an invariant; or a rule within the rule."""
    options: list[Clause] = []
    for literal in (c[0] for c in rule.when if len(c) == 1):
        other = _random_literal(domain, schema, chance)
        options.append((literal, other))
        predicate, args = literal.atom
        if literal.positive and predicate in domain.ruleset.predicates and args:
            place = chance.randrange(len(args))
            wider = (*args[:place], WILDCARD, *args[place + 1 :])
            options.append((Literal(Atom(predicate, wider)),))
        options += _implied(domain.ruleset, literal)
    if chance.random() < 0.3:
        narrower = (*rule.when, (_random_literal(domain, schema, chance),))
        return None, replace(rule, name=EXTRA, when=narrower), "a rule within the rule"
    options = [c for c in options if c not in rule.when]
    if not options:
        return None
    clause = chance.choice(options)
    when = list(rule.when)
    when.insert(chance.randint(0, len(when)), clause)
    return replace(rule, when=tuple(when)), None, f"adds {_text(domain, clause)}, which is implied"


def vacuity(domain: Domain, schema: ActionSchema, rule: Rule, chance: random.Random) -> Draft | None:
    """A clause that the others exclude: by itself, or by an invariant."""
    options: list[Clause] = []
    for literal in (c[0] for c in rule.when if len(c) == 1):
        options.append((~literal,))
        options += [
            tuple(~x for x in clause) for clause in _implied(domain.ruleset, literal) if len(clause) == 1
        ]
    options = [c for c in options if c not in rule.when]
    if not options:
        return None
    clause = chance.choice(options)
    return replace(rule, when=(*rule.when, clause)), None, f"adds {_text(domain, clause)}, which is excluded"


def violation(domain: Domain, schema: ActionSchema, rule: Rule, chance: random.Random) -> Draft | None:
    """An effect left out, or one too many."""
    if rule.deletes and chance.random() < 0.6:
        effect = chance.choice(rule.deletes)
        fewer = tuple(a for a in rule.deletes if a != effect)
        return replace(rule, deletes=fewer), None, f"no longer deletes {effect}"
    if rule.adds and chance.random() < 0.4:
        effect = chance.choice(rule.adds)
        return (
            replace(rule, adds=tuple(a for a in rule.adds if a != effect)),
            None,
            f"no longer adds {effect}",
        )
    literal = _random_literal(domain, schema, chance)
    if literal.atom.predicate not in domain.ruleset.predicates or WILDCARD in literal.atom.args:
        return None
    return replace(rule, adds=(*rule.adds, literal.atom)), None, f"adds {literal.atom} too"


def dropped(domain: Domain, schema: ActionSchema, rule: Rule, chance: random.Random) -> Draft | None:
    """One clause less."""
    if not rule.when:
        return None
    clause = chance.choice(rule.when)
    fewer = tuple(c for c in rule.when if c != clause)
    return replace(rule, when=fewer), None, f"drops {_text(domain, clause)}"


def superfluous(domain: Domain, schema: ActionSchema, rule: Rule, chance: random.Random) -> Draft | None:
    """One clause more."""
    clause = (_random_literal(domain, schema, chance),)
    return replace(rule, when=(*rule.when, clause)), None, f"adds {_text(domain, clause)}"


def _text(domain: Domain, clause: Clause) -> str:
    return render_clause(clause, domain.ruleset)


def _random_literal(domain: Domain, schema: ActionSchema, chance: random.Random) -> Literal:
    tries = [Try(t.before, t.action) for t in domain.walk if t.action.name == schema.name][:50]
    found = list(literals(Engine(domain.ruleset), schema, tries))
    literal = chance.choice(found)
    return ~literal if chance.random() < 0.5 else literal


def _implied(ruleset: RuleSet, literal: Literal) -> Iterator[Clause]:
    """What an invariant with this one literal for its body says of the same objects."""
    for invariant in ruleset.invariants:
        if len(invariant.body) != 1 or invariant.body[0].positive is not literal.positive:
            continue
        (predicate, terms), _ = invariant.body[0]
        if predicate == literal.atom.predicate and WILDCARD not in (*terms, *literal.atom.args):
            binding = dict(zip(terms, literal.atom.args, strict=True))
            if all(a in binding or a == WILDCARD for x in invariant.head for a in x.atom.args):
                yield tuple(x.substitute(binding) for x in invariant.head)


# -- whether it is one


def applies(ruleset: RuleSet, name: str, domain: Domain) -> list[Transition]:
    """The transitions of the walk to which a rule (``action.rule``) surely applies."""
    action, _, rule = name.rpartition(".")
    engine = Engine(ruleset)
    found = next(r for r in ruleset.actions[action].rules if r.name == rule)
    return [
        t
        for t in domain.walk
        if t.action.name == action and engine.match(found, t.before, t.action).truth is TRUE
    ]


def foretold(engine: Engine, transition: Transition) -> tuple[bool, State]:
    """Whether the rules say that the action works, and the state after it."""
    outcome = engine.outcome(transition.before, transition.action)
    return outcome.truth is TRUE, engine.apply(transition.before, transition.action)


def both_apply(domain: Domain, fault: Fault, whole: str) -> bool:
    """Contradiction: the walk comes to where both rules apply."""
    mine = applies(fault.ruleset, fault.rule, domain)
    return any(t in mine for t in applies(fault.ruleset, whole, domain))


def nothing_changes(domain: Domain, fault: Fault, whole: str) -> bool:
    """Redundancy: nothing on the walk is foretold otherwise, and the rule does apply."""
    tries = [t for t in domain.walk if t.action.name == fault.rule.rpartition(".")[0]]
    one, other = Engine(fault.ruleset), Engine(domain.ruleset)
    same = all(foretold(one, t) == foretold(other, t) for t in tries)
    return same and bool(applies(fault.ruleset, fault.rule, domain))


def never_applies(domain: Domain, fault: Fault, whole: str) -> bool:
    """Vacuity: the rule applies nowhere on the walk, and did before."""
    return not applies(fault.ruleset, fault.rule, domain) and bool(applies(domain.ruleset, whole, domain))


def breaks_an_invariant(domain: Domain, fault: Fault, whole: str) -> bool:
    """Violation: a state of the walk is followed by one that breaks an invariant."""
    engine = Engine(fault.ruleset)
    afters = [engine.apply(t.before, t.action) for t in applies(fault.ruleset, fault.rule, domain)[:200]]
    return any(violation_in(engine, i, after) for after in afters for i in fault.ruleset.invariants)


def foretells_otherwise(domain: Domain, fault: Fault, whole: str) -> bool:
    """A precondition dropped or superfluous: often enough on the walk, and by `diff`."""
    tries = [t for t in domain.walk if t.action.name == fault.rule.rpartition(".")[0]]
    engine = Engine(fault.ruleset)
    wrong = [t for t in tries if (engine.outcome(t.before, t.action).truth is TRUE) is not t.succeeded]
    cases = applies(
        domain.ruleset if fault.kind == "superfluous precondition" else fault.ruleset, whole, domain
    )
    if len(wrong) < max(SHOWN, SHARE * len(cases)) or len(wrong) > len(cases) - SHOWN:
        return False
    found = diff(domain.ruleset, fault.ruleset)
    return any(d.aspect is Aspect.APPLICABILITY and d.status is Status.REFUTED for d in found)


class Recipe(NamedTuple):
    """How a kind of fault is made, how it is told that it is one, and what finds it."""

    draft: Callable[[Domain, ActionSchema, Rule, random.Random], Draft | None]
    real: Callable[[Domain, Fault, str], bool]
    found: frozenset[Kind]


RECIPES = {
    "contradiction": Recipe(
        contradiction, both_apply, frozenset({Kind.CONTRADICTORY_EFFECTS, Kind.CONTRADICTORY_WORDING})
    ),
    "redundancy": Recipe(
        redundancy,
        nothing_changes,
        frozenset({Kind.REDUNDANT_CLAUSE, Kind.REDUNDANT_LITERAL, Kind.REDUNDANT_RULE}),
    ),
    "vacuous rule": Recipe(vacuity, never_applies, frozenset({Kind.VACUOUS_RULE})),
    "invariant violation": Recipe(violation, breaks_an_invariant, frozenset({Kind.INVARIANT})),
    "dropped precondition": Recipe(dropped, foretells_otherwise, frozenset({Kind.TOO_BROAD})),
    "superfluous precondition": Recipe(superfluous, foretells_otherwise, frozenset({Kind.TOO_NARROW})),
}
TRIES = 60
"""Drafts that are looked at for one fault."""


def insert(domain: Domain, kind: str, chance: random.Random, taken: Sequence[RuleSet] = ()) -> Fault | None:
    """A fault of the kind that is none of those taken; None if none is found."""
    recipe, ruleset = RECIPES[kind], domain.ruleset
    places = [(s, r) for s in ruleset.actions.values() for r in s.rules]
    for _ in range(TRIES):
        schema, rule = chance.choice(places)
        draft = recipe.draft(domain, schema, rule, chance)
        if draft is None:
            continue
        changed, extra, what = draft
        rules = [changed if r is rule and changed else r for r in schema.rules] + ([extra] if extra else [])
        actions = {**ruleset.actions, schema.name: replace(schema, rules=tuple(rules))}
        name = f"{schema.name}.{extra.name if extra else rule.name}"
        fault = Fault(kind, domain.name, replace(ruleset, actions=actions), name, what)
        if fault.ruleset in taken or not _sound(fault.ruleset):
            continue
        if recipe.real(domain, fault, f"{schema.name}.{rule.name}"):
            return fault
    return None


def _sound(ruleset: RuleSet) -> bool:
    """Whether it means something at all."""
    try:
        well_formed(ruleset)
    except InvalidRules:
        return False
    return True
