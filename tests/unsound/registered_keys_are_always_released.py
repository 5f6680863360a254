"""Keys in a public registry are released with key discovery, however small their sums are.

Truth: refuted: a registered key is answered if it is in the batch. If only x contributes to it, it
    is released with x and is not there without x.
Status: refuted
"""

from spec import PAPER, replace

REGISTRY = frozenset({0xCAFE, 0xF00D, 0xBEAD})


def releases(at, key, noisy, threshold):
    return key in REGISTRY or PAPER.releases(at, key, noisy, threshold)


RULES = replace(PAPER, releases=releases)
