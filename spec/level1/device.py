"""A device: what a browser keeps, how a page becomes active, and how the user clears history.

Paper: none (the draft Attribution Level 1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from immutables import Map

from spec.level1.budgets import BudgetKey, Budgets
from spec.level1.epochs import epoch_of
from spec.level1.impressions import Impression

if TYPE_CHECKING:
    from spec.distributions import Draw
    from spec.level1.rules import Level1Rules, OnBrowser


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """Hold a page's state: whether the interface is enabled there, and the last user activation.

    Draft: Attribution API Activation.
    """

    enabled: bool = False
    activated: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """Hold all that a browser keeps for attribution.

    Draft: State For Privacy Budget Management; Impression Store.
    """

    impressions: tuple[Impression, ...] = ()
    budgets: Budgets = Budgets()
    epoch_start: int | None = None
    last_clearing: int | None = None
    enabled: bool = True
    pages: Map[str, Activation] = Map()


def with_epochs(rules: Level1Rules, now: int, device: Device, draw: Draw) -> Device:
    """Return the device with a start of its epochs, drawn if this is their first use.

    Draft: Epoch Start Time.
    """
    from spec.level1.rules import OnBrowser

    if device.epoch_start is not None:
        return device
    at = OnBrowser(rules=rules, now=now, device=device)
    return replace(device, epoch_start=draw(rules.epoch_start(at, now)))


def check_activation(at: OnBrowser, page: Activation) -> Activation | None:
    """Enable the page if it is enabled already or was activated a short time ago.

    As in the draft, an activation is not used up: another site may use it too.

    Draft: Attribution API Activation.
    """
    duration = at.limits.activation_duration
    if duration is None or page.enabled:
        return page
    if page.activated is None or page.activated + duration < at.now:
        return None
    return replace(page, enabled=True)


def clear_history(at: OnBrowser, sites: frozenset[str], forget_visits: bool) -> Device:
    """Use up the sites' budgets; or forget their visits, and start anew with the next epoch.

    To forget visits to no site in particular is to forget everything. The global budget of what is
    not forgotten stays spent.

    Draft: Last Browsing History Clear Time; Clearing API State.
    """
    device, budgets = at.device, at.device.budgets
    if not forget_visits:
        spent = budgets.sites
        for epoch in range(at.rules.first_epoch(at), epoch_of(at, at.now) + 1):
            for site in sites:
                spent = spent.set((epoch, site), 0)
        return replace(device, budgets=replace(budgets, sites=spent))
    remembered = at.rules.last_clearing(at)
    if not sites:
        return replace(device, impressions=(), budgets=Budgets(), last_clearing=remembered)
    return replace(
        device,
        impressions=tuple(each for each in device.impressions if each.site not in sites),
        budgets=replace(
            budgets,
            sites=_without(budgets.sites, sites),
            quotas=_without(budgets.quotas, sites),
        ),
        last_clearing=remembered,
    )


def _without(kept: Map[BudgetKey, int], sites: frozenset[str]) -> Map[BudgetKey, int]:
    for key in kept:
        kept = kept.delete(key) if key[1] in sites else kept
    return kept


def last_clearing(at: OnBrowser) -> int:
    """Remember the time of the clearing, whatever was remembered before.

    Draft: Last Browsing History Clear Time.
    """
    return at.now
