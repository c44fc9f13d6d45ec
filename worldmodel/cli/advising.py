"""What `worldmodel plan --search llm` is told of the language model, and tells of what it brought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from planners.search.llm import Advice
    from worldmodel.trajectories import Episode

LLM = "llm"
PREFIX = "llm_"

Model = Annotated[
    str,
    typer.Option(
        "--model", help="With --search llm: embedded, a folder, a .gguf file, a name on the hub, openai:NAME."
    ),
]
Calls = Annotated[int, typer.Option("--max-calls", min=0, help="Calls of the language model in a game.")]
Tokens = Annotated[int, typer.Option("--max-tokens", min=0, help="Tokens it reads and writes in a game.")]
Seconds = Annotated[float, typer.Option("--max-seconds", min=0, help="Seconds it takes in a game.")]
Revisions = Annotated[int, typer.Option("--revisions", min=0, help="Times it may answer objections.")]
Plans = Annotated[int, typer.Option("--plans", min=1, help="Plans it is asked for at a time, if it speaks.")]
Free = Annotated[
    bool, typer.Option("--free", help="Let it speak, even if it could choose among what the rules admit.")
]


def describe(advice: Advice) -> str:
    """All that decides what is asked, for the name of a run."""
    how = "free" if not advice.constrained else "constrained"
    return (
        f"model {advice.model}, {how}, at most {advice.calls:g} calls, {advice.tokens:g} tokens, "
        f"{advice.seconds:g} seconds, {advice.revisions} revisions, {advice.plans} plans"
    )


def noted(report: Mapping[str, float]) -> dict[str, str]:
    """What came of a game's proposals, for the episode."""
    return {PREFIX + name: f"{value:.12g}" for name, value in report.items()}


def totals(episodes: Sequence[Episode]) -> dict[str, Any]:
    """The same of all episodes that say so, with the steps of those that are compared."""
    total: dict[str, float] = {}
    for episode in episodes:
        told = {name: value for name, value in episode.metadata.items() if name.startswith(PREFIX)}
        for name, value in told.items():
            total[name.removeprefix(PREFIX)] = total.get(name.removeprefix(PREFIX), 0) + float(value)
        if f"{PREFIX}alone_steps" in told:
            total["steps"] = total.get("steps", 0) + len(episode.steps)
            total["won"] = total.get("won", 0) + bool(episode.success)
    return total


def bought(total: Mapping[str, float]) -> str:
    """What the tokens bought, in words."""
    text = (
        f"\nThe language model: {total['calls']:.0f} calls ({total['cached']:.0f} answered from disk), "
        f"{total['tokens']:.0f} tokens, {total['seconds']:.1f} s. In {total['decisions']:.0f} decisions it "
        f"proposed {total['proposed']:.0f} plans: {total['vetoed']:.0f} vetoed by the rules, "
        f"{total['worse']:.0f} worse than the symbolic plan, {total['agreed']:.0f} the same, "
        f"{total['accepted']:.0f} followed instead; {total['revised']:.0f} answered an objection well."
    )
    if "alone_steps" not in total:
        return text
    saved = total["alone_steps"] - total["steps"]
    each = f", {1000 * saved / total['tokens']:.2f} for 1000 tokens" if total["tokens"] else ""
    return (
        f"{text}\nThe symbolic search alone wins {total['alone_won']:.0f} of these games, with it "
        f"{total['won']:.0f}; steps saved: {saved:.0f} of {total['alone_steps']:.0f}{each}."
    )
