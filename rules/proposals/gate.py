"""The gate: a proposed rule is parsed, typed, put to z3 and held against the logs, in this order.

Proposals are judged one after the other, each against the rule set as it then is. A proposal that
contradicts a rule or covers the same cases may take that rule's place, if it is no worse supported and
the logs are better foretold with it; so a set is refined and not only added to.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count

from rules import language, verification
from rules.errors import RuleSyntaxError, WorldModelError
from rules.induction import Transition
from rules.proposals.fragments import Fragment, fragments
from rules.proposals.witness import Witness
from rules.ruleset import ANY, ActionSchema, Evidence, Parameter, Rule, RuleSet
from rules.verification import RLIMIT, Finding, Kind, Status

CONFIDENCE = 0.5
"""What the evidence for an admitted rule must exceed: surely more often right than wrong."""

NONE = Evidence()


class Stage(enum.Enum):
    """How far a proposal came."""

    PARSE = "parse"
    TYPES = "types"
    LOGIC = "z3"
    LOGS = "logs"
    ADMITTED = "admitted"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one proposed rule.

    name: ``action.rule``, or what is known of it. stage: where it was rejected, or `ADMITTED`, and
    reason: why. line: of the text. replaces: the rules (``action.rule``) whose place it takes.
    """

    name: str
    line: int
    stage: Stage
    reason: str
    evidence: Evidence = NONE
    replaces: tuple[str, ...] = ()

    @property
    def admitted(self) -> bool:
        return self.stage is Stage.ADMITTED


