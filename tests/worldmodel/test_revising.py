"""Learning from one episode after another: the same as from a log, in the same order, from any start."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.errors import WorldModelError
from rules.language import render
from tests.worldmodel.blocks_text import BlocksEnv, BlocksPerception, play
from worldmodel.learning import learn, observe
from worldmodel.model import WorldModel
from worldmodel.revising import Student, begin_from, mispredictions, save_student
from worldmodel.storage import load

PERCEPTION = BlocksPerception()
EPISODES = [play(BlocksEnv(), seed) for seed in range(40)]


def taught(count: int, student: Student | None = None) -> Student:
    student = student or Student(PERCEPTION)
    for episode in EPISODES[:count]:
        student.take(episode)
    return student


def test_what_is_learned_one_by_one_is_what_the_log_teaches() -> None:
    student, at_once = taught(40), learn(EPISODES, PERCEPTION)
    assert render(student.learned().ruleset) == render(at_once.ruleset)


def test_knowledge_is_what_the_last_rules_see_in_all_episodes() -> None:
    student = taught(40)
    again = Student(PERCEPTION)
    again.model = WorldModel(student.model.ruleset, PERCEPTION)
    for episode in EPISODES:
        observe(again.model, episode)
    assert student.model.knowledge.found == again.model.knowledge.found
    assert student.model.knowledge.seen == again.model.knowledge.seen


def test_mispredictions_grow_rare_and_what_is_foreseen_changes_no_rule() -> None:
    student = Student(PERCEPTION)
    lessons = [student.take(episode) for episode in EPISODES]
    assert lessons[0].mispredicted > 5 and lessons[0].revised
    early, late = lessons[:5], lessons[-5:]
    assert sum(x.mispredicted for x in late) < sum(x.mispredicted for x in early) / 2
    foreseen = [x for x in lessons if not x.mispredicted]
    assert not any(x.revised for x in foreseen)


def test_a_model_without_rules_foresees_no_success() -> None:
    blank = WorldModel(PERCEPTION.domain, PERCEPTION)
    found = list(mispredictions(blank, EPISODES[0]))
    refused = [
        blank.refuses(action, step.observation)
        for step in EPISODES[0].steps
        if (action := PERCEPTION.action(step.action)) is not None
    ]
    assert found == [not r for r in refused]


def test_saved_and_gone_on_from_it_learns_the_same(tmp_path: Path) -> None:
    path = tmp_path / "blocks.rules"
    save_student(taught(20), path)
    resumed = begin_from(load(path, PERCEPTION), path)
    for episode in EPISODES[20:]:
        resumed.take(episode)
    assert render(resumed.learned().ruleset) == render(taught(40).learned().ruleset)


def test_without_statistics_there_is_nothing_to_go_on_from(tmp_path: Path) -> None:
    path = tmp_path / "blocks.rules"
    save_student(taught(3), path)
    (tmp_path / "blocks.stats.gz").unlink()
    with pytest.raises(
        WorldModelError, match=r"no blocks.stats.gz beside them; make it with `worldmodel induce"
    ):
        begin_from(load(path, PERCEPTION), path)
