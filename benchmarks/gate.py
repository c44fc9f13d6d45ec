"""What a gate of rules catches of a real language model's mistakes, and what it gets wrong.

    python -m benchmarks.gate
    python -m benchmarks.gate --rules FOLDER/curious-seed0-{30,100,3553}-episodes.rules

Reads KnowAgent's two ALFWorld logs of Llama-2-13B (by default in ``../shared/data/knowagent_alfworld``), step
by step as they were played. Before each command the gate says whether it would have blocked it; what came of
the command decides whether that was right. Rules: those that ship, those named (`benchmarks/household.py
--logs FOLDER` makes them from explored train games), and those learned from the one log for the other.
Beside them a random walker in new rooms, who is told what is admissible and so knows more than the gate.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.household import wilson
from benchmarks.knowagent import FOLDER, read
from worldmodel.collecting import collect
from worldmodel.environments.alfworld.perception import AlfworldPerception
from worldmodel.environments.alfworld.spec import SPEC
from worldmodel.environments.registry import shipped_rules
from worldmodel.gate import RISK, begin
from worldmodel.knowledge import Knowledge
from worldmodel.learning import learn
from worldmodel.model import WorldModel
from worldmodel.objections import Mistake, objection
from worldmodel.storage import load
from worldmodel.trajectories import Episode

RISKS = (0.0, 0.01, RISK, 0.1, 0.2, 1.0)
RESAMPLES = 2_000
WALKS, WALK_SEED = 100, 11
PERCEPTION = AlfworldPerception("old")
SAW = (
    "The gate saw the opening text and the answers to the commands before, and neither what was admissible\n"
    "nor the engine's state. The logs are replayed as they were played: after a command that would have\n"
    "been blocked the agent might have done otherwise, so a mistake that is made again counts again; at\n"
    "first: those that were not made before in their episode. Intervals are 95 %: for what is caught a\n"
    "bootstrap over episodes, for what is wrongly blocked Wilson's. D0 and D1 are of train games, whose\n"
    "rooms the explorers met too; forgotten: without any memory of rooms. The random walks are in new\n"
    "rooms and choose from what is admissible: they reach what lies beside them before any text says so."
)


@dataclass(slots=True)
class Step:
    """One logged command: whether it was refused, and was so before; what the gate had against it."""

    action: str
    refused: bool
    again: bool = False
    mistake: Mistake | None = None
    confidence: float = 0.0

    def blocked(self, risk: float = RISK) -> bool:
        return self.mistake is not None and self.confidence >= 1 - risk


@dataclass(slots=True)
class Result:
    """The logged steps, episode by episode."""

    rules: str
    log: str
    episodes: list[list[Step]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def steps(self) -> list[Step]:
        return [step for episode in self.episodes for step in episode]

    def caught(self, risk: float = RISK, again: bool = True) -> tuple[int, int]:
        """Refused commands that would have been blocked, of all refused ones; if not `again`, new ones."""
        refused = [step for step in self.steps if step.refused and (again or not step.again)]
        return sum(step.blocked(risk) for step in refused), len(refused)

    def wrong(self, risk: float = RISK) -> tuple[int, int]:
        """Good commands that would have been blocked, of all good ones."""
        good = [step for step in self.steps if not step.refused]
        return sum(step.blocked(risk) for step in good), len(good)

    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share that is caught, by a bootstrap over episodes."""
        pairs = np.array(
            [(sum(s.blocked() for s in e if s.refused), sum(s.refused for s in e)) for e in self.episodes]
        )
        draws = np.random.default_rng(0).integers(len(pairs), size=(RESAMPLES, len(pairs)))
        caught, refused = pairs[draws].sum(axis=1).T
        low, high = np.percentile(caught / refused, [2.5, 97.5])
        return float(low), float(high)


def replay(rules: str, model: WorldModel, log: str, episodes: Iterable[Episode]) -> Result:
    """What the gate has against each logged command."""
    result, began = Result(rules, log), time.perf_counter()
    for episode in episodes:
        belief, steps, made = begin(model, episode.observation), [], set[str]()
        texts = [episode.observation]
        for step in episode.steps:
            action = model.perception.action(step.action)
            refused = model.perception.perceive(action, step.observation).refused
            found = objection(model, belief, step.action, texts)
            logged = Step(action.name if action else "-", refused, step.action in made)
            if found is not None:
                logged = replace(logged, mistake=found.mistake, confidence=found.confidence)
            steps.append(logged)
            made |= {step.action} if refused else set()
            belief = model.update(belief, action, step.observation)
            texts.append(step.observation)
        result.episodes.append(steps)
    result.seconds = time.perf_counter() - began
    return result


