"""The shipped model is what the shipped logs teach, and the logs are what the explorer does."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from rules.logic import State
from worldmodel import Episode, collect, environment, learn, load, read_episodes, shipped_rules
from worldmodel.knowledge import setting
from worldmodel.revising import begin_from
from worldmodel.storage import save

LOGS = Path(__file__).resolve().parents[1] / "datasets" / "household.jsonl.gz"
SEED = 7
SPEC = environment("alfworld")
PERCEPTION = SPEC.perception(None)


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    return list(read_episodes(LOGS))


def room(opening: str) -> str:
    percept = PERCEPTION.perceive(None, opening)
    return setting(State(dict(percept.objects), percept.true, percept.false))


def test_log_is_the_run_that_the_card_describes(episodes: list[Episode]) -> None:
    assert [episode.id for episode in episodes] == [game.id for game in SPEC.games(count=100, seed=SEED)]
    assert {(e.environment, e.policy, e.seed) for e in episodes} == {("alfworld", "curious", SEED)}
    assert all(len(e.steps) == 50 or e.success for e in episodes)


def test_shipped_model_is_what_the_logs_teach(episodes: list[Episode], tmp_path: Path) -> None:
    learned, shipped = learn(episodes, PERCEPTION), load(shipped_rules("alfworld"), PERCEPTION)
    assert learned.ruleset == shipped.ruleset
    assert learned.knowledge.tables() == shipped.knowledge.tables()
    save(learned, tmp_path / "household.rules")
    assert (tmp_path / "household.rules").read_bytes() == shipped_rules("alfworld").read_bytes()


def test_shipped_statistics_are_those_behind_the_shipped_rules() -> None:
    """Learning goes on from them (`worldmodel plan --learn`)."""
    path = shipped_rules("alfworld")
    student = begin_from(load(path, PERCEPTION), path)
    assert student.learned().ruleset == load(path, PERCEPTION).ruleset


def test_default_games_of_plan_and_their_rooms_are_new(episodes: list[Episode]) -> None:
    games = SPEC.games(count=12, seed=0)
    openings = [SPEC.make(game.load()).reset(seed=0)[0] for game in games]
    assert not {game.id for game in games} & {episode.id for episode in episodes}
    assert not {room(text) for text in openings} & {room(episode.observation) for episode in episodes}


@pytest.mark.slow
def test_exploring_again_gives_the_same_log(episodes: list[Episode]) -> None:
    games = SPEC.games(count=100, seed=SEED)
    assert list(islice(collect(SPEC, games, seed=SEED), 10)) == episodes[:10]
