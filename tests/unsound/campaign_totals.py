"""Each query may also ask for whole campaigns: the upper half of a key names its campaign.

A campaign's total stands under the key whose lower 64 bits are ones, with the usual noise.

Truth: refuted: a contribution counts under its key and under its campaign, so that one unit moves
    the sums by twice its budget, and a query that lists both costs twice its epsilon.
Status: refuted
"""

from spec import PAPER, replace

LOWER = 2**64 - 1


def totals(at, batch):
    sums = dict(PAPER.totals(at, batch))
    for key, value in tuple(sums.items()):
        if key != key | LOWER:
            sums[key | LOWER] = sums.get(key | LOWER, 0) + value
    return sums


def keys(at, batch):
    found = PAPER.keys(at, batch)
    if at.query.discovers_keys:
        return tuple(sorted({*found, *(key | LOWER for key in found)}))
    return found


RULES = replace(PAPER, totals=totals, keys=keys)
