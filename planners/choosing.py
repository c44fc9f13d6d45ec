"""What to do, given a plan for each imagined world.

A place is looked into in order of *chance over cost*, the index that is optimal for a single hidden
thing (Black 1965; Stone 1975). That corrects the optimism of planning as if each world were known
(hindsight bias): a plan knows where to look, and so every plan's look seems to be worth its cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, sqrt
from typing import NamedTuple

from planners.grounding import seen
from planners.sampling import World
from planners.search.base import Problem
from planners.task import Operator, Plan, Task

MAJORITY = 0.5
"""Steps are taken at once if the plans of more than this share of the worlds begin with them."""

DOUBT = 1.0
"""How many standard errors the best look must lie before the next, to be sure of it."""

Look = tuple[Operator, ...]
"""The steps up to one that shows a place."""


class Vote(NamedTuple):
    """A world's plan, what it costs, and its looks: those that show where this world hides something."""

    world: World
    plan: Plan
    cost: float
    looks: tuple[Look, ...]


class Tally(NamedTuple):
    """A step, and the weight of the worlds whose plans take it next, and of those whose plans do not."""

    step: Operator
    by: float
    against: float

    def leads(self, more: float = 0.0, less: float = 0.0) -> bool:
        """Whether most have it, if these weights came on top."""
        return self.by + more > MAJORITY * (self.by + self.against + more + less)


class Choice(NamedTuple):
    """steps: to take now. promised and expected: what the goal costs, were the world known, and in truth.
    sure: whether other draws of the worlds are unlikely to choose otherwise."""

    steps: list[Operator]
    promised: float
    expected: float
    sure: bool


