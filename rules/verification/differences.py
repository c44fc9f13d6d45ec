"""Where two rule sets differ in meaning, each difference with a state and an action that show it.

For every action that both sets have, z3 seeks a state within the invariants of both in which the one
applies and the other does not, or both do and the outcome is another. What it finds is run through
the engine with either set: only what these then predict is reported as a difference. Evidence,
names of rules and variables, and the order of things are no meaning.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rules.engine import Engine, effects
from rules.language.slots import SLOT, slot
from rules.logic import FALSE, TRUE, UNKNOWN, Action, Atom, Literal, State, Truth
from rules.ruleset import ActionSchema, Rule, RuleSet
from rules.verification.findings import Status
from rules.verification.formulas import And, Formula, Or, exists, negate, violation
from rules.verification.invariants import text
from rules.verification.joint import SIDES, Joint, clashes, joint
from rules.verification.questions import Case, Questions, assuming
from rules.verification.solver import RLIMIT
from rules.verification.violations import violation_in


class Aspect(enum.Enum):
    """What two rule sets may differ in."""

    VOCABULARY = "what the words mean"
    ACTION = "which actions there are"
    APPLICABILITY = "whether an action succeeds"
    EFFECTS = "what an action changes"
    REVEALS = "what an action shows"
    WORDING = "what is said"
    INVARIANT = "what always holds"


@dataclass(frozen=True, slots=True)
class Foretold:
    """What one rule set predicts of an action in a state."""

    truth: Truth
    gained: frozenset[Atom] = frozenset()
    lost: frozenset[Atom] = frozenset()
    reveals: frozenset[Atom] = frozenset()
    says: frozenset[str] = frozenset()

    def part(self, aspect: Aspect) -> object:
        """What it says of one aspect."""
        return {
            Aspect.APPLICABILITY: self.truth,
            Aspect.EFFECTS: (self.gained, self.lost),
            Aspect.REVEALS: self.reveals,
            Aspect.WORDING: self.says,
        }[aspect]


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between two rule sets, a and b.

    status: REFUTED where it is shown (that they mean the same is refuted), UNKNOWN where z3 cannot
    tell. state: complete, small; under it `a` and `b` predict different things of `ground`. assumed:
    what each side takes for granted of relations whose tables do not say.
    """

    aspect: Aspect
    status: Status
    message: str
    state: State | None = None
    ground: Action | None = None
    a: Foretold | None = None
    b: Foretold | None = None
    assumed: tuple[Literal, ...] = ()


def diff(a: RuleSet, b: RuleSet, rlimit: int = RLIMIT) -> list[Difference]:
    """Every aspect of every action in which two rule sets differ; empty where they mean the same."""
    clash = [Difference(Aspect.VOCABULARY, Status.REFUTED, message) for message in clashes(a, b)]
    if clash:
        return clash
    found = [*_lonely(a, b, "first"), *_lonely(b, a, "second")]
    both = _Comparison(joint(a, b), rlimit)
    consistent = both.ask.solver.satisfiable(())
    if consistent is not TRUE:
        status = Status.REFUTED if consistent is FALSE else Status.UNKNOWN
        verdict = "no state satisfies" if consistent is FALSE else "cannot tell whether any state satisfies"
        message = f"{verdict} the invariants of both"
        return [*found, Difference(Aspect.INVARIANT, status, message)]
    for name in a.actions:
        if name in b.actions and _speaks(a, name) and _speaks(b, name):
            found += both.action(name)
    return [*found, *both.invariants("a"), *both.invariants("b")]


def _speaks(ruleset: RuleSet, action: str) -> bool:
    """Whether anything is predicted of the action."""
    schema = ruleset.actions.get(action)
    return schema is not None and bool(schema.rules or schema.otherwise is not None)


def _lonely(ruleset: RuleSet, other: RuleSet, which: str) -> Iterator[Difference]:
    for name in ruleset.actions:
        if _speaks(ruleset, name) and not _speaks(other, name):
            message = f"only the {which} says anything of {name}"
            yield Difference(Aspect.ACTION, Status.REFUTED, message)


