"""Event-level sources of many sizes, the triggers that arrive, and what a truthful client sends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TypeAlias, cast

from properties.closed_forms.unit import CannotDecide
from spec.distributions import Draw, Law
from spec.event_client import EventSource, EventTrigger, TriggerSpecification
from spec.event_outputs import Output
from spec.paper import PAPER
from spec.randomized_response import RandomizedResponse
from spec.rules import Limits, OnDevice, Rules

Plan: TypeAlias = tuple[tuple[tuple[int, int], ...], ...]
DATA = (1, 2, 3)
WINDOWS = (1, 2, 3, 5)
BUCKETS = ((1,), (1, 2), (1, 2, 5), tuple(range(1, 11)))
REPORTS = (1, 2, 3, 4, 7, 20)
WIDEST = (32, 5, 20)
SIZED = ((1, 1, 1, 1), (2, 1, 1, 1), (13, 2, 1, 1), (8, 3, 3, 3))
DAY = 86400


def sources(rules: Rules) -> Iterator[tuple[EventSource, tuple[Plan, ...]]]:
    """List the sources within the rules' limits, each with what is to happen to it."""
    limits = rules.limits
    for data, windows, buckets, reports in product(DATA, WINDOWS, BUCKETS, REPORTS):
        shape = (data, windows, len(buckets), reports)
        if shape == clipped(limits, shape) and useful(data * len(buckets), reports):
            yield source_of(data, windows, buckets, reports), plans_of(data, windows, buckets)
    wide = [(*WIDEST, 20)]
    if not papers_truth(rules):
        wide += [*SIZED, *((*WIDEST, reports) for reports in range(1, 20))]
    for data, windows, count, reports in dict.fromkeys(clipped(limits, shape) for shape in wide):
        buckets = tuple(range(1, count + 1))
        large = tuple((datum, count) for datum in range(data))
        rest = ((),) * (windows - 1)
        yield source_of(data, windows, buckets, reports), ((large[:1], *rest), (large, *rest))


def papers_truth(rules: Rules) -> bool:
    """Tell whether the truth is told with the paper's own probability."""
    return rules.truth_probability is PAPER.truth_probability


def useful(possible: int, reports: int) -> bool:
    """Tell whether a maximum of reports is the first that allows all that are possible, or less."""
    return all(reports <= other for other in REPORTS if other >= possible) or reports < possible


def clipped(limits: Limits, shape: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Return a number of data, windows, buckets and reports within the limits."""
    data, windows, buckets, reports = shape
    return (
        min(data, limits.maximum_trigger_data),
        min(windows, limits.maximum_windows),
        min(buckets, limits.maximum_buckets),
        min(reports, limits.maximum_reports),
    )


def source_of(data: int, windows: int, buckets: tuple[int, ...], reports: int) -> EventSource:
    """Return a source whose windows last a day each."""
    ends = tuple(DAY * window for window in range(1, windows + 1))
    return EventSource(
        source_id="x",
        destination="shop",
        expiry=DAY * (windows + 1),
        filters=frozenset({"f"}),
        maximum_reports=reports,
        specifications=tuple(
            TriggerSpecification(data=datum, windows=ends, buckets=buckets) for datum in range(data)
        ),
    )


def plans_of(data: int, windows: int, buckets: tuple[int, ...]) -> tuple[Plan, ...]:
    """List which triggers arrive in each window, as pairs of datum and value."""
    top, rest = buckets[-1], ((),) * (windows - 1)
    plans: tuple[Plan, ...] = (
        (((0, top),), *rest),
        (*rest, ((data - 1, top),)),
        (((0, 1),),) * windows,
        tuple(((0, 1),) * (top // windows + (window < top % windows)) for window in range(windows)),
        (tuple((datum, top) for datum in range(data)), *rest),
        tuple(((window % data, top),) for window in range(windows)),
        ((),) * windows,
    )
    return tuple(dict.fromkeys(plans))


def truthful(law: object) -> object:
    """Draw the truth."""
    if isinstance(law, RandomizedResponse):
        return None
    if isinstance(law, Law):
        raise CannotDecide(f"the client draws from {type(law).__name__}")
    return law


def sent_by(rules: Rules, source: EventSource, plan: Plan) -> Output:
    """Run the truthful client; return how many reports each window of each datum sent."""
    draw = cast(Draw, truthful)
    new = OnDevice(rules=rules, now=0, client=rules.initial.events, cause=source)
    client = rules.register_event_source(new, source, draw)
    counts = [[0] * len(each.windows) for each in source.specifications]
    for window, triggers in enumerate(plan):
        now = window * DAY
        for number, (data, value) in enumerate(triggers):
            trigger = EventTrigger(
                trigger_id=f"{window}.{number}",
                destination=source.destination,
                filters=source.filters,
                data=data,
                value=value,
            )
            at = OnDevice(rules=rules, now=now, client=client, cause=trigger)
            client = rules.register_event_trigger(at, draw(rules.event_attribute(at)))
        later = OnDevice(rules=rules, now=now + DAY, client=client, cause=None)
        client, reports = rules.pass_windows(later, now, draw)
        for report in reports:
            counts[int(report.data)][window] += 1
    return tuple(map(tuple, counts))


def source_text(source: EventSource) -> str:
    """Describe a source in a line."""
    first = source.specifications[0]
    data = counted(len(source.specifications), "trigger datum", "trigger data")
    windows = counted(len(first.windows), "window", "windows")
    reports = counted(source.maximum_reports, "report", "reports")
    buckets = ", ".join(map(str, first.buckets))
    return f"{data}, with {windows} and the buckets {buckets}; at most {reports}"


def counted(count: int, one: str, many: str) -> str:
    """Return a count with its noun."""
    return f"{count} {one if count == 1 else many}"


def plan_text(plan: Plan) -> str:
    """Describe the triggers in a line."""
    return "; ".join(
        f"window {window}: " + ", ".join(f"{value} for datum {data}" for data, value in triggers)
        for window, triggers in enumerate(plan, start=1)
        if triggers
    )


def output_text(output: Output) -> str:
    """Describe an output by the reports of the data that send any."""
    sent = [
        f"datum {data}: {', '.join(map(str, counts))}"
        for data, counts in enumerate(output)
        if any(counts)
    ]
    return f"reports per window: {'; '.join(sent)}" if sent else "no reports"
