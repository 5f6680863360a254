"""Every report has a budget for each key that queries list; key discovery is switched off.

Truth: proved: what is contributed to a key is seen by queries that list it, and these are charged
    up to the cap. A unit with v_k under key k loses at most the sum of v_k / budget times the cap.
Status: not refuted
"""

from spec import PAPER, replace


def budget_entries(at, report):
    return tuple((report.report_id, key) for key in dict.fromkeys(at.query.keys))


def settle(at, batch):
    return (at.service.ledger, None) if at.query.discovers_keys else PAPER.settle(at, batch)


RULES = replace(PAPER, budget_entries=budget_entries, settle=settle)
