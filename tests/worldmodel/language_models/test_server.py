"""A real server on this machine, and one that fails as servers do."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from rules.errors import WorldModelError
from tests.worldmodel.language_models.faulty import SECRET, Faulty, faulty, said
from worldmodel.language_models import Budget, BudgetSpent, Metered, Sampling, load

pytest.importorskip("openai", reason="the openai extra is not installed")

__all__ = ["faulty"]  # a fixture


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="module")
def served(embedded: Any) -> Iterator[tuple[str, str]]:
    """``transformers serve`` with the embedded model: its address, and what it calls the model."""
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        pytest.skip("transformers serve needs fastapi and uvicorn, which are not installed")
    from worldmodel.language_models.embedded import embedded_weights

    folder, port = str(embedded_weights()), free_port()
    command = [Path(sys.executable).with_name("transformers"), "serve", folder]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    server = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(server, f"http://127.0.0.1:{port}/health")
        yield f"http://127.0.0.1:{port}/v1", folder
    finally:
        server.terminate()
        server.wait()


def _wait(server: subprocess.Popen[bytes], address: str) -> None:
    for _ in range(600):
        assert server.poll() is None, "transformers serve ended at once"
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.5)
    pytest.fail("transformers serve did not start")


@pytest.mark.slow
def test_it_answers_as_the_model_in_this_process(
    served: tuple[str, str], embedded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, name = served
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    model = load(f"openai:{name}")
    prompts = ["Name a colour, in a word.", "What is usually in a fridge?"]
    budget = Budget(calls=2, tokens=400)
    answers = Metered(model, budget).generate(prompts, Sampling(5))
    assert [a.asked for a in answers] == [embedded.count(p) + embedded.overhead for p in prompts]
    assert all(a.text and a.said <= 5 for a in answers)
    assert answers[0].text.split()[0] == embedded.generate(prompts[:1], Sampling(5))[0].text.split()[0]
    assert budget.used_tokens == sum(a.asked + a.said for a in answers)
    with pytest.raises(BudgetSpent):
        Metered(model, Budget(calls=1)).generate(prompts, Sampling(5))


def test_it_asks_again_where_a_server_is_busy(faulty: type[Faulty]) -> None:
    faulty.answers += [(429, {"error": "slow down"}), (503, {"error": "starting"}), (200, said("a mug\nb"))]
    answer = load("openai:m").generate(["where?"], Sampling(20, stop=("\n",), seed=5))[0]
    assert answer == ("a mug", 7, 3, True)
    assert len(faulty.asked) == 3
    assert {**faulty.asked[-1]}.items() >= {"model": "m", "max_tokens": 20, "seed": 5, "stop": ["\n"]}.items()
    assert faulty.asked[-1]["key"] == f"Bearer {SECRET}"


@pytest.mark.parametrize("status", [400, 401, 500])
def test_a_failure_names_the_server_and_not_the_key(faulty: type[Faulty], status: int) -> None:
    faulty.answers += [(status, {"error": {"message": f"no: {SECRET} is wrong"}}) for _ in range(9)]
    with pytest.raises(WorldModelError, match=r"127\.0\.0\.1.*OPENAI_API_KEY") as caught:
        load("openai:m").generate(["where?"], Sampling())
    assert SECRET not in str(caught.value) and "\n" not in str(caught.value)
    assert len(faulty.asked) == (6 if status == 500 else 1)


def test_it_waits_no_longer_than_it_may(faulty: type[Faulty]) -> None:
    faulty.answers += [(200, said("late", sleep=1.0)) for _ in range(9)]
    with pytest.raises(BudgetSpent, match=r"0\.2 seconds"):
        load("openai:m").generate(["where?"], Sampling(seconds=0.2))


def test_an_answer_that_is_none_is_an_error(faulty: type[Faulty]) -> None:
    faulty.answers.append((200, {**said("x"), "choices": []}))
    with pytest.raises(WorldModelError, match="gave no answer"):
        load("openai:m").generate(["where?"], Sampling())


def test_it_must_be_told_where_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(WorldModelError, match="OPENAI_BASE_URL"):
        load("openai:m")
    with pytest.raises(WorldModelError, match="openai:NAME"):
        load("openai:")
