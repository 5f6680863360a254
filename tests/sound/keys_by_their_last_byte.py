"""Keys are answered in the order of their last byte.

Truth: proved: where a key stands depends on the keys that are released and on nothing else.
Status: proved
"""

from spec import PAPER, replace


def keys(at, batch):
    return tuple(sorted(PAPER.keys(at, batch), key=lambda key: key % 256))


RULES = replace(PAPER, keys=keys)
