"""Moves and limits of small universes for Attribution Level 1, and how a universe is put together.

Probabilities are fractions and budgets a few grains. An epsilon of two costs two grains; a
conversion of value one then has noise of ratio one half. Epochs last ten seconds and a day one
second. The unit is an epoch of the only device.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from properties.level1.game import Level1Universe
from spec.level1 import (
    LIMITS,
    Caller,
    ConversionOptions,
    ImpressionOptions,
    Job,
    Level1Unit,
    MeasureConversion,
    SaveImpression,
)
from spec.numbers import Base

SERVICE = "https://agg-service.example"
SHOP, TOYS = "shop.example", "toys.example"
NEWS, BLOG, ZOO, PARK = "news.example", "blog.example", "zoo.example", "park.example"
AMPLE = 1000

SMALL = replace(
    LIMITS,
    site_budget=2,
    global_budget=4,
    site_quota=AMPLE,
    grains=1,
    base=Base(Fraction(2)),
    epoch=10,
    day=1,
    hour=1,
    maximum_lookback=20,
    minimum_batch=1,
)
SITE_ONLY = replace(SMALL, global_budget=AMPLE)
"""Only the budgets of sites are ever short."""

GLOBAL_ONLY = replace(SMALL, site_budget=AMPLE)
"""Only the global budget is ever short."""


def saved(now: int, index: int, site: str = NEWS, **options: Any) -> SaveImpression:
    """Return a call that saves an impression."""
    options["histogram_index"] = index
    return SaveImpression(now=now, caller=Caller(site=site), options=ImpressionOptions(**options))


def measured(
    now: int, report: int, epsilon: Fraction | int = 2, site: str = SHOP, **options: Any
) -> MeasureConversion:
    """Return a call that measures a conversion; by default one with two buckets."""
    options = {"histogram_size": 2, **options}
    asked = ConversionOptions(service=SERVICE, epsilon=Fraction(epsilon), **options)
    return MeasureConversion(now=now, caller=Caller(site=site), options=asked, report_id=report)


def asked(now: int, *reports: int, **options: Any) -> tuple[MeasureConversion, ...]:
    """Return calls that measure conversions alike."""
    return tuple(measured(now, report, **options) for report in reports)


def summed(*reports: int, budget: int = 2) -> Job:
    """Return a job over reports."""
    return Job(report_ids=reports, minimal_budget=budget)


def one_by_one(*reports: int, budget: int = 2) -> tuple[Job, ...]:
    """Return a job for each report."""
    return tuple(summed(report, budget=budget) for report in reports)


def universe(
    name: str,
    *moves: Any,
    epoch: int = 0,
    epsilon: int = 2,
    limits: Any = SITE_ONLY,
    view: str | None = SHOP,
    **more: Any,
) -> Level1Universe:
    """Return a universe about an epoch of the only device; one site looks if not said else."""
    unit = Level1Unit(
        epoch=epoch,
        epochs=more.pop("epochs", 1),
        site=more.pop("unit_site", None),
        match_value=more.pop("match_value", None),
    )
    return Level1Universe(
        name=name,
        limits=limits,
        moves=moves,
        unit=unit,
        epsilon=Fraction(epsilon),
        view=view,
        **more,
    )


EQUAL = (Fraction(1), Fraction(1))
SHORT: dict[str, Any] = {"lookback_days": 2}
ONE_BUCKET: dict[str, Any] = {**SHORT, "histogram_size": 1}
LOST: dict[str, Any] = {**ONE_BUCKET, "credit": EQUAL}
TWO_SAVED = (saved(5, 0, NEWS), saved(15, 1, BLOG))
AGENCY = Caller(site=SHOP, intermediary="agency.example")


def against_all(each: Level1Universe) -> Level1Universe:
    """Return a universe of one site in which its share of the epoch is protected from all."""
    unit = replace(each.unit, site=SHOP)
    return replace(each, name=f"{each.name}, against all", unit=unit, view=None)


def globally(each: Level1Universe) -> Level1Universe:
    """Return a universe in which all sites share the global budget, and only that runs short."""
    limits, epsilon = GLOBAL_ONLY, Fraction(GLOBAL_ONLY.global_budget)
    name = f"{each.name}, globally"
    return replace(each, name=name, limits=limits, epsilon=epsilon, view=None)
