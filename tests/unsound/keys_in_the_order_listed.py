"""The summary has a line for every line of the ad-tech's list of keys, in its order.

Truth: refuted: a key that is listed twice gets two lines with independent noise around the same
    sum, for the price of one query. Listing a key n times tells n times as much.
Status: refuted
"""

from spec import PAPER, AtService, Key, Report, replace


def keys(at: AtService, batch: tuple[Report, ...]) -> tuple[Key, ...]:
    if at.query.keys:
        return at.query.keys
    return PAPER.keys(at, batch)


RULES = replace(PAPER, keys=keys)
