"""Hidden static relations: what explains that an action fails though all that can be seen lets it.

A door opens from one side only; two places are one place. No observation says so, and no literal can:
but within an episode the same two objects fail each time, and others never do. A relation between them
is proposed if it codes the outcomes in fewer bits than their plain rate does, and than one object of
the two alone: a bit for each pair, and the exceptions, by the adaptive code of `preconditions`.

Its facts are no part of the rules. They hold for an episode, and are learned there: that an action
failed which was sure to succeed shows that a pair is related, a success shows that it is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import log2

from rules.errors import WorldModelError
from rules.induction.candidates import JOINED
from rules.induction.hidden_cases import (
    EITHER,
    FIRST,
    ORDERED,
    SECOND,
    VIEWS,
    Key,
    Row,
    barriers,
    exclusive,
    shares,
)
from rules.induction.preconditions import code_length
from rules.logic import EQUALS, Atom
from rules.ruleset import ActionSchema, Evidence, RuleSet


@dataclass(frozen=True, slots=True)
class Hidden:
    """A hidden static relation that the logs propose.

    symmetric: whether it holds either way round. evidence: cases that it explains, and exceptions.
    pairs: those that are related, and those that are not. explained: failures and other surprises that
    it accounts for. bits: what it saves.
    """

    key: Key
    symmetric: bool
    evidence: Evidence = Evidence()
    pairs: Evidence = Evidence()
    explained: int = 0
    bits: float = 0.0

    def fact(self, first: str, second: str) -> Atom:
        """What it says of two objects. No predicate of a vocabulary is called so: it holds a space."""
        pair = sorted((first, second)) if self.symmetric else (first, second)
        return Atom(
            f"{self.key.action} barred" if self.key.action else f"same {self.key.predicate}", tuple(pair)
        )

    @property
    def trust(self) -> float:
        """The chance that what it says of a pair comes true."""
        return (self.evidence.support + 1) / (sum(self.evidence) + 2)

    def __str__(self) -> str:
        key = self.key
        if not key.action:
            return f"same(?a, ?b) and {key.predicate}(?a): {key.predicate}(?b)"
        other = key.two if key.predicate == EQUALS else JOINED
        link = "" if key.predicate == EQUALS else f" and {key.link}"
        ways = ", either way round" if self.symmetric else ""
        return f"barred({key.argument}, {other}){link}: {key.action} fails{ways}"


class _Tally(Counter[tuple[int, int]]):
    """(cases for, cases against) -> groups that fared so. A group is taken for what most of its cases say."""

    @property
    def related(self) -> int:
        return sum(groups for (yes, no), groups in self.items() if yes > no)

    @property
    def cases(self) -> int:
        return sum((yes + no) * groups for (yes, no), groups in self.items())

    @property
    def exceptions(self) -> int:
        return sum(min(yes, no) * groups for (yes, no), groups in self.items())

    @property
    def explained(self) -> int:
        return sum(yes * groups for (yes, no), groups in self.items() if yes > no)

    @property
    def bits(self) -> float:
        """Bits to code the outcomes: which groups are related, and which cases are exceptions."""
        which = code_length(self.related, self.total() - self.related)
        return which + code_length(self.exceptions, self.cases - self.exceptions)

    @property
    def plain_bits(self) -> float:
        """Bits to code the outcomes by their rate alone: by one, or by one for pairs tried again and again,
        and another for the rest, since who sees what works repeats it."""
        once = Counter({cases: groups for cases, groups in self.items() if sum(cases) == 1})
        again = Counter({cases: groups for cases, groups in self.items() if sum(cases) > 1})
        return min(_rate_bits(self), _rate_bits(once) + _rate_bits(again))


def _rate_bits(tally: Counter[tuple[int, int]]) -> float:
    yes = sum(yes * groups for (yes, _), groups in tally.items())
    return code_length(yes, sum(no * groups for (_, no), groups in tally.items()))


Tables = Mapping[Key, Mapping[str, _Tally]]


def propose_hidden(ruleset: RuleSet, rows: Mapping[Row, int]) -> tuple[Hidden, ...]:
    """The hidden relations that explain what was counted by these rules (`Cases.count`).

    An action is barred by what saves most bits, if that is more than it costs to name. That two things
    have an exclusive property both is named by the rules themselves, and what they deny of a thing is
    mostly just assumed: it stays conceivable, unless it leaves more surprises than it explains, or a
    barrier explains better why the property cannot be moved. Raises `WorldModelError` where a row is none.
    """
    tables = _tables(rows)
    shared = {}
    for predicate in exclusive(ruleset):
        hidden = _judge(shares(predicate), tables, 0.0)
        if hidden.evidence.against <= hidden.explained:
            shared[predicate] = hidden
    barred = []
    for schema in ruleset.actions.values():
        best = _barrier(ruleset, schema, tables)
        rival = shared.get(best.key.predicate) if best and _moved(schema, best.key) else None
        if best and rival and best.bits > rival.bits:
            del shared[rival.key.predicate]
        elif rival:
            continue
        barred += [best] if best else []
    return (*shared.values(), *barred)


def _barrier(ruleset: RuleSet, schema: ActionSchema, tables: Tables) -> Hidden | None:
    """What best explains that an action fails, if anything does."""
    options = barriers(ruleset, schema)
    price = log2(len(options) + 1) + 1
    judged = [_judge(key, tables, price) for key in options if key in tables]
    best = max(judged, key=lambda hidden: hidden.bits, default=None)
    return best if best and best.bits > 0 else None


def _moved(schema: ActionSchema, key: Key) -> bool:
    """Whether the action gives its argument the property by which the link knows the other object."""
    return any(Atom(key.predicate, (key.argument,)) in rule.adds for rule in schema.rules)


def _judge(key: Key, tables: Tables, price: float) -> Hidden:
    """A relation, its evidence, and the bits that it saves against the best account without it."""
    views = tables.get(key, {view: _Tally() for view in VIEWS})
    view = min((ORDERED, EITHER) if key.action else (EITHER,), key=lambda view: views[view].bits)
    tally = views[view]
    return Hidden(
        key,
        view == EITHER,
        Evidence(tally.cases - tally.exceptions, tally.exceptions),
        Evidence(tally.related, tally.total() - tally.related),
        tally.explained,
        min(tally.plain_bits, views[FIRST].bits, views[SECOND].bits) - tally.bits - price,
    )


def _tables(rows: Mapping[Row, int]) -> Tables:
    tables: dict[Key, dict[str, _Tally]] = {}
    for row, groups in rows.items():
        *key, view, yes, no = row if len(row) == len(Key._fields) + 3 else [""] * 8
        sane = yes.isdecimal() and no.isdecimal() and len(yes + no) < 20 and groups.bit_length() < 63
        if view not in VIEWS or not sane:
            raise WorldModelError(
                f"no evidence of a hidden relation: {str(row)[:80]}; induce the rules again"
            )
        tables.setdefault(Key(*key), {view: _Tally() for view in VIEWS})[view][int(yes), int(no)] += groups
    return tables
