"""AMLGym's domains, traces and test states; logs made from them: cut short, literals hidden or flipped.

Learners see the domain without preconditions and effects (`bare`): names, types and parameters only.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import subprocess
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import NamedTuple

from rules.errors import WorldModelError
from rules.induction import Transition
from rules.logic import WILDCARD, Action, Atom, State
from rules.pddl import read_domain, read_trace
from rules.ruleset import ANY, RuleSet

ARCHIVE = Path(__file__).resolve().parents[2] / "shared" / "data" / "amlgym" / "amlgym_11_domains.tar.xz"
FIND = "import importlib.util as u; print(next(iter(u.find_spec('amlgym').submodule_search_locations)))"


class Example(NamedTuple):
    """A test state, and its applicable actions, by schema."""

    state: State
    applicable: Mapping[str, frozenset[Action]]


class Domain:
    """One domain of AMLGym, in an unpacked archive or in its package."""

    def __init__(self, root: Path, name: str, folder: Path) -> None:
        self.name, self._root = name, root
        self.file = root / "domains" / f"{name}.pddl"
        self.bare = folder / f"{name}.pddl"
        self.bare.write_text(bare(self.file.read_text()))

    @cached_property
    def truth(self) -> RuleSet:
        return read_domain(self.file, rules=True)

    @cached_property
    def vocabulary(self) -> RuleSet:
        return read_domain(self.bare)

    def traces(self, kind: str) -> list[Path]:
        """The trace files of a kind, `learning` or `learning_hard`, in the order of their numbers."""
        found = (self._root / "trajectories" / kind / self.name).glob("*_traj")
        return sorted(found, key=lambda path: int(path.name.split("_")[0]))

    def examples(self, limit: int, seed: int) -> list[Example]:
        """Reachable states with their applicable actions: a sample, the same for every learner."""
        packed = self._root / "states_fast_gz" / f"{self.name}.json.gz"
        if packed.exists():
            problems = json.loads(gzip.decompress(packed.read_bytes()))
        else:
            states = self._root / "states" / "predictive_power_fast" / self.name / "test_states.json"
            problems = json.loads(states.read_text())
        found = [example for states in problems.values() for example in self._examples(states.values())]
        chance = random.Random(f"{seed} {self.name}")
        return chance.sample(found, min(limit, len(found))) if limit else found

    def _examples(self, states: Iterable[Mapping[str, object]]) -> Iterator[Example]:
        """The states of one problem. Its objects' types are those of the places that they take."""
        read = [_example(state) for state in states]
        objects = dict(self.vocabulary.constants)
        for true, applicable in read:
            for atom in true:
                _narrow(self.vocabulary, objects, atom.args, self.vocabulary.predicates[atom.predicate])
            for name, actions in applicable.items():
                types = [p.type for p in self.vocabulary.actions[name].parameters]
                for action in actions:
                    _narrow(self.vocabulary, objects, action.args, types)
        closure = closed(self.vocabulary)
        for true, applicable in read:
            yield Example(State(objects, true, closure), applicable)


def corpora(folder: Path, python: str | None, only: Sequence[str]) -> tuple[list[Domain], list[Domain]]:
    """The domains of the archive, and those that only the package in the peers' environment has."""
    with tarfile.open(ARCHIVE) as packed:
        packed.extractall(folder, filter="data")
    ours = _domains(folder, folder / "bare", only)
    if python is None:
        return ours, []
    found = subprocess.run([python, "-c", FIND], capture_output=True, text=True, check=True, timeout=60)
    names = {domain.name for domain in _domains(folder, folder / "bare", ())}
    package = Path(found.stdout.strip()) / "benchmarks"
    return ours, [d for d in _domains(package, folder / "bare", only) if d.name not in names]


def _domains(root: Path, folder: Path, only: Sequence[str]) -> list[Domain]:
    folder.mkdir(exist_ok=True)
    names = sorted(path.name for path in (root / "trajectories" / "learning").iterdir())
    return [Domain(root, name, folder) for name in names if not only or name in only]


def bare(text: str) -> str:
    """A domain's text with every precondition and effect emptied, without comments."""
    text = re.sub(r";[^\n]*", "", text)
    kept, position = [], 0
    for found in re.finditer(r":(?:precondition|effect)\s*", text):
        kept.append(text[position : found.end()] + "(and )")
        position = _end(text, found.end())
    return "".join(kept) + text[position:]


