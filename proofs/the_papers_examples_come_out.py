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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, product
from typing import Any, TypeAlias, TypedDict, TypeVar, cast

from immutables import Map

from proofs._check import check_of
from proofs._proof import Proof
from proofs._refusals import first_wrong_refusal, without_chance
from proofs._subjects import search
from spec import PAPER, Rules
from spec.aggregation_service import Answer, Query, Service, Spent
from spec.attribution_client import AttributionClient, Source, Trigger
from spec.contributions import Budget, Budgets, Credit, Unit
from spec.distributions import Draw, Law, coin, explore
from spec.event_client import (
    EventClient,
    EventReport,
    EventSource,
    EventTrigger,
    SourceRecord,
    TriggerSpecification,
    ends_of,
)
from spec.neighbours import (
    ATTRIBUTION_FIXED,
    DUMMY,
    DUMMY_KEY,
    EMPTY_STORE,
    RELATIONS_BY_NAME,
    Relation,
    Worlds,
)
from spec.neighbours.relation import SharedDraws
from spec.private_aggregation_client import (
    AggregationClient,
    DeviceWindow,
    Event,
    Program,
    Storage,
)
from spec.reports import Contribution, Report
from spec.rules import AtContribution, AtEvent, AtEventTrigger, AtSource, AtTrigger, OnDevice
from spec.system import Move, Observation, PassTime, System, SystemMechanism, step

T = TypeVar("T")
HOUR = 60 * 60
DAY = 24 * HOUR
RELATIONS = Map(RELATIONS_BY_NAME)
SHOP = "shoes-website.com"
SNEAKERS, SANDALS = "sneakers", "sandals"


Held: TypeAlias = Mapping[int, Sequence[tuple[int, int]]]
"""What every report holds, as pairs of key and value."""


class ArrivedReports(TypedDict):
    """Name the parts of a system that hold reports."""

    reports: Map[int, Report]
    used_ids: Map[int, None]


@dataclass(frozen=True, kw_only=True)
class Examples:
    """Hold the rules that the examples are run with, the relations, and how these share draws."""

    rules: Rules = PAPER
    relations: Map[str, Relation] = RELATIONS
    draws: type[SharedDraws] = SharedDraws


def after(rules: Rules, moves: Iterable[Move]) -> tuple[System, list[Observation]]:
    """Return the system after moves, and what was seen of each."""
    system, seen = SystemMechanism(rules=rules).initial, []
    for move in moves:
        system, shown = step(rules, system, move, cast(Draw, without_chance))
        seen.append(shown)
    return system, seen


def first_difference(found: object, wanted: object) -> Mapping[str, object] | None:
    """Write down what came out instead, if it is something else."""
    return None if found == wanted else {"came out": str(found), "in the paper": str(wanted)}


AD = Source(
    source_id="Thanksgiving",
    destination=SHOP,
    expiry=3 * DAY,
    filters=frozenset({SNEAKERS, SANDALS, "flip-flops"}),
    key=0x500,
)
PURCHASE = Trigger(report_id=1, destination=SHOP, filters=frozenset({SNEAKERS}), key=0x59, value=70)


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


def holding(held: Held) -> ArrivedReports:
    """Return the reports that hold so much, all of which have arrived."""
    reports = {
        number: Report(
            report_id=number,
            contributions=tuple(Contribution(key=key, value=value) for key, value in parts),
        )
        for number, parts in held.items()
    }
    return {"reports": Map(reports), "used_ids": Map(dict.fromkeys(held))}


def answers(seen: Iterable[Observation]) -> list[dict[int, int]]:
    """Return what was released by the queries that were not refused."""
    return [dict(each.released) for shown in seen for each in shown if isinstance(each, Answer)]


def first_view(key: int, value: int) -> Program:
    """Return the program that contributes the first time a device sees a key."""

    def program(storage: Storage) -> tuple[Storage, int, int]:
        return storage.set(key, True), key, 0 if key in storage else value

    return program


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


def after_window(rules: Rules) -> PassTime:
    """Let the first window end."""
    return PassTime(until=rules.limits.window_length)


