"""Work for other processes, which can only do what they can import."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rules.errors import WorldModelError
from rules.language import parse
from worldmodel.parallel import Workers


def squarer() -> Callable[[Any], Any]:
    return square


def square(number: Any) -> Any:
    """The square; the larger numbers are done sooner."""
    if number < 0:
        raise WorldModelError(f"{number}: expected no debts")
    time.sleep(0.2 / (1 + number))
    return number * number


def recorder(folder: Path) -> Callable[[int], int]:
    """Notes which process was started."""
    (folder / str(os.getpid())).touch()
    return square


def sleeper() -> Callable[[Any], Any]:
    return time.sleep


def giant() -> Callable[[int], bytes]:
    return bytes


def stickler() -> Callable[[str], Any]:
    return parse


def main() -> None:
    """Spreads work, and is killed meanwhile."""
    for _ in Workers(sleeper, 2, str).map([0.5] * 1000):
        pass


if __name__ == "__main__":
    main()