@dataclass(frozen=True, slots=True)
class Review:
    """The rule set with what was admitted, and a verdict on each proposal, in order."""

    admitted: RuleSet
    verdicts: tuple[Verdict, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing was rejected."""
        return all(verdict.admitted for verdict in self.verdicts)


class _RejectedError(Exception):
    """Why a proposal ends here."""

    def __init__(self, stage: Stage, reason: str, evidence: Evidence = NONE) -> None:
        self.stage, self.reason, self.evidence = stage, reason, evidence


def review(
    ruleset: RuleSet,
    text: str,
    transitions: Iterable[Transition] | Witness = (),
    *,
    source: str = "<string>",
    action: str | None = None,
    confidence: float = CONFIDENCE,
    rlimit: int = RLIMIT,
) -> Review:
    """What becomes of the rules that a text proposes. The same input gives the same answer.

    action: the one that rules without an action's head belong to. Without transitions nothing speaks
    for a rule, so none is admitted. Raises `WorldModelError` for a text beyond the bounds of
    `fragments`, and where the rule set itself is not valid.
    """
    language.check(ruleset)
    witness = transitions if isinstance(transitions, Witness) else Witness(transitions)
    gate = _Gate(ruleset, witness, source, action, confidence, rlimit)
    verdicts = tuple(gate.judge(fragment) for fragment in fragments(text, source))
    return Review(gate.ruleset, verdicts)


class _Gate:
    """A rule set that grows by what is admitted."""

    def __init__(
        self,
        ruleset: RuleSet,
        witness: Witness,
        source: str,
        action: str | None,
        confidence: float,
        rlimit: int,
    ) -> None:
        self.ruleset, self.witness = ruleset, witness
        self.source, self.action, self.confidence, self.rlimit = source, action, confidence, rlimit

    def judge(self, fragment: Fragment) -> Verdict:
        """One proposal through all stages; on admission the rule set grows."""
        name = "?"
        try:
            rule = self._parsed(fragment)
            name = rule.name
            schema = self._schema(fragment)
            rule = replace(rule, name=_fresh(schema, rule.name), evidence=NONE)
            name = f"{schema.name}.{rule.name}"
            self._typed(schema, rule)
            evidence, replaces, candidate = self._reasoned(schema, rule)
            reason = self._witnessed(schema.name, rule, evidence, replaces, candidate)
        except _RejectedError as rejected:
            return Verdict(name, fragment.above + 1, rejected.stage, rejected.reason, rejected.evidence)
        self.ruleset = candidate
        return Verdict(name, fragment.above + 1, Stage.ADMITTED, reason, evidence, replaces)

    def _parsed(self, fragment: Fragment) -> Rule:
        try:
            return language.parse_rule(fragment.text, self.source, fragment.above)
        except RuleSyntaxError as error:
            raise _RejectedError(Stage.PARSE, _line(error)) from None

    def _typed(self, schema: ActionSchema, rule: Rule) -> None:
        """Makes sure that the rule means something among the action's rules."""
        try:
            language.check(_with(self.ruleset, schema.name, (*schema.rules, rule)))
        except language.InvalidRules as error:
            raise _RejectedError(Stage.TYPES, str(error)) from None

    def _schema(self, fragment: Fragment) -> ActionSchema:
        name, parameters = self.action, None
        if fragment.head:
            try:
                head = language.parse_head(fragment.head, self.source, fragment.head_above)
            except RuleSyntaxError as error:
                raise _RejectedError(Stage.PARSE, _line(error)) from None
            name, parameters = head.name, head.parameters
        known = ", ".join(self.ruleset.actions) or "none, as the rule set has no actions"
        if name is None:
            raise _RejectedError(Stage.TYPES, f"no action above it; expected `action` and one of {known}")
        schema = self.ruleset.actions.get(name)
        if schema is None:
            raise _RejectedError(Stage.TYPES, f"unknown action {name!r}; expected one of {known}")
        if parameters and not _alike(parameters, schema.parameters):
            found, expected = (", ".join(map(": ".join, p)) for p in (parameters, schema.parameters))
            raise _RejectedError(Stage.TYPES, f"parameters ({found}) of {name}; expected ({expected})")
        return schema

    def _reasoned(self, schema: ActionSchema, rule: Rule) -> tuple[Evidence, tuple[str, ...], RuleSet]:
        """What z3 makes of the rule beside the others: its evidence, the rules that it would replace,
        and the rule set that would follow."""
        try:
            evidence = self.witness.evidence(self.ruleset, schema.name, rule)
        except WorldModelError as error:
            raise _RejectedError(Stage.LOGS, str(error)) from None
        rule = replace(rule, evidence=evidence)
        mine = f"{schema.name}.{rule.name}"
        candidate = _with(self.ruleset, schema.name, (*schema.rules, rule))
        rivals = self._rivals(candidate, schema.name, mine, evidence)
        if rivals:
            kept = tuple(r for r in schema.rules if f"{schema.name}.{r.name}" not in rivals)
            candidate = _with(self.ruleset, schema.name, (*kept, rule))
            again = self._rivals(candidate, schema.name, mine, evidence)
            if again:
                raise _RejectedError(Stage.LOGIC, next(iter(again.values())), evidence)
        return evidence, tuple(rivals), candidate

    def _rivals(self, candidate: RuleSet, action: str, mine: str, evidence: Evidence) -> dict[str, str]:
        """The rules that cannot stand beside the proposal and are no better supported, each with why."""
        alone = replace(candidate, actions={action: candidate.actions[action]})
        try:
            report = verification.check(alone, rlimit=self.rlimit)
        except WorldModelError as error:
            raise _RejectedError(Stage.LOGIC, str(error), evidence) from None
        rivals: dict[str, str] = {}
        for finding in report.findings:
            self._refuse(finding, mine, evidence)
            if finding.kind in _RIVALRIES and finding.status is Status.REFUTED and mine in finding.rules:
                for other in set(finding.rules) - {mine}:
                    if finding.kind is not Kind.REDUNDANT_RULE:
                        self._compare(action, other, evidence, finding)
                    rivals[other] = _text(finding)
        return rivals

    def _refuse(self, finding: Finding, mine: str, evidence: Evidence) -> None:
        """Rejects what z3 finds fault with whatever the other rules are, or cannot tell."""
        if finding.kind is Kind.INCONSISTENT_INVARIANTS:
            raise _RejectedError(Stage.LOGIC, f"{finding.message}: anything would follow", evidence)
        if finding.rules[:1] != (mine,) and not (finding.kind in _RIVALRIES and mine in finding.rules):
            return
        fault = finding.kind in _FAULTS or (finding.rules == (mine,) and finding.kind in _RIVALRIES)
        if (fault and finding.status is Status.REFUTED) or finding.status is Status.UNKNOWN:
            raise _RejectedError(Stage.LOGIC, _text(finding), evidence)

    def _compare(self, action: str, other: str, evidence: Evidence, finding: Finding) -> None:
        """Rejects a proposal that contradicts a rule of which more is known."""
        rules = {f"{action}.{r.name}": r for r in self.ruleset.actions[action].rules}
        counted = self.witness.evidence(self.ruleset, action, rules[other])
        best = max(rules[other].evidence, counted, key=lambda e: e.confidence)
        if best.confidence >= evidence.confidence:
            support = f"which has {best.support} for and {best.against} against"
            raise _RejectedError(Stage.LOGIC, f"contradicts {other}, {support}: {_text(finding)}", evidence)

    def _witnessed(
        self, action: str, rule: Rule, evidence: Evidence, replaces: tuple[str, ...], candidate: RuleSet
    ) -> str:
        """What the logs say for it; rejects a rule that they do not bear out."""
        if not self.witness.transitions(action):
            raise _RejectedError(Stage.LOGS, f"no logged transition of {action}: nothing speaks for it")
        if evidence.confidence <= self.confidence:
            raise _RejectedError(
                Stage.LOGS,
                f"{evidence.support} logged transitions for it, {evidence.against} against it: confidence"
                f" {evidence.confidence:.2f}; expected more than {self.confidence:.2f}",
                evidence,
            )
        explained = self.witness.explained(candidate, action, rule)
        if not explained:
            raise _RejectedError(Stage.LOGS, "it foretells no logged success in full", evidence)
        before, after = self.witness.score(self.ruleset, action), self.witness.score(candidate, action)
        change = f"right/wrong {before.right}/{before.wrong} without it, {after.right}/{after.wrong} with it"
        if after.net < before.net:
            raise _RejectedError(Stage.LOGS, f"the logs are foretold worse: {change}", evidence)
        if replaces and after.net == before.net:
            reason = (
                f"would take the place of {', '.join(replaces)}, and foretells the logs no better: {change}"
            )
            raise _RejectedError(Stage.LOGIC, reason, evidence)
        return f"explains {explained} logged successes; {change}"


_RIVALRIES = {Kind.CONTRADICTORY_EFFECTS, Kind.CONTRADICTORY_WORDING, Kind.REDUNDANT_RULE}
_FAULTS = {Kind.VACUOUS_RULE, Kind.NO_EFFECT, Kind.INVARIANT}


def _line(error: RuleSyntaxError) -> str:
    """The error without the text that it shows."""
    return f"{str(error).splitlines()[0]}; expected {error.expected}"


def _alike(found: Sequence[Parameter], wanted: Sequence[Parameter]) -> bool:
    """Whether these are the action's parameters, their types given or left out."""
    return [p.name for p in found] == [p.name for p in wanted] and all(
        f.type in (ANY, w.type) for f, w in zip(found, wanted, strict=True)
    )


def _text(finding: Finding) -> str:
    return str(finding).removeprefix(f"{finding.severity.value}: ")


def _with(ruleset: RuleSet, action: str, rules: tuple[Rule, ...]) -> RuleSet:
    schema = replace(ruleset.actions[action], rules=rules)
    return replace(ruleset, actions={**ruleset.actions, action: schema})


def _fresh(schema: ActionSchema, wanted: str) -> str:
    """The rule's name, or the first of the action's names that is free."""
    taken = {rule.name for rule in schema.rules}
    if wanted not in taken:
        return wanted
    return next(name for i in count(1) if (name := f"{schema.name}_{i}") not in taken)
