"""PDDL in and out: domains become rule sets and rule sets domains; logged traces become transitions.

PDDL does not tell upper from lower case, so every name is read in lower case. Its names are names of
the rule language as they stand; its type ``object`` is ``any``.
"""

from __future__ import annotations

from rules.pddl.domain import read_domain
from rules.pddl.traces import read_trace
from rules.pddl.writer import static_atoms, write_domain

__all__ = ["read_domain", "read_trace", "static_atoms", "write_domain"]
