r"""Budgets: what is left per epoch, what a report costs, and how an epoch pays.

Three limits apply to the impressions of an epoch: the budget of every conversion site, one global
budget, and the quota of every impression site. A report pays all of them at once or none.

Paper: none (the draft Attribution Level 1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, TypeAlias

from immutables import Map

if TYPE_CHECKING:
    from spec.level1.impressions import Impression
    from spec.level1.rules import AtConversion, Level1Limits

BudgetKey: TypeAlias = tuple[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """Hold what is left, in grains; what is not listed is untouched.

    `sites` and `quotas` are by epoch and site, `shared` is the global budget by epoch.

    Draft: Privacy Budget Store.
    """

    sites: Map[BudgetKey, int] = Map()
    shared: Map[int, int] = Map()
    quotas: Map[BudgetKey, int] = Map()

    def site(self, limits: Level1Limits, epoch: int, site: str) -> int:
        """Return what a conversion site has left in an epoch."""
        return self.sites.get((epoch, site), limits.site_budget)

    def globally(self, limits: Level1Limits, epoch: int) -> int:
        """Return what all sites together have left in an epoch."""
        return self.shared.get(epoch, limits.global_budget)

    def quota(self, limits: Level1Limits, epoch: int, site: str) -> int:
        """Return what an impression site has left of its quota in an epoch."""
        return self.quotas.get((epoch, site), limits.site_quota)


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """Hold what a report costs an epoch, in grains: the site's budget, and each shared limit.

    Draft: Privacy Budget Store.
    """

    site: int
    shared: int


def noise_scale(max_value: int, epsilon: Fraction) -> Fraction:
    r"""Return the scale of the noise that a charge is for, $2 m / \varepsilon$.

    Draft: Privacy Budget Store.
    """
    return 2 * max_value / epsilon


def charge(at: AtConversion, single: bool, l1_norm: int) -> Charge:
    """Charge the shared limits for twice the value, and so the site unless one epoch is asked.

    Within a single epoch the histogram is there or it is all zero, so that the site pays for its
    norm. Charges are rounded up to whole grains.

    Draft: Privacy Budget Store.
    """
    wanted, grains = at.conversion, at.limits.grains
    scale = noise_scale(wanted.max_value, wanted.epsilon)
    for_value = rounded_up(2 * wanted.value / scale * grains)
    for_norm = rounded_up(l1_norm / scale * grains)
    return Charge(site=for_norm if single else for_value, shared=for_value)


def rounded_up(charged: Fraction) -> int:
    """Return a charge in whole grains, never less than it is.

    Draft: Privacy Budget Store.
    """
    return ceil(charged)


def deduct(
    at: AtConversion,
    budgets: Budgets,
    epoch: int,
    impressions: tuple[Impression, ...],
    cost: Charge,
) -> tuple[Budgets, tuple[Impression, ...]]:
    """Let an epoch pay for its impressions, from all limits at once; else use none of them.

    Each impression site's quota is charged once.

    Draft: Privacy Budget Store.
    """
    sites = sites_of(impressions)
    if not affordable(at, budgets, epoch, sites, cost):
        return budgets, ()
    return paid(at, budgets, epoch, sites, cost), impressions


def affordable(
    at: AtConversion, budgets: Budgets, epoch: int, sites: Iterable[str], cost: Charge
) -> bool:
    """Tell whether the site, the global budget and the quota of every impression site suffice.

    Draft: Privacy Budget Store.
    """
    limits = at.limits
    return (
        cost.site <= budgets.site(limits, epoch, at.caller.site)
        and cost.shared <= budgets.globally(limits, epoch)
        and all(cost.shared <= budgets.quota(limits, epoch, site) for site in sites)
    )


def paid(
    at: AtConversion, budgets: Budgets, epoch: int, sites: Iterable[str], cost: Charge
) -> Budgets:
    """Return the budgets after a charge to the site, the global budget and each quota.

    Draft: Privacy Budget Store.
    """
    limits, site = at.limits, at.caller.site
    quotas = budgets.quotas
    for each in sites:
        quotas = quotas.set((epoch, each), budgets.quota(limits, epoch, each) - cost.shared)
    left = budgets.site(limits, epoch, site) - cost.site
    return replace(
        budgets,
        sites=budgets.sites.set((epoch, site), left),
        shared=budgets.shared.set(epoch, budgets.globally(limits, epoch) - cost.shared),
        quotas=quotas,
    )


def sites_of(impressions: Iterable[Impression]) -> tuple[str, ...]:
    """Return the impression sites, each once, in order of appearance.

    Draft: Privacy Budget Store.
    """
    found: tuple[str, ...] = ()
    for impression in impressions:
        found = found if impression.site in found else (*found, impression.site)
    return found
