r"""What the sites see of a call, beside a noisy sum, never depends on what a device keeps.

Claim: Whether a call is rejected, and what is shown of its report, depend on the call and on the
    page's activation alone: not on impressions, budgets, clearings or whether the interface is on.
    What the store holds does not depend on budgets, and what clearing leaves of an epoch's budgets
    depends on these alone.
Paper: none (Attribution Level 1).
Method: The rules that decide what is shown are run with a device that may not be looked at:
    `check_activation`, `validate_impression`, `stated_budget`; `validate_conversion` is not given
    one. `save` and `clear_site`, which decide what the store holds, are run with budgets that may
    not be looked at. A rule that looks is run on two devices and refuted if the results differ.
    `clear_history` is run beside two budgets, and every field of the device is compared. A
    step of the system shows nothing else: `step` is run on a device that is on and on one that is
    off, with a store that is empty or not and any histogram, and shows the same.
Assumes: Side channels outside the model are closed: timing, locks, storage that runs full.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import cast

from immutables import Map

from proofs._opaque import Name
from proofs._proof import Proof, assume, exists
from proofs._subjects import Inductive, for_all_rules, opaque, plain, same, unchecked
from proofs._symbolic import free, refuse
from proofs.level1._subjects import (
    NEWS,
    SHOP,
    TOYS,
    amounts,
    budgets,
    budgets_of,
    contents_of,
    handed,
    is_alike,
    kept_beside,
    limits_of,
)
from proofs.level1.level1_budgets_are_never_overdrawn import (
    clear,
    cleared_device,
)
from spec.distributions import Draw
from spec.level1 import (
    LEVEL_1_ONE_DRAW,
    Activation,
    AtConversion,
    Budgets,
    Caller,
    Conversion,
    ConversionOptions,
    Device,
    Histogram,
    Impression,
    ImpressionOptions,
    Level1Observation,
    Level1Rules,
    Level1System,
    MeasureConversion,
    OnBrowser,
    Rejected,
    SaveImpression,
    Sight,
    system,
)
from spec.level1.device import check_activation, clear_history
from spec.level1.impressions import save, validate_impression
from spec.level1.rules import Level1Limits, reject

Step = Callable[..., tuple[Level1System, Level1Observation]]
DEVICE = "device"
DRAFT = LEVEL_1_ONE_DRAW
LIMITS = {
    "activation_duration": None,
    "services": frozenset({"service"}),
    "maximum_epsilon": Fraction(4294),
    "maximum_histogram": 5,
    "maximum_credit": 5,
    "maximum_lookback": 30,
    "maximum_match_values": 5,
    "maximum_impression_sites": 5,
    "maximum_impression_callers": 5,
    "maximum_conversion_sites": 5,
    "maximum_conversion_callers": 5,
    "grains": 10**6,
    "day": 86400,
}


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Hold the rules and the step of the system."""

    rules: Level1Rules = DRAFT
    step: Step = system.step


def stored(place: int) -> Impression:
    """Return an impression of any time that a site saved for the shop."""
    return unchecked(
        Impression,
        site=NEWS,
        intermediary=None,
        timestamp=free(f"time_{place}", int),
        conversion_sites=cast(frozenset[str], (SHOP,)),
        conversion_callers=frozenset[str](),
    )


def devices() -> tuple[Device, Device]:
    """Return two devices that differ in everything that is private."""
    amount = free("left", int)
    return (
        Device(epoch_start=0),
        Device(
            impressions=(stored(1),),
            budgets=Budgets(shared=Map({0: amount})),
            epoch_start=0,
            last_clearing=1,
            enabled=False,
        ),
    )


def hidden() -> Device:
    """Return a device that may not be looked at."""
    return opaque(Device, "the device")


def activated(
    subject: Subject,
    device: Device,
    now: int,
    then: int,
    duration: int,
    on: bool,
    never: bool,
    always: bool,
) -> Activation | None:
    """Check the activation of a page; it may never have been, or nothing may be asked for."""
    lasts = None if always else duration
    rules = replace(subject.rules, limits=limits_of(activation_duration=lasts))
    at = unchecked(OnBrowser, rules=rules, now=now, device=device)
    page = Activation(enabled=bool(on), activated=None if never else then)
    after = rules.check_activation(at, page)
    # The same rule is shown it again: one of a subclass would tell it more.
    return None if after is None else plain(after, Activation)


