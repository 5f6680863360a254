"""Every reporting window is randomized on its own, instead of the source once and for all.

When a window ends the client tells the truth about it, or sends a random number of reports. Each
window costs epsilon, and the windows of a source add up: a source that sends its reports in
different windows pays for each of them. The factor is the smaller of the number of windows and the
maximum number of reports.

Origin: early designs of event-level reports in WICG/attribution-reporting-api
Neighbours: attribution fixed
Expected: refuted, factor 2
"""

from __future__ import annotations

from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
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


def register_truthfully(
    rules: Rules, client: EventClient, source: EventSource, now: int, draw: Draw
) -> EventClient:
    """Draw nothing when the source is registered."""
    truthful = replace(rules, truth_probability=always)
    return PAPER.register_event_source(truthful, client, source, now, draw)


def always(power: Real, size: int) -> Real:
    """Tell the truth with certainty."""
    return Fraction(1)


def randomize_windows(
    rules: Rules, client: EventClient, since: int, now: int, draw: Draw
) -> tuple[EventClient, tuple[EventReport, ...]]:
    """Let the windows pass one after the other, and randomize what each of them sends."""
    sent: list[EventReport] = []
    names = sorted(client.records)
    ends = {
        record.registered_at + end
        for record in client.records.values()
        for specification in record.source.specifications
        for end in specification.windows
    }
    for moment in sorted(end for end in ends if since < end <= now):
        client, truth = PAPER.pass_windows(rules, client, since, moment, draw)
        since = moment
        for record in (client.records[name] for name in names):
            for each in record.source.specifications:
                if moment - record.registered_at in each.windows:
                    sent += randomized(rules, record.source, each, truth, draw)
    client, _ = PAPER.pass_windows(rules, client, since, now, draw)
    return client, tuple(sent)


def randomized(
    rules: Rules,
    source: EventSource,
    specification: TriggerSpecification,
    truth: tuple[EventReport, ...],
    draw: Draw,
) -> list[EventReport]:
    """Send as many reports as are true, or a random number of them."""
    datum, buckets = specification.data, specification.buckets
    law = RandomizedResponse(
        outputs=OutputSet(
            maximum_reports=source.maximum_reports, windows=(1,), buckets=(len(buckets),)
        ),
        power=Power(rules.limits.base, rules.limits.event_epsilon),
        truth_probability=rules.truth_probability,
    )
    drawn = draw(law)
    own = [each for each in truth if (each.source_id, each.data) == (source.source_id, datum)]
    count = len(own) if drawn is None else drawn[0][0]
    return [
        EventReport(source_id=source.source_id, data=datum, bucket=bucket)
        for bucket in buckets[:count]
    ]


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
