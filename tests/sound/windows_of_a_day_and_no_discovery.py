"""Private Aggregation budgets last a day, and there is no delta to spend.

Truth: proved: the theorems are for every length of a window and for every cap on delta.
Status: proved
"""

from fractions import Fraction

from spec import PAPER, replace

RULES = replace(PAPER, limits=replace(PAPER.limits, window_length=86400, delta=Fraction(0)))
