"""A PDDL domain as a rule set. The one module that wraps the parser, unified-planning.

`pddl` pins lark below 1.2, `tarski` wants a problem beside every domain, `lifted-pddl` knows no
quantifiers; unified-planning is maintained, knows all of ADL, and plans are checked with it anyway.
"""

from __future__ import annotations

import os
import re
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from rules.errors import WorldModelError
from rules.language import InvalidRules, check
from rules.pddl.actions import bare_schema, schema
from rules.pddl.conditions import type_name
from rules.pddl.names import OBJECT
from rules.pddl.quantifiers import Unsayable
from rules.ruleset import RuleSet

MAX_BYTES = 4 * 2**20
MAX_DEPTH = 100


def read_domain(path: str | os.PathLike[str], *, rules: bool = False) -> RuleSet:
    """The vocabulary of a PDDL domain file, and on request its actions' preconditions and effects as rules.

    Raises `WorldModelError` where the file cannot be read, is no PDDL, or says what rules cannot say,
    and where unified-planning is not installed.
    """
    problem = _parse(path)
    try:
        ruleset = _ruleset(problem, rules)
        check(ruleset)
    except (InvalidRules, Unsayable) as error:
        raise WorldModelError(f"{path}: {error}") from None
    return ruleset


def _ruleset(problem: Any, rules: bool) -> RuleSet:
    vocabulary = RuleSet(
        name=problem.name,
        types={t.name: _parent(t) for t in problem.user_types if t.name != OBJECT},
        predicates={f.name: tuple([type_name(p.type) for p in f.signature]) for f in _predicates(problem)},
        constants={o.name: type_name(o.type) for o in problem.all_objects},
    )
    actions = {a.name: schema(a, vocabulary) if rules else bare_schema(a) for a in problem.actions}
    return replace(vocabulary, actions=actions)


def _predicates(problem: Any) -> list[Any]:
    return [fluent for fluent in problem.fluents if fluent.type.is_bool_type()]


def _parent(type_: Any) -> str | None:
    return None if type_.father is None or type_.father.name == OBJECT else str(type_.father.name)


def _parse(path: str | os.PathLike[str]) -> Any:
    """The domain as unified-planning's problem without objects."""
    text = _text(path)
    try:
        from unified_planning.environment import get_environment
        from unified_planning.io import PDDLReader
    except ImportError:
        raise WorldModelError(
            "reading a PDDL domain needs unified-planning: pip install 'worldmodel[pddl]'"
        ) from None
    environment = get_environment()  # its one and only: in another one it cannot read `forall` effects
    environment.credits_stream = None
    clashes, environment.error_used_name = environment.error_used_name, False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that an action is called like a predicate
            return PDDLReader(environment).parse_problem_string(text)
    except Exception as error:  # its own errors, pyparsing's, SyntaxError, KeyError, AssertionError, ...
        said = " ".join(str(error).split())[:300] or type(error).__name__
        raise WorldModelError(f"{path}: no PDDL domain: {said}") from None
    finally:
        environment.error_used_name = clashes


def _text(path: str | os.PathLike[str]) -> str:
    """The file's text, within bounds: the parser is recursive."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise WorldModelError(f"{path}: cannot read a PDDL domain: {error.strerror or error}") from None
    if len(data) > MAX_BYTES:
        raise WorldModelError(f"{path}: more than {MAX_BYTES} bytes; expected a PDDL domain")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise WorldModelError(f"{path}:{line}: a byte that is no UTF-8; expected a PDDL domain") from None
    _check_depth(path, text)
    return text


def _check_depth(path: str | os.PathLike[str], text: str) -> None:
    depth = 0
    for number, line in enumerate(text.split("\n"), 1):
        for bracket in re.findall(r"[()]", line.partition(";")[0]):
            depth += 1 if bracket == "(" else -1
            if depth > MAX_DEPTH:
                raise WorldModelError(
                    f"{path}:{number}: brackets nested more than {MAX_DEPTH} deep; expected a PDDL domain"
                )
