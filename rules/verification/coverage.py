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
from typing import TYPE_CHECKING, NamedTuple

from rules.engine import Engine, Match, effects
from rules.logic import FALSE, TRUE, WILDCARD, Action, Atom, State, generalisations
from rules.ruleset import ActionSchema, Evidence, Rule, RuleSet
from rules.verification.samples import Sample

if TYPE_CHECKING:
    from rules.induction import Transition

FAILS, SAYS = "fails", "says"
"""Aspects that are no effect."""


class Try(NamedTuple):
    """An action in a state."""

    state: State
    action: Action


@dataclass(slots=True)
class RuleCounts:
    """How one rule fared.

    wrong: aspect -> the tries in which the log contradicts it so. refused: clause (its index) -> tries
    that worked as the rule says although this clause alone is false (support), or did not (against).
    """

    schema: ActionSchema
    rule: Rule
    applied: int = 0
    possible: int = 0
    agreed: Sample[Try] = field(default_factory=Sample)
    wrong: dict[str, Sample[Try]] = field(default_factory=dict)
    refused: dict[int, Evidence] = field(default_factory=dict)
    worked: dict[int, Try] = field(default_factory=dict)
    """Clause -> the first try that it refused and that worked."""

    @property
    def name(self) -> str:
        """``action.rule``."""
        return f"{self.schema.name}.{self.rule.name}"

    @property
    def contradicted(self) -> Evidence:
        """The cases in which the log contradicts the rule (support), and those in which it agrees."""
        return Evidence(self.applied - self.agreed.count, self.agreed.count)


class Coverage:
    """The rules of one rule set against a stream of transitions."""

    def __init__(self, ruleset: RuleSet) -> None:
        self.ruleset, self.engine = ruleset, Engine(ruleset)
        self.transitions = 0
        self.undecided = 0
        """Transitions to which no rule surely applies, and some rule may."""
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

    def _count(self, sure: Sequence[Match], wrong: Mapping[str, set[str]], attempt: Try) -> None:
        for match in sure:
            counts = self.rules[attempt.action.name, match.rule.name]
            counts.applied += 1
            aspects = wrong[match.rule.name]
            for aspect in sorted(aspects):
                counts.wrong.setdefault(aspect, Sample()).add(attempt)
            if not aspects:
                counts.agreed.add(attempt)

    def _refused(self, sure: Sequence[Match], transition: Transition, explained: bool) -> bool:
        """Counts for and against every clause that alone keeps its rule from applying; whether some
        rule would explain the success without it."""
        before, action = transition.before, transition.action
        applied, found = {m.rule.name for m in sure}, False
        for match in self._relaxed.outcome(before, action).matches:
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

    def _wrong(self, sure: Sequence[Match], transition: Transition) -> dict[str, set[str]]:
        """Rule -> the aspects in which the transition contradicts it, if these rules apply."""
        wrong: dict[str, set[str]] = {match.rule.name: set() for match in sure}
        if not sure:
            return wrong
        if not transition.succeeded:
            return {name: {FAILS} for name in wrong}
        predicted = effects([m._replace(truth=TRUE) for m in sure], transition.before)
        gone = [a for a in predicted.true - transition.true if _denied(transition, a)]
        come = [a for a in transition.true - predicted.true if predicted.truth(a) is FALSE]
        for atoms, sign, positive in ((gone, "not ", True), (come, "", False)):
            for atom in atoms:
                claimants = [m.rule.name for m in sure if _claims(m, atom, positive)]
                lifted = self._lifted(transition.action, atom)
                for name in claimants or wrong:
                    wrong[name].add(f"{sign}{lifted}")
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


def _claims(match: Match, atom: Atom, positive: bool) -> bool:
    """Whether the rule itself adds (positive) or deletes the atom."""
    patterns = match.rule.adds if positive else match.rule.deletes
    return any(
        p.substitute(b).matches(atom)
        for p in patterns
        if p.predicate == atom.predicate
        for b in match.bindings
    )
