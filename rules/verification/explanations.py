"""Why the rules predict what they predict of one action in one state, by cores of z3.

The state's facts are formulas over its objects as constants. A clause that fails is explained by a
minimal set of facts and invariants that exclude it, a clause that holds by such a set that implies
it; and a rule whose clauses fail only together, by a minimal set of all three.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from rules.engine import Binding, Engine, effects, variables
from rules.language import render_clause
from rules.logic import FALSE, TRUE, UNKNOWN, WILDCARD, Action, Atom, Clause, Literal, State, Truth
from rules.ruleset import ANY, ActionSchema, Rule, RuleSet
from rules.verification.formulas import (
    And,
    Formula,
    Or,
    equal,
    exists,
    negate,
    of_clause,
    of_clauses,
    substitute,
    typed,
)
from rules.verification.invariants import texts
from rules.verification.questions import Questions
from rules.verification.solver import RLIMIT

FEW = 3
"""So many exceptions to a denial are listed."""
MANY = 10
"""A property that more objects have tells little of one of them."""
MAX_DENIALS = 2000
"""So many of a denial's atoms are taken as facts, where not all of it can be."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A part of a condition, about this action's arguments: clauses that share a free variable stay together.

    truth: by the facts alone. verdict: by the facts and the invariants. because: a minimal set of them
    that implies the part, or excludes it. unless: for a part that does not surely hold, what would
    make it hold, each with the rules that bring it about.
    """

    text: str
    truth: Truth
    verdict: Truth
    because: tuple[str, ...]
    unless: tuple[Remedy, ...] = ()


@dataclass(frozen=True, slots=True)
class Remedy:
    """A literal that would make a clause hold, and the rules (``action.rule``) that bring it about."""

    literal: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RuleReading:
    """One rule in this state. core: minimal clauses, facts and invariants that together exclude it."""

    rule: str
    truth: Truth
    parts: tuple[Reading, ...]
    core: tuple[str, ...] = ()

    @property
    def failing(self) -> tuple[Reading, ...]:
        """The parts that do not surely hold."""
        return tuple(p for p in self.parts if p.truth is not TRUE)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is predicted of an action in a state, and why.

    truth: succeeds, fails, or unknown. rules: nearest to applying first. gained, lost: the atoms that
    the prediction asserts and takes back. says: the wordings of the rules that apply, or of a failure.
    reason: where no rule is to be asked, why (arguments of the wrong type). conflict: facts and
    invariants of the state that exclude each other; the reasons then use no invariants.
    """

    action: Action
    truth: Truth
    rules: tuple[RuleReading, ...]
    gained: tuple[Atom, ...] = ()
    lost: tuple[Atom, ...] = ()
    says: tuple[str, ...] = ()
    reason: str = ""
    conflict: tuple[str, ...] = ()


def explain(ruleset: RuleSet, state: State, action: Action, rlimit: int = RLIMIT) -> Explanation:
    """Why the rules predict what they predict. `WorldModelError` for an action that they do not know."""
    engine = Engine(ruleset)
    schema, outcome = engine.schema(action), engine.outcome(state, action)
    misfits = _misfits(engine, schema, state, action)
    if misfits:
        return Explanation(action, outcome.truth, (), says=_said(schema, ()), reason=misfits)
    after = effects(outcome.matches, state) if outcome.truth is TRUE else state
    facts = _Facts(engine, state, action, rlimit)
    rules = [_rule(facts, schema, rule) for rule in schema.rules]
    order = {TRUE: 0, UNKNOWN: 1, FALSE: 2}
    rules.sort(key=lambda r: (order[r.truth], len(r.failing)))
    matched = [m.rule for m in outcome.matches]
    return Explanation(
        action,
        outcome.truth,
        tuple(rules),
        tuple(sorted(after.true - state.true)),
        tuple(sorted(state.true - after.true)),
        _said(schema, matched),
        "" if schema.rules else "no rule speaks of it",
        facts.conflict,
    )


def _said(schema: ActionSchema, rules: Sequence[Rule]) -> tuple[str, ...]:
    said = [rule.says for rule in rules] if rules else [schema.otherwise]
    return tuple(dict.fromkeys(text for text in said if text is not None))


