r"""Reports and their aggregation: a batch is accepted once, and noise is added to its sum.

A report is encrypted. What anybody sees of it are its task and the budget that it states.

Paper: none (the draft Attribution Level 1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from immutables import Map

from spec.level1.budgets import noise_scale
from spec.level1.rules import AtAggregator, Histogram
from spec.noise import DiscreteLaplace, Noise
from spec.numbers import Power, SpecError

if TYPE_CHECKING:
    from spec.distributions import Draw
    from spec.level1.rules import Level1Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Name what reports must have in common: the histogram, who collects, and whose budget paid.

    Draft: DAP Extensions; Report Encryption For DAP.
    """

    service: str
    histogram_size: int
    max_value: int
    collector: str
    budget_source: str

    @property
    def proved_bound(self) -> int:
        """Return the power of two that the sum of a report is proved to be below."""
        return 1 << self.max_value.bit_length()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Hold a report: its public part, and the histogram that is encrypted in it.

    Draft: Report Encryption For DAP.
    """

    report_id: int
    task: Task
    stated_budget: int
    histogram: Histogram

    @property
    def shown(self) -> tuple[int, Task, int]:
        """Return what everybody sees of the report."""
        return self.report_id, self.task, self.stated_budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Ask for the sum of a batch, with the noise of a budget that each of its reports has.

    Draft: Aggregation; DAP Extensions.
    """

    report_ids: tuple[int, ...]
    minimal_budget: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregator:
    """Hold how much of each report's stated budget was used, in grains.

    Draft: Anti-Replay Requirements.
    """

    used: Map[int, int] = Map()


def accept(at: AtAggregator, report: Report) -> Aggregator | None:
    """Accept a report once, and only if it states at least the budget of the job.

    Draft: Anti-Replay Requirements; DAP Extensions.
    """
    if report.report_id in at.aggregator.used or report.stated_budget < at.job.minimal_budget:
        return None
    used = at.aggregator.used.set(report.report_id, report.stated_budget)
    return replace(at.aggregator, used=used)


def noise(at: AtAggregator, batch: tuple[Report, ...]) -> Noise:
    r"""Return discrete Laplace noise of scale $2 m / \varepsilon$ for the budget of the job.

    No document fixes the law; this is the scale that charges are for.

    Draft: Differential Privacy Mechanisms.
    """
    epsilon = Fraction(1) * at.job.minimal_budget / at.limits.grains
    scale = noise_scale(batch[0].task.max_value, epsilon)
    return DiscreteLaplace(Power(at.limits.base, -1 / scale))


def aggregate(
    rules: Level1Rules, aggregator: Aggregator, job: Job, batch: tuple[Report, ...], draw: Draw
) -> tuple[Aggregator, Histogram | None]:
    """Return the noisy sum of the accepted reports, or None if they are too few.

    Draft: Aggregation.
    """
    if len({report.task for report in batch}) > 1:
        raise MixedTasks("the reports of a batch belong to one task")
    if job.minimal_budget <= 0:
        raise NoBudget("a job needs a budget for its noise")
    accepted: list[Report] = []
    after = aggregator
    for report in batch:
        taken = rules.accept(AtAggregator(rules=rules, aggregator=after, job=job), report)
        if taken is not None:
            after = taken
            accepted.append(report)
    if len(accepted) < max(rules.limits.minimum_batch, 1):
        return aggregator, None
    law = rules.noise(AtAggregator(rules=rules, aggregator=after, job=job), tuple(accepted))
    sums = map(sum, zip(*(report.histogram for report in accepted), strict=True))
    return after, tuple(draw(law.around(total)) for total in sums)


class MixedTasks(SpecError):
    """Report a batch whose reports belong to different tasks."""


class NoBudget(SpecError):
    """Report a job without a budget."""
