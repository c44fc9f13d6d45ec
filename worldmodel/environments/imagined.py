"""A world model as an environment: agents and trainers can practise where only the model's rules hold.

An episode starts from an opening text and a world, all that holds and that nobody sees: the hidden state
of a real game, or one that is imagined from what the model knows of rooms (`imagine`). From there on the
rules alone say what happens, what is seen, and what the environment answers.
"""

from __future__ import annotations

import random
import string
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import Any

import gymnasium
from gymnasium.spaces import Text

from rules.engine import variables
from rules.errors import WorldModelError
from rules.logic import TRUE, UNKNOWN, WILDCARD, Action, Atom, State
from rules.ruleset import Parameter, Rule
from worldmodel.belief import Belief
from worldmodel.environments.registry import Hidden
from worldmodel.model import WorldModel
from worldmodel.predictors.counts import Counts, fresh, numbered
from worldmodel.progress import achieved

MAX_OBSERVATION, MAX_COMMAND = 16_384, 256
World = Hidden | Callable[[random.Random], Hidden]
"""A world, or what draws one."""


class WorldModelEnv(gymnasium.Env[str, str]):
    """One task in a world that runs by a model. The reward is 1 on the step that reaches the goal, which
    ends the episode; else 0.

    opening: the text that an episode begins with, the task in it. world: what is hidden as it begins; by
    default it is imagined anew at each reset, by the seed. max_steps: the episode is truncated there.
    admissible: whether `info` lists the ``admissible_commands``, those that the rules let succeed.
    ``info["won"]`` says whether the goal holds. Raises `UnknownGoal` where the opening states no goal, and
    `WorldModelError` for a step outside an episode.
    """

    metadata = {"render_modes": []}

    def __init__(
        self,
        model: WorldModel,
        opening: str,
        world: World | None = None,
        *,
        max_steps: int = 50,
        admissible: bool = True,
    ) -> None:
        if max_steps < 1:
            raise WorldModelError(f"max_steps should be at least 1, found {max_steps}")
        self.model, self.opening = model, opening
        self.world: World = world if world is not None else lambda rng: imagine(model, opening, rng)
        self.max_steps, self.admissible = max_steps, admissible
        self.first = model.begin(opening)
        charset = "".join(sorted({*string.printable, *opening}))
        self.observation_space = Text(MAX_OBSERVATION, min_length=0, charset=charset)
        self.action_space = Text(MAX_COMMAND, min_length=0, charset=string.printable)
        self.steps_left = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin the episode: the opening text. The seed decides what is imagined."""
        super().reset(seed=seed, options=options)
        world = self.world
        if callable(world):
            world = world(random.Random(int(self.np_random.integers(1 << 62))))
        state = self.first.state.updated(world.state.true, world.state.false, world.state.objects)
        self.belief = replace(self.first, state=state, companions=self.first.companions | world.companions)
        self.steps_left = self.max_steps
        return self.opening, self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Give a command: observation, reward, terminated (won), truncated (out of steps), info."""
        if not self.steps_left:
            raise WorldModelError("no episode is running: call reset() before step()")
        asked = self.model.perception.action(action)
        observation, self.belief = self._answer(asked)
        self.steps_left -= 1
        won = achieved(self.belief.goal, self.belief.state, self.model.engine)
        truncated = not won and not self.steps_left
        if won:
            self.steps_left = 0
        return observation, float(won), won, truncated, self._info()

    def _answer(self, action: Action | None) -> tuple[str, Belief]:
        """What the model says of an action, and what then holds. What it cannot word is refused."""
        if action is not None:
            prediction = self.model.predict(self.belief, action)
            if prediction.observation is not None:
                return prediction.observation, replace(self.belief, state=prediction.state)
        return self._refusal, self.belief

    @cached_property
    def _refusal(self) -> str:
        """What the environment mostly says when nothing comes of a command."""
        said = [schema.otherwise for schema in self.model.ruleset.actions.values() if schema.otherwise]
        return max(sorted(said), key=said.count, default="")

    def _info(self) -> dict[str, Any]:
        won = achieved(self.belief.goal, self.belief.state, self.model.engine)
        if not self.admissible:
            return {"won": won}
        commands = {self.model.perception.command(action) for action in self._possible()}
        return {"won": won, "admissible_commands": sorted(commands)}

    def _possible(self) -> Iterator[Action]:
        """The actions that the rules let succeed."""
        for schema in self.model.ruleset.actions.values():
            for rule in schema.rules:
                for names in product(*(self._fitting(p, rule) for p in schema.parameters)):
                    action = Action(schema.name, names)
                    if self.model.engine.outcome(self.belief.state, action).truth is TRUE:
                        yield action

    def _fitting(self, parameter: Parameter, rule: Rule) -> list[str]:
        """The things that a rule's own conditions on one parameter leave."""
        state, engine = self.belief.state, self.model.engine
        own = [clause for clause in rule.when if variables(clause) == {parameter.name}]
        return [
            name
            for name, type_ in state.objects.items()
            if self.model.ruleset.is_a(type_, parameter.type)
            and all(engine.clause(clause, state, {parameter.name: name}) is TRUE for clause in own)
        ]


