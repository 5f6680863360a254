"""Keys are kept modulo 97, those that collide are summed, and they are listed by their first key.

Truth: refuted: others hold the keys 99 and 195, which are answered for as 2 and 1. If x holds
    key 1, which collides with 195, the answer lists 1 before 2.
Status: refuted
"""

from spec import PAPER, replace

CELLS = 97


def totals(at, batch):
    sums = {}
    for key, value in PAPER.totals(at, batch).items():
        sums[key % CELLS] = sums.get(key % CELLS, 0) + value
    return sums


def keys(at, batch):
    return tuple(dict.fromkeys(key % CELLS for key in PAPER.keys(at, batch)))


RULES = replace(PAPER, totals=totals, keys=keys)
