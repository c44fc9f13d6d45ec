"""A PDDL action -> an action schema with its rules.

The precondition stands in every rule. One rule does what is not conditional, and each conditional
effect is a rule more: rules are not ordered, every one that holds applies, deletes before adds, as in
PDDL. Costs are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from rules.logic import WILDCARD, Atom
from rules.pddl.conditions import Conditions, atom, both, type_name
from rules.pddl.quantifiers import Conjunction, Quantifiers, Unsayable, equated, terms
from rules.ruleset import ActionSchema, Parameter, Rule, RuleSet

COST = "total-cost"


class Change(NamedTuple):
    """What happens where a condition holds, for every value of the condition's free variables."""

    when: Conjunction
    adds: tuple[Atom, ...]
    deletes: tuple[Atom, ...]


def bare_schema(action: Any) -> ActionSchema:
    """Name and parameters."""
    parameters = tuple([Parameter(f"?{p.name}", type_name(p.type)) for p in action.parameters])
    return ActionSchema(action.name, parameters)


def schema(action: Any, vocabulary: RuleSet) -> ActionSchema:
    """The schema with the rules that precondition and effects state.

    Raises `Unsayable`, which names the action, for what the rule language cannot say.
    """
    bare = bare_schema(action)
    try:
        if not hasattr(action, "preconditions"):
            raise Unsayable("it takes time; expected actions that happen at once")
        rules = _rules(action, bare, vocabulary)
    except Unsayable as error:
        raise Unsayable(f"action {action.name}: {error}") from None
    return replace(bare, rules=rules, otherwise=None if rules else "")  # it fails wherever it is tried


def _rules(action: Any, bare: ActionSchema, vocabulary: RuleSet) -> tuple[Rule, ...]:
    conditions = Conditions(Quantifiers(vocabulary, dict(bare.parameters)))
    preconditions: list[Conjunction] = [()]
    for node in action.preconditions:
        preconditions = both(preconditions, conditions.read(node, {}))
    changes = _merged([change for group in _groups(action) for change in _changes(conditions, *group)])
    pairs = [(before, change) for change in changes for before in preconditions]
    return tuple(
        Rule(f"{action.name}_{number}", _distinct(before + change.when), change.adds, change.deletes)
        for number, (before, change) in enumerate(pairs, 1)
    )


def _groups(action: Any) -> list[tuple[Any, tuple[Any, ...], list[Any]]]:
    """The effects that share condition and quantified variables."""
    groups: dict[tuple[Any, tuple[Any, ...]], list[Any]] = {}
    for effect in action.effects:
        if effect.fluent.fluent().name != COST:
            groups.setdefault((effect.condition, tuple(effect.forall)), []).append(effect)
    return [(condition, variables, effects) for (condition, variables), effects in groups.items()]


def _changes(
    conditions: Conditions, condition: Any, variables: Sequence[Any], effects: Sequence[Any]
) -> list[Change]:
    binding = conditions.bind(variables, {})
    adds = tuple([atom(e.fluent, binding) for e in effects if e.value.is_true()])
    deletes = tuple([atom(e.fluent, binding) for e in effects if not e.value.is_true()])
    changes = []
    for when in conditions.read(condition, binding):
        change = Change(when, adds, deletes)
        for variable in binding.values():
            change = _quantified(conditions.quantifiers, variable, change)
        changes.append(change)
    return changes


def _quantified(quantifiers: Quantifiers, variable: str, change: Change) -> Change:
    """The change for all values of a variable: one that the condition gives, ``*``, or a free variable."""
    when, adds, deletes = change
    if not any(variable in a.args for a in (*adds, *deletes)):
        return change._replace(when=quantifiers.exists([variable], when))
    value = equated(variable, when)
    if value is not None:
        binding = {variable: value}
        return Change(
            quantifiers.exists([variable], when),
            tuple([a.substitute(binding) for a in adds]),
            tuple([a.substitute(binding) for a in deletes]),
        )
    elsewhere = terms(when) | {term for a in adds for term in a.args}
    if variable not in elsewhere and all(
        quantifiers.closes(variable, a) for a in deletes if variable in a.args
    ):
        return change._replace(deletes=tuple([a.substitute({variable: WILDCARD}) for a in deletes]))
    return change._replace(when=quantifiers.bound(variable, when))


def _merged(changes: Sequence[Change]) -> list[Change]:
    """The changes, those without a condition put together as the first."""
    always = [change for change in changes if not change.when]
    adds = tuple(dict.fromkeys([a for change in always for a in change.adds]))
    deletes = tuple(dict.fromkeys([a for change in always for a in change.deletes]))
    return [Change((), adds, deletes), *[change for change in changes if change.when]]


def _distinct(when: Conjunction) -> Conjunction:
    return tuple(dict.fromkeys(when))
