"""Language models by name."""

from __future__ import annotations

from rules.errors import WorldModelError
from worldmodel.language_models.base import LanguageModel

EMBEDDED = "embedded"
SERVED = "openai:"


def load(name: str = EMBEDDED) -> LanguageModel:
    """``embedded``; ``openai:NAME`` of a server; a folder, a ``.gguf`` file, or a name on the hub.

    Raises `WorldModelError` where an extra is missing, or there is no such model.
    """
    if name.startswith(SERVED):
        from worldmodel.language_models.server import ServedModel

        if name == SERVED:
            raise WorldModelError(f"{name}: names no model; expected {SERVED}NAME, as the server calls it")
        return ServedModel(name.removeprefix(SERVED))
    from worldmodel.language_models.local import LocalModel

    if name == EMBEDDED:
        from worldmodel.language_models.embedded import embedded_weights

        return LocalModel.load(str(embedded_weights()), EMBEDDED)
    return LocalModel.load(name)
