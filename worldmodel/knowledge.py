"""What holds of types, with counts: where things are found, what places are like, what lies together.

Two levels: *types* (a mug, a desk), and *settings*, the rooms that were met before, known by what
their opening lists. A room's own counts are shrunk towards those of its types (empirical Bayes with
`STRENGTH` pseudo-observations): a known room is used, and a new one is no surprise.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping

import networkx as nx

from rules.logic import FALSE, TRUE, UNKNOWN, WILDCARD, Atom, State
from rules.ruleset import ANY, RuleSet

STRENGTH = 3.0
PRIOR_RATE = 0.01
"""The chance of a thing in a place, for types that were never seen so."""

TABLES = ("found", "seen", "facts", "together", "apart", "hidden")
Key = tuple[str, ...]


def setting(opening: State) -> str:
    """A short name for a room: the same for every opening that lists the same objects."""
    return hashlib.sha256("\n".join(sorted(opening.objects)).encode()).hexdigest()[:12]


class Knowledge:
    """Counts, and the rates and chances that follow from them. Counts of two logs add.

    found: (predicate, type, place type) -> places that held such a thing, and seen: (predicate, place
    type) -> places seen in full, both at first sight. facts: (predicate, type, truth) at first sight.
    together and apart: (predicate, place, place), for places that turned out to be one, or two. Every
    key stands twice: with types, and with the setting in front and the names of places in their stead.
    hidden: what the logs say of hidden relations, as `rules.induction.hidden` counts it.
    """

    def __init__(self, tables: Mapping[str, Mapping[Key, int]] | None = None) -> None:
        tables = tables or {}
        self.found, self.seen, self.facts, self.together, self.apart, self.hidden = (
            Counter(tables.get(name, {})) for name in TABLES
        )

    def tables(self) -> dict[str, Counter[Key]]:
        """The counts by table."""
        return {name: getattr(self, name) for name in TABLES}

    def __add__(self, other: Knowledge) -> Knowledge:
        theirs = other.tables()
        return Knowledge({name: mine + theirs[name] for name, mine in self.tables().items()})

    def note(self, room: str, before: State, after: State, caused: Iterable[Atom] = ()) -> None:
        """Counts what a step showed for the first time. `caused`: what the action itself changed."""
        own = frozenset(caused)
        for pattern in after.false - before.false:
            if len(pattern.args) == 2 and pattern.args.count(WILDCARD) == 1:
                self._note_contents(room, pattern, before, after)
        for atom in (after.true - before.true) | (after.false - before.false):
            if len(atom.args) != 1 or atom in own or before.truth(atom) is not UNKNOWN:
                continue
            (name,) = atom.args
            if name in after.objects:
                value = after.truth(atom).value
                self.facts[atom.predicate, after.objects[name], value] += 1
                self.facts[room, atom.predicate, name, value] += 1

    def _note_contents(self, room: str, pattern: Atom, before: State, after: State) -> None:
        free = pattern.args.index(WILDCARD)
        place = pattern.args[1 - free]
        place_type = after.objects.get(place, ANY)
        self.seen[pattern.predicate, place_type] += 1
        self.seen[room, pattern.predicate, place] += 1
        things = [atom.args[free] for atom in after.matching(pattern)]
        for type_ in {after.objects.get(thing, ANY) for thing in things if thing not in before.objects}:
            self.found[pattern.predicate, type_, place_type] += 1
            self.found[room, pattern.predicate, type_, place] += 1

    def note_pair(self, room: str, predicate: str, a: str, b: str, together: bool) -> None:
        """Counts that two places turned out to be one, or not."""
        first, second = sorted((a, b))
        (self.together if together else self.apart)[room, predicate, first, second] += 1

    def rate(self, room: str, predicate: str, type_: str, place: str, place_type: str) -> float:
        """The chance that a place holds a thing of a type."""
        general = self.found[predicate, type_, place_type] + STRENGTH * PRIOR_RATE
        general /= self.seen[predicate, place_type] + STRENGTH
        own = self.found[room, predicate, type_, place] + STRENGTH * general
        return own / (self.seen[room, predicate, place] + STRENGTH)

    def chance(self, room: str, atom: Atom, type_: str) -> float:
        """The chance that a property holds of a thing of a type that nobody has looked at."""
        name = atom.args[0] if atom.args else ""
        yes = self.facts[atom.predicate, type_, TRUE.value]
        no = self.facts[atom.predicate, type_, FALSE.value]
        general = (yes + 0.5) / (yes + no + 1)
        own_yes = self.facts[room, atom.predicate, name, TRUE.value]
        own_no = self.facts[room, atom.predicate, name, FALSE.value]
        return (own_yes + general) / (own_yes + own_no + 1)

    def sameness(self, room: str, predicate: str, a: str, b: str, general: float) -> float:
        """The chance that two places are one: what a known room showed of them, shrunk to a general rate."""
        key = (room, predicate, *sorted((a, b)))
        return (self.together[key] + general) / (self.together[key] + self.apart[key] + 1)

    def general_sameness(self) -> float:
        """How often two places turned out to be one."""
        yes, no = self.together.total(), self.apart.total()
        return (yes + 0.5) / (yes + no + 1)

    def companions(self, room: str) -> frozenset[tuple[str, str, str]]:
        """The pairs of places of a known room that were always one: (predicate, place, place)."""
        return frozenset(
            (predicate, a, b)
            for (where, predicate, a, b) in self.together
            if where == room and not self.apart[room, predicate, a, b]
        )

    def graph(self, ruleset: RuleSet) -> nx.MultiDiGraph:
        """The knowledge graph over types: where things are found, and every type relation of the rules."""
        graph = nx.MultiDiGraph()
        for key, count in self.found.items():
            if len(key) == 3:
                predicate, type_, place = key
                graph.add_edge(type_, place, key=predicate, count=count, places=self.seen[predicate, place])
        for relation in ruleset.relations.values():
            for types, (support, against) in relation.table.items():
                if relation.arity == 1:
                    graph.add_node(types[0], **{relation.name: support, f"not_{relation.name}": against})
                else:
                    graph.add_edge(types[0], types[1], key=relation.name, count=support, against=against)
        return graph
