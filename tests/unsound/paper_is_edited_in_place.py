"""One rule is replaced by itself; on the way the paper's own rules are edited.

Truth: refuted: event-level reports are always true, in PAPER and so in what is checked.
Status: bad input
"""

from fractions import Fraction

from spec import PAPER, replace

object.__setattr__(PAPER, "truth_probability", lambda power, size: Fraction(1))
OWN = PAPER.budget_unit


def budget_unit(at):
    return OWN(at)


RULES = replace(PAPER, budget_unit=budget_unit)