def _misfits(engine: Engine, schema: ActionSchema, state: State, action: Action) -> str:
    """The arguments whose types are not those that the parameters ask for, in words."""
    found = []
    for parameter, name in zip(schema.parameters, action.args, strict=True):
        own = engine.type_of(name, state)
        known = own in engine.ruleset.types or own == ANY
        if parameter.type != ANY and known and not engine.ruleset.is_a(own, parameter.type):
            is_ = "is nothing that anybody has met" if own == ANY else f"is {own}"
            found.append(f"{name} {is_}, and {parameter.name} is to be {parameter.type}")
    return "; ".join(found)


class _Facts:
    """What is known around an action, as formulas, and a solver that takes the objects for constants."""

    def __init__(self, engine: Engine, state: State, action: Action, rlimit: int) -> None:
        self.engine, self.state, self.action = engine, state, action
        self.binding = engine.binding(action)
        names = self._near()
        types = {n: engine.type_of(n, state) for n in names}
        more = {t: None for t in types.values() if t != ANY and t not in engine.ruleset.types}
        ruleset = replace(
            engine.ruleset,
            types={**engine.ruleset.types, **more},
            constants={**engine.ruleset.constants, **types},
        )
        self.ask = Questions(ruleset, rlimit)
        self.facts = dict(self._known(names))
        self.invariants: Sequence[int] = range(len(ruleset.invariants))
        self.conflict = self.core(())
        if self.conflict:
            self.invariants = ()

    def _near(self) -> dict[str, None]:
        """The arguments, and the objects of atoms that speak of an argument or that the rules look for.

        What a rule asks of one object, ``at(?r)``, an invariant may deny because of another: these
        count as well, where there are not many.
        """
        names = dict.fromkeys(self.action.args)
        wanted = set()
        for rule in self.engine.schema(self.action).rules:
            for (predicate, args), _ in (x for c in substitute(rule.when, self.binding) for x in c):
                if len(args) == 1 and len(self.state.atoms(predicate)) <= MANY:
                    args = (WILDCARD,)
                wanted.add(Atom(predicate, tuple([WILDCARD if a.startswith("?") else a for a in args])))
        for atom in sorted(self.state.true):
            if set(atom.args) & set(self.action.args) or any(w.matches(atom) for w in wanted):
                names |= dict.fromkeys(atom.args)
        return names

    def _known(self, names: Iterable[str]) -> Iterator[tuple[Formula, str]]:
        """The facts about these objects alone. (To leave out others is sound: fewer facts, fewer cores.)"""
        near, predicates = set(names), self.engine.ruleset.predicates
        for atom in sorted(self.state.true):
            if atom.predicate in predicates and near.issuperset(atom.args):
                yield Literal(atom), str(atom)
        for pattern in sorted(self.state.false):
            if pattern.predicate in predicates and near.issuperset({*pattern.args} - {WILDCARD}):
                known = [a for a in sorted(self.state.atoms(pattern.predicate)) if pattern.matches(a)]
                yield self._denial(pattern, known, near), _denied(pattern, known)

    def _denial(self, pattern: Atom, known: Sequence[Atom], near: set[str]) -> Formula:
        """Nothing that the pattern covers holds, but what is known to; if that is of objects not near,
        nothing of objects that are."""
        if not all(near.issuperset(a.args) for a in known):
            options = [[a] if a != WILDCARD else sorted(near) for a in pattern.args]
            atoms = [Atom(pattern.predicate, args) for args in islice(product(*options), MAX_DENIALS)]
            return And(tuple(Literal(a, False) for a in atoms if a not in self.state.true))
        signature = self.engine.ruleset.predicates[pattern.predicate]
        terms = tuple(f"?*{i}" if a == WILDCARD else a for i, a in enumerate(pattern.args))
        wild = {v: t for v, t in zip(terms, signature, strict=True) if v.startswith("?*")}
        same = Or(tuple(And(tuple(map(equal, terms, a.args))) for a in known))
        return negate(exists(wild, And((Literal(Atom(pattern.predicate, terms)), negate(same)))))

    def excludes(self, formula: Formula) -> bool:
        """Whether the facts and invariants exclude the formula."""
        return self.ask.solver.satisfiable((formula, *self.facts), self.invariants) is FALSE

    def core(self, formulas: Sequence[Formula], names: Sequence[str] = ()) -> tuple[str, ...]:
        """A minimal set of these formulas, facts and invariants that exclude each other, in words."""
        question = [*formulas, *self.facts]
        found, invariants = self.ask.solver.core(question, self.invariants)
        said = [*(names or [""] * len(formulas)), *self.facts.values()]
        return (*(said[i] for i in found if said[i]), *texts(self.engine.ruleset, invariants))


