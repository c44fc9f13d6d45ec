"""Proposed plans, tried out in the world model: what the rules object to, and whether they are good enough.

A plan from elsewhere is followed only where it is no worse than what the symbolic search would do, by the
measure that this search goes by: a plan that surely reaches the goal by its cost, a look for something by
its chance over cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

from planners.grounding import seen
from planners.search.base import Problem, Thought
from planners.task import Operator
from rules.logic import Action, Atom
from worldmodel.belief import Belief
from worldmodel.model import WorldModel
from worldmodel.objections import objection

SLACK = 1e-6
"""Costs that differ by less are the same."""


class Mark(NamedTuple):
    """What a proposal has to be as good as: the steps of the symbolic search, and their cost. chance: that
    they show something that is sought. certain: whether they surely reach the goal. first: whether most
    of the plans made begin with them, whatever else is so. most: what reaching the goal may cost."""

    steps: Sequence[Operator]
    cost: float
    chance: float
    certain: bool
    first: bool
    most: float

    @classmethod
    def of(cls, problem: Problem, symbolic: Thought) -> Mark:
        """Of what a search came to."""
        state, chance, cost = problem.grounding.known, 0.0, 0.0
        for step in symbolic.steps:
            chance += _shown(problem, step.adds & ~state)
            state, cost = step.apply(state), cost + step.cost
        certain = bool(symbolic.steps) and problem.task.satisfied(state)
        most = cost if certain else symbolic.expected
        return cls(symbolic.steps, cost, chance, certain, _shared(problem, symbolic.steps), most)


class Rollout:
    """What comes of commands, one after another, in a problem as far as it is known.

    steps: the operators taken. state: the task's state after them. Where something has yet to be found, a
    rollout is over with the first look, for what to do then depends on what is seen.
    """

    def __init__(self, problem: Problem, model: WorldModel, belief: Belief, symbolic: Thought) -> None:
        """symbolic: what there is to be as good as."""
        self.problem, self.model, self.belief = problem, model, belief
        self.mark = Mark.of(problem, symbolic)
        self.state = problem.grounding.known
        self.steps: list[Operator] = []
        self.chance = 0.0
        self._visited = {self.state}
        self._imagined = {thing.name for thing in problem.missing}

    @property
    def reached(self) -> bool:
        """Whether the goal holds."""
        return self.problem.task.satisfied(self.state)

    @property
    def over(self) -> bool:
        """Whether nothing that comes later counts, or helps."""
        return self.reached or self.chance > 0 or self.cost >= self.mark.most

    @property
    def cost(self) -> float:
        """Steps it is expected to take."""
        return sum(step.cost for step in self.steps)

    def follow(self, commands: Sequence[str]) -> str | None:
        """Takes commands until it is over; what the rules object to, if they do."""
        for command in commands:
            if self.over:
                break
            reason = self.take(command)
            if reason is not None:
                return reason
        return None

    def take(self, command: str) -> str | None:
        """Takes one command, or says what the rules object to."""
        action = self.model.perception.action(command)
        step = None if action is None else self._step(action)
        if action is None or step is None:
            found = objection(self.model, self.belief, command)
            if action is None or found is not None:
                return found.reason if found is not None else f"`{command[:80]}` is no command."
            step = self._idle(action)
        self._apply(step)
        return None

    def options(self) -> list[str]:
        """The commands that lead on, and not back; of those that differ in names alone, one."""
        found = dict[object, str]()
        for step in self.problem.task.operators:
            useful = step.applies(self.state) and step.apply(self.state) not in self._visited
            if useful and not self._imagined & set(step.action.args):
                found.setdefault(self._kind(step.action), self.model.perception.command(step.action))
        return list(found.values())

    def _step(self, action: Action) -> Operator | None:
        """The cheapest operator for an action that applies."""
        operators = self.problem.task.operators
        return next((o for o in operators if o.action == action and o.applies(self.state)), None)

    def _idle(self, action: Action) -> Operator:
        """For an action that may work, and of which nothing is known that would help."""
        chance = self.model.predict(self.belief, action).chance
        return Operator(action, 0, 0, 0, 0, 1 / max(chance, SLACK))

    def _apply(self, step: Operator) -> None:
        self.chance += _shown(self.problem, step.adds & ~self.state)
        self.state = step.apply(self.state)
        self._visited.add(self.state)
        self.steps.append(step)
        after = self.model.predict(self.belief, step.action).state
        self.belief = replace(self.belief, state=after)

    def _kind(self, action: Action) -> object:
        """What is the same for actions that differ in names alone."""
        return action.name, tuple(self._about(name) for name in action.args)

    def _about(self, name: str) -> object:
        """A thing's type, and what holds of it."""
        task, grounding = self.problem.task, self.problem.grounding
        facts = [
            (atom.predicate, tuple([arg for arg in atom.args if arg != name]))
            for atom in task.atoms
            if name in atom.args and grounding.bits[atom] & self.state
        ]
        return self.belief.state.objects.get(name, name), tuple(sorted(facts)), self._prior(name)

    def _prior(self, name: str) -> float:
        """How likely something that is sought is there."""
        facts = [(fact, world.weight) for world in self.problem.worlds for fact in world.facts]
        return round(sum(weight for fact, weight in facts if name in fact.args), 3)


