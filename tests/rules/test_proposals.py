"""Proposed rules: each stage of the gate lets the right ones through, and says why the others stay out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rules import verification
from rules.errors import WorldModelError
from rules.induction import Statistics, induce
from rules.induction.pruning import prune
from rules.language import parse, render, render_rule
from rules.pddl import read_domain, read_trace
from rules.proposals import (
    MAX_CHARACTERS,
    MAX_PROPOSALS,
    FileProposer,
    Review,
    Stage,
    Witness,
    fragments,
    prompt,
    propose,
    review,
)
from rules.ruleset import Evidence, Rule, RuleSet
from rules.verification import Kind
from tests.rules.blocks import DOMAIN, transitions

RIGHT = """\
action pick(?b: block)
  rule p
    when clear(?b), table(?b), no holding(*)
    then holding(?b), not clear(?b), not table(?b)
"""
BARE = replace(
    DOMAIN,
    invariants=parse(f"{render(DOMAIN)} invariant holding(?a) and holding(?b) implies ?a = ?b").invariants,
)


@pytest.fixture(scope="module")
def witness() -> Witness:
    return Witness(transitions(seed=3, episodes=12))


@pytest.fixture(scope="module")
def learned() -> RuleSet:
    statistics = Statistics(DOMAIN)
    statistics.update(transitions(seed=3, episodes=12))
    return prune(induce(statistics))


def one(found: Review) -> tuple[Stage, str]:
    (verdict,) = found.verdicts
    return verdict.stage, verdict.reason


def test_a_right_rule_is_admitted_with_its_evidence(witness: Witness) -> None:
    found = review(BARE, RIGHT, witness)
    (verdict,) = found.verdicts
    picks = sum(t.succeeded for t in witness.transitions("pick"))
    assert verdict.stage is Stage.ADMITTED and found.ok
    assert verdict.evidence == Evidence(picks, 0)
    (rule,) = found.admitted.actions["pick"].rules
    assert rule.evidence == Evidence(picks, 0)
    assert parse(render(found.admitted)) == found.admitted
    assert BARE.actions["pick"].rules == ()  # the set that was given stays as it was


def test_what_induction_learns_passes_the_gate_with_the_same_evidence(
    witness: Witness, learned: RuleSet
) -> None:
    empty = replace(learned, actions={n: replace(a, rules=()) for n, a in learned.actions.items()})
    found = review(empty, render(learned), witness)
    assert found.ok and len(found.verdicts) >= 4
    assert found.admitted == learned


@pytest.mark.parametrize(
    ("rule", "stage", "reason"),
    [
        ("when clear(?b", Stage.PARSE, "rules.txt:4:"),
        ("when __import__('os').system('id')", Stage.PARSE, "means nothing here"),
        ("when cleer(?b)", Stage.TYPES, "unknown predicate `cleer`; did you mean `clear`?"),
        ("when clear(?c) or table(?c)", Stage.TYPES, "`?c` is not bound"),
        ("when on(?b)", Stage.TYPES, "`on` with 1 argument; expected 2, as it is declared"),
        ("when clear(?b), not clear(?b)", Stage.LOGIC, "pick.p can never apply (from: "),
        ("when clear(?b) then clear(?b)", Stage.LOGIC, "the effects of pick.p change nothing"),
        ("when clear(?b) then holding(?b)", Stage.LOGIC, "pick.p breaks the invariant 'holding(?a) and"),
        ("when clear(?b), holding(?b) then table(?b)", Stage.LOGS, "0 logged transitions for it"),
        ("when no holding(*), not table(?b) then holding(?b)", Stage.LOGS, "against it: confidence 0."),
        (
            "when clear(?b), table(?b), no holding(*) then holding(?b)",
            Stage.LOGS,
            "it foretells no logged success in full",
        ),
    ],
)
def test_each_stage_says_why(witness: Witness, rule: str, stage: Stage, reason: str) -> None:
    found = review(BARE, f"# mine\n\naction pick\nrule p {rule}", witness, source="rules.txt")
    assert one(found)[0] is stage
    assert reason in one(found)[1]
    assert found.admitted == BARE and not found.ok
    assert found.verdicts[0].line == 4


def test_a_rule_needs_an_action_that_there_is(witness: Witness) -> None:
    bare = "rule p when clear(?b) then holding(?b)"
    assert one(review(BARE, bare, witness)) == (
        Stage.TYPES,
        "no action above it; expected `action` and one of pick, put, stack, unstack",
    )
    assert one(review(BARE, f"action fly {bare}", witness))[1].startswith("unknown action 'fly'")
    changed = review(BARE, f"action pick(?x: block) {bare}", witness)
    assert one(changed) == (Stage.TYPES, "parameters (?x: block) of pick; expected (?b: block)")
    assert review(BARE, RIGHT.split("\n", 1)[1], witness, action="pick").ok
    assert review(BARE, RIGHT.replace(": block", ""), witness).ok


def test_without_logs_nothing_speaks_for_a_rule() -> None:
    found = review(BARE, RIGHT)
    assert one(found) == (Stage.LOGS, "no logged transition of pick: nothing speaks for it")


def test_a_rule_twice_is_admitted_once(witness: Witness) -> None:
    found = review(BARE, RIGHT + RIGHT, witness)
    first, second = found.verdicts
    assert (first.stage, second.stage) == (Stage.ADMITTED, Stage.LOGIC)
    assert second.reason.startswith("would take the place of pick.p, and foretells the logs no better")
    assert second.name == "pick.pick_1"  # a name of its own


def test_a_better_rule_takes_the_place_of_one_that_covers_it(witness: Witness) -> None:
    broad = RIGHT.replace(", no holding(*)", "").replace("rule p", "rule broad")
    wrong = parse(render(DOMAIN).replace("action pick(?b: block)\n", broad))
    found = review(wrong, RIGHT, witness)
    (verdict,) = found.verdicts
    assert verdict.stage is Stage.ADMITTED
    assert verdict.replaces == ("pick.broad",)
    assert [rule.name for rule in found.admitted.actions["pick"].rules] == ["p"]
    worse = review(found.admitted, broad, witness)
    assert one(worse)[0] in (Stage.LOGIC, Stage.LOGS)
    assert worse.admitted == found.admitted


def test_a_contradiction_is_settled_by_evidence(witness: Witness) -> None:
    sound = review(DOMAIN, RIGHT, witness).admitted
    opposite = "action pick rule q when clear(?b), table(?b) then clear(?b), not holding(?b)"
    stage, reason = one(review(sound, opposite, witness))
    assert stage is Stage.LOGIC
    assert reason.startswith("contradicts pick.p, which has ") and "both can apply" in reason
    head = "action pick(?b: block)\n"
    unsound = parse(render(DOMAIN).replace(head, head + opposite.removeprefix("action pick")))
    found = review(unsound, RIGHT, witness)
    assert found.verdicts[0].replaces == ("pick.q",)
    assert [rule.name for rule in found.admitted.actions["pick"].rules] == ["p"]


def test_inconsistent_invariants_let_nothing_in(witness: Witness) -> None:
    both = "invariant true implies some clear(*) invariant true implies no clear(*)"
    broken = parse(render(DOMAIN) + both)
    stage, reason = one(review(broken, RIGHT, witness))
    assert stage is Stage.LOGIC and "anything would follow" in reason


def test_an_open_question_is_no_success(witness: Witness) -> None:
    stage, reason = one(review(BARE, RIGHT, witness, rlimit=1))
    assert stage is Stage.LOGIC and "cannot tell" in reason


def test_what_is_admitted_passes_every_check(witness: Witness, learned: RuleSet) -> None:
    found = review(BARE, render(learned), witness)
    kinds = {f.kind for f in verification.check(found.admitted).findings if f.severity.value == "error"}
    assert kinds == set()
    assert Kind.REDUNDANT_RULE not in kinds


ANSWER = f"""\
The rule for this action should say that the hand is empty, since type of block and action do not matter:

```text
{RIGHT}```
A second rule, "rule" being what you asked for:
~~~
rule q  # action in a comment is no action, nor is "rule
  when holding(?b) then table(?b) says "no rule here"
~~~
I hope that helps!
"""


def test_an_answer_in_prose_is_read_by_its_code_blocks(witness: Witness) -> None:
    first, second = fragments(ANSWER)
    assert first.text.strip().startswith("rule p") and first.above == 4
    assert first.head.strip() == second.head.strip() == "action pick(?b: block)"
    assert second.text.strip().endswith('says "no rule here"') and second.above == 10
    assert [v.line for v in review(BARE, ANSWER, witness).verdicts] == [5, 11]


def test_prose_above_rules_is_passed_over() -> None:
    (fragment,) = fragments("Here is the rule that this action wants:\n\n" + RIGHT + "\n\ntype x: rule_x")
    assert fragment.text.strip().startswith("rule p") and "type x" not in fragment.text
    assert fragments("I have no idea, sorry. No rule comes to mind for this action.") == []
    assert fragments("") == []


def test_a_condition_on_types_is_no_declaration() -> None:
    (fragment,) = fragments("action a rule r when fits(type of ?x, type  of ?y) then p(?x)")
    assert fragment.text.strip().endswith("then p(?x)")


def test_too_much_is_an_error() -> None:
    with pytest.raises(WorldModelError, match=f"{MAX_PROPOSALS} at most"):
        fragments("action a " + "rule r " * (MAX_PROPOSALS + 1))
    with pytest.raises(WorldModelError, match=f"expected {MAX_CHARACTERS} at most"):
        fragments("#" * (MAX_CHARACTERS + 1))


class Oracle:
    """Knows the rules, and answers with those of the action that a prompt asks about."""

    def __init__(self, known: RuleSet) -> None:
        self.known, self.asked = known, list[str]()

    def propose(self, prompt: str) -> Iterable[str]:
        name = next(n for n in self.known.actions if f"The rules of {n} as they are" in prompt)
        self.asked.append(name)
        rules = "\n".join(render_rule(r, self.known) for r in self.known.actions[name].rules)
        yield "I would not know."
        yield f"Of course:\n```\n{rules}\n```"


def test_a_proposer_is_asked_about_what_goes_wrong(witness: Witness, learned: RuleSet) -> None:
    known = replace(learned, actions={**learned.actions, "put": replace(learned.actions["put"], rules=())})
    oracle = Oracle(learned)
    found = propose(known, oracle, witness)
    assert oracle.asked == ["put"]
    assert found.ok and found.admitted == learned
    with pytest.raises(WorldModelError, match="unknown action 'fly'; expected one of pick"):
        propose(known, oracle, witness, ["fly"])


def test_the_prompt_shows_rules_and_mistakes(witness: Witness) -> None:
    text = prompt(BARE, "pick", witness)
    assert "predicate on(block, block)" in text
    assert "invariant holding(?a) and holding(?b) implies ?a = ?b" in text
    assert "The rules of pick as they are:\n\n    action pick(?b: block)" in text
    assert "rules say cannot tell\n  happened  succeeded: holding(block " in text
    sound = review(BARE, RIGHT, witness).admitted
    assert "They foretell every logged transition rightly." in prompt(sound, "pick", witness)


def test_a_file_proposes_what_stands_in_it(tmp_path: Path, witness: Witness) -> None:
    path = tmp_path / "mine.rules"
    path.write_text("\ufeff" + RIGHT, encoding="utf-8")
    assert propose(BARE, FileProposer(path), witness, ["pick"]).ok
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(WorldModelError, match="not UTF-8"):
        list(FileProposer(path).propose(""))
    path.write_bytes(b"#" * (MAX_CHARACTERS + 1))
    with pytest.raises(WorldModelError, match="expected a few rules"):
        list(FileProposer(path).propose(""))
    with pytest.raises(WorldModelError, match="cannot read proposals"):
        list(FileProposer(tmp_path / "none").propose(""))


@pytest.mark.parametrize("domain", ["tpp", "rovers", "miconic", "sokoban"])
def test_true_rules_pass_and_damaged_ones_do_not(amlgym: Path, domain: str) -> None:
    """AMLGym's domains: what their authors wrote is admitted, no seeded fault is admitted beside it."""
    pytest.importorskip("unified_planning", reason="the extra pddl is not installed")
    truth = read_domain(amlgym / f"domains/{domain}.pddl", rules=True)
    traces = sorted((amlgym / "trajectories").glob(f"learning/{domain}/*traj*"))
    logged = Witness(t for path in traces for t in read_trace(path, truth))
    bare = replace(truth, actions={n: replace(a, rules=()) for n, a in truth.actions.items()})
    found = review(bare, render(truth), logged)
    assert found.ok and found.verdicts
    for name, schema in truth.actions.items():
        for rule in schema.rules:
            text = "\n".join(render_rule(fault, truth) for fault in damaged(rule))
            beside = review(found.admitted, text, logged, action=name)
            assert [v.name for v in beside.verdicts if v.admitted] == []
            assert len(beside.verdicts) > 1


def damaged(rule: Rule) -> Iterator[Rule]:
    """The rule with one thing dropped, and with one condition denied."""
    for i, clause in enumerate(rule.when):
        yield replace(rule, when=rule.when[:i] + rule.when[i + 1 :])
        if len(clause) == 1:
            yield replace(rule, when=(*rule.when[:i], (~clause[0],), *rule.when[i + 1 :]))
    for i in range(len(rule.adds)):
        yield replace(rule, adds=rule.adds[:i] + rule.adds[i + 1 :])
    for i in range(len(rule.deletes)):
        yield replace(rule, deletes=rule.deletes[:i] + rule.deletes[i + 1 :])