def _denied(pattern: Atom, known: Sequence[Atom]) -> str:
    """A denial in words, with the exceptions that are known, if they are few."""
    if not known:
        return f"no {pattern}" if WILDCARD in pattern.args else f"not {pattern}"
    return f"no other {pattern} than " + (", ".join(map(str, known)) if len(known) <= FEW else "those known")


def _rule(facts: _Facts, schema: ActionSchema, rule: Rule) -> RuleReading:
    name = f"{schema.name}.{rule.name}"
    match = facts.engine.match(rule, facts.state, facts.action)
    # the first match stands for all: one is enough
    binding = match.bindings[0] if match.truth is TRUE else facts.binding
    open_ = next(parts for found, parts in facts.engine.explain(facts.state, facts.action) if found is rule)
    truths = dict(open_)
    parts = tuple(_reading(facts, c, truths.get(c, TRUE), binding) for c in _parts(rule, facts.binding))
    if match.truth is TRUE:
        return RuleReading(name, TRUE, parts)
    alone = next(((p.text, *p.because) for p in parts if p.verdict is FALSE), ())
    return RuleReading(name, match.truth, parts, alone or _together(facts, rule))


def _parts(rule: Rule, binding: Binding) -> Iterator[tuple[Clause, ...]]:
    """The clauses over the parameters one by one, then those with free variables in one piece."""
    ground = [c for c in rule.when if variables(c) <= binding.keys()]
    yield from ((c,) for c in ground)
    joined = tuple(c for c in rule.when if c not in ground)
    if joined:
        yield joined


def _together(facts: _Facts, rule: Rule) -> tuple[str, ...]:
    """The core of a condition of which no part is excluded by itself."""
    when = substitute(rule.when, facts.binding)
    scope = facts.ask.theory.scope(typed(facts.ask.ruleset, when))
    clauses = [of_clause(facts.ask.ruleset, c) for c in substitute(when, scope.binding)]
    return facts.core(
        [*clauses, *scope.guards], [*(_text(facts, (c,)) for c in when), *("" for _ in scope.guards)]
    )


def _reading(facts: _Facts, clauses: tuple[Clause, ...], truth: Truth, binding: Binding) -> Reading:
    ground = substitute(clauses, binding)
    formula = exists(typed(facts.ask.ruleset, ground), of_clauses(facts.ask.ruleset, ground))
    unless = () if truth is TRUE else tuple(_remedies(facts, ground))
    for verdict, question in ((TRUE, negate(formula)), (FALSE, formula)):
        if facts.excludes(question):
            return Reading(_text(facts, ground), truth, verdict, facts.core((question,)), unless)
    return Reading(_text(facts, ground), truth, truth, (), unless)


def _text(facts: _Facts, clauses: Iterable[Clause]) -> str:
    """Clauses about objects, without the quotes that a file would need."""
    return ", ".join(render_clause(c, facts.ask.ruleset) for c in clauses).replace('"', "")


def _remedies(facts: _Facts, clauses: Iterable[Clause]) -> Iterator[Remedy]:
    """The literals that do not hold, and who makes them hold."""
    for literal in (x for clause in clauses for x in clause):
        free = any(a.startswith("?") for a in literal.atom.args)
        if free or facts.engine.literal(literal, facts.state, {}) is not TRUE:
            yield Remedy(_text(facts, ((literal,),)), tuple(_makers(facts, literal)))


def _makers(facts: _Facts, literal: Literal) -> Iterator[str]:
    """The rules with an effect that is the literal, for some of their objects."""
    for schema in facts.engine.ruleset.actions.values():
        for rule in schema.rules:
            types = facts.ask.theory.rule_types(schema, rule)
            changes = rule.adds if literal.positive else rule.deletes
            if any(_may_be(facts, change, literal.atom, types) for change in changes):
                yield f"{schema.name}.{rule.name}"


def _may_be(facts: _Facts, effect: Atom, atom: Atom, types: Mapping[str, str]) -> bool:
    """Whether an effect may be about these objects."""
    if effect.predicate != atom.predicate:
        return False
    for mine, theirs in zip(effect.args, atom.args, strict=True):
        if theirs == WILDCARD or theirs.startswith("?") or mine in (WILDCARD, theirs):
            continue
        own = facts.engine.type_of(theirs, facts.state)
        if mine not in types or not facts.ask.ruleset.is_a(own, types[mine]):
            return False
    return True
