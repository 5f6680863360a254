"""Small universes for Attribution Level 1, each within the hypotheses of a guarantee."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from properties.level1.game import Reaction
from properties.level1.in_parts import IN_PARTS
from properties.level1.making import (
    AGENCY,
    BLOG,
    GLOBAL_ONLY,
    LOST,
    NEWS,
    ONE_BUCKET,
    PARK,
    SHOP,
    SHORT,
    SITE_ONLY,
    SMALL,
    TOYS,
    TWO_SAVED,
    ZOO,
    against_all,
    asked,
    globally,
    measured,
    one_by_one,
    saved,
    summed,
    universe,
)
from spec.level1 import ClearHistory, Level1Unit, SetEnabled, claims
from spec.level1.claims import GLOBAL, ONE_SITE, ONE_VIEW
from spec.numbers import Base

LOST_CREDIT = universe(
    "one epoch, half of the credit lost",
    saved(4, 0),
    saved(5, 1),
    *asked(5, 1, 2, epsilon=4, **LOST),
    summed(1, 2, budget=4),
)
TWO_EPOCHS = universe(
    "two epochs, one site",
    *TWO_SAVED,
    measured(16, 1),
    measured(16, 2, impression_sites=(NEWS,)),
    *one_by_one(1, 2),
    epoch=1,
)
TWO_EPOCHS_ALL_SITES = replace(
    TWO_EPOCHS,
    name="two epochs, all sites",
    limits=GLOBAL_ONLY,
    moves=(
        *TWO_SAVED,
        measured(16, 1, epsilon=4),
        measured(16, 2, epsilon=4, site=TOYS, impression_sites=(NEWS,)),
        *one_by_one(1, 2, budget=4),
    ),
    epsilon=Fraction(4),
    view=None,
)
TWO_EPOCHS_QUOTA = universe(
    "two epochs, quotas are short",
    saved(5, 0, NEWS),
    saved(15, 0, BLOG),
    saved(15, 0, ZOO),
    saved(15, 0, PARK),
    measured(16, 1, impression_sites=(ZOO,), **ONE_BUCKET),
    measured(16, 2, impression_sites=(PARK,), **ONE_BUCKET),
    measured(16, 9, site=TOYS, impression_sites=(NEWS, BLOG), histogram_size=1),
    measured(16, 3, impression_sites=(NEWS,), histogram_size=1),
    summed(1, 2, 3),
    epoch=1,
    limits=replace(SITE_ONLY, site_quota=2),
)
QUOTA_ALL_SITES = universe(
    "three epochs, all sites, quotas are short",
    saved(7, 0, PARK),
    saved(15, 0, NEWS),
    saved(25, 1, BLOG),
    saved(25, 1, ZOO),
    measured(26, 1, impression_sites=(NEWS, BLOG)),
    measured(26, 2, impression_sites=(PARK, ZOO)),
    measured(26, 3, impression_sites=(NEWS,), histogram_size=1),
    summed(1, 2),
    summed(3),
    epoch=2,
    epsilon=4,
    limits=replace(GLOBAL_ONLY, site_quota=2),
    view=None,
)
SITES_ALL_SITES = universe(
    "three epochs, all sites, budgets of sites are short",
    saved(7, 0, PARK),
    saved(15, 1, NEWS, priority=1),
    saved(25, 0, BLOG),
    measured(26, 1, impression_sites=(NEWS, BLOG)),
    measured(26, 2, site=TOYS, impression_sites=(PARK, NEWS)),
    measured(26, 3, impression_sites=(BLOG,), histogram_size=1),
    *one_by_one(1, 2, 3),
    epoch=1,
    epsilon=4,
    limits=SMALL,
    view=None,
)
TWO_EPOCHS_OLDER = universe(
    "two epochs, the older one credited",
    saved(5, 0, NEWS, priority=1),
    saved(15, 1, BLOG),
    measured(16, 1),
    measured(16, 2, impression_sites=(BLOG,)),
    *one_by_one(1, 2),
)
TWO_EPOCHS_OFTEN = universe(
    "two epochs, asked three times",
    *TWO_SAVED,
    *asked(16, 1, 2, 3),
    summed(1, 2, 3),
    epoch=1,
)
OVER_QUOTA = universe(
    "one epoch, an impression site over its quota",
    saved(5, 1, BLOG, priority=1),
    saved(5, 0, NEWS),
    measured(5, 9, epsilon=6, site=TOYS, impression_sites=(BLOG,), **ONE_BUCKET),
    *asked(5, 1, 2, 3, **ONE_BUCKET),
    summed(1, 2, 3),
    limits=replace(SITE_ONLY, site_quota=6),
)
CLEARED = universe(
    "one epoch, history cleared in between",
    saved(5, 0),
    measured(5, 1, epsilon=4, **SHORT),
    ClearHistory(now=6, sites=frozenset({SHOP}), forget_visits=True),
    measured(6, 2, epsilon=4, **SHORT),
    summed(1, 2, budget=4),
)
CLEARED_ALL = universe(
    "one epoch, everything cleared twice in between",
    saved(5, 0),
    measured(5, 1, epsilon=4, **ONE_BUCKET),
    ClearHistory(now=6, sites=frozenset(), forget_visits=True),
    saved(6, 0),
    measured(6, 2, epsilon=4, **ONE_BUCKET),
    ClearHistory(now=7, sites=frozenset(), forget_visits=True),
    saved(7, 0),
    measured(7, 3, epsilon=4, **ONE_BUCKET),
    summed(1, 2, 3, budget=4),
    epsilon=4,
    limits=GLOBAL_ONLY,
    view=None,
)
CLOCK_SET_BACK = universe(
    "a clock set back between two clearings",
    saved(15, 0),
    measured(15, 1, epsilon=4, **SHORT),
    ClearHistory(now=16, sites=frozenset({SHOP}), forget_visits=True),
    ClearHistory(now=6, sites=frozenset({TOYS}), forget_visits=True),
    measured(16, 2, epsilon=4, **SHORT),
    summed(1, 2, budget=4),
    epoch=1,
)
AGGREGATED = universe(
    "one epoch, reports aggregated as the site likes",
    saved(5, 0),
    measured(5, 1, epsilon=4, **SHORT),
    measured(5, 2, epsilon=2, **SHORT),
    summed(1, budget=4),
    summed(1, 2, budget=2),
    summed(1, budget=2),
)
AGGREGATED_AGAIN = universe(
    "one epoch, a report aggregated three times",
    saved(5, 0),
    measured(5, 1, epsilon=4, **ONE_BUCKET),
    *[summed(1, budget=4)] * 3,
)
SHARED_LIMIT = universe(
    "one site uses up what another is waiting for",
    saved(5, 0),
    measured(5, 1, epsilon=4, **ONE_BUCKET),
    measured(5, 2, epsilon=4, site=TOYS, **ONE_BUCKET),
    *one_by_one(1, 2, budget=4),
    limits=SMALL,
    unit_site=SHOP,
    view=None,
)
SHARED_LIMIT_ONE_VIEW = replace(
    SHARED_LIMIT,
    name="the same, the whole epoch protected from one site",
    unit=Level1Unit(epoch=0),
    view=TOYS,
)
AMPLE_LIMITS = replace(SHARED_LIMIT, name="the same with ample shared limits", limits=SITE_ONLY)
REACTION = universe(
    "another site reacts to its own answer",
    saved(5, 0),
    measured(5, 1, epsilon=4, site=TOYS, **ONE_BUCKET),
    measured(5, 2, epsilon=4, **ONE_BUCKET),
    Reaction(job=summed(1, budget=4), at_least=1, move=saved(15, 0)),
    measured(15, 3, epsilon=4, **ONE_BUCKET),
    *one_by_one(2, 3, budget=4),
)
STORAGE = universe(
    "two epochs, little storage",
    saved(5, 1, NEWS),
    saved(15, 0, BLOG),
    *asked(16, 1, 2, impression_sites=(BLOG,), **SHORT),
    measured(16, 3, impression_sites=(NEWS,)),
    summed(1, 2, 3),
    epoch=1,
)
STORAGE_UNSAVED = replace(STORAGE, name="the same, never saved", never_saved=True)
FRACTION_OF_A_GRAIN = universe(
    "an epsilon between two grains",
    *TWO_SAVED,
    measured(16, 1, epsilon=Fraction(6, 5), value=2, max_value=3),
    summed(1),
    epoch=1,
    epsilon=1,
    limits=replace(SITE_ONLY, site_budget=1, base=Base(Fraction(8))),
)
ONE_IMPRESSION = universe(
    "one impression of two",
    saved(5, 0, match_value=1),
    saved(6, 1, match_value=2),
    measured(6, 1, epsilon=4, lookback_days=3),
    summed(1, budget=4),
    match_value=2,
)
ONE_IMPRESSION_TWICE = replace(
    ONE_IMPRESSION, name="the same at twice the epsilon", epsilon=Fraction(4)
)

SEVERAL_EPOCHS = universe(
    "two epochs protected together",
    saved(7, 0, NEWS),
    saved(15, 1, BLOG),
    saved(25, 1, ZOO),
    measured(26, 1, epsilon=4, impression_sites=(NEWS, BLOG)),
    measured(26, 2, epsilon=4, site=TOYS, impression_sites=(NEWS, ZOO)),
    *one_by_one(1, 2, budget=4),
    epoch=1,
    epochs=2,
    epsilon=8,
    limits=GLOBAL_ONLY,
    view=None,
)
SEVERAL_EPOCHS_AS_ONE = replace(
    SEVERAL_EPOCHS, name="two epochs for the epsilon of one", epsilon=Fraction(4)
)

MIXED_BUDGETS = universe(
    "one epoch, reports of different budgets in one job",
    saved(5, 0),
    measured(5, 1, epsilon=6, impression_sites=(BLOG,), **ONE_BUCKET),
    *asked(5, 2, 3, **ONE_BUCKET),
    summed(1, 2, 3),
)
CROWD = universe(
    "one epoch, three impressions, asked three times",
    saved(5, 0, NEWS),
    saved(5, 0, BLOG),
    saved(5, 0, ZOO),
    *asked(5, 1, 2, 3, **ONE_BUCKET),
    summed(1, 2, 3),
)
BETWEEN = universe(
    "one epoch, an intermediary asks",
    saved(5, 0, NEWS),
    *(replace(each, caller=AGENCY) for each in asked(5, 1, 2, 3, **ONE_BUCKET)),
    summed(1, 2, 3),
)
CLEARED_WHILE_OFF = universe(
    "one epoch, history cleared while the interface is off",
    saved(5, 0),
    measured(5, 1, epsilon=4, **ONE_BUCKET),
    SetEnabled(now=5, enabled=False),
    ClearHistory(now=6, sites=frozenset({SHOP, "a.example", "b.example"}), forget_visits=True),
    SetEnabled(now=6, enabled=True),
    measured(6, 2, epsilon=4, **ONE_BUCKET),
    summed(1, 2, budget=4),
)
CLEARED_KEPT = universe(
    "two epochs, history cleared and visits kept",
    *TWO_SAVED,
    measured(16, 1, epsilon=4),
    ClearHistory(now=16, sites=frozenset({SHOP}), forget_visits=False),
    measured(16, 2, epsilon=4, site=TOYS),
    *one_by_one(1, 2, budget=4),
    epoch=1,
    epsilon=4,
    limits=GLOBAL_ONLY,
    view=None,
)
USED_UP = universe(
    "two epochs, the older one used up",
    saved(5, 0, NEWS),
    saved(15, 0, BLOG),
    measured(16, 1, impression_sites=(NEWS,), histogram_size=1),
    *asked(16, 2, 3, impression_sites=(BLOG,), **ONE_BUCKET),
    summed(1),
    summed(2, 3),
)
AGGREGATED_APART = universe(
    "one epoch, one report aggregated after another",
    saved(5, 0),
    *asked(5, 1, 2, **ONE_BUCKET),
    summed(1),
    *[summed(2)] * 3,
)
SITE_VIEWS = (
    LOST_CREDIT,
    TWO_EPOCHS,
    TWO_EPOCHS_OLDER,
    TWO_EPOCHS_OFTEN,
    CLEARED,
    AGGREGATED,
    MIXED_BUDGETS,
    STORAGE_UNSAVED,
    CROWD,
    BETWEEN,
    CLEARED_WHILE_OFF,
)


UNIVERSES = {
    claim: (*universes, *IN_PARTS[claim])
    for claim, universes in {
        GLOBAL: (
            TWO_EPOCHS_ALL_SITES,
            globally(TWO_EPOCHS_OFTEN),
            CLEARED_ALL,
            globally(AGGREGATED_AGAIN),
            globally(MIXED_BUDGETS),
            globally(STORAGE_UNSAVED),
            QUOTA_ALL_SITES,
            SITES_ALL_SITES,
        ),
        ONE_VIEW: (
            *SITE_VIEWS,
            TWO_EPOCHS_QUOTA,
            OVER_QUOTA,
            SHARED_LIMIT_ONE_VIEW,
        ),
        ONE_SITE: (AMPLE_LIMITS, *map(against_all, SITE_VIEWS)),
        claims.ONE_IMPRESSION: (ONE_IMPRESSION_TWICE,),
        claims.SEVERAL_EPOCHS: (SEVERAL_EPOCHS,),
    }.items()
}
"""Where attacks on each guarantee are looked for; all are within its hypotheses."""
