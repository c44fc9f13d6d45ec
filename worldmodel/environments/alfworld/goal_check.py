"""A PDDL goal, compiled once into a test of a state.

A goal of the goal library is a conjunction under existential quantifiers. Its literals fall into
groups that share no variable; for each group the bindings that the static facts allow are listed
when the game is loaded, so that a test only looks at what can change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

from rules.errors import WorldModelError
from worldmodel.environments.alfworld.pddl import Expression, Fact, show, typed_names

S = TypeVar("S")
Test = Callable[[S], bool]
Binding = dict[str, str]
MAX_BINDINGS = 20_000


class Condition(NamedTuple):
    """A literal of a goal: its terms are variables (``?x``) or constants."""

    predicate: str
    terms: tuple[str, ...]
    positive: bool = True

    def ground(self, binding: Binding) -> tuple[str, ...]:
        return tuple([binding.get(term, term) for term in self.terms])

    @property
    def variables(self) -> set[str]:
        return {term for term in self.terms if term.startswith("?")}


class GoalCompiler(Generic[S]):
    """Turns a goal into a test.

    objects: name -> type. facts: the facts that never change. fluents: for each predicate that may
    change, what gives the test of one ground atom. source: what errors name.
    """

    def __init__(
        self,
        objects: Mapping[str, str],
        facts: Iterable[Fact],
        fluents: Mapping[str, Callable[..., Test[S]]],
        source: str,
    ) -> None:
        self.objects, self.fluents, self.source = objects, fluents, source
        self.facts: dict[str, dict[tuple[str, ...], None]] = {}
        for predicate, *arguments in facts:
            self.facts.setdefault(predicate, {})[tuple(arguments)] = None  # an ordered set

    def compile(self, goal: Expression) -> Test[S]:
        """The test; `WorldModelError` for a form that is not in the goal library."""
        types: dict[str, str] = {}
        conditions = list(self._flatten(goal, {}, types))
        groups = [self._alternatives(group, types) for group in _groups(conditions)]

        def reached(state: S) -> bool:
            for alternatives in groups:
                for tests in alternatives:
                    if all(test(state) for test in tests):
                        break
                else:
                    return False
            return True

        return reached

    def _flatten(self, goal: Expression, scope: dict[str, str], types: dict[str, str]) -> Iterator[Condition]:
        """The goal's literals; `types` takes in the quantified variables, renamed apart."""
        match goal:
            case ("and", *parts):
                for part in parts:
                    yield from self._flatten(part, scope, types)
            case ("exists", tuple(variables), body):
                scope = dict(scope)
                for name, type_ in typed_names(variables, self.source):
                    scope[name] = f"{name}.{len(types)}"
                    types[scope[name]] = type_
                yield from self._flatten(body, scope, types)
            case ("not", tuple(atom)):
                yield self._literal(atom, scope, positive=False)
            case tuple():
                yield self._literal(goal, scope, positive=True)
            case _:
                raise self._error(goal)

    def _literal(self, atom: tuple[Expression, ...], scope: dict[str, str], positive: bool) -> Condition:
        terms = [scope.get(term, term) for term in atom if isinstance(term, str)]
        known = terms and (terms[0] in self.facts or terms[0] in self.fluents or terms[0] in _STATIC)
        unbound = [t for t in terms[1:] if t not in scope.values() and t not in self.objects]
        if not known or unbound or len(terms) != len(atom):
            raise self._error(atom)
        return Condition(terms[0], tuple(terms[1:]), positive)

    def _alternatives(self, group: list[Condition], types: dict[str, str]) -> list[tuple[Test[S], ...]]:
        """One conjunction of tests for every binding that the static facts allow."""
        static = [c for c in group if c.predicate not in self.fluents]
        bindings: list[Binding] = [{}]
        for condition in (c for c in static if c.positive and c.predicate != "="):
            found = (b for old in bindings for b in self._matches(condition, old, types))
            bindings = list(islice(found, MAX_BINDINGS + 1))
            self._bound(bindings)
        for variable in sorted(set().union(*[c.variables for c in group])):
            if bindings and variable not in bindings[0]:
                names = [name for name in self.objects if self._has_type(name, types[variable])]
                self._bound(range(len(bindings) * len(names)))
                bindings = [{**old, variable: name} for old in bindings for name in names]
        fluent = [c for c in group if c.predicate in self.fluents]
        return [
            tuple([self._test(c, binding) for c in fluent])
            for binding in bindings
            if all(self._holds(c, binding) for c in static)
        ]

    def _matches(self, condition: Condition, binding: Binding, types: dict[str, str]) -> Iterator[Binding]:
        terms = condition.ground(binding)
        for arguments in self.facts.get(condition.predicate, ()):
            found = dict(binding)
            for term, argument in zip(terms, arguments, strict=False):
                if term.startswith("?") and self._has_type(argument, types[term]):
                    if found.setdefault(term, argument) != argument:
                        break
                elif term != argument:
                    break
            else:
                yield found

    def _holds(self, condition: Condition, binding: Binding) -> bool:
        terms = condition.ground(binding)
        equal = condition.predicate == "=" and terms[0] == terms[1]
        return (equal or terms in self.facts.get(condition.predicate, ())) is condition.positive

    def _test(self, condition: Condition, binding: Binding) -> Test[S]:
        try:
            test = self.fluents[condition.predicate](*condition.ground(binding))
        except TypeError:
            raise self._error((condition.predicate, *condition.terms)) from None
        return test if condition.positive else lambda state: not test(state)

    def _has_type(self, name: str, type_: str) -> bool:
        return type_ == "object" or self.objects[name] == type_  # PDDL's root type is `object`

    def _bound(self, bindings: list[Binding] | range) -> None:
        if len(bindings) > MAX_BINDINGS:
            raise WorldModelError(f"{self.source}: goal not understood: over {MAX_BINDINGS:,} bindings")

    def _error(self, part: Expression) -> WorldModelError:
        return WorldModelError(
            f"{self.source}: goal not understood at {show(part)}; expected a conjunction of literals"
            " under exists, as in ALFWorld's goal library"
        )


_STATIC = frozenset(
    "= objecttype receptacletype receptacleatlocation openable pickupable cleanable heatable coolable"
    " toggleable sliceable cancontain isreceptacleobject inreceptacleobject".split()
)


def _groups(conditions: list[Condition]) -> list[list[Condition]]:
    """The literals, grouped so that two groups share no variable."""
    groups: list[tuple[set[str], list[Condition]]] = []
    for condition in conditions:
        variables, members = set(condition.variables), [condition]
        apart = []
        for group in groups:
            if group[0] & variables:
                variables |= group[0]
                members = group[1] + members
            else:
                apart.append(group)
        groups = [*apart, (variables, members)]
    return [members for _, members in groups]
