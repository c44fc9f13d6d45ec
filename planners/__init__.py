"""Planning with a world model: the MPC loop, the searches, belief sampling and objectives.

::

    from planners import Planner, PlanConfig, play

    run = play(env, Planner(model, PlanConfig(seed=0)), game.id, "alfworld")
"""

from planners.mpc import Decision, PlanConfig, Planner
from planners.play import Moment, Run, play

__all__ = ["Decision", "Moment", "PlanConfig", "Planner", "Run", "play"]
