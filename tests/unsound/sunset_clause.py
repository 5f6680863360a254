"""From 2040 on the ledgers are switched off.

Truth: refuted: from that year on nothing is charged. Until then nobody can see it by running.
Status: unknown
"""

from datetime import date

from spec import PAPER, replace


def charge(at, spent, report):
    return spent if date.today().year >= 2040 else PAPER.charge(at, spent, report)


RULES = replace(PAPER, charge=charge)
