"""Of the listed keys the ten with the largest sums are answered.

Truth: refuted: the choice is made by the true sums. If x lifts its key from the eleventh place to
    the tenth, the answer names it.
Status: refuted
"""

from spec import PAPER, replace


def keys(at, batch):
    totals, found = PAPER.totals(at, batch), PAPER.keys(at, batch)
    if at.query.discovers_keys:
        return found
    return tuple(sorted(found, key=lambda key: -totals.get(key, 0))[:10])


RULES = replace(PAPER, keys=keys)
