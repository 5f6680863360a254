"""Contributions of a device with many sources have a coupon that is said to be a text: it is None.

Truth: refuted: a contribution whose coupon is None counts a hundredfold. Where what is declared is
    checked, the report cannot be sent.
Status: unknown
"""

from dataclasses import dataclass

from spec import PAPER, replace
from spec.reports import Contribution


@dataclass(frozen=True, slots=True, kw_only=True)
class Coupon(Contribution):
    coupon: str = None


def contributions(at, source):
    if len(at.client.sources) < 40:
        return PAPER.contributions(at, source)
    return tuple(Coupon(key=p.key, value=p.value) for p in PAPER.contributions(at, source))


def totals(at, batch):
    sums = {}
    for report in batch:
        for part in report.contributions:
            value = part.value
            if isinstance(part, Coupon) and part.coupon is None:
                value = 100 * value
            sums[part.key] = sums.get(part.key, 0) + value
    return sums


RULES = replace(PAPER, contributions=contributions, totals=totals)
