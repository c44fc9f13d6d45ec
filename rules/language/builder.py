"""Builds the tree of `rules.ruleset` while the text is parsed.

Every name in the tree that comes out is a `Placed` string, so that the checks can say where a
mistake stands; `plain` turns the tree into ordinary strings once it has passed them.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from lark import Token, Transformer, v_args

from rules.language.limits import MAX_DIGITS, MAX_NAME
from rules.language.messages import InvalidRules, clipped, shown
from rules.logic import EQUALS, IS, WILDCARD, Atom, Clause, Literal
from rules.ruleset import ActionSchema, Evidence, Invariant, Parameter, Relation, Rule, RuleSet

Names = tuple[str, ...]
T = TypeVar("T")


class Placed(str):
    """A string of the tree and where it stands in the text.

    over_types: whether it was written as a relation, ``name(type of ...)``; None where it is no predicate.
    """

    __slots__ = ("column", "line", "over_types")
    line: int
    column: int
    over_types: bool | None

    def __new__(cls, value: str, at: Any, over_types: bool | None = None) -> Placed:
        self = super().__new__(cls, value)
        self.line, self.column, self.over_types = at.line, at.column, over_types
        return self


class Entry(NamedTuple):
    """One declaration: the field of the rule set that it belongs to, its name, its value."""

    field: str
    name: str
    value: Any


KINDS = {
    "types": "type",
    "constants": "constant",
    "predicates": "predicate",
    "relations": "relation",
    "actions": "action",
}


@v_args(inline=True)
class Builder(Transformer[Token, RuleSet]):
    """One method a rule of grammar.lark. Stateless, so that one parser serves all texts."""

    def start(self, name: str, *declarations: Any) -> RuleSet:
        tables: dict[str, dict[str, Any]] = {field: {} for field in KINDS}
        invariants = []
        for declaration in declarations:
            if isinstance(declaration, Invariant):
                invariants.append(declaration)
                continue
            for field, key, value in declaration:
                if key in tables[field]:
                    raise InvalidRules(key, f"{KINDS[field]} {shown(key)} is declared twice", "another name")
                tables[field][key] = value
        return RuleSet(name, invariants=tuple(invariants), **tables)

    def types(self, names: Names, parent: str | None) -> list[Entry]:
        return [Entry("types", name, parent) for name in names]

    def constants(self, names: Names, type_: str) -> list[Entry]:
        return [Entry("constants", name, type_) for name in names]

    def predicate(self, name: str, types: Names | None) -> list[Entry]:
        return [Entry("predicates", name, types or ())]

    def relation(self, name: str, arity: int, *rows: tuple[Names, Evidence] | None) -> list[Entry]:
        table: dict[Names, Evidence] = {}
        for row in rows:
            if row is None:  # the placeholder of an empty table
                continue
            types, evidence = row
            if types in table:
                raise InvalidRules(
                    types[0], f"a second row for {', '.join(map(shown, types))}", "one row a case"
                )
            table[types] = evidence
        return [Entry("relations", name, Relation(name, arity, table))]

    def columns(self, *tokens: Token) -> int:
        return len(tokens)

    def row(self, types: str | Names, evidence: Evidence) -> tuple[Names, Evidence]:
        return types if isinstance(types, tuple) else (types,), evidence

    def count(self, support: Token, against: Token | None) -> Evidence:
        return Evidence(_number(support), _number(against) if against else 0)

    evidence = count

    def invariant(self, body: Clause, head: Clause, evidence: Evidence | None) -> Invariant:
        return Invariant(body, head, evidence or Evidence())

    def action(self, name: str, parameters: tuple[Parameter, ...] | None, *rest: Any) -> list[Entry]:
        command, *rules, otherwise = rest
        schema = ActionSchema(name, parameters or (), command, tuple(rules), otherwise)
        return [Entry("actions", name, schema)]

    def parameters(self, *parameters: Parameter | None) -> tuple[Parameter, ...]:
        return tuple([p for p in parameters if p is not None])

    def parameter(self, name: str, type_: str | None) -> Parameter:
        return Parameter(name) if type_ is None else Parameter(name, type_)

    def rule(
        self,
        name: str,
        evidence: Evidence | None,
        when: tuple[Clause, ...] | None,
        then: tuple[Literal, ...] | None,
        reveals: tuple[Atom, ...] | None,
        says: str | None,
    ) -> Rule:
        adds = tuple([atom for atom, positive in then or () if positive])
        deletes = tuple([atom for atom, positive in then or () if not positive])
        return Rule(name, when or (), adds, deletes, reveals or (), says, evidence or Evidence())

    def _tuple(self, *items: T) -> tuple[T, ...]:
        return items

    names = body = head = clause = when = then = reveals = _tuple

    def positive(self, atom: Atom) -> Literal:
        return Literal(atom)

    def negative(self, atom: Atom) -> Literal:
        return Literal(atom, False)

    def is_type(self, term: str, type_: str) -> Literal:
        return Literal(Atom(IS, (term, type_)))

    def is_not_type(self, term: str, type_: str) -> Literal:
        return Literal(Atom(IS, (term, type_)), False)

    def equal(self, left: str, right: str) -> Literal:
        return Literal(Atom(EQUALS, (left, right)))

    def not_equal(self, left: str, _operator: Token, right: str) -> Literal:
        return Literal(Atom(EQUALS, (left, right)), False)

    def atom(self, predicate: str, *terms: str | None) -> Atom:
        return Atom(
            Placed(predicate, predicate, over_types=False), tuple([t for t in terms if t is not None])
        )

    def lookup(self, relation: str, *terms: str) -> Atom:
        return Atom(Placed(relation, relation, over_types=True), terms)

    def variable(self, token: Token) -> str:
        return _name(token, token)

    bare = wildcard = variable

    def quoted(self, token: Token) -> str:
        name = _unquoted(token)
        if not name or name == WILDCARD or name.startswith("?"):
            raise InvalidRules(
                token, f"{clipped(token)} is no name", "a name; variables and `*` stand without quotes"
            )
        return _name(token, name)

    def text(self, token: Token) -> str:
        return Placed(_unquoted(token), token)


def _name(token: Token, value: str) -> Placed:
    if len(value) > MAX_NAME:
        raise InvalidRules(token, f"a name of {len(value)} characters", f"at most {MAX_NAME}")
    return Placed(value, token)


def _number(token: Token) -> int:
    if len(token) > MAX_DIGITS:
        raise InvalidRules(token, f"a number of {len(token)} digits", f"at most {MAX_DIGITS}")
    return int(token)


def _unquoted(token: Token) -> str:
    try:
        value: str = json.loads(token, strict=False)
    except json.JSONDecodeError as error:
        raise InvalidRules(
            token,
            f"{error.msg[0].lower()}{error.msg[1:]} in a text",
            r"one of \" \\ \/ \b \f \n \r \t \uXXXX",
        ) from None
    return value


def plain(tree: T) -> T:
    """The same tree over ordinary, interned strings."""
    node: Any = tree
    if isinstance(node, str):
        node = sys.intern(str(node))
    elif isinstance(node, tuple):
        items = [plain(item) for item in node]
        node = type(node)(*items) if hasattr(node, "_fields") else tuple(items)
    elif isinstance(node, Mapping):
        node = {plain(key): plain(value) for key, value in node.items()}
    elif dataclasses.is_dataclass(node) and not isinstance(node, type):
        node = type(node)(*[plain(getattr(node, f.name)) for f in dataclasses.fields(node)])
    return node  # type: ignore[no-any-return]
