"""The fast engine against TextWorld itself: the same commands, word for word the same answers."""

from __future__ import annotations

import json
import lzma
import random
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from rules.errors import WorldModelError
from tests.worldmodel.environments.alfworld_room import LOOK, TWO, document, treat
from worldmodel.environments.alfworld.engine import FastEngine
from worldmodel.environments.alfworld.environment import AlfworldEnv
from worldmodel.environments.alfworld.game import MOVE, PUT, Game
from worldmodel.environments.alfworld.generator import generate
from worldmodel.environments.alfworld.official import OfficialEngine, official_document

pytestmark = pytest.mark.skipif(find_spec("alfworld") is None, reason="needs the alfworld extra")

OFFICIAL_GAMES = Path(__file__).parents[4] / "shared" / "data" / "alfworld"
ODD = ["", " look ", "LOOK", "look at desk 1", "dance", "go to", "take mug 1", "open", "inventory 1", "?"]


def in_old_words(game: Game) -> Game:
    """The same game with ALFWorld 0.3's grammar, which 0.4 was made from by these replacements."""
    official = official_document(game)
    grammar, domain = official["grammar"], official["pddl_domain"]
    for new, old in (
        ("You arrive at {r.name}.", "You arrive at {lend.name}."),
        ("move {o} to {r}", "put {o} in/on {r}"),
        ("You move the {o.name} to the {r.name}.", "You put the {o.name} in/on the {r.name}."),
    ):
        assert new in grammar
        grammar = grammar.replace(new, old)
    official["grammar"] = grammar[: grammar.index("action help")]
    official["pddl_domain"] = domain[: domain.index("(:action help")] + ")"
    return Game.from_document(official, f"{game.id} in old words")


def commands(engine: FastEngine, plan: list[str], rng: random.Random) -> Iterator[str]:
    """The plan, with steps aside: mostly what can be done here, sometimes what cannot be done at all."""
    plan = list(plan)
    while True:
        admissible = engine.admissible()
        if plan and rng.random() < 0.3:
            yield plan.pop(0)
        elif rng.random() < 0.2:
            yield rng.choice([*ODD, crossed(admissible, rng)])
        else:
            doing = [c for c in admissible if not c.startswith(("go to", "inventory", "help"))]
            yield rng.choice(doing if rng.random() < 0.7 else admissible)


def crossed(admissible: list[str], rng: random.Random) -> str:
    """The verb of one command with the names of another."""
    head, tail = rng.choice(admissible).split(" "), rng.choice(admissible).split(" ")
    return " ".join([head[0], *tail[1:]])


def compare(game: Game, steps: int, seed: int = 0) -> None:
    fast, official = FastEngine(game), OfficialEngine(game)
    assert fast.reset() == official.reset()
    assert (fast.won, fast.admissible()) == (official.won, official.admissible())
    trail: list[str] = []
    walkthrough = list(game.document.walkthrough or ())
    for command in islice(commands(fast, walkthrough, random.Random(seed)), steps):
        trail.append(command)
        assert fast.step(command) == official.step(command), (game.id, trail)
        assert fast.admissible() == official.admissible(), (game.id, trail)


def official_data(split: str) -> list[dict[str, Any]]:
    if not OFFICIAL_GAMES.is_dir():
        pytest.skip(f"no official games at {OFFICIAL_GAMES}")
    with lzma.open(OFFICIAL_GAMES / f"{split}.jsonl.xz", "rt") as lines:
        return [json.loads(line) for line in lines]


def official_games(split: str, count: int, seed: int) -> list[Game]:
    """A sample of a split of the official games, read as their files would be."""
    chosen = random.Random(seed).sample(official_data(split), count)
    grammar = (OFFICIAL_GAMES / "alfred.twl2").read_text()
    texts = {"pddl_domain": (OFFICIAL_GAMES / "alfred.pddl").read_text()}
    return [
        Game.from_document(
            {**texts, **data, "task": None, "grammar": grammar.replace("UNKNOWN GOAL.", data["task"])},
            data["id"],
        )
        for data in chosen
    ]


GOALS = [document(), document(TWO), document(LOOK), document(treat("isHot", "heatable", "Apple", "Fridge"))]


@pytest.mark.parametrize("made", GOALS, ids=["place", "two", "look", "heat"])
def test_the_handmade_room_answers_alike(made: dict[str, Any]) -> None:
    compare(Game.from_document(made, "tiny"), steps=100)


def test_the_handmade_room_answers_alike_in_old_words() -> None:
    game = in_old_words(Game.from_document(document(), "tiny"))
    assert game.wording == PUT
    compare(game, steps=100)


@pytest.mark.parametrize("index", range(3))
def test_generated_games_answer_alike(index: int) -> None:
    made = list(generate(3, seed=11))[index]
    compare(Game.from_document(made, made["id"]), steps=30)


def test_official_games_answer_alike() -> None:
    for game in official_games("valid_seen", 3, seed=3):
        assert game.wording == MOVE
        compare(game, steps=30)


def test_official_games_answer_alike_in_old_words() -> None:
    for game in official_games("valid_train", 1, seed=4):
        compare(in_old_words(game), steps=30)


@pytest.mark.slow
def test_many_generated_games_answer_alike() -> None:
    for made in generate(12, seed=12):
        compare(Game.from_document(made, made["id"]), steps=50)


@pytest.mark.slow
@pytest.mark.parametrize(("split", "count"), [("valid_seen", 8), ("valid_train", 6), ("train", 6)])
def test_many_official_games_answer_alike(split: str, count: int) -> None:
    for seed, game in enumerate(official_games(split, count, seed=5)):
        compare(game, steps=50, seed=seed)


@pytest.mark.parametrize("split", ["valid_seen", "valid_train"])
def test_every_official_walkthrough_wins_with_its_last_command(split: str) -> None:
    """The walkthroughs come from Fast Downward; no second engine is needed to judge them."""
    for data in official_data(split):
        game = Game.from_document({**data, "task_type": None}, data["id"])
        engine = FastEngine(game)
        assert game.task_type == data["task_type"]
        *before, last = data["walkthrough"]
        assert not any(engine.step(command)[1] for command in before), game.id
        assert engine.step(last)[1], game.id


def test_the_environments_are_alike_and_leave_the_program_as_it_was() -> None:
    arguments = list(sys.argv)
    game = Game.from_document(document(TWO), "tiny")
    environments = [AlfworldEnv(game, engine=engine, max_steps=8) for engine in ("fast", "official")]
    assert environments[0].reset() == environments[1].reset()
    plan = [
        "go to desk 1",
        "dance",
        "take mug 2 from desk 1",
        "go to countertop 1",
        "move mug 2 to countertop 1",
    ]
    answers = [[environment.step(command) for command in plan] for environment in environments]
    assert answers[0] == answers[1]
    assert answers[0][-1][1:4] == (1.0, True, False)
    assert sys.argv == arguments


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (document(task="put a {pen} in desk."), "TextWorld cannot say the task"),
        (
            document(pddl_domain="(define (domain x", grammar='"move {o} to {r}"'),
            "TextWorld cannot load the game",
        ),
    ],
)
def test_what_textworld_refuses_is_one_named_error(made: dict[str, Any], message: str) -> None:
    with pytest.raises(WorldModelError, match=f"^tiny: {message}"):
        OfficialEngine(Game.from_document(made, "tiny"))


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "textworld", None)
    with pytest.raises(WorldModelError, match=r"pip install 'worldmodel\[alfworld\]'"):
        OfficialEngine(Game.from_document(document(), "tiny"))
