"""Broken copies of the rules of Attribution Level 1, each with one slip, to measure tests by.

A test suite that passes on a broken copy does not notice the slip. Some slips give a result that is
too large or too small; others let a budget be overdrawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import Any

from spec.distributions import Draw
from spec.level1 import (
    LEVEL_1_2026_05,
    AtConversion,
    Budgets,
    Charge,
    Device,
    Histogram,
    Impression,
    Level1Limits,
    Level1Rules,
    OnBrowser,
)
from spec.level1.budgets import affordable, charge, deduct, paid, sites_of
from spec.level1.device import clear_history
from spec.level1.epochs import epoch_of
from spec.level1.impressions import clear_site, matches
from spec.level1.measurement import nothing
from spec.level1.sites import parse_site

DRAFT = LEVEL_1_2026_05


def selecting(**changed: Any) -> Level1Rules:
    """Return rules that match as if a field of the conversion were something else."""

    def broken(at: AtConversion, impression: Impression) -> bool:
        return matches(replace(at, conversion=replace(at.conversion, **changed)), impression)

    return replace(DRAFT, matches=broken)


def offering(**changed: Any) -> Level1Rules:
    """Return rules that match as if a field of the impression were something else."""

    def broken(at: AtConversion, impression: Impression) -> bool:
        return matches(at, replace(impression, **changed))

    return replace(DRAFT, matches=broken)


def charging(change: Callable[[AtConversion, bool, Charge], Charge]) -> Level1Rules:
    """Return rules that change a charge."""

    def broken(at: AtConversion, single: bool, l1_norm: int) -> Charge:
        return change(at, single, charge(at, single, l1_norm))

    return replace(DRAFT, charge=broken)


def limited(**changed: Any) -> Level1Rules:
    """Return rules that let an epoch pay as if a limit were another one."""

    def broken(
        at: AtConversion,
        budgets: Budgets,
        epoch: int,
        impressions: tuple[Impression, ...],
        cost: Charge,
    ) -> tuple[Budgets, tuple[Impression, ...]]:
        rules = replace(at.rules, limits=replace(at.limits, **changed))
        return deduct(replace(at, rules=rules), budgets, epoch, impressions, cost)

    return replace(DRAFT, deduct=broken)


def ends_before(at: AtConversion, impression: Impression) -> bool:
    """Let lifetimes and lookbacks end a moment early."""
    return matches(replace(at, now=at.now + 1), impression)


def called_by_the_page(at: AtConversion, impression: Impression) -> bool:
    """Take the conversion site for the caller, where an intermediary calls."""
    return matches(replace(at, caller=replace(at.caller, intermediary=None)), impression)


def saved_by_the_page(at: AtConversion, impression: Impression) -> bool:
    """Take the impression site for who saved the impression."""
    return matches(at, replace(impression, intermediary=None))


def allow_local_hosts(limits: Level1Limits, text: str) -> str | None:
    """Take a local host for a site."""
    return text if text.endswith("localhost") else parse_site(limits, text)


def keep_subdomains(limits: Level1Limits, text: str) -> str | None:
    """Take a host for a site of its own."""
    return None if parse_site(limits, text) is None else text


def filled(
    order: Callable[[Impression], tuple[int, int]], lost: bool = True, renormalised: bool = True
) -> Level1Rules:
    """Return rules that fill a histogram in another order, or lose another part of the credit."""

    def fill(at: AtConversion, impressions: tuple[Impression, ...], draw: Draw) -> Histogram:
        wanted = at.conversion
        credited = sorted(impressions, key=order)[: len(wanted.credit)]
        parts = wanted.credit[: len(credited)] if renormalised else wanted.credit
        shares = at.rules.allocate(parts, wanted.value, draw)[: len(credited)]
        histogram = [0] * wanted.histogram_size
        for impression, share in zip(credited, shares, strict=True):
            index = impression.histogram_index
            if index < wanted.histogram_size or not lost:
                histogram[min(index, wanted.histogram_size - 1)] += share
        return tuple(histogram)

    return replace(DRAFT, fill=fill)


def round_down(credit: tuple[Fraction, ...], value: int, _: Draw) -> tuple[int, ...]:
    """Round every share down; what is left over is lost."""
    return tuple(floor(value * part / sum(credit)) for part in credit)


def rest_to_the_first(credit: tuple[Fraction, ...], value: int, draw: Draw) -> tuple[int, ...]:
    """Round every share down and give what is left over to the first."""
    shares = round_down(credit, value, draw)
    return (shares[0] + value - sum(shares), *shares[1:])


def pay_even_if_short(
    at: AtConversion,
    budgets: Budgets,
    epoch: int,
    impressions: tuple[Impression, ...],
    cost: Charge,
) -> tuple[Budgets, tuple[Impression, ...]]:
    """Use up the site's budget where something is short."""
    after, kept = deduct(at, budgets, epoch, impressions, cost)
    if kept:
        return after, kept
    return replace(budgets, sites=budgets.sites.set((epoch, at.caller.site), 0)), ()


