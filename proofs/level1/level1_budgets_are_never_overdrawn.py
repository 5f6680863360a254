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
    then on. An epoch that was closed stays closed. Of every other field of the device it is said
    what it may become: the start of the epochs, by which budgets are numbered, stays. Before there
    is a start, nothing is spent and nothing is given. Charges and what is left are any numbers,
    whole or not, and a charge that one kind of guarantee does not rest on may be negative.
Assumes: The clock is never set back. Impressions are saved in the epoch of their time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any, cast
from unittest.mock import patch

from immutables import Map

from proofs._proof import Proof, assume, exists
from proofs._subjects import Inductive, for_all_rules, opaque, search, unchecked
from proofs._symbolic import counting, free, refuse
from proofs.level1._subjects import (
    BLOG,
    NEWS,
    SHOP,
    TOYS,
    Sites,
    amounts,
    at_conversion,
    budgets,
    budgets_of,
    contents_of,
    handed,
    impression,
    is_used,
    limits_of,
    state_of,
)
from spec.level1 import (
    LEVEL_1_ONE_DRAW,
    AtConversion,
    Budgets,
    Charge,
    Conversion,
    Device,
    Impression,
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
    left = amounts("site", "site_then", "rival", "all", "all_then", "news", "blog", "news_then")
    return budgets(
        [
            ((epoch, SHOP), left["site"]),
            ((other, SHOP), left["site_then"]),
            ((epoch, TOYS), left["rival"]),
        ],
        [(epoch, left["all"]), (other, left["all_then"])],
        [
            ((epoch, NEWS), left["news"]),
            ((epoch, BLOG), left["blog"]),
            ((other, NEWS), left["news_then"]),
        ],
    )


def pay(
    rules: Level1Rules, epoch: int, site: Fraction, shared: Fraction, two: bool, apart: bool
) -> tuple[Budgets, Budgets, bool, int]:
    """Let an epoch pay; return the budgets before and after, if it is used, and another epoch."""
    other = free("other_epoch", int)
    assume(epoch != other)
    rules = replace(rules, limits=limits_of())
    before = any_budgets(epoch, other)
    at = at_conversion(rules, opaque(Conversion, "the conversion"))
    shown = handed(impression(NEWS))
    if two:
        shown = handed(impression(NEWS), impression(BLOG if apart else NEWS))
    after, used = rules.deduct(at, before, epoch, shown, cost_of(site, shared))
    return before, budgets_of(after), is_used(used, shown), other


def cost_of(site: Fraction, shared: Fraction) -> Charge:
    """Return a charge of any numbers."""
    return Charge(site=counting(site), shared=counting(shared))


@for_all_rules("nothing is overdrawn and nothing grows")
def within(
    rules: Level1Rules, epoch: int, site: Fraction, shared: Fraction, two: bool, apart: bool
) -> bool:
    """Compare every entry of the epoch before and after, where its charge is not negative."""
    before, after, _, _ = pay(rules, epoch, site, shared, two, apart)
    good = True
    for charged, kept, left in (
        (site, before.sites[epoch, SHOP], after.sites[epoch, SHOP]),
        (shared, before.shared[epoch], after.shared[epoch]),
        (shared, before.quotas[epoch, NEWS], after.quotas[epoch, NEWS]),
        (shared, before.quotas[epoch, BLOG], after.quotas[epoch, BLOG]),
    ):
        good = good & ((charged < 0) | ((0 <= left) & (left <= kept)))
    return good


@for_all_rules("what is used is paid for by the site")
def site_pays(
    rules: Level1Rules, epoch: int, site: Fraction, shared: Fraction, two: bool, apart: bool
) -> bool:
    """Compare the site's budget before and after, where impressions are used."""
    before, after, used, _ = pay(rules, epoch, site, shared, two, apart)
    return not used or after.sites[epoch, SHOP] <= before.sites[epoch, SHOP] - site


@for_all_rules("what is used is paid for from the global budget")
def all_pay(
    rules: Level1Rules, epoch: int, site: Fraction, shared: Fraction, two: bool, apart: bool
) -> bool:
    """Compare the global budget before and after, where impressions are used."""
    before, after, used, _ = pay(rules, epoch, site, shared, two, apart)
    return not used or after.shared[epoch] <= before.shared[epoch] - shared


@for_all_rules("other epochs and other sites are left alone")
def others_untouched(
    rules: Level1Rules, epoch: int, site: Fraction, shared: Fraction, two: bool, apart: bool
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
    first: bool,
    forget: bool,
) -> tuple[Device, Device, OnBrowser]:
    """Clear for the first time, or at a time that is not before the last clearing."""
    left = amounts("site", "rival", "all", "news")
    assume(last <= now)
    kept = budgets(
        [((epoch, SHOP), left["site"]), ((epoch, TOYS), left["rival"])],
        [(epoch, left["all"])],
        [((epoch, NEWS), left["news"])],
    )
    device = cleared_device(kept, start, None if first else last)
    at = unchecked(OnBrowser, rules=replace(rules, limits=limits_of()), now=now, device=device)
    return device, clear(at, bool(everything), bool(forget)), at


def cleared_device(kept: Budgets, start: int | None, last: int | None) -> Device:
    """Return a device with these budgets, of which all other fields are any."""
    return unchecked(
        Device,
        impressions=handed(impression(NEWS), some=False),
        budgets=kept,
        epoch_start=start,
        last_clearing=last,
        enabled=free("enabled", int) > 0,
        pages=opaque(Map, "the pages"),
    )


def clear(at: OnBrowser, everything: bool, forget: bool) -> Device:
    """Clear some sites, or, where visits are forgotten, all."""
    sites = frozenset[str]() if everything and forget else SITES
    with one_by_one():
        return state_of(at.rules.clear_history(at, sites, forget), Device, AFTER_CLEARING)


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
    forget: bool,
) -> bool:
    """Look at entries of any epoch that may hold something: one that has begun."""
    before, after, at = cleared(rules, now, start, last, epoch, everything, first, forget)
    assume(epoch * WEEK + start <= now)
    kept, left = before.budgets, budgets_of(after.budgets)
    same = (
        (epoch, SHOP) in left.sites
        and (epoch, TOYS) in left.sites
        and epoch in left.shared
        and (epoch, NEWS) in left.quotas
        and bool(
            not_more(kept.sites[epoch, SHOP], left.sites[epoch, SHOP])
            & not_more(kept.sites[epoch, TOYS], left.sites[epoch, TOYS])
            & not_more(kept.shared[epoch], left.shared[epoch])
            & not_more(kept.quotas[epoch, NEWS], left.quotas[epoch, NEWS])
        )
    )
    if same:
        return True
    if after.last_clearing is None:
        return False
    return epoch <= epoch_of(replace(at, device=after), after.last_clearing)


