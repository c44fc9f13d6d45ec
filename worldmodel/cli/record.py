"""The record of a planned run: what its log holds from before, and what is played now."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from planners.mpc import PlanConfig
from planners.search.llm import Advice
from rules.errors import WorldModelError
from worldmodel.cli import advising
from worldmodel.cli.console import progress, warn_all
from worldmodel.cli.episodes import Job, Setup
from worldmodel.revising import statistics_path
from worldmodel.storage import knowledge_path
from worldmodel.trajectories import Episode, EpisodeWriter, read_episodes

Play = Callable[[Sequence[Job]], Generator[Episode, None, None]]
"""Plays games, in their order."""


def name_run(
    rules: Path | None,
    engine: str,
    max_steps: int,
    config: PlanConfig,
    learn: bool = False,
    advice: Advice | None = None,
) -> str:
    """What two episodes of one run have in common, in words."""
    digest = hashlib.sha256()
    beside = [knowledge_path, statistics_path] if learn else [knowledge_path]
    for path in [rules, *(place(rules) for place in beside)] if rules else []:
        if path.exists():
            digest.update(path.read_bytes())
    start = f"{'learning, ' if learn else ''}rules {digest.hexdigest()[:12] if rules else 'none'}"
    end = f", {advising.describe(advice)}" if advice is not None else ""
    return (
        f"{start}, search {config.search}, sampler {config.sampler}, "
        f"samples {config.samples}, expansions {config.expansions}, at most {max_steps} steps, "
        f"engine {engine}, seed {config.seed}{end}"
    )


class Record:
    """`episodes`: those there were and those played since; `left`: the games still to play."""

    def __init__(self, setup: Setup, jobs: Sequence[Job], output: Path | None) -> None:
        """Raises `WorldModelError` where the log cannot be read, or holds episodes of another run."""
        self.setup, self.output = setup, output
        self.episodes = [] if output is None else self._before(output)
        done = {episode.id for episode in self.episodes}
        self.left = [job for job in jobs if job.id not in done]
        self.had_before = len(self.episodes)

    def _before(self, output: Path) -> list[Episode]:
        if not output.exists():
            return []
        broken: list[str] = []
        episodes = list(read_episodes(output, "skip", lambda error: broken.append(str(error))))
        for episode in episodes:
            run = episode.metadata.get("run", "no planned run")
            if run != self.setup.run:
                raise WorldModelError(
                    f"{output}: holds episodes of another run ({run[:300]}), expected {self.setup.run}; "
                    "write to another file"
                )
        warn_all(broken)
        return episodes

    def play(self, play: Play, bar: bool = True) -> bool:
        """Plays the games that are left, logging each as it ends; False if it was interrupted."""
        try:
            with ExitStack() as stack:
                writer = stack.enter_context(EpisodeWriter(self.output, append=True)) if self.output else None
                advance = stack.enter_context(progress("playing", len(self.left))) if bar else None
                episodes = stack.enter_context(closing(play(self.left)))
                for episode in episodes:
                    if writer is not None:
                        writer.write(episode)
                    self.episodes.append(episode)
                    self.left = self.left[1:]
                    if advance is not None:
                        advance()
        except KeyboardInterrupt:
            return False
        return True
