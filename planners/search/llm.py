"""A language model proposes, the world model tries out, the rules object, and the model revises (as WALL-E,
Zhou et al. 2024, with real rollouts); where nothing of it is good enough, the symbolic search decides.

A proposal is followed only where its rollout is no worse than what the symbolic search would do.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from typing import NamedTuple

from planners.focus import focused
from planners.landmarks import LandmarkCut
from planners.proposals import Proposed, Rejected, example, prompt, scored, spoken
from planners.search.base import Limits, Problem, Search, Thought
from planners.search.best_first import best_first
from planners.search.hindsight import in_hindsight
from planners.verdicts import Mark, Rollout, verdict
from rules.errors import WorldModelError
from worldmodel.belief import Belief
from worldmodel.language_models import EMBEDDED, Budget, BudgetSpent, Cache, LanguageModel, Metered, load
from worldmodel.model import WorldModel

SYMBOLIC = in_hindsight(best_first)
"""The search that decides where no proposal does."""

GAIN = 1.0
"""Steps that a plan must be able to save for a question to be worth it."""


@dataclass(frozen=True, slots=True)
class Advice:
    """How a language model is asked. model: by name, see `worldmodel.language_models.load`. calls, tokens,
    seconds: hard limits, in one game. revisions: times it may answer objections. plans: drawn at a time,
    where the model speaks. constrained: whether it chooses among what the rules admit, if it can."""

    model: str = EMBEDDED
    calls: float = 100
    tokens: float = 100_000
    seconds: float = 120
    revisions: int = 1
    plans: int = 1
    constrained: bool = True

    def __post_init__(self) -> None:
        if self.revisions < 0 or self.plans < 1:
            raise WorldModelError(
                f"{self.revisions} revisions of {self.plans} plans: expected at least 0 of at least 1"
            )


class Outcome(NamedTuple):
    """What came of a belief's proposals. proposed: plans. vetoed: by the rules. worse: than the symbolic
    plan. agreed: on what it would do anyway. accepted: otherwise than it. revised: after an objection.
    saved: steps promised."""

    proposed: int = 0
    vetoed: int = 0
    worse: int = 0
    agreed: int = 0
    accepted: int = 0
    revised: int = 0
    saved: float = 0.0


class Advised:
    """The search for one game. `outcomes`: what came of each decision's proposals."""

    def __init__(
        self,
        language: LanguageModel,
        advice: Advice | None = None,
        fallback: Search | None = None,
        cache: Cache | None = None,
    ) -> None:
        self.advice = advice or Advice()
        self.budget = Budget(self.advice.calls, self.advice.tokens, self.advice.seconds)
        self.outcomes: dict[tuple[int, str], Outcome] = {}
        self._language = Metered(language, self.budget, cache)
        self._fallback = fallback or SYMBOLIC
        self._example = ""
        self._asked: dict[tuple[str, frozenset[tuple[str, ...]]], list[Proposed]] = {}

    def __call__(self, problem: Problem, limits: Limits) -> Thought:
        """What the symbolic search thinks, or a proposal that is no worse."""
        symbolic = self._fallback(problem, limits)
        model, belief = problem.model, problem.belief
        if model is None or belief is None or _best(problem, symbolic):
            return symbolic
        self._example = example(problem, model) or self._example
        key = (belief.steps, prompt(model, belief, problem.missing))
        thought, self.outcomes[key] = self._advised(problem, model, belief, symbolic, limits.seed)
        return thought

    def report(self) -> dict[str, float]:
        """All outcomes together, by the fields of `Outcome`; and what was used for them."""
        total = {field: sum(getattr(o, field) for o in self.outcomes.values()) for field in Outcome._fields}
        budget = self.budget
        return {
            "decisions": len(self.outcomes),
            **total,
            "calls": budget.used_calls,
            "cached": budget.cached,
            "tokens": budget.used_tokens,
            "seconds": round(budget.used_seconds, 3),
        }

    def _advised(
        self, problem: Problem, model: WorldModel, belief: Belief, symbolic: Thought, seed: int
    ) -> tuple[Thought, Outcome]:
        """Asks, objects and asks again, until a plan is good enough or no more may be asked."""
        rejected: list[Rejected] = []
        barred: frozenset[tuple[str, ...]] = frozenset()
        counts: Counter[str] = Counter()
        for number in range(self.advice.revisions + 1):
            text = prompt(model, belief, problem.missing, self._example, rejected)
            try:
                plans = self._propose(text, Rollout(problem, model, belief, symbolic), barred, seed)
            except BudgetSpent:
                break
            best: Rollout | None = None
            for plan in plans:
                rollout = Rollout(problem, model, belief, symbolic)
                reason = _judged(rollout, plan, counts)
                if reason is not None:
                    rejected.append(Rejected(plan.commands, reason))
                    barred |= {plan.commands[: plan.turn + 1]}
                elif best is None or rollout.cost < best.cost:
                    best = rollout
            if best is not None:
                return _taken(best, symbolic, counts, revised=number > 0)
        return symbolic, Outcome(**counts)

    def _propose(
        self, text: str, rollout: Rollout, barred: frozenset[tuple[str, ...]], seed: int
    ) -> list[Proposed]:
        """The plans proposed to a prompt; nothing is asked twice in a game."""
        found = self._asked.get((text, barred))
        if found is None:
            if self.advice.constrained and self._language.scores:
                found = scored(self._language, text, rollout, barred)
            else:
                found = spoken(self._language, text, self.advice.plans, seed)
            self._asked[text, barred] = found
        return found


def _best(problem: Problem, symbolic: Thought) -> bool:
    """Whether it is proved that no plan is shorter by a step: then there is nothing to ask."""
    if not Mark.of(problem, symbolic).certain:
        return False
    known, task = problem.grounding.known, problem.task
    singles = [focused(replace(task, goals=(goal,)), known) for goal in task.goals]
    return min(LandmarkCut(single)(known).cost for single in singles) > symbolic.promised - GAIN


def _judged(rollout: Rollout, plan: Proposed, counts: Counter[str]) -> str | None:
    """What is wrong with a plan, by the rules or against the symbolic one."""
    counts["proposed"] += 1
    reason = rollout.follow(plan.commands)
    if reason is not None:
        counts["vetoed"] += 1
        return reason
    reason = verdict(rollout)
    counts["worse"] += reason is not None
    return reason


def _taken(
    rollout: Rollout, symbolic: Thought, counts: Counter[str], revised: bool
) -> tuple[Thought, Outcome]:
    """The thought of following a plan."""
    if symbolic.steps and rollout.steps[: len(symbolic.steps)] == list(symbolic.steps):
        return symbolic, Outcome(**counts, agreed=1, revised=int(revised))
    saved = symbolic.promised - rollout.cost if rollout.reached and symbolic.promised < inf else 0.0
    outcome = Outcome(**counts, accepted=1, revised=int(revised), saved=max(0.0, saved))
    thought = symbolic._replace(steps=rollout.steps, sure=symbolic.sure or rollout.reached)
    if rollout.reached:
        thought = thought._replace(promised=rollout.cost, expected=rollout.cost)
    return thought, outcome


@lru_cache(maxsize=1)
def _default() -> Advised:
    return Advised(load(), cache=Cache())


def llm(problem: Problem, limits: Limits) -> Thought:
    """`Advised` by the embedded model, within one budget for all that a process plans."""
    return SYMBOLIC(problem, limits) if problem.model is None else _default()(problem, limits)
