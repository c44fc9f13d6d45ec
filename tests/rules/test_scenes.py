"""The sample of states: bounded, and the same whatever the order and the partition of a log."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.induction import scenes
from rules.induction.scenes import KEEP, Scene, Scenes
from rules.logic import Atom, State

NAMES = [{"a": "block", "b": "block"}, {"a": "block", "b": "ball"}]
FACTS = [Atom("on", (x, y)) for x in "abc" for y in "abc"]


def numbered(number: int) -> State:
    """Every number is a state of its own; some have all facts in common, and so their rank."""
    names, denied, facts = number % 2, number // 2 % 2, number // 4
    true = [fact for place, fact in enumerate(FACTS) if facts >> place & 1]
    return State(NAMES[names], true, [Atom("red", ("*",))] if denied else [])


def sampled(states: Sequence[State]) -> Scenes:
    sample = Scenes()
    for state in states:
        sample.note(state)
    return sample.trim()


def scene(state: State) -> Scene:
    (only,) = sampled([state])
    return only


def expected(states: Sequence[State]) -> dict[Scene, int]:
    """All that were met, counted; then those of lowest rank."""
    counts = Counter(map(scene, states))
    return {s: counts[s] for s in sorted(counts)[: scenes.KEEP]}


@settings(deadline=None)
@given(st.lists(st.integers(0, 63), max_size=40), st.integers(1, 5), st.data())
def test_any_order_and_partition_keep_the_states_of_lowest_rank_and_count_them_exactly(
    numbers: list[int], keep: int, data: st.DataObject
) -> None:
    states = [numbered(n) for n in numbers]
    with patch.object(scenes, "KEEP", keep):
        whole = expected(states)
        assert sampled(states) == whole
        owners = data.draw(st.lists(st.integers(0, 2), min_size=len(states), max_size=len(states)))
        parts = [sampled([s for s, o in zip(states, owners, strict=True) if o == own]) for own in range(3)]
        merged = Scenes()
        for part in data.draw(st.permutations(parts)):
            merged.update(part)
        assert merged.trim() == whole
        resumed = Scenes(parts[0])
        for state, owner in zip(states, owners, strict=True):
            if owner:
                resumed.note(state)
        assert resumed.trim() == whole


def test_the_sample_is_bounded_and_exact_however_long_the_log() -> None:
    chance = random.Random(1)
    states = [numbered(chance.randrange(2000)) for _ in range(20_000)]
    sample = Scenes()
    for state in states:
        sample.note(state)
        tables = [value for value in (sample, *vars(sample).values()) if isinstance(value, Counter)]
        assert sum(map(len, tables)) <= 3 * KEEP
    assert sample.trim() == expected(states)
    assert len(sample) == KEEP


def test_a_scene_is_the_state_it_was_made_of() -> None:
    for number in range(200):
        assert scene(numbered(number)).state() == numbered(number)


def test_a_state_too_large_to_be_enumerated_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenes, "MAX_FACTS", 3)
    large, small = State({}, FACTS[:4]), State({}, FACTS[:3])
    assert [s.state() for s in sampled([large, small, large])] == [small]


SCRIPT = """
import hashlib
from rules.induction import Statistics, induce
from rules.language import render
from tests.rules import blocks

statistics = Statistics(blocks.DOMAIN)
statistics.update(t for t in blocks.transitions(5, episodes=10) if t.succeeded)
print(hashlib.sha256(repr(list(sorted(statistics.scenes.items()))).encode()).hexdigest())
print(render(induce(statistics)))
"""


def test_the_sample_and_the_rules_do_not_depend_on_how_python_hashes() -> None:
    root = Path(__file__).parents[2]
    said = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            cwd=root, capture_output=True, text=True, check=True, timeout=60,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(said) == 1
    assert "rule pick_1" in said.pop()
