"""What z3 shows to be superfluous or at odds goes: what remains is minimal, and no two rules disagree."""

from __future__ import annotations

from dataclasses import replace

from rules.ruleset import ActionSchema, Rule, RuleSet
from rules.verification import Finding, Kind, Report, Status, check, entailed
from rules.verification.invariants import preservation
from rules.verification.questions import Questions

DISAGREEMENTS = (Kind.CONTRADICTORY_EFFECTS, Kind.CONTRADICTORY_WORDING)
MAX_ROUNDS = 20


def prune(ruleset: RuleSet) -> RuleSet:
    """The rules without entailed clauses, without rules that can never apply or that another one makes
    idle, and of two that disagree only the better supported.

    Clauses are entailed under the invariants that nothing in the logs has broken. Of the invariants
    those stay that the rules preserve.
    """
    firm = replace(ruleset, invariants=tuple(i for i in ruleset.invariants if not i.evidence.against))
    ruleset = replace(ruleset, actions={n: _without_entailed(firm, s) for n, s in ruleset.actions.items()})
    report = check(ruleset)
    for _ in range(MAX_ROUNDS):
        doomed = _doomed(ruleset, report)
        if not doomed:
            break
        ruleset = _without(ruleset, doomed)
        report = check(ruleset)
    return ruleset if _all_kept(ruleset, report) else _inductive(ruleset)


def _all_kept(ruleset: RuleSet, report: Report) -> bool:
    """Whether it is proved already that the rules preserve every invariant."""
    asked = [finding for finding in report.findings if finding.kind is Kind.INVARIANT]
    return len(asked) == len(ruleset.invariants) and all(f.status is Status.PROVED for f in asked)


def _inductive(ruleset: RuleSet) -> RuleSet:
    """The rule set without the invariants that its own rules break: the logs had just not come so far."""
    while True:
        questions = Questions(ruleset)
        kept = tuple(
            invariant
            for index, invariant in enumerate(ruleset.invariants)
            if all(f.status is not Status.REFUTED for f in preservation(questions, index))
        )
        if len(kept) == len(ruleset.invariants):
            return ruleset
        ruleset = replace(ruleset, invariants=kept)


def _without_entailed(ruleset: RuleSet, schema: ActionSchema) -> ActionSchema:
    """The schema with every clause left out that the rest of its rule implies."""
    rules = []
    for rule in schema.rules:
        idle = set(entailed(ruleset, rule.when, schema.parameters))
        when = tuple(clause for index, clause in enumerate(rule.when) if index not in idle)
        rules.append(replace(rule, when=when))
    return replace(schema, rules=tuple(rules))


def _doomed(ruleset: RuleSet, report: Report) -> set[str]:
    """The rules to drop: of each finding that needs one, the least supported."""
    rules = {f"{schema.name}.{r.name}": r for schema in ruleset.actions.values() for r in schema.rules}
    doomed: set[str] = set()
    for finding in report.findings:
        if finding.status is Status.REFUTED and not doomed & set(finding.rules):
            doomed |= _loser(finding, rules)
    return doomed


def _loser(finding: Finding, rules: dict[str, Rule]) -> set[str]:
    if finding.kind in (Kind.VACUOUS_RULE, Kind.REDUNDANT_RULE):
        return {finding.rules[0]}
    if finding.kind in DISAGREEMENTS and len(finding.rules) > 1:
        return {min(finding.rules, key=lambda name: (rules[name].evidence.support, name))}
    return set()


def _without(ruleset: RuleSet, names: set[str]) -> RuleSet:
    actions = {
        name: replace(schema, rules=tuple(r for r in schema.rules if f"{name}.{r.name}" not in names))
        for name, schema in ruleset.actions.items()
    }
    return replace(ruleset, actions=actions)
