"""Logs of a mixed set of players on ALFWorld's official games: what predictions are measured on.

    python -m benchmarks.mixed FOLDER
    python -m benchmarks.mixed FOLDER --count 35 --rules household.rules

Every game is played once by each of four players, and each player's log is a file of its own:

- ``random``: draws from the admissible commands, and every seventh time or so from all that the grammar can
  say of what was seen (`worldmodel collect --policy random`), 50 steps a game.
- ``curious``: tries what was seldom tried, admissible or not (`--policy curious`), 50 steps a game.
- ``mpc``: the planner with the given rules, until it has won, 50 steps at most (`worldmodel plan`).
- ``slips``: the same planner, but three commands in ten are replaced by a mistake of the kind that language
  models make, as far as there is occasion for one: a *wrong name* (a number that does not exist, another
  thing of the kind, or a place taken for another), a *wrong order* (what the plan would do later, or doing
  without having gone, opened or taken first) or *full hands* (taking a second thing). What the command
  should have done stays undone, and the planner thinks again. Malformed commands are not made: they are in
  no measure.

Players see the opening, the answers and, the first two, the list of admissible commands.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from planners import Planner
from planners.mpc import PlanConfig
from rules.errors import WorldModelError
from rules.logic import TRUE, WILDCARD, Action, Atom
from worldmodel.belief import Belief
from worldmodel.cli.console import progress
from worldmodel.collecting import collect
from worldmodel.environments.alfworld.games import GameReference
from worldmodel.environments.alfworld.spec import SPEC
from worldmodel.environments.registry import shipped_rules
from worldmodel.model import WorldModel
from worldmodel.storage import load
from worldmodel.trajectories import Episode, EpisodeWriter, Step, read_episodes, written_ids

GAMES = Path(__file__).resolve().parents[2] / "shared" / "data" / "alfworld"
STEPS = 50
SLIPS = 0.3
"""The share of the careless player's commands that are mistakes."""


def slip(belief: Belief, action: Action, chance: random.Random) -> tuple[str, Action] | None:
    """A mistake made in place of an action, and its kind; None where there is no occasion for one."""
    kinds: list[Callable[[Belief, Action, random.Random], Action | None]] = [
        wrong_name,
        wrong_order,
        full_hands,
    ]
    chance.shuffle(kinds)
    for kind in kinds:
        found = kind(belief, action, chance)
        if found is not None and found != action:
            return kind.__name__, found
    return None


def wrong_name(belief: Belief, action: Action, chance: random.Random) -> Action | None:
    """One name is replaced: by a number that does not exist, or by another thing of the same or any type."""
    if not action.args:
        return None
    place = chance.randrange(len(action.args))
    name = action.args[place]
    kind, _, _ = name.rpartition(" ")
    type_ = belief.state.objects.get(name, kind)
    alike = [n for n, t in belief.state.objects.items() if t == type_ and n != name]
    places = sorted(atom.args[0] for atom in belief.state.false if atom.predicate == "openable")
    other = chance.choice(
        [f"{kind} {chance.randint(7, 19)}", *alike, *chance.sample(places, min(2, len(places)))]
    )
    return Action(action.name, (*action.args[:place], other, *action.args[place + 1 :]))


def wrong_order(belief: Belief, action: Action, chance: random.Random) -> Action | None:
    """Something done with a thing or a place before going there, opening it or taking it."""
    there = sorted(belief.state.atoms("in"))
    held = [atom.args[0] for atom in belief.state.atoms("holding")]
    away = [n for n in belief.state.objects if belief.state.truth(Atom("at", (n,))) is not TRUE]
    options = [Action("take", chance.choice(there).args)] if there else []
    closed = sorted(a.args[0] for a in belief.state.false if a.predicate == "open" and WILDCARD not in a.args)
    options += [Action("open", (chance.choice(closed),))] if closed else []
    for name in held or [atom.args[0] for atom in there[:1]]:
        verb, kind = chance.choice(
            [("put", ""), ("heat", "microwave"), ("cool", "fridge"), ("clean", "sinkbasin")]
        )
        fitting = [n for n in away if n.startswith(kind) and n != name]
        options += [Action(verb, (name, chance.choice(fitting)))] if fitting else []
    lamps = [n for n in belief.state.objects if n.endswith(("desklamp 1", "floorlamp 1"))]
    options += [Action("use", (lamps[0],))] if lamps else []
    return chance.choice(options) if options else None