def forgetful(model: WorldModel) -> WorldModel:
    """The same rules, without any memory of rooms."""
    return WorldModel(model.ruleset, model.perception, Knowledge())


def results(rules: Sequence[Path], logs: dict[str, list[Episode]]) -> Iterable[Result]:
    """Every rule file on both logs, and each log on the other, with and without memory of rooms."""
    both = [episode for episodes in logs.values() for episode in episodes]
    for number, path in enumerate([shipped_rules("alfworld"), *rules]):
        name = "shipped" if number == 0 else path.stem
        yield replay(name, load(path, PERCEPTION), "D0, D1", both)
    if rules:
        model = forgetful(load(rules[-1], PERCEPTION))
        yield replay(f"{rules[-1].stem}, rooms forgotten", model, "D0, D1", both)
    for training, test in (("D0", "D1"), ("D1", "D0")):
        model = learn(logs[training], PERCEPTION)
        yield replay(f"from {training}", model, test, logs[test])
        yield replay(f"from {training}, rooms forgotten", forgetful(model), test, logs[test])
    walks = list(collect(SPEC, SPEC.games(count=WALKS, seed=WALK_SEED), "random", WALK_SEED))
    for path in (shipped_rules("alfworld"), *rules[-1:]):
        model = load(path, SPEC.perception(None))
        yield replay("shipped" if path not in rules else path.stem, model, f"{WALKS} random walks", walks)


def overview(found: Sequence[Result]) -> Table:
    """A row for each set of rules."""
    table = Table(title=f"What a gate with risk {RISK} catches", title_justify="left")
    names = "rules|log|refused|caught|share|95 %|at first|good|wrongly blocked|share|95 %|ms"
    for name in names.split("|"):
        table.add_column(name, justify="left" if name in ("rules", "log") else "right")
    for result in found:
        caught, refused = result.caught()
        at_first, new = result.caught(again=False)
        wrong, good = result.wrong()
        table.add_row(
            result.rules,
            result.log,
            f"{refused:,}",
            f"{caught:,}",
            f"{caught / refused:.1%}",
            _interval(result.interval()),
            f"{at_first / new:.1%}",
            f"{good:,}",
            f"{wrong}",
            f"{wrong / good:.2%}",
            _interval(wilson(wrong, good), digits=2),
            f"{1000 * result.seconds / len(result.steps):.2f}",
        )
    return table


def _interval(bounds: tuple[float, float], digits: int = 1) -> str:
    return "–".join(f"{100 * x:.{digits}f}" for x in bounds)


def kinds(result: Result) -> Table:
    """By kind of mistake: what is caught, and what is wrongly blocked; and what is missed, by action."""
    table = Table(title=f"By kind of mistake: rules {result.rules}, log {result.log}", title_justify="left")
    table.add_column("kind", min_width=60)
    table.add_column("caught", justify="right")
    table.add_column("wrongly blocked", justify="right")
    for mistake in Mistake:
        mine = [s for s in result.steps if s.mistake is mistake and s.blocked()]
        table.add_row(
            mistake.value, f"{sum(s.refused for s in mine):,}", f"{sum(not s.refused for s in mine)}"
        )
    table.add_section()
    missed = Counter(s.action for s in result.steps if s.refused and not s.blocked())
    for action, count in missed.most_common():
        table.add_row(f"missed: {action}", f"{count:,}", "")
    return table


def risks(found: Sequence[Result]) -> Table:
    """The shares by how much risk is taken."""
    table = Table(title="By risk: caught / wrongly blocked", title_justify="left")
    table.add_column("rules")
    for risk in RISKS:
        table.add_column(f"{risk:g}", justify="right")
    for result in found:
        cells = []
        for risk in RISKS:
            (caught, refused), (wrong, good) = result.caught(risk), result.wrong(risk)
            cells.append(f"{caught / refused:.1%} / {wrong / good:.2%}")
        table.add_row(f"{result.rules} on {result.log}", *cells)
    return table


def main() -> None:
    about, _, more = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=more, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rules", nargs="*", type=Path, default=[], help="more rule files, smallest first")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where KnowAgent's logs are")
    options = parser.parse_args()
    found = list(results(options.rules, read(options.folder)))
    out = Console(width=None if sys.stdout.isatty() else 170)
    out.print(overview(found), *(kinds(r) for r in found if "forgotten" not in r.rules), risks(found), SAW,
              highlight=False)  # fmt: skip


if __name__ == "__main__":
    main()