FOOTWEAR = EventSource(
    source_id="footwear",
    destination=SHOP,
    expiry=30 * DAY,
    filters=frozenset({"footwear"}),
    maximum_reports=3,
    specifications=(
        TriggerSpecification(data=SNEAKERS, windows=(2 * DAY, 7 * DAY), buckets=(20, 70)),
        TriggerSpecification(data=SANDALS, windows=(1 * DAY, 5 * DAY), buckets=(10, 50)),
    ),
)
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
        system, _ = after(examples.rules, [*ads, *later])
        counted = [dict(each.values) for each in system.events[AD.device].records]
        place_of_click = 0 if fits and data == SNEAKERS else 1
        found = first_difference(
            (carried(system)[1], counted),
            (
                [(0x600 if fits else 0x500, value)] if value else [],
                [{SNEAKERS: value} if value and n == place_of_click else {} for n in range(2)],
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


@search("the week has 27 outputs of 36", by="enumeration", over="the paper's example")
def outputs_are_counted(examples: Examples) -> Mapping[str, object] | None:
    """Count the outputs with at most three reports, and all pairs."""
    at = OnDevice(rules=examples.rules, now=0, client=EventClient(), cause=FOOTWEAR)
    sets = [
        examples.rules.output_set(at, replace(FOOTWEAR, maximum_reports=most)) for most in (3, 4)
    ]
    return first_difference(
        [(outputs.size(), len(set(outputs))) for outputs in sets], [(27, 27), (36, 36)]
    )


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


def carried(system: System) -> dict[int, list[tuple[int, int]]]:
    """Return what every report holds."""
    return {
        number: [(part.key, part.value) for part in report.contributions]
        for number, report in system.reports.items()
    }


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
    "other budgets have no part in who is credited", by="exact run", over="two ads, one purchase"
)
def credit_is_for_own_budgets(examples: Examples) -> Mapping[str, object] | None:
    """Use up the budget of one ad, and note which budgets deciding about the other may look at."""
    noted: list[set[Unit]] = []

    def contribute(
        at: AtContribution, credits: tuple[Credit, ...]
    ) -> tuple[Budgets, tuple[Credit, ...]]:
        noted.append(set(at.client.budgets))
        return examples.rules.contribute(at, credits)

    rules = replace(examples.rules, contribute=contribute)
    other = replace(AD, source_id="other", filters=frozenset({"hats"}))
    hats = replace(PURCHASE, report_id=2, filters=other.filters)
    after(rules, [AD, other, PURCHASE, hats])
    both = {AD.source_id, other.source_id}
    wanted = [{AD.source_id}, both, {other.source_id}, both]
    return first_difference(noted, wanted)


def register_at_zero(at: AtSource, source: Source) -> AttributionClient:
    """Note no time."""
    return PAPER.register_source(replace(at, now=0), source)


def register_again(at: AtSource, source: Source) -> AttributionClient:
    """Let a source take the place of one with the same name."""
    others = tuple(each for each in at.client.sources if each.source_id != source.source_id)
    return PAPER.register_source(replace(at, client=replace(at.client, sources=others)), source)


def event_matches_when_expired(at: AtEventTrigger, record: SourceRecord) -> bool:
    """Let an event-level source match in the moment in which it expires."""
    return PAPER.event_matches(replace(at, now=at.now - 1), record)


def window_of_the_device(at: AtEvent) -> object:
    """Let a device have one window."""
    return PAPER.budget_unit(replace(at, now=0))


def no_sandals(at: AtEventTrigger, record: SourceRecord) -> bool:
    """Match no purchase of sandals."""
    return at.cause.data != SANDALS and PAPER.event_matches(at, record)


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
        "ads that are registered twice": Examples(
            rules=replace(PAPER, register_source=register_again)
        ),
        "one window for ever": Examples(rules=replace(PAPER, budget_unit=window_of_the_device)),
        "sandals that never match": Examples(rules=replace(PAPER, event_matches=no_sandals)),
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
