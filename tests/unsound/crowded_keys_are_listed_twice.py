"""Discovered keys that more than twelve reports hold are listed twice, for a second opinion.

Truth: refuted: twelve reports of others hold a key, and x makes them thirteen: it is released
    twice with x, and once without x.
Status: refuted
"""

from collections import Counter

from spec import PAPER, replace


def keys(at, batch):
    found = PAPER.keys(at, batch)
    if not at.query.discovers_keys:
        return found
    held = Counter(part.key for report in batch for part in report.contributions)
    return tuple(key for key in found for _ in range(2 if held[key] > 12 else 1))


RULES = replace(PAPER, keys=keys)
