r"""No budget, global budget or quota of an epoch is ever overdrawn.

Claim: What an epoch pays for, summed over all reports, is at most the site's budget, the global
    budget and each quota, whatever is cleared in between, if the clock is never set back.
Paper: none (Attribution Level 1).
Method: Inductive invariant: what is left is never negative and never grows, and impressions are
    used only if the site's budget and the global budget fell by the charge. `deduct` is run for any
    epoch on symbolic budgets of that epoch and of another, for one or two impressions of one or two
    impression sites, which it may only hand on; what it leaves alone stays as it is. Induction on
    the impressions: `affordable` and `paid` treat impression sites one by one, and the two budgets
    that privacy rests on are the same for any number. Clearing is the only way in which something
    grows. It is run for any time of clearing, any start of the epochs, any sites and any entry;
    loops of the draft run for any one epoch. What is renewed belongs to an epoch that is not after
    the clearing that is remembered, and such an epoch is before the first one that is used from
    then on. An epoch that was closed stays closed.
Assumes: The clock is never set back. Impressions are saved in the epoch of their time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import cast
from unittest.mock import patch

from proofs._proof import Proof, assume, exists
from proofs._subjects import for_all_rules, opaque, plain, unchecked
from proofs._symbolic import free
from proofs.level1._subjects import (
    BLOG,
    NEWS,
    SHOP,
    TOYS,
    Sites,
    at_conversion,
    budgets,
    handed,
    impression,
    is_used,
    limits_of,
)
from spec.level1 import (
    LEVEL_1_ONE_DRAW,
    AtConversion,
    Budgets,
    Charge,
    Conversion,
    Device,
    Impression,
    Level1Limits,
    Level1Rules,
    OnBrowser,
)
from spec.level1 import device as spec_device
from spec.level1.budgets import affordable, deduct, paid, sites_of
from spec.level1.device import clear_history
from spec.level1.epochs import epoch_of

WEEK = 7 * 86400
SITES = cast("frozenset[str]", Sites("the sites that are cleared"))


def any_budgets(epoch: int, other: int) -> Budgets:
    """Return budgets of two epochs, each entry any number that is not negative."""
    amounts = {
        what: free(what, int)
        for what in ("site", "site_then", "rival", "all", "all_then", "news", "blog", "news_then")
    }
    assume(*(0 <= amount for amount in amounts.values()))
    return budgets(
        [
            ((epoch, SHOP), amounts["site"]),
            ((other, SHOP), amounts["site_then"]),
            ((epoch, TOYS), amounts["rival"]),
        ],
        [(epoch, amounts["all"]), (other, amounts["all_then"])],
        [
            ((epoch, NEWS), amounts["news"]),
            ((epoch, BLOG), amounts["blog"]),
            ((other, NEWS), amounts["news_then"]),
        ],
    )


def any_limits() -> Level1Limits:
    """Return limits of which only the three budgets may be read, each any number."""
    found = {what: free(what, int) for what in ("site_budget", "global_budget", "site_quota")}
    assume(*(0 <= amount for amount in found.values()))
    return limits_of(**found)


def pay(
    rules: Level1Rules, epoch: int, site: int, shared: int, two: bool, apart: bool
) -> tuple[Budgets, Budgets, bool, int]:
    """Let an epoch pay; return the budgets before and after, if it is used, and another epoch."""
    other = free("other_epoch", int)
    assume(epoch != other, 0 <= site, 0 <= shared)
    rules = replace(rules, limits=any_limits())
    before = any_budgets(epoch, other)
    at = at_conversion(rules, opaque(Conversion, "the conversion"))
    shown = handed(impression(NEWS))
    if two:
        shown = handed(impression(NEWS), impression(BLOG if apart else NEWS))
    after, used = rules.deduct(at, before, epoch, shown, Charge(site=site, shared=shared))
    return before, plain(after, Budgets), is_used(used, shown), other


@for_all_rules("nothing is overdrawn and nothing grows")
def within(rules: Level1Rules, epoch: int, site: int, shared: int, two: bool, apart: bool) -> bool:
    """Compare every entry of the epoch before and after."""
    before, after, _, _ = pay(rules, epoch, site, shared, two, apart)
    good = True
    for kept, left in (
        (before.sites[epoch, SHOP], after.sites[epoch, SHOP]),
        (before.shared[epoch], after.shared[epoch]),
        (before.quotas[epoch, NEWS], after.quotas[epoch, NEWS]),
        (before.quotas[epoch, BLOG], after.quotas[epoch, BLOG]),
    ):
        good = good & (0 <= left) & (left <= kept)
    return good


@for_all_rules("what is used is paid for by the site")
def site_pays(
    rules: Level1Rules, epoch: int, site: int, shared: int, two: bool, apart: bool
) -> bool:
    """Compare the site's budget before and after, where impressions are used."""
    before, after, used, _ = pay(rules, epoch, site, shared, two, apart)
    return not used or after.sites[epoch, SHOP] <= before.sites[epoch, SHOP] - site


