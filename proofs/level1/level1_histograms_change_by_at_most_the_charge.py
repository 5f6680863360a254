r"""Without an epoch's impressions a report's histogram changes by at most what the epoch paid for.

Claim: If an epoch does not pay for a report, its impressions make no difference to it. If it does,
    the histogram changes by at most twice the value. What other epochs pay is the same with and
    without it.
Paper: none (Attribution Level 1).
Method: `attribute` is run in both worlds on two epochs, the later with two impressions. Which
    impressions are selected and which are paid for are any truth values, the same in both worlds;
    `fill` returns any histogram whose sum is at most the value, the same one for the same
    impressions at the same call: the coins are the same in both worlds, and by joint_convexity what
    holds for all coins holds for their mixture. Induction on epochs and on impressions: `attribute`
    treats epochs one after the other, and an impression only by handing it on.
    That the truth values are the same in both worlds is proved on `matches` and `deduct`: they do
    not look at the budgets of other epochs. That `fill` keeps within the value is proved for shares
    that sum to it, and that shares do is proved for one step of `allocate`, which makes one of two
    shares whole and leaves their sum.
Assumes: Chance on the device is independent of everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import cast
from unittest.mock import patch

from proofs._proof import Proof, assume, exists
from proofs._subjects import for_all_rules, opaque, unchecked
from proofs._symbolic import free
from proofs.level1._subjects import (
    BLOG,
    NEWS,
    SHOP,
    any_caller,
    any_choice,
    any_impression,
    at_conversion,
    budgets_of,
    handed,
    impression,
    is_used,
    kept_beside,
    limits_of,
)
from proofs.level1.level1_budgets_are_never_overdrawn import (
    WEEK,
    cost_of,
)
from spec.distributions import Draw
from spec.level1 import (
    LEVEL_1_ONE_DRAW,
    AtConversion,
    Budgets,
    Charge,
    Conversion,
    Device,
    Histogram,
    Impression,
    Level1Rules,
    credit,
    measurement,
)
from spec.level1.budgets import deduct
from spec.level1.epochs import epoch_of
from spec.level1.impressions import matches
from spec.level1.measurement import attribute_with_one_draw

DAY = 86400
GRAINS = 10**6
EARLIER, LATER = 0, 1
NOW = WEEK + 3 * DAY
LONG, SHORT = 9 * DAY, DAY


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Hold the rules, and the steps by which shares are made whole."""

    rules: Level1Rules = LEVEL_1_ONE_DRAW
    rounded_pair: Callable[[Fraction, Fraction, bool], tuple[Fraction, Fraction]] = (
        credit.rounded_pair
    )
    chance_of_first: Callable[[Fraction, Fraction], Fraction] = credit.chance_of_first


class World:
    """Run `attribute` with any selection, any ability to pay, and any histograms."""

    def __init__(self, rules: Level1Rules, value: int, single: bool, absent: int | None) -> None:
        self.charged: dict[int, Charge] = {}
        self.paid: set[int] = set()
        self.calls: dict[tuple[int, ...], int] = {}
        self.value = value
        self.absent = absent
        self.rules = replace(
            rules,
            limits=limits_of(maximum_lookback=20),
            matches=self.matches,
            fill=self.fill,
            deduct=self.deduct,
            charge=self.charge,
        )
        shown = tuple(
            impression(NEWS, timestamp=time, histogram_index=place)
            for place, time in enumerate((DAY, WEEK + DAY, WEEK + 2 * DAY))
        )
        device = unchecked(
            Device,
            impressions=shown,
            budgets=opaque(Budgets, "the budgets"),
            epoch_start=0,
            last_clearing=None,
        )
        asked = unchecked(
            Conversion, value=value, histogram_size=2, lookback=SHORT if single else LONG
        )
        at = at_conversion(self.rules, asked, device, NOW)
        _, self.histogram = self.rules.attribute(at, cast(Draw, None))

    def matches(self, at: AtConversion, shown: Impression) -> bool:
        """Select an impression by a truth value of its own; none of an epoch that is absent."""
        epoch = epoch_of(at, shown.timestamp)
        if epoch == self.absent or (at.conversion.lookback == SHORT and epoch == EARLIER):
            return False
        return free(f"selected_{shown.histogram_index}", int) > 0

    def deduct(
        self,
        _: AtConversion,
        kept: Budgets,
        epoch: int,
        shown: tuple[Impression, ...],
        cost: Charge,
    ) -> tuple[Budgets, tuple[Impression, ...]]:
        """Let an epoch pay for any of its impressions."""
        self.charged[epoch] = cost
        used = tuple(each for each in shown if free(f"paid_{each.histogram_index}", int) > 0)
        if used:
            self.paid.add(epoch)
        return kept, used

    def charge(self, _: AtConversion, single: bool, norm: int) -> Charge:
        """Charge for a change: by the norm in a single epoch, else by twice the value."""
        return Charge(site=norm if single else 2 * self.value, shared=2 * self.value)

    def fill(self, _: AtConversion, shown: tuple[Impression, ...], __: Draw) -> Histogram:
        """Return any histogram within the value, the same for the same impressions and call."""
        used = tuple(each.histogram_index for each in shown)
        call = self.calls[used] = self.calls.get(used, 0) + 1
        told = "_".join(map(str, used))
        first, second = (free(f"bucket_{n}_of_{told}_call_{call}", int) for n in (0, 1))
        assume(0 <= first, 0 <= second, first + second <= self.value)
        return first, second

    def change_to(self, other: World) -> int:
        """Return by how much the histogram differs from another world's."""
        return sum((abs(a - b) for a, b in zip(self.histogram, other.histogram, strict=True)), 0)


