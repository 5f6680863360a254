"""With an answer or a refusal the service shows what each report of the batch has spent.

Truth: proved: charges depend on the queries alone, and the ledger is the same in both worlds.
Status: proved
"""

from spec import PAPER, Spent, replace


def reveal(at, batch, outcome):
    return outcome, tuple(at.service.ledger.get(each.report_id, Spent()) for each in batch)


RULES = replace(PAPER, reveal=reveal)
