"""Text -> rule set, or one `RuleSyntaxError` that points at the first mistake.

The grammar is flat and its parser (LALR) has no recursion, so that no text can exhaust the stack; the
bounds below keep time and memory linear in what a person or an inducer could have meant.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, UnexpectedCharacters, UnexpectedToken

from rules.language.builder import Builder, plain
from rules.language.checks import check
from rules.language.limits import MAX_CHARACTERS, MAX_TOKENS
from rules.language.messages import InvalidRules, clipped, located, nearest
from rules.language.names import KEYWORDS
from rules.ruleset import ActionSchema, Rule, RuleSet

_DECLARATIONS = {"TYPE", "CONSTANT", "PREDICATE", "RELATION", "INVARIANT", "ACTION"}
_WORDS = {
    "NAME": "a name",
    "VARIABLE": "a variable such as `?x`",
    "STAR": "`*`",
    "NUMBER": "a number",
    "STRING": "a text in double quotes",
    "COMMA": "`,`",
    "COLON": "`:`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "SLASH": "`/`",
    "EQUAL": "`=`",
    "NOT_EQUAL": "`!=`",
    **{keyword.upper(): f"`{keyword}`" for keyword in sorted(KEYWORDS)},
    "declaration": "the next declaration",
    "$END": "the end of the text",
}


def parse(text: str, source: str = "<string>") -> RuleSet:
    """The rule set that a text describes. Raises `RuleSyntaxError`, whatever the text."""
    ruleset: RuleSet = _read(text, source, "start")
    return ruleset


def parse_rule(text: str, source: str = "<string>", above: int = 0) -> Rule:
    """One rule by itself, as it stands below its action; only `check` tells what it means in a rule set.

    above: the lines of the source before this text. Raises `RuleSyntaxError`, whatever the text.
    """
    rule: Rule = _read(text, source, "rule", above)
    return rule


def parse_head(text: str, source: str = "<string>", above: int = 0) -> ActionSchema:
    """An action without rules: name, parameters, wordings. Raises `RuleSyntaxError`, whatever the text."""
    ((_, _, schema),) = _read(text, source, "action", above)
    return schema  # type: ignore[no-any-return]


def _read(text: str, source: str, start: str, above: int = 0) -> Any:
    """What a text says that derives from this symbol of the grammar; a whole rule set is checked."""
    if len(text) > MAX_CHARACTERS:
        found, expected = f"a text of {len(text)} characters", f"at most {MAX_CHARACTERS}"
        raise located(source, "", 1, 1, found, expected)
    try:
        tree = _tree(text, start)
        if isinstance(tree, RuleSet):
            check(tree)
    except InvalidRules as error:
        line, column = getattr(error.at, "line", 1), getattr(error.at, "column", 1)
        raise located(source, text, line, column, error.found, error.expected, above) from None
    except UnexpectedCharacters as error:
        raise located(source, text, error.line, error.column, *_bad_character(error.char), above) from None
    return plain(tree)


@lru_cache(maxsize=1)
def _lark() -> Lark:
    grammar = files("rules.language").joinpath("grammar.lark").read_text("utf-8")
    starts = ["start", "action", "rule"]
    return Lark(
        grammar, start=starts, parser="lalr", lexer="basic", maybe_placeholders=True, transformer=Builder()
    )


def _tree(text: str, start: str) -> Any:
    parser = _lark().parse_interactive(text, start)
    last = Token("START", "", 0, 1, 1, 1, 1)
    try:
        for count, last in enumerate(parser.iter_parse()):
            if count == MAX_TOKENS:
                raise InvalidRules(
                    last, "a text too long to be rules", f"at most {MAX_TOKENS} words and signs"
                )
        tree = parser.feed_token(Token("$END", "", len(text), last.end_line, last.end_column))
    except UnexpectedToken as error:
        raise _bad_token(error.token, text, start) from None
    return tree


def _bad_character(character: str) -> tuple[str, str]:
    if character == '"':
        return "a text that does not end on its line", 'a closing `"`; write a line break as `\\n`'
    if character == "?":
        return "`?` without a name", "a variable such as `?x`"
    name = repr(character) if character.isascii() else f"U+{ord(character):04X}"
    return f"{name} means nothing here", "letters a-z, digits, `_`, signs; any other name in double quotes"


def _bad_token(token: Token, text: str, start: str) -> InvalidRules:
    """What was found, and every word or sign that the grammar would have taken instead."""
    accepted = _accepted(token, text, start)
    if token.type == "$END":
        return InvalidRules(token, "the text ends too early", _expected(accepted))
    found = f"unexpected `{clipped(token)}`"
    if "NAME" in accepted and token in KEYWORDS:
        found += f'; a name that is a keyword is quoted, "{token}"'
    elif token.type == "NAME":
        found += nearest(token, [word for word in KEYWORDS if word.upper() in accepted], clipped)
    return InvalidRules(token, found, _expected(accepted))


def _accepted(bad: Token, text: str, start: str) -> set[str]:
    """The terminals that could stand where a token was refused.

    By reading the text once more up to there: a refused token has already closed phrases (a LALR
    parser merges look-aheads) that could have gone on.
    """
    parser = _lark().parse_interactive(text, start)
    for token in parser.iter_parse():
        if token.start_pos == bad.start_pos:
            break
    accepted: set[str] = parser.accepts()  # type: ignore[no-untyped-call]
    return accepted


def _expected(accepted: set[str]) -> str:
    """The accepted terminals in words, the kinds of declaration as one."""
    if "NAME" in accepted:
        accepted = accepted - {"STRING"}  # a quoted name
    if accepted >= _DECLARATIONS:
        accepted = accepted - _DECLARATIONS | {"declaration"}
    words = [_WORDS[terminal] for terminal in _WORDS if terminal in accepted]
    return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
