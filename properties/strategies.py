r"""Hypothesis strategies: random inputs of the APIs, small enough that budgets run out.

The limits are those of the small universes with a contribution budget that a unit can use up in two
ways: by value and by number. Where a law is computed exactly, $\varepsilon$ is a multiple of
$\Lambda_1$, so that every probability is rational.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from spec.aggregation_service import Query
from spec.attribution_client import Source, Trigger
from spec.event_client import EventSource, EventTrigger, TriggerSpecification
from spec.private_aggregation_client import Event, Program, Storage
from spec.reports import Contribution
from spec.rules import Limits
from spec.universe import SMALL_LIMITS

LIMITS = replace(SMALL_LIMITS, contribution_budget=3, epsilon=Fraction(6))
NAMES = ("A", "B", "C")
KEYS = (1, 3)
LITTLE = Fraction(1, 10**30)


def names() -> SearchStrategy[str]:
    """Draw the name of a source."""
    return st.sampled_from(NAMES)


def choices() -> SearchStrategy[int]:
    """Draw the number of the outcome to take wherever something is drawn."""
    return st.integers(min_value=0, max_value=5)


def filters() -> SearchStrategy[frozenset[str]]:
    """Draw filters, of which two sets mostly have one in common."""
    return st.sampled_from(tuple(map(frozenset, ("a", "ab", "b"))))


def values(limits: Limits) -> SearchStrategy[int]:
    """Draw a value: none, some, all of the budget, and more than that."""
    return st.integers(min_value=0, max_value=limits.contribution_budget + 1)


def contributions(limits: Limits) -> SearchStrategy[Contribution]:
    """Draw a contribution to one of two keys."""
    return st.builds(Contribution, key=st.sampled_from(KEYS), value=values(limits))


def sources() -> SearchStrategy[Source]:
    """Draw a source, with a time to live; it is named and dated when it is registered."""
    return st.builds(
        Source,
        source_id=st.just(NAMES[0]),
        destination=st.just("shop"),
        expiry=st.sampled_from((100, 4)),
        filters=filters(),
        key=st.just(1),
    )


def triggers(limits: Limits) -> SearchStrategy[Trigger]:
    """Draw a trigger; its identifier is given when it happens."""
    return st.builds(
        Trigger,
        report_id=st.just(0),
        destination=st.just("shop"),
        filters=filters(),
        key=st.sampled_from((0, 2)),
        value=values(limits),
    )


def write(storage: Storage) -> tuple[Storage, int, int]:
    """Write to the storage and contribute nothing."""
    return storage.set("seen", True), 1, 0


def view(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 2 to key 1 at the first view, and nothing after it."""
    if "seen" in storage:
        return storage, 1, 0
    return storage.set("seen", True), 1, 2


def view_again(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 3 to key 3 if there was a view before, otherwise 3 to key 1."""
    return storage, 3 if "seen" in storage else 1, 3


def forget(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 1 to key 3 and forget the views."""
    return storage.delete("seen") if "seen" in storage else storage, 3, 1


PROGRAMS: tuple[Program, ...] = (write, view, view_again, forget)


def events() -> SearchStrategy[Event]:
    """Draw an event of one of two devices; its identifier is given when it happens."""
    return st.builds(
        Event,
        report_id=st.just(0),
        device=st.sampled_from(("phone", "tablet")),
        program=st.sampled_from(PROGRAMS),
    )


ONE = TriggerSpecification(data=0, windows=(5, 10), buckets=(1,))
TWO = TriggerSpecification(data=0, windows=(5, 10), buckets=(1, 3))
OTHER = TriggerSpecification(data=1, windows=(7,), buckets=(2,))


def event_sources() -> SearchStrategy[EventSource]:
    """Draw an event-level source with a small output set; it is named when it is registered."""
    listed = (((TWO,), 1), ((ONE, OTHER), 1), ((TWO,), 2), ((ONE,), 1))
    return st.builds(
        lambda expiry, filters, asked: EventSource(
            source_id=NAMES[0],
            destination="shop",
            expiry=expiry,
            filters=filters,
            specifications=asked[0],
            maximum_reports=asked[1],
        ),
        st.sampled_from((100, 8)),
        filters(),
        st.sampled_from(listed),
    )


def event_triggers() -> SearchStrategy[EventTrigger]:
    """Draw an event-level trigger; no source lists the last datum."""
    return st.builds(
        EventTrigger,
        trigger_id=st.just("t"),
        destination=st.just("shop"),
        filters=filters(),
        data=st.sampled_from((0, 0, 1, 2)),
        value=st.integers(min_value=0, max_value=3),
    )


def deltas(limits: Limits) -> SearchStrategy[Fraction]:
    """Draw a δ: no key discovery, half of the cap, all of it."""
    return st.sampled_from((Fraction(0), limits.delta / 2, limits.delta))


def queries(limits: Limits) -> SearchStrategy[Query]:
    """Draw a query whose answer has rational probabilities; its reports are named when asked."""
    unit = Fraction(limits.contribution_budget)
    return st.builds(
        Query,
        epsilon=st.just(unit),
        delta=deltas(limits),
        keys=st.just(KEYS),
    )


def discoveries(limits: Limits) -> SearchStrategy[Query]:
    """Draw a query with key discovery whose answer has rational probabilities."""
    unit = Fraction(limits.contribution_budget)
    return st.sampled_from(
        (Query(epsilon=unit, delta=limits.delta / 2), Query(epsilon=unit, delta=limits.delta))
    )


def fine_queries(limits: Limits) -> SearchStrategy[Query]:
    """Draw a query whose parameters are an equal share of the caps, or a little above it."""
    shares = st.integers(min_value=1, max_value=4)
    above = st.sampled_from((Fraction(0), LITTLE))
    return st.builds(
        lambda share, more, delta: Query(
            epsilon=limits.epsilon / share + more, delta=delta / share, keys=KEYS
        ),
        shares,
        above,
        deltas(limits),
    )


def places() -> SearchStrategy[tuple[int, ...]]:
    """Draw places in a list that may be longer or shorter, perhaps one of them twice."""
    return st.lists(st.integers(min_value=0, max_value=7), min_size=1, max_size=3).map(tuple)


def spans() -> SearchStrategy[int]:
    """Draw for how long time passes."""
    return st.sampled_from((1, 2, 5, 10))
