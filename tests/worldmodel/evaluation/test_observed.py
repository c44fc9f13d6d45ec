"""What of a step was knowable, and what had changed: step by step, by hand."""

from __future__ import annotations

from rules.logic import FALSE, TRUE, Atom
from tests.worldmodel.evaluation.tiny_log import FIRST, LOG, PERCEPTION, REFUSAL, SECOND
from worldmodel.evaluation.observed import Constants, Fact, Observed, constants
from worldmodel.predictors.base import Transcript
from worldmodel.trajectories import Episode, Step

ALWAYS = constants(LOG, PERCEPTION)


def replay(episode: Episode, always: Constants = ALWAYS) -> list[Observed]:
    """The steps of an episode that are inside the grammar."""
    transcript, found = Transcript(PERCEPTION), []
    belief = transcript.begin(episode.observation)
    for step in episode.steps:
        action = PERCEPTION.action(step.action)
        percept = PERCEPTION.perceive(action, step.observation)
        if action is not None:
            found.append(Observed(belief.state, action, percept, PERCEPTION, always))
        belief = transcript.update(belief, action, step.observation)
    return found


def fact(predicate: str, *args: str, value: bool = True) -> Fact:
    return Fact(Atom(predicate, args), TRUE if value else FALSE)


def test_what_every_success_asserts_of_its_arguments_is_found_over_the_whole_log() -> None:
    found = constants(LOG, PERCEPTION)
    assert found == {
        "go_to": {Atom("at", ("?r",))},  # one place was closed, another had no door
        "take": {Atom("holding", ("?o",))},
        "clean": {Atom("clean", ("?o",))},
        "open": {Atom("open", ("?r",)), Atom("openable", ("?r",))},  # and not that a pen is in it
    }


def test_knowable_is_what_the_words_so_far_and_success_settle() -> None:
    assert [step.knowable for step in replay(FIRST)] == [
        False,  # a mug nobody knew of, on a desk nobody had seen
        True,  # taking says what it always says
        False,  # whether the drawer has a door
        True,  # a refusal names nothing
        True,  # the desk, seen before, less the mug
        False,  # what the sink holds, although it is nothing
        True,  # that the mug was dirty was never said; that cleaning cleans always is
    ]
    assert [step.knowable for step in replay(SECOND)] == [False, False]


def test_changes_are_facts_that_became_another() -> None:
    changes = [step.changes for step in replay(FIRST)]
    assert changes[0] == {fact("at", "desk 1")}, "that a mug is on the desk was seen, not brought about"
    assert changes[1] == {fact("holding", "mug 1"), fact("in", "mug 1", "desk 1", value=False)}
    assert changes[2] == {fact("at", "drawer 1"), fact("at", "desk 1", value=False)}
    assert changes[3] == frozenset()
    assert changes[6] == {fact("clean", "mug 1")}
    opened = replay(SECOND)[1].changes
    assert opened == {fact("open", "drawer 1")}, "the pen was in there before"


def test_a_property_that_is_looked_up_is_neither_knowable_nor_a_change() -> None:
    steps = tuple(
        Step(f"examine {thing} 1", answer)
        for thing, answer in (
            ("apple", "This is a hot apple 1."),
            ("apple", "This is a hot apple 1."),
            ("egg", "There's nothing special about egg 1."),
        )
    )
    episode = Episode("looks", "alfworld", FIRST.observation, steps)
    found = replay(episode, constants([episode], PERCEPTION))
    assert [step.knowable for step in found] == [False, True, False]
    assert [step.changes for step in found] == [frozenset()] * 3


def test_a_change_to_the_opposite_of_what_was_known_needs_no_log_to_be_one() -> None:
    steps = (
        Step("examine apple 1", "There's nothing special about apple 1."),
        Step("heat apple 1 with microwave 1", "You heat the apple 1 using the microwave 1."),
    )
    heated = replay(Episode("heats", "alfworld", FIRST.observation, steps), {"heat": frozenset()})[1]
    assert heated.changes == {fact("hot", "apple 1")}


def test_hits_and_false_alarms_of_a_predicted_state() -> None:
    take = replay(FIRST)[1]
    before = take.before
    holding, on_desk = Atom("holding", ("mug 1",)), Atom("in", ("mug 1", "desk 1"))
    right = before.updated([holding], [on_desk])
    assert (take.hits(right), take.false_alarms(before, right)) == (2, 0)
    half = before.updated([holding])
    assert (take.hits(half), take.false_alarms(before, half)) == (1, 0)
    wrong = right.updated([Atom("at", ("drawer 1",))], [Atom("at", ("desk 1",))])
    assert (take.hits(wrong), take.false_alarms(before, wrong)) == (2, 2), "the agent stayed at the desk"
    silent = right.updated([Atom("hot", ("mug 1",))])
    assert (take.hits(silent), take.false_alarms(before, silent)) == (2, 0), "nobody said how warm it is"
    assert (take.hits(before), take.false_alarms(before, before)) == (0, 0)


def test_after_a_refusal_every_predicted_change_is_a_false_alarm() -> None:
    refused = Episode("refused", "alfworld", FIRST.observation, (Step("examine apple 1", REFUSAL),))
    (step,) = replay(refused)
    predicted = step.before.updated([Atom("hot", ("apple 1",))])
    assert (step.changes, step.false_alarms(step.before, predicted)) == (frozenset(), 1)
