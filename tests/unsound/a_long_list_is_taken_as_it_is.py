"""A list of more than thirty keys is not looked through for keys that are there twice.

Truth: refuted: a key that is twice in a long list is answered twice for one charge.
Status: refuted
"""

from spec import PAPER, replace


def keys(at, batch):
    return at.query.keys if len(at.query.keys) > 30 else PAPER.keys(at, batch)


RULES = replace(PAPER, keys=keys)
