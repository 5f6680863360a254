"""An entry of the ledger has room for a thousand charges; later ones are not written down.

Truth: refuted: after a thousand small queries every further query is answered and not charged.
Status: refuted
"""

from spec import PAPER, replace


def charge(at, spent, report):
    return spent if spent.queries >= 1000 else PAPER.charge(at, spent, report)


RULES = replace(PAPER, charge=charge)
