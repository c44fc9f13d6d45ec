"""A game that kills the process which is to play it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


class Deadly:
    """Arrives in another process as the game, but only after `deaths` processes have died of it."""

    def __init__(self, game: Any, notes: Path, deaths: int) -> None:
        self.game, self.notes, self.deaths = game, notes, deaths

    def __reduce__(self) -> tuple[Any, ...]:
        return arrive, (self.game, self.notes, self.deaths)


def arrive(game: Any, notes: Path, deaths: int) -> Any:
    died = len(list(notes.iterdir()))
    if died < deaths:
        (notes / str(died)).touch()
        os._exit(1)
    return game
