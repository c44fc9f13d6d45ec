"""The one root of every error this project raises on purpose."""

from __future__ import annotations


class WorldModelError(Exception):
    """A mistake in the input or its use; the message is one line and says the way out."""


class RuleSyntaxError(WorldModelError):
    """A rule text that does not parse or does not type-check.

    Attributes: `source` (file name or ``<string>``), `line` and `column` (from 1),
    `expected` (what would have been right, readable).
    """

    def __init__(
        self, source: str, line: int, column: int, message: str, text: str = "", expected: str = ""
    ) -> None:
        self.source, self.line, self.column, self.expected = source, line, column, expected
        caret = f"\n  {text}\n  {' ' * (column - 1)}^" if text else ""
        hint = f"\n  expected {expected}" if expected else ""
        super().__init__(f"{source}:{line}:{column}: {message}{caret}{hint}")
