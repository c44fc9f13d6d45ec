"""Monte Carlo tree search over what may be observed: UCT (Kocsis & Szepesvári 2006) on beliefs.

A node is what can be told apart: the facts without those about unseen places, and the worlds that agree with
them. To look is an action whose outcome depends on the world, so that a tree, unlike a plan for a world that
is known, pays for looking in vain. The value of a new node is bootstrapped from a plan in each of its worlds
and what looking by chance over cost would add; a step with which no plan begins is not tried. Values are
backed up as the expectation over outcomes and the minimum over actions (DP-UCT; Keller & Helmert 2013). So
even a tree of one step improves on chance over cost, where the bootstrap is right (Bertsekas et al. 1997).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import inf, log, sqrt
from typing import NamedTuple

from planners.choosing import Ballot
from planners.grounding import seen
from planners.heuristics import RelaxedPlan
from planners.sampling import World
from planners.search.base import Budget, Limits, Problem, Thought
from planners.search.best_first import WEIGHT, weighted_a_star
from planners.shortening import shortened
from planners.task import Operator, Task

CURIOSITY = 0.5
"""How many steps a try is worth that tells something new."""

PATIENCE = 20
"""Tries after which, beyond one for each action, the search is over if the same action stayed in front."""


class Particle(NamedTuple):
    """A world, its state, and a plan for it: of use as long as it leads to the goal."""

    world: World
    state: int
    plan: list[Operator]


class Node:
    """A belief. value: the expected cost from here to the goal, as far as it was looked into; base: by chance
    over cost; promised: were it known which world it is."""

    def __init__(self, particles: Sequence[Particle]) -> None:
        self.particles = particles
        self.weight = sum(p.world.weight for p in particles)
        self.visits = 0
        self.value = self.promised = self.base = 0.0
        self.arms: list[Arm] = []

    def best(self) -> Arm:
        """The best of the actions that were tried, or any while none was."""
        tried = [arm for arm in self.arms if arm.children is not None] or self.arms
        return min(tried, key=lambda arm: (arm.value, arm.operator))


class Arm:
    """An action at a node. children: the nodes that may come next; None before it was tried."""

    def __init__(self, operator: Operator, value: float) -> None:
        self.operator, self.value, self.visits = operator, value, 0
        self.children: list[Node] | None = None


def mcts(problem: Problem, limits: Limits) -> Thought:
    """The best action as far as the tree shows, with those that follow for certain."""
    tree = Tree(problem, limits)
    particles = [Particle(world, problem.start(world), []) for world in problem.worlds]
    root = tree.node([p for p in particles if not problem.task.satisfied(p.state)])
    if not root.arms:
        return Thought((), tree.budget.expanded, sure=tree.budget.left)
    same, front = 0, root.best()
    while tree.budget.left and same < PATIENCE + len(root.arms) and len(root.arms) > 1:
        tree.visit(root, limits.horizon)
        same = same + 1 if root.best() is front else 0
        front = root.best()
    return Thought(_certain(root), tree.budget.expanded, root.promised, root.value, sure=tree.budget.left)


def _certain(node: Node) -> Sequence[Operator]:
    """The best action, and the next ones up to the first whose outcome is open. In a world that is known,
    its plan."""
    if len(node.particles) == 1:
        return node.particles[0].plan
    steps: list[Operator] = []
    met: set[int] = set()
    while node.arms and id(node) not in met:
        met.add(id(node))
        arm = node.best()
        steps.append(arm.operator)
        if arm.children is None or len(arm.children) != 1:
            break
        (node,) = arm.children
    return steps


class Tree:
    """The nodes so far. They are found again by what is visible: the same belief, however it came about."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem, self.task, self.limits = problem, problem.task, limits
        self.budget = Budget(limits, len(problem.worlds))
        self._judge = RelaxedPlan(problem.task)
        self._chance = random.Random(limits.seed)
        self._nodes: dict[int, Node] = {}
        names = {thing.name for thing in problem.missing}
        bits = problem.grounding.bits
        facts = {fact for world in problem.worlds for fact in world.facts}
        self._hidden = [
            (bits[fact], bits.get(seen(fact, name), 0))
            for fact in sorted(facts)
            for name in fact.args
            if name in names and fact in bits
        ]

    def visible(self, state: int) -> int:
        """The state without the things in places that nobody has looked into."""
        for fact, shown in self._hidden:
            if not state & shown:
                state &= ~fact
        return state

    def node(self, particles: Sequence[Particle]) -> Node:
        """The node of some worlds that look the same."""
        key = self.visible(particles[0].state) if particles else 0
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = Node(self._planned(particles))
            self._expand(found)
        return found

    def _planned(self, particles: Sequence[Particle]) -> list[Particle]:
        """The worlds with a plan for each; those without one are left out."""
        found: list[Particle] = []
        tried = 0
        for particle in particles:
            if _reaches(self.task, particle):
                found.append(particle)
            elif found or tried <= self.limits.expansions:  # else the others are no better
                search = weighted_a_star(self.task, particle.state, self._judge, self.limits, WEIGHT, inf)
                tried += search.expanded
                if search.plan is not None:
                    plan = list(shortened(self.task, particle.state, search.plan))
                    found.append(particle._replace(plan=plan))
        self.budget.spend(tried + 1)
        return found

    def _expand(self, node: Node) -> None:
        """Adds the actions that some world's plan begins with."""
        ballot = Ballot(self.problem)
        for particle in node.particles:
            ballot.add(particle.world, particle.plan, particle.state)
        node.promised, node.base = ballot.costs() if ballot else (inf, inf)
        node.value = node.base
        firsts = sorted({particle.plan[0] for particle in node.particles if particle.plan})
        node.arms = [Arm(operator, node.value) for operator in firsts]

    def visit(self, node: Node, depth: int) -> None:
        """One try from a node on: to the first action that is new, and the values on the way back."""
        node.visits += 1
        if not node.arms or not depth:
            return
        pull = log(node.visits + 1)
        arm = min(node.arms, key=lambda a: (a.value - CURIOSITY * sqrt(pull / (a.visits + 1)), a.operator))
        arm.visits += 1
        if arm.children is None:
            arm.children = self._outcomes(node, arm.operator)
        else:
            weights = [child.weight for child in arm.children]
            self.visit(self._chance.choices(arm.children, weights)[0], depth - 1)
        total = sum(child.weight for child in arm.children)
        arm.value = arm.operator.cost + sum(c.weight / total * c.value for c in arm.children)
        node.value = min(node.base, node.best().value)

    def _outcomes(self, node: Node, operator: Operator) -> list[Node]:
        """The nodes that an action may lead to, each with the worlds in which it does."""
        groups: dict[int, list[Particle]] = {}
        for world, state, plan in node.particles:
            then = operator.apply(state) if operator.applies(state) else state
            rest = plan[1:] if plan[:1] == [operator] else plan
            groups.setdefault(self.visible(then), []).append(Particle(world, then, rest))
        nodes = [self.node(group) for group in groups.values()]
        return [node for node in nodes if node.particles] or nodes


def _reaches(task: Task, particle: Particle) -> bool:
    """Whether its plan still leads to the goal."""
    state = particle.state
    for step in particle.plan:
        if not step.applies(state):
            return False
        state = step.apply(state)
    return task.satisfied(state)
