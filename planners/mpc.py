"""Receding-horizon planning: imagine worlds, plan in each, act, look, and think again when surprised.

The worlds differ in where unseen things are. A search is told of all of them, and says what to do until
something is learned; where it is not sure, it thinks again about more worlds, and longer.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from planners.grounding import ground
from planners.sampling import SAMPLERS, Missing, World, containers, missing_things, showing
from planners.search import SEARCHES, Limits, Problem, Search, Thought
from rules.errors import WorldModelError
from rules.logic import FALSE, WILDCARD, Action, Atom
from rules.ruleset import ActionSchema
from worldmodel.belief import Belief
from worldmodel.model import WorldModel

STUBBORN = 2
"""An action that was refused so often is taken with even odds only; else something else is tried about it."""

DEEPER = (1, 2, 4)
"""How much is thought, in turn, until it is clear what to do: times the samples and expansions set."""

TRIALS = 60
"""Random actions to choose from where there is no plan."""


@dataclass(frozen=True, slots=True)
class PlanConfig:
    """horizon: longest plan, in steps. samples: worlds imagined for a decision. expansions: states that
    a search may expand in one world. `search` and `sampler` are names in `SEARCHES` and `SAMPLERS`.
    seconds: for a search in one world; with such a limit, the same seed need not do the same again. Where
    the samples disagree, more of them are drawn and searched further: up to four times as much."""

    horizon: int = 30
    samples: int = 48
    expansions: int = 500
    search: str = "best-first"
    sampler: str = "counts"
    seed: int = 0
    seconds: float = inf

    def __post_init__(self) -> None:
        for name, value, known in (
            ("search", self.search, sorted(SEARCHES)),
            ("sampler", self.sampler, sorted(SAMPLERS)),
        ):
            if value not in known:
                raise WorldModelError(f"unknown {name} {value!r}: expected one of {', '.join(known)}")
        for name in ("horizon", "samples", "expansions"):
            if getattr(self, name) < 1:
                raise WorldModelError(f"{name} is {getattr(self, name)}: expected at least 1")
        if not self.seconds > 0:
            raise WorldModelError(f"seconds is {self.seconds}: expected more than 0")


@dataclass(frozen=True, slots=True)
class Decision:
    """One chosen action, and what it cost to choose it.

    planned: whether plans were made for it (else it is the next step of the last one). worlds: how
    many were imagined. expanded: states expanded in all of them. guess: no plan was found, and the
    action is a mere trial. promised: the mean cost of reaching the goal, were it known which world it is;
    expected: the same with the looks that are in vain.
    """

    action: Action
    planned: bool
    worlds: int = 0
    expanded: int = 0
    seconds: float = 0.0
    guess: bool = False
    promised: float | None = None
    expected: float | None = None


class Planner:
    """Chooses actions for one episode at a time; `reset` before the next."""

    def __init__(
        self, model: WorldModel, config: PlanConfig | None = None, search: Search | None = None
    ) -> None:
        """search: in the place of the one that the configuration names."""
        self.model = model
        self.config = config or PlanConfig()
        self._search = search or SEARCHES[self.config.search]
        self._sampler = SAMPLERS[self.config.sampler]
        self.reset()

    def reset(self) -> None:
        """Forgets the plan; the same seed gives the same episode again."""
        self._random = random.Random(self.config.seed)
        self._steps: list[Action] = []
        self._missing: list[Missing] = []
        self._tried: Counter[Action] = Counter()

    def decide(self, belief: Belief, held: bool = True) -> Decision:
        """The next action. `held`: whether the last prediction came true; if not, all is planned anew."""
        started = time.perf_counter()
        missing = missing_things(self.model, belief)
        if held and self._steps and missing == self._missing:
            return Decision(self._steps.pop(0), planned=False, seconds=time.perf_counter() - started)
        self._missing = missing
        self._steps, worlds, thought = self._plan(belief, missing)
        stuck = bool(self._steps) and belief.refusals(self._steps[0]) >= STUBBORN
        guess = not self._steps or (stuck and self._random.random() < 0.5)
        if guess:
            about = set(self._steps[0].args) if stuck else self._telling(belief)
            self._steps = [self._trial(belief, about)]
        seconds = time.perf_counter() - started
        action, costs = self._steps.pop(0), (thought.promised, thought.expected)
        return Decision(action, True, worlds, thought.expanded, seconds, guess, *costs)

    def _plan(self, belief: Belief, missing: list[Missing]) -> tuple[list[Action], int, Thought]:
        """The steps to take until something is learned, the worlds imagined, and what was thought."""
        grounding = ground(self.model, belief, {m.name: m.type for m in missing})
        problem = Problem(grounding, missing, (), model=self.model, belief=belief)
        thought, expanded = Thought((), 0), 0
        for more in DEEPER:
            worlds = self._worlds(belief, missing, self.config.samples * more)
            limits = self._limits(more)
            if more > 1 and worlds == problem.worlds and thought.steps:
                break  # these are all the worlds there are
            problem = replace(problem, worlds=worlds)
            thought = self._search(problem, limits)
            expanded += thought.expanded
            if thought.sure or not worlds:
                break
        steps = [o.action for o in thought.steps] or self._glance(belief, missing, problem.worlds)
        return steps, len(problem.worlds), thought._replace(expanded=expanded)

    def _limits(self, more: int) -> Limits:
        config = self.config
        return Limits(config.horizon, config.expansions * more, seed=config.seed, seconds=config.seconds)

    def _worlds(self, belief: Belief, missing: list[Missing], samples: int) -> list[World]:
        if not missing:
            return [World(frozenset(), 1.0)]
        return self._sampler(self.model, belief, missing, samples, self._random)

    def _glance(self, belief: Belief, missing: list[Missing], worlds: Sequence[World]) -> list[Action]:
        """Where no plan leads on, but something has yet to be found: what shows the likeliest place."""
        facts = [fact for world in sorted(worlds, key=lambda w: -w.weight) for fact in sorted(world.facts)]
        names = {thing.name for thing in missing}
        for fact in facts:
            pattern = Atom(fact.predicate, tuple([WILDCARD if a in names else a for a in fact.args]))
            for action in showing(self.model.ruleset, pattern):
                untried = not belief.refusals(action)
                if untried and self.model.engine.outcome(belief.state, action).truth is not FALSE:
                    return [action]
        return []

    def _telling(self, belief: Belief) -> set[str]:
        """What the goal is about, and what nobody has looked into."""
        wanted = {parameter.type for parameter in belief.goal.parameters}
        ancestors = self.model.ruleset.ancestors
        telling = {n for n, type_ in belief.state.objects.items() if wanted & set(ancestors(type_))}
        for container in containers(self.model.ruleset):
            telling.update(belief.unexplored(container.predicate, 1 - container.free))
        return telling

    def _trial(self, belief: Belief, about: set[str]) -> Action:
        """Something that was little tried in this episode, with one of these things if possible: for where no
        plan leads to the goal, or the environment keeps refusing what should work."""
        schemas = sorted(self.model.ruleset.actions.values(), key=lambda schema: schema.name)
        trials = [self._drawn(belief, self._random.choice(schemas)) for _ in range(TRIALS)]

        def promise(trial: Action) -> tuple[bool, int]:
            tried = self._tried[trial] + belief.refusals(trial)
            return self._possible(belief, trial), bool(about & set(trial.args)) - tried

        chosen = max([t for t in trials if t is not None], key=promise, default=None)
        if chosen is None:
            raise WorldModelError(
                "no action can be tried: none is for the types of the "
                f"{len(belief.state.objects)} objects that were seen; expected rules for this environment"
            )
        self._tried[chosen] += 1
        return chosen

    def _drawn(self, belief: Belief, schema: ActionSchema) -> Action | None:
        """A random action of a schema; None if no known object is of a parameter's type."""
        objects = belief.state.objects
        pools = [
            [name for name in objects if self.model.ruleset.is_a(objects[name], parameter.type)]
            for parameter in schema.parameters
        ]
        if not all(pools):
            return None
        return Action(schema.name, tuple([self._random.choice(pool) for pool in pools]))

    def _possible(self, belief: Belief, action: Action) -> bool:
        """Whether the rules do not rule an action out; of one without rules they say nothing."""
        has_rules = bool(self.model.ruleset.actions[action.name].rules)
        return not has_rules or self.model.engine.outcome(belief.state, action).truth is not FALSE
