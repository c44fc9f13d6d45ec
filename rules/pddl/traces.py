"""Logged traces in PDDL's manner -> transitions.

::

    (:trajectory
      (:state (at truck1 depot1) (empty truck1))          ; also (:observation ...), (:init ...)
      (:action (drive truck1 depot1 market1))             ; also (operator: (drive ...))
      (:state (at truck1 market1) (empty truck1))
      (:failed (drive truck1 depot1 market1))             ; was tried and refused
      (:state (at truck1 market1) (empty truck1)))

States are complete: what they do not state is false. But where any state of a trace holds a
``(not ...)`` all are partial: what they neither state nor deny is unknown. Traces name no types, so an
object's type is the most specific one of the places that it takes in atoms and actions.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from rules.errors import WorldModelError
from rules.induction import Transition
from rules.language.messages import nearest, one_of, shown
from rules.logic import WILDCARD, Action, Atom, State
from rules.pddl.forms import Form, forms
from rules.ruleset import ANY, RuleSet

STATES = frozenset({":state", ":observation", ":init"})
ACTIONS = {":action": True, "operator:": True, ":failed": False}
"""Heads of actions, and whether they succeeded."""
CACHED = 2**17

_ITEM = re.compile(r"\(\s*(?:(not)\s*\(([^()]*)\)\s*|([^()]*))\)")


def read_trace(path: str | os.PathLike[str], domain: RuleSet) -> Iterator[Transition]:
    """The transitions of a trace file over a domain's vocabulary, as they are read.

    The file is read twice, first for the objects' types. `after` of a transition is the logged next
    state itself, also where that state is partial: what it leaves open is unknown, not carried over.

    Raises `WorldModelError`, with file and line, where the file is no trace of this domain.
    """
    reader = _Reader(path, domain)
    objects = reader.types()
    state: State | None = None
    pending: tuple[Action, bool] | None = None
    for form in forms(path):
        if form.head in STATES:
            after = reader.state(form, objects)
            if state is not None:
                if pending is None:
                    raise reader.error(form, f"a second {form.head}", "an action between two states")
                yield transition(state, *pending, after)
            state, pending = after, None
        elif form.head in ACTIONS:
            if state is None or pending is not None:
                raise reader.error(form, f"{form.head} without a state before it", "a state")
            pending = reader.action(form), ACTIONS[form.head]
        elif not form.head:
            if pending is not None:
                raise reader.error(form, f"no state after {pending[0]}", "a state")
            state = None
        else:
            raise reader.error(form, f"({form.head[:80]} ...", "(:state ...) or (:action ...)")


def transition(before: State, action: Action, succeeded: bool, after: State) -> Transition:
    """The transition between two logged states: the next state is all that was seen."""
    complete = any(WILDCARD in atom.args for atom in after.false)
    found = Transition(before, action, after.true, after.false, succeeded, persists=complete)
    vars(found)["after"] = after  # what the cached property would derive, known already
    return found


class _Reader:
    """Forms of one file -> states and actions. Atoms recur from state to state, so they are read once."""

    def __init__(self, path: str | os.PathLike[str], domain: RuleSet) -> None:
        self.path, self.domain = path, domain
        self.closure = frozenset(
            [Atom(name, (WILDCARD,) * len(types)) for name, types in domain.predicates.items()]
        )
        self.parameters = {
            name: [p.type for p in schema.parameters] for name, schema in domain.actions.items()
        }
        self._atom = lru_cache(maxsize=CACHED)(_split)
        self.partial = False

    def error(self, form: Form, found: str, expected: str) -> WorldModelError:
        return WorldModelError(f"{self.path}:{form.line}: {found}; expected {expected}")

    def state(self, form: Form, objects: Mapping[str, str]) -> State:
        true, false = self._atoms(form)
        if self.partial:
            return State(objects, true, false - true)
        return State(objects, true, self.closure - true)

    def _atoms(self, form: Form) -> tuple[frozenset[Atom], frozenset[Atom]]:
        items, atom = _ITEM.findall(form.body), self._atom
        true = frozenset([atom(text) for negated, _, text in items if not negated])
        false = frozenset([atom(text) for negated, text, _ in items if negated])
        return true, false

    def action(self, form: Form) -> Action:
        items = _ITEM.findall(form.body)
        if len(items) != 1 or items[0][0]:
            raise self.error(
                form, f"`{form.body.strip()[:80]}`", f"one action, as in ({form.head} (move a b))"
            )
        return Action(*self._atom(items[0][2]))

    def types(self) -> dict[str, str]:
        """The objects of the file and their types; checks all of the file on the way."""
        found = dict(self.domain.constants)
        seen: set[tuple[str, str, str]] = set()
        for form in forms(self.path):
            left = " ".join(_ITEM.sub("", form.body).split())
            if left:
                raise self.error(form, f"`{left[:80]}` in ({form.head} ...)", "atoms and negated atoms")
            if form.head in STATES:
                new = set(_ITEM.findall(form.body)) - seen
                seen |= new
                self.partial = self.partial or any(negated for negated, _, _ in new)
                for _, denied, stated in sorted(new):
                    self._place(form, self._atom(denied or stated), self.domain.predicates, found)
            elif form.head in ACTIONS:
                self._place(form, self.action(form), self.parameters, found)
        return found

    def _place(
        self,
        form: Form,
        atom: Atom | Action,
        signatures: Mapping[str, Sequence[str]],
        found: dict[str, str],
    ) -> None:
        """Narrows the types of an atom's or action's arguments to those of the places they take."""
        name, args = atom
        if name not in signatures:
            raise self.error(form, f"unknown {shown(name)}{nearest(name, signatures)}", one_of(signatures))
        types = signatures[name]
        if len(args) != len(types):
            raise self.error(form, f"{shown(name)} with {len(args)} arguments", f"{len(types)}")
        for arg, place in zip(args, types, strict=True):
            known = found.get(arg, ANY)
            if arg in self.domain.constants or self.domain.is_a(known, place):
                found.setdefault(arg, known)
            elif self.domain.is_a(place, known):
                found[arg] = place
            else:
                where = f"{shown(arg)} where {shown(name)} takes {shown(place)}"
                raise self.error(form, where, f"an object of type {shown(known)}, as it is elsewhere")


def _split(text: str) -> Atom:
    name, *args = text.split() or [""]
    return Atom(name, tuple(args))
