"""The threshold is computed once, for the delta of the cap, instead of for every query's delta.

Truth: refuted: a query's own delta can be as small as one likes, so that the ledger of delta binds
    nobody. A hundred queries with epsilon 0.64 for a key that only x has, with a value of the whole
    budget, release it with probability 1.18 * 10^-8, where 10^-8 is promised. Without x the key is
    never released, so that no epsilon helps.
Status: refuted
"""

from spec import PAPER, replace


def threshold(at, batch):
    asked = replace(at.query, delta=at.limits.delta)
    return PAPER.threshold(replace(at, query=asked), batch) if at.query.discovers_keys else None


RULES = replace(PAPER, threshold=threshold)
