"""``worldmodel rules propose``: rules from a person or a language model, through the gate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldmodel.cli import options
from worldmodel.cli.console import EXIT_FINDINGS, examples, plain, progress, show, show_json, warn_all
from worldmodel.cli.rulebook.common import RuleFile, bar, load

if TYPE_CHECKING:
    from rich.table import Table

    from rules.proposals import Review, Verdict, Witness
    from rules.ruleset import RuleSet

Logs = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Logs that must bear the rules out: .jsonl, .jsonl.gz, or traces of states and actions.",
        show_default=False,
    ),
]
From = Annotated[
    Path | None,
    typer.Option("--from", help="Rules, or an answer with rules in code blocks; - is stdin."),
]
LanguageModel = Annotated[
    str | None,
    typer.Option(
        "--llm",
        help="Ask a language model: embedded, a folder, a .gguf file, a name on the hub, openai:NAME.",
    ),
]
MaxTokens = Annotated[int, typer.Option("--max-tokens", min=1, help="Tokens that it may read and write.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="The rule file to write.")]
Belonging = Annotated[
    str | None, typer.Option("--action", "-a", help="Rules that name no action belong to this one.")
]
Ask = Annotated[
    bool, typer.Option("--prompt", help="Print what to ask a language model about --action, no more.")
]
Confidence = Annotated[float, typer.Option(min=0, max=1, help="What the evidence for a rule must exceed.")]
EPILOG = examples(
    "worldmodel rules propose household.rules logs.jsonl.gz --from mine.rules -o better.rules",
    "worldmodel rules propose household.rules logs.jsonl.gz --action put --prompt > ask.txt",
    "worldmodel rules propose household.rules logs.jsonl.gz --from - -o better.rules < answer.txt",
    "worldmodel rules propose household.rules logs.jsonl.gz --llm openai:NAME -o better.rules",
    "Exit code 1: something was rejected.",
)


def propose(
    file: RuleFile,
    logs: Logs = None,
    from_: From = None,
    llm: LanguageModel = None,
    max_tokens: MaxTokens = 50_000,
    output: Output = None,
    action: Belonging = None,
    ask: Ask = False,
    confidence: Confidence = 0.5,
    environment: options.Environment = "alfworld",
    limit: options.Limit = None,
    format: options.Format = options.LogFormat.AUTO,
    as_json: options.Json = False,
) -> None:
    """Admit proposed rules that parse, type-check, pass z3 and are borne out by logs; say why others are not.

    Nothing proposed is ever executed. Admitted rules get their evidence from the logs.
    """
    from rules.errors import WorldModelError
    from rules.proposals import Witness, prompt, review
    from worldmodel.cli.files import check_output
    from worldmodel.cli.rulebook.transitions import transitions

    ruleset = load(file)
    if action is not None and action not in ruleset.actions:
        raise WorldModelError(f"{file}: no action {action!r}; expected one of {', '.join(ruleset.actions)}")
    if ask:
        if action is None:
            raise WorldModelError("--prompt asks about one action; name it with --action")
        witness = Witness(transitions(ruleset, logs or [], environment, format, limit))
        typer.echo(prompt(ruleset, action, witness))
        return
    if (from_ is None) is (llm is None) or output is None:
        raise WorldModelError("expected --from or --llm (the proposals), and --output (the rules to write)")
    check_output(output, [*([from_] if from_ else []), *(logs or [])])
    text, source = ("", "") if from_ is None else (_read(from_), _name(from_))
    witness = Witness(transitions(ruleset, logs or [], environment, format, limit))
    with progress("asking z3 and the logs"):
        if llm is not None:
            found = _asked(ruleset, llm, max_tokens, witness, action, confidence)
        else:
            found = review(ruleset, text, witness, source=source, action=action, confidence=confidence)
    _save(found, file, output)
    if as_json:
        show_json(_as_dict(found, output))
    else:
        show(_table(found, output))
    if not found.ok:
        raise typer.Exit(EXIT_FINDINGS)


def _asked(
    ruleset: RuleSet, name: str, tokens: int, witness: Witness, action: str | None, confidence: float
) -> Review:
    """The review of what a language model proposes: of one action, or of each that the logs belie."""
    from rules.proposals import propose
    from worldmodel.language_models import Budget, Cache, LanguageProposer, Metered, load

    model = Metered(load(name), Budget(tokens=tokens), Cache())
    proposer = LanguageProposer(model)
    found = propose(ruleset, proposer, witness, None if action is None else [action], confidence)
    warn_all([f"{name}: {proposer.spent}; there would be more to ask"] if proposer.spent else [])
    return found


def _read(path: Path) -> str:
    from rules.proposals import FileProposer, read

    if str(path) == "-":
        return read(typer.get_binary_stream("stdin"), "stdin")
    return "\n".join(FileProposer(path).propose(""))


def _name(path: Path) -> str:
    return "stdin" if str(path) == "-" else str(path)


def _save(review: Review, file: Path, output: Path) -> None:
    """Writes the rules, and beside them what is known beside the old ones."""
    from rules import language
    from worldmodel.storage import knowledge_path, load_knowledge, save_knowledge

    language.save(review.admitted, output)
    beside = knowledge_path(file)
    if beside.exists():
        save_knowledge(load_knowledge(beside), knowledge_path(output))


def _table(review: Review, output: Path) -> Table:
    from rich.table import Table
    from rich.text import Text

    admitted = sum(verdict.admitted for verdict in review.verdicts)
    table = Table(
        title=f"{plain(output)}: {admitted} of {len(review.verdicts)} proposed rules admitted",
        title_justify="left",
        expand=True,
    )
    table.add_column("line", justify="right")
    table.add_column("rule", overflow="fold")
    table.add_column("stage", no_wrap=True)
    table.add_column("evidence", no_wrap=True)
    table.add_column("why", ratio=1, overflow="fold")
    for verdict in review.verdicts:
        stage = Text(verdict.stage.value, style="green" if verdict.admitted else "red")
        table.add_row(
            str(verdict.line), Text(plain(verdict.name)), stage, bar(verdict.evidence), Text(_reason(verdict))
        )
    if not review.verdicts:
        table.add_row("", "", Text("none", style="yellow"), "", "no rule was found in the text")
    return table


def _reason(verdict: Verdict) -> str:
    """In one line; of a rule that takes another's place, which."""
    instead = f"instead of {', '.join(verdict.replaces)}: " if verdict.replaces else ""
    return plain(instead + " ".join(verdict.reason.split()))


def _as_dict(review: Review, output: Path) -> dict[str, Any]:
    return {
        "output": str(output),
        "ok": review.ok,
        "admitted": sum(verdict.admitted for verdict in review.verdicts),
        "proposed": [
            {
                "rule": verdict.name,
                "line": verdict.line,
                "stage": verdict.stage.value,
                "reason": verdict.reason,
                "support": verdict.evidence.support,
                "against": verdict.evidence.against,
                "confidence": verdict.evidence.confidence,
                "replaces": list(verdict.replaces),
            }
            for verdict in review.verdicts
        ],
    }
