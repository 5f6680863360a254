"""A trigger goes to a random one of the sources that match it.

Truth: proved: attribution is drawn once, apart from all noise, and is the same in both worlds.
Status: proved
"""

from spec import PAPER, Distribution, replace


def attempt_order(at, matching):
    if len(matching) < 2:
        return matching
    return Distribution.uniform(
        tuple((first, *(each for each in matching if each is not first)) for first in matching)
    )


RULES = replace(PAPER, attempt_order=attempt_order)
