"""Causal language models on this machine, through transformers: a folder, a GGUF file, or a name on the hub.

The prompt's keys and values are computed once and shared by all its continuations, and kept for the next
prompt that begins with it. Loading runs no code of a model and reads no pickles.
"""

from __future__ import annotations

import copy
import hashlib
import inspect
import time
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any

from rules.errors import WorldModelError
from worldmodel.language_models.base import Answer, BudgetSpent, Sampling, Score

try:
    import torch
    import transformers
except ImportError as error:
    raise WorldModelError(
        f"a language model needs the extra: pip install 'worldmodel[neural]' ({error})"
    ) from None

BATCH = 16
"""Continuations that are scored at a time."""
KEPT = 3
"""Prompts whose keys and values are kept."""
SAMPLED = 256
"""Weights of each tensor that go into the fingerprint."""

Kept = tuple[list[int], Any, Any]
"""A prompt, its keys and values, and the log-probabilities of what comes next."""


def load_weights(source: str, dtype: torch.dtype = torch.bfloat16) -> tuple[Any, Any]:
    """Model and tokenizer of a folder, a ``.gguf`` file, or a name on the hub, on the GPU if there is one.

    Raises `WorldModelError` where they cannot be loaded.
    """
    logging: Any = transformers.utils.logging
    logging.disable_progress_bar()
    path, options = Path(source), dict[str, Any](dtype=dtype)
    where, named = source, dict[str, str]()
    if path.suffix == ".gguf":
        where, named = str(path.parent), {"gguf_file": path.name}
        options["quantization_config"] = transformers.GgufConfig(dequantize=True)
    else:
        options["use_safetensors"] = True
    if path.suffix == ".gguf" and not path.is_file():
        raise WorldModelError(f"{source}: no such file; expected weights in GGUF")
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(where, **named)
        model: Any = transformers.AutoModelForCausalLM.from_pretrained(where, **named, **options)
    except (OSError, ValueError, ImportError, KeyError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:300]
        raise WorldModelError(
            f"{source}: no language model that can be loaded ({reason}); expected a folder with safetensors, "
            "a .gguf file, or a name on the hub, and access to it"
        ) from None
    return model.to("cuda" if torch.cuda.is_available() else "cpu"), tokenizer


