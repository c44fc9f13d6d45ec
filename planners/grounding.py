"""From a belief and a goal to a planning task: only what can help to reach the goal is grounded.

Works backward from the goal (relevance analysis; Nebel, Dimopoulos & Koehler 1997): an action is
grounded if it brings about a fact that the goal, or an action grounded before, needs. Facts that no
action changes are decided here; what is unknown of them is taken to be as it mostly is.

A thing that is only imagined to be somewhere can be acted on once it has been seen: where its place
is a condition, so is ``seen``, which the actions that reveal the place's contents bring about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from planners.task import Condition, Operator, Task
from rules.logic import (
    FALSE,
    IS,
    TRUE,
    UNKNOWN,
    WILDCARD,
    Action,
    Atom,
    Clause,
    Literal,
    Truth,
)
from rules.ruleset import ANY, ActionSchema, Rule
from worldmodel.belief import Belief, with_companions
from worldmodel.model import WorldModel

UNTRIED = 0.5
"""The chance that an action works for types for which nobody has tried it."""

UNLIKELY = 0.05
"""The least chance that is left to what the logs only ever saw fail for these types."""

MAX_OPERATORS = 20_000


class _Instance(NamedTuple):
    """A rule under a binding, with the fluent clauses left of its condition."""

    schema: ActionSchema
    rule: Rule
    binding: Mapping[str, str]
    clauses: tuple[Clause, ...]
    chance: float


@dataclass(frozen=True, slots=True)
class Grounding:
    """The task, the bit of each of its atoms, and the state that the belief makes likeliest."""

    task: Task
    bits: Mapping[Atom, int]
    known: int

    def state(self, extra: Iterable[Atom] = ()) -> int:
        """The belief's state, with some more facts."""
        return self.known | sum(self.bits.get(atom, 0) for atom in set(extra))


def ground(model: WorldModel, belief: Belief, imagined: Mapping[str, str]) -> Grounding:
    """The task of reaching the belief's goal, with some things that are only imagined (name -> type)."""
    return _Grounder(model, belief, imagined).run()


def seen(fact: Atom, imagined: str) -> Atom:
    """That the place where a fact puts an imagined thing has been looked into."""
    return _seen(Atom(fact.predicate, tuple([WILDCARD if a == imagined else a for a in fact.args])))


def _seen(pattern: Atom) -> Atom:
    return Atom(f"seen {pattern.predicate}", tuple([a for a in pattern.args if a != WILDCARD]))