@for_all_rules("what is used is paid for from the global budget")
def all_pay(rules: Level1Rules, epoch: int, site: int, shared: int, two: bool, apart: bool) -> bool:
    """Compare the global budget before and after, where impressions are used."""
    before, after, used, _ = pay(rules, epoch, site, shared, two, apart)
    return not used or after.shared[epoch] <= before.shared[epoch] - shared


@for_all_rules("other epochs and other sites are left alone")
def others_untouched(
    rules: Level1Rules, epoch: int, site: int, shared: int, two: bool, apart: bool
) -> bool:
    """Compare what is not this epoch's and this site's before and after."""
    before, after, _, other = pay(rules, epoch, site, shared, two, apart)
    return (
        (after.sites[epoch, TOYS] == before.sites[epoch, TOYS])
        & (after.sites[other, SHOP] == before.sites[other, SHOP])
        & (after.shared[other] == before.shared[other])
        & (after.quotas[other, NEWS] == before.quotas[other, NEWS])
    )


def cleared(
    rules: Level1Rules,
    now: int,
    start: int,
    last: int,
    epoch: int,
    everything: bool,
    first: bool = False,
    forget: bool = True,
) -> tuple[Device, Device, OnBrowser]:
    """Clear for the first time, or at a time that is not before the last clearing."""
    amounts = {what: free(what, int) for what in ("site", "rival", "all", "news")}
    days = free("maximum_lookback", int)
    assume(1 <= days)
    limits = limits_of(epoch=WEEK, maximum_lookback=days, day=86400)
    assume(last <= now, *(0 <= amount for amount in amounts.values()))
    kept = budgets(
        [((epoch, SHOP), amounts["site"]), ((epoch, TOYS), amounts["rival"])],
        [(epoch, amounts["all"])],
        [((epoch, NEWS), amounts["news"])],
    )
    device = unchecked(
        Device,
        impressions=handed(impression(NEWS), some=False),
        budgets=kept,
        epoch_start=start,
        last_clearing=None if first else last,
        enabled=free("enabled", int) > 0,
    )
    at = unchecked(OnBrowser, rules=replace(rules, limits=limits), now=now, device=device)
    sites = frozenset[str]() if everything else SITES
    with one_by_one():
        after = at.rules.clear_history(at, sites, forget)
    return device, plain(after, Device), at


def any_of(first: int, end: int) -> tuple[int, ...]:
    """Return any epoch of a range, or none if there is none: a loop treats all of them alike."""
    if not first < end:
        return ()
    epoch = free("some_epoch", int)
    assume(first <= epoch, epoch < end)
    return (epoch,)


@contextmanager
def one_by_one() -> Iterator[None]:
    """Let the draft's loops run once, for any epoch, and hand on what they leave of a store."""
    with (
        patch.object(spec_device, "range", any_of, create=True),
        patch.object(spec_device, "tuple", lambda left: handed(*left, some=False), create=True),
    ):
        yield


@for_all_rules("what clearing renews belongs to an epoch that is closed")
def renewed_is_closed(
    rules: Level1Rules,
    now: int,
    start: int,
    last: int,
    epoch: int,
    everything: bool,
    first: bool,
) -> bool:
    """Look at entries of any epoch that may hold something: one that has begun."""
    before, after, at = cleared(rules, now, start, last, epoch, everything, first)
    assume(epoch * WEEK + start <= now)
    kept, left = before.budgets, plain(after.budgets, Budgets)
    same = (
        (epoch, SHOP) in left.sites
        and (epoch, TOYS) in left.sites
        and epoch in left.shared
        and (epoch, NEWS) in left.quotas
        and bool(
            (left.sites[epoch, SHOP] <= kept.sites[epoch, SHOP])
            & (left.sites[epoch, TOYS] <= kept.sites[epoch, TOYS])
            & (left.shared[epoch] <= kept.shared[epoch])
            & (left.quotas[epoch, NEWS] <= kept.quotas[epoch, NEWS])
        )
    )
    if same:
        return True
    if after.last_clearing is None:
        return False
    return epoch <= epoch_of(replace(at, device=after), after.last_clearing)


@for_all_rules("an epoch that was closed stays closed")
def never_earlier(
    rules: Level1Rules, now: int, start: int, last: int, epoch: int, everything: bool
) -> bool:
    """Compare the epochs of the remembered times before and after."""
    _, after, at = cleared(rules, now, start, last, epoch, everything)
    if after.last_clearing is None:
        return False
    at = replace(at, device=after)
    return epoch_of(at, last) <= epoch_of(at, after.last_clearing)


@for_all_rules("an epoch that is not after the last clearing is before the first one used")
def closed_is_unused(rules: Level1Rules, now: int, start: int, last: int, days: int) -> bool:
    """Ask for the first epoch that is used after a clearing."""
    assume(last <= now, 1 <= days)
    limits = limits_of(epoch=WEEK, maximum_lookback=days, day=86400)
    device = unchecked(Device, epoch_start=start, last_clearing=last)
    at = unchecked(OnBrowser, rules=replace(rules, limits=limits), now=now, device=device)
    return epoch_of(at, last) < at.rules.first_epoch(at)


