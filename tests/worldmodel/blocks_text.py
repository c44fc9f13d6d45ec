"""A second tiny domain with words of its own: an arm over a table, blocks on spots, some spots covered.

It shares no word with ALFWorld and has its own way to write lists. `twins` are spots that lie so close
together that one swing reaches both: no text says so.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
from gymnasium.spaces import Text

from rules.logic import WILDCARD, Action, Atom, Literal
from rules.ruleset import ActionSchema, Parameter, RuleSet
from worldmodel.environments.base import Goal, Percept, UnknownGoal
from worldmodel.trajectories import Episode, Step

SPOTS = ("east", "north", "south", "west")
BLOCKS = ("black", "blue", "green", "red")
REFUSAL = "The arm does not move."
_SPOT, _BLOCK = Parameter("?s", "spot"), Parameter("?b", "block")

DOMAIN = RuleSet(
    "blocks on a table",
    types={"spot": None, "block": None},
    predicates={
        "over": ("spot",),
        "lying": ("block", "spot"),
        "gripped": ("block",),
        "covered": ("spot",),
    },
    actions={
        schema.name: schema
        for schema in (
            ActionSchema("swing", (_SPOT,), "swing to {?s}"),
            ActionSchema("uncover", (_SPOT,), "uncover {?s}"),
            ActionSchema("cover", (_SPOT,), "cover {?s}"),
            ActionSchema("grab", (_BLOCK, _SPOT), "grab {?b} at {?s}"),
            ActionSchema("drop", (_BLOCK, _SPOT), "drop {?b} at {?s}"),
            ActionSchema("feel", (), "feel"),
        )
    },
)
_LIST = r"((?:\w+, )*\w+(?: and \w+)?)"


def _listed(text: str) -> tuple[str, ...]:
    return () if text == "nothing" else tuple(re.split(", | and ", text))


def _types(*names: str) -> dict[str, str]:
    return {name: "spot" if name in SPOTS else "block" for name in names}


class BlocksPerception:
    """The words of the table, and what they say."""

    domain = DOMAIN

    def goal(self, text: str) -> Goal:
        match = re.search(r"Bring (\w+) to (\w+)\.", text)
        if not match or match[1] not in BLOCKS or match[2] not in SPOTS:
            raise UnknownGoal(f"no goal in {text[:40]!r}: expected 'Bring BLOCK to SPOT.'")
        return Goal(match[0], (), (Literal(Atom("lying", (match[1], match[2]))),))

    def command(self, action: Action) -> str:
        schema = DOMAIN.actions[action.name]
        names = dict(zip((p.name for p in schema.parameters), action.args, strict=True))
        return re.sub(r"\{(\?\w)\}", lambda slot: names[slot[1]], schema.command or "")

    def action(self, command: str) -> Action | None:
        for schema in DOMAIN.actions.values():
            pattern = (schema.command or "").replace("{?s}", "(?P<s>\\w+)").replace("{?b}", "(?P<b>\\w+)")
            match = re.fullmatch(pattern, command)
            if match:
                return Action(schema.name, tuple(match[p.name[1:]] for p in schema.parameters))
        return None

    def perceive(self, action: Action | None, observation: str) -> Percept:
        if observation == REFUSAL:
            return Percept(refused=True)
        for pattern, reader in _SENTENCES.items():
            match = re.fullmatch(pattern, observation)
            if match:
                return reader(*match.groups())
        return Percept()

    def phrase(self, names: Sequence[str]) -> str:
        if not names:
            return "nothing"
        return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))

    def order(self, names: Sequence[str]) -> list[str]:
        return sorted(names)


def _opening(spots: str, _block: str, _spot: str) -> Percept:
    closed = frozenset([Atom("over", (WILDCARD,)), Atom("gripped", (WILDCARD,))])
    return Percept(_types(*_listed(spots)), false=closed)


def _there(spot: str, text: str, *true: Atom, false: Sequence[Atom] = ()) -> Percept:
    blocks, everything = _listed(text), Atom("lying", (WILDCARD, spot))
    lying = [Atom("lying", (block, spot)) for block in blocks]
    return Percept(
        _types(spot, *blocks),
        frozenset([*true, *lying]),
        frozenset([Atom("covered", (spot,)), everything, *false]),
        {everything: blocks},
    )


def _over(spot: str, text: str) -> Percept:
    return _there(spot, text, Atom("over", (spot,)), false=[Atom("over", (WILDCARD,))])


def _over_cover(spot: str) -> Percept:
    over, covered = Atom("over", (spot,)), Atom("covered", (spot,))
    return Percept(_types(spot), frozenset([over, covered]), frozenset([Atom("over", (WILDCARD,))]))


def _feel(text: str) -> Percept:
    spots = _listed(text)
    return Percept(
        _types(*spots), frozenset(Atom("over", (s,)) for s in spots), frozenset([Atom("over", (WILDCARD,))])
    )


def _grab(block: str, spot: str) -> Percept:
    lying, gripped = Atom("lying", (block, spot)), Atom("gripped", (block,))
    return Percept(_types(block, spot), frozenset([gripped]), frozenset([lying]))


def _drop(block: str, spot: str) -> Percept:
    lying, gripped = Atom("lying", (block, spot)), Atom("gripped", (block,))
    return Percept(_types(block, spot), frozenset([lying]), frozenset([gripped]))


def _cover(spot: str) -> Percept:
    return Percept(_types(spot), frozenset([Atom("covered", (spot,))]))


_SENTENCES = {
    rf"A table with {_LIST}\. Bring (\w+) to (\w+)\.": _opening,
    rf"Swung to (\w+)\. There: {_LIST}\.": _over,
    r"Swung to (\w+)\. A cover\.": _over_cover,
    rf"(\w+) lies bare\. There: {_LIST}\.": _there,
    r"(\w+) lies hidden\.": _cover,
    rf"Over {_LIST}\.": _feel,
    r"Got (\w+) from (\w+)\.": _grab,
    r"Let (\w+) go over (\w+)\.": _drop,
}


class BlocksEnv(gymnasium.Env[str, str]):
    """One table. The layout is drawn from the seed, or given: spot -> blocks."""

    metadata = {"render_modes": []}

    def __init__(
        self,
        layout: Mapping[str, Sequence[str]] | None = None,
        covered: Sequence[str] = (),
        twins: Sequence[str] = (),
        max_steps: int = 50,
    ) -> None:
        self.layout, self.covers, self.twins, self.max_steps = layout, covered, twins, max_steps
        self.observation_space = Text(500, min_length=0, charset=string.printable)
        self.action_space = Text(60, min_length=0, charset=string.printable)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        chance = random.Random(int(self.np_random.integers(1 << 30)))
        if self.layout is None:
            self.place = {block: chance.choice(SPOTS) for block in BLOCKS}
            self.covered = {spot for spot in SPOTS if chance.random() < 0.5}
        else:
            self.place = {block: spot for spot, blocks in self.layout.items() for block in blocks}
            self.covered = set(self.covers)
        self.over: str | None = None
        self.held: str | None = None
        self.steps = 0
        self.goal = (chance.choice(BLOCKS), chance.choice(SPOTS))
        return f"A table with {phrase(SPOTS)}. Bring {self.goal[0]} to {self.goal[1]}.", self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        command = BlocksPerception().action(action)
        answer = self._answer(command) if command else None
        won = self.place.get(self.goal[0]) == self.goal[1] and answer is not None
        return answer or REFUSAL, float(won), won, self.steps >= self.max_steps, self._info()

    def _at(self, spot: str) -> bool:
        return spot == self.over or {spot, self.over} <= set(self.twins)

    def _there(self, spot: str) -> str:
        return f"There: {phrase(sorted(b for b, s in self.place.items() if s == spot))}."

    def _allowed(self, action: Action) -> bool:
        spot = action.args[-1] if action.args else ""
        if action.name == "feel":
            return True
        if spot not in SPOTS or action.name == "swing":
            return spot in SPOTS and not self._at(spot)
        if not self._at(spot) or (spot in self.covered) is not (action.name == "uncover"):
            return False
        if action.name == "grab":
            return self.held is None and self.place.get(action.args[0]) == spot
        return action.name != "drop" or self.held == action.args[0]

    def _answer(self, action: Action) -> str | None:
        if not self._allowed(action):
            return None
        name, (block, spot) = action.name, ("", "", *action.args)[-2:]
        if name == "feel":
            here = sorted(s for s in SPOTS if self.over and self._at(s))
            return f"Over {phrase(here)}."
        if name == "swing":
            self.over = spot
            return f"Swung to {spot}. " + ("A cover." if spot in self.covered else self._there(spot))
        if name == "uncover":
            self.covered.remove(spot)
            return f"{spot} lies bare. {self._there(spot)}"
        if name == "cover":
            self.covered.add(spot)
            return f"{spot} lies hidden."
        if name == "grab":
            self.held = block
            del self.place[block]
            return f"Got {block} from {spot}."
        self.held, self.place[block] = None, spot
        return f"Let {block} go over {spot}."

    def _info(self) -> dict[str, Any]:
        perception = BlocksPerception()
        return {"admissible_commands": [perception.command(a) for a in all_actions() if self._allowed(a)]}


def phrase(names: Sequence[str]) -> str:
    return BlocksPerception().phrase(names)


def all_actions() -> list[Action]:
    found = [Action("feel")]
    for spot in SPOTS:
        found += [Action(name, (spot,)) for name in ("swing", "uncover", "cover")]
        found += [Action(name, (block, spot)) for name in ("grab", "drop") for block in BLOCKS]
    return found


def play(env: BlocksEnv, seed: int, steps: int = 30) -> Episode:
    """A random walk, half of it through commands that work."""
    chance = random.Random(seed)
    opening, info = env.reset(seed=seed)
    every = [BlocksPerception().command(action) for action in all_actions()]
    taken: list[Step] = []
    for _ in range(steps):
        command = chance.choice(info["admissible_commands"] if chance.random() < 0.6 else every)
        answer, reward, *_, info = env.step(command)
        taken.append(Step(command, answer, reward))
    return Episode(f"table {seed}", "blocks", opening, tuple(taken), policy="random", seed=seed)
