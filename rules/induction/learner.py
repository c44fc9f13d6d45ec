"""Statistics in, rules out. Deterministic, and the same for statistics merged in any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from rules.induction.alternatives import Alternatives, World
from rules.induction.candidates import JOINED, Candidate
from rules.induction.changes import change, noise
from rules.induction.effects import Effects, learn_effects
from rules.induction.habits import Successes, cautious, habits
from rules.induction.invariants import invariants
from rules.induction.outcomes import outcomes
from rules.induction.preconditions import NOTHING, Case, Condition, Learner, Mask, OfType, Table
from rules.induction.records import Counts, Record
from rules.induction.statistics import Statistics
from rules.logic import FALSE, IS, TRUE, Atom, Clause, Literal
from rules.ruleset import ANY, ActionSchema, Evidence, Relation, Rule, RuleSet

RARE = 0.1
"""A rule that comes true in a smaller share of its cases says too little to stand beside better ones."""


SPLIT_PRICE = 0.5
"""What tells two outcomes apart is bought at half the price: that there are two is plain already."""


def induce(statistics: Statistics) -> RuleSet:
    """The rules that explain what was counted."""
    domain = replace(statistics.domain, types=_types(statistics))
    worlds = [World(domain, scene) for scene in sorted(statistics.scenes)]
    errors = _noise(statistics)
    relations: dict[str, Relation] = {}
    actions = {}
    for name, schema in domain.actions.items():
        records = {r: n for r, n in statistics.records.items() if r.action == name and _fits(domain, r)}
        alternatives = Alternatives(domain, schema, worlds)
        learner = _ActionLearner(domain, schema, statistics.candidates(name), records, alternatives, errors)
        rules, found = learner.learn()
        relations |= {relation.name: relation for relation in found}
        actions[name] = replace(schema, rules=rules, otherwise=_otherwise(records) or schema.otherwise)
    return replace(
        domain,
        relations=relations,
        invariants=tuple(invariants(domain, statistics.invariants)),
        actions=actions,
    )


def _noise(statistics: Statistics) -> float:
    """The share of logged values that are wrong, as the successes tell."""
    successes: dict[str, dict[Record, int]] = {}
    for record, count in statistics.records.items():
        if record.succeeded:
            successes.setdefault(record.action, {})[record] = count
    return noise(
        change(records, 1 << index)
        for action, records in sorted(successes.items())
        for index, candidate in enumerate(statistics.candidates(action))
        if candidate.grounded
    )


def _types(statistics: Statistics) -> dict[str, str | None]:
    """The vocabulary's types, and those first met in the log, under the type of the place they stood in."""
    types = dict(statistics.domain.types)
    for record in sorted(statistics.records):
        parameters = statistics.domain.actions[record.action].parameters
        for type_, parameter in zip(record.types, parameters, strict=True):
            if type_ != ANY and type_ not in types:
                types[type_] = None if parameter.type == ANY else parameter.type
    return types


def _fits(domain: RuleSet, record: Record) -> bool:
    """Whether the arguments had the types that the parameters ask for: else no rule is needed to say no."""
    parameters = domain.actions[record.action].parameters
    return all(domain.is_a(t, p.type) for t, p in zip(record.types, parameters, strict=True))


def _otherwise(records: Counts) -> str | None:
    """What the environment mostly says when it refuses."""
    said: dict[str, int] = {}
    for record, count in records.items():
        if not record.succeeded and record.says:
            said[record.says] = said.get(record.says, 0) + count
    return max(said, key=lambda text: (said[text], text)) if said else None


