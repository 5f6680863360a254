"""Every reporting window is randomized on its own, instead of the source once and for all.

When a window ends the client tells the truth about it, or sends a random number of reports. Each
window costs epsilon, and the windows of a source add up: a source that sends its reports in
different windows pays for each of them. The factor is the smaller of the number of windows and the
maximum number of reports.

Origin: early designs of event-level reports in WICG/attribution-reporting-api
Neighbours: attribution fixed
Expected: refuted, factor 2
"""

from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtEventSource,
    AtWindows,
    Draw,
    EventClient,
    EventReport,
    EventSource,
    EventTrigger,
    OutputSet,
    Power,
    RandomizedResponse,
    Real,
    Rules,
    TriggerSpecification,
    Universe,
    replace,
)
from spec.event_client import ends_of


def register_truthfully(at: AtEventSource, source: EventSource, draw: Draw) -> EventClient:
    """Draw nothing when the source is registered."""
    truthful = replace(at.rules, truth_probability=always)
    return PAPER.register_event_source(replace(at, rules=truthful), source, draw)


def always(power: Real, size: int) -> Real:
    """Tell the truth with certainty."""
    return Fraction(1)


def randomize_windows(
    at: AtWindows, since: int, draw: Draw
) -> tuple[EventClient, tuple[EventReport, ...]]:
    """Let the windows pass one after the other, and randomize what each of them sends."""
    sent: list[EventReport] = []
    client = at.client
    ends = {end for record in client.records for end in ends_of(record) if since < end <= at.now}
    for moment in sorted(ends):
        at = replace(at, now=moment, client=client)
        client, truth = PAPER.pass_windows(at, since, draw)
        since = moment
        for record in reversed(client.records):
            for each in record.source.specifications:
                if moment - record.registered_at in each.windows:
                    sent += randomized(at, record.source, each, truth, draw)
    return client, tuple(sent)


def randomized(
    at: AtWindows,
    source: EventSource,
    specification: TriggerSpecification,
    truth: tuple[EventReport, ...],
    draw: Draw,
) -> list[EventReport]:
    """Send as many reports as are true, or a random number of them."""
    name, datum, buckets = source.source_id, specification.data, specification.buckets
    most = source.maximum_reports
    law = RandomizedResponse(
        outputs=OutputSet(maximum_reports=most, windows=(1,), buckets=(len(buckets),)),
        power=Power(at.limits.base, at.limits.event_epsilon),
        truth_probability=at.rules.truth_probability,
    )
    drawn = draw(law)
    own = [each for each in truth if (each.source_id, each.data) == (name, datum)]
    count = len(own) if drawn is None else drawn[0][0]
    return [EventReport(source_id=name, data=datum, bucket=bucket) for bucket in buckets[:count]]


RULES: Rules = replace(
    PAPER, register_event_source=register_truthfully, pass_windows=randomize_windows
)

UNIVERSE = Universe(
    name="two windows, two reports",
    limits=SMALL_LIMITS,
    units=("A",),
    moves=5,
    event_sources=(
        EventSource(
            source_id="A",
            destination="shop",
            expiry=100,
            filters=frozenset("a"),
            maximum_reports=2,
            specifications=(TriggerSpecification(data=0, windows=(5, 10), buckets=(1, 2)),),
        ),
    ),
    event_triggers=(
        EventTrigger(trigger_id="t", destination="shop", filters=frozenset("a"), data=0, value=1),
    ),
    event_trigger_count=2,
    moments=(5, 10),
    promise="event",
)
