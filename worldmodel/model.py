"""The world model: what the rules and the knowledge say of a belief, and how an observation revises it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from rules.engine import Engine, Match, Outcome, effects
from rules.induction.hidden import propose_hidden
from rules.logic import FALSE, TRUE, UNKNOWN, WILDCARD, Action, Atom, Literal, State, Truth
from rules.ruleset import Rule, RuleSet
from worldmodel.belief import Belief, with_companions
from worldmodel.environments.base import Percept, Perception
from worldmodel.knowledge import Knowledge, setting
from worldmodel.wording import lift, realize


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the model expects of an action.

    outcome: TRUE succeeds, FALSE is refused, UNKNOWN. chance: of success. observation: word for
    word, None where it depends on what nobody has seen. state: what would be known afterwards; both are
    those of the likelier outcome. because: the rules behind it, the likeliest first. source: the predictor
    that said it. certainty: the chance of the words, should the outcome be right.
    """

    outcome: Truth
    chance: float
    observation: str | None
    state: State
    because: tuple[str, ...]
    source: str = "rules"
    certainty: float = 1.0

    def held(self, observation: str, refused: bool) -> bool:
        """Whether it came true: word for word, or where it could not be worded in its outcome."""
        if self.observation is not None:
            return self.observation == observation
        return (self.outcome is TRUE) is not refused


