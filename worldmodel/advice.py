"""What to do instead of a command that comes to nothing: well-formed commands, and what a condition wants.

Everything is found in the vocabulary, the rules and the belief: nothing here knows an environment. What no
fact decides is left open in the advice, as ``<receptacle>``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from difflib import SequenceMatcher
from itertools import islice, product

from rules.engine import Engine
from rules.language import SLOT, slot
from rules.logic import EQUALS, IS, WILDCARD, Action, Atom, Literal, State
from rules.ruleset import ActionSchema, Rule, RuleSet

ALIKE = 0.5
"""Commands that are less alike than this are no advice."""
FEW, NEAR, MANY = 4, 20, 500
"""Things of a type that are considered, commands that are tried out, fillings of a schema."""


def command(schema: ActionSchema, binding: Mapping[str, str]) -> str:
    """A schema's command, with the parameter's type in angle brackets where nothing is bound to it."""
    holes = {p.name: f"<{p.type}>" for p in schema.parameters}
    return SLOT.sub(lambda match: {**holes, **binding}.get(str(slot(match)), match[0]), schema.command or "")


def nearest(text: str, state: State, domain: RuleSet, works: Callable[[str], bool]) -> list[str]:
    """The well-formed commands that are most like a text, best first: those that may work, if there are any.

    works: whether it is worth a try, as far as is known.
    """
    mentioned = _mentioned(text, state)
    scored = {
        option: SequenceMatcher(None, text.lower(), option).ratio()
        for schema in domain.actions.values()
        for option in islice(_filled(schema, mentioned, domain), MANY)
    }
    alike = sorted((o for o in scored if scored[o] >= ALIKE and o != text), key=lambda o: (-scored[o], o))
    return [option for option in alike[:NEAR] if works(option)][:FEW] or alike[:1]


def _mentioned(text: str, state: State) -> dict[str, str]:
    """The things that a text names, blanks aside; where it only names a type, the first few of these."""
    squeezed = re.sub(r"\s", "", text.lower())
    named: dict[str, str] = {}
    for name, type_ in state.objects.items():
        if re.search(re.escape(re.sub(r"\s", "", name)) + r"(?!\d)", squeezed):
            named[name] = type_
    for type_ in {*state.objects.values()} - {*named.values()}:
        if re.search(rf"(?<!\w){re.escape(type_)}(?!\w)", text.lower()):
            named |= dict.fromkeys([n for n, t in state.objects.items() if t == type_][:FEW], type_)
    return named


def _filled(schema: ActionSchema, things: Mapping[str, str], domain: RuleSet) -> Iterator[str]:
    pools = [
        [name for name, type_ in things.items() if domain.is_a(type_, p.type)] or [f"<{p.type}>"]
        for p in schema.parameters
    ]
    for names in product(*pools):
        yield command(schema, dict(zip((p.name for p in schema.parameters), names, strict=True)))


def instead_of(literal: Literal, state: State) -> list[Atom]:
    """The facts that stand where a literal would have to: ``at(shelf 1)`` for ``at(desk 2)``."""
    predicate, args = literal.atom
    if predicate in (IS, EQUALS):
        return []
    if not literal.positive:
        return state.matching(literal.atom) if WILDCARD in args else []
    return state.matching(Atom(predicate, (*args[:1], *[WILDCARD] * (len(args) - 1)))) or (
        state.matching(Atom(predicate, (WILDCARD,))) if len(args) == 1 else []
    )


def remedies(literal: Literal, action: Action, state: State, engine: Engine, domain: RuleSet) -> list[str]:
    """The commands that bring a ground literal about, except by undoing the action itself."""
    targets = [literal.atom] if literal.positive or WILDCARD not in literal.atom.args else []
    found = []
    for target in targets or state.matching(literal.atom):
        for schema in engine.ruleset.actions.values():
            for rule in schema.rules:
                for effect in rule.adds if literal.positive else rule.deletes:
                    binding = _unified(effect, target)
                    if binding is not None and not _undoes(schema, rule, binding, action, engine):
                        found.append(command(domain.actions[schema.name], _completed(rule, binding, state)))
    own = command(domain.actions[action.name], engine.binding(action))
    return [way for way in dict.fromkeys(found) if way != own]


def _unified(effect: Atom, atom: Atom) -> dict[str, str] | None:
    """What makes a lifted effect this atom; a wildcard is any of its objects."""
    if effect.predicate != atom.predicate:
        return None
    binding: dict[str, str] = {}
    for mine, theirs in zip(effect.args, atom.args, strict=True):
        if mine != WILDCARD and mine != theirs and binding.setdefault(mine, theirs) != theirs:
            return None
    return binding


def _undoes(
    schema: ActionSchema, rule: Rule, binding: Mapping[str, str], action: Action, engine: Engine
) -> bool:
    """Whether one is the other backwards: a drawer is not opened for the sake of closing it."""
    args = {binding.get(p.name, p.name) for p in schema.parameters}
    theirs = engine.binding(action)
    adds, deletes = ({atom.substitute(binding) for atom in atoms} for atoms in (rule.adds, rule.deletes))
    return args == set(action.args) and any(
        adds == {atom.substitute(theirs) for atom in other.deletes}
        and deletes == {atom.substitute(theirs) for atom in other.adds}
        for other in engine.schema(action).rules
    )


def _completed(rule: Rule, binding: dict[str, str], state: State) -> dict[str, str]:
    """The binding, with what the facts say of the rule's other variables: where the thing lies."""
    for clause in rule.when:
        atom = clause[0].atom.substitute(binding)
        if len(clause) > 1 or not clause[0].positive or atom.predicate in (IS, EQUALS):
            continue
        open_ = [a for a in atom.args if a.startswith("?")]
        pattern = Atom(atom.predicate, tuple([WILDCARD if a in open_ else a for a in atom.args]))
        facts = state.matching(pattern) if len(open_) == 1 else []
        if facts:
            binding = {**binding, open_[0]: min(facts).args[atom.args.index(open_[0])]}
    return binding
