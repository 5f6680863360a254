"""A trigger goes to the oldest source that matches it and can still contribute.

Truth: proved: the order of attempts leaves the attribution the same in both worlds.
Status: proved
"""

from spec import PAPER, replace


def attempt_order(at, matching):
    return matching[::-1]


RULES = replace(PAPER, attempt_order=attempt_order)
