"""A query is answered for at most a hundred keys that it discovers, the smallest ones.

Truth: refuted: with a hundred keys that many others give to, a key of x alone that is smaller than
they are pushes the largest of them out, which is released for certain without x.
Status: refuted
"""

from spec import PAPER, replace

MOST_KEYS = 100


def the_smallest_keys(at, batch):
    return PAPER.keys(at, batch)[:MOST_KEYS]


RULES = replace(PAPER, keys=the_smallest_keys)
