"""The world model: trajectories, beliefs, graphs, predictors, environments, evaluation, the command line.

::

    import worldmodel

    perception = worldmodel.environment("alfworld").perception(None)
    model = worldmodel.learn(list(worldmodel.read_episodes("logs.jsonl.gz")), perception)
    worldmodel.save(model, "household.rules")

The public names are looked up when they are asked for, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rules.errors import WorldModelError
    from worldmodel.belief import Belief
    from worldmodel.collecting import collect
    from worldmodel.environments.base import Goal, Percept, Perception
    from worldmodel.environments.registry import environment, shipped_rules
    from worldmodel.evaluation import evaluate
    from worldmodel.gate import RuleGate
    from worldmodel.knowledge import Knowledge
    from worldmodel.learning import learn
    from worldmodel.model import Prediction, WorldModel
    from worldmodel.storage import load, save
    from worldmodel.trajectories import Episode, EpisodeWriter, Step, read_episodes

__all__ = [
    "Belief",
    "Episode",
    "EpisodeWriter",
    "Goal",
    "Knowledge",
    "Percept",
    "Perception",
    "Prediction",
    "RuleGate",
    "Step",
    "WorldModel",
    "WorldModelError",
    "collect",
    "environment",
    "evaluate",
    "learn",
    "load",
    "read_episodes",
    "save",
    "shipped_rules",
]

_HOMES = {
    "rules.errors": ("WorldModelError",),
    "worldmodel.belief": ("Belief",),
    "worldmodel.collecting": ("collect",),
    "worldmodel.environments.base": ("Goal", "Percept", "Perception"),
    "worldmodel.environments.registry": ("environment", "shipped_rules"),
    "worldmodel.evaluation": ("evaluate",),
    "worldmodel.gate": ("RuleGate",),
    "worldmodel.knowledge": ("Knowledge",),
    "worldmodel.learning": ("learn",),
    "worldmodel.model": ("Prediction", "WorldModel"),
    "worldmodel.storage": ("load", "save"),
    "worldmodel.trajectories": ("Episode", "EpisodeWriter", "Step", "read_episodes"),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    if name == "__version__":
        return _version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("worldmodel")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "0+unknown"