def both(subject: Subject, value: int, single: bool, latest: bool) -> tuple[World, World, int]:
    """Run both worlds: one has an epoch, the later or the earlier, that the other lacks."""
    assume(1 <= value)
    epoch = LATER if latest else EARLIER
    there = World(subject.rules, value, single, None)
    return there, World(subject.rules, value, single, epoch), epoch


@for_all_rules("an epoch that does not pay makes no difference")
def unpaid(subject: Subject, value: int, single: bool, latest: bool) -> bool:
    """Compare the histograms where the epoch did not pay."""
    there, gone, epoch = both(subject, value, single, latest)
    return epoch in there.paid or there.change_to(gone) == 0


@for_all_rules("an epoch that pays changes the histogram by at most twice the value")
def within_value(subject: Subject, value: int, single: bool, latest: bool) -> bool:
    """Compare the change with the value."""
    there, gone, epoch = both(subject, value, single, latest)
    return epoch not in there.paid or there.change_to(gone) <= 2 * value


@for_all_rules("a single epoch that pays changes the histogram by at most the norm it pays for")
def within_norm(subject: Subject, value: int, latest: bool) -> bool:
    """Compare the change with what the site is charged for."""
    there, gone, epoch = both(subject, value, True, latest)
    return epoch not in there.paid or there.change_to(gone) <= there.charged[epoch].site


@for_all_rules("other epochs are charged the same")
def others_alike(subject: Subject, value: int, single: bool, latest: bool) -> bool:
    """Compare what the other epoch is charged in both worlds."""
    there, gone, epoch = both(subject, value, single, latest)
    other = EARLIER if epoch == LATER else LATER
    if (other in there.charged) != (other in gone.charged):
        return False
    if other not in there.charged:
        return True
    one, two = there.charged[other], gone.charged[other]
    return (one.site == two.site) & (one.shared == two.shared)


@for_all_rules("whether an epoch pays depends on its own budgets")
def pays_alone(
    subject: Subject, own: int, other: int, site: Fraction, shared: Fraction, two: bool
) -> bool:
    """Let the same epoch pay beside different budgets of another."""
    assume(own != other)
    rules = replace(subject.rules, limits=limits_of())
    at = at_conversion(rules, opaque(Conversion, "the conversion"))
    shown = handed(*((impression(NEWS),) * (2 if two else 1)))
    found = []
    for world in (1, 2):
        kept = kept_beside(own, other, world)
        after, used = rules.deduct(at, kept, own, shown, cost_of(site, shared))
        found.append((budgets_of(after), is_used(used, shown)))
    (here, some), (there, others) = found
    return (
        (some == others)
        & (here.sites[own, SHOP] == there.sites[own, SHOP])
        & (here.shared[own] == there.shared[own])
        & (here.quotas[own, NEWS] == there.quotas[own, NEWS])
    )


@for_all_rules("whether an impression is selected depends on the budgets of its own epoch")
def selected_alone(
    subject: Subject,
    now: int,
    start: int,
    since: int,
    own: int,
    other: int,
    lookback: int,
    value: int,
    max_value: int,
    epsilon: Fraction,
    asked_between: bool,
    saved_between: bool,
) -> bool:
    """Select the same impression, of any kind and epoch, beside different budgets of others."""
    assume(0 <= since, since < WEEK, other != own)
    shown, at = any_selection(
        subject.rules,
        (now, start, start + own * WEEK + since),
        (lookback, value, max_value, epsilon),
        (bool(asked_between), bool(saved_between)),
    )
    first, second = (
        bool(at.rules.matches(with_budgets(at, kept_beside(own, other, world)), shown))
        for world in (1, 2)
    )
    return first == second


