"""Versions of Attribution Level 1 as values.

Paper: none (the draft Attribution Level 1).
"""

from __future__ import annotations

from dataclasses import replace

from spec.level1 import (
    aggregation,
    budgets,
    credit,
    device,
    epochs,
    impressions,
    measurement,
    sites,
)
from spec.level1.rules import Level1Limits, Level1Rules

LIMITS = Level1Limits(site_budget=10**6, global_budget=8 * 10**6, site_quota=4 * 10**6)
"""Limits that an implementation could choose: one epsilon for a site, multiples of it for all."""

LEVEL_1_2026_05 = Level1Rules(
    limits=LIMITS,
    parse_site=sites.parse_site,
    check_activation=device.check_activation,
    validate_impression=impressions.validate_impression,
    save=impressions.save,
    epoch_start=epochs.epoch_start,
    first_epoch=epochs.first_epoch,
    validate_conversion=measurement.validate_conversion,
    matches=impressions.matches,
    single_epoch=epochs.single_epoch,
    charge=budgets.charge,
    deduct=budgets.deduct,
    allocate=credit.allocate,
    fill=credit.fill,
    attribute=measurement.attribute_with_two_draws,
    stated_budget=measurement.stated_budget,
    clear_site=impressions.clear_site,
    clear_history=device.clear_history,
    last_clearing=device.last_clearing,
    accept=aggregation.accept,
    noise=aggregation.noise,
)
"""The draft of 14 May 2026 (w3c/attribution at 9fab4e8), which fills a histogram twice."""

LEVEL_1_ONE_DRAW = replace(LEVEL_1_2026_05, attribute=measurement.attribute_with_one_draw)
"""The same with the change that fills the histogram once."""

VERSIONS = {"2026-05": LEVEL_1_2026_05, "one-draw": LEVEL_1_ONE_DRAW}
