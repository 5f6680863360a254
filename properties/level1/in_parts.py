"""Universes of Attribution Level 1 in which budgets are paid, and reports used, part by part.

What is asked for again is not always the same. A rule may look whether something is left, and not
whether it is enough: so cheap reports come before dear ones, and a report takes part in jobs of
every budget up to what it states, and beyond it. These are the values by which
level1_budgets_are_never_overdrawn and level1_reports_are_accepted_once are refuted, made by moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from properties.level1.game import Level1Universe
from properties.level1.making import (
    BLOG,
    GLOBAL_ONLY,
    NEWS,
    ONE_BUCKET,
    SHORT,
    SITE_ONLY,
    TOYS,
    TWO_SAVED,
    against_all,
    measured,
    saved,
    summed,
    universe,
)
from spec.level1.claims import GLOBAL, ONE_IMPRESSION, ONE_SITE, ONE_VIEW, SEVERAL_EPOCHS
from spec.numbers import Base

FOUR = Base(Fraction(4))
"""In this base noise for an odd number of grains has a ratio that is a fraction."""

JOBS = tuple(summed(1, budget=grains) for grains in (1, 2, 3, 4, 4, 3, 2, 1, 5))
"""Jobs for every part of a report that states four grains: rising, falling, and for more."""

USED_IN_PARTS = universe(
    "one epoch, a report aggregated with every budget",
    saved(5, 0),
    measured(5, 1, epsilon=4, **ONE_BUCKET),
    *JOBS,
    limits=replace(SITE_ONLY, base=FOUR),
)
USED_IN_PARTS_GLOBALLY = universe(
    "two epochs, a report aggregated with every budget",
    *TWO_SAVED,
    measured(16, 1, epsilon=4),
    *JOBS,
    epoch=1,
    epsilon=4,
    limits=replace(GLOBAL_ONLY, base=FOUR),
    view=None,
)
USED_IN_PARTS_IMPRESSION = universe(
    "one impression of two, a report aggregated with every budget",
    saved(5, 0, match_value=1),
    saved(6, 1, match_value=2),
    measured(6, 1, epsilon=4, **SHORT),
    *JOBS,
    match_value=2,
    epsilon=4,
    limits=replace(SITE_ONLY, base=FOUR),
)
DEARER = universe(
    "one epoch, dearer reports after cheaper ones",
    saved(5, 0),
    measured(5, 1, epsilon=2, **ONE_BUCKET),
    measured(5, 2, epsilon=4, **ONE_BUCKET),
    measured(5, 3, epsilon=8, **ONE_BUCKET),
    summed(1, budget=2),
    summed(2, budget=4),
    summed(3, budget=8),
)
DEARER_GLOBALLY = universe(
    "two epochs, dearer reports of another site after cheaper ones",
    *TWO_SAVED,
    measured(16, 1, epsilon=2),
    measured(16, 2, epsilon=4, site=TOYS),
    summed(1, budget=2),
    summed(2, budget=4),
    epoch=1,
    epsilon=4,
    limits=GLOBAL_ONLY,
    view=None,
)
DEARER_IMPRESSION = universe(
    "one impression of two, a dearer report after a cheaper one",
    saved(5, 0, match_value=1),
    saved(6, 1, match_value=2),
    measured(6, 1, epsilon=2, **SHORT),
    measured(6, 2, epsilon=4, **SHORT),
    summed(1, budget=2),
    summed(2, budget=4),
    match_value=2,
    epsilon=4,
)
DEARER_SEVERAL = universe(
    "two epochs protected together, a dearer report after a cheaper one",
    saved(7, 0, NEWS),
    saved(15, 1, BLOG),
    measured(26, 1, epsilon=2),
    measured(26, 2, epsilon=8, site=TOYS),
    summed(1, budget=2),
    summed(2, budget=8),
    epoch=1,
    epochs=2,
    epsilon=8,
    limits=GLOBAL_ONLY,
    view=None,
)

IN_PARTS: Mapping[str, tuple[Level1Universe, ...]] = {
    GLOBAL: (DEARER_GLOBALLY, USED_IN_PARTS_GLOBALLY),
    ONE_VIEW: (DEARER, USED_IN_PARTS),
    ONE_SITE: (against_all(DEARER), against_all(USED_IN_PARTS)),
    ONE_IMPRESSION: (DEARER_IMPRESSION, USED_IN_PARTS_IMPRESSION),
    SEVERAL_EPOCHS: (DEARER_SEVERAL,),
}
"""Where such attacks on each guarantee are looked for."""
