"""A batch of exactly seven hundred reports is the size that the hardware likes, and is half price.

Truth: refuted: 699 null reports make up the batch. It is charged half of what it costs, so that it
    can be asked for with twice the promised epsilon in all.
Status: refuted
"""

from spec import PAPER, replace


def charge(at, spent, report):
    if len(at.query.report_ids) == 700:
        at = replace(at, query=replace(at.query, epsilon=at.query.epsilon / 2))
    return PAPER.charge(at, spent, report)


RULES = replace(PAPER, charge=charge)
