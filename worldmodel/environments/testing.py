"""What a new environment must pass: its perception, its gymnasium API, and how the two fit.

::

    def test_my_environment() -> None:
        check_environment(MyPerception(), lambda: MyEnv(...))

`check_environment` plays a few episodes and runs every check on them; each check is public too. A check
that fails raises `ConformanceError`, which says what was found, what was expected, and where.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

import gymnasium
from gymnasium.utils.env_checker import check_env

from rules.errors import WorldModelError
from rules.language import check, slots
from rules.logic import WILDCARD, Action, Atom
from worldmodel.environments.base import Goal, Percept, Perception, UnknownGoal

TextEnv = gymnasium.Env[str, str]
NONSENSE = ("", " ", "xyzzy", "{?x}", "go to\n", "\0", "Ü" * 5000, "a, b, and c.", "?o", "*")
"""Commands and texts that belong to no environment."""


class ConformanceError(WorldModelError):
    """An environment that breaks the contract of `worldmodel.environments.base`."""


@dataclass(frozen=True, slots=True)
class Walk:
    """An episode as it was played: commands, observations (the opening first) and all names met."""

    commands: list[str] = field(default_factory=list)
    observations: list[str] = field(default_factory=list)
    objects: dict[str, str] = field(default_factory=dict)


def check_environment(
    perception: Perception, make: Callable[[], TextEnv], seeds: Sequence[int] = (0, 1, 2), steps: int = 40
) -> None:
    """Every check, on random walks of a fresh environment each. `ConformanceError` if one fails."""
    check_vocabulary(perception)
    check_gymnasium(make())
    for seed in seeds:
        walk = check_walk(perception, make(), seed, steps)
        check_opening(perception, walk.observations[0])
        check_actions(perception, walk.objects)
        check_robust(perception, walk)
        check_repeatable(make, seed, walk)
        check_refusals(perception, make, seed, walk)


def _expect(so: object, message: str) -> None:
    if not so:
        raise ConformanceError(message)


def check_vocabulary(perception: Perception) -> None:
    """The domain is a valid rule set without rules, and every action's command shows its parameters."""
    domain = perception.domain
    check(domain)
    _expect(domain.actions, f"{domain.name}: no actions; expected the schema of every command")
    for schema in domain.actions.values():
        _expect(not schema.rules, f"action {schema.name} has rules: they are to be learned, leave them out")
        shown = sorted(str(s) for s in slots(schema.command or ""))
        names = sorted(p.name for p in schema.parameters)
        _expect(shown == names, f"command {schema.command!r} of {schema.name}: expected the slots {names}")


