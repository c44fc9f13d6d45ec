"""What the logs say of a rule, and of the rules of an action taken together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from rules.engine import Engine, Match, Outcome, effects
from rules.induction import Transition
from rules.logic import FALSE, TRUE, UNKNOWN, State
from rules.ruleset import Evidence, Rule, RuleSet


class Score(NamedTuple):
    """How many outcomes of an action a rule set foretells, and how many it foretells wrongly."""

    right: int = 0
    wrong: int = 0

    @property
    def net(self) -> int:
        return self.right - self.wrong


class Witness:
    """Logged transitions by action, questioned about rules."""

    def __init__(self, transitions: Iterable[Transition] = ()) -> None:
        self._by_action: dict[str, list[Transition]] = defaultdict(list)
        for transition in transitions:
            self._by_action[transition.action.name].append(transition)

    def transitions(self, action: str) -> list[Transition]:
        """What was logged of an action."""
        return self._by_action.get(action, [])

    def evidence(self, ruleset: RuleSet, action: str, rule: Rule) -> Evidence:
        """For: successes that the rule admits and says nothing false about. Against: where it surely
        applies, and something else happened. As induction counts them."""
        engine = Engine(_only(ruleset, action, (rule,)))
        support = against = 0
        for transition in self.transitions(action):
            outcome = engine.outcome(transition.before, transition.action)
            if outcome.truth is FALSE:
                continue
            if _borne_out(outcome.matches, transition):
                support += 1
            elif outcome.truth is TRUE:
                against += 1
        return Evidence(support, against)

    def score(self, ruleset: RuleSet, action: str) -> Score:
        """How well the rules of an action foretell what was logged of it."""
        engine = Engine(_only(ruleset, action))
        right = wrong = 0
        for transition in self.transitions(action):
            value = _foretold(engine.outcome(transition.before, transition.action), transition)
            right += value is True
            wrong += value is False
        return Score(right, wrong)

    def explained(self, ruleset: RuleSet, action: str, rule: Rule) -> int:
        """The successes that the rule set foretells rightly, and by this rule."""
        engine = Engine(_only(ruleset, action))
        count = 0
        for transition in self.transitions(action):
            outcome = engine.outcome(transition.before, transition.action)
            if outcome.truth is TRUE and any(m.rule.name == rule.name for m in outcome.matches):
                count += _foretold(outcome, transition) is True
        return count

    def mistaken(self, ruleset: RuleSet, action: str) -> Iterator[tuple[Transition, Outcome]]:
        """The transitions whose outcome the rules leave open or foretell wrongly, and what they said."""
        engine = Engine(_only(ruleset, action))
        for transition in self.transitions(action):
            outcome = engine.outcome(transition.before, transition.action)
            if _foretold(outcome, transition) is not True:
                yield transition, outcome


def _only(ruleset: RuleSet, action: str, rules: tuple[Rule, ...] | None = None) -> RuleSet:
    """The rule set with this action alone, and with these rules for it."""
    schema = ruleset.actions[action]
    return replace(ruleset, actions={action: schema if rules is None else replace(schema, rules=rules)})


def _foretold(outcome: Outcome, transition: Transition) -> bool | None:
    """Whether what was foretold came about; None where nothing was foretold."""
    if outcome.truth is UNKNOWN:
        return None
    if outcome.truth is FALSE or not transition.succeeded:
        return (outcome.truth is TRUE) is transition.succeeded
    return _said(outcome.matches, transition) and _compatible(
        effects(outcome.matches, transition.before), transition
    )


def _borne_out(matches: tuple[Match, ...], transition: Transition) -> bool:
    """Whether the action succeeded, and nothing that the rule itself claims is denied by what was seen."""
    if not transition.succeeded or not _said(matches, transition):
        return False
    return _compatible(effects(matches, State(transition.before.objects)), transition)


def _said(matches: tuple[Match, ...], transition: Transition) -> bool:
    """Whether one of the foretold wordings was used, where there are any."""
    foretold = {match.rule.says for match in matches if match.rule.says is not None}
    return not foretold or not transition.says or transition.says in foretold


def _compatible(predicted: State, transition: Transition) -> bool:
    """Whether nothing that was seen is predicted otherwise."""
    seen = State(predicted.objects, transition.true, transition.false)
    return all(predicted.truth(atom) is not FALSE for atom in seen.true) and all(
        seen.truth(atom) is not FALSE for atom in predicted.true
    )
