"""Preconditions and effects as unified-planning has them -> a rule."""

from __future__ import annotations

from typing import Any

from rules.errors import WorldModelError
from rules.logic import EQUALS, Atom, Clause, Literal
from rules.ruleset import Rule


def rule(action: Any) -> Rule:
    """The rule that an action's precondition and effects state.

    Raises `WorldModelError`, which names the action, for what the rule language cannot say.
    """
    when: list[Clause] = []
    for condition in action.preconditions:
        when += _conjunction(action, condition)
    adds: list[Atom] = []
    deletes: list[Atom] = []
    for effect in action.effects:
        if not effect.condition.is_true() or effect.forall:
            raise WorldModelError(f"action {action.name}: conditional effects cannot be read yet")
        (adds if effect.value.is_true() else deletes).append(_atom(action, effect.fluent))
    return Rule(f"{action.name}_1", tuple(when), tuple(adds), tuple(deletes))


def _conjunction(action: Any, condition: Any) -> list[Clause]:
    if condition.is_true():
        return []
    if condition.is_and():
        return [clause for part in condition.args for clause in _conjunction(action, part)]
    if condition.is_not():
        return [(Literal(_atom(action, condition.args[0]), False),)]
    return [(Literal(_atom(action, condition)),)]


def _atom(action: Any, node: Any) -> Atom:
    if node.is_equals():
        return Atom(EQUALS, tuple([_term(action, a) for a in node.args]))
    if not node.is_fluent_exp():
        raise WorldModelError(f"action {action.name}: cannot read {str(node)[:200]}")
    return Atom(node.fluent().name, tuple([_term(action, a) for a in node.args]))


def _term(action: Any, node: Any) -> str:
    if node.is_parameter_exp():
        return f"?{node.parameter().name}"
    if node.is_object_exp():
        return str(node.object().name)
    raise WorldModelError(f"action {action.name}: cannot read {str(node)[:200]}")
