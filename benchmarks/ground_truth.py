"""Which of ALFWorld's own preconditions and effects the induced household rules recover, and which not.

    python benchmarks/ground_truth.py [RULES] [--data FOLDER] [--json]

RULES is a rule file (by default the one that ships); FOLDER holds ``alfred.pddl`` and the official train
games (by default ``../shared/data/alfworld``). A precondition is recovered if z3 proves that every rule of
the action implies it, an effect if every rule of the action states it. What the rules say of types is
compared with the properties of all types in the train games.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from rules.engine import Engine
from rules.language import load, parse_rule
from rules.logic import FALSE, IS, TRUE, State
from rules.ruleset import ActionSchema, RuleSet
from rules.verification import implies
from worldmodel.environments.alfworld.games import find_games
from worldmodel.environments.alfworld.pddl import Expression, parse

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = ROOT / "worldmodel" / "environments" / "alfworld" / "household.rules"
DATA = ROOT.parent / "shared" / "data" / "alfworld"
GAMES = 400
"""So many train games tell the types and their properties."""

ACTIONS = {
    "gotolocation": "go_to", "openobject": "open", "closeobject": "close", "pickupobject": "take",
    "putobject": "put", "cleanobject": "clean", "heatobject": "heat", "coolobject": "cool",
    "toggleobject": "use", "sliceobject": "slice", "examinereceptacle": "examine",
    "examineobject": "inspect", "look": "look", "inventory": "inventory", "help": "help",
}  # fmt: skip
NEAR = "in(?o, ?x), at(?x)"
PRECONDITIONS = {
    "(openable ?r)": "openable(?r)",
    "(opened ?r)": "open(?r)",
    "(not (opened ?r))": "not open(?r)",
    "(or (not (openable ?r)) (opened ?r))": "open(?r) or not openable(?r)",
    "(inreceptacle ?o ?r)": "in(?o, ?r)",
    "(not (holdsany ?a))": "no holding(*)",
    "(holds ?a ?o)": "holding(?o)",
    "(holds ?a ?ko)": "holding(?k)",
    "(objectatlocation ?co ?l)": NEAR,
    "(receptacleatlocation ?r ?l)": "at(?r)",
    "(or (receptacletype ?r sinktype) (receptacletype ?r sinkbasintype))": "?r is sinkbasin",
    "(or (receptacletype ?r sinkbasintype))": "?r is sinkbasin",
    "(or (receptacletype ?r microwavetype))": "?r is microwave",
    "(or (receptacletype ?r fridgetype))": "?r is fridge",
    "(exists (?l - location) (and (atlocation ?a ?l) (receptacleatlocation ?r ?l)))": "at(?r)",
}
EFFECTS = {
    "(not (atlocation ?a ?lstart))": "not at(*)",
    "(atlocation ?a ?lend)": "at(?r)",
    "(opened ?r)": "open(?r)",
    "(not (opened ?r))": "not open(?r)",
    "(not (inreceptacle ?o ?r))": "not in(?o, ?r)",
    "(inreceptacle ?o ?r)": "in(?o, ?r)",
    "(holds ?a ?o)": "holding(?o)",
    "(not (holds ?a ?o))": "not holding(?o)",
    "(isclean ?o)": "clean(?o)",
    "(ishot ?o)": "hot(?o)",
    "(iscool ?o)": "cool(?o)",
    "(not (iscool ?o))": "not cool(?o)",
    "(not (ishot ?o))": "not hot(?o)",
    "(when (not (ison ?o)) (ison ?o))": "on(?o)",
    "(issliced ?co)": "sliced(?o)",
}
UNSEEN = {
    "(increase": "a cost; no text tells it",
    "(checked": "nothing that is said or done depends on it",
    "(istoggled": "only the goal test reads it",
    "(holdsany": "the same as holding something",
    "(not (holdsany": "the same as holding something",
    "(objectatlocation": "the same as being in something there",
    "(not (objectatlocation": "the same as being in nothing there",
    "(atlocation": "stated with the place of the thing, or true in every state",
    "(receptacleatlocation": "true of every receptacle",
    "(objecttype": "binds a name",
    "(receptacletype": "binds a name",
    "(when (ison": "the text says 'turn on' both ways",
}
"""What no observation can tell, or what is no condition: by how it begins."""
PROPERTIES = {
    "(pickupable ?o)": "o", "(cleanable ?o)": "o", "(heatable ?o)": "o", "(coolable ?o)": "o",
    "(toggleable ?o)": "o", "(sliceable ?co)": "o", "(cancontain ?rt ?ot)": "or",
    "(or (objecttype ?ko knifetype) (objecttype ?ko butterknifetype))": "k",
}  # fmt: skip
"""Conditions on types, and the parameters whose types they are about."""


class Row(NamedTuple):
    """One precondition or effect of the ground truth: `found` is yes, no, partly or unseen."""

    action: str
    part: str
    truth: str
    ours: str
    found: str
    why: str


def text(expression: Expression) -> str:
    """An expression as PDDL."""
    return expression if isinstance(expression, str) else f"({' '.join(map(text, expression))})"


def parts(domain: Path) -> Iterator[tuple[str, str, str]]:
    """Action, ``pre`` or ``effect``, and each conjunct of it."""
    for section in parse(domain.read_text(encoding="utf-8"), str(domain)):
        if isinstance(section, tuple) and section[:1] == (":action",):
            for key, kind in ((":precondition", "pre"), (":effect", "effect")):
                body = section[section.index(key) + 1]
                conjuncts = body[1:] if body[:1] == ("and",) else [body] if body else []
                yield from ((str(section[1]), kind, text(part)) for part in conjuncts)


class Types(NamedTuple):
    """What the train games say of types: those met, and for a condition those (or pairs) that meet it."""

    objects: frozenset[str]
    receptacles: frozenset[str]
    met: dict[str, frozenset[tuple[str, ...]]]


def types(folder: Path) -> Types:
    """The types in the first train games, and their properties."""
    kinds: dict[str, set[str]] = {"object": set(), "receptacle": set()}
    met: dict[str, set[tuple[str, ...]]] = {condition: set() for condition in PROPERTIES}
    for reference in islice(find_games(folder / "train.jsonl.xz"), GAMES):
        problem = reference.load().problem
        of = {
            f[1]: f[2].removesuffix("type") for f in problem.facts if f[0] in ("objecttype", "receptacletype")
        }
        for name, type_ in of.items():
            kinds[problem.objects[name]].add(type_)
        for fact in problem.facts:
            for condition, about in PROPERTIES.items():
                if fact[0] == condition[1:].split()[0] and fact[0] != "or":
                    found = [of.get(a, a.removesuffix("type")) for a in fact[1:]]
                    met[condition].add(tuple(reversed(found)) if about == "or" else tuple(found))
    knives = "(or (objecttype ?ko knifetype) (objecttype ?ko butterknifetype))"
    met[knives] = {("knife",), ("butterknife",)}
    frozen = {condition: frozenset(found) for condition, found in met.items()}
    return Types(frozenset(kinds["object"]), frozenset(kinds["receptacle"]), frozen)


def judge(ruleset: RuleSet, known: Types, name: str, kind: str, truth: str) -> Row:
    """Whether the rules recover one part of the ground truth."""
    schema = ruleset.actions[ACTIONS[name]]
    if truth in PROPERTIES:
        return _types_row(ruleset, schema, known, kind, truth)
    ours = (PRECONDITIONS if kind == "pre" else EFFECTS).get(truth)
    if ours is None or (ours == "at(?r)" and name == "gotolocation" and kind == "pre"):
        why = next((why for start, why in UNSEEN.items() if truth.startswith(start)), "no counterpart")
        return Row(schema.name, kind, truth, "", "unseen", why)
    if name in ("toggleobject", "sliceobject") and ours in ("at(?r)", "in(?o, ?r)"):
        ours = NEAR
    found = bool(schema.rules) and all(
        _implied(ruleset, schema, ours, i) if kind == "pre" else _stated(ours, schema, i)
        for i in range(len(schema.rules))
    )
    return Row(schema.name, kind, truth, ours, "yes" if found else "no", "" if found else _why(ours, kind))


def _implied(ruleset: RuleSet, schema: ActionSchema, clauses: str, index: int) -> bool:
    wanted = parse_rule(f"rule x when {clauses}").when
    return implies(ruleset, schema.rules[index].when, wanted, schema.parameters) is TRUE


def _stated(effect: str, schema: ActionSchema, index: int) -> bool:
    wanted, rule = parse_rule(f"rule x then {effect}"), schema.rules[index]
    return set(wanted.adds) <= set(rule.adds) and set(wanted.deletes) <= set(rule.deletes)


def _why(ours: str, kind: str) -> str:
    if kind == "effect":
        return "shown by a later look only, which is not attributed to the action"
    if ours in ("open(?r) or not openable(?r)", NEAR):
        return "follows from the other conditions in all that the agent can know, or was never broken alone"
    return "no failure in the log, nor chance, speaks for it"


def _types_row(ruleset: RuleSet, schema: ActionSchema, known: Types, kind: str, truth: str) -> Row:
    """How many of the types that the condition refuses, and how many that it allows, the rules treat so."""
    about, engine = PROPERTIES[truth], Engine(ruleset)
    pools = [known.receptacles if letter == "r" else known.objects for letter in about]
    right: Counter[bool] = Counter()
    total: Counter[bool] = Counter()
    for case in product(*map(sorted, pools)):
        allowed = case in known.met[truth]
        total[allowed] += 1
        right[allowed] += _allows(engine, schema, about, case) is allowed
    share = f"{right[True]} of {total[True]} allowed, {right[False]} of {total[False]} refused rightly"
    found = "yes" if right == total else "no" if not right[False] else "partly"
    why = (
        ""
        if found == "yes"
        else "the explorer is told what is admissible: it seldom tries what no type allows"
    )
    return Row(schema.name, kind, truth, share, found, why)


def _allows(engine: Engine, schema: ActionSchema, about: str, case: tuple[str, ...]) -> bool:
    """Whether some rule's conditions on types leave these types open."""
    binding = {f"?{letter}": f"{letter} 1" for letter in about}
    state = State({f"{letter} 1": type_ for letter, type_ in zip(about, case, strict=True)})
    return any(
        all(
            engine.clause(clause, state, binding) is not FALSE
            for clause in rule.when
            if all(x.atom.predicate in (IS, *engine.ruleset.relations) for x in clause)
            and {a for x in clause for a in x.atom.args if a[:1] == "?"} <= set(binding)
        )
        for rule in schema.rules
    )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rules", type=Path, nargs="?", default=SHIPPED)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    ruleset, known = load(options.rules), types(options.data)
    rows = [judge(ruleset, known, *part) for part in parts(options.data / "alfred.pddl")]
    if options.json:
        print(json.dumps([row._asdict() for row in rows]))
        return
    table = Table(
        *("action", "", "alfred.pddl", "the rules", "recovered", "why not"), title=str(options.rules)
    )
    for row in rows:
        table.add_row(*row)
    console = Console(width=200)
    console.print(table)
    counts = Counter((row.part, row.found) for row in rows)
    for part in ("pre", "effect"):
        visible = sum(n for (p, found), n in counts.items() if p == part and found != "unseen")
        console.print(
            f"{part}: {counts[part, 'yes']} of {visible} visible ones recovered, {counts[part, 'partly']}"
            f" partly; {counts[part, 'unseen']} cannot be seen or are no condition"
        )


if __name__ == "__main__":
    main()
