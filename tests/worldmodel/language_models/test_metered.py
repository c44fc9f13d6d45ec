"""Budgets that hold, and answers that are kept."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.errors import WorldModelError
from tests.worldmodel.language_models.words import Table
from worldmodel.language_models import Answer, Budget, BudgetSpent, Cache, Metered, Sampling

LONG = "one two three four five six seven eight nine ten"


def echo(prompt: str) -> str:
    return f"{prompt} again"


@given(
    calls=st.integers(0, 6),
    tokens=st.integers(0, 60),
    questions=st.lists(st.lists(st.sampled_from(["a", "b c", LONG]), min_size=1, max_size=3), max_size=6),
)
def test_no_limit_is_ever_broken(calls: int, tokens: int, questions: list[list[str]]) -> None:
    model = Table(lambda prompt: LONG, lambda begun, candidate: 0.0)
    budget = Budget(calls, tokens)
    metered = Metered(model, budget)
    for prompts in questions:
        with suppress(BudgetSpent):
            metered.generate(prompts, Sampling(7))
        with suppress(BudgetSpent):
            metered.score(LONG, prompts)
    assert len(model.asked) == budget.used_calls <= calls
    assert budget.used_tokens <= tokens


def test_an_answer_is_as_long_as_fits() -> None:
    metered = Metered(Table(lambda prompt: LONG), Budget(tokens=9))
    assert metered.generate(["a b c"], Sampling(100)) == [Answer("one two three four five six", 3, 6, False)]


def test_spent_is_said_with_what_is_left_to_do() -> None:
    metered = Metered(Table(echo), Budget(calls=1))
    metered.generate(["a"], Sampling())
    with pytest.raises(BudgetSpent, match="budget of 1 calls is spent"):
        metered.generate(["b"], Sampling())
    with pytest.raises(BudgetSpent, match="tokens"):
        Metered(Table(echo), Budget(tokens=3)).generate(["a b c"], Sampling())
    with pytest.raises(BudgetSpent, match="seconds"):
        Metered(Table(echo), Budget(seconds=0)).generate(["a"], Sampling())
    with pytest.raises(WorldModelError, match="-1 tokens"):
        Budget(tokens=-1)


def test_the_same_question_is_asked_once(tmp_path: Path) -> None:
    model = Table(echo, lambda begun, candidate: -1.0)
    for turn in range(2):
        metered = Metered(model, Budget(), Cache(tmp_path / "answers.sqlite"))
        assert metered.generate(["a", "b"], Sampling())[1].text == "b again"
        assert metered.score("a", ["x y"], "so ")[0] == (-2.0, 2)
        assert (metered.budget.used_calls, metered.budget.cached) == (3, 3 * turn)
    assert model.asked == ["a", "b", "a"]


@pytest.mark.parametrize("change", ["prompt", "tokens", "temperature", "seed", "stop", "model"])
def test_whatever_matters_is_in_the_key(tmp_path: Path, change: str) -> None:
    cache = Cache(tmp_path / "answers.sqlite")
    model, sampling, prompt = Table(echo), Sampling(), "a"
    Metered(model, cache=cache).generate([prompt], sampling)
    if change == "prompt":
        prompt = "b"
    elif change == "model":
        model.fingerprint = "table 2"
    else:
        other = {"tokens": 5, "temperature": 0.5, "seed": 1, "stop": ("x",)}[change]
        sampling = sampling._replace(**{change: other})
    Metered(model, cache=cache).generate([prompt], sampling)
    assert len(model.asked) == 2


def test_how_long_one_waits_does_not_matter(tmp_path: Path) -> None:
    model, cache = Table(echo), Cache(tmp_path / "answers.sqlite")
    for seconds in (10.0, 20.0):
        Metered(model, cache=cache).generate(["a"], Sampling(seconds=seconds))
    assert len(model.asked) == 1


def test_the_same_prompt_may_be_asked_several_times_at_once(tmp_path: Path) -> None:
    answers = iter(["one", "two"])
    model = Table(lambda prompt: next(answers))
    for _ in range(2):
        metered = Metered(model, cache=Cache(tmp_path / "answers.sqlite"))
        assert [a.text for a in metered.generate(["a", "a"], Sampling(temperature=1))] == ["one", "two"]


def test_a_cache_that_is_none_says_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_text("no database at all, but long enough to be read as one" * 100)
    with pytest.raises(WorldModelError, match="WORLDMODEL_CACHE"):
        Cache(path)