def not_more(kept: int, left: int) -> bool:
    """Tell whether something is left, and no more than there was."""
    return (0 <= left) & (left <= kept)


@for_all_rules("an epoch that was closed stays closed")
def never_earlier(
    rules: Level1Rules,
    now: int,
    start: int,
    last: int,
    epoch: int,
    everything: bool,
    first: bool,
    forget: bool,
) -> bool:
    """Compare the epochs of the remembered times before and after."""
    before, after, at = cleared(rules, now, start, last, epoch, everything, first, forget)
    if after.last_clearing is None:
        return before.last_clearing is None
    at = replace(at, device=before)
    return bool(first) or epoch_of(at, last) <= epoch_of(at, after.last_clearing)


@for_all_rules("clearing leaves the start of the epochs, and makes nothing else of a device")
def framed(
    rules: Level1Rules,
    now: int,
    start: int,
    last: int,
    epoch: int,
    everything: bool,
    first: bool,
    forget: bool,
) -> bool:
    """Go through all fields of a device; no clearing is remembered that is yet to come."""
    before, after, _ = cleared(rules, now, start, last, epoch, everything, first, forget)
    named = [each.name for each in fields(Device)]
    framed = all(AFTER_CLEARING[x](getattr(before, x), getattr(after, x)) for x in named)
    return framed and (after.last_clearing is None or after.last_clearing <= now)


@search("a run in which another field lets an epoch be overdrawn", over="no runs")
def no_run(_: Level1Rules) -> None:
    """Look for none: what another field does is open, not refuted."""


FRAMED = Inductive(step=framed, reachable=no_run)


