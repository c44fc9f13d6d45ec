"""Induction: transitions in, rules out.

::

    statistics = Statistics(domain)
    statistics.update(transitions)      # streams; statistics of two logs add up
    ruleset = induce(statistics)
"""

from rules.induction.learner import induce
from rules.induction.records import Transition
from rules.induction.statistics import Statistics

__all__ = ["Statistics", "Transition", "induce"]