class _Grounder:
    def __init__(self, model: WorldModel, belief: Belief, imagined: Mapping[str, str]) -> None:
        self.model, self.engine, self.belief = model, model.engine, belief
        self.imagined = imagined
        self.state = belief.state.updated(objects=imagined)
        rules = [(s, r) for s in model.ruleset.actions.values() for r in s.rules]
        self.fluents = {a.predicate for _, r in rules for a in (*r.adds, *r.deletes)}
        self.makers: dict[str, list[tuple[ActionSchema, Rule, Atom]]] = {}
        self.breakers: dict[str, list[tuple[ActionSchema, Rule, Atom]]] = {}
        for schema, rule in rules:
            for atom in (*rule.adds, *_shown(rule)):
                self.makers.setdefault(atom.predicate, []).append((schema, rule, atom))
            for atom in rule.deletes:
                if WILDCARD not in atom.args:
                    self.breakers.setdefault(atom.predicate, []).append((schema, rule, atom))
        self.instances: dict[tuple[str, str, tuple[tuple[str, str], ...]], _Instance] = {}
        self.wanted: set[tuple[Atom, bool]] = set()
        self.queue: list[tuple[Atom, bool]] = []
        self.by_type: dict[str, list[str]] = {ANY: list(self.state.objects)}
        for name, type_ in self.state.objects.items():
            for ancestor in model.ruleset.ancestors(type_):
                if ancestor != ANY:
                    self.by_type.setdefault(ancestor, []).append(name)

    def run(self) -> Grounding:
        goals = list(self._goals())
        for goal in goals:
            self._want(goal)
        while self.queue:
            atom, value = self.queue.pop()
            self._achieve(atom, value)
            if len(self.instances) > MAX_OPERATORS:
                break
        return self._build(goals)

    # what is wanted

    def _goals(self) -> Iterator[tuple[Clause, ...]]:
        """For every way to fill the goal's parameters, what of it no fact decides."""
        goal = self.belief.goal
        pools = [self.by_type.get(p.type, []) for p in goal.parameters]
        for names in product(*pools):
            binding = dict(zip((p.name for p in goal.parameters), names, strict=True))
            found = self._residue([(literal,) for literal in goal.condition], binding)
            if found is not None:
                yield found[0]

    def _want(self, clauses: Sequence[Clause]) -> None:
        for clause in clauses:
            for literal in clause:
                for atom in self._instances_of(literal):
                    key = (atom, literal.positive)
                    if key not in self.wanted:
                        self.wanted.add(key)
                        self.queue.append(key)

    def _instances_of(self, literal: Literal) -> list[Atom]:
        """The atom; for a denied pattern, the atoms that now stand against it."""
        if WILDCARD not in literal.atom.args:
            return [literal.atom]
        return [] if literal.positive else list(self.state.matching(literal.atom))

    def _achieve(self, atom: Atom, value: bool) -> None:
        """Grounds the actions that make an atom true, or false."""
        if not value and not self._holds(atom):
            return
        for schema, rule, effect in (self.makers if value else self.breakers).get(atom.predicate, ()):
            partial = _unify(effect, atom)
            if partial is not None:
                for binding in self._bindings(schema, rule, partial):
                    self._add(schema, rule, binding)

    def _add(self, schema: ActionSchema, rule: Rule, binding: Mapping[str, str]) -> None:
        key = (schema.name, rule.name, tuple(sorted(binding.items())))
        if key in self.instances:
            return
        found = self._residue(rule.when, binding)
        if found is None:
            return
        clauses, chance = found
        clauses += tuple(
            [(Literal(atom),) for c in clauses if len(c) == 1 for atom in self._to_be_seen(c[0])]
        )
        self.instances[key] = _Instance(schema, rule, binding, clauses, chance)
        self._want(clauses)

    def _to_be_seen(self, literal: Literal) -> list[Atom]:
        """What must have been looked into before a condition about an imagined thing can be met."""
        atom = literal.atom
        if not literal.positive or len(atom.args) != 2 or WILDCARD in atom.args:
            return []
        found = [seen(atom, a) for a in atom.args if a in self.imagined]
        return [s for s in found if s.predicate in self.makers]

    # bindings and conditions

    def _bindings(
        self, schema: ActionSchema, rule: Rule, partial: Mapping[str, str]
    ) -> Iterator[Mapping[str, str]]:
        """Every way to fill the rule's other variables with things of fitting types."""
        pools: dict[str, list[str]] = {}
        for parameter in schema.parameters:
            pools[parameter.name] = self.by_type.get(parameter.type, [])
        for variable, type_ in self.engine.free_variables(schema.name, rule.name):
            pools[variable] = self.by_type.get(type_, [])
        for clause in rule.when:
            literal = clause[0]
            if len(clause) == 1 and literal.positive and literal.atom.predicate == IS:
                name, type_ = literal.atom.args
                pools[name] = [x for x in pools[name] if x in self.by_type.get(type_, ())]
        for name, value in partial.items():
            if value not in pools[name]:
                return
            pools[name] = [value]
        for values in product(*pools.values()):
            yield dict(zip(pools, values, strict=True))

    def _residue(
        self, clauses: Iterable[Clause], binding: Mapping[str, str]
    ) -> tuple[tuple[Clause, ...], float] | None:
        """The clauses over fluents that are left, and the chance of the rest; None if it cannot hold."""
        left, chance = [], 1.0
        for clause in clauses:
            open_: list[Literal] = []
            decided, odds = FALSE, 0.0
            for literal in clause:
                if literal.atom.predicate in self.fluents:
                    open_ += self._spelled_out(literal.substitute(binding))
                    continue
                value = self._static(literal, binding)
                decided = decided | value
                odds = max(odds, self._odds(literal, binding, value))
            if decided is TRUE:
                continue
            if open_:
                left.append(tuple(open_))
            elif odds:
                chance *= odds
            else:
                return None
        return tuple(left), chance

    def _spelled_out(self, literal: Literal) -> list[Literal]:
        """The literal; for *some* of a pattern, the facts that are known to match it."""
        if not literal.positive or WILDCARD not in literal.atom.args:
            return [literal]
        return [Literal(atom) for atom in self.state.matching(literal.atom)]

    def _static(self, literal: Literal, binding: Mapping[str, str]) -> Truth:
        value = self.engine.literal(literal, self.state, binding)
        if value is UNKNOWN and len(literal.atom.args) == 1 and self._is_property(literal):
            holds = self.model.likely(self.belief, Literal(literal.atom), binding) > 0.5
            return Truth.of(holds is literal.positive)
        return value

    def _is_property(self, literal: Literal) -> bool:
        return literal.atom.predicate in self.model.ruleset.predicates

    def _odds(self, literal: Literal, binding: Mapping[str, str], value: Truth) -> float:
        """The chance of a condition that no fact decides. What the logs say of a type is no law: a type
        that was seen to fail, or a rule's exception for one, leaves a little."""
        if value is TRUE:
            return 1.0
        predicate, args = literal.atom
        if predicate == IS and not literal.positive:
            return UNLIKELY
        relation = self.model.ruleset.relations.get(predicate)
        if relation is None:
            return UNTRIED if value is UNKNOWN else 0.0
        types = tuple(self.engine.type_of(binding.get(a, a), self.state) for a in args)
        support, against = relation.table.get(types, (0, 0))
        return max(UNLIKELY, (support + UNTRIED) / (support + against + 1))

    # bits

    def _build(self, goals: Sequence[tuple[Clause, ...]]) -> Grounding:
        atoms = {atom for atom, _ in self.wanted}
        for instance in self.instances.values():
            atoms |= {a.substitute(instance.binding) for a in (*instance.rule.adds, *_shown(instance.rule))}
        atoms |= {a for a in self.state.true if a.predicate in self.fluents}
        index = _Index(atoms)
        operators = {o for i in self.instances.values() for o in self._operators(i, index)}
        goal_conditions = [c for goal in goals for c in _alternatives(goal, index)]
        known = sum(index.mask(atom) for atom in index.atoms if self._holds(atom))
        task = Task(
            index.atoms,
            tuple(sorted(_merged(operators), key=lambda o: (o.cost, o))),
            tuple(dict.fromkeys(goal_conditions)),
        )
        return Grounding(task, {a: index.bits[a] for a in index.atoms}, known)

    def _holds(self, atom: Atom) -> bool:
        value = self.state.truth(atom)
        if value is UNKNOWN and len(atom.args) == 1:
            return self.model.likely(self.belief, Literal(atom), {}) > 0.5
        return value is TRUE

    def _operators(self, instance: _Instance, index: _Index) -> Iterator[Operator]:
        schema, rule, binding = instance.schema, instance.rule, instance.binding
        action = Action(schema.name, tuple(binding[p.name] for p in schema.parameters))
        adds = [a.substitute(binding) for a in (*rule.adds, *_shown(rule))]
        gained = lost = 0
        for atom in with_companions(adds, self.belief.companions):
            gained |= index.mask(atom)
        for pattern in rule.deletes:
            lost |= index.mask(pattern.substitute(binding))
        trust = (rule.evidence.support + 1) / (rule.evidence.support + rule.evidence.against + 2)
        chance = instance.chance * trust / (1 + self.belief.refusals(action)) ** 2
        for condition in _alternatives(instance.clauses, index):
            yield Operator(action, *condition, gained, lost & ~gained, round(1 / chance, 3))