class LocalModel:
    """A `LanguageModel` in this process. Prompts are put into the chat template, if there is one."""

    scores = True

    def __init__(self, model: Any, tokenizer: Any, name: str) -> None:
        self.model, self.tokenizer, self.name = model.eval(), tokenizer, name
        self.fingerprint = fingerprint(model, tokenizer)
        self.overhead = len(self._ids(self._wrapped("")))
        self._kept: list[Kept] = []
        parameters = inspect.signature(model.forward).parameters
        self._cache_name = "cache" if "cache" in parameters else "past_key_values"

    @classmethod
    def load(cls, source: str, name: str | None = None) -> LocalModel:
        """Raises `WorldModelError` where there is no such model."""
        return cls(*load_weights(source), name or source)

    def count(self, text: str) -> int:
        """How many tokens a text is."""
        return len(self._ids(text))

    def generate(self, prompts: Sequence[str], sampling: Sampling) -> list[Answer]:
        """An answer to each prompt, in one batch, padded on the left."""
        rows = [self._ids(self._wrapped(prompt)) for prompt in prompts]
        longest, pad = max(map(len, rows)), self._end()
        ids = self._tensor([[pad] * (longest - len(row)) + row for row in rows])
        mask = self._tensor([[0] * (longest - len(row)) + [1] * len(row) for row in rows])
        began = time.monotonic()
        options: dict[str, Any] = {"max_new_tokens": sampling.tokens, "pad_token_id": pad}
        if sampling.temperature:
            options |= {"do_sample": True, "temperature": sampling.temperature, "top_k": 0}
        else:
            options["do_sample"] = False
        if sampling.stop:
            options |= {"stop_strings": list(sampling.stop), "tokenizer": self.tokenizer}
        if sampling.seconds < inf:
            options["max_time"] = sampling.seconds
        with torch.inference_mode(), torch.random.fork_rng():
            torch.manual_seed(sampling.seed)
            out = self.model.generate(input_ids=ids, attention_mask=mask, **options)
        if time.monotonic() - began >= sampling.seconds:
            raise BudgetSpent(f"no answer within {sampling.seconds:.1f} seconds")
        return [self._answer(row, out[i, longest:].tolist(), sampling) for i, row in enumerate(rows)]

    def _answer(self, row: list[int], said: list[int], sampling: Sampling) -> Answer:
        end = self._end()
        length = said.index(end) if end in said else len(said)
        text = self.tokenizer.decode(said[:length], skip_special_tokens=True)
        stops = [text.index(stop) for stop in sampling.stop if stop in text]
        whole = bool(stops) or length < sampling.tokens
        return Answer(text[: min(stops, default=len(text))], len(row), length, whole)

    def score(
        self, prompt: str, candidates: Sequence[str], begun: str = "", seconds: float = inf
    ) -> list[Score]:
        """How likely each candidate is to come next; a few at a time, behind one reading of the prompt."""
        deadline = time.monotonic() + seconds
        found: list[Score] = []
        with torch.inference_mode():
            cache, last, length = self._read(self._ids(self._wrapped(prompt) + begun))
            rows = [self._ids(candidate) for candidate in candidates]
            for first in range(0, len(rows), BATCH):
                if time.monotonic() >= deadline:
                    raise BudgetSpent(f"{len(rows)} candidates were not scored within {seconds:.1f} seconds")
                found += self._scored(rows[first : first + BATCH], cache, last, length)
        return found

    def _read(self, ids: list[int]) -> tuple[Any, Any, int]:
        """The keys and values of a prompt, the log-probabilities of what comes next, and its length."""
        beginnings = [kept for kept in self._kept if kept[0] == ids[: len(kept[0])]]
        nothing: Kept = ([], None, None)
        known, cache, last = max(beginnings, key=lambda kept: len(kept[0]), default=nothing)
        if len(known) < len(ids):
            cache = copy.deepcopy(cache)
            out = self._forward(self._tensor([ids[len(known) :]]), cache, use_cache=True)
            cache = getattr(out, self._cache_name)
            last = out.logits[0, -1].float().log_softmax(-1)
        self._kept = [*[kept for kept in self._kept if kept[0] != ids][1 - KEPT :], (ids, cache, last)]
        return cache, last, len(ids)

    def _scored(self, rows: list[list[int]], cache: Any, last: Any, length: int) -> list[Score]:
        """A batch of candidates, padded on the right, behind copies of the prompt's keys and values."""
        widest = max(1, *map(len, rows)) if rows else 1
        ids = self._tensor([row + [self._end()] * (widest - len(row)) for row in rows])
        mask = self._tensor([[1] * (length + len(row)) + [0] * (widest - len(row)) for row in rows])
        shared = copy.deepcopy(cache)
        shared.batch_repeat_interleave(len(rows))
        logits = self._forward(ids, shared, attention_mask=mask, use_cache=True).logits
        chances = logits.float().log_softmax(-1)
        before = torch.cat([last.expand(len(rows), 1, -1), chances[:, :-1]], dim=1)
        each = before.gather(2, ids.unsqueeze(2)).squeeze(2)
        return [Score(float(each[i, : len(row)].sum()), len(row)) for i, row in enumerate(rows)]

    def _forward(self, ids: Any, cache: Any, **options: Any) -> Any:
        return self.model(input_ids=ids, **{self._cache_name: cache}, **options)

    def _tensor(self, rows: list[list[int]]) -> torch.Tensor:
        return torch.tensor(rows, device=self.model.device)

    def _wrapped(self, prompt: str) -> str:
        if not self.tokenizer.chat_template:
            return prompt
        said = [{"role": "user", "content": prompt}]
        wrapped = self.tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=True)
        return str(wrapped)

    def _ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _end(self) -> int:
        return int(self.tokenizer.eos_token_id)


def fingerprint(model: Any, tokenizer: Any) -> str:
    """A digest of the weights (a few of each tensor), their type, the words and the template."""
    digest = hashlib.sha256(repr((str(model.dtype), len(tokenizer), tokenizer.chat_template)).encode())
    for name, weights in sorted(model.state_dict().items()):
        flat = weights.detach().flatten()
        some = flat[:: max(1, len(flat) // SAMPLED)].float().cpu()
        digest.update(f"{name} {tuple(weights.shape)}".encode())
        digest.update(some.numpy().tobytes())
    return digest.hexdigest()
