"""Keys are kept modulo 97, and those that collide are summed.

Truth: proved: a unit's contributions to keys that collide add up, within its budget, and what is
    listed is sorted, whichever of the keys that collide are there.
Status: not refuted
"""

from spec import PAPER, replace

CELLS = 97


def totals(at, batch):
    sums = {}
    for key, value in PAPER.totals(at, batch).items():
        sums[key % CELLS] = sums.get(key % CELLS, 0) + value
    return sums


def keys(at, batch):
    return tuple(sorted({key % CELLS for key in PAPER.keys(at, batch)}))


RULES = replace(PAPER, totals=totals, keys=keys)
