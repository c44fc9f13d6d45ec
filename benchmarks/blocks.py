"""The world of blocks (after Winograd 1972) that several benchmarks and tests walk in."""

BLOCKS = """
domain blocks
type block
predicate on(block, block)
predicate table(block)
predicate clear(block)
predicate holding(block)
action pick(?b: block)
  rule r
    when clear(?b), table(?b), no holding(*)
    then holding(?b), not clear(?b), not table(?b)
action put(?b: block)
  rule r
    when holding(?b)
    then clear(?b), table(?b), not holding(?b)
action stack(?b: block, ?under: block)
  rule r
    when holding(?b), clear(?under)
    then on(?b, ?under), clear(?b), not holding(?b), not clear(?under)
action unstack(?b: block, ?under: block)
  rule r
    when on(?b, ?under), clear(?b), no holding(*)
    then holding(?b), clear(?under), not on(?b, ?under), not clear(?b)
"""
