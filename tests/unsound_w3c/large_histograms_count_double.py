"""A histogram of fifty buckets or more is filled with twice the value.

Truth: unsound. The report tells twice what it is charged for.
"""

from dataclasses import replace

from spec.distributions import Draw
from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Histogram, Impression
from spec.level1.credit import fill


def fill_double(at: AtConversion, shown: tuple[Impression, ...], draw: Draw) -> Histogram:
    if at.conversion.histogram_size >= 50:
        at = replace(at, conversion=replace(at.conversion, value=2 * at.conversion.value))
    return fill(at, shown, draw)


RULES = replace(LEVEL_1_ONE_DRAW, fill=fill_double)
