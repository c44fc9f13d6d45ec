"""Learning by counting: in any order of the log, in any pieces, wherever they are counted, the same model."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.counts import Tables
from rules.errors import WorldModelError
from rules.language import render
from rules.pddl import read_trace
from tests.worldmodel.blocks_text import BlocksEnv, BlocksPerception, play
from worldmodel import environment, learn, read_episodes
from worldmodel.environments.base import Perception
from worldmodel.learning import Spread, count, here
from worldmodel.model import WorldModel
from worldmodel.parallel import Workers
from worldmodel.trajectories import Episode

LOGS = Path(__file__).resolve().parents[2] / "datasets" / "household.jsonl.gz"
TABLE: Perception = BlocksPerception()
HOUSEHOLD: Perception = environment("alfworld").perception(None)
TABLES = [play(BlocksEnv(twins=("east", "north") if seed % 3 else ()), seed) for seed in range(40)]
ROOMS = list(islice(read_episodes(LOGS), 34))
LOG = {"table": (TABLES, TABLE), "household": (ROOMS, HOUSEHOLD)}


def processes(begin: Any, chunks: Iterable[Sequence[Any]]) -> Iterator[Tables]:
    """Counts in two processes."""
    return Workers(begin, 2, str).map(chunks)


def by_ones(begin: Any, chunks: Iterable[Sequence[Any]]) -> Iterator[Tables]:
    """Counts every episode by itself."""
    return here(begin, ([episode] for chunk in chunks for episode in chunk))


def whole(model: WorldModel) -> tuple[str, dict[str, Any]]:
    """All there is to a model."""
    return render(model.ruleset), model.knowledge.tables()


@cache
def model_of(domain: str) -> tuple[str, dict[str, Any]]:
    """What is learned here, in one go."""
    return whole(learn(*LOG[domain]))


@pytest.mark.parametrize("spread", [by_ones, processes])
@pytest.mark.parametrize("domain", LOG)
def test_spread_the_model_is_the_same(spread: Spread, domain: str) -> None:
    text, knowledge = whole(learn(*LOG[domain], spread))
    assert (text, knowledge) == model_of(domain)
    assert text.count("  rule ") >= 6
    assert sum(knowledge["found"].values()) > 30


@settings(max_examples=2, deadline=None)
@given(seed=st.integers(0, 1 << 30))
def test_shuffled_the_model_is_the_same(seed: int) -> None:
    shuffled = random.Random(seed).sample(TABLES, len(TABLES))
    assert whole(learn(shuffled, TABLE, by_ones)) == model_of("table")


def test_shuffled_rooms_teach_the_same() -> None:
    assert whole(learn(ROOMS[::-1], HOUSEHOLD)) == model_of("household")


def test_what_a_process_cannot_read_is_an_error_here(tmp_path: Path) -> None:
    """Files as items, read where they are counted: as traces of a PDDL domain are."""
    read = partial(read_trace, domain=TABLE.domain)
    path = tmp_path / "trace"
    path.write_text("(:trajectory (:state (flying ship)))")
    with pytest.raises(WorldModelError, match="trace:1: unknown"):
        count([path], TABLE.domain, read, processes)


@pytest.mark.slow
def test_through_ray_the_model_is_the_same() -> None:
    pytest.importorskip("ray", reason="the ray extra is not installed")
    from worldmodel.cluster import Cluster

    cluster = Cluster("local")
    try:
        assert whole(learn(ROOMS, HOUSEHOLD, cluster)) == model_of("household")
        aimless = Episode("aimless", "alfworld", "You are on the moon.")
        with pytest.raises(WorldModelError, match="moon"):
            learn([*ROOMS[:3], aimless], HOUSEHOLD, cluster)
    finally:
        cluster.close()


@pytest.mark.slow
def test_no_ray_at_an_address_is_an_error() -> None:
    pytest.importorskip("ray", reason="the ray extra is not installed")
    from worldmodel.cluster import Cluster

    for address in ("127.0.0.1:1", "ray://127.0.0.1:1", "auto"):
        with pytest.raises(WorldModelError, match=f"no Ray at '{address}': "):
            Cluster(address)
