"""If a contribution does not fit, the unit's budget starts over.

A program that asks for too much between two contributions contributes without end.

Origin: ours; a refill in the place where a refusal is decided
Neighbours: null store (PAA)
Expected: refuted
"""

from __future__ import annotations

from spec import PAPER, Budget, Rules, replace
from spec.contributions import Cause, Credit
from spec.reports import Contribution


def start_over(
    rules: Rules, spent: Budget, credit: Credit, cause: Cause
) -> tuple[Budget, tuple[Contribution, ...]]:
    """Admit what fits; if nothing does, forget what was spent."""
    after, granted = PAPER.grant(rules, spent, credit, cause)
    if credit.contributions and not granted:
        return Budget(), ()
    return after, granted


RULES = replace(PAPER, grant=start_over)