class _Comparison:
    """Questions about two rule sets made one."""

    def __init__(self, both: Joint, rlimit: int) -> None:
        self.both, self.rlimit = both, rlimit
        self.ask = Questions(both.ruleset, rlimit)

    def action(self, name: str) -> Iterator[Difference]:
        """The differences in one action, at most one an aspect (two in whether it succeeds)."""
        a, b = (self.both.schemas[side, name] for side in SIDES)
        if [replace(r, name="") for r in a.rules] == [replace(r, name="") for r in b.rules]:
            yield from self._failure(name, [self.ask.applies(self.ask.case(a, rule)) for rule in a.rules])
            return
        cases = {s.name: [self.ask.case(s, rule) for rule in s.rules] for s in (a, b)}
        applies = {n: [self.ask.applies(case) for case in found] for n, found in cases.items()}
        for one, other in ((a, b), (b, a)):
            neither = tuple(map(negate, applies[other.name]))
            questions = [(case, (*case.condition, *neither)) for case in cases[one.name]]
            yield from self._first(Aspect.APPLICABILITY, name, questions)
        theirs = Or(tuple(applies[b.name]))
        real = [p for p in self.both.ruleset.predicates if p not in {**self.both.shown, **self.both.said}]
        for aspect, predicates in (
            (Aspect.EFFECTS, real),
            (Aspect.REVEALS, [*self.both.shown]),
            (Aspect.WORDING, [*self.both.said]),
        ):
            changed = self._changed(a, b, predicates)
            if changed is not None:
                questions = [(case, (*case.condition, theirs, changed)) for case in cases[a.name]]
                yield from self._first(aspect, name, questions)
        yield from self._failure(name, [*applies[a.name], *applies[b.name]])

    def _changed(self, a: ActionSchema, b: ActionSchema, predicates: Iterable[str]) -> Formula | None:
        """Some atom holds after the one and not after the other; None if neither touches any."""
        options: list[Formula] = []
        for predicate in predicates:
            mine, yours = (self.ask.theory.after(s, predicate) for s in (a, b))
            if mine != yours:
                signature = self.both.ruleset.predicates[predicate]
                types = {f"?c{i}": t for i, t in enumerate(signature)}
                here, there = (Literal(Atom(p, tuple(types))) for p in (mine, yours))
                differ = Or((And((here, negate(there))), And((negate(here), there))))
                options.append(exists(types, differ))
        return Or(tuple(options)) if options else None

    def _failure(self, name: str, applies: Sequence[Formula]) -> Iterator[Difference]:
        """Another wording where both fail."""
        schemas = [self.both.sides[side].actions[name] for side in SIDES]
        texts = [_filled(s.otherwise, {p.name: f"{i}" for i, p in enumerate(s.parameters)}) for s in schemas]
        if texts[0] == texts[1]:
            return
        case = self.ask.case(self.both.schemas["a", name], Rule("failure"))
        question = (*case.scope.guards, *map(negate, applies))
        yield from self._first(Aspect.WORDING, name, [(case, question)])

    def _first(
        self, aspect: Aspect, name: str, questions: Iterable[tuple[Case, Sequence[Formula]]]
    ) -> Iterator[Difference]:
        """The first question that has a world on which the engines disagree; one that is open if none has."""
        open_ = False
        for case, asked in questions:
            question = (*asked, *self.both.agreement)
            answer = self.ask.solver.satisfiable(question)
            if answer is TRUE:
                difference = self._witness(aspect, name, case, question)
                if difference is not None:
                    yield difference
                    return
            open_ = open_ or answer is not FALSE
        if open_:
            message = f"{name}: cannot tell whether they agree on {aspect.value}"
            yield Difference(aspect, Status.UNKNOWN, message)

    def _witness(
        self, aspect: Aspect, name: str, case: Case, question: Sequence[Formula]
    ) -> Difference | None:
        """The world of a question that has one, and what either side makes of it; None if the same."""
        world = self.ask.solver.world(question)
        args = [world.parameters[case.scope.binding[p.name]] for p in case.schema.parameters]
        action, state = Action(name, tuple(args)), self._plain(world.state)
        used = {
            x.atom.predicate
            for side in SIDES
            for rule in self.both.schemas[side, name].rules
            for clause in rule.when
            for x in clause
        }
        assumed = [x for x in world.assumed if x.atom.predicate in used]
        found = self._foretold(state, action, assumed)
        if found[0].part(aspect) == found[1].part(aspect):
            return None
        for assumption in tuple(assumed):
            fewer = [x for x in assumed if x != assumption]
            if self._foretold(state, action, fewer) == found:
                assumed = fewer
        message = f"{action}: they differ in {aspect.value}"
        return Difference(aspect, Status.REFUTED, message, state, action, *found, tuple(assumed))

    def _plain(self, state: State) -> State:
        """The state without the made-up predicates."""
        made_up = {**self.both.shown, **self.both.said}
        true = [a for a in state.true if a.predicate not in made_up]
        return State(state.objects, true, [a for a in state.false if a.predicate not in made_up])

    def _foretold(
        self, state: State, action: Action, assumed: Sequence[Literal]
    ) -> tuple[Foretold, Foretold]:
        """What either side predicts, taking these rows of relations for granted."""
        a, b = (
            foretold(assuming(self.both.sides[side], self._own(side, assumed)), state, action)
            for side in SIDES
        )
        return a, b

    def _own(self, side: str, assumed: Iterable[Literal]) -> Iterator[Literal]:
        """The rows of one side's relations, under their own names."""
        own = {joint: name for name, joint in self.both.relations[side].items()}
        for atom, positive in assumed:
            if atom.predicate in own:
                yield Literal(Atom(own[atom.predicate], atom.args), positive)

    def invariants(self, side: str) -> Iterator[Difference]:
        """The invariants of one side that the other's do not imply, with a state that the other allows."""
        other = "b" if side == "a" else "a"
        which = "first" if side == "a" else "second"
        ask = Questions(replace(self.both.ruleset, invariants=self.both.invariants[other]), self.rlimit)
        for invariant in self.both.invariants[side]:
            question = (violation(self.both.ruleset, invariant),)
            answer = ask.solver.satisfiable(question)
            name = text(self.both.ruleset, invariant)
            if answer is UNKNOWN:
                message = f"cannot tell whether {name!r}, of the {which}, holds in the other too"
                yield Difference(Aspect.INVARIANT, Status.UNKNOWN, message)
            elif answer is TRUE:
                world = ask.solver.world(question)
                engine = Engine(assuming(self.both.ruleset, world.assumed))
                assert violation_in(engine, invariant, world.state) is not None
                message = f"only the {which} claims {name!r}"
                state = self._plain(world.state)
                yield Difference(Aspect.INVARIANT, Status.REFUTED, message, state, assumed=world.assumed)


def foretold(ruleset: RuleSet, state: State, action: Action) -> Foretold:
    """What the engine predicts with a rule set."""
    engine = Engine(ruleset)
    outcome = engine.outcome(state, action)
    if outcome.truth is not TRUE:
        said = _filled(engine.schema(action).otherwise, engine.binding(action))
        return Foretold(outcome.truth, says=frozenset() if said is None else frozenset([said]))
    after = effects(outcome.matches, state)
    pairs = [(m.rule, binding) for m in outcome.matches for binding in m.bindings]
    texts = (_filled(rule.says, binding) for rule, binding in pairs)
    return Foretold(
        TRUE,
        after.true - state.true,
        state.true - after.true,
        frozenset(pattern.substitute(binding) for rule, binding in pairs for pattern in rule.reveals),
        frozenset(said for said in texts if said is not None),
    )


def _filled(wording: str | None, binding: Mapping[str, str]) -> str | None:
    """A wording with names for its variables; lists stay patterns."""
    if wording is None:
        return None

    def name(match: re.Match[str]) -> str:
        found = slot(match)
        return f"{{{found.substitute(binding)}}}" if isinstance(found, Atom) else binding.get(found, found)

    return SLOT.sub(name, wording)
