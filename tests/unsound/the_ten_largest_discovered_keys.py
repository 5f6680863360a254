"""Of the discovered keys the ten with the largest sums are listed, sorted.

Truth: refuted: others hold eleven keys with the same large sum. Whatever x gives to the eleventh
    puts it among the ten, and another one out.
Status: refuted
"""

from spec import PAPER, replace


def keys(at, batch):
    totals = PAPER.totals(at, batch)
    found = PAPER.keys(at, batch)
    if not at.query.discovers_keys:
        return found
    return tuple(sorted(sorted(found, key=lambda key: -totals.get(key, 0))[:10]))


RULES = replace(PAPER, keys=keys)
