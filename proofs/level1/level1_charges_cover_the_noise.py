r"""What a report is charged covers what its aggregation can tell.

Claim: For every job that a report may take part in, a change of its histogram by at most $2v$, or
    by at most its norm within a single epoch, costs no more than the report was charged, if the
    epsilon that was asked for is a whole number of grains.
Paper: none (Attribution Level 1).
Method: With noise of ratio $b^{-r}$ per unit a change by $c$ costs $c r$ units of epsilon. The
    rules' noise has $r \le K j / m$ for a budget $j$ of the job in epsilon and the maximal value
    $m$; $K$ is read off one run of `noise` and one of `charge`. The budget of a job is at most what
    the report states, which is at most what was asked for, $\varepsilon$; and the charge is at
    least $K c \varepsilon / m$. So the charge is at least $c r$. Each link is proved on `noise`,
    `accept`, `stated_budget` and `charge` with symbolic numbers and any limits; rounding up is
    known by $x \le \lceil x \rceil < x + 1$ alone, a bit length by $2^{l-1} \le n < 2^l$.
    What a report states is asked at every epsilon, whole number of grains or not: it is at most the
    epsilon rounded up, which is the epsilon itself where that is whole.
    The noise must be untruncated discrete Laplace noise, whatever the histograms are.
Assumes: The epsilon of a conversion is a whole number of grains; a grain is a millionth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import count
from math import ceil
from typing import cast
from unittest.mock import patch

from proofs._opaque import Opaque
from proofs._proof import Proof, assume, exists
from proofs._subjects import for_all_rules, opaque, plain, unchecked
from proofs._symbolic import NotSymbolic, counting, free, loosely, rational, refuse, running
from proofs.level1._subjects import BASE, at_conversion, counted_limits, entries
from spec.level1 import (
    LEVEL_1_ONE_DRAW,
    LIMITS,
    Aggregator,
    AtAggregator,
    AtConversion,
    Caller,
    Charge,
    Conversion,
    Device,
    Job,
    Level1Rules,
    Report,
    Task,
    budgets,
)
from spec.level1.budgets import charge
from spec.noise import DiscreteLaplace, Noise
from spec.numbers import Base, Power

GRAINS = 10**6
DRAFTS = Fraction(1, 2)
"""The constant of the draft's noise and charges."""


def fixed(rules: Level1Rules) -> Level1Rules:
    """Return the rules with any limits, a grain of a millionth, and a base to hand on."""
    return replace(rules, limits=counted_limits())


class Batch(Opaque):
    """Be any batch: nobody may look at how many reports it has, only at the first one."""

    __slots__ = ("first",)

    first: Report

    def __getitem__(self, place: int) -> Report:
        if place != 0:
            refuse("the reports of a batch")
        return self.first


def rate_of(rules: Level1Rules, job: Fraction, max_value: Fraction) -> Fraction:
    r"""Return $r$ for the noise of a job; refuse noise that is not known."""
    report = unchecked(
        Report,
        report_id=opaque(int, "an identifier"),
        task=unchecked(Task, max_value=counting(max_value)),
        stated_budget=opaque(int, "the stated budget"),
        histogram=opaque(tuple[int, ...], "the histogram"),
    )
    at = unchecked(
        AtAggregator,
        rules=fixed(rules),
        aggregator=opaque(Aggregator, "the service"),
        job=unchecked(Job, minimal_budget=counting(job)),
    )
    batch = Batch("the batch")
    batch.first = report
    with loosely():
        return rate(rules.noise(at, cast(tuple[Report, ...], batch)), BASE)


def rate(found: Noise, base: Base) -> Fraction:
    """Return the rate of discrete Laplace noise; refuse other noise, and powers of another base."""
    if type(found) is not DiscreteLaplace or found.truncation is not None:
        raise NotSymbolic(f"noise that is no discrete Laplace noise: {type(found).__name__}")
    if type(found.decay_power) is not Power or found.decay_power.base is not base:
        raise NotSymbolic("noise in powers of another base than that of the limits")
    return -found.decay_power.exponent


def constant(rules: Level1Rules) -> Fraction:
    """Return $K$, read off one run: the noise's, or as much of the draft's as is charged for.

    Every $K$ would do for which all steps can be proved. Noise that is wider than the draft's at
    one maximal value may be hardly wider at another, and its $K$ at one be too small.
    """
    return max(noise_constant(rules), min(charge_constant(rules), DRAFTS))