class _ActionLearner:
    """The rules of one action schema."""

    def __init__(
        self,
        domain: RuleSet,
        schema: ActionSchema,
        candidates: Sequence[Candidate],
        records: Counts,
        alternatives: Alternatives,
        noise: float,
    ) -> None:
        self.domain, self.schema, self.candidates = domain, schema, candidates
        self.records, self.alternatives, self.noise = records, alternatives, noise
        self.joined = sum(1 << i for i, c in enumerate(candidates) if len(c.atoms) == 2)
        self.grounded = sum(1 << i for i, c in enumerate(candidates) if c.grounded)

    def learn(self) -> tuple[tuple[Rule, ...], list[Relation]]:
        groups = outcomes(self.candidates, self.records, self.noise)
        if not groups:
            return (), []
        effects = [learn_effects(self.candidates, group, groups, self.noise) for group in groups]
        cases = _cases(self.records, lambda r: r.succeeded)
        barred = self._brought_about(effects)
        base = self._base(cases, barred)
        sensed = self.grounded
        for found in effects:
            sensed &= ~self._mask((*found.adds, *found.deletes))
        rules = []
        for number, (group, found) in enumerate(zip(groups, effects, strict=True), 1):
            split = self._split(group, groups, sensed) if len(groups) > 1 else []
            rule = self._rule(number, _without_weaker([*base, *split]), found, group)
            if rule.evidence.support:
                rules.append(rule)
        relations = [c.relation for c in base if isinstance(c, Table)]
        return _borne_out(rules), relations

    def _base(self, cases: Sequence[Case], barred: Mask) -> list[Condition]:
        """The conditions of all outcomes: what successes have in common, and what failures lack.

        Where all is known about the arguments, the successes speak first, and failures say what else
        there must be. Where much is unknown, what successes seem to have in common may only be what is
        known of them: there the failures speak first, if there are any.
        """
        open_ = self.grounded & ~barred.positive
        facts = {i: c.atoms[0] for i, c in enumerate(self.candidates) if open_ >> i & 1}
        successes = Successes(cases, facts, self.alternatives, self.noise)
        spent = [i for i in facts if barred.negative >> i & 1]
        relation = f"can_{self.schema.name}"
        if all((case.true | case.false) & self.grounded == self.grounded for case in cases):
            held = cautious(successes, (), spent, self.schema.name)
            return [*held, *self._conditions(cases, relation, barred, given=held)]
        base = self._conditions(cases, relation, barred)
        if any(case.bad for case in cases):
            return [*base, *habits(successes, base)]
        return [*base, *cautious(successes, base, spent, self.schema.name)]

    def _brought_about(self, effects: Sequence[Effects]) -> Mask:
        """What every outcome brings about: no condition for it, or the action would change nothing."""
        adds = frozenset.intersection(*(frozenset(e.adds) for e in effects))
        deletes = frozenset.intersection(*(frozenset(e.deletes) for e in effects))
        return Mask(self._mask(sorted(adds)), self._mask(sorted(deletes)))

    def _conditions(
        self,
        cases: Sequence[Case],
        relation: str | None,
        barred: Mask = NOTHING,
        price: float = 1.0,
        given: Sequence[Condition] = (),
    ) -> list[Condition]:
        places, width = [p.type for p in self.schema.parameters], len(self.candidates)
        learner = Learner(self.domain, cases, places, width, self.joined, barred, price, given)
        return learner.learn(relation)

    def _split(self, group: Counts, groups: Sequence[Counts], sensed: int) -> list[Condition]:
        """What tells this outcome from the action's other outcomes, with hindsight.

        What an observation shows and no action of this kind changes was so before: it may be used
        to say when the outcome comes about, though the agent did not know it yet.
        """
        successes = {r: n for g in groups for r, n in g.items()}
        cases = _cases(successes, lambda r: r in group, sensed)
        return self._conditions(cases, None, price=SPLIT_PRICE)

    def _mask(self, atoms: Sequence[Atom]) -> int:
        return sum(1 << i for i, c in enumerate(self.candidates) if c.grounded and c.atoms[0] in atoms)

    def _rule(self, number: int, conditions: Sequence[Condition], effects: Effects, group: Counts) -> Rule:
        when = tuple(clause for c in conditions for clause in self._clauses(c))
        says = next(iter(group)).says
        return Rule(
            name=f"{self.schema.name}_{number}",
            when=when,
            adds=effects.adds,
            deletes=effects.deletes,
            reveals=effects.reveals,
            says=says or None,
            evidence=self._evidence(conditions, group),
        )

    def _evidence(self, conditions: Sequence[Condition], group: Counts) -> Evidence:
        support = against = 0
        for record, count in self.records.items():
            case = Case(record.true, record.false, record.types, 0, 0)
            values = [c.truth(case) for c in conditions]
            if record in group and FALSE not in values:
                support += count
            elif record not in group and all(v is TRUE for v in values):
                against += count
        return Evidence(support, against)

    def _clauses(self, condition: Condition) -> list[Clause]:
        """A condition in the rule language."""
        names = [p.name for p in self.schema.parameters]
        if isinstance(condition, OfType):
            return [(Literal(Atom(IS, (names[condition.place], condition.type)), condition.positive),)]
        if isinstance(condition, Table):
            return [(Literal(Atom(condition.relation.name, tuple(names[p] for p in condition.places))),)]
        return self._mask_clauses(condition)

    def _mask_clauses(self, mask: Mask) -> list[Clause]:
        literals = []
        for index, candidate in enumerate(self.candidates):
            for bits, positive in ((mask.positive, True), (mask.negative, False)):
                if bits >> index & 1:
                    if len(candidate.atoms) == 2:
                        free = {JOINED: f"{JOINED}{index}"}
                        return [(Literal(a.substitute(free)),) for a in candidate.atoms]
                    literals.append(Literal(candidate.atoms[0], positive))
        return [tuple(literals)]


def _borne_out(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules that come true in a fair share of their cases; all of them only if none does."""
    return tuple(r for r in rules if r.evidence.support >= RARE * sum(r.evidence)) or tuple(rules)


def _without_weaker(conditions: Sequence[Condition]) -> list[Condition]:
    """The conditions, without repeats and without clauses that only add alternatives to another one."""
    kept: list[Condition] = []
    for condition in conditions:
        if condition not in kept and not any(_narrower(other, condition) for other in conditions):
            kept.append(condition)
    return kept


def _narrower(a: Condition, b: Condition) -> bool:
    """Whether `a` is `b` with fewer alternatives."""
    if not isinstance(a, Mask) or not isinstance(b, Mask) or a == b:
        return False
    return not (a.positive & ~b.positive or a.negative & ~b.negative)


def _cases(records: Counts, good: Callable[[Record], bool], hindsight: int = 0) -> list[Case]:
    """Records that look alike, put together. `hindsight`: candidates whose later sight tells their value."""
    counts: dict[tuple[int, int, tuple[str, ...]], tuple[int, int]] = {}
    for record, count in sorted(records.items()):
        unknown = hindsight & ~(record.true | record.false)
        key = (
            record.true | record.seen_true & unknown,
            record.false | record.seen_false & unknown,
            record.types,
        )
        yes, no = counts.get(key, (0, 0))
        counts[key] = (yes + count, no) if good(record) else (yes, no + count)
    return [Case(*key, *value) for key, value in counts.items()]
