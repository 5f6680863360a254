r"""Credit: which impressions share a conversion's value, and in which whole numbers.

Paper: none (the draft Attribution Level 1).
"""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

from spec.distributions import coin

if TYPE_CHECKING:
    from spec.distributions import Draw
    from spec.level1.impressions import Impression
    from spec.level1.rules import AtConversion, Histogram


def allocate(credit: tuple[Fraction, ...], value: int, draw: Draw) -> tuple[int, ...]:
    r"""Round $v c_i / \sum c$ to whole numbers that sum to $v$: unbiased, each off by less than 1.

    Of the two shares that are not whole yet, one is rounded and the other takes the difference; a
    coin says which, so that both keep their mean.

    Draft: Last-N-Touch Attribution.
    """
    shares = [value * part / sum(credit) for part in credit]
    open_share = 0
    for index in range(1, len(shares)):
        first, second = _fraction(shares[open_share]), _fraction(shares[index])
        if first == 0 and second == 0:
            continue
        raised = first + second > 1
        step_first = 1 - first if raised else -first
        step_second = 1 - second if raised else -second
        if draw(coin(step_second / (step_first + step_second))):
            step, rounded, open_share = step_first, open_share, index
        else:
            step, rounded = step_second, index
        shares[rounded] += step
        shares[open_share] -= step
    return tuple(floor(share) for share in shares)


def _fraction(share: Fraction) -> Fraction:
    return share - floor(share)


def by_priority(impressions: tuple[Impression, ...]) -> tuple[Impression, ...]:
    """Sort by priority, then by time, the highest and the latest first.

    Draft: Last-N-Touch Attribution.
    """
    return tuple(sorted(impressions, key=lambda each: (-each.priority, -each.timestamp)))


def fill(at: AtConversion, impressions: tuple[Impression, ...], draw: Draw) -> Histogram:
    """Share the value among as many of the last impressions as there are parts of credit.

    The credit of an index beyond the histogram is lost.

    Draft: Last-N-Touch Attribution.
    """
    wanted = at.conversion
    credited = by_priority(impressions)[: len(wanted.credit)]
    shares = at.rules.allocate(wanted.credit[: len(credited)], wanted.value, draw)
    histogram = [0] * wanted.histogram_size
    for impression, share in zip(credited, shares, strict=True):
        if impression.histogram_index < wanted.histogram_size:
            histogram[impression.histogram_index] += share
    return tuple(histogram)
