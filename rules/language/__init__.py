"""The rule language: a text that a person reads, edits and diffs. ``parse(render(x)) == x``.

::

    domain household                                  # comments run to the end of the line

    type receptacle, object                           # above all types stands `any`
    type microwave, fridge, sinkbasin, desk: receptacle
    type apple, mug, pan: object
    constant "kitchen 1": receptacle                  # an object that rules name
    predicate at(receptacle)
    predicate open(receptacle)
    predicate openable(receptacle)
    predicate in(object, receptacle)
    predicate holding(object)
    predicate hot(object)
    predicate cool(object)
    predicate seen(any)
    predicate dark                                    # no arguments

    relation can_heat(type) { apple 61, mug 118 / 2, pan 0 / 14 }    # support, or support / against
    relation fits(type, type) { (mug, desk) 12, (mug, microwave) 3 / 1 }

    invariant in(?o, ?r) and in(?o, ?s) implies ?r = ?s  [4102 for, 37 against]
    invariant hot(?o) and cool(?o) implies false      # the head may be `a or b`, the body `true`

    action heat(?o: object, ?r: receptacle) "heat {?o} with {?r}"
      rule heat_1  [459 for, 0 against]
        when    holding(?o), at(?r), ?r is microwave, can_heat(type of ?o)
        then    hot(?o), not cool(?o)
        says    "You heat the {?o} using the {?r}."
      otherwise says "Nothing happens."

    action take(?o: object, ?r: receptacle) "take {?o} from {?r}"
      rule take_1
        when    no holding(*), at(?r), in(?o, ?r), open(?r) or not openable(?r), ?o is not mug, ?o != ?r
        then    holding(?o), not in(?o, ?r)
        reveals in(*, ?r)

Layout means nothing. Names are identifiers (``[A-Za-z_][A-Za-z0-9_-]*``); any other name, and one
that is a keyword, stands in double quotes with JSON's escapes.

**Conditions.** ``,`` is *and*, ``or`` binds closer. A literal is ``p(t, ...)``, ``not p(...)``,
``?x is t``, ``?x is not t``, ``?x = ?y``, ``?x != ?y``, or a lookup in a relation on types,
``r(type of ?x, ...)``. The wildcard ``*`` means *some*: ``some p(*)``, ``no p(*)``. A variable that is
no parameter must occur in a positive literal that stands alone, without ``or``.

**Outcomes.** ``then`` lists what becomes true and, after ``not``, what becomes false (there ``*`` means
*every*). ``reveals`` lists the patterns whose truth is known afterwards. ``says`` is the wording:
``{?x}`` is a name, ``{in(*, ?x)}`` the list of what matches; other braces are text.

**Types.** A term may stand where its type, or one above or below it, is declared.

Every mistake is a `RuleSyntaxError` with file, line, column, the line and a caret, and what was expected.
"""

from __future__ import annotations

from rules.language.checks import check
from rules.language.files import load, save
from rules.language.messages import InvalidRules
from rules.language.parser import parse, parse_head, parse_rule
from rules.language.printer import (
    render,
    render_action,
    render_clause,
    render_invariant,
    render_literal,
    render_rule,
)
from rules.language.slots import SLOT, slot, slots

__all__ = [
    "SLOT",
    "InvalidRules",
    "check",
    "load",
    "parse",
    "parse_head",
    "parse_rule",
    "render",
    "render_action",
    "render_clause",
    "render_invariant",
    "render_literal",
    "render_rule",
    "save",
    "slot",
    "slots",
]