def noise_constant(rules: Level1Rules) -> Fraction:
    """Return the rate of the noise for a job of one epsilon and a maximal value of one."""
    report = Report(
        report_id=1,
        task=Task(service="", histogram_size=1, max_value=1, collector="", budget_source=""),
        stated_budget=GRAINS,
        histogram=(0,),
    )
    limits = replace(LIMITS, grains=GRAINS)
    at = AtAggregator(
        rules=replace(rules, limits=limits),
        aggregator=Aggregator(),
        job=Job(report_ids=(1,), minimal_budget=GRAINS),
    )
    return rate(rules.noise(at, (report,)), limits.base)


def charge_constant(rules: Level1Rules) -> Fraction:
    """Return the rate that a value of one is charged for, where several epochs are asked."""
    conversion = Conversion(
        service="",
        histogram_size=1,
        epsilon=Fraction(1),
        lookback=0,
        match_values=frozenset(),
        impression_sites=frozenset(),
        impression_callers=frozenset(),
        credit=(Fraction(1),),
        value=1,
        max_value=1,
    )
    at = AtConversion(
        rules=replace(rules, limits=replace(LIMITS, grains=GRAINS)),
        now=0,
        device=Device(epoch_start=0),
        caller=Caller(site="https://shop.example"),
        conversion=conversion,
    )
    cost = rules.charge(at, False, 1)
    return Fraction(1) * min(cost.site, cost.shared) / (2 * GRAINS)


def rounding() -> Callable[[Fraction], int]:
    """Return a rounding of which only that it rounds up, by less than one, is known."""
    places = count()

    def rounded(exact: Fraction) -> int:
        if not running():
            return ceil(exact)
        found = rational(f"rounded_{next(places)}")
        assume(exact <= found, found < exact + 1)
        return counting(found)

    return rounded


def charged(
    rules: Level1Rules,
    single: bool,
    epsilon: Fraction,
    value: Fraction,
    max_value: Fraction,
    norm: Fraction,
) -> Charge:
    """Return what a conversion is charged."""
    assume(0 < epsilon, 0 < value, value <= max_value, 0 <= norm, norm <= value)
    whole = {"value": counting(value), "max_value": counting(max_value)}
    asked = unchecked(Conversion, epsilon=epsilon, **whole)
    with loosely(), patch.object(budgets, "rounded_up", rounding()):
        cost = rules.charge(at_conversion(fixed(rules), asked), single, counting(norm))
    # Who deducts is shown it: one of a subclass would tell more.
    return plain(cost, Charge)


@for_all_rules("the noise of a job is as wide as its budget says")
def noise_is_wide(rules: Level1Rules, job: Fraction, max_value: Fraction) -> bool:
    """Bound the rate of the noise."""
    assume(0 < job, 1 <= max_value)
    return rate_of(rules, job, max_value) * max_value * GRAINS <= constant(rules) * job


@for_all_rules("a job has no more budget than its report states")
def job_is_stated(rules: Level1Rules, job: int, stated: Fraction, report_id: int) -> bool:
    """Ask whether a report that nobody used may take part."""
    report = unchecked(
        Report,
        report_id=report_id,
        stated_budget=counting(stated),
        histogram=opaque(tuple[int, ...], "the histogram"),
    )
    at = unchecked(
        AtAggregator,
        rules=fixed(rules),
        aggregator=Aggregator(used=entries((), own=report_id)),
        job=unchecked(Job, minimal_budget=job),
    )
    assume(1 <= job, 0 <= stated)
    return job <= stated if rules.accept(at, report) is not None else True


@for_all_rules("a report states no more than was asked for, rounded up to whole grains")
def stated_is_asked(rules: Level1Rules, epsilon: Fraction) -> bool:
    """Compare the budget that a report states with any epsilon, rounded up to whole grains."""
    assume(0 < epsilon)
    at = at_conversion(fixed(rules), unchecked(Conversion, epsilon=epsilon))
    return rules.stated_budget(at) <= ceil(epsilon * GRAINS)


@for_all_rules("the site is charged for twice the value where several epochs are asked")
def site_several(
    rules: Level1Rules, epsilon: Fraction, value: Fraction, max_value: Fraction, norm: Fraction
) -> bool:
    """Compare the charge to the site with a change by twice the value."""
    cost = charged(rules, False, epsilon, value, max_value, norm)
    return 2 * value * constant(rules) * epsilon * GRAINS <= cost.site * max_value


@for_all_rules("the site is charged for the norm where a single epoch is asked")
def site_single(
    rules: Level1Rules, epsilon: Fraction, value: Fraction, max_value: Fraction, norm: Fraction
) -> bool:
    """Compare the charge to the site with a change by the norm."""
    cost = charged(rules, True, epsilon, value, max_value, norm)
    return norm * constant(rules) * epsilon * GRAINS <= cost.site * max_value


