"""The file replaces the code of a function of the specification and changes no rule.

Truth: refuted: every contribution is admitted, and nothing is counted.
Status: bad input
"""

from spec import PAPER
from spec.contributions import admit


def everything(at, unit, spent, contribution):
    return spent, True


admit.__code__ = everything.__code__
RULES = PAPER