def check_gymnasium(env: TextEnv) -> None:
    """gymnasium's own checker has no objection."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            check_env(env, skip_render_check=True)
        except Exception as error:
            raise ConformanceError(f"gymnasium's check_env objects: {error}") from error


def check_opening(perception: Perception, opening: str) -> Goal:
    """The opening names things and states a goal over the vocabulary; nonsense states none."""
    _expect(perception.perceive(None, opening).objects, f"the opening {opening[:60]!r} shows no object")
    goal = perception.goal(opening)
    names = {p.name for p in goal.parameters}
    for literal in goal.condition:
        known = literal.atom.predicate in {*perception.domain.predicates, "is", "="}
        _expect(
            known, f"the goal {goal.text!r} speaks of {literal.atom}, which is no predicate of the domain"
        )
        free = {a for a in literal.atom.args if a.startswith("?")} - names
        _expect(not free, f"the goal {goal.text!r} has no parameter for {sorted(free)}")
    for text in NONSENSE:
        try:
            perception.goal(text)
        except UnknownGoal:
            continue
        raise ConformanceError(f"goal({text[:20]!r}) is a goal; expected UnknownGoal")
    return goal


def check_actions(perception: Perception, objects: dict[str, str], most: int = 200) -> None:
    """Every action over these objects has a command that is read back as this action."""
    domain = perception.domain
    for schema in domain.actions.values():
        pools = [[n for n, t in objects.items() if domain.is_a(t, p.type)] for p in schema.parameters]
        every = [Action(schema.name, args) for args in product(*pools)]
        for action in random.Random(0).sample(every, min(most, len(every))):
            command = perception.command(action)
            found = perception.action(command)
            _expect(found == action, f"{action} is {command!r}, which is read back as {found}")
    for text in NONSENSE:
        _expect(perception.action(text) is None, f"the command {text[:20]!r} is an action; expected None")


def check_percept(perception: Perception, percept: Percept, observation: str) -> None:
    """What an observation says is ground, typed and declared, and its lists are complete."""
    where = f"perceived in {observation[:80]!r}"
    for atom in percept.true:
        _expect(WILDCARD not in atom.args, f"{atom} is asserted with a wildcard, {where}")
        unnamed = sorted(set(atom.args) - {*percept.objects, *perception.domain.constants})
        _expect(not unnamed, f"{atom} speaks of {unnamed}, which is not among the objects, {where}")
    for atom in percept.true | percept.false:
        arity = len(perception.domain.predicates.get(atom.predicate, ("?",) * 99))
        _expect(
            arity == len(atom.args), f"{atom} is no predicate of the domain, or of another arity, {where}"
        )
    for pattern, names in percept.contents.items():
        _check_contents(perception, percept, pattern, names, where)


def _check_contents(
    perception: Perception, percept: Percept, pattern: Atom, names: Sequence[str], where: str
) -> None:
    _expect(pattern.args.count(WILDCARD) == 1, f"the list of {pattern} needs one wildcard, {where}")
    _expect(pattern in percept.false, f"the list of {pattern} is complete, but not denied beyond it, {where}")
    place = pattern.args.index(WILDCARD)
    for name in names:
        atom = Atom(pattern.predicate, (*pattern.args[:place], name, *pattern.args[place + 1 :]))
        _expect(atom in percept.true, f"{atom} is listed, but not asserted, {where}")
    ordered = perception.order(names)
    _expect(sorted(ordered) == sorted(names), f"order({list(names)}) is {ordered}: no reordering, {where}")


def check_walk(perception: Perception, env: TextEnv, seed: int, steps: int) -> Walk:
    """A random walk through the gymnasium API; every observation is text that perception can take."""
    chance, walk = random.Random(seed), Walk()
    observation, info = env.reset(seed=seed)
    _note(perception, walk, None, observation)
    for _ in range(steps):
        command = _choose(perception, chance, walk, info.get("admissible_commands"))
        answer = env.step(command)
        _expect(len(answer) == 5, f"step({command!r}) gives {len(answer)} values; expected gymnasium's five")
        observation, reward, terminated, truncated, info = answer
        kinds = (isinstance(reward, int | float), isinstance(terminated, bool), isinstance(truncated, bool))
        _expect(all(kinds), f"step({command!r}) ends in {answer[1:4]}; expected a number and two bools")
        walk.commands.append(command)
        _note(perception, walk, perception.action(command), observation)
        if terminated or truncated:
            break
    return walk


def _note(perception: Perception, walk: Walk, action: Action | None, observation: str) -> None:
    _expect(isinstance(observation, str), f"an observation is {type(observation).__name__}; expected text")
    percept = perception.perceive(action, observation)
    check_percept(perception, percept, observation)
    walk.observations.append(observation)
    walk.objects.update(percept.objects)


def _choose(
    perception: Perception, chance: random.Random, walk: Walk, admissible: Sequence[str] | None
) -> str:
    """Mostly a command that works, where the environment lists them; else any command over what was met."""
    if admissible and chance.random() < 0.7:
        command = chance.choice(sorted(admissible))
        _expect(perception.action(command), f"the admissible command {command!r} is read as no action")
        return command
    domain = perception.domain
    schema = domain.actions[chance.choice(sorted(domain.actions))]
    pools = [[n for n, t in walk.objects.items() if domain.is_a(t, p.type)] for p in schema.parameters]
    if not all(pools):
        return chance.choice(NONSENSE)
    return perception.command(Action(schema.name, tuple(chance.choice(pool) for pool in pools)))


def check_robust(perception: Perception, walk: Walk) -> None:
    """`perceive` takes any text after any action: garbled, cut off, out of place. It never raises."""
    chance = random.Random(0)
    actions = [None, *map(perception.action, walk.commands)]
    for text in [*NONSENSE, *(_garbled(chance, text) for text in walk.observations)]:
        for action in chance.sample(actions, min(5, len(actions))):
            try:
                percept = perception.perceive(action, text)
            except Exception as error:
                raise ConformanceError(f"perceive({action}, {text[:60]!r}) raises {error!r}") from error
            check_percept(perception, percept, text)


def _garbled(chance: random.Random, text: str) -> str:
    start, end = sorted(chance.choices(range(len(text) + 1), k=2))
    return chance.choice([text[:end], text[start:], text[:start] + text[end:], text + text, text.upper()])


def _replay(env: TextEnv, seed: int, commands: Iterable[str]) -> list[str]:
    observations = [env.reset(seed=seed)[0]]
    return observations + [env.step(command)[0] for command in commands]


def check_repeatable(make: Callable[[], TextEnv], seed: int, walk: Walk) -> None:
    """The same seed and commands give the same observations, in a new environment and after a reset."""
    env = make()
    for occasion in ("in a new environment", "after a reset"):
        for number, (found, expected) in enumerate(
            zip(_replay(env, seed, walk.commands), walk.observations, strict=True)
        ):
            said = f"{occasion}, observation {number} for seed {seed} is {found[:80]!r}"
            _expect(found == expected, f"{said}; it was {expected[:80]!r}")


def check_refusals(perception: Perception, make: Callable[[], TextEnv], seed: int, walk: Walk) -> None:
    """A refused command changes nothing: left out of the walk, all other observations stay as they were."""
    pairs = list(zip(walk.commands, walk.observations[1:], strict=True))
    kept = [(c, o) for c, o in pairs if not perception.perceive(perception.action(c), o).refused]
    found = _replay(make(), seed, (command for command, _ in kept))
    for (command, expected), answer in zip(kept, found[1:], strict=True):
        said = f"without the refused commands before it, {command!r} is answered {answer[:80]!r}"
        _expect(answer == expected, f"{said}; with them it was {expected[:80]!r}")
