"""What logged transitions say of rules, counted in one pass and bounded memory.

A rule *agrees* with a transition on which it surely applies if the action succeeded and nothing
that was seen belies its outcome; else the transition contradicts it, in one or more *aspects*: the
action failed, an effect did not come about, something changed of which no rule speaks, the wording
was another. A clause *refuses* a transition if the rule would apply without it and does not with it.
Literals that are unknown count neither way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rules.engine import Engine, Match, effects
from rules.errors import WorldModelError
from rules.logic import FALSE, TRUE, WILDCARD, Action, Atom, Literal, State, generalisations
from rules.ruleset import ActionSchema, Evidence, Rule, RuleSet
from rules.verification.samples import Sample

if TYPE_CHECKING:
    from rules.induction import Transition

FAILS, SAYS = "fails", "says"
Aspect: TypeAlias = Literal | str
"""`FAILS`, `SAYS`, or a lifted literal that holds afterwards although the rule foretells its opposite."""
Change = tuple[str, bool]
"""A predicate of which something became true, or false, that no rule foretells."""


class Try(NamedTuple):
    """An action in a state."""

    state: State
    action: Action


@dataclass(slots=True)
class RuleCounts:
    """How one rule fared.

    applied, possible: transitions to which it surely applies, and successes to which it may. agreed: tries
    that went as it says; succeeded: those in which at least the action worked. wrong: aspect -> the tries
    in which the log contradicts it so. refused: clause (its index) -> tries that worked as the rule says
    although this clause alone is false (support), or did not (against); worked: the first of them.
    unrest: see `Coverage`.
    """

    schema: ActionSchema
    rule: Rule
    applied: int = 0
    possible: int = 0
    agreed: Sample[Try] = field(default_factory=Sample)
    succeeded: Sample[Try] = field(default_factory=Sample)
    wrong: dict[Aspect, Sample[Try]] = field(default_factory=dict)
    refused: dict[int, Evidence] = field(default_factory=dict)
    worked: dict[int, Try] = field(default_factory=dict)
    unrest: Counter[Change] = field(default_factory=Counter)

    @property
    def name(self) -> str:
        """``action.rule``."""
        return f"{self.schema.name}.{self.rule.name}"

    def against(self, aspect: Aspect) -> Evidence:
        """The cases in which the log contradicts the rule so (support), and the others."""
        count = self.wrong[aspect].count if aspect in self.wrong else 0
        return Evidence(count, self.applied - count)


class Coverage:
    """The rules of one rule set against a stream of transitions."""

    def __init__(self, ruleset: RuleSet) -> None:
        self.ruleset, self.engine = ruleset, Engine(ruleset)
        self.transitions = 0
        self.undecided = 0
        """Transitions to which no rule surely applies, and some rule may."""
        self.judged = 0
        """Transitions of which the rules foretell for sure what holds afterwards, and rightly whether the
        action works."""
        self.unrest: Counter[Change] = Counter()
        """How many of these show a change that no rule foretells: real, or noise."""
        self.restless = 0
        """How many show any."""
        self.refused: Counter[str] = Counter()
        """Action -> tries that every rule refuses."""
        self.unexplained: dict[str, Sample[Try]] = {}
        """Action -> successes that no rule foresees, nor would with one clause less."""
        self.rules = {
            (schema.name, rule.name): RuleCounts(schema, rule)
            for schema in ruleset.actions.values()
            for rule in schema.rules
        }
        actions = {name: replace(schema, rules=_relaxed(schema)) for name, schema in ruleset.actions.items()}
        self._relaxed = Engine(replace(ruleset, actions=actions))
        """Every rule without one of its clauses."""

    def add(self, transition: Transition) -> None:
        """Counts one transition. `WorldModelError` where its action has the wrong number of arguments."""
        self.transitions += 1
        before, action = transition.before, transition.action
        if action.name not in self.ruleset.actions:
            self._surprise(transition)
            return
        outcome = self.engine.outcome(before, action)
        sure = tuple(m for m in outcome.matches if m.truth is TRUE)
        wrong = self._wrong(sure, transition)
        self._count(sure, wrong, Try(before, action))
        if (sure or outcome.truth is FALSE) and transition.succeeded is bool(sure):
            self._rest(sure, transition)
        if outcome.truth is not FALSE and not sure:
            self._perhaps(outcome.matches, transition)
            return
        explained = bool(sure) and not any(wrong.values())
        found = self._refused(sure, transition, explained)
        if outcome.truth is FALSE and not found:
            self._surprise(transition)

    def _perhaps(self, possible: Sequence[Match], transition: Transition) -> None:
        """Counts a transition on which the rules say *unknown*, or one of several, nobody knows which."""
        self.undecided += 1
        for match in possible if transition.succeeded else ():
            self.rules[transition.action.name, match.rule.name].possible += 1

    def surprises(self) -> Iterator[tuple[str, Evidence]]:
        """Action -> how many of the tries that every rule refuses worked, and how many did not."""
        for action, tries in self.refused.items():
            worked = self.unexplained[action].count if action in self.unexplained else 0
            yield action, Evidence(worked, tries - worked)

    def _surprise(self, transition: Transition) -> None:
        """Counts a try that every rule refuses, and keeps it if it worked all the same."""
        self.refused[transition.action.name] += 1
        if transition.succeeded:
            sample = self.unexplained.setdefault(transition.action.name, Sample())
            sample.add(Try(transition.before, transition.action))

    def _count(self, sure: Sequence[Match], wrong: Mapping[str, set[Aspect]], attempt: Try) -> None:
        for match in sure:
            counts = self.rules[attempt.action.name, match.rule.name]
            counts.applied += 1
            aspects = wrong[match.rule.name]
            for aspect in sorted(aspects, key=str):
                counts.wrong.setdefault(aspect, Sample()).add(attempt)
            if not aspects:
                counts.agreed.add(attempt)
            if FAILS not in aspects:
                counts.succeeded.add(attempt)

    def _rest(self, sure: Sequence[Match], transition: Transition) -> None:
        """Counts the changes that no rule foretells."""
        self.judged += 1
        changes = {(x.atom.predicate, x.positive) for x in _surprises(sure, transition)}
        self.unrest.update(changes)
        self.restless += bool(changes)
        for match in sure:
            self.rules[transition.action.name, match.rule.name].unrest.update(changes)

    def _refused(self, sure: Sequence[Match], transition: Transition, explained: bool) -> bool:
        """Counts for and against every clause that alone keeps its rule from applying; whether some
        rule would explain the success without it."""
        before, action = transition.before, transition.action
        applied, found = {m.rule.name for m in sure}, False
        for match in self._relaxations(before, action):
            name, _, index = match.rule.name.rpartition("/")
            if match.truth is not TRUE or name in applied:
                continue
            counts = self.rules[action.name, name]
            if self.engine.match(counts.rule, before, action).truth is not FALSE:
                continue
            clause = int(index)
            agrees = not any(self._wrong((*sure, match), transition).values())
            if agrees and not explained:
                found = True
                counts.worked.setdefault(clause, Try(before, action))
                counts.refused[clause] = counts.refused.get(clause, Evidence()) + Evidence(1, 0)
            elif not agrees:
                counts.refused[clause] = counts.refused.get(clause, Evidence()) + Evidence(0, 1)
        return found

    def _relaxations(self, before: State, action: Action) -> Sequence[Match]:
        """The rules that would apply with one clause less. A clause without which the engine finds too
        many ways to bind a rule's variables is not left out, then or later."""
        try:
            return self._relaxed.outcome(before, action).matches
        except WorldModelError:
            ruleset = self._relaxed.ruleset
            schema = ruleset.actions[action.name]
            narrow = tuple(r for r in schema.rules if self._narrow(r, before, action))
            if len(narrow) == len(schema.rules):
                raise
            actions = {**ruleset.actions, action.name: replace(schema, rules=narrow)}
            self._relaxed = Engine(replace(ruleset, actions=actions))
            return self._relaxations(before, action)

    def _narrow(self, rule: Rule, before: State, action: Action) -> bool:
        try:
            self._relaxed.match(rule, before, action)
        except WorldModelError:
            return False
        return True

    def _wrong(self, sure: Sequence[Match], transition: Transition) -> dict[str, set[Aspect]]:
        """Rule -> the aspects in which the transition contradicts it, if these rules apply."""
        wrong: dict[str, set[Aspect]] = {match.rule.name: set() for match in sure}
        if not sure:
            return wrong
        if not transition.succeeded:
            return {name: {FAILS} for name in wrong}
        for surprise in _surprises(sure, transition):
            claimants = [m.rule.name for m in sure if _claims(m, ~surprise)]
            lifted = Literal(self._lifted(transition.action, surprise.atom), surprise.positive)
            for name in claimants or wrong:
                wrong[name].add(lifted)
        wordings = {match.rule.says for match in sure} - {None}
        if transition.says and wordings and transition.says not in wordings:
            for match in sure:
                if match.rule.says is not None:
                    wrong[match.rule.name].add(SAYS)
        return wrong

    def _lifted(self, action: Action, atom: Atom) -> Atom:
        """The atom with the action's arguments as its parameters, and ``*`` for every other object."""
        names: dict[str, str] = {}
        for parameter, name in self.engine.binding(action).items():
            names.setdefault(name, parameter)
        constants = self.ruleset.constants
        return Atom(
            atom.predicate, tuple([names.get(a, a if a in constants else WILDCARD) for a in atom.args])
        )


