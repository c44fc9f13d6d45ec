"""What to do, given a plan for each imagined world.

A place is looked into in order of *chance over cost*, the index that is optimal for a single hidden
thing (Black 1965; Stone 1975). That corrects the optimism of planning as if each world were known
(hindsight bias).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planners.grounding import Grounding, seen
from planners.sampling import Missing, World
from planners.task import Operator, Plan, Task

MAJORITY = 0.5
"""Steps are taken at once if the plans of more than this share of the worlds begin with them."""


def choose(
    grounding: Grounding, missing: Sequence[Missing], plans: Sequence[tuple[World, Plan]]
) -> list[Operator]:
    """The steps to take: what most worlds begin with, if it is certain, else the most promising look."""
    imagined = {thing.name for thing in missing}
    looks: dict[tuple[Operator, ...], float] = {}
    for world, plan in plans:
        if _works(grounding.task, grounding.known, plan):
            return list(plan)
        for steps in _looks(grounding, imagined, world, plan):
            looks[steps] = looks.get(steps, 0.0) + world.weight
    if not looks:
        return []
    shared = _shared(imagined, plans)
    if shared:
        return shared
    index = {steps: chance / sum(step.cost for step in steps) for steps, chance in looks.items()}
    best = max(index, key=lambda steps: (index[steps], steps))
    return list(best)


def _shared(imagined: set[str], plans: Sequence[tuple[World, Plan]]) -> list[Operator]:
    """The steps with which the plans of most worlds begin: whichever world it is, they are not in vain."""
    steps: list[Operator] = []
    total = sum(world.weight for world, _ in plans)
    while True:
        votes: dict[Operator, float] = {}
        for world, plan in plans:
            if len(plan) > len(steps):
                votes[plan[len(steps)]] = votes.get(plan[len(steps)], 0.0) + world.weight
        best = max(votes, key=lambda step: (votes[step], step), default=None)
        if best is None or votes[best] <= MAJORITY * total or imagined & set(best.action.args):
            return steps
        plans = [(w, p) for w, p in plans if len(p) > len(steps) and p[len(steps)] == best]
        steps.append(best)


def _works(task: Task, state: int, plan: Plan) -> bool:
    """Whether a plan reaches the goal from a state, without anything that is only imagined."""
    for step in plan:
        if not step.applies(state):
            return False
        state = step.apply(state)
    return task.satisfied(state)


def _looks(
    grounding: Grounding, imagined: set[str], world: World, plan: Plan
) -> Iterator[tuple[Operator, ...]]:
    """For each imagined fact that a plan relies on, its steps up to the look into that place."""
    for fact in sorted(world.facts):
        (name,) = imagined & set(fact.args)
        bit = grounding.bits.get(seen(fact, name), 0)
        look = next((i for i, step in enumerate(plan) if step.adds & bit), None)
        if look is not None:
            yield _supporting(grounding.state(world.facts), plan[: look + 1])


def _supporting(state: int, steps: Sequence[Operator]) -> tuple[Operator, ...]:
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