def _shown(rule: Rule) -> list[Atom]:
    """The ``seen`` facts that a rule's reveals bring about."""
    return [_seen(p) for p in rule.reveals if len(p.args) == 2 and p.args.count(WILDCARD) == 1]


def _unify(effect: Atom, atom: Atom) -> dict[str, str] | None:
    """The binding that makes a lifted effect this atom."""
    binding: dict[str, str] = {}
    for term, name in zip(effect.args, atom.args, strict=True):
        if term.startswith("?"):
            if binding.setdefault(term, name) != name:
                return None
        elif term != name:
            return None
    return binding


class _Index:
    """The bit of every atom, and of patterns the bits of all atoms that match."""

    def __init__(self, atoms: Iterable[Atom]) -> None:
        self.atoms = tuple(sorted(atoms))
        self.bits = {atom: 1 << i for i, atom in enumerate(self.atoms)}

    def mask(self, atom: Atom) -> int:
        """The bits of what an atom or pattern covers."""
        found = self.bits.get(atom)
        if found is None:
            covered = [b for a, b in self.bits.items() if WILDCARD not in a.args and atom.matches(a)]
            found = self.bits[atom] = sum(covered) if WILDCARD in atom.args else 0
        return found


def _alternatives(clauses: Sequence[Clause], index: _Index) -> Iterator[Condition]:
    """A conjunction of clauses as conjunctions of literals, over bits."""
    for literals in product(*clauses):
        needs = forbids = 0
        for literal in literals:
            if literal.positive:
                needs |= index.mask(literal.atom)
            else:
                forbids |= index.mask(literal.atom)
        if not needs & forbids:
            yield Condition(needs, forbids)


def _merged(operators: Iterable[Operator]) -> set[Operator]:
    """Two operators that differ in the sign of one fact of their condition are one without it."""
    merged = set(operators)
    for operator in sorted(merged):
        for bit in _each(operator.needs):
            twin = operator._replace(needs=operator.needs & ~bit, forbids=operator.forbids | bit)
            if operator in merged and twin in merged:
                merged -= {operator, twin}
                merged.add(operator._replace(needs=operator.needs & ~bit))
    return merged


def _each(mask: int) -> Iterator[int]:
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit
