"""The world model: trajectories, beliefs, graphs, predictors, environments and evaluation."""

from __future__ import annotations


def __getattr__(name: str) -> str:
    """`__version__`, looked up when it is asked for: reading package metadata would slow every start."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("worldmodel")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "0+unknown"
