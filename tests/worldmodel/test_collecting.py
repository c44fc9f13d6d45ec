"""Collecting: logs that can be read, replayed and continued."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from rules.errors import WorldModelError
from tests.worldmodel.blocks_text import BlocksEnv, BlocksPerception
from worldmodel.collecting import collect, collect_into
from worldmodel.curiosity import CuriousPolicy
from worldmodel.environments.registry import EnvironmentSpec, environment
from worldmodel.trajectories import Episode, read_episodes

ALFWORLD = environment("alfworld")
STEPS = 15


@dataclass(frozen=True)
class Table:
    """A game of blocks: its layout."""

    id: str
    layout: dict[str, list[str]]
    task_type: str = "bring"

    def load(self) -> dict[str, list[str]]:
        return self.layout


TABLES = [Table(f"table {n}", {"north": ["red", "blue"], "west": ["green", "black"]}) for n in range(3)]


def blocks(games: Sequence[Table] = TABLES) -> EnvironmentSpec:
    def make(game: Any, *, engine: str = "", max_steps: int = 50, admissible: bool = True) -> BlocksEnv:
        return BlocksEnv(layout=game, covered=["west"], max_steps=max_steps)

    return EnvironmentSpec("blocks", lambda _: BlocksPerception(), lambda **_: games, make)


@pytest.fixture(scope="module")
def games() -> Sequence[Any]:
    return [*ALFWORLD.games(count=4, seed=2)]


@pytest.mark.parametrize("policy", ["random", "curious"])
def test_a_log_says_what_was_played_and_plays_again(
    policy: str, games: Sequence[Any], tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl.gz"
    played = list(collect_into(path, ALFWORLD, games, policy, seed=9, steps=STEPS))
    assert list(read_episodes(path)) == played
    assert [e.id for e in played] == [g.id for g in games]
    for episode, reference in zip(played, games, strict=True):
        assert (episode.environment, episode.policy, episode.seed) == ("alfworld", policy, 9)
        assert episode.metadata == {"task_type": reference.task_type}
        assert len(episode.steps) == STEPS or episode.success
        env = ALFWORLD.make(reference.load(), max_steps=STEPS)
        assert env.reset()[0] == episode.observation
        for step in episode.steps:
            observation, reward, *_ = env.step(step.action)
            assert (observation, reward) == (step.observation, step.reward)


@pytest.mark.parametrize("policy", ["random", "curious"])
def test_an_interrupted_run_goes_on_as_if_it_had_not_stopped(
    policy: str, games: Sequence[Any], tmp_path: Path
) -> None:
    whole, broken = tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    for _ in collect_into(whole, ALFWORLD, games, policy, seed=4, steps=STEPS):
        pass
    list(islice(collect_into(broken, ALFWORLD, games, policy, seed=4, steps=STEPS), 2))
    with broken.open("ab") as file:
        file.write(b'{"id": "torn off in mid-')
    rest = list(collect_into(broken, ALFWORLD, games, policy, seed=4, steps=STEPS))
    assert [episode.id for episode in rest] == [game.id for game in games[2:]]
    assert broken.read_bytes() == whole.read_bytes()
    assert list(collect_into(broken, ALFWORLD, games, policy, seed=4, steps=STEPS)) == []


def test_what_an_earlier_episode_taught_matters_to_the_next() -> None:
    first, second = collect(blocks(), TABLES[:2], steps=40)
    (alone,) = collect(blocks(), TABLES[1:2], steps=40)
    assert second.steps != alone.steps
    assert list(collect(blocks(), TABLES[:2], steps=40, done=[first])) == [second]


def test_winning_by_accident_ends_the_episode_with_success() -> None:
    episodes = [e for seed in range(8) for e in collect(blocks(), TABLES, "random", seed)]
    won = [e for e in episodes if e.success]
    assert won and len(won) < len(episodes)
    for episode in episodes:
        rewards = [step.reward for step in episode.steps]
        assert rewards[-1] == float(episode.success is True)
        assert not any(rewards[:-1])


def test_a_seed_decides_and_another_differs(games: Sequence[Any]) -> None:
    def actions(seed: int) -> list[list[str]]:
        return [[s.action for s in e.steps] for e in collect(ALFWORLD, games[:2], "random", seed, STEPS)]

    assert actions(1) == actions(1) != actions(2)


def test_the_admissible_commands_are_kept_from_a_policy_that_wants_none(
    games: Sequence[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CuriousPolicy, "wants_commands", False)
    asked: list[bool] = []

    def make(game: Any, **options: Any) -> Any:
        asked.append(options["admissible"])
        return ALFWORLD.make(game, **options)

    spec = replace(ALFWORLD, make=make)
    for policy in "curious", "random":
        list(collect(spec, games[:1], policy, steps=3))
    assert asked == [False, True]


def test_games_are_read_one_at_a_time_and_only_if_needed(games: Sequence[Any]) -> None:
    loaded: list[str] = []

    @dataclass(frozen=True)
    class Watched:
        id: str
        task_type: str
        game: Any

        def load(self) -> Any:
            loaded.append(self.id)
            return self.game.load()

    watched = [Watched(game.id, game.task_type, game) for game in games]
    done = Episode(games[0].id, "alfworld", "You see nothing.", policy="random")
    run: Iterator[Episode] = collect(ALFWORLD, watched, "random", steps=2, done=[done])
    next(run)
    assert loaded == [games[1].id]


def test_an_unknown_policy_is_answered_with_the_known_ones() -> None:
    with pytest.raises(
        WorldModelError, match="unknown exploration policy 'bold'; expected curious or random"
    ):
        list(collect(ALFWORLD, [], "bold"))
