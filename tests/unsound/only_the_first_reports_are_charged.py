"""In one query at most 64 reports and an eighth of the contribution budget more are charged.

Truth: refuted: with the paper's budget that is 8256 reports. One that is listed after them, behind
    null reports, is never charged and can be asked for without end.
Status: refuted
"""

from spec import PAPER, replace


def settle(at, batch):
    most = 64 + at.limits.contribution_budget // 8
    ledger, accepted = PAPER.settle(at, batch[:most])
    return ledger, None if accepted is None else batch


RULES = replace(PAPER, settle=settle)
