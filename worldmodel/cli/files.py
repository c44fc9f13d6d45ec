"""Places to write to, found wanting before any work is done rather than after it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from rules.errors import WorldModelError


def check_output(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Makes sure that a file can be written there, and makes its folder.

    Raises `WorldModelError` where it cannot, or where it is one of the inputs.
    """
    if path.is_dir():
        raise WorldModelError(f"{path}: is a folder; expected the name of a file to write")
    if path.exists() and any(source.exists() and path.samefile(source) for source in inputs):
        raise WorldModelError(f"{path}: is read by this command too; write to another file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorldModelError(f"{path}: cannot be written: {error.strerror}") from None
    target = path if path.exists() else path.parent
    if not os.access(target, os.W_OK):
        raise WorldModelError(f"{path}: cannot be written: permission denied")


def check_inputs(paths: Iterable[Path], what: str) -> None:
    """Makes sure that every file is there. `WorldModelError` names the first that is not one."""
    for path in paths:
        if path.is_dir():
            raise WorldModelError(f"{path}: is a folder; expected {what}")
        if not path.exists():
            raise WorldModelError(f"{path}: no such file; expected {what}")


def check_log(path: Path, inputs: Iterable[Path] = ()) -> None:
    """The same for a log of episodes, whose name says how it is packed."""
    if not path.is_dir() and not path.name.endswith((".jsonl", ".jsonl.gz")):
        raise WorldModelError(f"{path}: no name for a log; expected one that ends in .jsonl or .jsonl.gz")
    check_output(path, inputs)


def write(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all. `WorldModelError` where it cannot be written."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        try:
            draft.write_bytes(data)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise WorldModelError(f"{path}: cannot be written: {error.strerror or error}") from None