@for_all_rules("a page is active or not whatever the device keeps")
def activation_is_blind(
    subject: Subject, now: int, then: int, duration: int, on: bool, never: bool, always: bool
) -> bool:
    """Check an activation without looking at the device."""
    activated(subject, hidden(), now, then, duration, on, never, always)
    return True


@for_all_rules("a page is active or not on two devices alike")
def activation_is_alike(
    subject: Subject, now: int, then: int, duration: int, on: bool, never: bool, always: bool
) -> bool:
    """Check an activation on two devices."""
    given = (now, then, duration, on, never, always)
    one, two = (activated(subject, each, *given) for each in devices())
    return same(one, two)


def stated(subject: Subject, device: Device, epsilon: Fraction) -> int:
    """State the budget of a conversion, whether its epsilon is a whole number of grains or not."""
    assume(0 < epsilon)
    rules = replace(subject.rules, limits=limits_of())
    at = unchecked(
        AtConversion,
        rules=rules,
        now=free("now", int),
        device=device,
        caller=opaque(Caller, "the caller"),
        conversion=unchecked(Conversion, epsilon=epsilon),
    )
    return rules.stated_budget(at)


@for_all_rules("what is stated in clear depends on the call alone")
def stated_is_blind(subject: Subject, epsilon: Fraction) -> bool:
    """State a budget without looking at the device."""
    return stated(subject, hidden(), epsilon) >= 0


@for_all_rules("what is stated in clear is the same on two devices")
def stated_is_alike(subject: Subject, epsilon: Fraction) -> bool:
    """State a budget on two devices."""
    one, two = (stated(subject, each, epsilon) for each in devices())
    return one == two


