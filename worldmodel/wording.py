"""Observations to templates and back: ``You pick up the {?o} from the {?r}.``

A slot ``{?o}`` is an argument's name; ``{in(*, ?r)}`` is the list of what matches a pattern, and
``{the in(*, ?r)}`` the same without articles; ``{_}`` stands for a name that is neither, which nobody can
predict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from rules.language.names import spell
from rules.language.slots import SLOT, slot
from rules.logic import WILDCARD, Action, Atom, State
from rules.ruleset import ActionSchema
from worldmodel.environments.base import Percept, Perception

ANYTHING = "{_}"

# While a text is being lifted, a character of private use stands for each slot: no name is found in it.
_FIRST_MARK, _LAST_MARK = 0xE000, 0xF8FF
_MARK = re.compile(f"[{chr(_FIRST_MARK)}-{chr(_LAST_MARK)}]")


_CONNECTIVE = r"[\s,a-z]{1,9}"
"""What stands between the names of a list."""


def lift(text: str, action: Action, schema: ActionSchema, percept: Percept, perception: Perception) -> str:
    """The template of an observation: lists and arguments replaced by slots, stray names by ``{_}``."""
    slots: list[str] = []

    def put(text: str) -> str:
        if text not in slots:
            slots.append(text)
        return chr(_FIRST_MARK + slots.index(text))

    text = SLOT.sub(lambda _: put(ANYTHING), _MARK.sub("", text))
    names = {a: p.name for p, a in reversed(list(zip(schema.parameters, action.args, strict=True)))}
    for pattern, listed in _lists(percept, perception):
        lifted = pattern.substitute(names)
        if all(a == WILDCARD or a.startswith("?") for a in lifted.args):
            for article, wording in (("", _phrase), ("the ", _bare)):
                phrase = wording(listed, perception)
                found = None if phrase in names else _last(phrase, text)
                if found:  # a list that reads like an argument is the argument
                    text = f"{text[: found[0]]}{put(_list_slot(lifted, article))}{text[found[1] :]}"
                    break
    for name in sorted({*names, *percept.objects}, key=lambda n: (-len(n), n)):
        if name in text:
            mark = put(f"{{{names[name]}}}" if name in names else ANYTHING)
            text = _word(name).sub(mark, text)
    text = re.sub(f"{put(ANYTHING)}(?:{_CONNECTIVE}{put(ANYTHING)})+", put(ANYTHING), text)
    return _MARK.sub(lambda match: slots[ord(match[0]) - _FIRST_MARK], text)


@lru_cache(maxsize=1 << 14)
def _word(name: str) -> re.Pattern[str]:
    """A name as a whole word."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


def _list_slot(pattern: Atom, article: str) -> str:
    return f"{{{article}{spell(pattern.predicate)}({', '.join(pattern.args)})}}"


def _bare(names: Sequence[str], perception: Perception) -> str:
    """The environment's wording of a list, less the article that it puts before a name."""
    text = perception.phrase(names)
    for name in names:
        text = text.replace(perception.phrase([name]), name)
    return text


def _last(phrase: str, text: str) -> tuple[int, int] | None:
    """Where a phrase stands last in a text, as words."""
    start = text.rfind(phrase)
    while start >= 0:
        end = start + len(phrase)
        around = text[max(start - 1, 0) : start] + text[end : end + 1]
        if not any(c.isalnum() or c == "_" for c in around):
            return start, end
        start = text.rfind(phrase, 0, end - 1)
    return None


def _lists(percept: Percept, perception: Perception) -> list[tuple[Atom, tuple[str, ...]]]:
    """Every pattern that the observation lists in full, with the names for its wildcard."""
    found = dict(percept.contents)
    for pattern in percept.false:
        if pattern.args.count(WILDCARD) == 1 and pattern not in found:
            place = pattern.args.index(WILDCARD)
            names = [a.args[place] for a in percept.true if pattern.matches(a)]
            if names:
                found[pattern] = tuple(perception.order(sorted(names)))
    return sorted(found.items())


def realize(template: str, binding: Mapping[str, str], state: State, perception: Perception) -> str | None:
    """The observation that a template makes in a state; None if it depends on what is not known."""
    if ANYTHING in template:
        return None
    parts: list[str] = []
    end = 0
    for match in SLOT.finditer(template):
        bare = match[0].startswith("{the ")
        text = _fill(slot(match), binding, state, perception, _bare if bare else _phrase)
        if text is None:
            return None
        parts += (template[end : match.start()], text)
        end = match.end()
    return "".join((*parts, template[end:]))


def _phrase(names: Sequence[str], perception: Perception) -> str:
    return perception.phrase(names)


def _fill(
    what: str | Atom,
    binding: Mapping[str, str],
    state: State,
    perception: Perception,
    phrase: Callable[[Sequence[str], Perception], str],
) -> str | None:
    """What stands in a slot: a name, or the list of what matches a pattern known in full."""
    if isinstance(what, str):
        return binding.get(what)
    pattern = what.substitute(binding)
    if pattern not in state.false or pattern.args.count(WILDCARD) != 1:
        return None
    place = pattern.args.index(WILDCARD)
    return phrase(perception.order([atom.args[place] for atom in state.matching(pattern)]), perception)
