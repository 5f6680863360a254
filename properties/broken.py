"""Broken rules, each once: what checks must refute. Controls and tests share them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from spec.aggregation_service import Ledger, Spent, charge, noise, threshold
from spec.contributions import Budget, Credit, Unit, send
from spec.event_client import EventSource
from spec.event_outputs import OutputSet, output_set
from spec.noise import DiscreteLaplace, Noise
from spec.numbers import Power, Real, certainly_at_most, exact
from spec.paper import PAPER
from spec.randomized_response import truth_probability
from spec.reports import Contribution, Report, Sent
from spec.rules import AtService
from spec.verdicts import Control, Finding

if TYPE_CHECKING:
    from spec.rules import AtContribution, AtEventSource


def controls(run: Callable[[Any], Finding], broken: Mapping[str, Any]) -> tuple[Control, ...]:
    """Return the controls of a check that runs on rules: it must refute each broken one."""
    return tuple(
        Control(name=name, run=partial(run, rules), rules=rules) for name, rules in broken.items()
    )


def charge_real_reports_only(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Charge nothing for a null report."""
    return spent if report.is_null else charge(at, spent, report)


def charge_in_floating_point(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Keep sums of 53 binary places."""
    larger = replace(at.limits, epsilon=2 * at.limits.epsilon)
    after = charge(replace(at, rules=replace(at.rules, limits=larger)), spent, report)
    if after is None:
        return None
    rounded = Fraction(round(after.epsilon * 2**53), 2**53)
    return None if rounded > at.limits.epsilon else replace(after, epsilon=rounded)


def charge_before_adding(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Compare what was spent so far with the caps."""
    del report
    if spent.epsilon >= at.limits.epsilon or spent.delta > at.limits.delta:
        return None
    epsilon, delta = spent.epsilon + at.query.epsilon, spent.delta + at.query.delta
    return replace(spent, epsilon=epsilon, delta=delta)


def settle_one_by_one(
    at: AtService, batch: tuple[Report, ...]
) -> tuple[Ledger, tuple[Report, ...] | None]:
    """Charge report by report, and refuse at the first that cannot pay."""
    ledger = at.service.ledger
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if after is None:
                return ledger, None
            ledger = ledger.set(entry, after)
    return ledger, batch


def count_repetitions(at: AtService, reports: tuple[Report, ...]) -> tuple[Report, ...]:
    """Let a report stand in a batch as often as it is listed."""
    del at
    return reports


def threshold_by_batch(at: AtService, batch: tuple[Report, ...]) -> int | None:
    """Lower the threshold by one for each report that holds something."""
    usual = threshold(at, batch)
    return None if usual is None else usual - sum(not report.is_null for report in batch)


def threshold_of_one_key(at: AtService, batch: tuple[Report, ...]) -> int | None:
    r"""Return the floor of $\Lambda_1 (1 + \ln(1/\delta)/\varepsilon)$."""
    alone = replace(at.rules, limits=replace(at.limits, sparsity_budget=1))
    return threshold(replace(at, rules=alone), batch)


def threshold_without_the_budget(at: AtService, batch: tuple[Report, ...]) -> int | None:
    r"""Return the floor of $\Lambda_1 \ln(\Lambda_0/\delta)/\varepsilon$."""
    usual = threshold(at, batch)
    return None if usual is None else usual - at.limits.contribution_budget


def untruncated_noise(at: AtService, batch: tuple[Report, ...], cut: int | None) -> Noise:
    """Leave the noise as it is when keys are discovered."""
    del cut
    return noise(at, batch, None)


def half_the_noise(at: AtService, batch: tuple[Report, ...], cut: int | None) -> Noise:
    """Add noise as if a unit contributed at most half of its budget."""
    del batch
    decay = Power(at.limits.base, -2 * at.query.epsilon / at.limits.contribution_budget)
    return DiscreteLaplace(decay, cut)


def too_little_noise(at: AtService, batch: tuple[Report, ...], cut: int | None) -> Noise:
    """Add noise for a contribution budget of one."""
    del batch
    return DiscreteLaplace(decay_power=Power(at.limits.base, -at.query.epsilon), truncation=cut)


def admit_everything(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Bound nothing."""
    del at, unit
    return Budget(value=spent.value + contribution.value, count=spent.count + 1), True


def forget_the_count(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Bound the values and not their number."""
    del unit
    value = spent.value + contribution.value
    if value > at.limits.contribution_budget:
        return spent, False
    return Budget(value=value, count=spent.count + 1), True


def send_real_reports_only(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Send no null reports."""
    return tuple(sent for sent in send(at, granted) if not sent.report.is_null)


def show_contributors(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Show how many units have contributed so far."""
    contributed = sum(budget != Budget() for budget in at.client.budgets.values())
    return tuple(replace(sent, shown=(sent.shown, contributed)) for sent in send(at, granted))


def delay_real_reports(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Let a report that holds something arrive later."""
    sent = send(at, granted)
    return tuple(
        each if each.report.is_null else replace(each, arrival=at.now + 1) for each in sent
    )


def miss_the_last_report(at: AtEventSource, source: EventSource) -> OutputSet:
    """Forget that a source may send all the reports it may send."""
    usual = output_set(at, source)
    return replace(usual, maximum_reports=usual.maximum_reports - 1)


def at_most_three_reports(at: AtEventSource, source: EventSource) -> OutputSet:
    """Leave out the outputs with more than three reports."""
    return replace(output_set(at, source), maximum_reports=min(3, source.maximum_reports))


def one_bucket_per_datum(at: AtEventSource, source: EventSource) -> OutputSet:
    """Leave out the outputs with more than one report for a datum."""
    whole = output_set(at, source)
    return replace(whole, buckets=tuple(min(1, count) for count in whole.buckets))


def truthful_every_fourth_time(power: Real, size: int) -> Real:
    """Tell the truth with a probability of at least one in four."""
    own, least = truth_probability(power, size), Fraction(1, 4)
    return least if certainly_at_most(own, least) else own


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
UNTRUNCATED_FOR_ONE_KEY = replace(UNTRUNCATED, threshold=threshold_of_one_key)
LOW_THRESHOLD = replace(PAPER, threshold=threshold_without_the_budget)
HALF_THE_NOISE = replace(PAPER, noise=half_the_noise)
LITTLE_NOISE = replace(PAPER, noise=too_little_noise)
UNBOUNDED = replace(PAPER, admit=admit_everything)
NO_SPARSITY = replace(PAPER, admit=forget_the_count)
SILENT_WHEN_EXHAUSTED = replace(PAPER, send=send_real_reports_only)
CONTRIBUTORS_SHOWN = replace(PAPER, send=show_contributors)
REAL_REPORTS_DELAYED = replace(PAPER, send=delay_real_reports)
THREE_REPORTS = replace(PAPER, output_set=at_most_three_reports)
ONE_BUCKET = replace(PAPER, output_set=one_bucket_per_datum)
MISSING_OUTPUTS = replace(PAPER, output_set=miss_the_last_report)
TOO_TRUTHFUL = replace(PAPER, truth_probability=truthful_twice_as_often)
ALWAYS_TRUTHFUL = replace(PAPER, truth_probability=always_truthful)
OFTEN_TRUTHFUL = replace(PAPER, truth_probability=truthful_every_fourth_time)
