r"""Claim: the worked examples of the paper come out as the paper tells them.

Paper: Sec. 2.1; Sec. 2.2; Sec. 4.2; Sec. 4.3.
Method: exact runs of `spec.system.step` without noise, one for each example; runs of the world
    without a unit, in every relation; attempts at what is refused, and at what comes close to it.
Assumes: nothing.

A guarantee can hold for APIs that do something else than the paper's. These runs hold the
specification to what the text says it does: which source is credited until when, which first views
fit a budget, and which windows report which buckets. The same is asked of the world without an ad
or a device: a guarantee is about a relation, and says nothing if that is another one. And it is
asked of what is no input: what should have been refused is in no proof.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import chain, product
from typing import Any, TypeVar

from immutables import Map

from proofs._check import check_of
from proofs._examples import (
    AD,
    DAY,
    FOOTWEAR,
    HOUR,
    PURCHASE,
    RELATIONS,
    SANDALS,
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
    holding,
)
from proofs._other_worlds import (
    ads_are_removed,
    credit_is_for_own_budgets,
    devices_are_removed,
    draws_are_shared,
)
from proofs._proof import Proof
from proofs._refusals import first_wrong_refusal
from proofs._subjects import search
from spec import PAPER
from spec.aggregation_service import Query, Service, Spent
from spec.attribution_client import AttributionClient, Source
from spec.contributions import Budget, Credit, Unit
from spec.distributions import Draw, Law
from spec.event_client import (
    EventClient,
    EventReport,
    EventTrigger,
    SourceRecord,
    TriggerSpecification,
    ends_of,
)
from spec.event_outputs import OutputSet
from spec.neighbours import (
    ATTRIBUTION_FIXED,
    EMPTY_STORE,
)
from spec.neighbours.relation import SharedDraws
from spec.private_aggregation_client import (
    AggregationClient,
    DeviceWindow,
    Event,
)
from spec.rules import (
    AtEvent,
    AtEventTrigger,
    AtSource,
    AtTrigger,
    AtWindows,
    OnDevice,
)
from spec.system import Move, PassTime, System

T = TypeVar("T")


@search(
    "a purchase is credited to the ad until it expires", by="exact run", over="the paper's example"
)
def ad_is_credited(examples: Examples) -> Mapping[str, object] | None:
    """Buy a day after the ad, for nothing, just before it expires and when it has, elsewhere; ask.

    All that the system keeps is compared: what no rule of the paper reads, another rule may.
    """
    rules, cap = examples.rules, examples.rules.limits.epsilon
    moves: list[Move] = [
        PassTime(until=HOUR),
        AD,
        PassTime(until=DAY),
        PURCHASE,
        replace(PURCHASE, report_id=2, destination="hats-website.com"),
        replace(PURCHASE, report_id=3, filters=frozenset({"boots"})),
        replace(PURCHASE, report_id=4, value=0),
        PassTime(until=3 * DAY - 1),
        replace(PURCHASE, report_id=5, value=1),
        PassTime(until=3 * DAY),
        replace(PURCHASE, report_id=6),
        Query(epsilon=cap, report_ids=(1, 2, 3, 4, 5, 6), keys=(0x559, 1)),
        Query(epsilon=cap, report_ids=(1,), keys=(0x559,)),
    ]
    system, seen = after(rules, moves)
    held: Held = {1: [(0x559, 70)], 2: [], 3: [], 4: [], 5: [(0x559, 1)], 6: []}
    client = AttributionClient(
        sources=(replace(AD, registered_at=HOUR),),
        budgets=Map({AD.source_id: Budget(value=71, count=2)}),
    )
    wanted = System(
        now=3 * DAY,
        attribution=Map({AD.device: client}),
        events=Map({AD.device: EventClient()}),
        registered=Map({AD.source_id: AD.device}),
        service=Service(ledger=Map(dict.fromkeys(held, Spent(epsilon=cap, queries=1)))),
        **holding(held),
    )
    return first_difference((system, answers(seen)), (wanted, [{0x559: 71, 1: 0}]))


@search("two first views fit the budget of a window", by="exact run", over="the paper's example")
def views_fit(examples: Examples) -> Mapping[str, object] | None:
    """View shoes, pants and a jacket, and in the next window a shirt and shoes again."""
    rules = examples.rules
    half = rules.limits.contribution_budget // 2

    def view(report_id: int, key: int) -> Event:
        return Event(report_id=report_id, device="phone", program=first_view(key, half))

    moves = [view(1, 1), view(2, 2), view(3, 3)]
    later = [view(4, 4), view(5, 1)]
    before = PassTime(until=rules.limits.window_length - 1)
    system, _ = after(rules, [*moves[:2], before, moves[2], after_window(rules), *later])
    windows = [DeviceWindow(device="phone", window=number) for number in range(2)]
    spent = [Budget(value=2 * half, count=2), Budget(value=half, count=1)]
    client = AggregationClient(
        storage=Map(dict.fromkeys((1, 2, 3, 4), True)),
        budgets=Map(zip(windows, spent, strict=True)),
    )
    wanted = System(
        now=rules.limits.window_length,
        aggregation=Map({"phone": client}),
        events=Map({"phone": EventClient()}),
        **holding({1: [(1, half)], 2: [(2, half)], 3: [], 4: [(4, half)], 5: []}),
    )
    return first_difference(system, wanted)


PURCHASES = {1: (SNEAKERS, 30), 2: (SANDALS, 60), 4: (SNEAKERS, 65), 6: (SNEAKERS, 10)}


@search(
    "a week of purchases sends three event-level reports",
    by="exact run",
    over="the paper's example",
)
def week_is_reported(examples: Examples) -> Mapping[str, object] | None:
    """Buy on four days, and look at what every day reports, and at the account in the end."""
    moves: list[Move] = [PassTime(until=HOUR), FOOTWEAR]
    for day in range(1, 8):
        if day in PURCHASES:
            data, value = PURCHASES[day]
            moves.append(
                EventTrigger(
                    trigger_id=f"day {day}",
                    destination=SHOP,
                    filters=frozenset({"footwear"}),
                    data=data,
                    value=value,
                )
            )
        moves.append(PassTime(until=HOUR + day * DAY))
    system, seen = after(examples.rules, moves)
    days = [shown for move, shown in zip(moves, seen, strict=True) if isinstance(move, PassTime)]
    sent = [[(x.data, x.bucket) for x in shown if isinstance(x, EventReport)] for shown in days]
    wanted = [[], [], [(SNEAKERS, 20)], [], [], [(SANDALS, 10), (SANDALS, 50)], [], []]
    record = SourceRecord(
        source=FOOTWEAR,
        registered_at=HOUR,
        values=Map({SNEAKERS: 105, SANDALS: 60}),
        reported=Map({SNEAKERS: 70, SANDALS: 50}),
        sent=3,
        active=False,
    )
    kept = System(
        now=HOUR + 7 * DAY,
        events=Map({FOOTWEAR.device: EventClient(records=(record,))}),
        registered=Map({FOOTWEAR.source_id: FOOTWEAR.device}),
    )
    ends = tuple(HOUR + days * DAY for days in (2, 7, 1, 5))
    return first_difference((sent, system, ends_of(record)), (wanted, kept, ends))


@search(
    "windows report in the order in which they end, however time passes",
    by="exact run",
    over="the truth and all 27 responses of the paper's example",
)
def windows_pass_in_order(examples: Examples) -> Mapping[str, object] | None:
    """Buy at once, and let a week pass by the day and in one go, whatever the source answers."""
    ends = [(1, SANDALS, 0), (2, SNEAKERS, 0), (5, SANDALS, 1), (7, SNEAKERS, 1)]
    buckets = {each.data: each.buckets for each in FOOTWEAR.specifications}
    data = list(buckets)
    buys: list[Move] = [
        EventTrigger(
            trigger_id="buy", destination=SHOP, filters=FOOTWEAR.filters, data=each, value=100
        )
        for each in data
    ]
    outputs = OutputSet(maximum_reports=3, windows=(2, 2), buckets=(2, 2))
    for response in (None, *outputs):
        wanted: dict[int, list[tuple[object, int]]] = {day: [] for day in range(1, 8)}
        for day, datum, window in ends:
            counts = ((1, 0), (2, 0)) if response is None else response
            row = counts[data.index(datum)]
            sent = buckets[datum][sum(row[:window]) : sum(row[: window + 1])]
            wanted[day] += [(datum, bucket) for bucket in sent]

        def answered(law: object, drawn: object = response) -> object:
            return drawn if isinstance(law, Law) else law

        for days in (list(wanted), [7]):
            passing: list[Move] = [PassTime(until=day * DAY) for day in days]
            _, seen = after(examples.rules, [FOOTWEAR, *buys, *passing], answered)
            reports = [
                [(each.data, each.bucket) for each in shown if isinstance(each, EventReport)]
                for shown in seen[-len(days) :]
            ]
            by_day = list(wanted.values())
            in_one_go = [list(chain.from_iterable(by_day))]
            found = first_difference(reports, by_day if len(days) > 1 else in_one_go)
            if found is not None:
                return {"response": str(response), **found}
    return None


@search(
    "a purchase counts for the newest ad that is active and matches",
    by="exact run",
    over="72 newer ads beside an older one, summary and event-level reports",
)
def newest_takes(examples: Examples) -> Mapping[str, object] | None:
    """Let the newer ad expire, or be about something else, and buy for one or for nothing."""
    wanted = frozenset({SNEAKERS})
    shoes = TriggerSpecification(data=SNEAKERS, windows=(2 * DAY,), buckets=(1,))
    for expiry, place, filters, data, value in product(
        (DAY - 1, DAY, DAY + 1),
        (SHOP, "hats-website.com"),
        (frozenset[str](), frozenset({SANDALS}), frozenset({SANDALS, SNEAKERS})),
        (SANDALS, SNEAKERS),
        (0, 1),
    ):
        fits = expiry > DAY and place == SHOP and SNEAKERS in filters
        older = replace(FOOTWEAR, filters=wanted, specifications=(shoes,))
        about = replace(older, specifications=(replace(shoes, data=data),))
        newer: dict[str, Any] = {
            "source_id": "newer",
            "expiry": expiry,
            "destination": place,
            "filters": filters,
        }
        click = EventTrigger(
            trigger_id="click", destination=SHOP, filters=wanted, data=SNEAKERS, value=value
        )
        ads: list[Move] = [AD, replace(AD, key=0x600, **newer), older, replace(about, **newer)]
        later: list[Move] = [PassTime(until=DAY), replace(PURCHASE, key=0, value=value), click]
        system, seen = after(examples.rules, [*ads, *later, PassTime(until=2 * DAY)])
        counted = [dict(each.values) for each in system.events[AD.device].records]
        sent = [each.source_id for each in seen[-1] if isinstance(each, EventReport)]
        place_of_click = 0 if fits and data == SNEAKERS else 1
        found = first_difference(
            (carried(system)[1], counted, sent),
            (
                [(0x600 if fits else 0x500, value)] if value else [],
                [{SNEAKERS: value} if value and n == place_of_click else {} for n in range(2)],
                [("newer", older.source_id)[place_of_click]] if value else [],
            ),
        )
        if found is not None:
            return {**newer, "data": data, "value": value, **found}
    return None


@search(
    "what is no input is refused, and nothing else",
    by="exact run",
    over="every reason to refuse, with what comes closest to it",
)
def refusals_are_exact(examples: Examples) -> Mapping[str, object] | None:
    """Try what should be taken and what should not."""
    return first_wrong_refusal(examples.rules)


NO_OUTPUTS: tuple[object, ...] = (
    (),
    ((0, 0),),
    ((0, 0), (0, 0), (0, 0)),
    ((0, 0), (0,)),
    [(0, 0), (0, 0)],
    ([0, 0], (0, 0)),
    ((0, 0), (0, True)),
    ((0, 0), (0, Fraction(0))),
    None,
)
"""What looks like an output of two data with two windows."""


@search("the week has 27 outputs of 36", by="enumeration", over="the paper's example")
def outputs_are_counted(examples: Examples) -> Mapping[str, object] | None:
    """Count the outputs with at most three reports, and all pairs; nothing else is in the set."""
    at = OnDevice(rules=examples.rules, now=0, client=EventClient(), cause=FOOTWEAR)
    sets = [
        examples.rules.output_set(at, replace(FOOTWEAR, maximum_reports=most)) for most in (3, 4)
    ]
    tried = [((a, b), (c, d)) for a, b, c, d in product(range(-1, 4), repeat=4)]
    for outputs in sets:
        held = [each for each in (*tried, *NO_OUTPUTS) if each in outputs]
        members = set(outputs)
        listed = [each for each in tried if each in members]
        if held != listed:
            return first_difference(held, listed)
    return first_difference(
        [(outputs.size(), len(set(outputs))) for outputs in sets], [(27, 27), (36, 36)]
    )


def register_at_zero(at: AtSource, source: Source) -> AttributionClient:
    """Note no time."""
    return PAPER.register_source(replace(at, now=0), source)


def register_again(at: AtSource, source: Source) -> AttributionClient:
    """Let a source take the place of one with the same name."""
    others = tuple(each for each in at.client.sources if each.source_id != source.source_id)
    return PAPER.register_source(replace(at, client=replace(at.client, sources=others)), source)


def sorted_reports(
    at: AtWindows, since: int, draw: Draw
) -> tuple[EventClient, tuple[EventReport, ...]]:
    """Sort what several windows report."""
    client, reports = PAPER.pass_windows(at, since, draw)
    return client, tuple(sorted(reports, key=lambda each: (str(each.data), each.bucket)))


def event_matches_when_expired(at: AtEventTrigger, record: SourceRecord) -> bool:
    """Let an event-level source match in the moment in which it expires."""
    return PAPER.event_matches(replace(at, now=at.now - 1), record)


def window_of_the_device(at: AtEvent) -> object:
    """Let a device have one window."""
    return PAPER.budget_unit(replace(at, now=0))


def last_value_alone(at: AtEventTrigger, credited: tuple[Unit, ...]) -> EventClient:
    """Forget the value of earlier triggers of the datum."""
    datum = at.cause.data
    records = tuple(
        replace(each, values=Map({x: value for x, value in each.values.items() if x != datum}))
        for each in at.client.records
    )
    client = replace(at.client, records=records)
    return PAPER.register_event_trigger(replace(at, client=client), credited)


class DrawnTwice(SharedDraws):
    """Draw anew in the other run."""

    def again(self, law: T | Law[T], /) -> T:
        """Forget what was drawn."""
        return self.draw(law)


def looking_at_all_budgets(
    at: AtTrigger, draw: Draw
) -> tuple[AttributionClient, tuple[Credit, ...]]:
    """Ask about the budgets of all ads before one is credited."""
    at.rules.contribute(at, ())
    return PAPER.attribute(at, draw)


PROOF = Proof(
    claim="the_papers_examples_come_out",
    subject=Examples(),
    steps=(
        ad_is_credited,
        views_fit,
        week_is_reported,
        windows_pass_in_order,
        newest_takes,
        refusals_are_exact,
        outputs_are_counted,
        ads_are_removed,
        devices_are_removed,
        draws_are_shared,
        credit_is_for_own_budgets,
    ),
    bound="the paper's three examples; every reason to refuse; an ad, a device and a coin in every "
    "relation",
    controls={
        "ads that forget when they were registered": Examples(
            rules=replace(PAPER, register_source=register_at_zero)
        ),
        "event-level sources that match when they expire": Examples(
            rules=replace(PAPER, event_matches=event_matches_when_expired)
        ),
        "reports in the order of their data": Examples(
            rules=replace(PAPER, pass_windows=sorted_reports)
        ),
        "ads that are registered twice": Examples(
            rules=replace(PAPER, register_source=register_again)
        ),
        "one window for ever": Examples(rules=replace(PAPER, budget_unit=window_of_the_device)),
        "values that are not added up": Examples(
            rules=replace(PAPER, register_event_trigger=last_value_alone)
        ),
        "outputs of one report less": Examples(
            rules=replace(
                PAPER,
                output_set=lambda at, source: PAPER.output_set(
                    at, replace(source, maximum_reports=source.maximum_reports - 1)
                ),
            )
        ),
        "ads that are matched after all": Examples(
            relations=RELATIONS.set("never matches", ATTRIBUTION_FIXED)
        ),
        "a null store that is an empty one": Examples(
            relations=RELATIONS.set("null store", EMPTY_STORE)
        ),
        "draws that are made twice": Examples(draws=DrawnTwice),
        "credit for all budgets": Examples(rules=replace(PAPER, attribute=looking_at_all_budgets)),
    },
)

CHECK = check_of(PROOF, header=__doc__)