def quota_of_the_first(
    at: AtConversion,
    budgets: Budgets,
    epoch: int,
    impressions: tuple[Impression, ...],
    cost: Charge,
) -> tuple[Budgets, tuple[Impression, ...]]:
    """Charge the quota of one impression site only."""
    sites = sites_of(impressions)[:1]
    if not affordable(at, budgets, epoch, sites, cost):
        return budgets, ()
    return paid(at, budgets, epoch, sites, cost), impressions


def quota_per_impression(
    at: AtConversion,
    budgets: Budgets,
    epoch: int,
    impressions: tuple[Impression, ...],
    cost: Charge,
) -> tuple[Budgets, tuple[Impression, ...]]:
    """Charge a quota once per impression and not once per site."""
    after, kept = deduct(at, budgets, epoch, impressions, cost)
    for each in kept:
        left = after.quota(at.limits, epoch, each.site) - cost.shared
        after = replace(after, quotas=after.quotas.set((epoch, each.site), left))
    return after, kept


def one_budget_for_all_epochs(
    at: AtConversion,
    budgets: Budgets,
    _: int,
    impressions: tuple[Impression, ...],
    cost: Charge,
) -> tuple[Budgets, tuple[Impression, ...]]:
    """Charge one epoch for all."""
    return deduct(at, budgets, 0, impressions, cost)


def all_or_nothing(at: AtConversion, draw: Draw) -> tuple[Budgets, Histogram]:
    """Report nothing where one of several epochs cannot pay."""
    short: list[int] = []

    def watched(
        at: AtConversion,
        budgets: Budgets,
        epoch: int,
        impressions: tuple[Impression, ...],
        cost: Charge,
    ) -> tuple[Budgets, tuple[Impression, ...]]:
        after, kept = deduct(at, budgets, epoch, impressions, cost)
        short.extend(() if kept else (epoch,))
        return after, kept

    at = replace(at, rules=replace(at.rules, deduct=watched))
    budgets, histogram = DRAFT.attribute(at, draw)
    return budgets, nothing(at) if short else histogram


def first_epoch_of_this_lookback(at: OnBrowser) -> int:
    """Forget when history was cleared."""
    return epoch_of(at, at.now - at.limits.maximum_lookback * at.limits.day)


def clear_by_page(at: OnBrowser, site: str) -> tuple[Impression, ...]:
    """Let a page clear also what an intermediary saved there."""
    return tuple(each for each in clear_site(at, site) if each.site != site)


def clear_own_only(at: OnBrowser, site: str) -> tuple[Impression, ...]:
    """Leave the sets of sites and callers of an impression as they are."""
    return tuple(each for each in at.device.impressions if each.caller != site)


def clear_to_all(at: OnBrowser, site: str) -> tuple[Impression, ...]:
    """Keep an impression whose set of sites or callers becomes empty, which then means all."""
    return tuple(
        replace(
            each,
            conversion_sites=each.conversion_sites - {site},
            conversion_callers=each.conversion_callers - {site},
        )
        for each in at.device.impressions
        if each.caller != site
    )


def forget_nothing(at: OnBrowser, sites: frozenset[str], forget_visits: bool) -> Device:
    """Do not use up the sites' budgets where visits are not forgotten."""
    return clear_history(at, sites, forget_visits) if forget_visits else at.device