def any_selection(
    rules: Level1Rules,
    times: tuple[int, int, int],
    asked: tuple[int, int, int, Fraction],
    between: tuple[bool, bool],
) -> tuple[Impression, AtConversion]:
    """Return any impression, and what a rule sees that may select it, but for budgets."""
    (now, start, timestamp), (lookback, value, max_value, epsilon) = times, asked
    assume(1 <= value, value <= max_value, 0 < epsilon)
    rules = replace(rules, limits=limits_of())
    caller = any_caller(between[0])
    shown = any_impression(timestamp, between[1], caller)
    conversion = unchecked(
        Conversion,
        value=value,
        max_value=max_value,
        epsilon=epsilon,
        lookback=lookback,
        **any_choice(shown),
    )
    device = unchecked(
        Device,
        impressions=opaque(tuple[Impression, ...], "the store"),
        epoch_start=start,
    )
    return shown, at_conversion(rules, conversion, device, now, caller)


def with_budgets(at: AtConversion, kept: Budgets) -> AtConversion:
    """Return what a rule sees on the same device with these budgets."""
    device = unchecked(
        Device,
        impressions=at.device.impressions,
        budgets=kept,
        epoch_start=at.device.epoch_start,
    )
    return replace(at, device=device)


@for_all_rules("a single epoch selects nothing from before it")
def single_is_single(
    subject: Subject,
    now: int,
    start: int,
    timestamp: int,
    days: int,
    asked_between: bool,
    saved_between: bool,
) -> bool:
    """Ask whether an impression of an earlier epoch is selected within a short lookback."""
    assume(1 <= days, timestamp <= now)
    rules = replace(subject.rules, limits=limits_of())
    caller = any_caller(bool(asked_between))
    shown = any_impression(timestamp, bool(saved_between), caller)
    asked = unchecked(Conversion, lookback=days * DAY, **any_choice(shown))
    at = at_conversion(rules, asked, unchecked(Device, epoch_start=start), now, caller)
    earlier = epoch_of(at, timestamp) < epoch_of(at, now)
    if not earlier or not rules.single_epoch(at):
        return True
    return not rules.matches(at, shown)


@for_all_rules("a histogram is not negative and sums to at most the value")
def filled_within(
    subject: Subject,
    value: int,
    share: int,
    times: int,
    rank: int,
    first_lost: bool,
    second_inside: bool,
    alone: bool,
) -> bool:
    """Fill a histogram of two buckets from one or two impressions and any shares of the value."""
    assume(0 <= share, share <= value)

    def shared(parts: tuple[Fraction, ...], whole: int, _: Draw) -> tuple[int, ...]:
        return (whole,) if len(parts) == 1 else (share, whole - share)

    rules = replace(subject.rules, allocate=shared, limits=limits_of())
    parts = (opaque(Fraction, "credit"),) * 2
    asked = unchecked(Conversion, value=value, histogram_size=2, credit=parts)
    shown = (
        impression(NEWS, timestamp=times, priority=rank, histogram_index=7 if first_lost else 0),
        impression(BLOG, timestamp=5, priority=0, histogram_index=1 if second_inside else 8),
    )
    at = at_conversion(rules, asked)
    histogram = rules.fill(at, shown[:1] if alone else shown, cast(Draw, None))
    good = sum(histogram) <= value
    for bucket in histogram:
        good = good & (0 <= bucket)
    return good


@for_all_rules(
    "of two shares one is made whole, their sum stays, and neither passes a whole number"
)
def pair_keeps_its_sum(
    subject: Subject, first: Fraction, second: Fraction, round_first: bool
) -> bool:
    """Make one of two shares whole."""
    assume(0 <= first, 0 <= second)
    one, two = subject.rounded_pair(first, second, round_first)
    whole = one if round_first else two
    return (
        (one + two == first + second)
        & (whole == floor(whole))
        & (floor(first) <= one)
        & (one <= floor(first) + 1)
        & (floor(second) <= two)
        & (two <= floor(second) + 1)
    )


@for_all_rules("two shares keep their mean")
def pair_keeps_its_mean(
    subject: Subject, first: Fraction, second: Fraction, step: Fraction, other: Fraction
) -> bool:
    """Weigh both outcomes by their chances, whatever the shares lack: both more or both less."""
    assume(((0 <= step) & (0 <= other)) | ((step <= 0) & (other <= 0)), step + other != 0)
    with patch.object(credit, "steps_to_whole", lambda _, __: (step, other)):
        chance = subject.chance_of_first(first, second)
        raised = credit.rounded_pair(first, second, True)[0]
        lowered = credit.rounded_pair(first, second, False)[0]
    return (0 <= chance) & (chance <= 1) & (chance * raised + (1 - chance) * lowered == first)