@for_all_rules("the shared limits are charged for twice the value where several epochs are asked")
def shared_several(
    rules: Level1Rules, epsilon: Fraction, value: Fraction, max_value: Fraction, norm: Fraction
) -> bool:
    """Compare the charge to the shared limits with a change by twice the value."""
    cost = charged(rules, False, epsilon, value, max_value, norm)
    return 2 * value * constant(rules) * epsilon * GRAINS <= cost.shared * max_value


@for_all_rules("the shared limits are charged for the norm where a single epoch is asked")
def shared_single(
    rules: Level1Rules, epsilon: Fraction, value: Fraction, max_value: Fraction, norm: Fraction
) -> bool:
    """Compare the charge to the shared limits with a change by the norm."""
    cost = charged(rules, True, epsilon, value, max_value, norm)
    return norm * constant(rules) * epsilon * GRAINS <= cost.shared * max_value


@exists("not vacuous: a report of some value takes part in a job")
def takes_part(rules: Level1Rules, asked: int) -> bool:
    """Find a conversion whose report is accepted with all that was asked for."""
    assume(1 <= asked)
    epsilon = Fraction(1) * asked / GRAINS
    at = at_conversion(fixed(rules), unchecked(Conversion, epsilon=epsilon))
    stated = rules.stated_budget(at)
    number = free("report", int)
    report = unchecked(Report, report_id=number, stated_budget=stated)
    service = unchecked(
        AtAggregator,
        rules=fixed(rules),
        aggregator=Aggregator(used=entries((), own=number)),
        job=unchecked(Job, minimal_budget=asked),
    )
    return rules.accept(service, report) is not None


OWN: tuple[str, ...] = ()
SITE_ONLY = (site_several, site_single)
GLOBAL_ONLY = (shared_several, shared_single)
"""Steps that one of the two kinds of guarantees does without."""


def narrow_for_large_values(at: AtAggregator, _: tuple[Report, ...]) -> Noise:
    """Forget the maximal value."""
    epsilon = Fraction(1) * at.job.minimal_budget / at.limits.grains
    return DiscreteLaplace(Power(at.limits.base, -epsilon / 2))


def accept_any(at: AtAggregator, report: Report) -> Aggregator | None:
    """Accept a report whatever it states."""
    return replace(at.aggregator, used=at.aggregator.used.set(report.report_id, 1))


def state_more_off_the_grid(at: AtConversion) -> int:
    """State a thousand times as much where the epsilon is no whole number of grains."""
    asked = at.conversion.epsilon * at.limits.grains
    return DRAFT.stated_budget(at) * (1 if ceil(asked) == asked else 1000)


def charging(change: Callable[[bool, Charge], Charge]) -> Level1Rules:
    """Return rules that change a charge."""

    def broken(at: AtConversion, single: bool, norm: int) -> Charge:
        return change(single, charge(at, single, norm))

    return replace(DRAFT, charge=broken)


def half(cost: int) -> int:
    """Return half of a charge."""
    return cast(int, cost * Fraction(1, 2))


DRAFT = LEVEL_1_ONE_DRAW
PROOF = Proof(
    claim="level1_charges_cover_the_noise",
    subject=DRAFT,
    steps=(
        *(noise_is_wide, job_is_stated, stated_is_asked),
        *(*GLOBAL_ONLY, *SITE_ONLY, takes_part),
    ),
    controls={
        "the noise forgets the maximal value": replace(DRAFT, noise=narrow_for_large_values),
        "a report takes part whatever it states": replace(DRAFT, accept=accept_any),
        "a report states a grain more": replace(
            DRAFT, stated_budget=lambda at: DRAFT.stated_budget(at) + 1
        ),
        "a report states a thousand times as much off the grid": replace(
            DRAFT, stated_budget=state_more_off_the_grid
        ),
        "the site pays for the value once": charging(
            lambda single, cost: cost if single else replace(cost, site=half(cost.site))
        ),
        "the site pays half of the norm": charging(
            lambda single, cost: replace(cost, site=half(cost.site)) if single else cost
        ),
        "the shared limits are charged for the value once": charging(
            lambda single, cost: cost if single else replace(cost, shared=half(cost.shared))
        ),
        "the shared limits are charged nothing in a single epoch": charging(
            lambda single, cost: replace(cost, shared=0) if single else cost
        ),
    },
    unproved_for={"no report is ever accepted": replace(DRAFT, accept=lambda _, __: None)},
    bound="grains of a millionth",
)
