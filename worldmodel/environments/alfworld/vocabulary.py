"""The words of ALFWorld's rooms: kinds of furniture and of objects."""

from __future__ import annotations

RECEPTACLES: frozenset[str] = frozenset(
    "armchair bathtubbasin bed cabinet cart coffeemachine coffeetable countertop desk diningtable drawer "
    "dresser fridge garbagecan handtowelholder laundryhamper microwave ottoman safe shelf sidetable sinkbasin "
    "sofa stoveburner toaster toilet toiletpaperhanger towelholder tvstand".split()
)
"""The lower-case furniture words that names like ``drawer 2`` begin with."""