def forget_at_once(at: OnBrowser, sites: frozenset[str], forget_visits: bool) -> Device:
    """Forget budgets without closing the epoch."""
    after = clear_history(at, sites, forget_visits)
    return replace(after, last_clearing=at.device.last_clearing)


MUTANTS: Mapping[str, Level1Rules] = {
    "lifetimes are ignored": offering(lifetime=10**9),
    "lookbacks are ignored": selecting(lookback=10**9),
    "lifetimes and lookbacks end a moment early": replace(DRAFT, matches=ends_before),
    "conversion sites are ignored": offering(conversion_sites=frozenset()),
    "conversion callers are ignored": offering(conversion_callers=frozenset()),
    "match values are ignored": selecting(match_values=frozenset()),
    "impression sites are ignored": selecting(impression_sites=frozenset()),
    "impression callers are ignored": selecting(impression_callers=frozenset()),
    "the page calls for an intermediary": replace(DRAFT, matches=called_by_the_page),
    "the page saves for an intermediary": replace(DRAFT, matches=saved_by_the_page),
    "local hosts are sites": replace(DRAFT, parse_site=allow_local_hosts),
    "a host is a site of its own": replace(DRAFT, parse_site=keep_subdomains),
    "the oldest impression comes first": filled(lambda each: (-each.priority, each.timestamp)),
    "priorities are ignored": filled(lambda each: (0, -each.timestamp)),
    "low priorities come first": filled(lambda each: (each.priority, -each.timestamp)),
    "an index beyond the histogram counts as the last": filled(
        lambda each: (-each.priority, -each.timestamp), lost=False
    ),
    "credit is not shared anew among fewer impressions": filled(
        lambda each: (-each.priority, -each.timestamp), renormalised=False
    ),
    "shares are rounded down": replace(DRAFT, allocate=round_down),
    "what is left over goes to the first": replace(DRAFT, allocate=rest_to_the_first),
    "the site pays nothing": charging(lambda _, __, cost: replace(cost, site=0)),
    "the site pays for the value in a single epoch": charging(
        lambda _, __, cost: replace(cost, site=cost.shared)
    ),
    "the site pays half in a single epoch": charging(
        lambda _, single, cost: replace(cost, site=cost.site // 2) if single else cost
    ),
    "the site pays half in several epochs": charging(
        lambda _, single, cost: cost if single else replace(cost, site=cost.site // 2)
    ),
    "the shared limits are charged nothing": charging(lambda _, __, cost: replace(cost, shared=0)),
    "the shared limits are charged half": charging(
        lambda _, __, cost: replace(cost, shared=cost.shared // 2)
    ),
    "the site's budget is never short": limited(site_budget=10**12),
    "the global budget is never short": limited(global_budget=10**12),
    "the quota is never short": limited(site_quota=10**12),
    "a shortage uses up the budget": replace(DRAFT, deduct=pay_even_if_short),
    "one impression site pays the quota for all": replace(DRAFT, deduct=quota_of_the_first),
    "every impression pays the quota": replace(DRAFT, deduct=quota_per_impression),
    "all epochs have one budget": replace(DRAFT, deduct=one_budget_for_all_epochs),
    "one short epoch empties the report": replace(DRAFT, attribute=all_or_nothing),
    "no conversion is about a single epoch": replace(DRAFT, single_epoch=lambda _: False),
    "every conversion is about a single epoch": replace(DRAFT, single_epoch=lambda _: True),
    "the last clearing is forgotten": replace(DRAFT, first_epoch=first_epoch_of_this_lookback),
    "only the current epoch is used": replace(
        DRAFT, first_epoch=lambda at: max(DRAFT.first_epoch(at), epoch_of(at, at.now))
    ),
    "a page clears what an intermediary saved": replace(DRAFT, clear_site=clear_by_page),
    "a site stays a conversion site when it clears": replace(DRAFT, clear_site=clear_own_only),
    "an impression for nobody becomes one for all": replace(DRAFT, clear_site=clear_to_all),
    "clearing site data leaves the budget": replace(DRAFT, clear_history=forget_nothing),
    "forgetting visits leaves the epoch open": replace(DRAFT, clear_history=forget_at_once),
}
