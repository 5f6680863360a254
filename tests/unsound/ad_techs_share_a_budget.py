"""Private Aggregation: a device has one budget per window for all ad-techs together.

Truth: refuted: the unit is what one ad-tech is told of a device in a window. Without it another
    ad-tech's contribution fits that did not fit before, and the sums change by twice the budget.
Status: refuted
"""

from spec import PAPER, replace


def budget_unit(at):
    return replace(PAPER.budget_unit(at), ad_tech="")


RULES = replace(PAPER, budget_unit=budget_unit)
