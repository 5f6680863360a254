"""If a contribution does not fit, the unit's budget starts over.

A program that asks for too much between two contributions contributes without end.

Origin: ours; a refill in the place where a refusal is decided
Neighbours: null store (PAA)
Expected: refuted
"""

from spec import PAPER, AtContribution, Budget, Contribution, Rules, Unit, replace


def start_over(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Admit what fits; what does not fit makes the unit forget what it has spent."""
    after, fits = PAPER.admit(at, unit, spent, contribution)
    return (after, True) if fits else (Budget(), False)


RULES: Rules = replace(PAPER, admit=start_over)
