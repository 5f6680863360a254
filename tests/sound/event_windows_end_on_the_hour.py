"""Reporting windows of event-level sources last whole hours; shorter ones are prolonged and merged.

Truth: proved: the source is changed when it is registered, from what the ad-tech wrote and
    nothing else. Output set, response and windows that pass are all those of the changed
    source, so the truthful sequence is in the output set and the paper's randomized response
    protects it with the same ε.
Status: proved
"""

from spec import PAPER, AtEventSource, Draw, EventClient, EventSource, TriggerSpecification, replace

HOUR = 3600


def on_the_hour(specification: TriggerSpecification) -> TriggerSpecification:
    ends: list[int] = []
    for end in specification.windows:
        later = -(-end // HOUR) * HOUR
        if later not in ends:
            ends.append(later)
    return replace(specification, windows=tuple(ends))


def register_event_source(at: AtEventSource, source: EventSource, draw: Draw) -> EventClient:
    specifications = tuple(map(on_the_hour, source.specifications))
    return PAPER.register_event_source(at, replace(source, specifications=specifications), draw)


RULES = replace(PAPER, register_event_source=register_event_source)
