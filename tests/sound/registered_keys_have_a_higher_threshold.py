"""Keys in a public registry are released only if they exceed the threshold by the budget.

Truth: proved: fewer noisy sums are released, and which ones follows from the key and the noisy sum.
Status: proved
"""

from spec import PAPER, replace

REGISTRY = frozenset({0xCAFE, 0xF00D, 0xBEAD})


def releases(at, key, noisy, threshold):
    if key in REGISTRY and threshold is not None:
        threshold += at.limits.contribution_budget
    return PAPER.releases(at, key, noisy, threshold)


RULES = replace(PAPER, releases=releases)
