"""What the agent knows in this episode: the state, the goal, and what it has learned about this room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import networkx as nx

from rules.logic import WILDCARD, Action, Atom, State
from worldmodel.environments.base import Goal

Companions = frozenset[tuple[str, str, str]]
"""Places that are one place: ``(predicate, a, b)`` says that predicate(a) and predicate(b) go together."""


@dataclass(frozen=True, slots=True)
class Belief:
    """Immutable: `WorldModel.update` gives the next one.

    room: the setting's name. hidden: facts of hidden relations that what came of actions has shown, true
    and false. refused: how often an action that should have worked did not. foreseen: how often one was
    refused as the rules had said, or for a hidden relation.
    """

    state: State
    goal: Goal
    room: str = ""
    companions: Companions = frozenset()
    hidden: Mapping[Atom, bool] = field(default_factory=dict)
    refused: Mapping[Action, int] = field(default_factory=dict)
    foreseen: Mapping[Action, int] = field(default_factory=dict)
    steps: int = 0

    def refusals(self, action: Action) -> int:
        """How often the environment refused an action, foreseen or not."""
        return self.refused.get(action, 0) + self.foreseen.get(action, 0)

    def unexplored(self, predicate: str, place: int = 1) -> list[str]:
        """Objects whose contents under a binary predicate are not known in full."""
        known = {
            pattern.args[place]
            for pattern in self.state.false
            if pattern.predicate == predicate and pattern.args[1 - place] == WILDCARD
        }
        return [name for name in self.state.objects if name not in known]

    def scene(self) -> nx.MultiDiGraph:
        """The scene graph: objects with their types and properties, binary facts as edges."""
        graph = nx.MultiDiGraph()
        for name, type_ in self.state.objects.items():
            graph.add_node(name, type=type_)
        for atom in sorted(self.state.true):
            if len(atom.args) == 1:
                graph.add_node(atom.args[0], **{atom.predicate: True})
            elif len(atom.args) == 2:
                graph.add_edge(*atom.args, key=atom.predicate)
        for atom in sorted(self.state.false):
            if len(atom.args) == 1 and WILDCARD not in atom.args and atom not in self.state.true:
                graph.add_node(atom.args[0], **{atom.predicate: False})
        return graph


def with_companions(atoms: Iterable[Atom], companions: Companions) -> set[Atom]:
    """The atoms, and those of the places that go with theirs."""
    found = set(atoms)
    fresh = list(found)
    while fresh:
        atom = fresh.pop()
        if len(atom.args) != 1:
            continue
        for predicate, a, b in companions:
            if predicate == atom.predicate and atom.args[0] in (a, b):
                other = Atom(predicate, (b if atom.args[0] == a else a,))
                if other not in found:
                    found.add(other)
                    fresh.append(other)
    return found
