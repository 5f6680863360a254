r"""The step that games, machines and `simulate` run keeps and shows what its parts return.

The lemmas are about rules: what `serve` charges, what `contribute` grants, what `send` lets leave.
That a *step* stores all of this and shows nothing else is shown here on `spec.system.step` and on
the step of M_SR, for every kind of move. The rules are stand-ins that note what they are given and
return marked values; times are symbolic. After a move every field of the system must be what the
rule returned, or be the same as before. The world without a unit is run as well: what is its own is
gone from the sums, and nothing else is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, cast

from immutables import Map

from proofs._check import check_of
from proofs._proof import Proof, assume, for_all
from proofs._subjects import certain, search
from proofs._worlds import both_sums, limited
from spec import PAPER, Rules
from spec.aggregation_service import Query, Service, Spent
from spec.attribution_client import AttributionClient, Source, Trigger
from spec.contributions import Budget, Budgets, Credit
from spec.distributions import Draw
from spec.event_client import EventClient, EventSource, EventTrigger, TriggerSpecification
from spec.neighbours import ATTRIBUTION_FIXED, NULL_STORE, Relation
from spec.private_aggregation_client import AggregationClient, DeviceWindow, Event
from spec.reports import Contribution, Report, Sent
from spec.rules import AtContribution, AtEvent, AtService, AtTrigger
from spec.summary_mechanism import SummaryMechanism, SummaryQuery, SummaryState
from spec.system import Move, Observation, PassTime, System, step

SUMMARY_STEP = SummaryMechanism.step

ONE, TWO = Report(report_id=1), Report(report_id=2)
BEFORE, AFTER = Service(), Service(ledger=Map({1: Spent(queries=1)}))
SHOWN = ("what is shown",)
QUERY = Query(epsilon=Fraction(1), report_ids=(2, 1, 2), keys=(1,))
TRIGGER = Trigger(report_id=3, destination="d", filters=frozenset("f"), key=1, value=1, device="u")
EVENT = Event(report_id=3, device="u", program=lambda storage: (storage, 1, 1))
SOURCE = Source(source_id="s", destination="d", expiry=9, filters=frozenset("f"), key=1, device="u")
EVENT_SOURCE = EventSource(
    source_id="s",
    destination="d",
    expiry=9,
    filters=frozenset("f"),
    maximum_reports=1,
    specifications=(TriggerSpecification(data=0, windows=(1,), buckets=(1,)),),
    device="u",
)
EVENT_TRIGGER = EventTrigger(
    trigger_id="t", destination="d", filters=frozenset("f"), data=0, value=1, device="u"
)
CREDITS = (Credit(unit="s", contributions=(Contribution(key=1, value=2),)),)
GRANTED = (Credit(unit="s", contributions=(Contribution(key=1, value=1),)),)
SPENT: Budgets = Map({"s": Budget(value=1, count=1)})
MORE: Budgets = Map({"s": Budget(value=2, count=2)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepping:
    """Hold the step of the system, that of M_SR, and the two relations of the paper."""

    step: Callable[[Rules, System, Move, Draw], tuple[System, Observation]] = step
    summary_step: Callable[..., tuple[SummaryState, Hashable]] = SUMMARY_STEP
    attribution_fixed: Relation = ATTRIBUTION_FIXED
    null_store: Relation = NULL_STORE


def system_at(now: int) -> System:
    """Return a system in which every field holds something."""
    return System(
        now=now,
        attribution=Map({"u": AttributionClient(budgets=SPENT)}),
        aggregation=Map({"u": AggregationClient(budgets=SPENT)}),
        events=Map({"u": EventClient()}),
        registered=Map({"s": "u"}),
        service=BEFORE,
        reports=Map({1: ONE, 2: TWO}),
        in_flight=(),
        used_ids=Map({1: None, 2: None}),
    )


def same_but_for(before: System, after: System, *changed: str) -> bool:
    """Tell whether all other fields are as they were."""
    others = [each.name for each in fields(System) if each.name not in changed]
    return all(getattr(before, name) is getattr(after, name) for name in others)


def serving(heard: list[tuple[object, ...]]) -> Rules:
    """Return rules with a service that notes what it is asked."""

    def serve(at: AtService, batch: tuple[Report, ...], _: Draw) -> tuple[Service, Hashable]:
        heard.append((at.service, at.query, at.now, batch))
        return AFTER, SHOWN

    return replace(PAPER, serve=serve)


@for_all("a query passes its reports on, keeps the service and shows what it shows")
def queries_are_kept(subject: Stepping, now: int) -> bool:
    """Make a query that names a report twice."""
    assume(now >= 0)
    heard: list[tuple[Any, ...]] = []
    before = system_at(now)
    after, seen = subject.step(serving(heard), before, QUERY, certain)
    ((service, query, time, batch),) = heard
    asked = service is BEFORE and query is QUERY and bool(time == now)
    passed = len(batch) == 3 and batch[0] is TWO and batch[1] is ONE and batch[2] is TWO
    kept = after.service is AFTER and same_but_for(before, after, "service")
    return asked and passed and kept and seen == (SHOWN,)


@for_all("M_SR passes its reports on, keeps the service and answers what it answers")
def mechanism_keeps(subject: Stepping) -> bool:
    """Make the same query of M_SR, with no new records."""
    heard: list[tuple[Any, ...]] = []
    state = SummaryState(budgets=SPENT, service=BEFORE, reports=Map({1: ONE, 2: TWO}))
    question = SummaryQuery(query=QUERY, function=lambda _: GRANTED[0].contributions[0])
    mechanism = SummaryMechanism(rules=serving(heard))
    after, answer = subject.summary_step(mechanism, state, ((), question), certain)
    ((service, query, _, batch),) = heard
    passed = service is BEFORE and query is QUERY and batch == (TWO, ONE, TWO)
    kept = after.service is AFTER and after.budgets is SPENT and after.reports is state.reports
    return passed and kept and answer == SHOWN


def by_parts(
    subject: Stepping, move: Trigger | Event, now: int, later: int
) -> tuple[System, System, Observation, list[object]]:
    """Make a trigger or an event with stand-ins for its parts; note what each is given."""
    heard: list[object] = []

    def decide(at: AtTrigger | AtEvent, _: Draw) -> tuple[Any, tuple[Credit, ...]]:
        heard.append(at.client.budgets is SPENT and at.cause is move and bool(at.now == now))
        return at.client, CREDITS

    def contribute(at: AtContribution, credits: tuple[Credit, ...]) -> tuple[Budgets, Any]:
        heard.append(at.client.budgets is SPENT and credits is CREDITS and at.cause is move)
        return MORE, GRANTED

    def send(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
        heard.append(at.client.budgets is MORE and granted is GRANTED and at.cause is move)
        report = Report(report_id=3, contributions=granted[0].contributions)
        return (Sent(report=report, shown=SHOWN, arrival=now + later),)

    rules = replace(PAPER, attribute=decide, propose=decide, contribute=contribute, send=send)
    before = system_at(now)
    after, seen = subject.step(rules, before, move, certain)
    return before, after, seen, heard


def arrives(before: System, after: System, seen: Observation, later: int) -> bool:
    """Tell whether a report arrived if it was to arrive at once, and is kept until it does."""
    report = Report(report_id=3, contributions=GRANTED[0].contributions)
    noted = after.used_ids == before.used_ids.set(3, None)
    if later > 0:
        waiting = [each.report for each in after.in_flight] == [report]
        return noted and waiting and seen == () and after.reports == before.reports
    at_once = after.reports == before.reports.set(3, report)
    return noted and at_once and seen == (SHOWN,) and after.in_flight == ()


@for_all("a trigger keeps what is decided and granted, and its report arrives once")
def triggers_are_kept(subject: Stepping, now: int, later: int) -> bool:
    """Make a trigger whose report arrives now or later."""
    assume(now >= 0, later >= 0)
    before, after, seen, heard = by_parts(subject, TRIGGER, now, later)
    kept = after.attribution == Map({"u": AttributionClient(budgets=MORE)})
    others = same_but_for(before, after, "attribution", "reports", "in_flight", "used_ids")
    return heard == [True] * 3 and kept and others and arrives(before, after, seen, later)


@for_all("an event keeps what is decided and granted, and its report arrives once")
def events_are_kept(subject: Stepping, now: int, later: int) -> bool:
    """Make an event whose report arrives now or later."""
    assume(now >= 0, later >= 0)
    before, after, seen, heard = by_parts(subject, EVENT, now, later)
    kept = after.aggregation == Map({"u": AggregationClient(budgets=MORE)})
    others = same_but_for(before, after, "aggregation", "reports", "in_flight", "used_ids")
    return heard == [True] * 3 and kept and others and arrives(before, after, seen, later)


@for_all("time passes: what is due arrives in the order of its times, and every window passes once")
def time_passes(subject: Stepping, now: int, first: int, second: int, until: int) -> bool:
    """Let two reports be in flight, and one device have windows."""
    assume(0 <= now, now < first, now < second, now <= until)
    waiting = tuple(
        Sent(report=report, shown=report.report_id, arrival=arrival)
        for report, arrival in ((ONE, first), (TWO, second))
    )
    passed = EventClient(records=(cast(Any, "passed"),))
    heard: list[bool] = []

    def pass_windows(at: Any, since: int, _: Draw) -> tuple[EventClient, tuple[Any, ...]]:
        heard.append(bool(at.now == until) and bool(since == now) and at.client == EventClient())
        return passed, ("one", "other")

    def event_visible(at: Any, report: Any) -> Hashable:
        heard.append(at.client is passed)
        return (report, "seen")

    rules = replace(PAPER, pass_windows=pass_windows, event_visible=event_visible)
    before = replace(system_at(now), reports=Map(), in_flight=waiting)
    after, seen = subject.step(rules, before, PassTime(until=until), certain)
    due = [each for each in waiting if each.arrival <= until]
    if len(due) == 2 and second < first:
        due.reverse()
    arrived = after.reports == Map({each.report.report_id: each.report for each in due})
    left = [each.report for each in after.in_flight] == [
        each.report for each in waiting if each.arrival > until
    ]
    shown = seen == (*(each.shown for each in due), ("one", "seen"), ("other", "seen"))
    kept = after.events == Map({"u": passed}) and bool(after.now == until)
    others = same_but_for(before, after, "now", "reports", "in_flight", "events")
    return heard == [True] * 3 and arrived and left and shown and kept and others


@for_all("sources and event-level triggers are kept by the client that takes them in")
def registrations_are_kept(subject: Stepping, now: int) -> bool:
    """Register a source of each kind, and an event-level trigger."""
    assume(now >= 0)
    registered = AttributionClient(sources=(SOURCE,))
    records = [EventClient(records=(cast(Any, each),)) for each in ("source", "trigger")]
    heard: list[object] = []

    def register(_: Any, given: object, *__: object) -> Any:
        heard.append(given)
        return registered if given is SOURCE else records[0]

    def credit(_: Any, credited: object) -> Any:
        heard.append(credited)
        return records[1]

    rules = replace(
        PAPER,
        register_source=register,
        register_event_source=register,
        event_attribute=lambda _: ("s",),
        register_event_trigger=credit,
    )
    before = replace(system_at(now), registered=Map())
    first, seen_1 = subject.step(rules, before, SOURCE, certain)
    second, seen_2 = subject.step(rules, before, EVENT_SOURCE, certain)
    third, seen_3 = subject.step(rules, before, EVENT_TRIGGER, certain)
    known = Map({"s": "u"})
    return (
        heard == [SOURCE, EVENT_SOURCE, ("s",)]
        and (seen_1, seen_2, seen_3) == ((), (), ())
        and first.attribution == Map({"u": registered})
        and (first.registered, second.registered) == (known, known)
        and second.events == Map({"u": records[0]})
        and third.events == Map({"u": records[1]})
        and same_but_for(before, first, "attribution", "registered")
        and same_but_for(before, second, "events", "registered")
        and same_but_for(before, third, "events")
    )


def difference(relation: Relation, unit: Hashable, moves: list[Move]) -> Mapping[str, object]:
    """Return the sums with a unit and without it, of two keys."""
    query = Query(epsilon=Fraction(1), report_ids=(1, 2), keys=(1, 2))
    real, without = both_sums(limited(10), relation, unit, moves, query)
    return {"with the unit": dict(real), "without it": dict(without)}


EXPECTED = {"with the unit": {1: 3, 2: 5}, "without it": {1: 0, 2: 5}}


@search(
    "without a source its contributions are gone, and nothing else",
    by="exact run",
    over="two sources",
)
def a_source_is_removed(subject: Stepping) -> Mapping[str, object] | None:
    """Let two sources contribute to a key each."""
    one = replace(SOURCE, source_id="x", key=1, filters=frozenset("a"))
    other = replace(SOURCE, source_id="z", key=2, filters=frozenset("b"))
    first = replace(TRIGGER, report_id=1, key=0, value=3, filters=frozenset("a"))
    second = replace(TRIGGER, report_id=2, key=0, value=5, filters=frozenset("b"))
    found = difference(subject.attribution_fixed, "x", [one, other, first, second])
    return None if found == EXPECTED else found


@search(
    "without a device and window its contributions are gone, and nothing else",
    by="exact run",
    over="two devices",
)
def a_device_is_removed(subject: Stepping) -> Mapping[str, object] | None:
    """Let two devices contribute to a key each."""
    first = replace(EVENT, report_id=1, program=lambda storage: (storage, 1, 3))
    second = Event(report_id=2, device="v", program=lambda storage: (storage, 2, 5))
    unit = DeviceWindow(device="u", window=0)
    found = difference(subject.null_store, unit, [first, second])
    return None if found == EXPECTED else found


def forgetting(
    kind: type | tuple[type, ...], *names: str
) -> Callable[[Rules, System, Move, Draw], tuple[System, Observation]]:
    """Return a step that keeps some fields as they were when it makes moves of a kind."""

    def forgetful(
        rules: Rules, system: System, move: Move, draw: Draw
    ) -> tuple[System, Observation]:
        after, seen = step(rules, system, move, draw)
        if isinstance(move, kind):
            after = replace(after, **{name: getattr(system, name) for name in names})
        return after, seen

    return forgetful


def forget_the_ledger(
    mechanism: SummaryMechanism, state: SummaryState, action: Any, draw: Draw
) -> tuple[SummaryState, Hashable]:
    """Answer, and keep the service as it was."""
    after, response = SUMMARY_STEP(mechanism, state, action, draw)
    return replace(after, service=state.service), response


NO_CHANGE = Relation(
    name="nothing is removed",
    meaning="nothing is removed",
    move=lambda rules, _, worlds, move, draw: _moved(rules, worlds, move, draw),
)


def _moved(rules: Rules, worlds: Any, move: Move, draw: Draw) -> tuple[Any, Observation]:
    own, seen = step(rules, worlds.own, move, draw)
    return replace(worlds, own=own), seen


STEP = Proof(
    claim="client_and_service_refine_the_mechanism",
    subject=Stepping(),
    steps=(
        queries_are_kept,
        mechanism_keeps,
        triggers_are_kept,
        events_are_kept,
        time_passes,
        registrations_are_kept,
        a_source_is_removed,
        a_device_is_removed,
    ),
    controls={
        "a query leaves the service as it was": Stepping(step=forgetting(Query, "service")),
        "M_SR never stores its ledger": Stepping(summary_step=forget_the_ledger),
        "a trigger leaves the client as it was": Stepping(step=forgetting(Trigger, "attribution")),
        "an event leaves the client as it was": Stepping(step=forgetting(Event, "aggregation")),
        "reports in flight never arrive": Stepping(step=forgetting(PassTime, "reports")),
        "a source is not kept": Stepping(step=forgetting((Source, EventSource), "registered")),
        "no source is removed": Stepping(attribution_fixed=NO_CHANGE),
        "no device is removed": Stepping(null_store=NO_CHANGE),
    },
)

CHECK = check_of(
    STEP,
    method="every kind of move with stand-ins for its parts; exact runs without a unit",
    subject=lambda _: Stepping(),
)
