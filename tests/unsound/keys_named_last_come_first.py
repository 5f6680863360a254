"""Discovered keys are listed by the last report that holds them, the newest first.

Truth: refuted: the report of x comes last, and puts its key before another one that others hold.
Status: refuted
"""

from spec import PAPER, replace


def keys(at, batch):
    if not at.query.discovers_keys:
        return PAPER.keys(at, batch)
    held = [part.key for report in batch for part in report.contributions]
    return tuple(dict.fromkeys(reversed(held)))


RULES = replace(PAPER, keys=keys)
