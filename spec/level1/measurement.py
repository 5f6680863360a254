r"""Measuring a conversion: what is asked, and how impressions, budgets and credit make a histogram.

Paper: none (the draft Attribution Level 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from spec.level1.epochs import epoch_of
from spec.level1.rules import reject
from spec.level1.sites import checked_sites

if TYPE_CHECKING:
    from spec.distributions import Draw
    from spec.level1.budgets import Budgets
    from spec.level1.impressions import Impression
    from spec.level1.rules import AtConversion, Histogram, Level1Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionOptions:
    """Hold what a page passes to measureConversion(); a lookback is in days, None for the longest.

    Draft: Requesting Attribution for a Conversion.
    """

    service: str
    histogram_size: int
    epsilon: Fraction = Fraction(1)
    lookback_days: int | None = None
    match_values: tuple[int, ...] = ()
    impression_sites: tuple[str, ...] = ()
    impression_callers: tuple[str, ...] = ()
    credit: tuple[Fraction, ...] = (Fraction(1),)
    value: int = 1
    max_value: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """Hold the options of a conversion after they were checked; an empty set stands for all.

    Draft: Measure Conversion Algorithm.
    """

    service: str
    histogram_size: int
    epsilon: Fraction
    lookback: int
    match_values: frozenset[int]
    impression_sites: frozenset[str]
    impression_callers: frozenset[str]
    credit: tuple[Fraction, ...]
    value: int
    max_value: int


def validate_conversion(rules: Level1Rules, options: ConversionOptions) -> Conversion:
    """Check what a page passes, and return the conversion that is measured.

    Draft: Measure Conversion Algorithm.
    """
    limits = rules.limits
    if options.service not in limits.services:
        reject("ReferenceError", f"{options.service!r} is no aggregation service")
    longest = limits.maximum_lookback
    asked = longest if options.lookback_days is None else options.lookback_days
    refused = {
        "epsilon": not 0 < options.epsilon <= limits.maximum_epsilon,
        "histogramSize": not 1 <= options.histogram_size <= limits.maximum_histogram,
        "value": not 1 <= options.value <= options.max_value,
        "credit": not 1 <= len(options.credit) <= limits.maximum_credit
        or any(part <= 0 for part in options.credit),
        "lookbackDays": asked <= 0,
        "matchValues": len(options.match_values) > limits.maximum_match_values,
    }
    for name, out_of_range in refused.items():
        if out_of_range:
            reject("RangeError", f"{name} is out of range")
    sites = checked_sites(
        rules, options.impression_sites, limits.maximum_impression_sites, "impressionSites"
    )
    callers = checked_sites(
        rules, options.impression_callers, limits.maximum_impression_callers, "impressionCallers"
    )
    return Conversion(
        service=options.service,
        histogram_size=options.histogram_size,
        epsilon=options.epsilon,
        lookback=min(asked, longest) * limits.day,
        match_values=frozenset(options.match_values),
        impression_sites=sites,
        impression_callers=callers,
        credit=options.credit,
        value=options.value,
        max_value=options.max_value,
    )


def matching(at: AtConversion, epoch: int) -> tuple[Impression, ...]:
    """Return the impressions of an epoch that are selected.

    Draft: Common Impression Matching Logic.
    """
    return tuple(
        impression
        for impression in at.device.impressions
        if epoch_of(at, impression.timestamp) == epoch and at.rules.matches(at, impression)
    )


def nothing(at: AtConversion) -> Histogram:
    """Return the histogram of zeros.

    Draft: Attribution Logic.
    """
    return (0,) * at.conversion.histogram_size


def attribute_with_two_draws(at: AtConversion, draw: Draw) -> tuple[Budgets, Histogram]:
    """Fill a histogram to learn what it costs; let every epoch pay; fill another from what paid.

    Only the first histogram is charged for. Where shares are rounded at random, the second need
    not be the same.

    Draft: Attribution Logic.
    """
    budgets, used, _ = _paid_for(at, draw)
    return budgets, at.rules.fill(at, used, draw) if used else nothing(at)


def attribute_with_one_draw(at: AtConversion, draw: Draw) -> tuple[Budgets, Histogram]:
    """Do the same, and report the very histogram that was charged for.

    Draft: Attribution Logic.
    """
    budgets, used, charged = _paid_for(at, draw)
    if not used:
        return budgets, nothing(at)
    return budgets, at.rules.fill(at, used, draw) if charged is None else charged


def _paid_for(
    at: AtConversion, draw: Draw
) -> tuple[Budgets, tuple[Impression, ...], Histogram | None]:
    """Let every epoch pay; return the impressions used, and the histogram that was charged for."""
    current, single = epoch_of(at, at.now), at.rules.single_epoch(at)
    budgets = at.device.budgets
    charged: Histogram | None = None
    if single:
        impressions = matching(at, current)
        if not impressions:
            return budgets, (), None
        charged = at.rules.fill(at, impressions, draw)
    cost = at.rules.charge(at, single, sum(charged or ()))
    used: tuple[Impression, ...] = ()
    for epoch in range(at.rules.first_epoch(at), current + 1):
        impressions = matching(at, epoch)
        if impressions:
            budgets, kept = at.rules.deduct(at, budgets, epoch, impressions, cost)
            used += kept
    return budgets, used, charged


def stated_budget(at: AtConversion) -> int:
    """State the epsilon that was asked for, rounded up to whole grains.

    Draft: Report Encryption For DAP.
    """
    return ceil(at.conversion.epsilon * at.limits.grains)
