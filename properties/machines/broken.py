"""Broken rules: what the machines must find.

The machines do not find everything.

- A run's moves are fixed before it starts, so an adversary that adapts its moves to the answers is
  left to the game.
- There are few reports, two keys and small budgets, so what shows only at size, such as untruncated
  noise on hundreds of keys, is left to the production parameters.
- A ledger in floating point shows in the machine of the service, which asks with a little more than
  an equal share of the caps. In the other machines every ε is a small whole number, which floating
  point adds without error.
- A defect that needs a particular sequence of moves takes luck. Responses that are randomized in
  every window show if a source has reports in two windows, which some seeds do not lead to in
  hundreds of runs. The game finds all that is as short as this.
- Noise whose probabilities are not rational, such as Gaussian noise, leaves the guarantees unknown.
- A rule that depends on chance and decides who is credited ends what can be learned from a run, and
  leaves rollouts undefined.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction

from spec.aggregation_service import Ledger, Query, Spent, charge, threshold
from spec.contributions import Budget, Budgets, Cause, Credit
from spec.event_client import EventSource
from spec.event_outputs import OutputSet, output_set
from spec.noise import DiscreteLaplace, Noise
from spec.numbers import Power, Real, exact
from spec.paper import PAPER
from spec.randomized_response import truth_probability
from spec.reports import Contribution, Report
from spec.rules import Limits, Rules


def charge_real_reports_only(
    limits: Limits, spent: Spent, query: Query, report: Report
) -> Spent | None:
    """Charge nothing for a null report."""
    return spent if report.is_null else charge(limits, spent, query, report)


def charge_in_floating_point(
    limits: Limits, spent: Spent, query: Query, report: Report
) -> Spent | None:
    """Keep sums of 53 binary places."""
    after = charge(replace(limits, epsilon=2 * limits.epsilon), spent, query, report)
    if after is None:
        return None
    rounded = Fraction(round(after.epsilon * 2**53), 2**53)
    return None if rounded > limits.epsilon else replace(after, epsilon=rounded)


def charge_before_adding(
    limits: Limits, spent: Spent, query: Query, report: Report
) -> Spent | None:
    """Compare what was spent so far with the caps."""
    del report
    if spent.epsilon >= limits.epsilon or spent.delta > limits.delta:
        return None
    return replace(spent, epsilon=spent.epsilon + query.epsilon, delta=spent.delta + query.delta)


def settle_one_by_one(
    rules: Rules, ledger: Ledger, query: Query, batch: tuple[Report, ...]
) -> tuple[Ledger, tuple[Report, ...] | None]:
    """Charge report by report, and refuse at the first that cannot pay."""
    for report in batch:
        for entry in rules.budget_entries(query, report):
            after = rules.charge(rules.limits, ledger.get(entry, Spent()), query, report)
            if after is None:
                return ledger, None
            ledger = ledger.set(entry, after)
    return ledger, batch


def count_repetitions(query: Query, reports: tuple[Report, ...]) -> tuple[Report, ...]:
    """Let a report stand in a batch as often as it is listed."""
    del query
    return reports


def threshold_by_batch(limits: Limits, query: Query, batch: tuple[Report, ...]) -> int | None:
    """Lower the threshold by one for each report that holds something."""
    usual = threshold(limits, query, batch)
    return None if usual is None else usual - sum(not report.is_null for report in batch)


def untruncated_noise(
    limits: Limits, query: Query, batch: tuple[Report, ...], cut: int | None
) -> Noise:
    """Leave the noise as it is when keys are discovered."""
    del batch, cut
    decay = Power(limits.base, -query.epsilon / limits.contribution_budget)
    return DiscreteLaplace(decay_power=decay)


def too_little_noise(
    limits: Limits, query: Query, batch: tuple[Report, ...], cut: int | None
) -> Noise:
    """Add noise for a contribution budget of one."""
    del batch
    return DiscreteLaplace(decay_power=Power(limits.base, -query.epsilon), truncation=cut)


def admit_everything(
    most: Budget, spent: Budget, contribution: Contribution, cause: Cause
) -> Budget:
    """Bound nothing."""
    del most, cause
    return Budget(value=spent.value + contribution.value, count=spent.count + 1)


def forget_the_count(
    most: Budget, spent: Budget, contribution: Contribution, cause: Cause
) -> Budget | None:
    """Bound the values and not their number."""
    del cause
    value = spent.value + contribution.value
    return None if value > most.value else Budget(value=value, count=spent.count + 1)


def send_real_reports_only(
    budgets: Budgets, credits: tuple[Credit, ...], cause: Cause, report: Report
) -> bool:
    """Send no null reports."""
    del budgets, credits, cause
    return not report.is_null


def show_contributors(
    budgets: Budgets, credits: tuple[Credit, ...], cause: Cause, report: Report
) -> Hashable:
    """Show how many units have contributed so far."""
    del credits, cause
    return report.report_id, sum(budget != Budget() for budget in budgets.values())


def delay_real_reports(now: int, cause: Cause, report: Report) -> int:
    """Let a report that holds something arrive later."""
    del cause
    return now if report.is_null else now + 1


def miss_the_last_report(limits: Limits, source: EventSource) -> OutputSet:
    """Forget that a source may send all the reports it may send."""
    usual = output_set(limits, source)
    return replace(usual, maximum_reports=usual.maximum_reports - 1)


def truthful_twice_as_often(power: Real, size: int) -> Real:
    """Tell the truth as if its epsilon were twice as large."""
    return truth_probability(exact(power, "power") ** 2, size)


def always_truthful(power: Real, size: int) -> Real:
    """Never randomize a response."""
    del power, size
    return Fraction(1)


REAL_REPORTS_CHARGED = replace(PAPER, charge=charge_real_reports_only)
FLOATING_LEDGER = replace(PAPER, charge=charge_in_floating_point)
LATE_LEDGER = replace(PAPER, charge=charge_before_adding)
CHARGED_ONE_BY_ONE = replace(PAPER, settle=settle_one_by_one)
REPEATS_COUNT = replace(PAPER, batch=count_repetitions)
THRESHOLD_BY_BATCH = replace(PAPER, threshold=threshold_by_batch)
UNTRUNCATED = replace(PAPER, noise=untruncated_noise)
LITTLE_NOISE = replace(PAPER, noise=too_little_noise)
UNBOUNDED = replace(PAPER, admit=admit_everything)
NO_SPARSITY = replace(PAPER, admit=forget_the_count)
SILENT_WHEN_EXHAUSTED = replace(PAPER, sends=send_real_reports_only)
CONTRIBUTORS_SHOWN = replace(PAPER, visible=show_contributors)
REAL_REPORTS_DELAYED = replace(PAPER, arrival=delay_real_reports)
MISSING_OUTPUTS = replace(PAPER, output_set=miss_the_last_report)
TOO_TRUTHFUL = replace(PAPER, truth_probability=truthful_twice_as_often)
ALWAYS_TRUTHFUL = replace(PAPER, truth_probability=always_truthful)
