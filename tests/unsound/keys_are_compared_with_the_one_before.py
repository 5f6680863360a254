"""A key that is listed twice in a row is answered once.

Truth: refuted: a key that is listed on both sides of another one is answered twice for one charge.
Status: refuted
"""

from spec import PAPER, replace


def keys(at, batch):
    listed = at.query.keys
    if not listed:
        return PAPER.keys(at, batch)
    return tuple(key for place, key in enumerate(listed) if not place or listed[place - 1] != key)


RULES = replace(PAPER, keys=keys)
