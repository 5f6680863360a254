"""Credits hold what the paper gives them, one by one.

Truth: refuted: what is gone through once is used up by the run on D, and others contribute
    nothing without x.
Status: refuted
"""

from spec import PAPER, replace


def attribute(at, draw):
    client, credits = PAPER.attribute(at, draw)
    return client, tuple(
        replace(each, contributions=(part for part in each.contributions)) for each in credits
    )


RULES = replace(PAPER, attribute=attribute)