def imagine(model: WorldModel, opening: str, rng: random.Random) -> Hidden:
    """A world that an opening may belong to, drawn by what the model knows of rooms: what every place
    contains, and what things are like. Of each type that the goal names there is enough.

    What was never seen so at first sight is not so. Raises `UnknownGoal` where the opening states no goal,
    and `WorldModelError` where things are not named by type and number, so that none can be made up.
    """
    belief = model.begin(opening)
    if not numbered(belief.state.objects):
        names = ", ".join(list(belief.state.objects)[:3])
        raise WorldModelError(f"cannot name what is imagined beside {names}: expected names such as 'mug 1'")
    draw = _Draw(model, belief, rng)
    draw.furnish()
    draw.provide()
    draw.describe()
    closed = {Atom(name, (WILDCARD,) * len(types)) for name, types in model.ruleset.predicates.items()}
    return Hidden(State(draw.objects, draw.true, closed | draw.listed), belief.companions)


class _Draw:
    """A world in the making."""

    def __init__(self, model: WorldModel, belief: Belief, rng: random.Random) -> None:
        self.model, self.belief, self.rng = model, belief, rng
        self.objects = dict(belief.state.objects)
        self.true, self.listed = set(belief.state.true), set[Atom]()
        counts = Counts(model)
        self.rates = {
            pattern: counts.contents(belief, pattern)
            for predicate, types in sorted(model.ruleset.predicates.items())
            if len(types) == 2
            for place, type_ in belief.state.objects.items()
            if model.ruleset.is_a(type_, types[1])
            for pattern in [Atom(predicate, (WILDCARD, place))]
        }

    def furnish(self) -> None:
        """Puts things into every place."""
        for pattern, rates in self.rates.items():
            self.listed.add(pattern)
            for type_, chance in sorted(rates.items()):
                if self.rng.random() < chance:
                    self._put(type_, pattern)

    def provide(self) -> None:
        """Puts what the goal needs and is not there where it is likely to be."""
        wanted = Counter(parameter.type for parameter in self.belief.goal.parameters)
        for type_, count in sorted(wanted.items()):
            have = sum(self.model.ruleset.is_a(t, type_) for t in self.objects.values())
            places = {p: rates[type_] for p, rates in self.rates.items() if rates.get(type_)}
            for _ in range(count - have if places else 0):
                self._put(type_, self.rng.choices(list(places), list(places.values()))[0])

    def describe(self) -> None:
        """Draws what each thing is like, where the opening leaves it open."""
        knowledge, room = self.model.knowledge, self.belief.room
        for predicate, types in sorted(self.model.ruleset.predicates.items()):
            for name, type_ in self.objects.items():
                atom = Atom(predicate, (name,))
                if len(types) != 1 or self.belief.state.truth(atom) is not UNKNOWN:
                    continue
                seen_so = knowledge.facts[predicate, type_, TRUE.value]
                if seen_so and self.rng.random() < knowledge.chance(room, atom, type_):
                    self.true.add(atom)

    def _put(self, type_: str, pattern: Atom) -> None:
        name = fresh(type_, self.objects)
        self.objects[name] = type_
        self.true.add(Atom(pattern.predicate, (name, pattern.args[1])))
