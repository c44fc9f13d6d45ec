"""A rule set -> the text of a PDDL domain, for Fast Downward, unified-planning and their like.

Rules and their effects are written in full, wordings and what they reveal are not: PDDL's worlds are
known. A relation on types becomes a static predicate on objects; `static_atoms` gives its atoms, for
the initial state of a problem. Where a name had to be changed, a comment says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from textwrap import fill

from rules.language import check
from rules.language.names import quote, spell
from rules.logic import TRUE, Atom
from rules.pddl.formulas import Formula, declared, heads, words
from rules.pddl.names import Names
from rules.pddl.outcomes import Actions, Operator
from rules.ruleset import ANY, RuleSet

WIDTH = 100
FLAGS = {
    "not": ":negative-preconditions",
    "or": ":disjunctive-preconditions",
    "=": ":equality",
    "exists": ":existential-preconditions",
    "forall": ":universal-preconditions",
}


def write_domain(ruleset: RuleSet) -> str:
    """The domain as PDDL text. Raises `InvalidRules` for a rule set that means nothing."""
    check(ruleset)
    names = Names(ruleset)
    actions = Actions(ruleset, names)
    operators = [actions.operator(schema) for schema in ruleset.actions.values()]
    sections = [
        f"(define (domain {names.domain})",
        *[f"  ; {new} is {quote(old)}" for new, old in names.changed()],
        f"  (:requirements {' '.join(_requirements(ruleset, operators))})",
        *_types(ruleset, names),
        *_constants(ruleset, names),
        *_predicates(ruleset, names),
        *[f"\n{_operator(operator)}" for operator in operators],
        ")",
    ]
    return "\n".join(sections) + "\n"


def static_atoms(ruleset: RuleSet, objects: Mapping[str, str]) -> Iterator[Atom]:
    """The atoms of the static predicates that relations on types become, over typed objects."""
    for relation in ruleset.relations.values():
        for args in product({**ruleset.constants, **objects}, repeat=relation.arity):
            types = tuple([objects.get(a) or ruleset.constants[a] for a in args])
            if relation.truth(types) is TRUE:
                yield Atom(relation.name, args)


def _requirements(ruleset: RuleSet, operators: Sequence[Operator]) -> list[str]:
    """The flags for what is used, and no more."""
    used: set[str] = set()
    conditional = False
    for operator in operators:
        conditions = [*operator.precondition]
        for effect in operator.effect:
            conditional = conditional or effect[0] in ("when", "forall")
            conditions += [part[1] for part in (effect, effect[-1]) if part[0] == "when"]
        used = used.union(*map(heads, conditions))
    flags = [":strips"]
    flags += [":typing"] if ruleset.types else []
    flags += [flag for word, flag in FLAGS.items() if word in used]
    return [*flags, ":conditional-effects"] if conditional else flags


def _types(ruleset: RuleSet, names: Names) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for name, parent in ruleset.types.items():
        groups.setdefault(names.types[parent or ANY], []).append(names.types[name])
    yield from _section("types", [f"{' '.join(group)} - {parent}" for parent, group in groups.items()])


def _constants(ruleset: RuleSet, names: Names) -> Iterator[str]:
    typed = [(names.constants[name], names.types[type_]) for name, type_ in ruleset.constants.items()]
    yield from _section("constants", [words(declared([one]))[1:-1] for one in typed])


def _predicates(ruleset: RuleSet, names: Names) -> Iterator[str]:
    lines = [_predicate(names, name, types) for name, types in ruleset.predicates.items()]
    for relation in ruleset.relations.values():
        lines += [f"; static, of the objects' types: {quote(relation.name)} holds for"]
        lines += [
            f";   {' '.join(map(spell, types))}" for types in relation.table if relation.truth(types) is TRUE
        ]
        lines.append(_predicate(names, relation.name, (ANY,) * relation.arity))
    yield from _section("predicates", lines)


def _predicate(names: Names, name: str, types: Sequence[str]) -> str:
    typed = [(f"?x{number}", names.types[type_]) for number, type_ in enumerate(types, 1)]
    return words((names.predicates[name], *declared(typed)))


def _section(name: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        folded = [line if line.startswith(";") else _folded(line) for line in lines]
        yield "\n".join([f"  (:{name}", *[f"    {line}" for line in folded], "  )"])


def _folded(line: str) -> str:
    width = WIDTH - 4
    return fill(line, width, subsequent_indent=" " * 6, break_long_words=False, break_on_hyphens=False)


def _operator(operator: Operator) -> str:
    return "\n".join(
        [
            f"  (:action {operator.name}",
            f"    :parameters {words(declared(operator.parameters))}",
            f"    :precondition (and{_lines(operator.precondition)})",
            f"    :effect (and{_lines(operator.effect)}))",
        ]
    )


def _lines(formulas: Sequence[Formula]) -> str:
    return "".join([f"\n{laid_out(formula, 6)}" for formula in formulas])


def laid_out(formula: Formula, indent: int) -> str:
    """A formula as lines, its parts below its head where it is too long for one."""
    line = " " * indent + words(formula)
    if len(line) <= WIDTH or isinstance(formula, str):
        return line
    head = [part for part in formula[:2] if isinstance(part, str) or formula[0] in ("exists", "forall")]
    below = [laid_out(part, indent + 2) for part in formula[len(head) :]]
    return "\n".join([" " * indent + "(" + " ".join(map(words, head)), *below]) + ")"
