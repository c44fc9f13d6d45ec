"""Exploration, logged: a policy plays games, and each one becomes an episode."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

from worldmodel.environments.registry import EnvironmentSpec, GameReference
from worldmodel.exploration import Policy, policy_named
from worldmodel.trajectories import Episode, EpisodeWriter, Step, StrPath, read_episodes


def collect(
    environment: EnvironmentSpec,
    games: Iterable[GameReference],
    policy: str = "curious",
    seed: int = 0,
    steps: int = 50,
    done: Iterable[Episode] = (),
) -> Iterator[Episode]:
    """Plays each game once with an exploration policy (``random`` or ``curious``), `steps` at most.

    done: episodes of the same run that were logged before; their games are skipped, and what the
    policy would have learned from them it learns by reading, so that an interrupted run goes on as if
    it had never stopped. Raises `WorldModelError` for an unknown policy or a game that cannot be read.
    """
    player = policy_named(policy)
    skip = set()
    for episode in done:
        _recall(player, environment, episode)
        skip.add(episode.id)
    for game in games:
        if game.id not in skip:
            yield _play(environment, game, player, seed, steps)


def collect_into(
    path: StrPath,
    environment: EnvironmentSpec,
    games: Iterable[GameReference],
    policy: str = "curious",
    seed: int = 0,
    steps: int = 50,
) -> Iterator[Episode]:
    """The same, with every episode written to a file as soon as it ends; goes on after what is there.

    Yields what it adds. Raises `TrajectoryError` where the file cannot be read or written.
    """
    done = list(read_episodes(path, "skip")) if Path(path).exists() else []
    with EpisodeWriter(path, append=True) as writer:
        for episode in collect(environment, games, policy, seed, steps, done):
            writer.write(episode)
            yield episode


def _play(
    environment: EnvironmentSpec, reference: GameReference, player: Policy, seed: int, steps: int
) -> Episode:
    game = reference.load()
    env = environment.make(game, max_steps=steps, admissible=player.wants_commands)
    opening, info = env.reset(seed=seed)
    # A string seeds by its SHA-512: the same everywhere, unlike hash().
    player.begin(environment.perception(game), opening, random.Random(f"{seed} {reference.id}"))
    taken: list[Step] = []
    terminated = truncated = False
    while not (terminated or truncated):
        command = player.act(info.get("admissible_commands", ()))
        observation, reward, terminated, truncated, info = env.step(command)
        player.see(command, observation)
        taken.append(Step(command, observation, float(reward)))
    env.close()
    return Episode(
        id=reference.id,
        environment=environment.name,
        observation=opening,
        steps=tuple(taken),
        success=terminated and taken[-1].reward > 0,
        policy=player.name,
        seed=seed,
        metadata={"task_type": reference.task_type},
    )


def _recall(player: Policy, environment: EnvironmentSpec, episode: Episode) -> None:
    player.begin(environment.perception(None), episode.observation, random.Random())
    for step in episode.steps:
        player.see(step.action, step.observation)
