"""A gate stops what would fail and nothing else, says why, and says what to do first."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from gymnasium.utils.env_checker import check_env

from benchmarks.gate import replay
from benchmarks.knowagent import FOLDER, read
from rules.errors import WorldModelError
from tests.worldmodel.blocks_text import REFUSAL, BlocksEnv, BlocksPerception, all_actions, play
from worldmodel import environment, shipped_rules
from worldmodel.environments.alfworld.perception import AlfworldPerception
from worldmodel.environments.base import Perception
from worldmodel.gate import NOT_SENT, RISK, WARNING, RuleGate
from worldmodel.knowledge import Knowledge
from worldmodel.learning import learn
from worldmodel.model import WorldModel
from worldmodel.objections import Mistake, Objection, objection
from worldmodel.storage import load

ALFWORLD = environment("alfworld")


@cache
def household() -> WorldModel:
    return load(shipped_rules("alfworld"), AlfworldPerception())


@cache
def blocks() -> WorldModel:
    return learn([play(BlocksEnv(), seed) for seed in range(200)], BlocksPerception())


@cache
def game(seed: int) -> Any:
    return ALFWORLD.games(count=1, seed=seed)[0].load()


def gate(seed: int = 3, model: WorldModel | None = None, **options: Any) -> RuleGate:
    """A gate before a generated game, after its opening."""
    env = RuleGate(ALFWORLD.make(game(seed)), model or household(), **options)
    env.reset()
    return env


def table(**options: Any) -> RuleGate:
    """A gate before a table on which black lies west, red south under a cover."""
    layout = {"west": ["black"], "south": ["red"], "east": [], "north": []}
    env = RuleGate(BlocksEnv(layout, covered=["south"]), blocks(), **options)
    env.reset(seed=0)
    return env


# --- what is caught, and what is said -------------------------------------------------------------


@pytest.mark.parametrize(
    ("commands", "mistake", "reason"),
    [
        (["dance"], Mistake.MALFORMED, "`dance` is no command."),
        (
            ["swing to west", "grap black at west"],
            Mistake.MALFORMED,
            "`grap black at west` is no command. The nearest that is one: `grab black at west`.",
        ),
        (
            ["grab pink at west"],
            Mistake.STRANGER,
            "`grab pink at west` would come to nothing: nobody has met `pink`."
            " Nearest to it: `grab <block> at west`, ",
        ),
        (
            ["swing to west", "swing to north", "grab black at west"],
            Mistake.CONDITION,
            "`grab black at west` would come to nothing: it needs over(west), but over(north)."
            " First: `swing to west`.",
        ),
        (
            ["swing to west", "grab black at west", "grab black at west"],
            Mistake.CONDITION,
            "it needs no gripped(*), but gripped(black)",
        ),
        (
            ["swing to south", "uncover south", "uncover south"],
            Mistake.CONDITION,
            "`uncover south` would come to nothing: it needs covered(south).",
        ),
    ],
)
def test_says_what_is_wrong_and_what_would_make_it_right(
    commands: list[str], mistake: Mistake, reason: str
) -> None:
    env = table()
    *before, last = commands
    for command in before:
        assert env.step(command)[-1]["gate"] is None, command
    observation, reward, terminated, truncated, info = env.step(last)
    found = info["gate"]
    assert reason in found.reason and found.mistake is mistake
    assert (observation, reward, terminated, truncated) == (NOT_SENT + found.reason, 0.0, False, False)
    assert env.counts.blocked == 1 and env.counts.caught == {found.mistake: 1}
    assert env.counts.steps == len(before)


def test_what_is_advised_first_makes_the_command_work() -> None:
    env = table()
    env.step("swing to west")
    env.step("swing to north")
    (advice,) = env.step("grab black at west")[-1]["gate"].instead
    env.step(advice)
    assert env.step("grab black at west")[0] == "Got black from west."


def test_advice_in_the_household_names_where_a_thing_goes_and_lies() -> None:
    model = household()
    perception = model.perception
    belief = model.begin("You are in the middle of a room. Looking quickly around you, you see a desk 1, "
                         "and a shelf 1.\n\nYour task is to: put a mug in desk.")  # fmt: skip
    for command, answer in (
        ("go to shelf 1", "You arrive at shelf 1. On the shelf 1, you see a mug 1, and a pen 1."),
        ("take pen 1 from shelf 1", "You pick up the pen 1 from the shelf 1."),
    ):
        belief = model.update(belief, perception.action(command), answer)
    hand = objection(model, belief, "take mug 1 from shelf 1")
    assert hand is not None and hand.failing == ("it needs no holding(*), but holding(pen 1)",)
    assert hand.instead == ("move pen 1 to shelf 1",)
    far = objection(model, belief, "take mug 1 from desk 1")
    assert far is not None and far.instead == ("move pen 1 to shelf 1", "go to desk 1")
    desk = "On the desk 1, you see nothing."
    there = model.update(belief, perception.action("go to desk 1"), f"You arrive at desk 1. {desk}")
    lies = objection(model, there, "take mug 1 from desk 1")
    assert lies is not None and "in(mug 1, desk 1), but in(mug 1, shelf 1)" in lies.reason
    put = objection(model, belief, "move mug 1 to shelf 1")
    assert put is not None and "take mug 1 from shelf 1" in put.instead
    polite = objection(model, belief, "put the pen 1 to the shelf 1")
    assert polite is not None and polite.instead[0] == "move pen 1 to shelf 1"


# --- what is not caught ---------------------------------------------------------------------------


def test_without_rules_only_what_is_outside_the_grammar_is_stopped() -> None:
    perception = AlfworldPerception()
    env = gate(model=WorldModel(perception.domain, perception), risk=1.0)
    assert env.step("take mug 1 from desk 2")[-1]["gate"] is None
    assert env.step("dance")[-1]["gate"].mistake is Mistake.MALFORMED


def test_what_nobody_can_tell_is_sent() -> None:
    env = table(risk=1.0)
    assert env.step("grab black at north")[-1]["gate"] is not None  # the arm is nowhere: that is known
    env.step("swing to south")
    env.step("uncover south")
    assert env.step("grab red at south")[0] == "Got red from south."


def test_an_exception_of_the_rules_is_no_law_and_a_higher_risk_takes_it_for_one() -> None:
    """The shipped rules say that nothing is put on stoveburners: learned from few tries, and wrong."""
    model = household()
    belief = model.begin("You are in the middle of a room. Looking quickly around you, you see a stoveburner "
                         "1, and a shelf 1.\n\nYour task is to: put a pan in shelf.")  # fmt: skip
    for command, answer in (
        ("go to shelf 1", "You arrive at shelf 1. On the shelf 1, you see a pan 1."),
        ("take pan 1 from shelf 1", "You pick up the pan 1 from the shelf 1."),
        ("go to stoveburner 1", "You arrive at stoveburner 1. On the stoveburner 1, you see nothing."),
    ):
        belief = model.update(belief, model.perception.action(command), answer)
    found = objection(model, belief, "move pan 1 to stoveburner 1")
    assert found is not None and found.confidence == 0.0
    assert "stoveburner" in found.reason


def test_little_evidence_stops_nothing_until_the_risk_allows_it() -> None:
    """18 heatings bear out that heating needs something in hand with 0.87: Wilson's bound at 18 of 18."""
    kitchen = next(g for g in ALFWORLD.games(count=6, seed=3) if "heat" in g.task_type).load()
    bold, shy = (RuleGate(ALFWORLD.make(kitchen), household(), risk=risk) for risk in (0.2, RISK))
    bold.reset(), shy.reset()
    oven = next(name for name in bold.belief.state.objects if name.startswith("microwave"))
    command = f"heat mug 1 with {oven}"
    assert bold.step(command)[-1]["gate"].confidence == pytest.approx(18 / (18 + 1.645**2))
    assert shy.step(command)[-1]["gate"] is None
    assert shy.counts.unsure == 1 and shy.counts.missed == 1