def _relaxed(schema: ActionSchema) -> tuple[Rule, ...]:
    """Each rule without each of its clauses, named ``rule/clause``."""
    return tuple(
        replace(rule, name=f"{rule.name}/{i}", when=(*rule.when[:i], *rule.when[i + 1 :]))
        for rule in schema.rules
        for i in range(len(rule.when))
    )


def _denied(transition: Transition, atom: Atom) -> bool:
    """Whether the observation says that the atom does not hold."""
    return bool(transition.false) and not transition.false.isdisjoint(generalisations(atom))


def _claims(match: Match, literal: Literal) -> bool:
    """Whether the rule itself adds or deletes the atom."""
    patterns = match.rule.adds if literal.positive else match.rule.deletes
    return any(
        pattern.substitute(binding).matches(literal.atom)
        for pattern in patterns
        if pattern.predicate == literal.atom.predicate
        for binding in match.bindings
    )


def _surprises(sure: Sequence[Match], transition: Transition) -> list[Literal]:
    """What was seen after the action, and is otherwise than these rules foretell."""
    before = transition.before
    predicted = effects([m._replace(truth=TRUE) for m in sure], before) if sure else before
    gone = [Literal(a, False) for a in predicted.true - transition.true if _denied(transition, a)]
    come = [Literal(a) for a in transition.true - predicted.true if predicted.truth(a) is FALSE]
    return [*gone, *come]
