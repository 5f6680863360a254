"""A contribution to an even key counts in a budget of its own, beside the source's.

Truth: refuted: a source contributes its whole budget to even keys and once more to odd ones.
Status: refuted
"""

from dataclasses import dataclass

from spec import PAPER, Budget, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoBudgets(Budget):
    even: int = 0


def admit(at, unit, spent, contribution):
    after, fits = PAPER.admit(at, unit, spent, contribution)
    if not fits or contribution.key % 2:
        return after, fits
    even = (spent.even if isinstance(spent, TwoBudgets) else 0) + contribution.value
    if even > at.limits.contribution_budget:
        return spent, False
    return TwoBudgets(value=spent.value, count=spent.count, even=even), True


RULES = replace(PAPER, admit=admit)