class Ballot:
    """Weighs the plans of the worlds against each other, as they come in."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._imagined = {thing.name for thing in problem.missing}
        self._votes: list[Vote] = []
        self._certain: Vote | None = None
        self._chances: dict[Look, float] = {}

    def __len__(self) -> int:
        return len(self._votes)

    def add(self, world: World, plan: Plan, state: int | None = None) -> None:
        """One more world, and a plan that reaches the goal there: from its start, or another state."""
        known = self._problem.grounding.known
        state = self._problem.start(world) if state is None else state
        looks = tuple(dict.fromkeys(_looks(self._problem, self._imagined, world, state, plan)))
        vote = Vote(world, plan, _cost(plan), looks)
        self._votes.append(vote)
        if self._certain is None and _works(self._problem.task, known, plan):
            self._certain = vote
        for look in looks:
            self._chances[look] = self._chances.get(look, 0.0) + world.weight

    def settled(self, left: float) -> bool:
        """Whether the first step is the same whatever the plans of the worlds that are left: in
        proportion, `left` of all."""
        if self._certain is not None:
            return True
        if left >= sum(vote.world.weight for vote in self._votes):
            return False
        leading = [tally for tally in _tally(self._plans(), 0) if tally.leads(more=left)]
        if leading:
            return len(leading) == 1 and leading[0].leads(less=left)
        ranked = self._ranked()
        if not ranked:
            return False
        (best, _), *others = ranked
        rivals = [(self._chances[other] + left) / _cost(other) for _, other in others]
        return best > max([left / self._problem.task.operators[0].cost, *rivals])

    def choose(self) -> Choice:
        """What no world contradicts, if there is such a plan; what most worlds begin with; or else the
        most promising look."""
        if self._certain is not None:
            cost = self._certain.cost
            return Choice(list(self._certain.plan), cost, cost, sure=True)
        ranked = self._ranked()
        if not ranked:
            return Choice([], inf, inf, sure=False)
        shared = self._shared()
        return Choice(shared or list(ranked[0][1]), *self.costs(), sure=bool(shared) or self._clear())

    def _ranked(self) -> list[tuple[float, Look]]:
        """The looks by chance over cost, best first."""
        return sorted(((chance / _cost(look), look) for look, chance in self._chances.items()), reverse=True)

    def _clear(self) -> bool:
        """Whether the best look leads by more than the draws may be off."""
        draws = 1 / sum(vote.world.weight**2 for vote in self._votes)
        ranked = self._ranked()
        if len(ranked) < 2:
            return True
        (first, look), (second, _) = ranked[:2]
        chance = min(1.0, self._chances[look])
        return first - second > DOUBT * sqrt(chance * (1 - chance) / draws) / _cost(look)

    def costs(self) -> tuple[float, float]:
        """What the plans cost in the mean, and with the looks that come before and show nothing."""
        ranked = self._ranked()
        total = sum(vote.world.weight for vote in self._votes)
        promised = sum(vote.world.weight * vote.cost for vote in self._votes)
        vain = 0.0
        for vote in self._votes:
            sought = set(vote.looks)
            for _, look in ranked:
                if not sought:
                    break
                if look in sought:
                    sought.remove(look)
                else:
                    vain += vote.world.weight * _cost(look)
        return promised / total, (promised + vain) / total

    def _plans(self) -> list[tuple[Vote, Plan]]:
        return [(vote, vote.plan) for vote in self._votes]

    def _shared(self) -> list[Operator]:
        """The steps with which the plans of most worlds begin, and not in order to look for something:
        whichever world it is, they are not in vain."""
        steps: list[Operator] = []
        plans = self._plans()
        while True:
            best = max(_tally(plans, len(steps)), key=lambda t: (t.by, t.step), default=None)
            if best is None or not best.leads() or self._imagined & set(best.step.action.args):
                return steps
            plans = [(v, p) for v, p in plans if len(p) > len(steps) and p[len(steps)] == best.step]
            steps.append(best.step)


def _tally(votes: list[tuple[Vote, Plan]], index: int) -> list[Tally]:
    """For each step that comes next in some plan, what the worlds say of it. Those in which it serves to
    look for something have no say."""
    by, seeking = dict[Operator, float](), dict[Operator, float]()
    for vote, plan in votes:
        if len(plan) > index:
            step = plan[index]
            counts = seeking if any(step in look for look in vote.looks) else by
            counts[step] = counts.get(step, 0.0) + vote.world.weight
    total = sum(vote.world.weight for vote, _ in votes)
    return [Tally(step, weight, total - weight - seeking.get(step, 0.0)) for step, weight in by.items()]


def _cost(steps: Plan) -> float:
    return sum(step.cost for step in steps)


def _works(task: Task, state: int, plan: Plan) -> bool:
    """Whether a plan reaches the goal from a state, without anything that is only imagined."""
    for step in plan:
        if not step.applies(state):
            return False
        state = step.apply(state)
    return task.satisfied(state)


def _looks(problem: Problem, imagined: set[str], world: World, state: int, plan: Plan) -> Iterator[Look]:
    """For each imagined fact that a plan relies on, its steps up to the look into that place."""
    for fact in sorted(world.facts):
        (name,) = imagined & set(fact.args)
        bit = problem.grounding.bits.get(seen(fact, name), 0)
        look = next((i for i, step in enumerate(plan) if step.adds & bit), None)
        if look is not None:
            yield _supporting(state, plan[: look + 1])


def _supporting(state: int, steps: Plan) -> Look:
    """The last step, and those before it that bring about what it needs, or undo what it forbids."""
    before = [state]
    for step in steps:
        before.append(step.apply(before[-1]))
    needed, forbidden = steps[-1].needs, steps[-1].forbids
    kept = [steps[-1]]
    for step, then in zip(reversed(steps[:-1]), before[-3::-1], strict=True):
        if step.adds & needed & ~then or step.deletes & forbidden & then:
            kept.append(step)
            needed = needed & ~step.adds | step.needs
            forbidden = forbidden & ~step.deletes | step.forbids
    return tuple(kept[::-1])
