"""A batch of mixed budgets gets the noise of the largest one that is stated.

Reports that state less were charged for wider noise.

Origin: ietf-wg-ppm/draft-ietf-ppm-dap#761
Expected: global refuted, one view refuted, one site refuted
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtAggregator, Report
from spec.level1.aggregation import noise
from spec.noise import Noise


def noise_of_the_largest(at: AtAggregator, batch: tuple[Report, ...]) -> Noise:
    """Take the largest budget for that of the job."""
    largest = max(report.stated_budget for report in batch)
    return noise(replace(at, job=replace(at.job, minimal_budget=largest)), batch)


RULES = replace(LEVEL_1_ONE_DRAW, noise=noise_of_the_largest)