def full_hands(belief: Belief, action: Action, chance: random.Random) -> Action | None:
    """Taking something else with something in the hand."""
    if not belief.state.atoms("holding"):
        return None
    here = [a for a in belief.state.atoms("in") if belief.state.truth(Atom("at", a.args[1:])) is TRUE]
    return Action("take", chance.choice(sorted(here)).args) if here else None


def plan(reference: GameReference, rules: WorldModel, seed: int, share: float, policy: str) -> Episode:
    """A game played by the planner, with so many of its commands replaced by mistakes."""
    game = reference.load()
    model = WorldModel(rules.ruleset, SPEC.perception(game), rules.knowledge)
    planner, chance = Planner(model, PlanConfig(seed=seed)), random.Random(f"{seed} {reference.id}")
    env = SPEC.make(game, max_steps=STEPS, admissible=False)
    opening, _ = env.reset(seed=seed)
    belief, held, done, steps, mistakes = model.begin(opening), True, False, list[Step](), list[str]()
    success = False
    while not done:
        action = planner.decide(belief, held).action
        found = slip(belief, action, chance) if chance.random() < share else None
        if found is not None:
            mistakes.append(found[0])
        chosen = action if found is None else found[1]
        prediction = model.predict(belief, chosen)
        observation, reward, success, truncated, _ = env.step(model.perception.command(chosen))
        belief = model.update(belief, chosen, observation)
        held = found is None and prediction.observation in (None, observation)
        steps.append(Step(model.perception.command(chosen), observation, float(reward)))
        done = success or truncated
    about = {"task_type": reference.task_type, "mistakes": " ".join(mistakes)}
    return Episode(reference.id, SPEC.name, opening, tuple(steps), success, policy, seed, about)


def players(rules: Path, seed: int) -> dict[str, Callable[[Sequence[GameReference]], Iterator[Episode]]]:
    """What plays, by name."""
    model = load(rules, SPEC.perception(None))

    def planned(share: float, policy: str, games: Sequence[GameReference]) -> Iterator[Episode]:
        return (plan(game, model, seed, share, policy) for game in games)

    return {
        "random": lambda games: collect(SPEC, games, "random", seed, STEPS),
        "curious": lambda games: collect(SPEC, games, "curious", seed, STEPS),
        "mpc": partial(planned, 0.0, "mpc"),
        "slips": partial(planned, SLIPS, "slips"),
    }


def make(folder: Path, games: Sequence[GameReference], rules: Path, seed: int = 0) -> list[Path]:
    """Plays what is not logged yet; the logs, one a player."""
    paths = []
    for name, play in players(rules, seed).items():
        path = folder / f"{name}.jsonl.gz"
        done = written_ids(path)
        left = [game for game in games if game.id not in done]
        if left:
            with EpisodeWriter(path, append=True) as writer, progress(name, len(left)) as advance:
                for episode in play(left):
                    writer.write(episode)
                    advance()
        paths.append(path)
    return paths


def read(paths: Sequence[Path], games: Sequence[GameReference]) -> list[Episode]:
    """The logged episodes of these games."""
    wanted = {game.id for game in games}
    return [episode for episode in read_episodes(paths) if episode.id in wanted]


def options(about: str) -> argparse.ArgumentParser:
    """What this script and those that measure on its logs can be told."""
    parser = argparse.ArgumentParser(
        description=about.partition("\n")[0],
        epilog=about.partition("\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="keeps the logs")
    parser.add_argument("--games", type=Path, default=GAMES, help="the folder with the splits")
    parser.add_argument("--split", default="valid_seen")
    parser.add_argument("--count", type=int, help="so many games, drawn by the seed; all by default")
    parser.add_argument("--rules", type=Path, default=shipped_rules("alfworld"))
    parser.add_argument("--seed", type=int, default=0)
    return parser


def main() -> None:
    chosen = options(__doc__ or "").parse_args()
    try:
        games = SPEC.games(chosen.games, chosen.split, chosen.count, chosen.seed)
        chosen.folder.mkdir(parents=True, exist_ok=True)
        paths = make(chosen.folder, games, chosen.rules, chosen.seed)
        for path in paths:
            episodes = list(read_episodes(path))
            print(f"{path}: {len(episodes):,} episodes, {sum(len(e.steps) for e in episodes):,} steps")
    except WorldModelError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
