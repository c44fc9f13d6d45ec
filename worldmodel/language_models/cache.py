"""Answers kept on disk: the same question to the same model is asked once."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from rules.errors import WorldModelError

PATIENCE = 30.0
"""Seconds to wait for another process that writes."""


def cache_folder() -> Path:
    """Where this project keeps what it can make again: ``WORLDMODEL_CACHE``, else ``worldmodel`` in
    ``XDG_CACHE_HOME``, else in ``~/.cache``."""
    own = os.environ.get("WORLDMODEL_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "worldmodel"


def key(*parts: Any) -> str:
    """A name for all that an answer depends on."""
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


class Cache:
    """JSON values under keys, in one SQLite file that several processes may share."""

    def __init__(self, path: Path | None = None) -> None:
        """Raises `WorldModelError` where the file cannot be used."""
        self.path = path or cache_folder() / "answers.sqlite"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WorldModelError(f"{self.path}: cannot keep answers: {error.strerror}") from None
        with self._open() as file:
            file.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, value BLOB NOT NULL)")

    def get(self, key: str) -> Any:
        """The value; None where there is none, or none that can be read."""
        with self._open() as file:
            row = file.execute("SELECT value FROM answers WHERE key = ?", (key,)).fetchone()
        try:
            return None if row is None else msgspec.json.decode(row[0])
        except msgspec.MsgspecError:
            return None

    def put(self, key: str, value: Any) -> None:
        """Keeps a value, whole or not at all."""
        with self._open() as file:
            file.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, msgspec.json.encode(value)))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A connection for one transaction: none is kept, for processes may fork."""
        try:
            with closing(sqlite3.connect(self.path, timeout=PATIENCE)) as file, file:
                yield file
        except sqlite3.Error as error:
            raise WorldModelError(
                f"{self.path}: cannot keep answers: {error}; delete it, or set WORLDMODEL_CACHE to a folder"
            ) from None
