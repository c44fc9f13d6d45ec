"""A search in each world as if it were known, and a choice between the plans (Yoon et al. 2008).

The likeliest worlds are searched first, and no more than it takes: where the others cannot change the first
step any more, nothing is left to think about.
"""

from __future__ import annotations

from functools import wraps

from planners.choosing import Ballot
from planners.focus import focused
from planners.search.base import Found, Limits, PathSearch, Problem, Search, Thought
from planners.shortening import shortened


def in_hindsight(search: PathSearch) -> Search:
    """The search through all worlds that a search through one makes."""

    @wraps(search)
    def decide(problem: Problem, limits: Limits) -> Thought:
        limits = limits._replace(thorough=len(problem.worlds) == 1)
        ballot, expanded, left = Ballot(problem), 0, 1.0
        for world in sorted(problem.worlds, key=lambda w: -w.weight):
            start = problem.start(world)
            left -= world.weight
            if problem.task.satisfied(start):
                continue  # had it been so, the episode would be over
            found, fresh = _found(search, problem, start, limits)
            expanded += fresh
            if found.plan is not None:
                ballot.add(world, found.plan)
                if ballot.settled(left):
                    break
            elif not ballot and len(problem.worlds) > 1 and expanded > limits.expansions:
                break  # what the rules cannot do in the first worlds they can do in none
        choice = ballot.choose()
        return Thought(choice.steps, expanded, choice.promised, choice.expected, choice.sure)

    return decide


def _found(search: PathSearch, problem: Problem, start: int, limits: Limits) -> tuple[Found, int]:
    """The plan from a state, without what it does not need; and the states that were expanded for it now."""
    found = problem.found.get(start)
    if found is not None:
        return found, 0
    found = search(focused(problem.task, start), start, limits)
    if found.plan is not None:
        found = found._replace(plan=shortened(problem.task, start, found.plan))
    if found.plan is not None or found.expanded < limits.expansions:  # else it may be found with more
        problem.found[start] = found
    return found, found.expanded
