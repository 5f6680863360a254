"""After a thousand queries a report is not charged any more, in a file with another name.

The file calls itself a part of the specification, so that its functions are taken for those of it.

Truth: refuted: from the thousand and first query on a report is answered for nothing.
Status: unknown
"""

from spec import PAPER, replace


def charge(at, spent, report):
    if type(spent.queries) is int and spent.queries > 1000:
        return spent
    return PAPER.charge(at, spent, report)


RULES = replace(PAPER, charge=charge)
__name__ = "spec.aggregation_service"