@for_all_rules("clearing without forgetting renews nothing")
def kept_visits(
    rules: Level1Rules, now: int, start: int, last: int, epoch: int, first: bool
) -> bool:
    """Clear site data, and look at entries of any epoch."""
    before, after, _ = cleared(rules, now, start, last, epoch, False, first, forget=False)
    kept, left = before.budgets, plain(after.budgets, Budgets)
    good = True
    for was, now_left in (
        (kept.sites[epoch, SHOP], left.sites[epoch, SHOP]),
        (kept.sites[epoch, TOYS], left.sites[epoch, TOYS]),
        (kept.shared[epoch], left.shared[epoch]),
        (kept.quotas[epoch, NEWS], left.quotas[epoch, NEWS]),
    ):
        good = good & (0 <= now_left) & (now_left <= was)
    return good


@exists("not vacuous: an epoch pays for one report and cannot pay for the next")
def paid_then_short(rules: Level1Rules, site: int, shared: int, cost: int) -> bool:
    """Find budgets that suffice once."""
    assume(1 <= cost)
    rules = replace(rules, limits=any_limits())
    at = at_conversion(rules, opaque(Conversion, "the conversion"))
    kept = budgets([((0, SHOP), site)], [(0, shared)], [((0, NEWS), shared)])
    charge = Charge(site=cost, shared=cost)
    shown = handed(impression(NEWS))
    after, used = rules.deduct(at, kept, 0, shown, charge)
    _, again = rules.deduct(at, after, 0, shown, charge)
    return is_used(used, shown) and not is_used(again, shown)


PAID = (within, others_untouched, paid_then_short)
CLEARED = (renewed_is_closed, never_earlier, closed_is_unused, kept_visits)
OWN = ("first_epoch",)
SITE_ONLY, GLOBAL_ONLY = (site_pays,), (all_pay,)
"""Steps that one of the two kinds of guarantees does without."""


Deducted = tuple[Budgets, tuple[Impression, ...]]


def overdraw_quotas(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> Deducted:
    """Ask for no quota before it is charged."""
    if not affordable(at, kept, epoch, (), cost):
        return kept, ()
    return paid(at, kept, epoch, sites_of(shown), cost), shown


def free_for_the_site(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> Deducted:
    """Charge the shared limits only."""
    return deduct(at, kept, epoch, shown, replace(cost, site=0))


def free_for_all(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> Deducted:
    """Charge the site and the quotas only."""
    after, used = deduct(at, kept, epoch, shown, cost)
    return replace(after, shared=kept.shared), used


def charge_a_rival(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> Deducted:
    """Use up what every other entry of the epoch has left."""
    after, used = deduct(at, kept, epoch, shown, cost)
    sites = after.sites
    for key in kept.sites:
        sites = sites if key[1] == at.caller.site else sites.set(key, 0)
    return replace(after, sites=sites), used


def never_pay(
    ____: AtConversion, kept: Budgets, _: int, __: tuple[Impression, ...], ___: Charge
) -> Deducted:
    """Use no impression at all."""
    return kept, ()


def forget_at_once(at: OnBrowser, sites: frozenset[str], forget: bool) -> Device:
    """Remember an earlier clearing only, at the very beginning of time."""
    after = clear_history(at, sites, forget)
    return replace(after, last_clearing=at.device.last_clearing) if forget else after


def open_the_epoch_before(at: OnBrowser, sites: frozenset[str], forget: bool) -> Device:
    """Keep every budget, and take the last clearing back by a week."""
    if not forget or at.device.last_clearing is None:
        return clear_history(at, sites, forget)
    return replace(at.device, last_clearing=at.device.last_clearing - WEEK)


def renew_site_data(at: OnBrowser, sites: frozenset[str], forget: bool) -> Device:
    """Give back what is left to others where visits are not forgotten."""
    if forget:
        return clear_history(at, sites, forget)
    kept = at.device.budgets
    shared = kept.shared
    for epoch, left in kept.shared.items():
        shared = shared.set(epoch, left + 1)
    return replace(at.device, budgets=replace(kept, shared=shared))


DRAFT = LEVEL_1_ONE_DRAW
PROOF = Proof(
    claim="level1_budgets_are_never_overdrawn",
    subject=DRAFT,
    steps=(*PAID[:2], site_pays, all_pay, *CLEARED, paid_then_short),
    controls={
        "quotas are charged whatever is left": replace(DRAFT, deduct=overdraw_quotas),
        "the site pays nothing": replace(DRAFT, deduct=free_for_the_site),
        "the global budget is not charged": replace(DRAFT, deduct=free_for_all),
        "another site's budget is used up": replace(DRAFT, deduct=charge_a_rival),
        "forgetting visits leaves the epoch open": replace(DRAFT, clear_history=forget_at_once),
        "clearing forgets nothing and opens an epoch": replace(
            DRAFT, clear_history=open_the_epoch_before
        ),
        "the epoch of the clearing is used": replace(
            DRAFT, first_epoch=lambda at: DRAFT.first_epoch(at) - 1
        ),
        "clearing site data renews the global budget": replace(
            DRAFT, clear_history=renew_site_data
        ),
    },
    unproved_for={"no impression is ever used": replace(DRAFT, deduct=never_pay)},
)
