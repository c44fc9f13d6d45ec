"""Monte Carlo tree search over what may be observed: UCT (Kocsis & Szepesvári 2006) on beliefs.

A node is what can be told apart: the facts without those about unseen places, and the worlds that agree with
them. To look is an action whose outcome depends on the world, so that a tree, unlike a plan for a world that
is known, pays for looking in vain. The value of a new node is bootstrapped from the relaxed plan in each of
its worlds; values are backed up as the expectation over outcomes and the minimum over actions (DP-UCT; Keller
& Helmert 2013), and only what some world's relaxed plan suggests is tried.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import inf, log, sqrt
from typing import NamedTuple

from planners.grounding import seen
from planners.heuristics import RelaxedPlan
from planners.search.base import Budget, Limits, Problem, Thought
from planners.task import Operator, Task

CURIOSITY = 1.0
"""How many steps a try is worth that tells something new."""

PATIENCE = 30
"""Tries after which the search is over if all of them left the same action in front."""


class Particle(NamedTuple):
    """A world's state, and its weight."""

    weight: float
    state: int


class Node:
    """A belief. value: the expected cost from here to the goal, as far as it was looked into."""

    def __init__(self, particles: Sequence[Particle]) -> None:
        self.particles = particles
        self.weight = sum(p.weight for p in particles)
        self.visits = 0
        self.value = 0.0
        self.promised = 0.0
        self.arms: list[Arm] = []

    def best(self) -> Arm:
        return min(self.arms, key=lambda arm: (arm.value, arm.operator))


class Arm:
    """An action at a node. children: the nodes that may come next; None before it was tried."""

    def __init__(self, operator: Operator, value: float) -> None:
        self.operator, self.value, self.visits = operator, value, 0
        self.children: list[Node] | None = None


def mcts(problem: Problem, limits: Limits) -> Thought:
    """The best action as far as the tree shows, with those that follow for certain."""
    particles = [Particle(world.weight, problem.start(world)) for world in problem.worlds]
    tree = Tree(problem, limits)
    root = tree.node([p for p in particles if not problem.task.satisfied(p.state)])
    if not root.arms or root.value == inf:
        return Thought((), tree.budget.expanded, sure=tree.budget.left)
    same, front = 0, root.best()
    while tree.budget.left and same < PATIENCE and (len(root.arms) > 1 or len(root.particles) == 1):
        tree.visit(root, limits.horizon)
        same = same + 1 if root.best() is front else 0
        front = root.best()
    return Thought(_certain(root), tree.budget.expanded, root.promised, root.value, sure=same >= PATIENCE)


def _certain(node: Node) -> list[Operator]:
    """The best action, and the next ones up to the first whose outcome is open."""
    steps = list[Operator]()
    met = set[int]()
    while node.arms and id(node) not in met:
        met.add(id(node))
        arm = node.best()
        steps.append(arm.operator)
        if arm.children is None or len(arm.children) != 1:
            break
        (node,) = arm.children
    return steps


class Tree:
    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.task: Task = problem.task
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
            found = self._nodes[key] = Node(particles)
            if particles and not self.task.satisfied(particles[0].state):
                self._expand(found)
        return found

    def _expand(self, node: Node) -> None:
        """Adds the actions that some world's relaxed plan begins with: where a world's plan does not begin
        with it, it is in vain; or whatever applies, where no plan says how to begin."""
        self.budget.spend(len(node.particles))
        estimates = [(p.weight / node.weight, self._judge(p.state)) for p in node.particles]
        node.promised = node.value = sum(weight * estimate.cost for weight, estimate in estimates)
        if node.value == inf:
            return
        operators = {operator for _, estimate in estimates for operator in estimate.helpful}
        if not operators:
            state = node.particles[0].state
            operators = {o for o in self.task.operators if o.applies(state) and o.apply(state) != state}
        for operator in sorted(operators):
            vain = sum(weight for weight, estimate in estimates if operator not in estimate.helpful)
            node.arms.append(Arm(operator, node.promised + vain * operator.cost))
        node.value = node.best().value

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
        arm.value = arm.operator.cost + self._mean(arm.children)
        node.value = node.best().value

    def _outcomes(self, node: Node, operator: Operator) -> list[Node]:
        """The nodes that an action may lead to, each with the worlds in which it does."""
        groups: dict[int, list[Particle]] = {}
        for weight, state in node.particles:
            then = operator.apply(state) if operator.applies(state) else state
            groups.setdefault(self.visible(then), []).append(Particle(weight, then))
        return [self.node(group) for group in groups.values()]

    @staticmethod
    def _mean(children: Sequence[Node]) -> float:
        total = sum(child.weight for child in children)
        return sum(child.weight / total * child.value for child in children)
