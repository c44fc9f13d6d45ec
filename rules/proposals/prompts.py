"""What a language model is told when it is asked for rules: the language, the domain, the mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from rules.engine import Outcome
from rules.induction import Transition
from rules.language import render, render_action
from rules.logic import FALSE, TRUE, Action, Atom, State
from rules.proposals.witness import Witness
from rules.ruleset import RuleSet

EXAMPLES = 8
"""Mistaken transitions in a prompt."""

FACTS = 12
"""Facts shown of one state: those about the arguments first."""

_LANGUAGE = """\
You repair the rules of a world model. A rule says when an action succeeds, what becomes true, what
becomes known, and what is said. Where no rule of an action applies, it fails and changes nothing.

    rule NAME
      when    condition, condition or condition      # `,` is and; `or` binds closer
      then    atom, not atom                         # what becomes true, and what becomes false
      reveals atom                                   # what is known afterwards, whatever it is
      says    "text with {?x} for a name"

A condition is p(?x), not p(?x), ?x is TYPE, ?x is not TYPE, ?x = ?y, ?x != ?y, some p(*), no p(*), or
relation(type of ?x). `*` stands for anything. A variable that is no parameter must stand in a condition
without `not` and without `or`. Lines `when`, `then`, `reveals`, `says` may be left out, not reordered."""

_TASK = """\
Propose rules of this action that would have foretold these transitions and still foretell the others.
Use only the names declared above. Answer with one fenced code block, the action's line and the rules
below it. Each rule will be parsed, type-checked, checked with z3 and tested on all logged transitions."""


def prompt(ruleset: RuleSet, action: str, witness: Witness, examples: int = EXAMPLES) -> str:
    """A prompt about one action: the language, the domain's names, the action's rules as they are, and
    logged transitions that these rules get wrong."""
    mistakes = list(islice(_varied(ruleset, action, witness), examples))
    sections = [
        _LANGUAGE,
        f"The domain:\n\n{_indented(_card(ruleset))}",
        f"The rules of {action} as they are:\n\n{_indented(render_action(ruleset.actions[action], ruleset))}",
        "Logged transitions that they get wrong:\n\n" + "\n\n".join(_example(*m, ruleset) for m in mistakes)
        if mistakes
        else "They foretell every logged transition rightly.",
        _TASK,
    ]
    return "\n\n".join(sections) + "\n"


def _card(ruleset: RuleSet) -> str:
    """The vocabulary, with relations and invariants, without actions."""
    return render(replace(ruleset, actions={})).strip()


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.split("\n"))


def _varied(ruleset: RuleSet, action: str, witness: Witness) -> Iterator[tuple[Transition, Outcome]]:
    """The mistakes, those first that differ in types and outcome from the ones before."""
    seen, again = set(), []
    for transition, outcome in witness.mistaken(ruleset, action):
        types = tuple(transition.after.objects.get(arg) for arg in transition.action.args)
        kind = (types, outcome.truth, transition.succeeded)
        if kind in seen:
            again.append((transition, outcome))
        else:
            seen.add(kind)
            yield transition, outcome
    yield from again


def _example(transition: Transition, outcome: Outcome, ruleset: RuleSet) -> str:
    action, before = transition.action, transition.before
    types = ", ".join(
        f"{arg} is {transition.after.objects.get(arg, 'of no known type')}" for arg in action.args
    )
    foretold = {TRUE: "succeeds", FALSE: "fails"}.get(outcome.truth, "cannot tell")
    happened = "succeeded" if transition.succeeded else "failed"
    by = ", ".join(match.rule.name for match in outcome.matches)
    lines = [
        f"{action}" + (f"    ({types})" if types else ""),
        f"  before    {_facts(before, action)}",
        f"  rules say {foretold}" + (f" by {by}" if by else ""),
        f"  happened  {happened}: {_facts(_seen(transition), action)}",
    ]
    if transition.says:
        lines.append(f"  said      {transition.says}")
    return "\n".join(lines)


def _seen(transition: Transition) -> State:
    """What the observation changed: of a complete next state, the difference."""
    before, after = transition.before, transition.after
    return State(after.objects, after.true - before.true, transition.false - before.false)


def _facts(state: State, action: Action) -> str:
    """What is true and denied, the facts about the action's arguments first."""
    facts = [(atom, str(atom)) for atom in state.true] + [(atom, f"not {atom}") for atom in state.false]

    def rank(fact: tuple[Atom, str]) -> tuple[int, str]:
        return -len(set(fact[0].args) & set(action.args)), fact[1]

    shown = [text for _, text in sorted(facts, key=rank)]
    more = len(shown) - FACTS
    return ", ".join(shown[:FACTS]) + (f" and {more} more" if more > 0 else "") or "nothing new"
