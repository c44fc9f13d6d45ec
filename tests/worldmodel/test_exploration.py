"""Exploring: by text alone, the same everywhere, and in such a way that rules can be learned from it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from rules.errors import WorldModelError
from rules.logic import FALSE, WILDCARD, Atom, State
from rules.ruleset import RuleSet
from tests.worldmodel.blocks_text import BLOCKS, DOMAIN, BlocksPerception
from tests.worldmodel.test_collecting import TABLES, Table, blocks
from worldmodel.collecting import collect
from worldmodel.curiosity import salient
from worldmodel.environments.alfworld.game import Game
from worldmodel.environments.alfworld.generator import generate
from worldmodel.environments.alfworld.perception import AlfworldPerception
from worldmodel.environments.registry import environment
from worldmodel.exploration import RandomPolicy, policy_named
from worldmodel.learning import learn
from worldmodel.model import WorldModel
from worldmodel.replay import all_transitions, transitions
from worldmodel.trajectories import Episode

ALFWORLD, PERCEPTION = environment("alfworld"), AlfworldPerception()


@cache
def explored(policy: str, count: int, seed: int = 0) -> Sequence[Episode]:
    return list(collect(ALFWORLD, ALFWORLD.games(count=count, seed=11 + seed), policy, seed))


@dataclass(frozen=True)
class Kitchen:
    """A generated game as a reference."""

    document: Mapping[str, Any]
    task_type: str = ""

    @property
    def id(self) -> str:
        return str(self.document["id"])

    def load(self) -> Game:
        return Game.from_document(self.document, self.id)


def seen_in_full(episode: Episode) -> int:
    """How many places' contents were seen by the end."""
    *_, last = transitions(episode, PERCEPTION)
    return sum(pattern.predicate == "in" and pattern.args[0] == WILDCARD for pattern in last.after.false)


def test_random_plays_admissible_commands_and_some_that_are_not() -> None:
    policy, tried = RandomPolicy(), Counter[bool]()
    env = ALFWORLD.make(ALFWORLD.games(count=1, seed=3)[0].load(), max_steps=200)
    opening, info = env.reset()
    policy.begin(PERCEPTION, opening, random.Random(0))
    over = False
    while not over:
        command = policy.act(info["admissible_commands"])
        assert PERCEPTION.action(command) is not None
        tried[command in info["admissible_commands"]] += 1
        observation, _, won, truncated, info = env.step(command)
        policy.see(command, observation)
        over = won or truncated
    assert 0.05 < tried[False] / tried.total() < 0.3


@pytest.mark.parametrize("name", ["random", "curious"])
def test_nothing_to_act_on_is_said(name: str) -> None:
    class Blank(BlocksPerception):
        domain = RuleSet("blank", DOMAIN.types, DOMAIN.predicates, actions={"swing": DOMAIN.actions["swing"]})

    policy = policy_named(name)
    policy.begin(Blank(), "A fog.", random.Random(0))
    with pytest.raises(WorldModelError, match="no object was seen"):
        policy.act(())


def test_curious_plays_again_what_it_played_from_text_and_what_it_was_told() -> None:
    game, episode = ALFWORLD.games(count=1, seed=11)[0], explored("curious", 1)[0]
    env = ALFWORLD.make(game.load(), max_steps=50, admissible=True)
    _, info = env.reset()
    policy = policy_named("curious")
    policy.begin(PERCEPTION, episode.observation, random.Random(f"0 {game.id}"))
    bold = 0
    for step in episode.steps:
        told = info["admissible_commands"]
        assert policy.act(told) == step.action
        bold += step.action not in told
        policy.see(step.action, step.observation)
        _, _, _, _, info = env.step(step.action)
    assert 0.2 * len(episode.steps) < bold < 0.6 * len(episode.steps)


def test_what_stands_out_is_what_a_property_singles_out() -> None:
    state = State({"mug 1": "mug", "desk 1": "desk"}, [Atom("at", ("desk 1",)), Atom("hot", ("mug 1",))])
    assert salient(state.updated(false=[Atom("at", (WILDCARD,))], true=[Atom("at", ("desk 1",))])) == {
        "desk 1"
    }


def test_the_order_of_hashes_does_not_matter() -> None:
    code = (
        "from worldmodel.environments.registry import environment as e;"
        "from worldmodel.collecting import collect;"
        "s = e('alfworld');"
        "print([x.action for p in ('curious', 'random') for y in collect(s, s.games(count=2), p)"
        " for x in y.steps])"
    )
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in "12"
    ]
    first, second = (run.communicate(timeout=120)[0] for run in runs)
    assert first == second and len(first) > 1000


def test_curious_sees_more_places_than_random() -> None:
    kitchens = [Kitchen(document) for document in generate(10, 1, room="kitchen")]
    curious, chance = (sum(map(seen_in_full, collect(ALFWORLD, kitchens, p))) for p in ("curious", "random"))
    assert curious > 1.1 * chance


def test_curious_tries_all_that_can_be_done_with_little() -> None:
    done: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for episode in explored("curious", 14):
        for step in transitions(episode, PERCEPTION):
            (done if step.succeeded else failed)[step.action.name] += 1
    assert set(done) >= {"go_to", "open", "close", "take", "put", "examine", "inspect", "look", "inventory"}
    assert set(failed) >= {"go_to", "open", "close", "take", "put", "clean", "heat", "cool", "use", "slice"}


def test_curious_learns_a_domain_with_other_words() -> None:
    tables = [Table(f"t{n}", {"north": ["red"], "west": [BLOCKS[n % 4]]}) for n in range(8)] + TABLES
    episodes = list(collect(blocks(), tables, steps=40))
    rules = learn(episodes, BlocksPerception()).ruleset.actions
    assert all(rules[name].rules for name in ("swing", "uncover", "cover", "grab", "drop", "feel"))
    conditions = {str(literal.atom) for clause in rules["grab"].rules[0].when for literal in clause}
    assert conditions >= {"over(?s)", "lying(?b, ?s)"}


def test_rules_learned_from_few_explored_episodes_foresee_most_of_what_is_possible() -> None:
    """Of logs that neither has seen: which actions may succeed, as a mean over those that do and do not."""
    unseen = [*explored("random", 6, 1), *explored("curious", 6, 1)]

    def foreseen(model: WorldModel) -> float:
        right, total = Counter[bool](), Counter[bool]()
        for step in all_transitions(unseen, PERCEPTION):
            maybe = model.engine.outcome(step.before, step.action).truth is not FALSE
            total[step.succeeded] += 1
            right[step.succeeded] += maybe is step.succeeded
        return (right[True] / total[True] + right[False] / total[False]) / 2

    assert foreseen(learn(explored("curious", 14), PERCEPTION)) > 0.8
