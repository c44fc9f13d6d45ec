"""Generated ALFWorld games: plausible, solvable, the same everywhere; and the files that hold games."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.errors import WorldModelError
from worldmodel.environments.alfworld.engine import FastEngine
from worldmodel.environments.alfworld.game import Game
from worldmodel.environments.alfworld.games import find_games, write_games
from worldmodel.environments.alfworld.generation.furnishing import habits
from worldmodel.environments.alfworld.generation.rooms import ROOMS
from worldmodel.environments.alfworld.generation.tasks import SETTINGS
from worldmodel.environments.alfworld.generator import TASK_TYPES, complete, generate
from worldmodel.environments.alfworld.vocabulary import (
    CLEANABLE,
    COOLABLE,
    FITS,
    FIXTURES,
    HEATABLE,
    LAMPS,
    OBJECT_TYPES,
    RECEPTACLE_TYPES,
    RECEPTACLES,
)

ROOT = Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared" / "data" / "alfworld"
Document = dict[str, Any]

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="no ../shared/data/alfworld beside the project")
needs_alfworld = pytest.mark.skipif(
    find_spec("alfworld") is None, reason="the alfworld extra is not installed"
)


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return list(generate(200, seed=7))


def facts(problem: str) -> dict[str, list[list[str]]]:
    """predicate -> the arguments of each of its initial facts."""
    found: defaultdict[str, list[list[str]]] = defaultdict(list)
    for name, arguments in re.findall(
        r"\((\w+) ([^()]+)\)", problem[problem.index("(:init") :].split("(:goal")[0]
    ):
        found[name].append(arguments.split())
    return found


# The generator


def test_walkthroughs_win_with_their_last_command_and_not_before(documents: list[Document]) -> None:
    for document in documents:
        engine = FastEngine(Game.from_document(document, document["id"]))
        engine.reset()
        won = [engine.won]
        for command in document["walkthrough"]:
            answer, done = engine.step(command)
            assert answer != "Nothing happens.", (document["id"], command)
            won.append(done)
        assert won == [False] * (len(won) - 1) + [True], document["id"]


def test_every_room_with_every_task_that_is_set_in_it() -> None:
    for task_type, rooms in SETTINGS.items():
        for room in rooms:
            (document,) = generate(1, seed=0, room=room, task_type=task_type)
            game = Game.from_document(document, document["id"])
            assert document["task_type"] == game.task_type == task_type
            types = {kind for _, kind in facts(document["pddl_problem"])["receptacleType"]}
            mark = {
                "kitchen": "FridgeType",
                "living": "SofaType",
                "bedroom": "BedType",
                "bathroom": "ToiletType",
            }
            assert {name for name, kind in mark.items() if kind in types} == {room}


def test_all_fourteen_wordings_occur(documents: list[Document]) -> None:
    lines = [*documents, *generate(200, seed=1, room="living", task_type="look_at_obj_in_light")]
    kinds = "|".join(kind.lower() for kind in (*OBJECT_TYPES, *RECEPTACLE_TYPES))
    wordings = {re.sub(rf"\b({kinds})\b", "X", document["task"]) for document in lines}
    assert wordings == {
        *("put a X in X.", "put some X on X.", "put two X in X.", "find two X and put them in X."),
        *(f"put a {state} X in X." for state in ("clean", "hot", "cool")),
        *(f"{verb} some X and put it in X." for verb in ("clean", "heat", "cool")),
        *(f"look at X under the {lamp}." for lamp in ("desklamp", "floorlamp")),
        *(f"examine the X with the {lamp}." for lamp in ("desklamp", "floorlamp")),
    }


def test_ids_are_unique_and_tell_the_task(documents: list[Document]) -> None:
    ids = [document["id"] for document in documents]
    assert len(set(ids)) == len(ids)
    for document in documents:
        target, place = re.fullmatch(
            rf"generated/{document['task_type']}-(\w+)-None-(\w+)-seed7-\d{{3}}", document["id"]
        ).groups()  # type: ignore[union-attr]
        assert target.lower() in document["task"]
        assert place.lower() in document["task"]
        parameters = document["pddl_params"]
        assert target == parameters["object_target"]
        assert place == (parameters["parent_target"] or parameters["toggle_target"])


def test_a_game_depends_on_nothing_but_its_seed_and_number(documents: list[Document]) -> None:
    assert list(generate(3, seed=7)) == documents[:3]
    assert [document["pddl_problem"] for document in generate(3, seed=8)] != [
        document["pddl_problem"] for document in documents[:3]
    ]


def test_another_process_makes_the_same_games(documents: list[Document]) -> None:
    code = (
        "import json, sys; from worldmodel.environments.alfworld.generator import generate\n"
        "json.dump(list(generate(20, seed=7)), sys.stdout)"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": str(ROOT)}
    output = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, check=True
    ).stdout
    assert json.loads(output) == documents[:20]


def test_rooms_look_like_alfworlds(documents: list[Document]) -> None:
    sharing, doubled, sizes = 0, 0, Counter[str]()
    for document in documents:
        found = facts(document["pddl_problem"])
        locations = Counter(location for _, location in found["receptacleAtLocation"])
        assert found["atLocation"][0][1] not in locations, "the intro lists furniture only away from it"
        sharing += max(locations.values()) > 1
        held = Counter(thing for thing, _ in found["inReceptacle"])
        doubled += max(held.values()) > 1
        assert max(held.values()) <= 2
        assert not {"opened", "isHot", "isClean", "isToggled"} & set(found)
        sizes[document["task_type"]] += len(found["receptacleType"])
    assert 0.6 < sharing / len(documents) < 0.95
    assert 0.1 < doubled / len(documents) < 0.6


def test_doors_are_missing_as_often_as_in_alfworld() -> None:
    with_door, all_of = Counter[str](), Counter[str]()
    for document in generate(150, seed=2, room="kitchen"):
        found = facts(document["pddl_problem"])
        doors = {receptacle for (receptacle,) in found["openable"]}
        for receptacle, kind in found["receptacleType"]:
            all_of[kind] += 1
            with_door[kind] += receptacle in doors
    shares = {kind.removesuffix("Type"): with_door[kind] / all_of[kind] for kind in all_of}
    assert shares.pop("Fridge") == shares.pop("Microwave") == 1.0
    assert shares.pop("Cabinet") == pytest.approx(0.82, abs=0.04)
    assert shares.pop("Drawer") == pytest.approx(0.84, abs=0.06)
    shares.pop("Safe", None)
    assert set(shares.values()) == {0.0}


@pytest.mark.parametrize(
    ("room", "task_type", "message"),
    [
        ("attic", None, "no room 'attic': expected one of kitchen, living, bedroom, bathroom"),
        (None, "juggle", "no task type 'juggle': expected one of pick_and_place_simple"),
        ("bathroom", "pick_heat_then_place_in_recep", "not set in a bathroom: ask for room kitchen"),
    ],
)
def test_impossible_requests_are_refused_at_once(
    room: str | None, task_type: str | None, message: str
) -> None:
    with pytest.raises(WorldModelError, match=re.escape(message)):
        generate(1, seed=0, room=room, task_type=task_type)


# The vocabulary


def test_the_vocabulary_is_whole() -> None:
    assert (len(RECEPTACLES), len(OBJECT_TYPES), len(set(OBJECT_TYPES))) == (29, 59, 59)
    assert set(FITS) == set(RECEPTACLE_TYPES)
    objects = set(OBJECT_TYPES)
    assert set().union(*FITS.values(), CLEANABLE, COOLABLE, HEATABLE) <= objects
    assert {"sinkbasin", "bathtubbasin"} <= RECEPTACLES
    assert set(habits()) == set(ROOMS)
    for habit in (habit for lines in habits().values() for habit in lines):
        assert habit.kind in {*objects, *LAMPS, *FIXTURES}
        assert {place for place, _ in habit.places} <= {*RECEPTACLE_TYPES, "Floor"}
        assert min(weight for _, weight in habit.places) > 0


@needs_shared
def test_the_vocabulary_agrees_with_alfworlds_training_games() -> None:
    able = {
        "cleanable": CLEANABLE,
        "coolable": COOLABLE,
        "heatable": HEATABLE,
        "pickupable": frozenset(OBJECT_TYPES),
    }
    for reference in find_games(SHARED, "train")[::60]:
        found = facts(reference.document()["pddl_problem"])
        kinds = {thing: kind.removesuffix("Type") for thing, kind in found["objectType"]}
        present = {kind.removesuffix("Type") for _, kind in found["receptacleType"]}
        assert present <= set(RECEPTACLE_TYPES)
        for place, kind in found["canContain"]:
            assert kind.removesuffix("Type") in FITS[place.removesuffix("Type")]
        for predicate, expected in able.items():
            flagged = {kinds[thing] for (thing,) in found[predicate] if thing in kinds}
            unflagged = set(kinds.values()) & expected - flagged
            assert flagged <= expected, (reference.id, predicate)
            assert unflagged <= {"Footstool"}, (reference.id, predicate)  # some cannot be picked up


@needs_shared
def test_objects_lie_about_where_alfworld_puts_them() -> None:
    """Places of common kitchen things: most of the probability is where the training games have it."""
    real, ours = (
        _places(document for document in source)
        for source in (
            (reference.document() for reference in find_games(SHARED, "train")[::12]),
            generate(300, seed=4),
        )
    )
    distances = {
        kind: sum(abs(real[kind].get(p, 0.0) - ours[kind].get(p, 0.0)) for p in {**real[kind], **ours[kind]})
        / 2
        for kind in ("Apple", "Mug", "Plate", "Fork", "Pan", "SoapBar", "Candle", "CellPhone", "Pen", "Book")
    }
    assert max(distances.values()) < 0.35, distances
    assert sum(distances.values()) / len(distances) < 0.2, distances


def _places(documents: Any) -> Mapping[str, Mapping[str, float]]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for document in documents:
        found = facts(document["pddl_problem"])
        kinds = {thing: kind.removesuffix("Type") for thing, kind in found["objectType"]}
        stands = dict(found["receptacleType"])
        for thing, place in found["inReceptacle"]:
            if thing in kinds:
                counts[kinds[thing]][stands[place]] += 1
    return {kind: {p: n / sum(row.values()) for p, n in row.items()} for kind, row in counts.items()}


# The official engine


@needs_alfworld
@pytest.mark.slow
def test_generated_games_load_and_win_in_the_official_engine(tmp_path: Path) -> None:
    import textworld
    from alfworld.agents.environment.alfred_tw_env import AlfredDemangler

    documents = [next(generate(1, seed=21, task_type=task_type)) for task_type in TASK_TYPES]
    write_games(map(complete, documents), tmp_path)
    for document in documents:
        path = tmp_path / document["id"] / "game.tw-pddl"
        request = textworld.EnvInfos(won=True, admissible_commands=True)
        official = textworld.start(str(path), request, [AlfredDemangler(shuffle=False)])
        fast = FastEngine(Game.load(path))
        state = official.reset()
        assert state.feedback == fast.reset()
        for command in document["walkthrough"]:
            assert not state["won"]
            assert sorted(state["admissible_commands"]) == fast.admissible()
            state, _, _ = official.step(command)
            assert state.feedback == fast.step(command)[0]
        assert state["won"], document["id"]
        official.close()


@needs_alfworld
@pytest.mark.slow
def test_alfworlds_own_loader_finds_what_was_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from alfworld.agents.environment.alfred_tw_env import AlfredTWEnv

    write_games(map(complete, generate(5, seed=1)), tmp_path)
    config = {
        "env": {"goal_desc_human_anns_prob": 0, "task_types": [1, 2, 3, 4, 5, 6]},
        "dataset": {"eval_id_data_path": str(tmp_path), "num_eval_games": 0},
    }
    assert AlfredTWEnv(config, train_eval="eval_in_distribution").num_games == 5


def test_completing_needs_the_package(documents: list[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldmodel.environments.alfworld.generator.find_spec", lambda name: None)
    with pytest.raises(WorldModelError, match=r"pip install 'worldmodel\[alfworld\]'"):
        complete(documents[0])


# Files


@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz", "games.jsonl.xz", "folder"])
def test_what_is_written_is_found_again(name: str, documents: list[Document], tmp_path: Path) -> None:
    assert write_games(iter(documents[:12]), tmp_path / name) == 12
    found = find_games(tmp_path / name)
    expected = sorted(documents[:12], key=lambda document: str(document["id"]))
    assert [reference.document() for reference in found] == expected
    assert [reference.load().task for reference in found] == [document["task"] for document in expected]
    assert not list(tmp_path.rglob("*.part"))


def test_the_same_games_make_the_same_bytes(documents: list[Document], tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        write_games(documents[:5], tmp_path / name)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


def test_the_official_layout_and_its_filter(
    documents: list[Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    split = tmp_path / "json_2.1.1" / "valid_seen"
    plain, unsolvable, unmarked, movable, sliced, bare = (dict(document) for document in documents[:6])
    unsolvable["solvable"] = False
    movable["id"] = "pick_and_place_with_movable_recep-Pen-Mug-Desk-301/trial_T1"
    sliced["id"] = "pick_and_place_simple-AppleSliced-None-Fridge-1/trial_T1"
    del unmarked["solvable"]
    write_games([plain, unsolvable, unmarked, movable, sliced, bare], split)
    (split / bare["id"] / "traj_data.json").unlink()
    assert [reference.id for reference in find_games(tmp_path, "valid_seen")] == [plain["id"]]
    assert [reference.id for reference in find_games(split)] == [plain["id"]]
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path))
    (reference,) = find_games(split="valid_seen")
    assert reference.task_type == plain["task_type"]
    (reference,) = find_games()
    assert reference.id == f"valid_seen/{plain['id']}"


def test_one_game_file_or_its_folder(documents: list[Document], tmp_path: Path) -> None:
    write_games(documents[:1], tmp_path)
    folder = tmp_path / documents[0]["id"]
    for source in (folder, folder / "game.tw-pddl"):
        (reference,) = find_games(source)
        assert reference.id == documents[0]["id"]
    (folder / "traj_data.json").unlink()
    (reference,) = find_games(folder)
    assert reference.task_type == documents[0]["task_type"]


@needs_shared
def test_alfworlds_compact_files_are_read() -> None:
    seen = find_games(SHARED, "valid_seen")
    assert len(seen) == 140
    assert [game.id for game in seen] == sorted(game.id for game in seen)
    for reference in seen[::20]:
        engine = FastEngine(reference.load())
        engine.reset()
        for command in reference.document()["walkthrough"]:
            engine.step(command)
        assert engine.won, reference.id


def test_a_source_without_games_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WorldModelError, match=r"no playable games: expected game\.tw-pddl"):
        find_games(tmp_path)
    with pytest.raises(WorldModelError, match="nowhere: no such file or folder of games"):
        find_games(tmp_path / "nowhere")
    with pytest.raises(WorldModelError, match="no split 'train'"):
        find_games(tmp_path, "train")
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path))
    with pytest.raises(WorldModelError, match="set ALFWORLD_DATA"):
        find_games()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{broken", ":2: not a game"),
        ('{"id": "a", "task": "t", "task_type": "x"}', r":2: not a game: .*pddl_problem"),
        ("[" * 100_000, ":2: not a game"),
        ('{"id": 3}', r":2: not a game: .*\$.id"),
        (None, r":2: game 'generated/.*' is on line 1 already"),
    ],
)
def test_a_bad_line_is_named(
    line: str | None, message: str, documents: list[Document], tmp_path: Path
) -> None:
    path = tmp_path / "games.jsonl"
    good = json.dumps(documents[0])
    path.write_text(f"{good}\n{good if line is None else line}\n")
    with pytest.raises(WorldModelError, match=f"games.jsonl{message}"):
        find_games(path)


def test_damaged_files_are_named(documents: list[Document], tmp_path: Path) -> None:
    write_games(documents[:3], tmp_path / "good.jsonl.gz")
    whole = (tmp_path / "good.jsonl.gz").read_bytes()
    damaged = {
        "cut.jsonl.gz": whole[: len(whole) // 2],
        "text.jsonl.gz": b"not gzip",
        "text.jsonl.xz": b"not xz",
        "cut.jsonl.xz": lzma.compress(gzip.decompress(whole))[:-40],
    }
    for name, content in damaged.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(WorldModelError, match=f"{re.escape(name)}:[0-9]: "):
            find_games(tmp_path / name)
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(WorldModelError, match=r"folder\.jsonl:1: cannot be read"):
        find_games(tmp_path / "folder.jsonl")


def test_bounds(documents: list[Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_games(documents[:3], tmp_path / "games.jsonl.gz")
    write_games(documents[:3], tmp_path / "folder")
    monkeypatch.setattr("worldmodel.environments.alfworld.game_files.MAX_GAME", 1000)
    with pytest.raises(WorldModelError, match=":1: more than a games file may hold"):
        find_games(tmp_path / "games.jsonl.gz")
    with pytest.raises(WorldModelError, match="bytes, expected at most 1,000"):
        find_games(tmp_path / "folder")


def test_a_game_that_goes_away_is_an_error_of_ours(documents: list[Document], tmp_path: Path) -> None:
    write_games(documents[:1], tmp_path)
    (reference,) = find_games(tmp_path)
    (tmp_path / reference.id / "game.tw-pddl").unlink()
    with pytest.raises(WorldModelError, match=r"game\.tw-pddl: cannot be read"):
        reference.load()


HOSTILE = [
    "../evil", "a/../../evil", "/tmp/evil", "..", ".", "", "a//b", "a/", ".hidden/x", "a\\b", "a\x00b",
    "a\nb", "C:evil", "~/evil", "x" * 300, "/".join("abcdefghijk"),
]  # fmt: skip


@pytest.mark.parametrize("id", HOSTILE)
@pytest.mark.parametrize("name", ["folder", "games.jsonl.gz"])
def test_ids_that_lead_elsewhere_are_refused(
    id: str, name: str, documents: list[Document], tmp_path: Path
) -> None:
    with pytest.raises(WorldModelError, match="is no plain relative path"):
        write_games([{**documents[0], "id": id}], tmp_path / "inner" / name)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []


@given(id=st.text(max_size=30))
@settings(max_examples=200, deadline=None)
def test_no_id_writes_outside_the_folder(id: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    outer = tmp_path_factory.getbasetemp() / "ids"
    folder = outer / "inner"
    document = {"id": id, "task": "t.", "task_type": "x", "pddl_problem": "()"}
    try:
        write_games([document], folder)
    except WorldModelError:
        return
    assert (folder / id / "game.tw-pddl").is_file()
    assert [path.name for path in outer.iterdir()] == ["inner"]


def test_a_link_out_of_the_folder_is_not_followed(documents: list[Document], tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "generated").symlink_to(tmp_path / "outside")
    with pytest.raises(WorldModelError, match="a link leads out of"):
        write_games(documents[:1], tmp_path / "inside")
    assert not list((tmp_path / "outside").iterdir())


def test_what_cannot_be_written_is_refused_and_leaves_nothing(
    documents: list[Document], tmp_path: Path
) -> None:
    path = tmp_path / "games.jsonl.gz"
    write_games(documents[:2], path)
    before = path.read_bytes()
    with pytest.raises(WorldModelError, match=r"game 1: id .* came before"):
        write_games([documents[0], documents[0]], path)
    with pytest.raises(WorldModelError, match="game 1: not a game"):
        write_games([documents[0], {"id": "x"}], path)
    with pytest.raises(WorldModelError, match="game 0: cannot be written as JSON"):
        write_games([{**documents[0], "walkthrough": object()}], path)
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["games.jsonl.gz"]
    (tmp_path / "file").write_text("")
    with pytest.raises(WorldModelError, match="cannot be written"):
        write_games(documents[:1], tmp_path / "file" / "below")
