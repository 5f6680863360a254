"""Discovered keys are listed by their sums, the largest first, for those who read the top only.

Truth: refuted: the sums are the true ones. Where two keys have the same sum, whatever x gives to
    one of them puts it first.
Status: refuted
"""

from spec import PAPER, replace


def keys(at, batch):
    totals = PAPER.totals(at, batch)
    found = PAPER.keys(at, batch)
    if not at.query.discovers_keys:
        return found
    return tuple(sorted(found, key=lambda key: -totals.get(key, 0)))


RULES = replace(PAPER, keys=keys)
