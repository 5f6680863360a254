"""The queries of a report are counted in a signed number of sixteen bits.

A report whose number is below zero is taken for one that is exempt.

Truth: refuted: after 32768 queries the number is -32768, and all queries from then on are free.
Status: unknown
"""

from spec import PAPER, replace


def charge(at, spent, report):
    if spent.queries < 0:
        return spent
    after = PAPER.charge(at, spent, report)
    if after is None:
        return None
    return replace(after, queries=(after.queries + 2**15) % 2**16 - 2**15)


RULES = replace(PAPER, charge=charge)
