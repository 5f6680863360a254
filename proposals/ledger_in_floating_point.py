"""The ledger adds and compares budgets in binary floating point.

A sum of floating point numbers is rounded to 53 binary digits. A query whose epsilon is small
against what was spent already is rounded away and leaves the ledger as it was, so it can be asked
again and again. And where the rounded sum equals the cap the exact one may lie above it.

The excess of one query is a relative 2^-53. No game with rational probabilities can show so little,
so what is refuted is the guarantee about the ledger itself: a sequence of queries is answered whose
exact sum is above the cap. In ledger_rounded_to_nearest.py the errors are large and the game shows
them.

Origin: w3c/attribution keeps its budgets in fixed point, rounded up
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted
"""

from fractions import Fraction

from spec import PAPER, AtService, Report, Rules, Spent, replace


def charge_in_floating_point(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Add and compare floating point numbers."""
    epsilon = float(spent.epsilon) + float(at.query.epsilon)
    delta = float(spent.delta) + float(at.query.delta)
    if epsilon > float(at.limits.epsilon) or delta > float(at.limits.delta):
        return None
    return replace(spent, epsilon=Fraction(epsilon), delta=Fraction(delta))


RULES: Rules = replace(PAPER, charge=charge_in_floating_point)
