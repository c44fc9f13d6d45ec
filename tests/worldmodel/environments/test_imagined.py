"""A model as an environment: it conforms, runs by the rules alone, and agrees with the real one."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from rules.errors import WorldModelError
from rules.logic import TRUE, WILDCARD, Atom, State
from tests.worldmodel.blocks_text import SPOTS, BlocksEnv, BlocksPerception, play
from worldmodel import environment, learn, load, shipped_rules
from worldmodel.environments.base import UnknownGoal
from worldmodel.environments.imagined import WorldModelEnv, imagine
from worldmodel.environments.registry import Hidden
from worldmodel.environments.testing import check_environment
from worldmodel.model import WorldModel

SPEC = environment("alfworld")
GAMES = [game.load() for game in SPEC.games(count=6, seed=21)]


@pytest.fixture(scope="module")
def model() -> WorldModel:
    return load(shipped_rules("alfworld"), SPEC.perception(None))


def opening(game: object) -> str:
    return SPEC.make(game).reset(seed=0)[0]


def test_it_conforms_in_a_given_world(model: WorldModel) -> None:
    game = GAMES[1]
    assert SPEC.hidden is not None
    hidden = SPEC.hidden(game)
    check_environment(
        model.perception, lambda: WorldModelEnv(model, opening(game), hidden), seeds=(0,), steps=25
    )


def test_it_conforms_in_imagined_worlds(model: WorldModel) -> None:
    text = opening(GAMES[0])
    check_environment(model.perception, lambda: WorldModelEnv(model, text), seeds=(1, 2), steps=15)


def test_in_a_given_world_a_walkthrough_is_answered_as_by_the_game_and_wins(model: WorldModel) -> None:
    agreed = Counter[bool]()
    for game in GAMES:
        assert SPEC.hidden is not None
        real, mine = SPEC.make(game), WorldModelEnv(model, opening(game), SPEC.hidden(game), admissible=False)
        assert real.reset()[0] == mine.reset()[0]
        for command in game.document.walkthrough:
            (said, reward, won, *_), (ours, earned, done, *_) = real.step(command), mine.step(command)
            agreed[said == ours and (reward, won) == (earned, done)] += 1
        assert won and done
    assert agreed[True] >= 0.95 * agreed.total()


def test_imagined_worlds_follow_the_seed_and_what_is_known_of_rooms(model: WorldModel) -> None:
    text = opening(GAMES[2])
    worlds = [imagine(model, text, random.Random(seed)) for seed in (1, 1, 2)]
    assert worlds[0] == worlds[1] != worlds[2]
    goal = model.perception.goal(text)
    for world in worlds:
        wanted = Counter(parameter.type for parameter in goal.parameters)
        for type_, count in wanted.items():
            there = [n for n, t in world.state.objects.items() if model.ruleset.is_a(t, type_)]
            assert len(there) >= count, type_
        for name, type_ in world.state.objects.items():
            if type_ == "mug":
                places = [a.args[1] for a in world.state.atoms("in") if a.args[0] == name]
                assert len(places) == 1
                rate = model.knowledge.found["in", "mug", world.state.objects[places[0]]]
                assert rate > 0, "a thing lies where such things were found"
        assert world.state.truth(Atom("holding", ("mug 1",))) is not TRUE


def test_the_end_of_an_episode(model: WorldModel) -> None:
    env = WorldModelEnv(model, opening(GAMES[0]), max_steps=2, admissible=False)
    with pytest.raises(WorldModelError, match=r"call reset\(\) before step"):
        env.step("look")
    _, info = env.reset(seed=0)
    assert info == {"won": False}
    assert env.step("xyzzy")[:4] == ("Nothing happens.", 0.0, False, False)
    assert env.step("inventory")[:4] == ("You are not carrying anything.", 0.0, False, True)
    with pytest.raises(WorldModelError, match="no episode is running"):
        env.step("look")
    with pytest.raises(UnknownGoal):
        WorldModelEnv(model, opening(GAMES[0]).partition("Your task")[0])
    with pytest.raises(WorldModelError, match="max_steps should be at least 1"):
        WorldModelEnv(model, opening(GAMES[0]), max_steps=0)


def test_another_domain_runs_in_worlds_that_it_is_given() -> None:
    perception = BlocksPerception()
    model = learn([play(BlocksEnv(), seed) for seed in range(60)], perception)
    text, _ = BlocksEnv().reset(seed=1)
    blocks = {"red": "east", "blue": "west"}
    closed = [Atom("lying", (WILDCARD, spot)) for spot in SPOTS] + [Atom("covered", (WILDCARD,))]
    lying = [Atom("lying", item) for item in blocks.items()]
    world = Hidden(State({**dict.fromkeys(SPOTS, "spot"), **dict.fromkeys(blocks, "block")}, lying, closed))
    check_environment(perception, lambda: WorldModelEnv(model, text, world), seeds=(0,), steps=20)
    with pytest.raises(WorldModelError, match="cannot name what is imagined beside east"):
        WorldModelEnv(model, text).reset(seed=0)
