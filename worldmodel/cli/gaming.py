"""The games that a command plays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rules.errors import WorldModelError
from worldmodel.cli.console import progress
from worldmodel.environments.registry import EnvironmentSpec, GameReference


def chosen_games(
    spec: EnvironmentSpec, source: Path | None, split: str | None, count: int | None, seed: int
) -> list[tuple[GameReference, Any]]:
    """So many games of a source, each loaded; new ones where neither source nor split is named.

    All are read before anything is played, so that a damaged one is named at once: `WorldModelError`.
    """
    references = spec.games(source, split, count, seed)
    games = []
    with progress("reading games", len(references)) as advance:
        for reference in references:
            try:
                games.append((reference, reference.load()))
            except WorldModelError as error:
                place = f"{reference.source}: " if reference.source not in str(error) else ""
                raise WorldModelError(f"{place}{error}") from None
            advance()
    return games
