"""Discovered keys are listed by how many reports hold them.

Truth: refuted: where as many reports of others hold either of two keys, that of x decides which of
    them comes first, and both are released.
Status: refuted
"""

from collections import Counter

from spec import PAPER, replace


def keys(at, batch):
    found = PAPER.keys(at, batch)
    if not at.query.discovers_keys:
        return found
    held = Counter(part.key for report in batch for part in report.contributions)
    return tuple(sorted(found, key=lambda key: -held[key]))


RULES = replace(PAPER, keys=keys)
