"""A world model on disk: the rules as text, and beside them the knowledge as JSON.

``household.rules`` is for people; ``household.knowledge.json.gz`` holds the counts and may be absent.
"""

from __future__ import annotations

import gzip
import os
import tempfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from rules.errors import WorldModelError
from rules.language import load as load_rules
from rules.language import save as save_rules
from worldmodel.environments.base import Perception
from worldmodel.knowledge import TABLES, Knowledge
from worldmodel.model import WorldModel

MAX_BYTES = 1 << 28
SEPARATOR = "\t"


def load(path: str | os.PathLike[str], perception: Perception) -> WorldModel:
    """The world model whose rules are in a file. `WorldModelError` where it cannot be read."""
    ruleset = load_rules(path)
    beside = knowledge_path(path)
    return WorldModel(ruleset, perception, load_knowledge(beside) if beside.exists() else Knowledge())


def save(model: WorldModel, path: str | os.PathLike[str]) -> None:
    """Writes the rules and the knowledge, each whole or not at all."""
    save_rules(model.ruleset, path)
    save_knowledge(model.knowledge, knowledge_path(path))


def knowledge_path(path: str | os.PathLike[str]) -> Path:
    """Where the knowledge lies that belongs to a rule file."""
    return Path(path).with_suffix(".knowledge.json.gz")


def save_knowledge(knowledge: Knowledge, path: Path) -> None:
    """Writes the counts; the same counts give the same bytes."""
    tables = {
        name: {SEPARATOR.join(key): count for key, count in sorted(table.items()) if count}
        for name, table in knowledge.tables().items()
    }
    packed = gzip.compress(msgspec.json.encode(tables), mtime=0)
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(packed)
        Path(file.name).chmod(0o644)
        Path(file.name).replace(path)
    except OSError as error:
        raise WorldModelError(f"{path}: cannot write the knowledge: {error.strerror}") from None


def load_knowledge(path: Path) -> Knowledge:
    """Reads the counts; `WorldModelError` naming the file where they are damaged or too large."""
    try:
        with gzip.open(path) as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise WorldModelError(
                f"{path}: more than {MAX_BYTES} bytes; expected the counts of a knowledge graph"
            )
        tables = msgspec.json.decode(data, type=dict[str, dict[str, int]])
    except (OSError, EOFError, zlib.error, msgspec.MsgspecError) as error:
        raise WorldModelError(
            f"{path}: {error}; expected knowledge as `worldmodel induce` writes it"
        ) from None
    return Knowledge(_keyed(tables, path))


def _keyed(tables: Mapping[str, Mapping[str, int]], path: Path) -> dict[str, dict[tuple[str, ...], int]]:
    unknown = sorted(set(tables) - set(TABLES))
    if unknown:
        raise WorldModelError(f"{path}: unknown table {unknown[0]!r}; expected {', '.join(TABLES)}")
    return {
        name: {tuple(key.split(SEPARATOR)): count for key, count in table.items() if count > 0}
        for name, table in tables.items()
    }
