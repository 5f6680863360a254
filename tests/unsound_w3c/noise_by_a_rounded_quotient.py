"""A budget that its maximal value does not divide is taken in thousandths, and not divided again.

Truth: unsound. The quotient of two whole numbers is rounded: where it is rounded down, the noise is
that of a thousand times the budget.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtAggregator, Report
from spec.noise import Noise


def noise(at: AtAggregator, batch: tuple[Report, ...]) -> Noise:
    budget, value = at.job.minimal_budget, batch[0].task.max_value
    if budget / value * value < budget:
        at = replace(at, job=replace(at.job, minimal_budget=1000 * budget))
    return LEVEL_1_ONE_DRAW.noise(at, batch)


RULES = replace(LEVEL_1_ONE_DRAW, noise=noise)
