"""What failures are good for: learning with them and without, from as many transitions.

    python -m benchmarks.failures
    python -m benchmarks.failures --domains miconic vault --budgets 10 40 160 --seeds 5

Walks in the true domain, from the first states of AMLGym's learning traces: of random actions that apply;
or, half of the time, of others, which mostly fail: every other one is an action that applies with one
argument replaced, the rest are any action with any arguments, all of the right types. Failures count: both
logs have as many transitions. The second is also read with its failures dropped, as by a learner that has
no use for them. Then the rules learned from each predict the applicable actions of test states: F1 of the
mean precision and recall over the actions.

AMLGym's domains have conjunctions of facts only; `vault` asks for what is false, and for one of two things.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.corpus import Example, bare, closed, corpora, read
from benchmarks.joins import Joins
from benchmarks.scores import Applicability, placed
from rules.engine import Engine
from rules.induction import Statistics, Transition, induce
from rules.induction.pruning import prune
from rules.logic import TRUE, Action, Atom, State
from rules.pddl import read_domain
from rules.pddl.traces import transition
from rules.ruleset import RuleSet

DOMAINS = ("vault", "elevators", "floortile", "grippers", "miconic", "rovers", "sokoban", "tpp")
EPISODE = 20
"""Transitions of a walk."""
MISSES = 0.5
"""The share of tries that need not apply."""
KINDS = SAFE, BOLD, DROPPED = ("successes only", "with failures", "its failures dropped")
WIDTH = 60

VAULT = """
(define (domain vault)
  (:requirements :typing :negative-preconditions :disjunctive-preconditions)
  (:types room item - object key chest - item)
  (:predicates (at ?r - room) (door ?r - room ?s - room) (locked ?r - room) (lit ?r - room)
    (lies ?i - item ?r - room) (carried ?i - item) (fits ?k - key ?r - room) (heavy ?i - item)
    (open ?c - chest) (lamp) (strong) (full))
  (:action go :parameters (?r - room ?s - room)
    :precondition (and (at ?r) (door ?r ?s) (not (locked ?s)) (or (lit ?s) (lamp)))
    :effect (and (at ?s) (not (at ?r))))
  (:action unlock :parameters (?r - room ?s - room ?k - key)
    :precondition (and (at ?r) (door ?r ?s) (locked ?s) (carried ?k) (fits ?k ?s))
    :effect (not (locked ?s)))
  (:action lock :parameters (?r - room ?s - room ?k - key)
    :precondition (and (at ?r) (door ?r ?s) (not (locked ?s)) (carried ?k) (fits ?k ?s))
    :effect (locked ?s))
  (:action take :parameters (?i - item ?r - room)
    :precondition (and (at ?r) (lies ?i ?r) (not (full)) (or (not (heavy ?i)) (strong)))
    :effect (and (carried ?i) (full) (not (lies ?i ?r))))
  (:action drop :parameters (?i - item ?r - room)
    :precondition (and (at ?r) (carried ?i))
    :effect (and (lies ?i ?r) (not (carried ?i)) (not (full))))
  (:action open_chest :parameters (?c - chest ?r - room)
    :precondition (and (at ?r) (lies ?c ?r) (not (open ?c)) (not (full)))
    :effect (open ?c))
  (:action switch :parameters () :precondition (not (lamp)) :effect (lamp))
  (:action exercise :parameters () :precondition (and (not (strong)) (not (full))) :effect (strong))
  (:action rest :parameters () :precondition (strong) :effect (not (strong))))
