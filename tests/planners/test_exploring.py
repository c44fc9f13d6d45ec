"""Where there is no plan to trust, an explorer acts: first what serves the goal, then what has worked."""

from __future__ import annotations

from planners.exploring import OFTEN, Explorer
from rules.induction import Statistics, Transition
from rules.language import parse
from rules.logic import FALSE, TRUE, Action, Atom, State
from rules.ruleset import RuleSet
from worldmodel.belief import Belief
from worldmodel.caution import cautious
from worldmodel.environments.alfworld.perception import AlfworldPerception
from worldmodel.model import Prediction, WorldModel

PERCEPTION = AlfworldPerception()
OPENING = (
    "You are in the middle of a room. Looking quickly around you, you see a desk 1, and a microwave 1.\n\n"
    "Your task is to: put a hot mug in desk."
)


def household(*rules: str) -> RuleSet:
    text = "\n".join(
        [
            "domain household",
            "type object, receptacle",
            "type mug: object",
            "type desk, microwave: receptacle",
            *(f"predicate {p}" for p in ("at(receptacle)", "holding(object)", "hot(object)")),
            "predicate in(object, receptacle)",
            'action put(?o: object, ?r: receptacle) "move {?o} to {?r}"',
            "  rule p then in(?o, ?r), not holding(?o)",
            'action heat(?o: object, ?r: receptacle) "heat {?o} with {?r}"',
            "  rule h then hot(?o)",
        ]
    )
    return parse(text)


def at_the_desk() -> tuple[WorldModel, Belief, Explorer]:
    model = WorldModel(household(), PERCEPTION)
    belief = model.begin(OPENING)
    explorer = Explorer()
    explorer.begin(model, OPENING, "seed")
    answer = "You arrive at desk 1. On the desk 1, you see a mug 1."
    belief = model.update(belief, PERCEPTION.action("go to desk 1"), answer)
    explorer.see(PERCEPTION.action("go to desk 1"), "go to desk 1", answer)
    return model, belief, explorer


def test_what_serves_the_goal_is_done_and_a_mug_is_heated_before_it_is_put_away() -> None:
    model, belief, explorer = at_the_desk()
    admissible = ["look", "move mug 1 to desk 1", "heat mug 1 with microwave 1", "go to microwave 1"]
    assert explorer.act(model, belief, admissible) == Action("heat", ("mug 1", "microwave 1"))
    taken = explorer.act(model, belief, ["move mug 1 to desk 1"])
    assert taken is not None  # curiosity decides: a cold mug on the desk is no help


def test_it_steps_in_where_a_step_is_unlikely_or_such_steps_have_failed_or_led_nowhere() -> None:
    _, belief, explorer = at_the_desk()
    action = Action("heat", ("mug 1", "desk 1"))

    def steps_in(chance: float, guess: bool = False) -> bool:
        prediction = Prediction(TRUE if chance else FALSE, chance, None, belief.state, ())
        return explorer.steps_in(action, prediction, guess)

    assert not steps_in(0.9)
    assert steps_in(0.9, guess=True) and steps_in(0.1)
    explorer.see(action, "heat mug 1 with desk 1", "Nothing happens.")
    assert steps_in(0.9)
    _, _, again = at_the_desk()
    going = Action("go_to", ("desk 1",))
    sure = Prediction(TRUE, 1.0, None, belief.state, ())
    for _ in range(OFTEN - 1):
        assert not again.steps_in(going, sure, guess=False)
        again.see(going, "go to desk 1", "You arrive at desk 1. On the desk 1, you see a mug 1.")
    assert again.steps_in(going, sure, guess=False)


def test_one_success_among_failures_is_a_recipe_with_types_as_a_preference() -> None:
    domain = PERCEPTION.domain
    statistics = Statistics(domain)

    def heat(place: str, succeeded: bool, ready: bool) -> Transition:
        facts = [Atom("holding", ("mug 1",)), Atom("at", (place,))]
        state = State(
            {"mug 1": "mug", place: place.split()[0], "desk 1": "desk", "pen 1": "pen"},
            facts if ready else [],
            [Atom("holding", ("*",)), Atom("at", ("*",))],
        )
        after = frozenset([Atom("hot", ("mug 1",))]) if succeeded else frozenset()
        return Transition(state, Action("heat", ("mug 1", place)), after, frozenset(), succeeded, "")

    statistics.update([heat("microwave 1", True, True), *[heat("desk 1", False, False)] * 5])
    found = cautious(statistics)
    (rule,) = found.actions["heat"].rules
    assert {str(c[0].atom) for c in rule.when} >= {"holding(?o)", "at(?r)", "worked_heat_2(?r)"}
    table = found.relations["worked_heat_2"].table
    assert table["microwave",] == (1, 0) and table["desk",] == (0, 5)
