"""Questions to z3 about one theory, with cores and worlds for answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any

import z3

from rules.errors import WorldModelError
from rules.logic import FALSE, TRUE, UNKNOWN, WILDCARD, Atom, Literal, State, Truth
from rules.ruleset import ANY
from rules.verification.bounds import Capacity
from rules.verification.encoding import MAX_STEPS, Encoding, TooLargeError, negation
from rules.verification.formulas import Formula, literals
from rules.verification.theory import Theory

RLIMIT = 2_000_000
"""z3's resource units for one question: reproducible, unlike seconds."""

WORK = 50_000_000
"""Units for all questions of one solver together; each literal of a question counts as `LITERAL`."""

LITERAL = 5


@dataclass(frozen=True, slots=True)
class World:
    """A model, read back: a closed-world state, the objects that parameters name, and what is
    assumed of relations whose tables do not say."""

    state: State
    parameters: Mapping[str, str]
    assumed: tuple[Literal, ...]


class Solver:
    """One z3 solver for a theory, kept from question to question; it grows when a question needs
    more objects. Not to be shared between threads."""

    def __init__(self, theory: Theory, rlimit: int = RLIMIT) -> None:
        self.theory, self.rlimit = theory, rlimit
        self.questions = self.work = 0
        self._encoding = Encoding(theory, Capacity().covering(theory, theory.invariants))

    def satisfiable(self, formulas: Sequence[Formula], invariants: Sequence[int] | None = None) -> Truth:
        """Whether the formulas can hold together, where these invariants hold (by default all)."""
        self._fit(formulas)
        chosen = range(len(self.theory.invariants)) if invariants is None else invariants
        assertions = [*formulas, *(self.theory.invariants[i] for i in chosen)]
        try:
            return self._ask([self._encoding.select(f) for f in assertions])
        except TooLargeError:
            self._spend(LITERAL * MAX_STEPS)
            return UNKNOWN

    def core(
        self, formulas: Sequence[Formula], invariants: Sequence[int] | None = None
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Of an unsatisfiable question, formulas and invariants of which none can be left out.

        Of any other question, none.
        """
        chosen = list(range(len(self.theory.invariants)) if invariants is None else invariants)
        if self.satisfiable(formulas, chosen) is not FALSE:
            return (), ()
        found = {str(selector) for selector in self._encoding.solver.unsat_core()}
        kept = [i for i, f in enumerate(formulas) if str(self._encoding.select(f)) in found]
        held = [i for i in chosen if str(self._encoding.select(self.theory.invariants[i])) in found]
        for i in tuple(held):
            without = [j for j in held if j != i]
            if self.satisfiable(formulas, without) is FALSE:
                held = without
        for i in tuple(kept):
            fewer = [j for j in kept if j != i]
            if self.satisfiable([formulas[j] for j in fewer], held) is FALSE:
                kept = fewer
        return tuple(kept), tuple(held)

    def world(self, formulas: Sequence[Formula], wishes: Iterable[Formula] = ()) -> World:
        """A small world in which the formulas and all invariants hold; the last answer was TRUE.

        Wishes are granted one by one where they can be; then whatever need not be there, goes.
        """
        self._fit([*formulas, *wishes])
        encoding = self._encoding
        assumed = [encoding.select(f) for f in (*formulas, *self.theory.invariants)] + [encoding.closed]
        wanted, removable = self._wanted(wishes), self._removable()
        for wish in wanted:
            if self._check([*assumed, wish]) == z3.sat:
                assumed.append(wish)
        self._check(assumed)
        model = encoding.solver.model()
        for value in removable:
            if not z3.is_true(model.eval(value)):
                assumed.append(negation(value))
            elif self._check([*assumed, negation(value)]) == z3.sat:
                assumed.append(negation(value))
                model = encoding.solver.model()
        return _World(encoding, model).read()

    def _wanted(self, wishes: Iterable[Formula]) -> list[Any]:
        """The wishes that are not too large to be granted."""
        wanted = []
        for wish in wishes:
            with suppress(TooLargeError):
                wanted.append(self._encoding.select(wish))
        return wanted

    def _removable(self) -> list[Any]:
        """Propositions that a small world does without: objects, then facts."""
        encoding, predicates = self._encoding, self.theory.ruleset.predicates
        there = [encoding.of_type(name, ANY) for name in encoding.objects(ANY)]
        facts = [b for atom, b in encoding.atoms.items() if atom.predicate in predicates]
        return [b for b in (*there, *facts) if not isinstance(b, bool)]

    def _fit(self, formulas: Sequence[Formula]) -> None:
        asked = [*formulas, *self.theory.invariants]
        self._spend(LITERAL * sum(1 for formula in asked for _ in literals(formula)))
        needed = self._encoding.capacity.covering(self.theory, asked)
        if needed != self._encoding.capacity:
            self._encoding = Encoding(self.theory, needed)

    def _ask(self, assumptions: list[Any]) -> Truth:
        """Unsatisfiable with the core's instances alone, or satisfiable with all; else unknown."""
        self.questions += 1
        encoding = self._encoding
        answer = self._check([*assumptions, encoding.closed])
        if answer == z3.sat:
            return TRUE
        if answer == z3.unknown or encoding.capacity.crowded:
            return UNKNOWN
        return FALSE if self._check(assumptions) == z3.unsat else UNKNOWN

    def _check(self, assumptions: list[Any]) -> Any:
        solver = self._encoding.solver
        solver.set("rlimit", self.rlimit)
        before = _resources(solver)
        answer = solver.check(*assumptions)
        self._spend(_resources(solver) - before)
        return answer

    def _spend(self, units: int) -> None:
        self.work += units
        if self.work > WORK:
            raise WorldModelError(
                f"rule set {self.theory.ruleset.name}: z3 has spent {WORK:,} units after {self.questions:,}"
                " questions; expected a smaller rule set: check its actions apart"
            )


def _resources(solver: Any) -> int:
    """What a solver has spent so far."""
    statistics = solver.statistics()
    return int(statistics.get_key_value("rlimit count")) if "rlimit count" in statistics.keys() else 0  # noqa: SIM118


class _World:
    """Reads a z3 model as a state."""

    def __init__(self, encoding: Encoding, model: Any) -> None:
        self.encoding, self.model = encoding, model
        self.types: dict[str, str] = {}
        self.names: dict[str, str] = {}
        for name, kinds in encoding.kinds.items():
            for type_, value in kinds.items():
                if self._true(value):
                    self.types[name] = type_
                    self.names[name] = self._readable(name, type_)

    def _readable(self, name: str, type_: str) -> str:
        constants, taken = self.encoding.theory.ruleset.constants, set(self.names.values())
        if name in constants:
            return name
        return next(n for i in count(1) if (n := f"{type_} {i}") not in taken and n not in constants)

    def _true(self, value: Any) -> bool:
        return value if isinstance(value, bool) else z3.is_true(self.model.eval(value))

    def read(self) -> World:
        ruleset = self.encoding.theory.ruleset
        true: list[Atom] = []
        assumed: dict[Literal, None] = {}
        for atom, value in self.encoding.atoms.items():
            if not all(arg in self.names for arg in atom.args):
                continue
            relation = ruleset.relations.get(atom.predicate)
            named = atom.substitute(self.names)
            if relation is None:
                if self._true(value):
                    true.append(named)
            elif relation.truth(tuple(self.types[a] for a in atom.args)) is UNKNOWN:
                types = tuple(self.types[a] for a in atom.args)
                assumed[Literal(Atom(atom.predicate, types), self._true(value))] = None
        closed = [Atom(p, (WILDCARD,) * len(types)) for p, types in ruleset.predicates.items()]
        objects = {self.names[n]: t for n, t in self.types.items()}
        return World(State(objects, true, closed), self._parameters(), tuple(assumed))

    def _parameters(self) -> dict[str, str]:
        return {
            parameter: self.names[name]
            for parameter, place in self.encoding.places.items()
            for name, here in place.items()
            if name in self.names and self._true(here)
        }
