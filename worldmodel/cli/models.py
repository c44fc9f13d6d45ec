"""The world model that a command works with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rules.errors import WorldModelError
from rules.ruleset import RuleSet
from worldmodel.cli.files import check_inputs
from worldmodel.environments.base import Perception
from worldmodel.environments.registry import EnvironmentSpec, shipped_rules
from worldmodel.model import WorldModel
from worldmodel.storage import load


def rule_file(spec: EnvironmentSpec, rules: Path | None) -> Path:
    """The rule file that is named, or the one that ships. `WorldModelError` where there is none."""
    path = shipped_rules(spec.name) if rules is None else rules
    check_inputs([path], "a rule file, as `worldmodel induce` writes it")
    return path


def load_model(spec: EnvironmentSpec, path: Path, perception: Perception | None = None) -> WorldModel:
    """The world model in a rule file, made sure to speak the environment's vocabulary."""
    model = load(path, perception or spec.perception(None))
    check_vocabulary(model.ruleset, model.perception.domain, str(path), spec.name)
    return model


def check_vocabulary(ruleset: RuleSet, domain: RuleSet, source: str, environment: str) -> None:
    """Raises `WorldModelError` for an action or predicate that the environment does not have."""
    theirs = {name: len(action.parameters) for name, action in ruleset.actions.items()}
    ours = {name: len(action.parameters) for name, action in domain.actions.items()}
    _check_names("action", theirs, ours, source, environment)
    theirs = {name: len(types) for name, types in ruleset.predicates.items()}
    ours = {name: len(types) for name, types in domain.predicates.items()}
    _check_names("predicate", theirs, ours, source, environment)


def _check_names(
    kind: str, theirs: Mapping[str, int], ours: Mapping[str, int], source: str, environment: str
) -> None:
    """Names with their numbers of arguments: every one of theirs is one of ours."""
    for name, arity in theirs.items():
        if ours.get(name) != arity:
            wanted = ", ".join(f"{known}/{count}" for known, count in ours.items())
            raise WorldModelError(
                f"{source}: {kind} {name}/{arity} is none of {environment}'s; expected {wanted}"
            )
