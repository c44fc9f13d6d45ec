"""``worldmodel rules explain``: why the rules predict what they predict of one action."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldmodel.cli import options
from worldmodel.cli.console import examples, plain, show, show_json
from worldmodel.cli.rulebook.common import RuleFile, load

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rules.logic import Action, State
    from rules.ruleset import RuleSet
    from rules.verification import Explanation
    from rules.verification.explanations import RuleReading

EPILOG = examples(
    "worldmodel rules explain household.rules 'heat mug 1 with microwave 1' --state 'holding(mug 1)'",
    "worldmodel rules explain household.rules logs.jsonl.gz --episode 3 --step 12",
    "worldmodel rules explain blocks.rules 0_blocks_traj --step 5 --json",
)
MARKS = {"true": ("yes", "green"), "false": ("no", "red"), "unknown": ("?", "yellow")}
OUTCOMES = {"true": "succeeds", "false": "fails", "unknown": "may succeed or fail"}


def explain(
    file: RuleFile,
    subject: Annotated[
        str, typer.Argument(metavar="ACTION|LOG", help="An action, or a log of which one step is explained.")
    ],
    state: Annotated[
        str | None, typer.Option("--state", "-s", help="What holds: 'at(desk 1), not open(fridge 1)'.")
    ] = None,
    closed: Annotated[bool, typer.Option("--closed", help="What --state does not state is false.")] = False,
    episode: Annotated[int, typer.Option("--episode", min=1, help="Of the log, from 1.")] = 1,
    step: Annotated[int, typer.Option("--step", min=1, help="Of the episode, or of a trace, from 1.")] = 1,
    environment: options.Environment = "alfworld",
    format: options.Format = options.LogFormat.AUTO,
    as_json: options.Json = False,
) -> None:
    """Explain a prediction: the rules, what fails of their conditions, and the facts that say so."""
    from rules import verification
    from worldmodel.cli.rulebook.stated import action_named, state_of

    ruleset = load(file)
    logged = None
    if state is None and Path(subject).exists():
        known, action, logged = _step(ruleset, Path(subject), episode, step, environment, format)
    else:
        action = action_named(subject, ruleset)
        known = state_of(state or "", ruleset, action, closed)
    explanation = verification.explain(ruleset, known, action)
    if as_json:
        show_json(_as_dict(explanation) | {"logged": logged})
        return
    show(*_rendered(explanation, logged))


def _step(
    ruleset: RuleSet, log: Path, episode: int, step: int, environment: str, format: options.LogFormat
) -> tuple[State, Action, str]:
    """What was known before one step of a log, what was done, and what the log says came of it."""
    from worldmodel.cli.rulebook.transitions import is_trace

    if is_trace(log):
        return _traced(ruleset, log, step)
    return _spoken(ruleset, log, episode, step, environment, format)


def _traced(ruleset: RuleSet, log: Path, step: int) -> tuple[State, Action, str]:
    from rules.errors import WorldModelError
    from rules.pddl import read_trace

    found = next(islice(read_trace(log, ruleset), step - 1, None), None)
    if found is None:
        raise WorldModelError(f"{log}: no step {step}; expected an earlier one")
    return found.before, found.action, "it worked" if found.succeeded else "it failed"


def _spoken(
    ruleset: RuleSet, log: Path, episode: int, step: int, environment: str, format: options.LogFormat
) -> tuple[State, Action, str]:
    """The state is what the world model, with these rules, believed before the step."""
    from rules.errors import WorldModelError
    from worldmodel.cli.logs import LogFiles
    from worldmodel.environments.registry import environment as environment_named
    from worldmodel.model import WorldModel

    files = LogFiles([log], environment_named(environment), format)
    told = next(islice(files, episode - 1, None), None)
    if told is None:
        raise WorldModelError(
            f"{log}: no episode {episode}; expected one of the {files.episodes:,} there are"
        )
    if step > len(told.steps):
        raise WorldModelError(f"{log}: episode {episode} has no step {step}; expected 1 to {len(told.steps)}")
    model = WorldModel(ruleset, files.perception)
    belief = model.begin(told.observation)
    for past in told.steps[: step - 1]:
        belief = model.update(belief, files.perception.action(past.action), past.observation)
    asked = told.steps[step - 1]
    action = files.perception.action(asked.action)
    if action is None:
        raise WorldModelError(
            f"{log}: episode {episode}, step {step}: {asked.action!r} is outside the grammar"
        )
    return belief.state, action, asked.observation


def _rendered(found: Explanation, logged: str | None) -> list[RenderableType]:
    from rich.text import Text

    head = Text(plain(found.action), style="bold").append(f" {OUTCOMES[found.truth.value]}", style="none")
    lines = [head]
    if found.reason:
        lines.append(Text(f"  since {plain(found.reason)}"))
    if found.gained or found.lost:
        changes = [*map(str, found.gained), *(f"not {atom}" for atom in found.lost)]
        lines.append(Text(f"  then  {plain(', '.join(changes))}"))
    lines += [Text(f"  says  {plain(text)}", style="italic") for text in found.says]
    if logged is not None:
        lines.append(Text(f"  log   {plain(logged)}", style="dim"))
    if found.conflict:
        lines.append(Text(f"  the state contradicts itself: {plain('; '.join(found.conflict))}", style="red"))
    return [*lines, *map(_rule, found.rules)]


def _rule(reading: RuleReading) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    verdict = {"true": "applies", "false": "does not apply", "unknown": "may apply"}[reading.truth.value]
    table = Table(
        title=f"{plain(reading.rule)} {verdict}", title_justify="left", box=None, padding=(0, 2, 0, 0)
    )
    for name in ("", "condition", "since", "brought about by"):
        table.add_column(name, header_style="dim")
    for part in reading.parts:
        mark, colour = MARKS[part.truth.value]
        since = "; ".join(part.because) or ("nobody knows" if mark == "?" else "")
        if part.verdict is not part.truth:
            since = f"{MARKS[part.verdict.value][0]}, it follows: {since}"
        ways = "; ".join(f"{w.literal}: {', '.join(w.rules) or 'nothing'}" for w in part.unless)
        table.add_row(
            Text(mark, style=colour), plain(part.text), plain(since), Text(plain(ways), style="dim")
        )
    if reading.core and not any(p.verdict.value == "false" for p in reading.parts):
        table.add_row("", Text("excluded together by", style="red"), plain("; ".join(reading.core)))
    return table


def _as_dict(found: Explanation) -> dict[str, Any]:
    return {
        "action": str(found.action),
        "outcome": found.truth.value,
        "reason": found.reason,
        "gained": list(map(str, found.gained)),
        "lost": list(map(str, found.lost)),
        "says": list(found.says),
        "conflict": list(found.conflict),
        "rules": [
            {
                "rule": rule.rule,
                "truth": rule.truth.value,
                "core": list(rule.core),
                "parts": [
                    {
                        "condition": part.text,
                        "truth": part.truth.value,
                        "verdict": part.verdict.value,
                        "because": list(part.because),
                        "unless": {way.literal: list(way.rules) for way in part.unless},
                    }
                    for part in rule.parts
                ],
            }
            for rule in found.rules
        ],
    }
