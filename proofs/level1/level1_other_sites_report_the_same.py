r"""What one site asks of an epoch makes no difference to what other sites are told of it.

Claim: Whether an epoch pays for a report of a site, which of its impressions the site selects, and
    what the site has left of it do not depend on what another site asked of the epoch, as long as
    each shared limit has as much left as the report costs.
Paper: none (Attribution Level 1).
Method: In the world without an epoch to one site, what is left of the epoch differs in that site's
    budget, in the global budget and in quotas. `deduct`, `matches` and `clear_history` are run for
    another site in two worlds that differ in these, and in the budgets of another epoch. Shared
    limits suffice in both worlds, by any margin: a rule may not look at how much is left of them.
    `charge` and `stated_budget` do not look at what a device keeps, by
    level1_charges_cover_the_noise and level1_what_is_seen_is_public.
Assumes: Shared limits never run short: what is left of them is at least what a conversion costs.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from proofs._proof import Proof, assume, exists
from proofs._subjects import for_all_rules, opaque
from proofs._symbolic import free
from proofs.level1._subjects import (
    BLOG,
    NEWS,
    SHOP,
    TOYS,
    at_conversion,
    budgets_of,
    handed,
    impression,
    is_alike,
    is_used,
    kept_beside,
    limits_of,
)
from proofs.level1.level1_budgets_are_never_overdrawn import (
    WEEK,
    cost_of,
    never_pay,
)
from proofs.level1.level1_histograms_change_by_at_most_the_charge import (
    any_selection,
    with_budgets,
)
from proofs.level1.level1_what_is_seen_is_public import cleared_beside
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
from spec.level1.budgets import deduct
from spec.level1.device import clear_history
from spec.level1.epochs import epoch_of
from spec.level1.impressions import matches

DRAFT = LEVEL_1_ONE_DRAW


def enough_for(kept: Budgets, epoch: int, shared: Fraction | int) -> Budgets:
    """Return budgets of which the shared limits of an epoch suffice."""
    assume(shared <= kept.shared[epoch])
    assume(*(shared <= kept.quotas[epoch, site] for site in (NEWS, BLOG)))
    return kept


def paid_apart(
    rules: Level1Rules, own: int, cost: Charge, two: bool
) -> list[tuple[Budgets, Budgets, bool]]:
    """Let an epoch pay for a site in two worlds; return budgets before and after, and if it did."""
    other = free("other_epoch", int)
    assume(own != other)
    rules = replace(rules, limits=limits_of())
    at = at_conversion(rules, opaque(Conversion, "the conversion"))
    shown = handed(impression(NEWS), impression(BLOG)) if two else handed(impression(NEWS))
    found = []
    for world in (1, 2):
        kept = enough_for(kept_beside(own, other, world, apart=True), own, cost.shared)
        after, used = rules.deduct(at, kept, own, shown, cost)
        found.append((kept, budgets_of(after), is_used(used, shown)))
    return found


@for_all_rules("whether an epoch pays for a site does not depend on what another site asked")
def pays_apart(rules: Level1Rules, own: int, site: Fraction, shared: Fraction, two: bool) -> bool:
    """Compare what is used, and what the site has left, in both worlds."""
    (_, here, some), (_, there, others) = paid_apart(rules, own, cost_of(site, shared), two)
    return (some == others) & (here.sites[own, SHOP] == there.sites[own, SHOP])


@for_all_rules("whether a site selects an impression does not depend on what another site asked")
def selected_apart(
    rules: Level1Rules,
    now: int,
    start: int,
    since: int,
    own: int,
    other: int,
    lookback: int,
    value: int,
    max_value: int,
    epsilon: Fraction,
    norm: int,
    asked_between: bool,
    saved_between: bool,
) -> bool:
    """Select the same impression in both worlds, where shared limits suffice for its report."""
    assume(0 <= since, since < WEEK, other != own, 0 <= norm, norm <= value)
    shown, at = any_selection(
        rules,
        (now, start, start + own * WEEK + since),
        (lookback, value, max_value, epsilon),
        (bool(asked_between), bool(saved_between)),
    )
    cost = at.rules.charge(at, at.rules.single_epoch(at), norm).shared
    first, second = (
        bool(at.rules.matches(with_budgets(at, enough_for(kept, own, cost)), shown))
        for kept in (kept_beside(own, other, world, apart=True) for world in (1, 2))
    )
    return first == second


@for_all_rules("what clearing leaves a site does not depend on what another site asked")
def cleared_apart(
    rules: Level1Rules,
    now: int,
    start: int,
    last: int,
    own: int,
    other: int,
    everything: bool,
    first: bool,
    forget: bool,
) -> bool:
    """Compare what sites have left, those that are cleared and others."""
    here, there = cleared_beside(
        rules, (now, start, last), (own, other), (everything, first, forget), apart=True
    )
    return all(is_alike(here.sites, there.sites, (own, site)) for site in (SHOP, TOYS))


@exists("not vacuous: a site is paid for beside different shared limits")
def paid_for(rules: Level1Rules, own: int, cost: int) -> bool:
    """Find two worlds in which the site pays, and another amount is left to all."""
    assume(1 <= cost)
    (here, _, some), (there, _, others) = paid_apart(
        rules, own, Charge(site=cost, shared=cost), two=False
    )
    return some and others and here.shared[own] != there.shared[own]


OWN = ("single_epoch", "first_epoch")
SITE_ONLY = GLOBAL_ONLY = ()


def surge(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    """Let a site pay double once half of the global budget is used."""
    half_used = 2 * kept.globally(at.limits, epoch) < at.limits.global_budget
    price = replace(cost, site=2 * cost.site) if half_used else cost
    return deduct(at, kept, epoch, shown, price)


def while_much_is_left(at: AtConversion, shown: Impression) -> bool:
    """Select only while half of the global budget is left."""
    left = at.device.budgets.globally(at.limits, epoch_of(at, shown.timestamp))
    return matches(at, shown) and 2 * left >= at.limits.global_budget


def keep_while_much_is_left(at: OnBrowser, sites: frozenset[str], forget: bool) -> Device:
    """Use up nothing where half of the global budget is left."""
    left = at.device.budgets.globally(at.limits, epoch_of(at, at.now))
    much = not forget and 2 * left >= at.limits.global_budget
    return at.device if much else clear_history(at, sites, forget)


PROOF = Proof(
    claim="level1_other_sites_report_the_same",
    subject=DRAFT,
    steps=(pays_apart, selected_apart, cleared_apart, paid_for),
    controls={
        "a site pays double once half of the global budget is used": replace(DRAFT, deduct=surge),
        "selected while half of the global budget is left": replace(
            DRAFT, matches=while_much_is_left
        ),
        "clearing uses up nothing while half of the global budget is left": replace(
            DRAFT, clear_history=keep_while_much_is_left
        ),
    },
    unproved_for={"no impression is ever used": replace(DRAFT, deduct=never_pay)},
)
