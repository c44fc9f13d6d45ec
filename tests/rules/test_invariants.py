"""Which invariants the evidence bears out."""

from __future__ import annotations

from collections import Counter

from rules.induction.invariants import InvariantKey, Judge, invariants
from rules.logic import Atom, State
from rules.ruleset import RuleSet


def test_what_is_told_in_one_value_only_makes_no_invariant() -> None:
    """That a dish was washed is told, that it was not never: of most dishes nobody knows."""
    domain = RuleSet("sink", types={"dish": None}, predicates={"deep": ("dish",), "washed": ("dish",)})

    def found(told: int, untold: int) -> list[str]:
        judge, counts = Judge(domain), Counter[tuple[InvariantKey, bool]]()
        deep, washed = Atom("deep", ("cup",)), Atom("washed", ("cup",))
        counts.update(list(judge.judge(State({}, [washed]), State({}, [washed, deep]))) * told)
        counts.update(list(judge.judge(State({}), State({}, [deep]))) * untold)
        return [invariant.body[0].atom.predicate for invariant in invariants(domain, counts)]

    assert found(told=60, untold=0) == ["deep"]
    assert found(told=60, untold=200) == []
