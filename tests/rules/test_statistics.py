"""Statistics: they add up in any order, go to disk and back, and nothing on disk is believed unchecked."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules.counts import Source
from rules.errors import WorldModelError
from rules.induction import Statistics, Transition, induce
from rules.induction.storage import ROWS, load, save, tables
from rules.language import render
from rules.ruleset import Parameter, RuleSet
from tests.rules import blocks
from tests.worldmodel.blocks_text import BlocksEnv, BlocksPerception, play
from worldmodel import environment, read_episodes
from worldmodel.replay import all_transitions

LOGS = Path(__file__).resolve().parents[2] / "datasets" / "household.jsonl.gz"


@cache
def log(domain: str) -> tuple[RuleSet, list[Transition]]:
    """A log of some hundred transitions: complete and noisy, or partial and told in words."""
    if domain == "blocks":
        return blocks.DOMAIN, list(blocks.transitions(3, episodes=10, flipped=0.05))
    if domain == "table":
        perception = BlocksPerception()
        return perception.domain, list(all_transitions([play(BlocksEnv(), s) for s in range(12)], perception))
    household = environment("alfworld").perception(None)
    return household.domain, list(all_transitions(islice(read_episodes(LOGS), 8), household))


def counted(domain: RuleSet, transitions: Sequence[Transition]) -> Statistics:
    statistics = Statistics(domain)
    statistics.update(transitions)
    return statistics


@cache
def whole(domain: str) -> tuple[Statistics, str]:
    statistics = counted(*log(domain))
    return statistics, render(induce(statistics))


@pytest.mark.parametrize("name", ["blocks", "table", "household"])
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1 << 30), pieces=st.integers(1, 5), on_disk=st.booleans())
def test_a_log_in_any_order_and_any_pieces_gives_the_same_rules(
    name: str, seed: int, pieces: int, on_disk: bool, tmp_path: Path
) -> None:
    domain, transitions = log(name)
    chance = random.Random(seed)
    shuffled = chance.sample(transitions, len(transitions))
    cuts = sorted(chance.choices(range(len(shuffled) + 1), k=pieces - 1))
    parts = [counted(domain, shuffled[a:b]) for a, b in zip([0, *cuts], [*cuts, len(shuffled)], strict=True)]
    if on_disk:
        for part in parts:
            save(part, tmp_path / "part")
            parts[parts.index(part)] = load(tmp_path / "part", domain)
    chance.shuffle(parts)
    merged = sum(parts[1:], start=parts[0])
    statistics, text = whole(name)
    assert tables(merged) == tables(statistics)
    assert len(merged) == len(transitions)
    assert render(induce(merged)) == text


def test_rules_are_the_same_whenever_one_asks() -> None:
    """Online: after every transition, what a batch of the same transitions gives."""
    domain, transitions = log("blocks")
    online = Statistics(domain)
    for number, transition in enumerate(transitions[:120], 1):
        online.add(transition)
        if number % 10 == 0 or number < 10:
            assert induce(online) == induce(counted(domain, transitions[:number])), number


@pytest.mark.parametrize("name", ["blocks", "table", "household"])
def test_disk_and_back(name: str, tmp_path: Path) -> None:
    statistics, text = whole(name)
    read = (Source("a.jsonl", 3, "00", 2),)
    save(statistics, tmp_path / "x", read)
    back = load(tmp_path / "x", statistics.domain)
    assert tables(back) == tables(statistics)
    assert all(type(row) is ROWS["records"] for row in back.records)
    assert render(induce(back)) == text
    save(back, tmp_path / "y", read)
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()
    assert sorted(tmp_path.iterdir()) == [tmp_path / "x", tmp_path / "y"]


def test_every_table_goes_to_disk() -> None:
    statistics, _ = whole("blocks")
    counters = {
        name for name, value in vars(statistics).items() if isinstance(value, dict) and name[0] != "_"
    }
    assert counters | {"scenes"} == set(ROWS)


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    statistics, _ = whole("blocks")
    save(statistics, tmp_path / "x")
    before = (tmp_path / "x").read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rules.counts.os.fsync", full)
    with pytest.raises(WorldModelError, match="x: cannot write counts: No space left"):
        save(statistics + statistics, tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == before
    assert list(tmp_path.iterdir()) == [tmp_path / "x"]


# --- files that are no statistics -----------------------------------------------------------------


@pytest.fixture
def lines(tmp_path: Path) -> list[Any]:
    """The lines of a sound file."""
    save(whole("blocks")[0], tmp_path / "sound")
    return [json.loads(line) for line in gzip.decompress((tmp_path / "sound").read_bytes()).splitlines()]


def refused(tmp_path: Path, data: bytes, complaint: str) -> None:
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(WorldModelError, match=complaint) as caught:
        load(tmp_path / "x", blocks.DOMAIN)
    assert "\n" not in str(caught.value) and str(tmp_path / "x") in str(caught.value)


def packed(lines: Sequence[Any]) -> bytes:
    return gzip.compress(b"".join(json.dumps(line).encode() + b"\n" for line in lines))


def spoil(row: list[Any], **fields: Any) -> list[Any]:
    """A row of a table, with some fields changed."""
    name, values, count = row
    names = getattr(ROWS[name], "_fields", ())
    return [name, [fields.get(field, value) for field, value in zip(names, values, strict=True)], count]


BAD_ROWS: dict[str, Callable[[list[Any]], Any]] = {
    "no row of counts": lambda row: row[:2],
    "no row of counts: .*int": lambda row: spoil(row, true="1"),
    "no row of counts: .*array": lambda row: spoil(row, types="block"),
    "no row of counts: .*>= 1": lambda row: [*row[:2], 0],
    "no row of counts: .*bool": lambda row: spoil(row, succeeded=2),
    "unknown table": lambda row: ["visions", *row[1:]],
    "unknown action": lambda row: spoil(row, action="fly"),
    "types, expected": lambda row: spoil(row, types=["block"] * 5),
    "speaks of more than": lambda row: spoil(row, true=1 << 200),
    "speaks of more than the": lambda row: spoil(row, kept=-1),
    "no invariant of this vocabulary": lambda _: ["invariants", [["one", "x", "x", 0], True], 3],
    "no invariant of this": lambda _: ["invariants", [["often", "on", "on", 0], True], 3],
    "cannot stand in an invariant": lambda _: ["invariants", [["implies", "clear", "on", 0], True], 3],
    "cannot stand": lambda _: ["invariants", [["one", "on", "on", 7], True], 3],
}


@pytest.mark.parametrize("complaint", BAD_ROWS)
def test_rows_that_are_none(complaint: str, lines: list[Any], tmp_path: Path) -> None:
    number = next(i for i, line in enumerate(lines) if i and line[0] == "records")
    lines[number] = BAD_ROWS[complaint](lines[number])
    refused(tmp_path, packed(lines), f"x:{number + 1}: .*{complaint}")


def test_files_that_are_none(lines: list[Any], tmp_path: Path) -> None:
    sound = packed(lines)
    refused(tmp_path, b"", "no header")
    refused(tmp_path, b"domain blocks\n", "cannot read counts: Not a gzipped file")
    refused(tmp_path, sound[:-20], "cannot read counts: .*ended")
    refused(tmp_path, sound[:30] + bytes([sound[30] ^ 255]) + sound[31:], "cannot read counts")
    refused(tmp_path, gzip.compress(b"["), "no header")
    refused(tmp_path, gzip.compress(b"[" * 100_000), "no header")
    refused(tmp_path, packed([lines[0], [["records"] * 3]]), "x:2: no row")
    refused(
        tmp_path,
        gzip.compress(packed(lines)[:0] + json.dumps(lines[0]).encode() + b"\n" + b"[" * 99_999),
        "x:2",
    )
    refused(tmp_path, gzip.compress(b" " * (3 << 20)), "too long for counts")
    with pytest.raises(WorldModelError, match="gone: cannot read counts: No such file"):
        load(tmp_path / "gone", blocks.DOMAIN)


def test_another_format_or_version(lines: list[Any], tmp_path: Path) -> None:
    refused(
        tmp_path,
        packed([lines[0] | {"version": 99}, *lines[1:]]),
        "version 99; expected 'worldmodel counts', v",
    )
    refused(tmp_path, packed([lines[0] | {"format": "diary"}, *lines[1:]]), "'diary', version 1; expected")
    other = lines[0]["fields"] | {"records": ["action", "mood"]}
    refused(tmp_path, packed([lines[0] | {"fields": other}, *lines[1:]]), "by another version")


def test_another_vocabulary(tmp_path: Path) -> None:
    save(whole("blocks")[0], tmp_path / "x")
    own = blocks.DOMAIN
    pick = replace(own.actions["pick"], parameters=(Parameter("?it", "block"),))
    others = [
        replace(own, name="bricks"),
        replace(own, types={**own.types, "brick": "block"}),
        replace(own, predicates=dict(reversed(own.predicates.items()))),  # the order of the candidates
        replace(own, constants={"floor": "block"}),
        replace(own, actions={**own.actions, "pick": pick}),
    ]
    for other in others:
        with pytest.raises(WorldModelError, match=r"x: 'statistics over blocks' counted over another vocab"):
            load(tmp_path / "x", other)
