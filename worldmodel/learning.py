"""Logs in, world model out: the rules, and then the knowledge that the rules make visible.

Both passes count, chunk by chunk, and counts add up: so the chunks may be spread over processes
(`worldmodel.parallel`) or a cluster (`worldmodel.cluster`), and what is counted may be kept on disk
(`worldmodel.checkpoints`), with the same result bit for bit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Protocol, TypeVar

from rules import counts
from rules.counts import Kind, Tables
from rules.induction import Statistics, Transition, induce, storage
from rules.induction.hidden_cases import Cases
from rules.induction.pruning import prune
from rules.language import render
from rules.ruleset import RuleSet
from worldmodel.belief import Belief
from worldmodel.environments.base import Perception
from worldmodel.knowledge import TABLES, Knowledge
from worldmodel.model import WorldModel
from worldmodel.replay import transitions
from worldmodel.trajectories import Episode

CHUNK = 32
"""Episodes that are counted at a time."""

Item = TypeVar("Item")
Counter = Callable[[Sequence[Any]], Tables]
"""Counts the episodes of a chunk."""


class Spread(Protocol):
    """Where chunks are counted. `begin` is picklable; the counts come in the order of the chunks."""

    def __call__(self, begin: Callable[[], Counter], chunks: Iterable[Sequence[Any]]) -> Iterable[Tables]: ...


class Counting:
    """The counts of one pass over logs, added up chunk by chunk."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.tables = kind.blank()

    def run(self, items: Iterable[Any], begin: Callable[[], Counter], spread: Spread) -> Tables:
        """The counts of all items."""
        for tables in spread(begin, self.chunks(items)):
            self.add(tables)
        return self.tables

    def chunks(self, items: Iterable[Any]) -> Iterator[list[Any]]:
        """The items that are to be counted, in chunks."""
        stream = iter(items)
        while chunk := list(islice(stream, CHUNK)):
            yield chunk

    def add(self, tables: Tables) -> None:
        """Takes the counts of the next chunk."""
        counts.add(self.tables, tables)


class Keep(Protocol):
    """Gives each pass its `Counting`: in memory, or one that is kept on disk."""

    def __call__(self, name: str, kind: Kind) -> Counting: ...


def here(begin: Callable[[], Counter], chunks: Iterable[Sequence[Any]]) -> Iterator[Tables]:
    """Counts in this process."""
    yield from map(begin(), chunks)


def in_memory(name: str, kind: Kind) -> Counting:
    """Keeps nothing on disk."""
    return Counting(kind)


def learn(
    episodes: Iterable[Episode], perception: Perception, spread: Spread = here, keep: Keep = in_memory
) -> WorldModel:
    """A world model from logs. The episodes are read twice: give a list, or a stream that can restart."""
    read = partial(transitions, perception=perception)
    ruleset = prune(induce(count(episodes, perception.domain, read, spread, keep)))
    begin = partial(_observer, ruleset, perception)
    known = keep("knowledge", _knowledge_kind(ruleset)).run(episodes, begin, spread)
    return WorldModel(ruleset, perception, Knowledge(known))


def count(
    items: Iterable[Item],
    domain: RuleSet,
    read: Callable[[Item], Iterable[Transition]],
    spread: Spread = here,
    keep: Keep = in_memory,
) -> Statistics:
    """The statistics of logs. `read`, picklable, gives the transitions of an item: an episode, a file."""
    counting = keep("statistics", storage.kind(domain))
    return storage.with_tables(domain, counting.run(items, partial(_reducer, domain, read), spread))


def _reducer(domain: RuleSet, read: Callable[[Item], Iterable[Transition]]) -> Counter:
    """Reduces the transitions of a chunk."""

    def reduce(chunk: Sequence[Item]) -> Tables:
        statistics = Statistics(domain)
        for item in chunk:
            statistics.update(read(item))
        return storage.tables(statistics)

    return reduce


def _observer(ruleset: RuleSet, perception: Perception) -> Counter:
    """Observes the episodes of a chunk, each by itself: what it shows does not depend on the others."""
    blank = WorldModel(ruleset, perception)

    def look(chunk: Sequence[Episode]) -> Tables:
        found = _nothing_known()
        for episode in chunk:
            blank.knowledge = Knowledge()
            observe(blank, episode)
            counts.add(found, blank.knowledge.tables())
        return found

    return look


def _knowledge_kind(ruleset: RuleSet) -> Kind:
    """Knowledge that was gathered by these rules, and would differ by others."""
    fingerprint = hashlib.sha256(render(ruleset).encode()).hexdigest()
    rows = dict.fromkeys(TABLES, tuple[str, ...])
    what = f"knowledge by the rules of {ruleset.name}"
    return Kind(what, fingerprint, rows, lambda table, row: None, _nothing_known)


def _nothing_known() -> Tables:
    return dict(Knowledge().tables())


def observe(model: WorldModel, episode: Episode) -> None:
    """Adds to the model's knowledge what an episode showed: contents, properties, hidden relations.

    Each episode tells of companions by itself, so that the counts do not depend on the order of the log.
    """
    belief = replace(model.begin(episode.observation), companions=frozenset())
    for step in episode.steps:
        action = model.perception.action(step.action)
        after = model.update(belief, action, step.observation)
        caused = set()
        if action is not None and action.name in model.ruleset.actions:
            binding = model.engine.binding(action)
            for rule in model.ruleset.actions[action.name].rules:
                caused |= {atom.substitute(binding) for atom in (*rule.adds, *rule.deletes)}
        model.knowledge.note(belief.room, belief.state, after.state, caused)
        _note_places(model, belief, after)
        belief = after
    model.knowledge.hidden.update(Cases(model.engine).count(transitions(episode, model.perception)))


def _note_places(model: WorldModel, before: Belief, after: Belief) -> None:
    """Counts pairs of places newly found to be one, and pairs that a move has shown to be two."""
    for predicate, a, b in after.companions - before.companions:
        model.knowledge.note_pair(before.room, predicate, a, b, together=True)
    for predicate in model.shared:
        left = {atom.args[0] for atom in before.state.atoms(predicate)}
        reached = {atom.args[0] for atom in after.state.atoms(predicate)}
        if left and reached and not left & reached:
            for a in left:
                for b in reached:
                    model.knowledge.note_pair(before.room, predicate, a, b, together=False)
