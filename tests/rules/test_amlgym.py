"""AMLGym's eleven domains, recovered from its own traces and held against their PDDL."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from rules.engine import Engine
from rules.induction import Statistics, induce
from rules.logic import TRUE
from rules.ruleset import ActionSchema


def parts(schema: ActionSchema) -> list[set[Any]]:
    """The literals of a rule's condition, its adds and its deletes; equality apart, as AMLGym has it."""
    if not schema.rules:
        return [set(), set(), set()]
    rule = schema.rules[0]
    when = {literal for clause in rule.when for literal in clause if literal.atom.predicate != "="}
    return [when, set(rule.adds), set(rule.deletes)]


def scores(found: ActionSchema, true: ActionSchema) -> tuple[float, float]:
    """Syntactic precision and recall of an action, over all three parts together."""
    pairs = list(zip(parts(found), parts(true), strict=True))
    right = sum(len(a & b) for a, b in pairs)
    said, wanted = sum(len(a) for a, _ in pairs), sum(len(b) for _, b in pairs)
    return right / said if said else 1.0, right / wanted if wanted else 1.0


@pytest.mark.slow
def test_amlgym_domains_are_recovered_from_ten_traces(amlgym: Path) -> None:
    pytest.importorskip("unified_planning", reason="the extra pddl is not installed")
    from rules.pddl.domain import read_domain
    from rules.pddl.traces import read_trace

    precisions, recalls, missed = [], [], []
    for path in sorted((amlgym / "domains").glob("*.pddl")):
        truth, words = read_domain(path, rules=True), read_domain(path)
        logs = sorted((amlgym / "trajectories/learning" / path.stem).iterdir())
        steps = [step for log in logs for step in read_trace(log, words)]
        statistics = Statistics(words)
        statistics.update(steps)
        ruleset = induce(statistics)
        found = [scores(ruleset.actions[name], schema) for name, schema in truth.actions.items()]
        precisions.append(mean(p for p, _ in found))
        recalls.append(mean(r for _, r in found))
        engine = Engine(ruleset)
        missed += [
            f"{path.stem}: {step.action}"
            for step in steps
            if engine.outcome(step.before, step.action).truth is not TRUE
            or engine.apply(step.before, step.action).true != step.after.true
        ]
    assert len(precisions) == 11
    assert missed == []
    assert mean(precisions) >= 0.95, dict(enumerate(precisions))
    assert mean(recalls) >= 0.98, dict(enumerate(recalls))
