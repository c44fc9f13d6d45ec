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
from rules.logic import FALSE, TRUE, WILDCARD, Action, Atom, State
from rules.ruleset import RuleSet
from tests.worldmodel.blocks_text import BLOCKS, DOMAIN, BlocksPerception
from tests.worldmodel.test_collecting import TABLES, Table, blocks
from worldmodel.collecting import collect
from worldmodel.environments.alfworld.game import Game
from worldmodel.environments.alfworld.generator import generate
from worldmodel.environments.alfworld.perception import AlfworldPerception
from worldmodel.environments.base import Percept
from worldmodel.environments.registry import environment
from worldmodel.exploration import RandomPolicy, policy_named
from worldmodel.learning import learn
from worldmodel.model import WorldModel
from worldmodel.novelty import Novelty, salient
from worldmodel.replay import all_transitions, transition, transitions
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


def test_curious_acts_on_text_and_nothing_else() -> None:
    """Two runs over the same texts act alike, whatever is admissible."""
    (episode,) = explored("curious", 1)
    game = ALFWORLD.games(count=1, seed=11)[0]
    for admissible in [], ["go to nowhere 1"]:
        policy = policy_named("curious")
        policy.begin(PERCEPTION, episode.observation, random.Random(f"0 {game.id}"))
        for step in episode.steps:
            assert policy.act(admissible) == step.action
            policy.see(step.action, step.observation)


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


def test_rules_learned_from_curiosity_foresee_more_than_those_from_chance() -> None:
    """Of logs that neither has seen: which actions may succeed, as a mean over those that do and do not."""
    unseen = [*explored("random", 6, 1), *explored("curious", 6, 1)]

    def foreseen(model: WorldModel) -> float:
        right, total = Counter[bool](), Counter[bool]()
        for step in all_transitions(unseen, PERCEPTION):
            maybe = model.engine.outcome(step.before, step.action).truth is not FALSE
            total[step.succeeded] += 1
            right[step.succeeded] += maybe is step.succeeded
        return (right[True] / total[True] + right[False] / total[False]) / 2

    curious, chance = (foreseen(learn(explored(p, 14), PERCEPTION)) for p in ("curious", "random"))
    assert curious > chance and curious > 0.8


# --- novelty --------------------------------------------------------------------------------------

PLACES = {"desk 1": "desk", "shelf 1": "shelf", "mug 1": "mug", "pen 1": "pen"}
AT_DESK = State(
    PLACES, [Atom("at", ("desk 1",)), Atom("in", ("mug 1", "desk 1"))], [Atom("holding", (WILDCARD,))]
)


def learned(novelty: Novelty, state: State, action: Action, percept: Percept, text: str, times: int) -> None:
    for _ in range(times):
        novelty.learn(transition(state, action, text, percept, PERCEPTION))


def test_what_stands_out_is_what_a_property_singles_out() -> None:
    assert salient(AT_DESK) == {"desk 1"}
    both = AT_DESK.updated([Atom("at", ("shelf 1",)), Atom("holding", ("pen 1",))])
    assert salient(both) == {"pen 1"}


def test_what_never_worked_is_news_in_another_context_or_with_other_types() -> None:
    novelty, heat = Novelty(PERCEPTION.domain), Action("heat", ("mug 1", "desk 1"))
    assert novelty.aspect(AT_DESK, heat).novelty == 1.0
    learned(novelty, AT_DESK, heat, Percept(refused=True), "Nothing happens.", 4)
    known = novelty.aspect(AT_DESK, heat)
    other = novelty.aspect(AT_DESK, Action("heat", ("mug 1", "shelf 1")))
    holding = AT_DESK.updated([Atom("holding", ("mug 1",))], [Atom("in", ("mug 1", "desk 1"))])
    assert known.possible and known.novelty < 0.2 < other.novelty <= 1.0
    assert novelty.aspect(holding, heat).novelty == 1.0


def test_a_failure_is_worth_testing_while_one_clause_alone_foretells_it() -> None:
    novelty = Novelty(PERCEPTION.domain)
    take, away = Action("take", ("mug 1", "desk 1")), AT_DESK.updated(false=[Atom("at", (WILDCARD,))])
    said = Percept({}, frozenset([Atom("holding", ("mug 1",))]), frozenset([Atom("in", ("mug 1", "desk 1"))]))
    learned(novelty, AT_DESK, take, said, "You pick up the mug 1 from the desk 1.", 20)
    learned(novelty, away, take, Percept(refused=True), "Nothing happens.", 20)
    aspect = novelty.aspect(away, take)
    assert not aspect.possible and 0 < aspect.novelty < 0.5
    assert novelty.imagined(away, take) is None
    after = novelty.imagined(AT_DESK, take)
    assert after is not None and after.truth(Atom("holding", ("mug 1",))) is TRUE
    before = aspect.novelty
    learned(novelty, away, take, Percept(refused=True), "Nothing happens.", 1)
    assert novelty.aspect(away, take).novelty < before


def test_success_that_is_certain_by_now_is_less_news_than_success_in_doubt() -> None:
    take = Action("take", ("mug 1", "desk 1"))
    said = Percept({}, frozenset([Atom("holding", ("mug 1",))]), frozenset([Atom("in", ("mug 1", "desk 1"))]))
    sure, doubtful = Novelty(PERCEPTION.domain), Novelty(PERCEPTION.domain)
    for novelty in sure, doubtful:
        learned(novelty, AT_DESK, take, said, "You pick up the mug 1 from the desk 1.", 12)
    learned(doubtful, AT_DESK, take, Percept(refused=True), "Nothing happens.", 8)
    other = Action("take", ("pen 1", "shelf 1"))
    assert sure.aspect(AT_DESK, other).novelty < doubtful.aspect(AT_DESK, other).novelty
