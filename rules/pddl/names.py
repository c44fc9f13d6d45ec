"""Names of a rule set -> names that PDDL and its readers take.

PDDL does not tell upper from lower case, knows letters, digits, ``_`` and ``-``, and has words of its
own; unified-planning wants no name twice, not even for a predicate and an action. Names that already
are like that stay; the others change a little, each into one of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rules.ruleset import ANY, RuleSet

OBJECT = "object"
"""PDDL's name for the type above all types."""
RESERVED = frozenset(
    "and or not imply forall exists when either object number define domain assign increase decrease "
    "scale-up scale-down total-cost always sometime sometime-before sometime-after at-most-once".split()
)


class Names:
    """The PDDL names of a rule set's types, predicates (and relations), constants and actions."""

    def __init__(self, ruleset: RuleSet) -> None:
        (self.domain,) = spelled([ruleset.name], "{}-domain", set(RESERVED)).values()
        taken = set(RESERVED)
        self.predicates = spelled([*ruleset.predicates, *ruleset.relations], "{}-fact", taken)
        self.types = {ANY: OBJECT, **spelled(ruleset.types, "{}-type", taken)}
        self.constants = spelled(ruleset.constants, "{}-object", taken)
        self.actions = spelled(ruleset.actions, "do-{}", taken)

    def changed(self) -> list[tuple[str, str]]:
        """The PDDL names that differ, and what they stand for."""
        tables = (self.predicates, self.types, self.constants, self.actions)
        return [(new, old) for table in tables for old, new in table.items() if new != old and old != ANY]


def spelled(names: Iterable[str], otherwise: str, taken: set[str]) -> dict[str, str]:
    """A PDDL name for each, added to those taken: its own if it can be, next its own in `otherwise`."""
    found: dict[str, str] = {}
    for name in sorted(names, key=lambda name: name != _clean(name)):  # those that may stay choose first
        clean = _clean(name)
        spelling, number = clean, 1
        while spelling in taken:
            spelling = otherwise.format(clean) + (f"-{number}" if number > 1 else "")
            number += 1
        taken.add(spelling)
        found[name] = spelling
    return found


def variables(names: Iterable[str]) -> Mapping[str, str]:
    """PDDL variables for those of an action."""
    found = spelled([name[1:] for name in names], "{}", set())
    return {f"?{name}": f"?{spelling}" for name, spelling in found.items()}


def _clean(name: str) -> str:
    clean = re.sub(r"[^a-z0-9_-]", "_", name.lower())
    return clean if re.match(r"[a-z]", clean) else f"x{clean}"