@pytest.mark.parametrize("seed", range(6))
def test_what_is_blocked_would_have_been_refused_and_the_rest_goes_as_without_a_gate(seed: int) -> None:
    """The same random walk with a gate and without: what is sent is answered alike, what is not, refused."""
    walks = (
        (
            RuleGate(ALFWORLD.make(game(seed)), household()),
            ALFWORLD.make(game(seed)),
            ALFWORLD.perception(None),
        ),
        (RuleGate(BlocksEnv(), blocks()), BlocksEnv(), BlocksPerception()),
    )
    for gated, plain, perception in walks:
        opening, info = gated.reset(seed=seed)
        assert plain.reset(seed=seed)[0] == opening
        chance = random.Random(seed)
        for _ in range(40):
            command = _drawn(perception, gated, info, chance)
            found = gated.check(command)
            answer = plain.step(command)
            mine = gated.step(command)
            refused = perception.perceive(perception.action(command), answer[0]).refused
            if found is None:
                assert mine[:2] == answer[:2]
            else:
                assert mine[0].startswith(NOT_SENT)
                assert refused or _in_reach(gated, found), f"{command}: {answer[0]}"
                if not refused:
                    break  # the two have parted
            info = mine[-1]
            if answer[2] or answer[3]:
                break
        assert gated.counts.steps + gated.counts.blocked <= 40


