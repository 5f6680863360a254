"""Discovered keys are listed by their lower sixteen bits, which say what is measured.

Truth: proved: the order is a public function of the keys that are released.
Status: not refuted
"""

from spec import PAPER, replace


def keys(at, batch):
    found = PAPER.keys(at, batch)
    return tuple(sorted(found, key=lambda key: (key & 0xFFFF, key)))


RULES = replace(PAPER, keys=keys)