def _end(text: str, begin: int) -> int:
    """The end of the form that begins here."""
    depth = 0
    for found in re.compile(r"[()]").finditer(text, begin):
        depth += 1 if found[0] == "(" else -1
        if not depth:
            return found.end()
    raise WorldModelError(f"no PDDL: a bracket is open at character {begin}; expected it to be closed")


def closed(domain: RuleSet) -> frozenset[Atom]:
    """The denials that make a state closed-world."""
    return frozenset([Atom(name, (WILDCARD,) * len(types)) for name, types in domain.predicates.items()])


def _example(state: Mapping[str, object]) -> tuple[frozenset[Atom], dict[str, frozenset[Action]]]:
    fluents, applicable = state["fluents"], state["applicable_actions"]
    assert isinstance(fluents, list) and isinstance(applicable, dict)
    words = [fluent.lower().strip("()").split() for fluent in fluents]
    actions = {
        name.lower(): frozenset([Action(name.lower(), tuple([a.lower() for a in args])) for args in found])
        for name, found in applicable.items()
    }
    return frozenset([Atom(w[0], tuple(w[1:])) for w in words]), actions


def _narrow(domain: RuleSet, objects: dict[str, str], args: Sequence[str], types: Sequence[str]) -> None:
    for arg, type_ in zip(args, types, strict=True):
        if arg not in domain.constants and domain.is_a(type_, objects.get(arg, ANY)):
            objects[arg] = type_


# -- logs


def first(traces: Sequence[Sequence[Transition]], transitions: int, seed: int) -> list[list[Transition]]:
    """So many transitions: the first of the traces, in a shuffled order."""
    found: list[list[Transition]] = []
    for trace in random.Random(seed).sample(traces, len(traces)):
        left = transitions - sum(map(len, found))
        if left > 0:
            found.append([*trace[:left]])
    return found


def corrupted(
    trace: Sequence[Transition], domain: RuleSet, hidden: float, flipped: float, chance: random.Random
) -> list[State]:
    """The states of a trace, of which a share of the literals is hidden, or flipped.

    A state's literals are its atoms, and what is false of the objects of the actions just before and
    after and of the domain's constants. Hidden ones are left out, each by itself; what is left is a
    partial state. Flipped ones make another complete state.
    """
    states = [trace[0].before, *[t.after for t in trace]]
    literals = [set(state.true) for state in states]
    for number, transition in enumerate(trace):
        about = set(_about(domain, transition))
        literals[number] |= about
        literals[number + 1] |= about
    return [
        _hidden(state, found, hidden, chance) if hidden else _flipped(state, found, flipped, chance)
        for state, found in zip(states, literals, strict=True)
    ]


def _hidden(state: State, atoms: set[Atom], rate: float, chance: random.Random) -> State:
    kept = {atom for atom in sorted(atoms) if chance.random() >= rate}
    return State(state.objects, kept & state.true, kept - state.true)


def _flipped(state: State, atoms: set[Atom], rate: float, chance: random.Random) -> State:
    return State(state.objects, state.true ^ {atom for atom in sorted(atoms) if chance.random() < rate})


def _about(domain: RuleSet, transition: Transition) -> Iterator[Atom]:
    """Every well-typed atom over an action's objects and the constants."""
    objects = transition.before.objects
    names = dict.fromkeys([*transition.action.args, *domain.constants])
    types = {name: objects.get(name) or domain.constants.get(name, ANY) for name in names}
    for predicate, signature in domain.predicates.items():
        pools = [[n for n, own in types.items() if domain.is_a(own, place)] for place in signature]
        for args in product(*pools):
            yield Atom(predicate, args)


def written(path: Path, states: Sequence[State], trace: Sequence[Transition]) -> Path:
    """A trace file in AMLGym's format, one state or action a line; what is false is written if it is told."""
    lines = [_state(states[0])]
    for transition, state in zip(trace, states[1:], strict=True):
        head = ":action" if transition.succeeded else ":failed"
        lines += [f"({head} {_form(transition.action)})", _state(state)]
    path.write_text("\n\n".join(["(:trajectory", *lines, ")"]) + "\n")
    return path


def _state(state: State) -> str:
    denied = [atom for atom in state.false if WILDCARD not in atom.args]
    literals = [*map(_form, sorted(state.true)), *[f"(not {_form(atom)})" for atom in sorted(denied)]]
    return f"(:state {' '.join(literals)})"


def _form(atom: Atom | Action) -> str:
    return f"({' '.join([atom[0], *atom.args])})"


def read(paths: Sequence[Path], domain: RuleSet) -> list[list[Transition]]:
    """The transitions of trace files."""
    return [list(read_trace(path, domain)) for path in paths]