def _shown(problem: Problem, gained: int) -> float:
    """The weight of the worlds in which one of these facts, newly true, shows something that is sought."""
    imagined = {thing.name for thing in problem.missing}
    return sum(world.weight for world in problem.worlds if gained & _looks(problem, imagined, world.facts))


def _looks(problem: Problem, imagined: set[str], facts: frozenset[Atom]) -> int:
    bits = problem.grounding.bits
    found = 0
    for fact in facts:
        for name in imagined & set(fact.args):
            found |= bits.get(seen(fact, name), 0)
    return found


def _shared(problem: Problem, steps: Sequence[Operator]) -> bool:
    """Whether the plans of most worlds begin with these steps."""
    by = total = 0.0
    for world in problem.worlds:
        found = problem.found.get(problem.start(world))
        if found is not None and found.plan is not None:
            total += world.weight
            by += world.weight * (list(found.plan[: len(steps)]) == list(steps))
    return by > total / 2


def verdict(rollout: Rollout) -> str | None:
    """Why a plan that the rules admit is not good enough; None if it is as good as the symbolic one."""
    mark, steps = rollout.mark, rollout.steps
    if not mark.steps:
        return None if steps else "It has no step."
    if rollout.reached:
        return None if rollout.cost <= mark.most + SLACK else _longer(rollout.cost, mark.most)
    if steps[: len(mark.steps)] == list(mark.steps):
        return None
    if mark.certain or not rollout.chance:
        return _short(rollout)
    first = "; ".join(rollout.model.perception.command(step.action) for step in mark.steps)
    if mark.first or not mark.chance:
        return f"Whatever is found there, this comes first: `{first}`."
    if rollout.chance / rollout.cost >= mark.chance / mark.cost - SLACK:
        return None
    return (
        f"It finds what is sought with a chance of {rollout.chance:.0%} in {rollout.cost:.1f} steps; "
        f"`{first}` finds it with {mark.chance:.0%} in {mark.cost:.1f}."
    )


def _longer(cost: float, most: float) -> str:
    return f"It takes {cost:.1f} steps, where {most:.1f} are enough."


def _short(rollout: Rollout) -> str:
    """What of the goal is left, where least is."""
    task, lacking, most = rollout.problem.task, inf, rollout.mark.most
    undone = "The task is not done after it" + (f", where {most:.1f} steps are enough" if most < inf else "")
    text = f"{undone}."
    for goal in task.goals:
        left = list(_open(rollout, goal.needs & ~rollout.state))
        if left and len(left) < lacking:
            lacking, text = len(left), f"{undone}; it still needs {', '.join(left)}."
    return text


def _open(rollout: Rollout, bits: int) -> Iterator[str]:
    grounding = rollout.problem.grounding
    for atom in grounding.task.atoms:
        if grounding.bits[atom] & bits:
            yield str(atom)
