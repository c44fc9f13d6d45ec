"""The games behind logged episodes, for the privileged setting: what was hidden as each of them began."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rules.errors import WorldModelError
from worldmodel.environments.registry import EnvironmentSpec, Hidden
from worldmodel.trajectories import Episode


def revealer(spec: EnvironmentSpec, source: Path | None, split: str | None) -> Callable[[Episode], Hidden]:
    """Gives the hidden initial state of an episode's game, found by its id among the games of a source.

    Raises `WorldModelError` where the environment tells no hidden state, where no source is named, and
    for an episode whose game is not there.
    """
    hidden = spec.hidden
    if hidden is None:
        raise WorldModelError(f"{spec.name} does not tell the hidden state of its games: measure partially")
    if source is None and split is None:
        raise WorldModelError(
            "the privileged setting needs the games that were logged: name them by --games or --split"
        )
    games = {game.id: game for game in spec.games(source, split)}

    def reveal(episode: Episode) -> Hidden:
        if episode.id not in games:
            raise WorldModelError(
                f"its game is not among the {len(games):,} of {source or split}: name the games that were "
                "logged, or measure partially"
            )
        return hidden(games[episode.id].load())

    return reveal
