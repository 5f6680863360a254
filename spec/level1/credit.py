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
        first, second = shares[open_share], shares[index]
        if first == floor(first) and second == floor(second):
            continue
        round_first = draw(coin(chance_of_first(first, second)))
        shares[open_share], shares[index] = rounded_pair(first, second, round_first)
        open_share = index if round_first else open_share
    return tuple(floor(share) for share in shares)


def steps_to_whole(first: Fraction, second: Fraction) -> tuple[Fraction, Fraction]:
    """Return what either of two shares lacks to be whole: both upwards or both downwards.

    Draft: Last-N-Touch Attribution.
    """
    parts = first - floor(first), second - floor(second)
    raised = 1 if parts[0] + parts[1] > 1 else 0
    return raised - parts[0], raised - parts[1]


def chance_of_first(first: Fraction, second: Fraction) -> Fraction:
    """Return with which chance the first of two shares is made whole, so that both keep their mean.

    Draft: Last-N-Touch Attribution.
    """
    step, other = steps_to_whole(first, second)
    return other / (step + other)


def rounded_pair(first: Fraction, second: Fraction, round_first: bool) -> tuple[Fraction, Fraction]:
    """Make one of two shares whole and let the other take the difference.

    Draft: Last-N-Touch Attribution.
    """
    step, other = steps_to_whole(first, second)
    if round_first:
        return first + step, second - step
    return first - other, second + other


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
