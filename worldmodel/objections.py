"""What the rules object to in a command, how sure they are, and how to say it to whoever gave it."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rules.engine import Engine, Explanation
from rules.language import render_clause
from rules.logic import FALSE, IS, Action, Clause, State
from rules.ruleset import ANY, Evidence
from worldmodel.advice import instead_of, nearest, remedies
from worldmodel.belief import Belief
from worldmodel.model import WorldModel


class Mistake(str, enum.Enum):
    """The kinds of mistakes that a command can be."""

    MALFORMED = "malformed"
    STRANGER = "names nothing that was met"
    MISFIT = "names a thing of the wrong type"
    CONDITION = "a condition does not hold"


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a command will come to nothing.

    mistake: its kind. confidence: a lower bound, by the evidence, on the share of the successful actions
    of this schema of which the rules would not have said so. failing: the parts of the condition that do
    not hold. instead: commands that are well-formed, or that bring about what is missing. reason: all of
    it in words.
    """

    command: str
    mistake: Mistake
    confidence: float
    failing: tuple[str, ...]
    instead: tuple[str, ...]
    reason: str


def objection(model: WorldModel, belief: Belief, command: str, texts: Sequence[str] = ()) -> Objection | None:
    """What is wrong with a command. None where it may work: also where nobody can tell.

    An action that never worked in the logs may yet do so. texts: what was said in this episode; what is
    named there is no stranger, even if nothing was understood of it.
    """
    action = model.perception.action(command)
    if action is None:
        instead = _nearest(model, belief, command)
        reason = _sentence(f"`{command[:80]}` is no command", (), "The nearest that is one: ", instead)
        return Objection(command, Mistake.MALFORMED, 1.0, (), instead, reason)
    if action.name not in model.ruleset.actions or not model.ruleset.actions[action.name].rules:
        return None
    if model.engine.outcome(belief.state, action).truth is not FALSE:
        return None
    confidence = certainty(model.engine, belief.state, action)
    misfits = _misfits(model.engine, belief.state, action)
    if misfits:
        unmet = [name for name in action.args if model.engine.type_of(name, belief.state) == ANY]
        if any(name in text for name in unmet for text in texts):
            return None
        mistake = Mistake.STRANGER if unmet else Mistake.MISFIT
        instead = _nearest(model, belief, command)
        reason = _sentence(_fails(command), misfits, "Nearest to it: ", instead)
        return Objection(command, mistake, confidence, misfits, instead, reason)
    return _unmet(model, belief, action, command, confidence)


def _nearest(model: WorldModel, belief: Belief, command: str) -> tuple[str, ...]:
    """The commands most like this one; what has gaps still to be filled may work."""

    def works(option: str) -> bool:
        action = model.perception.action(option)
        if action is None or action.name not in model.ruleset.actions:
            return True
        return model.engine.outcome(belief.state, action).truth is not FALSE

    return tuple(nearest(command, belief.state, model.perception.domain, works))


def _unmet(model: WorldModel, belief: Belief, action: Action, command: str, confidence: float) -> Objection:
    """The objection of a condition: what of the rule that is nearest to applying does not hold."""
    state, domain = belief.state, model.perception.domain
    binding = model.engine.binding(action)
    failing = [
        tuple([literal.substitute(binding) for literal in clause])
        for clause in _false(model.engine, _likeliest(model.engine.explain(state, action)))
    ]
    said = tuple(_unheld(clause, model, state) for clause in failing)
    instead = tuple(
        dict.fromkeys(
            way
            for clause in failing
            for literal in clause
            for way in remedies(literal, action, state, model.engine, domain)
        )
    )
    reason = _sentence(_fails(command), said, "First: ", instead)
    return Objection(command, Mistake.CONDITION, confidence, said, instead, reason)


def certainty(engine: Engine, state: State, action: Action) -> float:
    """How far the evidence bears out that an action which no rule allows comes to nothing.

    All successes that the logs hold met a rule's condition. So the lower bound on the share that does
    (Wilson 1927, as for `Evidence`) bounds how many good actions an objection is wrong about. What is
    said of a type alone has the evidence of that type alone: a relation its row's, an exception none.
    """
    schema = engine.schema(action)
    general = Evidence(sum(rule.evidence.support for rule in schema.rules)).confidence
    if _misfits(engine, state, action):
        return general
    certain = general
    for explanation in engine.explain(state, action):
        parts = [_borne_out(engine, clause, state, action, general) for clause in _false(engine, explanation)]
        certain = min(certain, max(parts, default=general))
    return certain


def _borne_out(engine: Engine, clause: Clause, state: State, action: Action, general: float) -> float:
    """How sure it is that an action comes to nothing where a clause does not hold."""
    binding, certain = engine.binding(action), 1.0
    for literal in clause:
        relation = engine.ruleset.relations.get(literal.atom.predicate)
        if relation is not None:
            types = tuple([engine.type_of(binding.get(a, a), state) for a in literal.atom.args])
            support, against = relation.table.get(types, Evidence())
            counts = (against, support) if literal.positive else (support, against)
            certain = min(certain, Evidence(*counts).confidence)
        elif literal.atom.predicate == IS and not literal.positive:
            return 0.0
        else:
            certain = min(certain, general)
    return certain


def _false(engine: Engine, explanation: Explanation) -> list[Clause]:
    return [clause for clauses, truth in explanation[1] if truth is FALSE for clause in clauses]


def _likeliest(explanations: Iterable[Explanation]) -> Explanation:
    """The rule of which least is false."""
    return min(explanations, key=lambda e: (sum(t is FALSE for _, t in e[1]), -e[0].evidence.support))


def _misfits(engine: Engine, state: State, action: Action) -> tuple[str, ...]:
    """The arguments that fit no parameter, in words."""
    found = []
    for parameter, name in zip(engine.schema(action).parameters, action.args, strict=True):
        own = engine.type_of(name, state)
        if parameter.type == ANY or engine.ruleset.is_a(own, parameter.type):
            continue
        if own == ANY:
            found.append(f"nobody has met `{name}`")
        elif own in engine.ruleset.types:
            found.append(f"`{name}` is no {parameter.type}")
    return tuple(found)


def _fails(command: str) -> str:
    return f"`{command}` would come to nothing"


def _unheld(clause: Clause, model: WorldModel, state: State) -> str:
    """A clause that does not hold, and what holds instead."""
    text = render_clause(clause, model.ruleset).replace('"', "")
    facts = [str(fact) for literal in clause for fact in sorted(instead_of(literal, state))]
    return f"it needs {text}" + (f", but {' and '.join(facts)}" if facts and len(facts) <= 3 else "")


def _sentence(head: str, failing: tuple[str, ...], lead: str, instead: tuple[str, ...]) -> str:
    reasons = f": {'; '.join(failing)}" if failing else ""
    advice = f" {lead}{', or '.join(f'`{option}`' for option in instead[:3])}." if instead else ""
    return f"{head}{reasons}.{advice}"
