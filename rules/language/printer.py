"""Rule set -> text. `parse(render(x)) == x` for every rule set that passes `check`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rules.language.names import quote, spell, spell_term
from rules.logic import EQUALS, IS, WILDCARD, Atom, Clause, Literal
from rules.ruleset import ANY, ActionSchema, Evidence, Invariant, Parameter, Relation, Rule, RuleSet

WIDTH = 100


def render(ruleset: RuleSet) -> str:
    """The text of a rule set. The order of declarations is kept; the rows of a relation are sorted."""
    sections = [
        f"domain {spell(ruleset.name)}",
        "\n".join(_grouped("type", ruleset.types)),
        "\n".join(_grouped("constant", ruleset.constants)),
        "\n".join(_predicate(name, types) for name, types in ruleset.predicates.items()),
        *[_relation(relation) for relation in ruleset.relations.values()],
        "\n".join(render_invariant(invariant, ruleset) for invariant in ruleset.invariants),
        *[render_action(action, ruleset) for action in ruleset.actions.values()],
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _grouped(keyword: str, above: Mapping[str, str] | Mapping[str, str | None]) -> Iterator[str]:
    """One declaration for all the names with the same thing above them."""
    groups: dict[str | None, list[str]] = {}
    for name, parent in above.items():
        groups.setdefault(parent, []).append(spell(name))
    for parent, names in groups.items():
        yield _filled(f"{keyword} ", names) + ("" if parent is None else f": {spell(parent)}")


def _predicate(name: str, types: Iterable[str]) -> str:
    return f"predicate {spell(name)}{_tuple(map(spell, types))}"


def _tuple(items: Iterable[str]) -> str:
    text = ", ".join(items)
    return f"({text})" if text else ""


def _relation(relation: Relation) -> str:
    head = f"relation {spell(relation.name)}({', '.join(['type'] * relation.arity)}) {{"
    rows = [_row(types, evidence) for types, evidence in sorted(relation.table.items())]
    line = f"{head} {', '.join(rows)} }}"
    return line if len(line) <= WIDTH else "\n".join([head, *[f"  {row}," for row in rows], "}"])


def _row(types: tuple[str, ...], evidence: Evidence) -> str:
    names = spell(types[0]) if len(types) == 1 else _tuple(map(spell, types))
    return f"{names} {evidence.support}" + (f" / {evidence.against}" if evidence.against else "")


def _evidence(evidence: Evidence) -> str:
    return f"  [{evidence.support} for, {evidence.against} against]" if evidence != Evidence() else ""


def render_invariant(invariant: Invariant, ruleset: RuleSet) -> str:
    """One invariant, on one line."""
    body = " and ".join(render_literal(literal, ruleset) for literal in invariant.body) or "true"
    head = render_clause(invariant.head, ruleset) or "false"
    return f"invariant {body} implies {head}{_evidence(invariant.evidence)}"


def render_action(action: ActionSchema, ruleset: RuleSet) -> str:
    """An action and its rules."""
    parameters = _tuple(map(_parameter, action.parameters))
    command = "" if action.command is None else f" {quote(action.command)}"
    lines = [f"action {spell(action.name)}{parameters}{command}"]
    lines += [render_rule(rule, ruleset) for rule in action.rules]
    if action.otherwise is not None:
        lines.append(f"  otherwise says {quote(action.otherwise)}")
    return "\n".join(lines)


def _parameter(parameter: Parameter) -> str:
    return parameter.name if parameter.type == ANY else f"{parameter.name}: {spell(parameter.type)}"


def render_rule(rule: Rule, ruleset: RuleSet) -> str:
    """One rule, as it stands below its action."""
    lines = [f"  rule {spell(rule.name)}{_evidence(rule.evidence)}"]
    effects = [*map(_atom, rule.adds), *[f"not {_atom(atom)}" for atom in rule.deletes]]
    for keyword, items in (
        ("when", [render_clause(clause, ruleset) for clause in rule.when]),
        ("then", effects),
        ("reveals", [_atom(atom) for atom in rule.reveals]),
        ("says", [] if rule.says is None else [quote(rule.says)]),
    ):
        if items:
            lines.append(_filled(f"    {keyword:8}", items))
    return "\n".join(lines)


def render_clause(clause: Clause, ruleset: RuleSet) -> str:
    """A disjunction."""
    return " or ".join(render_literal(literal, ruleset) for literal in clause)


def render_literal(literal: Literal, ruleset: RuleSet) -> str:
    """A literal. The rule set tells which names are relations on types."""
    atom, positive = literal
    if atom.predicate == IS:
        return f"{spell_term(atom.args[0])} is {'' if positive else 'not '}{spell(atom.args[1])}"
    if atom.predicate == EQUALS:
        return f" {'=' if positive else '!='} ".join(map(spell_term, atom.args))
    if atom.predicate in ruleset.relations:
        types = ", ".join(f"type of {spell_term(term)}" for term in atom.args)
        return f"{'' if positive else 'not '}{spell(atom.predicate)}({types})"
    if WILDCARD in atom.args:
        return f"{'some' if positive else 'no'} {_atom(atom)}"
    return _atom(atom) if positive else f"not {_atom(atom)}"


def _atom(atom: Atom) -> str:
    return spell(atom.predicate) + _tuple(map(spell_term, atom.args))


def _filled(head: str, items: Sequence[str]) -> str:
    """A list after its head, continued below its first item where a line would grow too long."""
    lines = [head + items[0]]
    for item in items[1:]:
        if len(lines[-1]) + len(item) + 3 > WIDTH:
            lines[-1] += ","
            lines.append(" " * len(head) + item)
        else:
            lines[-1] += f", {item}"
    return "\n".join(lines)
