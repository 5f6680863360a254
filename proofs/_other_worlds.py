"""What the world without an ad or a device is, in every neighbour relation, and what is decided."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import cast

from proofs._examples import (
    AD,
    DAY,
    FOOTWEAR,
    PURCHASE,
    SHOP,
    SNEAKERS,
    Examples,
    Held,
    after,
    after_window,
    answers,
    carried,
    first_difference,
    first_view,
    without_chance,
)
from proofs._subjects import search
from spec.aggregation_service import Query, Service
from spec.attribution_client import Source
from spec.contributions import Budgets, Credit, Unit
from spec.distributions import Draw, coin, explore
from spec.event_client import (
    EventReport,
    EventTrigger,
    TriggerSpecification,
)
from spec.neighbours import (
    DUMMY,
    DUMMY_KEY,
    Worlds,
)
from spec.private_aggregation_client import (
    AggregationClient,
    DeviceWindow,
    Event,
)
from spec.reports import Contribution, Report
from spec.rules import (
    AtContribution,
    AtService,
    AtTrigger,
)
from spec.summary_mechanism import Record, SummaryMechanism, SummaryQuery
from spec.system import Move, Observation, PassTime


def without(
    examples: Examples, name: str, unit: Unit, moves: Iterable[Move]
) -> tuple[Held, list[object]]:
    """Return what reports hold in the world without a unit, and which event-level data are sent.

    What they hold is asked for twice, and must be answered once: every world has its own ledger.
    """
    other = examples.relations[name].without(examples.rules, unit)
    worlds: Worlds = other.initial
    seen: list[Observation] = []
    for move in moves:
        worlds, shown = other.step(worlds, move, cast(Draw, without_chance))
        seen.append(shown)
    reports = [each for shown in seen for each in shown if isinstance(each, EventReport)]
    held = carried(worlds.own)
    sums: dict[int, int] = {}
    for key, value in chain.from_iterable(held.values()):
        sums[key] = sums.get(key, 0) + value
    cap = examples.rules.limits.epsilon
    query = Query(epsilon=cap, report_ids=tuple(held), keys=tuple(sums) or (0,))
    for answered in (sums or {0: 0}, None):
        worlds, shown = other.step(worlds, query, cast(Draw, without_chance))
        if answers([shown]) != ([] if answered is None else [answered]):
            return {}, [shown]
    return held, [each.source_id for each in reports]


@search(
    "without an ad its reports are empty, or what another relation says",
    by="exact run",
    over="one ad alone and among three, summary and event-level reports",
)
def ads_are_removed(examples: Examples) -> Mapping[str, object] | None:
    """Use up the budgets of two ads, and the event-level reports of the newer one."""
    top = examples.rules.limits.contribution_budget
    older = replace(AD, source_id="older", key=0x100)
    thrice = TriggerSpecification(data=SNEAKERS, windows=(DAY, 2 * DAY, 7 * DAY), buckets=(20,))
    shoes = replace(FOOTWEAR, maximum_reports=1, specifications=(thrice,))
    buys = [
        EventTrigger(
            trigger_id=f"buy {n}",
            destination=SHOP,
            filters=frozenset({"footwear"}),
            data=SNEAKERS,
            value=20,
        )
        for n in range(2)
    ]
    moves: list[Move] = [
        replace(AD, source_id="oldest", filters=frozenset({"hats"})),
        older,
        AD,
        replace(shoes, source_id="older"),
        replace(shoes, source_id=AD.source_id),
        *(replace(PURCHASE, report_id=n, key=0, value=top) for n in (1, 2)),
        buys[0],
        PassTime(until=2 * DAY),
        replace(PURCHASE, report_id=3, key=0),
        buys[1],
        PassTime(until=7 * DAY),
    ]
    empty: dict[int, list[tuple[int, int]]] = {1: [], 2: [], 3: []}
    fixed, again = {**empty, 2: [(0x100, top)]}, {**empty, 1: [(0x100, top)]}
    wanted: dict[str, tuple[object, list[object]]] = {
        "attribution fixed": (fixed, ["older"]),
        "null store": (fixed, ["older"]),
        "empty store": (fixed, ["older"]),
        "nulled after admission": (fixed, ["older"]),
        "moved to the dummy": ({**fixed, 1: [(DUMMY_KEY, top)]}, ["older"]),
        "never matches": (again, ["older"]),
        "never registered": (again, ["older"]),
    }
    found = {name: without(examples, name, AD.source_id, moves) for name in wanted}
    alone = without(examples, "attribution fixed", AD.source_id, [AD, PURCHASE])
    noted: list[Source] = []

    def contributions(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
        noted.append(source)
        return examples.rules.contributions(at, source)

    noting = replace(examples, rules=replace(examples.rules, contributions=contributions))
    without(noting, "moved to the dummy", AD.source_id, [AD, PURCHASE])
    dummy = replace(AD, source_id=DUMMY, key=DUMMY_KEY)
    return first_difference((found, alone, noted), (wanted, ({1: []}, []), [AD, dummy]))


@search(
    "without a device in a window its reports are empty, or those of an empty store",
    by="exact run",
    over="two devices, two windows",
)
def devices_are_removed(examples: Examples) -> Mapping[str, object] | None:
    """View one thing twice, on another device, and again in the next window."""
    part = examples.rules.limits.contribution_budget // 4

    def view(report_id: int, device: str, key: int) -> Event:
        return Event(report_id=report_id, device=device, program=first_view(key, part))

    phone = [view(1, "phone", 1), view(2, "phone", 1)]
    later = [view(4, "phone", 1), view(5, "phone", 2)]
    moves: list[Move] = [*phone, view(3, "laptop", 1), after_window(examples.rules), *later]
    kept = {1: [], 2: [], 3: [(1, part)], 4: [], 5: [(2, part)]}
    wanted: dict[str, tuple[object, list[object]]] = {
        "null store": (kept, []),
        "nulled after admission": (kept, []),
        "empty store": ({**kept, 1: [(1, part)], 2: [(1, part)]}, []),
    }
    unit = DeviceWindow(device="phone", window=0, ad_tech=phone[0].ad_tech)
    return first_difference({name: without(examples, name, unit, moves) for name in wanted}, wanted)


@search("what is drawn with the unit is drawn again without it", by="exact run", over="three coins")
def draws_are_shared(examples: Examples) -> Mapping[str, object] | None:
    """Draw a fair coin for the run on $D$; another coin, and a second fair one, are new."""
    fair, bent = coin(Fraction(1, 2)), coin(Fraction(1, 3))

    def run(draw: Draw) -> tuple[bool, ...]:
        shared = examples.draws(draw)
        with_unit: Draw = shared.first
        without_unit: Draw = shared.again
        first = with_unit(fair)
        other, again, new = (without_unit(each) for each in (bent, fair, fair))
        return first == again, other, new, without_unit("plain") == with_unit("plain")

    found = explore(run)
    wanted = bent.then(lambda other: fair.map(lambda new: (True, other, new, True)))
    return first_difference(found, wanted)


@search(
    "other budgets have no part in who is credited, and admission comes after deciding",
    by="exact run",
    over="two ads, two purchases, a view, and a record of the mechanism",
)
def credit_is_for_own_budgets(examples: Examples) -> Mapping[str, object] | None:
    """Note at which budgets, storage and time deciding and admission may look."""
    noted: list[object] = []

    def contribute(
        at: AtContribution, credits: tuple[Credit, ...]
    ) -> tuple[Budgets, tuple[Credit, ...]]:
        storage = [dict(at.client.storage)] if isinstance(at.client, AggregationClient) else []
        noted.append((at.now, set(at.client.budgets), *storage))
        return examples.rules.contribute(at, credits)

    def serve(at: AtService, reports: tuple[Report, ...], draw: Draw) -> tuple[Service, Hashable]:
        noted.append(at.now)
        return examples.rules.serve(at, reports, draw)

    rules = replace(examples.rules, contribute=contribute, serve=serve)
    other = replace(AD, source_id="other", filters=frozenset({"hats"}))
    hats = replace(PURCHASE, report_id=2, filters=other.filters)
    viewed = Event(report_id=3, device="phone", program=first_view(1, 1))
    query = Query(epsilon=Fraction(1), report_ids=(1,), keys=(0,))
    after(rules, [AD, other, PassTime(until=DAY), PURCHASE, hats, viewed, query])
    mechanism = SummaryMechanism(rules=rules)
    asked = SummaryQuery(query=query, function=lambda _: Contribution(key=0, value=1))
    records = tuple(Record(unit=unit, report_id=1) for unit in ("x", "z"))
    mechanism.step(mechanism.initial, (records, asked), cast(Draw, without_chance))
    both = {AD.source_id, other.source_id}
    own = [{AD.source_id}, both, {other.source_id}, both]
    wanted = [*((DAY, each) for each in own), (DAY, set(), {1: True}), DAY]
    return first_difference(noted, [*wanted, (0, set()), (0, {"x"}), 0])