class Parsed(Name):
    """Be the site that a text names; whether it is the text itself is not known."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not Parsed:
            refuse("comparison of a site with another value")
        return self is other

    __hash__ = Name.__hash__


PARSED = cast(str, Parsed("the site of the caller"))


def parsed(_: Level1Limits, text: str) -> str | None:
    """Stand in the place of `parse_site`, for the site that is named here and for no other.

    By the answer about a text of its own a rule could tell that this is not the real one.
    """
    return PARSED if text is NEWS else refuse("parse_site of a text of a rule")


def checked(
    subject: Subject, device: Device, index: int, days: int, sites: tuple[str, ...] = ()
) -> object:
    """Check the options of an impression; return it, or what the call is rejected with."""
    assume(0 <= index, 0 <= days)
    rules = replace(subject.rules, limits=limits_of(**LIMITS), parse_site=parsed)
    at = unchecked(OnBrowser, rules=rules, now=free("now", int), device=device)
    options = unchecked(
        ImpressionOptions,
        histogram_index=index,
        lifetime_days=days,
        match_value=free("match_value", int),
        priority=free("priority", int),
        conversion_sites=sites,
        conversion_callers=sites,
    )
    caller = unchecked(Caller, site=NEWS, intermediary=None)
    try:
        return rules.validate_impression(at, caller, options).lifetime
    except Rejected as error:
        return error.name


@for_all_rules("an impression is checked whatever the device keeps")
def checks_are_blind(subject: Subject, index: int, days: int) -> bool:
    """Check an impression without looking at the device; a changed rule may see no list."""
    own = subject.rules.validate_impression is DRAFT.validate_impression
    sites = () if own else opaque(tuple[str, ...], "the sites")
    checked(subject, hidden(), index, days, sites)
    return True


@for_all_rules("an impression is checked on two devices alike")
def checks_are_alike(subject: Subject, index: int, days: int) -> bool:
    """Check an impression on two devices."""
    one, two = (checked(subject, each, index, days) for each in devices())
    return same(one, two)


def kept(subject: Subject, left: Budgets, now: int) -> tuple[int, int]:
    """Save an impression and clear a site; return how much is stored then."""
    rules = replace(subject.rules, limits=limits_of())
    device = unchecked(Device, impressions=(stored(1),), budgets=left, epoch_start=0)
    at = unchecked(OnBrowser, rules=rules, now=now, device=device)
    return len(rules.save(at, stored(2))), len(rules.clear_site(at, NEWS))


@for_all_rules("what is stored does not depend on budgets")
def store_is_blind(subject: Subject, now: int) -> bool:
    """Save and clear without looking at budgets."""
    kept(subject, opaque(Budgets, "the budgets"), now)
    return True


@for_all_rules("what is stored is the same beside two budgets")
def store_is_alike(subject: Subject, now: int) -> bool:
    """Save and clear beside two budgets."""
    one, two = (kept(subject, each.budgets, now) for each in devices())
    return one == two


@for_all_rules("what clearing leaves but for budgets does not depend on budgets")
def clearing_is_alike(
    subject: Subject,
    now: int,
    start: int,
    last: int,
    epoch: int,
    everything: bool,
    first: bool,
    forget: bool,
) -> bool:
    """Clear beside two budgets, at any time, on a device that is otherwise the same."""
    assume(last <= now)
    stored_one = stored(1)
    device = unchecked(
        Device,
        impressions=handed(stored_one, some=False),
        epoch_start=start,
        last_clearing=None if first else last,
        enabled=free("enabled", int) > 0,
        pages=opaque(Map, "the pages"),
    )
    here, there = (
        clear(on_clearing(subject.rules, now, device, kept), bool(everything), bool(forget))
        for kept in (any_entries(epoch, world) for world in (1, 2))
    )
    one, two = contents_of(here.impressions), contents_of(there.impressions)
    others = (each.name for each in fields(Device) if each.name not in ("impressions", "budgets"))
    return (
        len(one) == len(two)
        and all(each is stored_one for each in (*one, *two))
        and all(is_same(getattr(here, each), getattr(there, each)) for each in others)
    )


def any_entries(epoch: int, world: int) -> Budgets:
    """Return budgets of an epoch that are those of one world alone."""
    site, all_, news = amounts(*(f"{what}_{world}" for what in ("site", "all", "news"))).values()
    return budgets(
        [((epoch, SHOP), site)], [(epoch, all_)], [((epoch, NEWS), news)], world=f"_{world}"
    )


def on_clearing(rules: Level1Rules, now: int, device: Device, kept: Budgets) -> OnBrowser:
    """Return what a rule sees that clears a device with these budgets."""
    held = {
        each.name: getattr(device, each.name) for each in fields(Device) if each.name != "budgets"
    }
    rules = replace(rules, limits=limits_of())
    return unchecked(
        OnBrowser, rules=rules, now=now, device=unchecked(Device, budgets=kept, **held)
    )


def is_same(one: object, other: object) -> bool:
    """Compare a field of two devices; what is a map is compared whole."""
    return one == other if type(one) is type(other) is Map else same(one, other)


def cleared_beside(
    rules: Level1Rules,
    times: tuple[int, int, int],
    epochs: tuple[int, int],
    flags: tuple[bool, bool, bool],
    apart: bool,
) -> tuple[Budgets, Budgets]:
    """Clear in two worlds with different budgets of another epoch; return what is left of both."""
    (now, start, last), (everything, first, forget) = times, flags
    assume(last <= now, epochs[0] != epochs[1])
    device = cleared_device(opaque(Budgets, "the budgets"), start, None if first else last)
    here, there = (
        clear(on_clearing(rules, now, device, kept), bool(everything), bool(forget))
        for kept in (kept_beside(*epochs, world, apart) for world in (1, 2))
    )
    return budgets_of(here.budgets), budgets_of(there.budgets)


@for_all_rules("what clearing leaves of an epoch's budgets depends on these alone")
def cleared_alone(
    subject: Subject,
    now: int,
    start: int,
    last: int,
    own: int,
    other: int,
    everything: bool,
    first: bool,
    forget: bool,
) -> bool:
    """Clear beside different budgets of another epoch."""
    here, there = cleared_beside(
        subject.rules, (now, start, last), (own, other), (everything, first, forget), apart=False
    )
    return (
        all(is_alike(here.sites, there.sites, (own, site)) for site in (SHOP, TOYS))
        and is_alike(here.shared, there.shared, own)
        and is_alike(here.quotas, there.quotas, (own, NEWS))
    )


def shown(subject: Subject, world: int, save_one: bool, on: bool) -> Level1Observation:
    """Make a call on a device in one of two worlds; return what is seen."""

    def attribute(at: AtConversion, _: Draw) -> tuple[Budgets, Histogram]:
        return at.device.budgets, (free(f"bucket_{world}", int), 0)

    rules = replace(
        DRAFT, attribute=attribute, parse_site=lambda _, site: site, limits=limits_of(**LIMITS)
    )
    device = replace(devices()[world - 1], enabled=on)
    caller = Caller(site=SHOP)
    made: SaveImpression | MeasureConversion = MeasureConversion(
        now=free("now", int),
        caller=caller,
        options=ConversionOptions(service="service", histogram_size=2),
        report_id=1,
    )
    if save_one:
        options = ImpressionOptions(histogram_index=0)
        made = SaveImpression(now=free("now", int), caller=caller, options=options)
    before = Level1System(devices=Map({DEVICE: device}))
    _, seen = subject.step(rules, before, made, cast(Draw, lambda law: law))
    return seen


@for_all_rules("a call shows the same whether the interface is on or off, whatever is stored")
def step_is_blind(subject: Subject, save_one: bool, on: bool, also_on: bool) -> bool:
    """Make the same call on two devices."""
    first = shown(subject, 1, bool(save_one), bool(on))
    second = shown(subject, 2, bool(save_one), bool(also_on))
    return len(first) == 1 and first == second


@exists("not vacuous: a call shows a report")
def something_is_shown(subject: Subject, value: int) -> bool:
    """Find a call that is answered with a report."""
    seen = shown(subject, 1, False, True)
    return value == 1 and seen[0].shown is not None


def active_while_stored(at: OnBrowser, page: Activation) -> Activation | None:
    """Activate only devices that store something."""
    return check_activation(at, page) if at.device.impressions else None


def stated_if_stored(at: AtConversion) -> int:
    """State nothing where nothing is stored."""
    return DRAFT.stated_budget(at) if at.device.impressions else 0


def refuse_when_full(at: OnBrowser, caller: Caller, options: ImpressionOptions) -> Impression:
    """Reject an impression where something is stored already."""
    if at.device.impressions:
        reject("RangeError", "the store is full")
    return validate_impression(at, caller, options)


def save_while_budget_is_left(at: OnBrowser, made: Impression) -> tuple[Impression, ...]:
    """Save only while no budget was used."""
    return at.device.impressions if at.device.budgets.shared else save(at, made)


def off_when_used_up(at: OnBrowser, sites: frozenset[str], forget: bool) -> Device:
    """Turn the interface off where nothing is left."""
    after = clear_history(at, sites, forget)
    used_up = any(left == 0 for left in at.device.budgets.shared.values())
    return replace(after, enabled=not used_up)


def even_out(at: OnBrowser, sites: frozenset[str], forget: bool) -> Device:
    """Leave every epoch no more of the global budget than the one that has least."""
    after = clear_history(at, sites, forget)
    if forget:
        return after
    shared = after.budgets.shared
    for epoch in shared:
        for left in after.budgets.shared.values():
            shared = shared.set(epoch, left) if left < shared[epoch] else shared
    return replace(after, budgets=replace(after.budgets, shared=shared))


def tell_what_is_saved(
    rules: Level1Rules, before: Level1System, move: SaveImpression, draw: Draw
) -> tuple[Level1System, Level1Observation]:
    """Tell a page whether its impression was saved."""
    after, seen = system.step(rules, before, move, draw)
    if not isinstance(move, SaveImpression):
        return after, seen
    told = len(after.devices[DEVICE].impressions) > len(before.devices[DEVICE].impressions)
    return after, (replace(seen[0], shown=told),)


def show_nothing(
    rules: Level1Rules, before: Level1System, move: SaveImpression, draw: Draw
) -> tuple[Level1System, Level1Observation]:
    """Show nothing of a report."""
    after, _ = system.step(rules, before, move, draw)
    return after, (Sight(site=SHOP),)


OWN = ("validate_conversion", "parse_site")
SITE_ONLY = GLOBAL_ONLY = ()
STEPS = (
    Inductive(step=activation_is_blind, reachable=activation_is_alike),
    Inductive(step=stated_is_blind, reachable=stated_is_alike),
    Inductive(step=checks_are_blind, reachable=checks_are_alike),
    Inductive(step=store_is_blind, reachable=store_is_alike),
    clearing_is_alike,
    cleared_alone,
    step_is_blind,
    something_is_shown,
)


def changed(**rules: object) -> Subject:
    """Return a subject whose rules are changed."""
    return Subject(rules=replace(DRAFT, **rules))  # type: ignore[arg-type]


PROOF = Proof(
    claim="level1_what_is_seen_is_public",
    subject=Subject(),
    steps=STEPS,
    controls={
        "only devices that store something are active": changed(
            check_activation=active_while_stored
        ),
        "nothing is stated where nothing is stored": changed(stated_budget=stated_if_stored),
        "a full store is told": changed(validate_impression=refuse_when_full),
        "impressions are saved while no budget was used": changed(save=save_while_budget_is_left),
        "clearing turns the interface off where nothing is left": changed(
            clear_history=off_when_used_up
        ),
        "clearing leaves no epoch more than another": changed(clear_history=even_out),
        "a page is told what is saved": Subject(step=tell_what_is_saved),
    },
    unproved_for={"nothing is shown": Subject(step=show_nothing)},
)
