r"""Sources that lose a trigger are deactivated only once the winner generates a report for it.

The newest source of the destination wins a trigger, and then its filters decide whether it is
credited. The other sources of the destination are deactivated, but only if a report is generated,
which a source with a randomized response does not do. Let S2 and S1 be registered, let S1 win the
trigger T1 and expire, and let T2 come. S2 reports T2 if it was not deactivated, which says that S1
was randomized. Knowing this, the ad-tech can tell whether the report of S1 is true.

With $E = e^\epsilon$ the ratio of the two worlds is $E^2 - E + 1$ for one losing source, and it
grows with their number. The repair, deactivating them at once, is
deactivate_losing_sources_at_once.py. With the attribution fixed the question has no meaning: who is
credited depends on the randomized response.

Origin: WICG/attribution-reporting-api#842, fixed by #851
Neighbours: triggers of x never match
Expected: refuted
"""

from spec import (
    NEVER_MATCHES,
    PAPER,
    SMALL_LIMITS,
    AtEventTrigger,
    EventClient,
    EventSource,
    EventTrigger,
    Rules,
    SourceRecord,
    TriggerSpecification,
    Unit,
    Universe,
    replace,
)


def newest_active(at: AtEventTrigger) -> SourceRecord | None:
    """Return the newest active source of the trigger's destination, whatever its filters."""
    for record in at.client.records:
        same = record.source.destination == at.cause.destination
        if same and record.active and at.now < record.source.expiry:
            return record
    return None


def attribute_to_the_newest(at: AtEventTrigger) -> tuple[Unit, ...]:
    """Credit the newest active source of the destination, if it matches."""
    winner = newest_active(at)
    if winner is None or not at.rules.event_matches(at, winner):
        return ()
    return (winner.source.source_id,)


def deactivate_after_a_report(at: AtEventTrigger, credited: tuple[Unit, ...]) -> EventClient:
    """Deactivate the losing sources if the winner generates a report."""
    at = replace(at, client=PAPER.register_event_trigger(at, credited))
    winner, destination = newest_active(at), at.cause.destination
    if winner is None or not credited or winner.response is not None:
        return at.client
    records = (
        replace(each, active=False)
        if each != winner and each.source.destination == destination
        else each
        for each in at.client.records
    )
    return replace(at.client, records=tuple(records))


RULES: Rules = replace(
    PAPER,
    event_attribute=attribute_to_the_newest,
    register_event_trigger=deactivate_after_a_report,
)
NEIGHBOURS = replace(NEVER_MATCHES, name="never matches an event-level trigger", reports="event")

S1 = EventSource(
    source_id="S1",
    destination="shop",
    expiry=10,
    filters=frozenset("a"),
    maximum_reports=1,
    specifications=(TriggerSpecification(data=0, windows=(10,), buckets=(1,)),),
)
LATER = TriggerSpecification(data=0, windows=(20,), buckets=(1,))
UNIVERSE = Universe(
    name="a source that expires before another",
    limits=SMALL_LIMITS,
    units=("S1",),
    moves=6,
    event_sources=(replace(S1, source_id="S2", expiry=20, specifications=(LATER,)), S1),
    event_triggers=(
        EventTrigger(trigger_id="t", destination="shop", filters=frozenset("a"), data=0, value=1),
    ),
    event_trigger_count=2,
    moments=(10, 20),
    promise="event",
)
