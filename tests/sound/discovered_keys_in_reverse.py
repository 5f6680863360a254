"""Discovered keys are listed from the largest to the smallest.

Truth: proved: the order of two keys is that of their numbers, whoever holds them.
Status: not refuted
"""

from spec import PAPER, replace


def keys(at, batch):
    found = PAPER.keys(at, batch)
    return tuple(sorted(found, reverse=True)) if at.query.discovers_keys else found


RULES = replace(PAPER, keys=keys)
