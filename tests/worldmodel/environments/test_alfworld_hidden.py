"""The hidden initial state, against what the game shows when somebody looks."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.logic import FALSE, TRUE, WILDCARD, Atom
from tests.worldmodel.environments.alfworld_room import TWO, document
from worldmodel.environments.alfworld.engine import FastEngine
from worldmodel.environments.alfworld.game import Game
from worldmodel.environments.alfworld.games import find_games
from worldmodel.environments.alfworld.hidden import hidden
from worldmodel.environments.alfworld.perception import AlfworldPerception

SHARED = Path(__file__).parents[4] / "shared" / "data" / "alfworld"
PERCEPTION = AlfworldPerception()


def look_everywhere(game: Game) -> None:
    """Goes to every place, opens it, and finds all that is seen there in the hidden state, and no less."""
    state, engine = hidden(game).state, FastEngine(game)
    percept = PERCEPTION.perceive(None, engine.reset())
    assert percept.objects.items() <= state.objects.items()
    for place in percept.objects:
        for command in (f"go to {place}", f"open {place}"):
            seen = PERCEPTION.perceive(PERCEPTION.action(command), engine.step(command)[0])
            for pattern, names in seen.contents.items():
                assert {atom.args[0] for atom in state.matching(pattern)} == set(names)
                assert pattern in state.false
            for predicate in ("openable", "in"):
                for atom in seen.true:
                    assert atom.predicate != predicate or state.truth(atom) is TRUE


def test_a_tiny_room() -> None:
    game = Game.from_document(document(TWO, "find two mug and put them in countertop."), "tiny")
    found = hidden(game)
    assert found.state.truth(Atom("in", ("apple 1", "countertop 1"))) is TRUE
    assert found.state.truth(Atom("in", ("apple 1", "desk 1"))) is FALSE
    assert found.state.truth(Atom("openable", ("drawer 1",))) is FALSE
    assert found.state.truth(Atom("hot", ("apple 1",))) is FALSE
    assert found.state.some(Atom("holding", (WILDCARD,))) is FALSE
    assert ("at", "desk 1", "drawer 1") in found.companions
    assert ("at", "desk 1", "fridge 1") not in found.companions
    look_everywhere(game)


@pytest.mark.skipif(not SHARED.is_dir(), reason="ALFWorld's games are not beside the project")
def test_real_rooms() -> None:
    for reference in find_games(SHARED, "valid_seen")[::20]:
        look_everywhere(reference.load())
