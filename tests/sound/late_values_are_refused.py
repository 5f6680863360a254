"""Nothing is admitted in the last tenth of a window, and no value of more than a quarter.

Truth: proved: more is refused than by the paper, by the time and by the unit's own contribution.
Status: proved
"""

from spec import PAPER, AtContribution, Budget, Contribution, Unit, replace


def admit(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    length = at.limits.window_length
    if 4 * contribution.value > at.limits.contribution_budget:
        return spent, False
    if 10 * (at.now % length) >= 9 * length:
        return spent, False
    return PAPER.admit(at, unit, spent, contribution)


RULES = replace(PAPER, admit=admit)