class WorldModel:
    """Rules, knowledge and an environment's perception, put together. Keeps no state of an episode.

    hidden: the hidden relations that the knowledge proposes. Things that turn out to have an exclusive
    property both, as two names of one place have, are `Belief.companions`; what bars an action, and
    what does not, is in `Belief.hidden`.
    """

    def __init__(self, ruleset: RuleSet, perception: Perception, knowledge: Knowledge | None = None) -> None:
        self.engine = Engine(ruleset)
        self.ruleset = ruleset
        self.perception = perception
        self.knowledge = knowledge or Knowledge()
        self.name = "rules"
        self._last: tuple[State, Action, Outcome] | None = None
        self.hidden = propose_hidden(ruleset, self.knowledge.hidden)
        self.shared = frozenset(h.key.predicate for h in self.hidden if not h.key.action)
        self._barriers = {h.key.action: h for h in self.hidden if h.key.action}

    def begin(self, observation: str) -> Belief:
        """The belief after an episode's opening text. `UnknownGoal` where it names no goal."""
        percept = self.perception.perceive(None, observation)
        state = State(dict(percept.objects), percept.true, percept.false)
        room = setting(state)
        goal = self.perception.goal(observation)
        known = frozenset(pair for pair in self.knowledge.companions(room) if pair[0] in self.shared)
        return Belief(state, goal, room, known)

    def predict(self, belief: Belief, action: Action) -> Prediction:
        """What the model expects of an action; of one that the rule set does not know, nothing."""
        if action.name not in self.ruleset.actions:
            return Prediction(UNKNOWN, 0.5, None, belief.state, ())
        schema = self.engine.schema(action)
        outcome = self._outcome(belief.state, action)
        if not outcome.matches:
            chance = 0.5 if outcome.truth is UNKNOWN else self._doubt(belief, action)
            return Prediction(outcome.truth, chance, schema.otherwise, belief.state, (schema.name,))
        barrier = self._barrier(belief.state, action)
        barred = belief.hidden.get(barrier) if barrier else None
        if barred:
            return Prediction(FALSE, 0.0, schema.otherwise, belief.state, (str(barrier),))
        weights = {m.rule.name: self._weight(belief, action, m) for m in outcome.matches}
        matches = sorted(outcome.matches, key=lambda m: -weights[m.rule.name])
        because = tuple(m.rule.name for m in matches)
        chance = self.chance(belief, action, outcome)
        if barred is False and outcome.truth is TRUE:
            chance = self._barriers[action.name].trust
        if chance < 0.5 and (outcome.truth is UNKNOWN or action in belief.refused):
            return Prediction(UNKNOWN, chance, schema.otherwise, belief.state, because)
        state = self._after(belief, effects((_taken(matches[0]),), belief.state))
        certainty = 1.0 if matches[0].truth is TRUE else weights[because[0]] / sum(weights.values())
        said = self._observation(matches[0], state)
        return Prediction(outcome.truth, chance, said, state, because, certainty=certainty)

    def _outcome(self, state: State, action: Action) -> Outcome:
        """What the rules say. The last answer is kept: what is predicted is mostly what is done."""
        last = self._last
        if last is None or last[0] is not state or last[1] != action:
            self._last = last = state, action, self.engine.outcome(state, action)
        return last[2]

    def chance(self, belief: Belief, action: Action, outcome: Outcome) -> float:
        """The chance of success: what the evidence of the rules says and how likely their open conditions
        are, less what this episode has refused."""
        if not outcome.matches:
            return 0.0
        evidence = max((m.rule.evidence for m in outcome.matches), key=lambda e: e.support)
        prior = (evidence.support + 1) / (evidence.support + evidence.against + 2)
        if outcome.truth is UNKNOWN:
            prior *= min(1.0, sum(self._weight(belief, action, m) for m in outcome.matches))
        return prior / (1 + belief.refused.get(action, 0)) ** 2

    def _doubt(self, belief: Belief, action: Action) -> float:
        """The chance that what the rules rule out works after all: where only an assumption stands against
        it, as often as things such as these turned out to be one."""
        state = belief.state
        rules = self.engine.schema(action).rules
        assumed = {atom for rule in rules for atom in self._assumed(state, action, rule, positive=True)}
        pairs = [(atom, other) for atom in assumed for other in state.atoms(atom.predicate)]
        if not pairs or not self.engine.outcome(state.updated(assumed), action).matches:
            return 0.0
        return max(
            self.knowledge.sameness(belief.room, atom.predicate, atom.args[0], other.args[0], self._same)
            for atom, other in pairs
        )

    @cached_property
    def _same(self) -> float:
        return self.knowledge.general_sameness()

    def _weight(self, belief: Belief, action: Action, match: Match) -> float:
        """How likely a rule's open conditions are, by what is known of the types."""
        weight = 1.0
        if match.truth is TRUE:
            return weight
        binding = match.bindings[0]
        for clause in match.rule.when:
            if self.engine.clause(clause, belief.state, binding) is UNKNOWN:
                weight *= max(self.likely(belief, literal, binding) for literal in clause)
        return weight

    def likely(self, belief: Belief, literal: Literal, binding: Mapping[str, str]) -> float:
        """The chance of a literal that is unknown, by what is known of its object's type."""
        atom = literal.atom.substitute(binding)
        if len(atom.args) != 1 or WILDCARD in atom.args:
            return 0.5
        chance = self.knowledge.chance(belief.room, atom, self.engine.type_of(atom.args[0], belief.state))
        return chance if literal.positive else 1 - chance

    def _observation(self, match: Match, state: State) -> str | None:
        if match.rule.says is None:
            return None
        return realize(match.rule.says, match.bindings[0], state, self.perception)

    def _after(self, belief: Belief, state: State) -> State:
        fresh = state.true - belief.state.true
        more = with_companions(fresh, belief.companions) - state.true
        return state.updated(more) if more else state

    def update(self, belief: Belief, action: Action | None, observation: str) -> Belief:
        """The belief after an observation: its facts, the frame, and a repair where it belies the rules."""
        percept = self.perception.perceive(action, observation)
        belief = replace(belief, steps=belief.steps + 1)
        if action is None or action.name not in self.ruleset.actions:
            return replace(belief, state=belief.state.updated(percept.true, percept.false, percept.objects))
        outcome = self._outcome(belief.state, action)
        if percept.refused:
            return self._refused(belief, action, outcome)
        state = belief.state
        if barrier := self._barrier(state, action):
            belief = replace(belief, hidden={**belief.hidden, barrier: False})
        rule = self._heard(belief, action, percept, observation, outcome)
        if rule is not None:
            if outcome.truth is not TRUE:
                state = state.updated(self._assumed(state, action, rule, positive=True))
            match = self.engine.match(rule, state, action)
            if match.truth is FALSE:
                match = Match(rule, UNKNOWN, (self.engine.binding(action),))
            state = effects((_taken(match),), state)
        state = state.updated(percept.true, percept.false, percept.objects)
        return self._settled(belief, state)

    def refuses(self, action: Action, observation: str) -> bool:
        """Whether an observation says that nothing came of an action."""
        return self.perception.perceive(action, observation).refused

    def _refused(self, belief: Belief, action: Action, outcome: Outcome) -> Belief:
        """The belief after a refusal. If the rules saw none coming, and one fact that was only assumed
        explains it, the fact is taken back; if a hidden relation does, its fact is noted; otherwise the
        action is less trusted for this episode."""
        assumed = {
            atom
            for match in outcome.matches
            for atom in self._assumed(belief.state, action, match.rule, positive=False)
        }
        if outcome.truth is TRUE and not assumed and (barrier := self._barrier(belief.state, action)):
            belief = replace(belief, hidden={**belief.hidden, barrier: True})
        elif len(assumed) == 1:
            return self._settled(belief, belief.state.updated(assumed))
        elif outcome.truth is not FALSE:
            refused = {**belief.refused, action: belief.refused.get(action, 0) + 1}
            return replace(belief, refused=refused)
        return replace(belief, foreseen={**belief.foreseen, action: belief.foreseen.get(action, 0) + 1})

    def _assumed(self, state: State, action: Action, rule: Rule, positive: bool) -> set[Atom]:
        """The condition's atoms that are held false by a sweeping denial alone, never one by one.

        "You arrive at drawer 2" denies that the agent is anywhere else; that the drawer beside it is
        in reach all the same is the kind of thing that only a surprise can show.
        """
        binding = self.engine.binding(action)
        found = set()
        for clause in rule.when:
            literal = clause[0].substitute(binding)
            atom = literal.atom
            if len(clause) > 1 or literal.positive is not positive or atom.predicate not in self.shared:
                continue
            if WILDCARD not in atom.args and atom not in state.false and state.truth(atom) is FALSE:
                found.add(atom)
        return found

    def _heard(
        self, belief: Belief, action: Action, percept: Percept, observation: str, outcome: Outcome
    ) -> Rule | None:
        """The rule that an observation bears out: by its wording, else the likeliest."""
        schema = self.engine.schema(action)
        template = lift(observation, action, schema, percept, self.perception)
        for rule in schema.rules:
            if rule.says == template:
                return rule
        if outcome.matches:
            return max(outcome.matches, key=lambda m: self._weight(belief, action, m)).rule
        return schema.rules[0] if len(schema.rules) == 1 else None

    def _barrier(self, state: State, action: Action) -> Atom | None:
        """The fact of a hidden relation that, if it holds, bars an action here."""
        hidden = self._barriers.get(action.name)
        if hidden is None:
            return None
        binding = self.engine.binding(action)
        other = hidden.key.other(state, binding)
        return None if other is None else hidden.fact(binding[hidden.key.argument], other)

    def _settled(self, belief: Belief, state: State) -> Belief:
        """The belief with a new state, in which places that are one place go together."""
        pairs = frozenset(
            (predicate, a.args[0], b.args[0])
            for predicate in self.shared
            for a, b in combinations(sorted(state.atoms(predicate)), 2)
        )
        if not pairs <= belief.companions:
            belief = replace(belief, companions=belief.companions | pairs)
        return replace(belief, state=self._after(belief, state))


def _taken(match: Match) -> Match:
    """The match, taken to apply: for every binding that surely satisfies it, or for one that may."""
    return match if match.truth is TRUE else Match(match.rule, TRUE, match.bindings[:1])
