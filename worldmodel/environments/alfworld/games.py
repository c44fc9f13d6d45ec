"""Finding games and writing them: ALFWorld's folders, single game files, and compact JSON lines.

A compact file (``.jsonl``, ``.jsonl.gz`` or ``.jsonl.xz``) holds one game document a line, with the keys
`id`, `task`, `task_type`, `pddl_problem` and, if known, `walkthrough`.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from rules.errors import WorldModelError
from worldmodel.environments.alfworld.game import Game
from worldmodel.environments.alfworld.game_files import (
    SUFFIXES,
    compact_writer,
    decode,
    read_file,
    read_lines,
    suffix_of,
    whole,
)

_OFFICIAL, _GAME_FILE, _TRAJECTORY_FILE = "json_2.1.1", "game.tw-pddl", "traj_data.json"
# No part of an id is hidden, absolute, or a way out of the folder.
_ID = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.+=-]{0,199}/){0,7}[A-Za-z0-9_][A-Za-z0-9_.+=-]{0,199}")


class _Header(msgspec.Struct):
    """What a compact line must say; the problem itself is left undecoded."""

    id: str
    task: str
    task_type: str
    pddl_problem: msgspec.Raw
    solvable: bool = True


class _FileHeader(msgspec.Struct):
    """What ALFWorld's loader wants to know of a game file."""

    pddl_problem: msgspec.Raw
    solvable: bool = False


class _Trajectory(msgspec.Struct):
    task_type: str


@dataclass(frozen=True, slots=True)
class GameReference:
    """A game that was found and not read yet. `source` says where: a file, or a file and line."""

    id: str
    task_type: str
    source: str
    _text: Callable[[], bytes] = field(repr=False, compare=False)

    def document(self) -> dict[str, Any]:
        """The decoded game file; `WorldModelError` if it is gone or damaged since."""
        document: dict[str, Any] = decode(self._text(), dict[str, Any], self.source)
        return {**document, "id": self.id, "task_type": self.task_type}

    def load(self) -> Game:
        """The game, read and checked; `WorldModelError` if it is none."""
        return Game.from_document(self.document(), self.id)


def find_games(source: str | os.PathLike[str] | None = None, split: str | None = None) -> list[GameReference]:
    """The games of a folder, a game file or a compact file, sorted by id; none of them read yet.

    Without a source: ALFWorld's download (``ALFWORLD_DATA``, else ``~/.cache/alfworld``). `split` is the
    name of a folder or compact file in the source, such as ``valid_seen``. As in ALFWorld's own loader,
    games that are not marked solvable are left out, and those with movable receptacles or slices.
    Raises `WorldModelError` where nothing is found, or a file or line is no game.
    """
    path = _resolve(source, split)
    if suffix_of(path):
        games = list(_compact(path))
    elif path.name == _GAME_FILE:
        games = [_reference(path, "/".join(path.resolve().parts[-3:-1]))]
    else:
        games = list(_folder(path))
    if not games:
        raise WorldModelError(
            f"{path}: no playable games: expected {_GAME_FILE} with {_TRAJECTORY_FILE} in folders below,"
            f" marked solvable, or a file {', '.join(SUFFIXES)}"
        )
    return sorted(games, key=lambda game: game.id)


def _resolve(source: str | os.PathLike[str] | None, split: str | None) -> Path:
    """The folder or file that is meant, which exists."""
    if source is None:
        path = Path(os.environ.get("ALFWORLD_DATA") or Path.home() / ".cache" / "alfworld")
        if not (path / _OFFICIAL).is_dir():
            raise WorldModelError(
                f"{path}: no ALFWorld games here: set ALFWORLD_DATA, name a folder or file, or generate some"
            )
    else:
        path = Path(source)
    if not path.exists():
        raise WorldModelError(f"{path}: no such file or folder of games")
    if (path / _OFFICIAL).is_dir():
        path /= _OFFICIAL
    if split is not None:
        candidates = [path / f"{split}{suffix}" for suffix in ("", *SUFFIXES)]
        found = next((candidate for candidate in candidates if candidate.exists()), None)
        if found is None:
            raise WorldModelError(
                f"{path}: no split {split!r}: expected a folder or compact file of that name"
            )
        path = found
    inside = path / _GAME_FILE
    return inside if inside.is_file() else path


