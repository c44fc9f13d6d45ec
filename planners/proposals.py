"""Plans that a language model proposes: what it is told, and how its answers become commands.

Where the model can score, it chooses among what the task's rules admit, step by step; otherwise it speaks,
and what it says is read line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from planners.sampling import Missing, containers
from planners.search.base import Problem
from planners.verdicts import Rollout
from rules.language import render_clause
from rules.ruleset import ActionSchema, RuleSet
from worldmodel.belief import Belief
from worldmodel.language_models import LanguageModel, Sampling
from worldmodel.model import WorldModel

LONGEST = 12
"""Commands in a proposed plan."""
SPOKEN = 12
"""Tokens that a command may take."""
LETTERS = 80
"""What is read of a line."""
FACTS = 60
"""Facts that are told."""
TEMPERATURE = 0.7
"""At which plans are drawn, where there are several."""

_MARKS = re.compile(r"^[\s>*`\-]*(?:\d+[.):]\s*)?[`>]*\s*|[`.\s]+$")
_NUMBERED = re.compile(r"(.+) (\d+)$")

_HEAD = """\
You act in a world where every command takes a step. Plan the commands that fulfil the task in as few
steps as possible. These are the commands, with what they need and what they bring about:
"""
_TAIL = "Answer with the commands in order, one a line, and nothing else."


class Rejected(NamedTuple):
    """A plan that was turned down, and why."""

    commands: tuple[str, ...]
    reason: str


class Proposed(NamedTuple):
    """commands: in order. turn: the step at which the next best choice was nearest, if it was chosen so."""

    commands: tuple[str, ...]
    turn: int = 0


def prompt(
    model: WorldModel,
    belief: Belief,
    missing: Sequence[Missing],
    shot: str = "",
    rejected: Sequence[Rejected] = (),
) -> str:
    """What the language model is told: the domain, an example, what is known, the task, and what was wrong
    before."""
    lines = [_HEAD + card(model.ruleset), *([shot] if shot else [])]
    lines += [situation(model, belief, missing), f"The task: {belief.goal.text}"]
    for plan in rejected:
        lines.append(f"This plan was rejected: {'; '.join(plan.commands)}\nThe reason: {plan.reason}")
    return "\n\n".join([*lines, _TAIL]) + "\n"


def card(ruleset: RuleSet) -> str:
    """A line for each action: its command, and by its best supported rule what it needs and changes."""
    return "\n".join(_entry(schema, ruleset) for schema in ruleset.actions.values() if schema.command)


def _entry(schema: ActionSchema, ruleset: RuleSet) -> str:
    said = (schema.command or "").replace("{", "").replace("}", "")
    if not schema.rules:
        return said
    rule = max(schema.rules, key=lambda rule: rule.evidence.support)
    needs = ", ".join(render_clause(clause, ruleset) for clause in rule.when)
    shown = [f"you see {atom}" for atom in rule.reveals if "*" in atom.args]
    then = ", ".join([*map(str, rule.adds), *shown])
    return f"{said}" + (f" | needs {needs}" if needs else "") + (f" | then {then}" if then else "")


def example(problem: Problem, model: WorldModel) -> str:
    """What the symbolic search would do in the likeliest world that it has planned in; empty if in none."""
    for world in sorted(problem.worlds, key=lambda world: -world.weight):
        found = problem.found.get(problem.start(world))
        if world.facts and found is not None and found.plan:
            plan = [model.perception.command(step.action) for step in found.plan]
            text = f"Example: were {' and '.join(map(str, sorted(world.facts)))}, this would do:\n"
            return _named(text + "\n".join(plan), problem.missing)
    return ""


def _named(text: str, missing: Sequence[Missing]) -> str:
    """With a name like others for what is only imagined."""
    for number, thing in enumerate(missing, start=1):
        text = text.replace(thing.name, f"{thing.type} {number}")
    return text


def situation(model: WorldModel, belief: Belief, missing: Sequence[Missing]) -> str:
    """The belief in a few lines: what there is, what is known of it, and what has yet to be found."""
    state = belief.state
    about = {parameter.type for parameter in belief.goal.parameters}
    facts = sorted(
        state.true, key=lambda atom: (not any(state.objects.get(a) in about for a in atom.args), atom)
    )
    lines = [f"There is: {listed(state.objects)}"]
    if facts:
        lines.append(f"Known: {', '.join(map(str, facts[:FACTS]))}")
    for container in containers(model.ruleset):
        holder = model.ruleset.predicates[container.predicate][1 - container.free]
        places = belief.unexplored(container.predicate, 1 - container.free)
        unseen = [place for place in places if model.ruleset.is_a(state.objects[place], holder)]
        if unseen:
            lines.append(f"Not looked into yet: {listed(unseen)}")
    if missing:
        lines.append(f"Not found yet: {', '.join(sorted({thing.type for thing in missing}))}")
    return "\n".join(lines)


def listed(names: Iterable[str]) -> str:
    """Names in a few words: ``drawer 1 to 6, sofa 1``."""
    parts = sorted(_split(name) for name in names)
    said = []
    for stem, group in groupby(parts, key=lambda part: part[0]):
        numbers = [number for _, number in group]
        for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
            first, *more = [number for _, number in run]
            name = f"{stem} {first}" if first >= 0 else stem
            said.append(f"{name} to {more[-1]}" if more and first >= 0 else name)
    return ", ".join(said)


def _split(name: str) -> tuple[str, int]:
    match = _NUMBERED.match(name)
    return (match[1], int(match[2])) if match else (name, -1)


def spoken(language: LanguageModel, text: str, plans: int, seed: int) -> list[Proposed]:
    """Plans in the model's own words, all asked for at once; without lines that repeat."""
    sampling = Sampling(LONGEST * SPOKEN, TEMPERATURE if plans > 1 else 0.0, seed=seed)
    answers = language.generate([text] * plans, sampling)
    found = [Proposed(tuple(commands(answer.text))) for answer in answers]
    return list(dict.fromkeys(plan for plan in found if plan.commands))


def commands(answer: str) -> list[str]:
    """The lines of an answer, without numbers, bullets and quotes."""
    lines = [_MARKS.sub("", line)[:LETTERS] for line in answer.splitlines()]
    return [line for line in lines if line][:LONGEST]


def scored(
    language: LanguageModel, text: str, rollout: Rollout, barred: frozenset[tuple[str, ...]]
) -> list[Proposed]:
    """One plan, each step of which is the likeliest of those that the rules admit.

    barred: beginnings of plans that are not to be proposed again.
    """
    said: list[str] = []
    turn, closest = 0, float("inf")
    while not rollout.over and len(said) < LONGEST:
        options = [option for option in rollout.options() if (*said, option) not in barred]
        if not options:
            break
        begun = "".join(f"{command}\n" for command in said)
        scores = language.score(text, [f"{option}\n" for option in options], begun)
        ranked = sorted(zip([score.mean for score in scores], options, strict=True), reverse=True)
        if len(ranked) > 1 and ranked[0][0] - ranked[1][0] < closest:
            turn, closest = len(said), ranked[0][0] - ranked[1][0]
        said.append(ranked[0][1])
        rollout.take(said[-1])
    return [Proposed(tuple(said), turn)] if said else []
