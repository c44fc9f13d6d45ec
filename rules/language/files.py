"""Rule files: read within bounds, written all or nothing."""

from __future__ import annotations

import os
from pathlib import Path

from rules.errors import RuleSyntaxError, WorldModelError
from rules.language.limits import MAX_CHARACTERS
from rules.language.parser import parse
from rules.language.printer import render
from rules.ruleset import RuleSet


def load(path: str | os.PathLike[str]) -> RuleSet:
    """The rule set in a file.

    Raises `RuleSyntaxError` where it is no rule text, `WorldModelError` where it cannot be read.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_CHARACTERS + 1)
    except OSError as error:
        raise WorldModelError(f"{path}: cannot read rules: {error.strerror or error}") from error
    if len(data) > MAX_CHARACTERS:
        raise RuleSyntaxError(str(path), 1, 1, f"more than {MAX_CHARACTERS} bytes", expected="a rule file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise RuleSyntaxError(str(path), line, column, "a byte that is no UTF-8", expected="UTF-8") from None
    return parse(text, str(path))


def save(ruleset: RuleSet, path: str | os.PathLike[str]) -> None:
    """Writes a rule set that `load` will give back equal; on any error the old file stays as it was.

    Raises `RuleSyntaxError` for a rule set that is not valid (it points into the text that would have
    been written), `WorldModelError` where the file cannot be written.
    """
    text = render(ruleset)
    if parse(text, str(path)) != ruleset:
        raise WorldModelError(f"{path}: rules not saved: a key of the rule set differs from its entry's name")
    target = Path(path)
    draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
    try:
        try:
            with draft.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise WorldModelError(f"{path}: cannot write rules: {error.strerror or error}") from error
