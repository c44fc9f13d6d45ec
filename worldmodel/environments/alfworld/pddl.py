"""Reading the problem half of a game file: objects, initial facts and goal, as plain data.

ALFWorld's problems are flat PDDL: typed objects, ground atoms, one goal. Like Fast Downward, the
reader takes names in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from rules.errors import WorldModelError

Expression: TypeAlias = "str | tuple[Expression, ...]"
Fact = tuple[str, ...]
"""A ground atom: the predicate, then its arguments."""

MAX_CHARACTERS, MAX_DEPTH = 2_000_000, 40
_TOKEN = re.compile(r"[()]|[^\s()]+")
_COMMENT = re.compile(r";[^\n]*")


class Problem(NamedTuple):
    """objects: name -> type; facts: what holds at the start; goal: the expression after ``:goal``."""

    objects: dict[str, str]
    facts: list[Fact]
    goal: Expression


def read_problem(text: str, source: str) -> Problem:
    """The problem that `text` defines; `WorldModelError` naming `source` where it is none."""
    document = parse(text, source)
    if document[:1] != ("define",):
        raise WorldModelError(f"{source}: pddl_problem should begin with (define (problem ...")
    sections = {part[0]: part[1:] for part in document[1:] if isinstance(part, tuple) and part}
    for name in (":objects", ":init", ":goal"):
        if name not in sections:
            raise WorldModelError(f"{source}: pddl_problem has no ({name} ...) section")
    if len(sections[":goal"]) != 1:
        raise WorldModelError(f"{source}: goal not understood: (:goal ...) should hold one expression")
    objects = dict(typed_names(sections[":objects"], source))
    facts = list(_facts(sections[":init"], objects, source))
    return Problem(objects, facts, sections[":goal"][0])


def parse(text: str, source: str) -> tuple[Expression, ...]:
    """One parenthesised expression as nested tuples, bounded in size and depth."""
    if len(text) > MAX_CHARACTERS:
        raise WorldModelError(f"{source}: pddl_problem is longer than {MAX_CHARACTERS:,} characters")
    stack: list[list[Expression]] = [[]]
    for token in _TOKEN.findall(_COMMENT.sub("", text.lower())):
        if token == "(":
            if len(stack) > MAX_DEPTH:
                raise WorldModelError(f"{source}: pddl_problem is nested deeper than {MAX_DEPTH}")
            stack.append([])
        elif token == ")":
            if len(stack) == 1:
                raise WorldModelError(f"{source}: pddl_problem has a ) without its (")
            closed = tuple(stack.pop())
            stack[-1].append(closed)
        else:
            stack[-1].append(token)
    if len(stack) > 1 or len(stack[0]) != 1 or isinstance(stack[0][0], str):
        raise WorldModelError(f"{source}: pddl_problem should be one expression with every ( closed")
    return stack[0][0]


def typed_names(items: tuple[Expression, ...], source: str) -> Iterator[tuple[str, str]]:
    """``a b - t c - u`` as (name, type) pairs; a name without a type is an ``object``."""
    waiting: list[str] = []
    tokens = iter(items)
    for token in tokens:
        if not isinstance(token, str):
            raise WorldModelError(f"{source}: expected a list of names and types, found {show(token)}")
        if token == "-":
            type_ = next(tokens, None)
            if not isinstance(type_, str):
                raise WorldModelError(f"{source}: expected a type after '-' in a list of names")
            yield from ((name, type_) for name in waiting)
            waiting = []
        else:
            waiting.append(token)
    yield from ((name, "object") for name in waiting)


def _facts(items: tuple[Expression, ...], objects: dict[str, str], source: str) -> Iterator[Fact]:
    for item in items:
        if isinstance(item, tuple) and item[:1] == ("=",):
            continue  # a cost or a distance: no action reads it
        fact = tuple(part for part in item if isinstance(part, str))
        if isinstance(item, str) or not item or len(fact) != len(item):
            raise WorldModelError(f"{source}: expected a ground fact in (:init ...), found {show(item)}")
        for argument in fact[1:]:
            if argument not in objects:
                raise WorldModelError(f"{source}: {show(item)} names {argument!r}, not in (:objects ...)")
        yield fact


def show(expression: Expression) -> str:
    """An expression as PDDL text, cut to the length of a message."""
    if isinstance(expression, str):
        return expression[:80]
    text = f"({' '.join(map(show, expression))})"
    return text if len(text) <= 120 else text[:117] + "..."
