"""Every limit of the rule language, in one place. What lies beyond one is a `RuleSyntaxError`.

They bound the time and memory that a text can cost, far above what a person or an inducer writes. What
a text within them can still cost is bounded where the work is done: joins by `rules.engine.MAX_BINDINGS`,
z3 by `rules.verification.solver.RLIMIT` for one question and `WORK` for all, what it is given by
`rules.verification.encoding.MAX_STEPS`, proposals by `rules.proposals.fragments`.
"""

from __future__ import annotations

MAX_CHARACTERS = 4 * 2**20
"""Of a text, and bytes of a file."""

MAX_TOKENS = 500_000
"""Words and signs of a text."""

MAX_NAME = 200
"""Characters of a name."""

MAX_DIGITS = 18
"""Of a count."""

MAX_TYPE_DEPTH = 100
"""Types above one another."""

MAX_ARITY = 8
"""Arguments of a predicate or relation: an atom with wildcards stands for up to two to the power of these."""

MAX_VARIABLES = 24
"""Of one rule with its parameters, or of one invariant: quantifiers nest as deep."""

MAX_LITERALS = 1000
"""Of one rule's condition or one invariant, and effects of one rule."""

MAX_RULES = 500
"""Of one action: they are compared in pairs."""

MAX_ACTIONS = MAX_TYPES = MAX_CONSTANTS = 5000
"""Of a rule set."""

MAX_INVARIANTS = 500
"""Of a rule set: each is compared with the others, and with every rule."""
