"""A helper lists the reports that are answered, and nobody is charged.

Truth: refuted: the ledger stays as it is, so that a report takes part in any number of queries.
Status: refuted
"""

from spec import PAPER, replace


def accept(accepted, report):
    accepted.append(report)


def settle(at, batch):
    ledger, accepted = at.service.ledger, []
    for report in batch:
        accept(accepted, report)
    return ledger, tuple(accepted)


RULES = replace(PAPER, settle=settle)
