"""A device that has contributed in 144 windows has done its share and contributes no more.

Truth: refuted: with x the device has contributed in 144 windows and its next contribution is
    refused, without x in 143, and it is admitted. The sums change by twice the budget.
Status: refuted
"""

from spec import PAPER, DeviceWindow, replace


def contribute(at, credits):
    used = sum(budget.value > 0 for budget in at.client.budgets.values())
    if any(isinstance(credit.unit, DeviceWindow) for credit in credits) and used >= 144:
        return at.client.budgets, ()
    return PAPER.contribute(at, credits)


RULES = replace(PAPER, contribute=contribute)