@exists("not vacuous: an epoch that pays changes the histogram by twice the value")
def changes(subject: Subject, value: int) -> bool:
    """Find two epochs of which the later takes the credit of the earlier."""
    there, gone, epoch = both(subject, value, False, True)
    return epoch in there.paid and there.change_to(gone) == 2 * value


LOCAL = (pays_alone, selected_alone)
SHARES = (filled_within, pair_keeps_its_sum, pair_keeps_its_mean)
STEPS = (unpaid, within_value, others_alike, *LOCAL, *SHARES, changes)
OWN = ("attribute", "single_epoch", "first_epoch", "allocate", "fill")
"""Rules of which the steps are about the draft's own; `attribute` may be either version."""

SITE_ONLY = GLOBAL_ONLY = ()


def changed(**rules: object) -> Subject:
    """Return a subject whose rules are changed."""
    return Subject(rules=replace(LEVEL_1_ONE_DRAW, **rules))  # type: ignore[arg-type]


Deduct = Callable[
    [AtConversion, Budgets, int, tuple[Impression, ...], Charge],
    tuple[Budgets, tuple[Impression, ...]],
]


def paying(at: AtConversion, deduct: Deduct, draw: Draw) -> tuple[Budgets, Histogram]:
    """Attribute with another way to pay."""
    return attribute_with_one_draw(replace(at, rules=replace(at.rules, deduct=deduct)), draw)


def use_what_is_unpaid(at: AtConversion, draw: Draw) -> tuple[Budgets, Histogram]:
    """Let an epoch pay, and use its impressions whether it could or not."""

    def broken(
        at_: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
    ) -> tuple[Budgets, tuple[Impression, ...]]:
        after, _ = at.rules.deduct(at_, kept, epoch, shown, cost)
        return after, shown

    return paying(at, broken, draw)


def charge_where_credited(at: AtConversion, draw: Draw) -> tuple[Budgets, Histogram]:
    """Charge the site nothing for an earlier epoch if the latest has something to be credited."""

    def broken(
        at_: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
    ) -> tuple[Budgets, tuple[Impression, ...]]:
        credited = epoch == LATER or not measurement.matching(at, LATER)
        return at.rules.deduct(
            at_, kept, epoch, shown, cost if credited else Charge(site=0, shared=0)
        )

    return paying(at, broken, draw)


def triple(at: AtConversion, draw: Draw) -> tuple[Budgets, Histogram]:
    """Report three times the histogram, where several epochs are asked."""
    kept, histogram = attribute_with_one_draw(at, draw)
    if at.rules.single_epoch(at):
        return kept, histogram
    return kept, tuple(3 * bucket for bucket in histogram)


def look_at_all_budgets(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    """Pay only while every entry of the global budget suffices."""
    if any(left < cost.shared for left in kept.shared.values()):
        return kept, ()
    return deduct(at, kept, epoch, shown, cost)


def while_all_have_budget(at: AtConversion, shown: Impression) -> bool:
    """Select only while every entry of the global budget has something left."""
    return matches(at, shown) and all(left > 0 for left in at.device.budgets.shared.values())


def without_lookback(at: AtConversion, shown: Impression) -> bool:
    """Forget the lookback."""
    return matches(replace(at, conversion=replace(at.conversion, lookback=60 * DAY)), shown)


def twice_the_last(at: AtConversion, shown: tuple[Impression, ...], draw: Draw) -> Histogram:
    """Count the first impression twice."""
    histogram = list(credit.fill(at, shown, draw))
    histogram[0] = histogram[0] * 2
    return tuple(histogram)


PROOF = Proof(
    claim="level1_histograms_change_by_at_most_the_charge",
    subject=Subject(),
    steps=STEPS,
    controls={
        "what is not paid for is used": changed(attribute=use_what_is_unpaid),
        "several epochs are reported three times": changed(attribute=triple),
        "an epoch pays while all can": changed(deduct=look_at_all_budgets),
        "an impression is selected while all epochs have budget": changed(
            matches=while_all_have_budget
        ),
        "a bucket counts twice": changed(fill=twice_the_last),
        "earlier epochs pay only where they are credited": changed(attribute=charge_where_credited),
        "the other share takes too much": Subject(
            rounded_pair=lambda first, second, round_first: (
                credit.rounded_pair(first, second, round_first)[0],
                second * 0,
            )
        ),
        "a fair coin": Subject(chance_of_first=lambda _, __: Fraction(1, 2)),
    },
    unproved_for={
        "nothing is ever reported": changed(
            attribute=lambda at, _: (at.device.budgets, measurement.nothing(at))
        ),
    },
)
