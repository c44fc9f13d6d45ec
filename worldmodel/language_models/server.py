"""Language models behind an OpenAI-compatible server: a hosted one, vLLM, llama.cpp, ``transformers serve``.

The address is in ``OPENAI_BASE_URL`` and the key in ``OPENAI_API_KEY``; the key goes nowhere else, into no
message either.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import inf
from typing import Any

from rules.errors import WorldModelError
from worldmodel.language_models.base import Answer, BudgetSpent, Sampling, Score
from worldmodel.language_models.cache import key

try:
    import openai
except ImportError as error:
    raise WorldModelError(f"a server needs the extra: pip install 'worldmodel[openai]' ({error})") from None

ADDRESS, KEY = "OPENAI_BASE_URL", "OPENAI_API_KEY"
TIMEOUT = 120.0
"""Seconds to wait for one answer."""
RETRIES = 5
PAUSE, LONGEST = 0.5, 20.0
"""Seconds before the first retry, and at most; each time twice as long, but for chance."""
AT_ONCE = 8
"""Prompts under way at a time."""
LETTERS = 2
"""Fewer letters to a token than any text is likely to have: errs on the safe side of a budget."""
AGAIN = (openai.APIConnectionError, openai.RateLimitError, openai.InternalServerError)


class ServedModel:
    """A `LanguageModel` that is asked through the chat interface. It cannot score."""

    scores = False
    overhead = 32

    def __init__(self, name: str, address: str | None = None, timeout: float = TIMEOUT) -> None:
        """address: else of the environment. Raises `WorldModelError` where neither it nor a key is known."""
        address = address or os.environ.get(ADDRESS)
        secret = os.environ.get(KEY)
        if not address and not secret:
            raise WorldModelError(f"no server is known: set {ADDRESS} to its address, or {KEY} to a key")
        self.name, self.timeout = name, timeout
        self._secret = secret or ""
        self._client = openai.OpenAI(base_url=address or None, api_key=secret or "none", max_retries=0)
        self.fingerprint = key("served", str(self._client.base_url), name)

    def count(self, text: str) -> int:
        """An estimate that is rather too high."""
        return -(-len(text) // LETTERS)

    def generate(self, prompts: Sequence[str], sampling: Sampling) -> list[Answer]:
        """An answer to each prompt, several at a time.

        Raises `BudgetSpent` where the time is over, and `WorldModelError` where the server refuses or keeps
        failing.
        """
        deadline = time.monotonic() + sampling.seconds
        with ThreadPoolExecutor(min(AT_ONCE, max(1, len(prompts)))) as pool:
            return list(pool.map(partial(self._patiently, sampling=sampling, deadline=deadline), prompts))

    def score(
        self, prompt: str, candidates: Sequence[str], begun: str = "", seconds: float = inf
    ) -> list[Score]:
        """Not offered by the chat interface: `WorldModelError`."""
        raise WorldModelError(f"{self.name}: a server says no probabilities; expected a local model")

    def _patiently(self, prompt: str, sampling: Sampling, deadline: float) -> Answer:
        """The answer, asked for again where the server is busy or out of reach."""
        for attempt in range(RETRIES + 1):
            left = deadline - time.monotonic()
            if left <= 0:
                raise BudgetSpent(f"{self.name}: no answer within {sampling.seconds:.1f} seconds")
            try:
                return self._ask(prompt, sampling, min(self.timeout, left))
            except AGAIN as error:
                failure = error
            except openai.OpenAIError as error:
                raise self._failed(error, attempt) from None
            if attempt < RETRIES:
                pause = min(LONGEST, PAUSE * 2**attempt) * random.uniform(0.5, 1.0)
                time.sleep(max(0.0, min(pause, deadline - time.monotonic())))
        raise self._failed(failure, RETRIES) from None

    def _ask(self, prompt: str, sampling: Sampling, timeout: float) -> Answer:
        options: dict[str, Any] = {"stop": list(sampling.stop)} if sampling.stop else {}
        reply = self._client.chat.completions.create(
            model=self.name,
            messages=[{"role": "user", "content": prompt}],
            max_tokens=sampling.tokens,
            temperature=sampling.temperature,
            seed=sampling.seed,
            timeout=timeout,
            **options,
        )
        return self._answer(reply, prompt, sampling)

    def _answer(self, reply: Any, prompt: str, sampling: Sampling) -> Answer:
        if not reply.choices:
            raise WorldModelError(f"{self.name}: the server gave no answer; expected a chat completion")
        choice, usage = reply.choices[0], reply.usage
        text = choice.message.content or ""
        stops = [text.index(stop) for stop in sampling.stop if stop in text]  # not every server heeds them
        asked = usage.prompt_tokens if usage else self.count(prompt) + self.overhead
        said = usage.completion_tokens if usage else self.count(text)
        whole = bool(stops) or choice.finish_reason == "stop"
        return Answer(text[: min(stops, default=len(text))], asked, said, whole)

    def _failed(self, error: Exception, retries: int) -> WorldModelError:
        reason = " ".join(str(error).split())
        if self._secret:
            reason = reason.replace(self._secret, "***")
        again = f" after {retries} retries" if retries else ""
        return WorldModelError(
            f"{self.name} at {self._client.base_url}: {type(error).__name__}{again}: {reason[:200]}; "
            f"expected an OpenAI-compatible server; see {ADDRESS} and {KEY}"
        )
