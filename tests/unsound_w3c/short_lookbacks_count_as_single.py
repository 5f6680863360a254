"""A conversion with a lookback of at most an epoch counts as one about a single epoch.

Truth: unsound. Such a lookback may reach into the epoch before, which pays for a histogram of the
current epoch that has nothing left.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion


def short_lookback(at: AtConversion) -> bool:
    return at.conversion.lookback <= at.limits.epoch


RULES = replace(LEVEL_1_ONE_DRAW, single_epoch=short_lookback)