@for_all_rules("clearing before the epochs have a start gives no budget and no start")
def not_started(rules: Level1Rules, now: int, last: int, everything: bool, first: bool) -> bool:
    """Forget visits on a device on which nothing was measured yet, so that nothing was spent."""
    assume(last <= now)
    device = cleared_device(Budgets(), None, None if first else last)
    at = unchecked(OnBrowser, rules=replace(rules, limits=limits_of()), now=now, device=device)
    after = clear(at, bool(everything), True)
    if after.epoch_start is not None:
        refuse("a start of the epochs that clearing chooses")
    if after.last_clearing is not None and after.last_clearing > now:
        refuse("a clearing that is yet to come")
    left = budgets_of(after.budgets)
    return not (left.sites or left.shared or left.quotas)


def is_handed_on(before: tuple[Impression, ...], after: tuple[Impression, ...]) -> bool:
    """Tell whether every impression that is left was there."""
    known = contents_of(before)
    return all(any(each is other for other in known) for each in contents_of(after))


def is_truth(_: object, after: object) -> bool:
    """Tell whether something is a truth value."""
    return isinstance(after, bool)


AFTER_CLEARING: Mapping[str, Callable[[Any, Any], bool]] = {
    "impressions": is_handed_on,
    "budgets": lambda _, after: budgets_of(after) is after,
    "epoch_start": lambda before, after: before == after,
    "last_clearing": lambda _, after: after is None or isinstance(after, int),
    "enabled": is_truth,
    "pages": lambda before, after: after is before or (type(after) is Map and not after),
}
"""What each field of a device may become; more is said of budgets and of the last clearing."""


@for_all_rules("an epoch that is not after the last clearing is before the first one used")
def closed_is_unused(rules: Level1Rules, now: int, start: int, last: int, days: int) -> bool:
    """Ask for the first epoch that is used after a clearing."""
    assume(last <= now, 1 <= days)
    limits = limits_of(maximum_lookback=days)
    device = unchecked(Device, epoch_start=start, last_clearing=last)
    at = unchecked(OnBrowser, rules=replace(rules, limits=limits), now=now, device=device)
    return epoch_of(at, last) < at.rules.first_epoch(at)


@exists("not vacuous: an epoch pays for one report and cannot pay for the next")
def paid_then_short(rules: Level1Rules, site: int, shared: int, cost: int) -> bool:
    """Find budgets that suffice once."""
    assume(1 <= cost)
    rules = replace(rules, limits=limits_of())
    at = at_conversion(rules, opaque(Conversion, "the conversion"))
    kept = budgets([((0, SHOP), site)], [(0, shared)], [((0, NEWS), shared)])
    charge = Charge(site=cost, shared=cost)
    shown = handed(impression(NEWS))
    after, used = rules.deduct(at, kept, 0, shown, charge)
    _, again = rules.deduct(at, after, 0, shown, charge)
    return is_used(used, shown) and not is_used(again, shown)


PAID = (within, others_untouched, paid_then_short)
CLEARED = (renewed_is_closed, never_earlier, closed_is_unused, FRAMED, not_started)
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


def reopen(at: OnBrowser, sites: frozenset[str], forget: bool) -> Device:
    """Remember a clearing only until site data is cleared."""
    after = clear_history(at, sites, forget)
    return after if forget else replace(after, last_clearing=None)


def remember_tomorrow(at: OnBrowser, sites: frozenset[str], forget: bool) -> Device:
    """Remember a time that is yet to come."""
    after = clear_history(at, sites, forget)
    if not forget or at.device.epoch_start is None:
        return after
    return replace(after, last_clearing=at.now + 1)


def restart(at: OnBrowser, sites: frozenset[str], forget: bool) -> Device:
    """Begin a new epoch whenever site data is cleared, and use up nothing."""
    after = clear_history(at, sites, forget)
    return after if forget else replace(after, epoch_start=at.now)


def give(at: OnBrowser, sites: frozenset[str], forget: bool) -> Device:
    """Give a budget to an epoch before there are any."""
    after = clear_history(at, sites, forget)
    if at.device.epoch_start is not None:
        return after
    return replace(after, budgets=Budgets(shared=Map({0: 10**12})))


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
        "clearing site data opens what was closed": replace(DRAFT, clear_history=reopen),
        "clearing gives a budget before the epochs start": replace(DRAFT, clear_history=give),
    },
    unproved_for={
        "no impression is ever used": replace(DRAFT, deduct=never_pay),
        "clearing site data begins a new epoch": replace(DRAFT, clear_history=restart),
        "a clearing is remembered as of a later time": replace(
            DRAFT, clear_history=remember_tomorrow
        ),
    },
)
