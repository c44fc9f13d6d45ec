"""A game file: the room, the task and the wording of one ALFWorld game."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from rules.errors import WorldModelError
from worldmodel.environments.alfworld.pddl import MAX_CHARACTERS, Expression, Problem, read_problem

MAX_TASK_CHARACTERS = 500


class Document(msgspec.Struct, frozen=True, omit_defaults=True):
    """The JSON of a ``game.tw-pddl`` file.

    Without `pddl_domain` and `grammar` the game follows ALFWorld 0.4, and `task` is its sentence.
    """

    pddl_problem: str
    pddl_domain: str | None = None
    grammar: str | None = None
    solvable: bool | None = None
    walkthrough: tuple[str, ...] | None = None
    task: str | None = None
    task_type: str | None = None


class Wording(NamedTuple):
    """Where ALFWorld 0.3 and 0.4 differ. The game file's grammar decides which, as in TextWorld.

    put, to: ``{put} O {to} R``; arrive_by_name: ``You arrive at desk 1.``, not ``at loc 12.``;
    has_help: there is a ``help`` command.
    """

    put: str
    to: str
    arrive_by_name: bool
    has_help: bool


MOVE = Wording("move", "to", arrive_by_name=True, has_help=True)
PUT = Wording("put", "in/on", arrive_by_name=False, has_help=False)


@dataclass(frozen=True, slots=True)
class Game:
    """One game, read and checked. `problem` keeps the file's own ids; `names` gives what is shown."""

    id: str
    task: str
    task_type: str
    wording: Wording
    problem: Problem = field(repr=False)
    names: Mapping[str, str] = field(repr=False)
    document: Document = field(repr=False)

    @classmethod
    def load(cls, path: str | Path, id: str | None = None) -> Game:
        """Read a game file. Its id is `id`, or else the folder and trial that it lies in.

        Raises `WorldModelError` naming the file and what is wrong with it.
        """
        path = Path(path)
        try:
            size = path.stat().st_size
            data = path.read_bytes() if size <= 4 * MAX_CHARACTERS else b""
        except OSError as error:
            raise WorldModelError(f"{path}: cannot read the game file ({error.strerror})") from None
        if not data:
            raise WorldModelError(f"{path}: {size:,} bytes is no size for a game file")
        try:
            document = msgspec.json.decode(data, type=Document)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise WorldModelError(f"{path}: not a game file: {error}") from None
        default = "/".join(path.parts[-3:-1]) if path.name == "game.tw-pddl" else path.stem
        return cls._read(document, id or default, str(path))

    @classmethod
    def from_document(cls, document: Mapping[str, Any], id: str) -> Game:
        """The game in an already decoded game file; `WorldModelError` names the id instead of a file."""
        try:
            return cls._read(msgspec.convert(dict(document), Document), id, id)
        except msgspec.ValidationError as error:
            raise WorldModelError(f"{id}: not a game file: {error}") from None

    @classmethod
    def _read(cls, document: Document, id: str, source: str) -> Game:
        problem = read_problem(document.pddl_problem, source)
        return cls(
            id=id,
            task=_task(document, source),
            task_type=document.task_type or _task_type(problem.goal),
            wording=_wording(document.grammar, source),
            problem=problem,
            names=demangle({argument for fact in problem.facts for argument in fact[1:]}),
            document=document,
        )


def demangle(ids: Iterable[str]) -> dict[str, str]:
    """The displayed name of each id, in the order of the ids: AlfredDemangler's rule.

    Numbers descend within a type, and an id that has no place in it keeps an empty number.
    """
    bases = {id: _base(id) for id in sorted(ids)}
    left = Counter(base for id, base in bases.items() if "_bar_" in id)
    names = {}
    for id, base in bases.items():
        if "_bar_" in id:
            names[id] = f"{base} {left[base]}"
            left[base] -= 1
        else:
            names[id] = f"{base} "
    return names


def _base(id: str) -> str:
    head, bar, _ = id.partition("_bar_")
    for mark, sign in (("_minus_", "-"), ("_plus_", "+"), ("_dot_", "."), ("_comma_", ",")):
        head = head.replace(mark, sign)
    return head + "basin" if bar and "basin" in id else head


_TASK = re.compile(r'"Your task is to: ((?:[^"\\]|\\.)*)"')


def _task(document: Document, source: str) -> str:
    task = document.task
    if task is None:
        found = _TASK.search(document.grammar or "")
        if not found:
            raise WorldModelError(
                f"{source}: no task: the grammar has no 'Your task is to: ...', nor is there a task"
            )
        try:
            task = str(json.loads(f'"{found[1]}"'))
        except ValueError:
            raise WorldModelError(
                f"{source}: the grammar's task is not a JSON string: {found[1]!r}"
            ) from None
    if not task.isprintable() or not 0 < len(task) <= MAX_TASK_CHARACTERS:
        raise WorldModelError(f"{source}: the task should be one line of text, found {task[:80]!r}")
    return task


def _wording(grammar: str | None, source: str) -> Wording:
    if grammar is None or '"move {o} to {r}"' in grammar:
        return MOVE
    if '"put {o} in/on {r}"' in grammar:
        return PUT
    raise WorldModelError(
        f"{source}: grammar not understood: neither 'move {{o}} to {{r}}' (0.4)"
        " nor 'put {o} in/on {r}' (0.3) is in it"
    )


_TASK_TYPES = {
    "istoggled": "look_at_obj_in_light",
    "ishot": "pick_heat_then_place_in_recep",
    "iscool": "pick_cool_then_place_in_recep",
    "isclean": "pick_clean_then_place_in_recep",
    "=": "pick_two_obj_and_place",
}


def _task_type(goal: Expression) -> str:
    """ALFWorld's name for the form of a goal."""
    heads = set(_heads(goal))
    return next((type_ for mark, type_ in _TASK_TYPES.items() if mark in heads), "pick_and_place_simple")


def _heads(expression: Expression) -> list[str]:
    if isinstance(expression, str) or not expression:
        return []
    head = [expression[0]] if isinstance(expression[0], str) else []
    return head + [name for part in expression for name in _heads(part)]
