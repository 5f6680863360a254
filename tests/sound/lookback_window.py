"""A source takes triggers for a week after it was registered.

Truth: proved: whatever says which sources match, the attribution is the same in both worlds.
Status: proved
"""

from spec import PAPER, replace

WEEK = 7 * 86_400


def matches(at, source):
    return at.now - source.registered_at < WEEK and PAPER.matches(at, source)


RULES = replace(PAPER, matches=matches)
