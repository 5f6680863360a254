"""Impressions of a site over its quota are dropped alone, after the charge is known.

The charge is for the histogram of all impressions, the report is filled from those that are left. A
dropped impression whose index is beyond the histogram made the charge zero; without it the whole
value goes to another bucket.

Origin: w3c/attribution#374
Expected: global unknown, one view refuted, one site unknown
"""

from dataclasses import replace

from spec.distributions import Draw
from spec.level1 import (
    LEVEL_1_ONE_DRAW,
    AtConversion,
    Budgets,
    Charge,
    Histogram,
    Impression,
)
from spec.level1.budgets import deduct
from spec.level1.epochs import epoch_of
from spec.level1.measurement import attribute_with_one_draw, matching


def within_quota(
    at: AtConversion,
    budgets: Budgets,
    epoch: int,
    impressions: tuple[Impression, ...],
    cost: Charge,
) -> tuple[Impression, ...]:
    """Keep the impressions whose site can pay its quota."""
    return tuple(
        each for each in impressions if cost.shared <= budgets.quota(at.limits, epoch, each.site)
    )


def deduct_for_the_rest(
    at: AtConversion,
    budgets: Budgets,
    epoch: int,
    impressions: tuple[Impression, ...],
    cost: Charge,
) -> tuple[Budgets, tuple[Impression, ...]]:
    """Let an epoch pay for the impressions that are within their quota."""
    rest = within_quota(at, budgets, epoch, impressions, cost)
    return deduct(at, budgets, epoch, rest, cost) if rest else (budgets, ())


def attribute(at: AtConversion, draw: Draw) -> tuple[Budgets, Histogram]:
    """Fill the histogram again where something was dropped."""
    after, histogram = attribute_with_one_draw(at, draw)
    current = epoch_of(at, at.now)
    selected = matching(at, current)
    cost = at.rules.charge(at, True, 0)
    rest = within_quota(at, at.device.budgets, current, selected, cost)
    if at.rules.single_epoch(at) and after != at.device.budgets and rest and rest != selected:
        return after, at.rules.fill(at, rest, draw)
    return after, histogram


RULES = replace(LEVEL_1_ONE_DRAW, attribute=attribute, deduct=deduct_for_the_rest)