def _in_reach(env: RuleGate, found: Objection) -> bool:
    """Whether all that fails is where the agent stands: a place beside it may be in reach."""
    return all(part.startswith(("it needs at(", "it needs over(")) for part in found.failing)


def _drawn(perception: Perception, env: RuleGate, info: dict[str, Any], chance: random.Random) -> str:
    admissible = info.get("admissible_commands")
    if admissible and chance.random() < 0.5:
        return chance.choice(sorted(admissible))
    if isinstance(perception, BlocksPerception):
        return perception.command(chance.choice(all_actions()))
    names = sorted(env.belief.state.objects)
    one, two = chance.choice(names), chance.choice(names)
    return chance.choice(
        [
            f"go to {one}",
            f"open {one}",
            f"take {one} from {two}",
            f"move {one} to {two}",
            f"cool {one} with {two}",
        ]
    )


# --- modes and counts -----------------------------------------------------------------------------


def test_a_warning_is_sent_along_and_annotations_leave_the_text_alone() -> None:
    for mode in ("warn", "annotate"):
        env = table(mode=mode)
        observation, *_, info = env.step("grab black at west")
        found = info["gate"]
        assert observation == (f"{REFUSAL}\n{WARNING}{found.reason}" if mode == "warn" else REFUSAL)
        assert (env.counts.steps, env.counts.blocked, env.counts.confirmed, env.counts.refuted) == (
            1,
            0,
            1,
            0,
        )
        assert env.step("swing to west")[-1]["gate"] is None


def test_counts_go_on_over_episodes_and_a_blocked_step_costs_none() -> None:
    env = gate()
    for _ in range(2):
        env.reset()
        for _ in range(60):
            assert not env.step("dance")[3]
        observation, *_ = env.step("inventory")
        assert observation == "You are not carrying anything."
    assert (env.counts.steps, env.counts.blocked) == (2, 120)


def test_who_is_blocked_too_often_is_stopped() -> None:
    env = gate(most_blocked=3)
    assert [env.step("dance")[3] for _ in range(3)] == [False, False, True]


def test_info_keeps_what_the_environment_said_last() -> None:
    env = gate()
    admissible = env.step("look")[-1]["admissible_commands"]
    assert env.step("dance")[-1]["admissible_commands"] == admissible


@pytest.mark.parametrize("mode", ["block", "warn", "annotate"])
def test_gymnasium_has_no_objection(mode: Any) -> None:
    check_env(RuleGate(ALFWORLD.make(game(3)), household(), mode), skip_render_check=True)


def test_a_task_outside_the_grammar_is_no_hindrance() -> None:
    class Odd(BlocksEnv):
        def reset(self, **options: Any) -> tuple[str, dict[str, Any]]:
            opening, info = super().reset(**options)
            return opening.replace("Bring", "Sing"), info

    env = RuleGate(Odd(), blocks())
    env.reset(seed=0)
    assert env.step("grab black at west")[-1]["gate"] is None  # nothing was read: nothing is known


def test_bad_input() -> None:
    env = ALFWORLD.make(game(3))
    with pytest.raises(
        WorldModelError, match="unknown mode 'stop' of a gate; expected block, warn, annotate"
    ):
        RuleGate(env, household(), mode="stop")  # type: ignore[arg-type]
    with pytest.raises(WorldModelError, match="risk of a gate is 5"):
        RuleGate(env, household(), risk=5)
    with pytest.raises(WorldModelError, match=r"call reset\(\) before step"):
        RuleGate(env, household()).step("look")


# --- a real agent ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"needs KnowAgent's logs in {FOLDER}")
def test_on_a_language_models_log_most_mistakes_are_caught_and_hardly_a_good_action() -> None:
    logs = read(FOLDER)
    perception = AlfworldPerception("old")
    shipped = load(shipped_rules("alfworld"), perception)
    learned = learn(logs["D0"], perception)
    for model in (shipped, learned, WorldModel(learned.ruleset, perception, Knowledge())):
        result = replay("", model, "D1", logs["D1"])
        caught, refused = result.caught(RISK)
        wrong, good = result.wrong(RISK)
        assert (refused, good) == (2848, 6102)
        assert caught / refused > 0.88
        assert wrong / good < 0.005