def _folder(folder: Path) -> Iterator[GameReference]:
    for path in folder.rglob(_GAME_FILE):
        trajectory = path.with_name(_TRAJECTORY_FILE)
        id = path.parent.relative_to(folder).as_posix()
        if (
            trajectory.is_file()
            and _supported(id)
            and decode(read_file(path), _FileHeader, str(path)).solvable
        ):
            yield _reference(path, id)


def _reference(path: Path, id: str) -> GameReference:
    trajectory = path.with_name(_TRAJECTORY_FILE)
    if trajectory.is_file():
        task_type = decode(read_file(trajectory), _Trajectory, str(trajectory)).task_type
    else:
        task_type = Game.load(path, id).task_type
    return GameReference(id, task_type, str(path), lambda: read_file(path))


def _compact(path: Path) -> Iterator[GameReference]:
    seen: dict[str, int] = {}
    for number, line in read_lines(path):
        where = f"{path}:{number}"
        header = decode(line, _Header, where)
        if header.id in seen:
            raise WorldModelError(f"{where}: game {header.id!r} is on line {seen[header.id]} already")
        seen[header.id] = number
        if header.solvable and _supported(header.id):
            packed = zlib.compress(line, 1)  # thousands of games in memory: a tenth of their size
            yield GameReference(header.id, header.task_type, where, _unpacker(packed))


def _unpacker(packed: bytes) -> Callable[[], bytes]:
    return lambda: zlib.decompress(packed)


def _supported(id: str) -> bool:
    return "movable" not in id and "Sliced" not in id


def write_games(documents: Iterable[Mapping[str, Any]], target: str | os.PathLike[str]) -> int:
    """Write game documents and count them: to a compact file, or as ALFWorld's folders below `target`.

    The name decides (``.jsonl``, ``.jsonl.gz``, ``.jsonl.xz``). Every file appears whole or not at all.
    For the official engine's loader, pass `map(complete, documents)` (see `generator`).
    Raises `WorldModelError` for a document that is no game, an id that is no plain relative path, one
    that came before, or a place that cannot be written.
    """
    path = Path(target)
    try:
        return _write_compact(documents, path) if suffix_of(path) else _write_folders(documents, path)
    except OSError as error:
        raise WorldModelError(f"{path}: cannot be written: {error.strerror or error}") from None


def _checked(documents: Iterable[Mapping[str, Any]]) -> Iterator[tuple[_Header, bytes]]:
    seen: set[str] = set()
    for index, document in enumerate(documents):
        try:
            text = msgspec.json.encode(document)
        except (TypeError, ValueError, RecursionError) as error:
            raise WorldModelError(f"game {index}: cannot be written as JSON: {error}") from None
        header: _Header = decode(text, _Header, f"game {index}")
        if not _ID.fullmatch(header.id):
            raise WorldModelError(
                f"game {index}: id {header.id[:200]!r} is no plain relative path like a/b-1"
            )
        if header.id in seen:
            raise WorldModelError(f"game {index}: id {header.id!r} came before")
        seen.add(header.id)
        yield header, text


def _write_compact(documents: Iterable[Mapping[str, Any]], path: Path) -> int:
    count = 0
    with compact_writer(path) as write:
        for _, text in _checked(documents):
            write(text + b"\n")
            count += 1
    return count


def _write_folders(documents: Iterable[Mapping[str, Any]], folder: Path) -> int:
    count = 0
    for header, text in _checked(documents):
        place = folder / header.id
        if not place.resolve().is_relative_to(folder.resolve()):
            raise WorldModelError(f"{place}: a link leads out of {folder}")
        parameters = msgspec.json.decode(text).get("pddl_params", {})
        trajectory = {"task_type": header.task_type, "pddl_params": parameters}
        # The loaders take a folder that has both files for a game, so the game itself comes last.
        for name, content in ((_TRAJECTORY_FILE, msgspec.json.encode(trajectory)), (_GAME_FILE, text)):
            with whole(place / name) as partial:
                partial.write_bytes(content)
        count += 1
    return count