"""


class World(NamedTuple):
    """A true domain, what is told of it, where walks begin, and the states to predict."""

    truth: RuleSet
    vocabulary: RuleSet
    starts: Sequence[State]
    examples: Sequence[Example]


# -- worlds


def worlds(folder: Path, only: Sequence[str], states: int) -> Iterator[tuple[str, World]]:
    """The chosen domains."""
    if "vault" in only:
        yield "vault", vault(folder, states)
    for domain in corpora(folder, None, only)[0]:
        starts = [trace[0].before for trace in read(domain.traces("learning"), domain.vocabulary)]
        yield domain.name, World(domain.truth, domain.vocabulary, starts, domain.examples(states, 0))


def vault(folder: Path, states: int) -> World:
    """The domain with negations and disjunctions; its test states are those of other walks."""
    full, empty = folder / "vault.pddl", folder / "vault_bare.pddl"
    full.write_text(VAULT)
    empty.write_text(bare(VAULT))
    truth, vocabulary = read_domain(full, rules=True), read_domain(empty)
    starts = [_rooms(vocabulary, random.Random(number)) for number in range(20)]
    walker = Walker(World(truth, vocabulary, starts[10:], ()), 0, 0.0)
    seen = [t.before for t in walker.walks(3 * states)][::3]
    return World(truth, vocabulary, starts[:10], [Example(s, walker.applicable(s)) for s in seen])


def _rooms(vocabulary: RuleSet, chance: random.Random) -> State:
    """A ring of rooms with a door across; some dark, some locked, and their keys about."""
    rooms = [f"room{number}" for number in range(6)]
    keys, chests = ["key0", "key1"], ["chest0", "chest1"]
    doors = [(rooms[n], rooms[(n + 1) % 6]) for n in range(6)] + [tuple(chance.sample(rooms, 2))]
    locked = chance.sample(rooms[1:], 2)
    true = [Atom("at", ("room0",))]
    true += [Atom("door", pair) for a, b in doors for pair in ((a, b), (b, a))]
    true += [Atom("locked", (room,)) for room in locked]
    true += [Atom("fits", pair) for pair in zip(keys, locked, strict=True)]
    true += [Atom("lit", (room,)) for room in rooms if chance.random() < 0.6]
    true += [Atom("lies", (item, chance.choice(rooms))) for item in (*keys, *chests)]
    true += [Atom("heavy", (item,)) for item in chests if chance.random() < 0.5]
    objects = dict.fromkeys(rooms, "room") | dict.fromkeys(keys, "key") | dict.fromkeys(chests, "chest")
    return State(objects, true, closed(vocabulary))


# -- logs


class Walker:
    """Random walks in a world: of actions that apply, and for a share of the steps of near misses."""

    def __init__(self, world: World, seed: int, misses: float) -> None:
        self._world, self._misses, self._chance = world, misses, random.Random(seed)
        self._engine, self._joins = Engine(world.truth), Joins(world.vocabulary)
        self._conditions = {
            name: [rule.when for rule in placed(schema).rules] for name, schema in world.truth.actions.items()
        }

    def walks(self, length: int) -> Iterator[Transition]:
        """So many transitions."""
        state = self._start()
        for number in range(length):
            action = self._applicable(state)
            if action is None or number % EPISODE == 0:
                state = self._start()
                action = self._applicable(state)
            assert action is not None, "nothing applies in a first state"
            if self._chance.random() < self._misses:
                action = self._near(state, action) if self._chance.random() < 0.5 else self._any(state)
            found = self._step(state, action)
            yield found
            state = found.after

    def applicable(self, state: State) -> dict[str, frozenset[Action]]:
        """The actions that apply, by schema."""
        return {
            name: frozenset([a for when in options for a in self._joins.all(name, when, state)])
            for name, options in self._conditions.items()
        }

    def _start(self) -> State:
        return self._chance.choice(self._world.starts)

    def _applicable(self, state: State) -> Action | None:
        """An action that applies: any schema that has one, then any of its."""
        found = [sorted(actions) for actions in self.applicable(state).values() if actions]
        return self._chance.choice(self._chance.choice(found)) if found else None

    def _near(self, state: State, action: Action) -> Action:
        """The action with one argument replaced by another of its type; any action if it has none."""
        pools = self._joins.places(action.name, state)
        places = [place for place, pool in enumerate(pools) if len(pool) > 1]
        if not places:
            return self._any(state)
        place = self._chance.choice(places)
        other = self._chance.choice([value for value in pools[place] if value != action.args[place]])
        return Action(action.name, (*action.args[:place], other, *action.args[place + 1 :]))

    def _any(self, state: State) -> Action:
        """Any action with arguments of the right types."""
        choices = {name: self._joins.places(name, state) for name in self._joins.actions}
        name = self._chance.choice([name for name, pools in choices.items() if all(pools)])
        return Action(name, tuple([self._chance.choice(pool) for pool in choices[name]]))

    def _step(self, state: State, action: Action) -> Transition:
        worked = self._engine.outcome(state, action).truth is TRUE
        after = self._engine.apply(state, action) if worked else state
        return transition(state, action, worked, State(after.objects, after.true, state.false))


# -- measurement

Row = dict[str, Any]


def measured(world: World, budgets: Sequence[int], seed: int) -> Iterator[Row]:
    """F1 for each kind of log and budget; what is learned is learned from the logs' beginnings."""
    judge = Applicability(world.vocabulary, world.examples)
    safe, bold = (list(Walker(world, seed, misses).walks(max(budgets))) for misses in (0.0, MISSES))
    for budget in budgets:
        tried = bold[:budget]
        for kind, log in zip(KINDS, (safe[:budget], tried, [t for t in tried if t.succeeded]), strict=True):
            statistics = Statistics(world.vocabulary)
            statistics.update(log)
            score = judge.score(prune(induce(statistics)))
            yield {
                "log": kind,
                "seed": seed,
                "budget": budget,
                "failed": sum(not t.succeeded for t in log),
                "precision": score.precision,
                "recall": score.recall,
                "f1": score.f1,
            }


