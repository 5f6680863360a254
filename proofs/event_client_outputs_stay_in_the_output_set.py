r"""Whatever the noiseless event-level client sends is in the output set, and so is every prefix.

Claim: The counts of reports per trigger datum and window that a truthful source sends form an
    element of $\mathcal{O}$, and what it has sent so far extends to one at any time.
Paper: Sec. 2.2; Sec. 5.
Method: Inductive invariant, for each datum: no more reports were sent than there are buckets up to
    the last reported bucket $U$; and $N \le$ the maximum. `report_truthfully`, which lets one
    window of one datum pass, is run on symbolic values, buckets and counts, for one and two
    buckets. `output_set` is run for a symbolic maximum: it is an `OutputSet` with room for as many
    reports per datum as there are buckets and for the maximum in all. An `OutputSet` holds every
    output within its limits, and adding no more reports never leaves it, so that every prefix
    extends. All runs of small sources are enumerated as well, in every order of triggers.
    Induction on the buckets: the loop takes them in increasing order, and each sends at most one
    report and moves $U$ to itself. Induction on the windows: the passing of a window changes the
    account of its own datum and $N$ only.
Assumes: Buckets increase, as `TriggerSpecification` demands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product
from typing import TypeAlias, cast

from immutables import Map

from proofs._check import check_of
from proofs._proof import Proof, Statement, assume, exists
from proofs._subjects import (
    Inductive,
    any_time,
    bounded,
    for_all_rules,
    name,
    opaque,
    plain,
    search,
    unchecked,
)
from spec import PAPER, Rules
from spec.distributions import Draw, Law
from spec.event_client import (
    EventClient,
    EventReport,
    EventSource,
    EventTrigger,
    SourceRecord,
    TriggerSpecification,
    report_truthfully,
)
from spec.event_outputs import Output, OutputSet
from spec.numbers import SpecError
from spec.randomized_response import RandomizedResponse
from spec.rules import AtEventSource, AtWindows, Limits, OnDevice

Reported: TypeAlias = tuple[SourceRecord, tuple[EventReport, ...]]


@dataclass(frozen=True, kw_only=True)
class Client:
    """Hold the rules, the passing of a window of a truthful source, and its record at first."""

    rules: Rules = PAPER
    report: Callable[[SourceRecord, TriggerSpecification], Reported] = report_truthfully
    record: Callable[..., SourceRecord] = SourceRecord


DATA, OTHER = name(str, "datum a"), name(str, "datum b")


def source_of(maximum: int, specifications: tuple[TriggerSpecification, ...]) -> EventSource:
    """Return a source of which only the configuration may be read."""
    return unchecked(
        EventSource,
        source_id=name(str, "the source"),
        maximum_reports=maximum,
        specifications=specifications,
    )


def specification(data: str, windows: int, buckets: tuple[int, ...]) -> TriggerSpecification:
    """Return a specification whose windows may only be counted."""
    ends = tuple(opaque(int, "the end of a window") for _ in range(windows))
    return unchecked(TriggerSpecification, data=data, windows=ends, buckets=buckets)


def passed(buckets: tuple[int, ...], reported: int) -> int:
    """Count the buckets up to the last reported one."""
    return sum(1 for bucket in buckets if bucket <= reported)


def window_preserves(size: int) -> Statement[Client]:
    """Return the step that a window preserves the invariant, for so many buckets."""

    @for_all_rules(f"preservation: a window that passes sends at most its buckets, with {size}")
    def step(
        client: Client,
        maximum: int,
        bucket_1: int,
        bucket_2: int,
        value: int,
        reported: int,
        sent: int,
        sent_of_datum: int,
    ) -> bool:
        buckets = (bucket_1, bucket_2)[:size]
        assume(0 < bucket_1, bucket_1 < bucket_2, 0 <= value)
        assume(0 <= reported, 0 <= sent_of_datum, sent_of_datum <= sent, sent <= maximum)
        assume(sent_of_datum <= passed(buckets, reported))
        given = specification(DATA, 2, buckets)
        record = SourceRecord(
            source=source_of(maximum, (given,)),
            registered_at=0,
            values=Map({DATA: value, OTHER: value}),
            reported=Map({DATA: reported, OTHER: reported}),
            sent=sent,
        )
        after, reports = client.report(record, given)
        more = len(reports)
        own = sent_of_datum + more <= passed(buckets, after.reported[DATA])
        total = (after.sent == sent + more) & (after.sent <= maximum)
        return own & total & (after.reported[OTHER] == reported)

    return step


@for_all_rules("initiation: a new source has sent nothing")
def initiation(client: Client, maximum: int, bucket: int) -> bool:
    """Start with no report and no bucket reported."""
    assume(maximum >= 0, bucket > 0)
    record = client.record(source=source_of(maximum, ()), registered_at=0)
    return (record.sent <= maximum) & (record.reported.get(DATA, 0) < bucket)


@for_all_rules(
    "conclusion: up to two data, the output set has room for the maximum and every bucket"
)
def room_for_all(client: Client, maximum: int) -> bool:
    """Run `output_set` for every shape of up to two data, windows and buckets."""
    assume(maximum >= 0)
    shapes = list(product((1, 2), (1, 2)))
    for shape in [*((one,) for one in shapes), *product(shapes, shapes)]:
        names = (DATA, OTHER)
        given = tuple(
            specification(data, windows, tuple(range(1, buckets + 1)))
            for data, (windows, buckets) in zip(names, shape, strict=False)
        )
        source = source_of(maximum, given)
        outputs = plain(
            client.rules.output_set(registering(client.rules, source), source), OutputSet
        )
        if outputs.windows != tuple(windows for windows, _ in shape):
            return False
        if not maximum <= outputs.maximum_reports:
            return False
        for room, (_, buckets) in zip(outputs.buckets, shape, strict=True):
            if not buckets <= room:
                return False
    return True


def registering(rules: Rules, source: EventSource) -> AtEventSource:
    """Return what a client sees that registers a source: no limit and no other source is read."""
    return unchecked(
        OnDevice,
        rules=replace(rules, limits=opaque(Limits, "the limits")),
        now=any_time(),
        client=opaque(EventClient, "the client"),
        cause=source,
    )


class NotTruthful(SpecError):
    """Report a client that draws something other than whether to answer truthfully."""


def drawing(response: Output | None) -> Draw:
    """Draw the given response, None for the truth, wherever a source draws its response."""

    def draw(law: object) -> object:
        if isinstance(law, RandomizedResponse):
            return response
        if isinstance(law, Law):
            raise NotTruthful(f"the client draws from {type(law).__name__}")
        return law

    return cast(Draw, draw)


Triggers = tuple[tuple[int, int] | None, ...]

SHAPES = (
    (((1, 2), (1, 3)),),
    (((1,), (2,)), ((2, 3), (1, 2))),
    (((1, 3), (2,)), ((1, 2), (1, 3))),
)


def small_runs() -> Iterator[tuple[EventSource, Triggers]]:
    """List small sources, each with every sequence of triggers, one before each moment."""
    for shape in SHAPES:
        for maximum in (1, 2, 3, 0):
            source = EventSource(
                source_id="x",
                destination="d",
                expiry=10,
                filters=frozenset({"f"}),
                maximum_reports=maximum,
                specifications=tuple(
                    TriggerSpecification(data=data, windows=windows, buckets=buckets)
                    for data, (windows, buckets) in enumerate(shape)
                ),
            )
            choices = [None, *product(range(len(shape)), (1, 3))]
            for triggers in product(choices, repeat=3):
                yield source, triggers


def sent_by(
    rules: Rules, source: EventSource, triggers: Triggers, response: Output | None = None
) -> Output:
    """Run the client with a drawn response; return how many reports each window sent."""
    counts = [[0] * len(each.windows) for each in source.specifications]
    for moment, report in reports_by(rules, source, triggers, response):
        datum = int(report.data)
        counts[datum][source.specifications[datum].windows.index(moment)] += 1
    return tuple(map(tuple, counts))


def reports_by(
    rules: Rules, source: EventSource, triggers: Triggers, response: Output | None = None
) -> Iterator[tuple[int, EventReport]]:
    """Run the client with a drawn response; list the reports, each with its moment."""
    draw = drawing(response)
    client = rules.register_event_source(at_first(rules, source), source, draw)
    for moment, trigger in enumerate(triggers, start=1):
        if trigger is not None:
            data, value = trigger
            event = EventTrigger(
                trigger_id=str(moment),
                destination="d",
                filters=frozenset({"f"}),
                data=data,
                value=value,
            )
            at_trigger = OnDevice(rules=rules, now=moment - 1, client=client, cause=event)
            credited = draw(rules.event_attribute(at_trigger))
            client = rules.register_event_trigger(at_trigger, credited)
        at_windows = OnDevice(rules=rules, now=moment, client=client, cause=None)
        client, reports = rules.pass_windows(at_windows, moment - 1, draw)
        yield from ((moment, report) for report in reports)


def at_first(rules: Rules, source: EventSource) -> AtEventSource:
    """Return what a new client sees of its first source."""
    return OnDevice(rules=rules, now=0, client=rules.initial.events, cause=source)


def beginnings(source: EventSource, output: Output) -> Iterator[Output]:
    """List what an output shows up to each moment."""
    for moment in range(4):
        yield tuple(
            counts[: sum(1 for end in each.windows if end <= moment)]
            for counts, each in zip(output, source.specifications, strict=True)
        )


@search(
    "every output of a small source, and every beginning of it, is in the output set",
    over="sources of up to two data with two windows and two buckets, three triggers",
)
def small_sources_stay(client: Client) -> Mapping[str, object] | None:
    """Look for a run that sends what the output set does not have."""
    rules = client.rules
    known: dict[EventSource, frozenset[tuple[int, Output]]] = {}
    for source, triggers in small_runs():
        if source not in known:
            outputs = rules.output_set(at_first(rules, source), source)
            shown = (enumerate(beginnings(source, output)) for output in outputs)
            known[source] = frozenset(prefix for each in shown for prefix in each)
        output = sent_by(rules, source, triggers)
        for moment, prefix in enumerate(beginnings(source, output)):
            if (moment, prefix) not in known[source]:
                return {
                    "maximum_reports": source.maximum_reports,
                    "windows": tuple(each.windows for each in source.specifications),
                    "buckets": tuple(each.buckets for each in source.specifications),
                    "triggers": triggers,
                    "moment": moment,
                    "sent": prefix,
                }
    return None


@exists("not vacuous: a window sends two reports")
def two_reports(client: Client, bucket_1: int, bucket_2: int, value: int) -> bool:
    """Find a value that reaches two buckets at once."""
    assume(0 < bucket_1, bucket_1 < bucket_2, 0 <= value)
    given = specification(DATA, 1, (bucket_1, bucket_2))
    source = source_of(2, (given,))
    record = SourceRecord(source=source, registered_at=0, values=Map({DATA: value}))
    return len(client.report(record, given)[1]) == 2


@dataclass(frozen=True, slots=True, kw_only=True)
class AllButTheLast(OutputSet):
    """Leave out the last output."""

    def size(self) -> int:
        """Return one less."""
        return OutputSet.size(self) - 1

    def __iter__(self) -> Iterator[Output]:
        return islice(OutputSet.__iter__(self), self.size())


def all_but_the_last(at: AtEventSource, source: EventSource) -> OutputSet:
    """Return the output set without its last output."""
    whole = PAPER.output_set(at, source)
    return AllButTheLast(
        maximum_reports=whole.maximum_reports, windows=whole.windows, buckets=whole.buckets
    )


def at_most_nine(at: AtEventSource, source: EventSource) -> OutputSet:
    """Leave out the outputs with more than nine reports, which no small source sends."""
    whole = PAPER.output_set(at, source)
    return replace(whole, maximum_reports=min(9, whole.maximum_reports))


def report_again(buckets: int, record: SourceRecord, given: TriggerSpecification) -> Reported:
    """Forget what was reported, if there are so many buckets."""
    after, reports = report_truthfully(record, given)
    forgetful = replace(after, reported=record.reported)
    return (forgetful if len(given.buckets) == buckets else after), reports


def report_first(record: SourceRecord, given: TriggerSpecification) -> Reported:
    """Report the first bucket only."""
    return report_truthfully(record, replace(given, buckets=given.buckets[:1]))


def forget_what_was_reported(
    at: AtWindows, since: int, draw: Draw
) -> tuple[EventClient, tuple[EventReport, ...]]:
    """Report the same buckets in every window."""
    records = tuple(replace(each, reported=Map()) for each in at.client.records)
    return PAPER.pass_windows(replace(at, client=replace(at.client, records=records)), since, draw)


PAPERS = Client()

PROOF = Proof(
    claim="event_client_outputs_stay_in_the_output_set",
    subject=PAPERS,
    bound="all values; sources of up to two data with two windows and two buckets",
    steps=(
        initiation,
        *map(window_preserves, (1, 2)),
        Inductive(step=room_for_all, reachable=small_sources_stay),
        small_sources_stay,
        two_reports,
    ),
    controls={
        "a new source has sent a report": replace(PAPERS, record=partial(SourceRecord, sent=1)),
        "one bucket is reported again": replace(PAPERS, report=partial(report_again, 1)),
        "two buckets are reported again": replace(PAPERS, report=partial(report_again, 2)),
        "the client reports buckets again": Client(
            rules=replace(PAPER, pass_windows=forget_what_was_reported)
        ),
    },
    unproved_for={
        "the output set has room for nine reports": Client(
            rules=replace(PAPER, output_set=at_most_nine)
        ),
        "a window reports its first bucket only": replace(PAPERS, report=report_first),
    },
)

CHECK = bounded(
    check_of(
        PROOF,
        method="inductive invariant on the passing of a window, enumeration of small sources",
        assumes="buckets increase",
        subject=lambda rules: Client(rules=rules),
    ),
    papers_own=("output_set", "pass_windows", "register_event_trigger"),
    bound="three windows, two data with two buckets",
)
