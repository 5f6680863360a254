"""Impressions: what is saved, what selects them, and how a site clears its own.

Paper: none (the draft Attribution Level 1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spec.level1.rules import Caller, reject
from spec.level1.sites import checked_site, checked_sites

if TYPE_CHECKING:
    from spec.level1.rules import AtConversion, OnBrowser


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpressionOptions:
    """Hold what a page passes to saveImpression(); lifetimes are in days.

    Draft: Saving Impressions.
    """

    histogram_index: int
    match_value: int = 0
    conversion_sites: tuple[str, ...] = ()
    conversion_callers: tuple[str, ...] = ()
    lifetime_days: int = 30
    priority: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Impression:
    """Hold a saved impression; an empty set of sites or callers stands for all.

    Draft: Contents.
    """

    site: str
    timestamp: int
    histogram_index: int
    lifetime: int
    match_value: int = 0
    intermediary: str | None = None
    conversion_sites: frozenset[str] = frozenset()
    conversion_callers: frozenset[str] = frozenset()
    priority: int = 0

    @property
    def caller(self) -> str:
        """Return who saved the impression."""
        return self.site if self.intermediary is None else self.intermediary


def validate_impression(at: OnBrowser, caller: Caller, options: ImpressionOptions) -> Impression:
    """Check what a page passes, clamp the lifetime, and return the impression.

    Draft: Save Impression Algorithm.
    """
    rules, limits = at.rules, at.limits
    site = checked_site(rules, caller.site)
    between = None if caller.intermediary is None else checked_site(rules, caller.intermediary)
    if not 0 <= options.histogram_index < limits.maximum_histogram:
        reject("RangeError", "histogramIndex is beyond every histogram")
    if options.lifetime_days <= 0:
        reject("RangeError", "lifetimeDays must be positive")
    sites = checked_sites(
        rules, options.conversion_sites, limits.maximum_conversion_sites, "conversionSites"
    )
    callers = checked_sites(
        rules, options.conversion_callers, limits.maximum_conversion_callers, "conversionCallers"
    )
    return Impression(
        site=site,
        timestamp=at.now,
        histogram_index=options.histogram_index,
        lifetime=min(options.lifetime_days, limits.maximum_lookback) * limits.day,
        match_value=options.match_value,
        intermediary=between,
        conversion_sites=sites,
        conversion_callers=callers,
        priority=options.priority,
    )


def save(at: OnBrowser, impression: Impression) -> tuple[Impression, ...]:
    """Add the impression to the store; the newest stands last.

    Draft: Save Impression Algorithm; Maintenance.
    """
    return (*at.device.impressions, impression)


def matches(at: AtConversion, impression: Impression) -> bool:
    """Select an impression that has not expired and that both sides want to be selected.

    The moment at which a lifetime or a lookback ends still belongs to it.

    Draft: Common Impression Matching Logic.
    """
    wanted = at.conversion
    return (
        at.now <= impression.timestamp + impression.lifetime
        and at.now <= impression.timestamp + wanted.lookback
        and _allows(impression.conversion_sites, at.caller.site)
        and _allows(impression.conversion_callers, at.caller.name)
        and (not wanted.match_values or impression.match_value in wanted.match_values)
        and _allows(wanted.impression_sites, impression.site)
        and _allows(wanted.impression_callers, impression.caller)
    )


def _allows(listed: frozenset[str], site: str) -> bool:
    return not listed or site in listed


def clear_site(at: OnBrowser, site: str) -> tuple[Impression, ...]:
    """Remove what the site saved, and the site from those that may use an impression.

    An impression that nobody may use any more goes. Budgets stay as they are.

    Draft: `Clear-Site-Data` Integration.
    """
    left = (_without(impression, site) for impression in at.device.impressions)
    return tuple(impression for impression in left if impression is not None)


def _without(impression: Impression, site: str) -> Impression | None:
    if impression.caller == site:
        return None
    sites, callers = impression.conversion_sites - {site}, impression.conversion_callers - {site}
    if (impression.conversion_sites and not sites) or (
        impression.conversion_callers and not callers
    ):
        return None
    return replace(impression, conversion_sites=sites, conversion_callers=callers)