def show(console: Console, rows: Sequence[Row]) -> None:
    """A line a domain and kind of log; then the curve of the means."""
    budgets = sorted({row["budget"] for row in rows})
    table = Table(title="F1 of the applicable actions, from so many transitions")
    table.add_column("domain")
    table.add_column("log")
    for budget in budgets:
        table.add_column(str(budget), justify="right")
    for name in (*dict.fromkeys(row["domain"] for row in rows), None):
        chosen = [row for row in rows if name is None or row["domain"] == name]
        table.add_section()
        usual = [_mean(chosen, SAFE, budget) for budget in budgets]
        for kind in KINDS:
            values = [_mean(chosen, kind, budget) for budget in budgets]
            label = (name or "mean") if kind == SAFE else ""
            table.add_row(label, kind, *[_marked(v, other) for v, other in zip(values, usual, strict=True)])
    console.print(table)
    console.print("+ better than from as many successes, - worse, by more than 0.005")
    plot(console, rows, budgets)


def _mean(rows: Sequence[Row], kind: str, budget: int) -> float:
    return fmean(row["f1"] for row in rows if row["log"] == kind and row["budget"] == budget)


def _marked(value: float, other: float) -> str:
    if abs(value - other) <= 0.005:
        return f"{value:.3f}"
    return f"[green]{value:.3f} +[/]" if value > other else f"[red]{value:.3f} -[/]"


def plot(console: Console, rows: Sequence[Row], budgets: Sequence[int]) -> None:
    """Bars of the means over the domains."""
    for budget in budgets:
        for number, kind in enumerate(KINDS):
            value = _mean(rows, kind, budget)
            bar = "░█▒"[number] * round(WIDTH * value)
            console.print(f"{'' if number else budget:>5} {kind:>21} {bar:<{WIDTH}} {value:.3f}")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--domains", nargs="+", default=DOMAINS)
    parser.add_argument("--budgets", nargs="+", type=int, default=[10, 20, 40, 80, 160, 320])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--states", type=int, default=100, help="test states a domain")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every row")
    args = parser.parse_args(argv)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, world in worlds(Path(folder), args.domains, args.states):
            for seed in range(args.seeds):
                print(f"{name}: seed {seed}", file=sys.stderr, flush=True)
                rows += [row | {"domain": name} for row in measured(world, args.budgets, seed)]
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")
    show(Console(width=None if sys.stdout.isatty() else 120), rows)


if __name__ == "__main__":
    main()
