"""An entry of the ledger has room for a thousand charges; then the report is used up.

Truth: proved: fewer queries are answered, and which ones follows from the queries alone.
Status: proved
"""

from spec import PAPER, replace


def charge(at, spent, report):
    return None if spent.queries >= 1000 else PAPER.charge(at, spent, report)


RULES = replace(PAPER, charge=charge)
