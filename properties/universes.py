r"""Small universes: everything the adversary may do, as a value.

A universe lists the sources, triggers, events and queries the adversary may use, how many of
each, and the moments to which it may let time pass. A proposal may name a universe of its own, with
instances of its own types.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from properties.vocabulary import Vocabulary
from spec.aggregation_service import Query
from spec.attribution_client import Source, Trigger
from spec.event_client import EventSource, EventTrigger, TriggerSpecification
from spec.private_aggregation_client import DeviceWindow, Event, Program, Storage
from spec.rules import Limits
from spec.universe import SMALL_LIMITS, Universe

MOST_WORDS = 6
"""How many things of a kind there are in a universe in the words of a proposal."""


def described(universe: Universe) -> str:
    """Say in one line what is searched."""
    parts = [
        (len(universe.sources), "source", "sources"),
        (universe.trigger_count, "trigger", "triggers"),
        (universe.event_count, "event", "events"),
        (len(universe.event_sources), "event-level source", "event-level sources"),
        (universe.event_trigger_count, "event-level trigger", "event-level triggers"),
        (universe.query_count, "query", "queries"),
        (len(universe.moments), "tick", "ticks"),
    ]
    words = [f"{n} {one if n == 1 else many}" for n, one, many in parts if n]
    return f"{universe.name}: at most {', '.join(words)} in {universe.moves} moves"


def source(name: str, filters: str, expiry: int, key: int = 1) -> Source:
    """Return a source of the default universes."""
    return Source(
        source_id=name, destination="shop", expiry=expiry, filters=frozenset(filters), key=key
    )


def trigger(filters: str, value: int, key: int = 0) -> Trigger:
    """Return a trigger of the default universes."""
    return Trigger(
        report_id=0, destination="shop", filters=frozenset(filters), key=key, value=value
    )


def summary_queries(limits: Limits) -> tuple[Query, ...]:
    """Return a query without and one with key discovery, and one that uses up the budget."""
    epsilon = Fraction(limits.contribution_budget)
    return (
        Query(epsilon=epsilon, keys=(1,)),
        Query(epsilon=epsilon, delta=limits.delta / 2),
        Query(epsilon=limits.epsilon, keys=(1, 3)),
    )


def attribution_universe() -> Universe:
    """Return the default universe for ARA: two sources, two triggers, two queries, a tick."""
    limits = SMALL_LIMITS
    return Universe(
        name="ARA",
        limits=limits,
        units=("A", "B"),
        moves=7,
        sources=(source("A", "ac", 100), source("B", "bc", 5, 3)),
        triggers=(trigger("c", limits.contribution_budget), trigger("a", 1, 2)),
        trigger_count=2,
        queries=summary_queries(limits),
        query_count=2,
        moments=(10,),
    )


def contribute_two(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 2 to key 1."""
    return storage, 1, 2


def contribute_one(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 1 to key 3."""
    return storage, 3, 1


def first_view(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 2 to key 1 at the first view, then 2 to key 3."""
    if "seen" in storage:
        return storage, 3, 2
    return storage.set("seen", True), 1, 2


def event(device: str, program: Program) -> Event:
    """Return an event of the default universes."""
    return Event(report_id=0, device=device, program=program)


def aggregation_universe() -> Universe:
    """Return the default universe for PAA: two devices, three events, two queries, a window."""
    limits = SMALL_LIMITS
    return Universe(
        name="PAA",
        limits=limits,
        units=(
            DeviceWindow(device="phone", window=0),
            DeviceWindow(device="phone", window=1),
        ),
        moves=5,
        events=(
            event("phone", first_view),
            event("phone", contribute_one),
            event("tablet", contribute_two),
        ),
        event_count=2,
        queries=summary_queries(limits),
        query_count=2,
        moments=(10,),
    )


def narrow(universe: Universe) -> Universe:
    """Return the universe with one source or two devices, and with queries for the first key."""
    queries = tuple(replace(query, keys=query.keys[:1]) for query in universe.queries)
    return replace(
        universe,
        name=f"{universe.name}, one key",
        queries=queries,
        moves=min(universe.moves, 5),
        sources=universe.sources[:1],
        triggers=universe.triggers[:1],
        events=universe.events[:1] + universe.events[1:][-1:],
        units=universe.units[:1],
        moments=(),
    )


def contribute_least(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 1 to key 1."""
    return storage, 1, 1


def sharp(universe: Universe) -> Universe:
    """Return a narrow universe with a budget of one, so that there is little noise to tell apart.

    A service that keeps its answers has as many states as there are noisy values.
    """
    small = narrow(universe)
    limits = replace(small.limits, contribution_budget=1, sparsity_budget=1)
    return replace(
        small,
        name=f"{small.name}, little noise",
        limits=limits,
        triggers=tuple(replace(trigger, value=1) for trigger in small.triggers),
        events=tuple(replace(event, program=contribute_least) for event in small.events),
        queries=(
            Query(epsilon=limits.epsilon, keys=(1,)),
            Query(epsilon=limits.epsilon / 2, delta=limits.delta / 2),
        ),
    )


def event_source(
    name: str, filters: str, expiry: int = 100, reports: int = 1, data: int = 1, **shape: Any
) -> EventSource:
    """Return an event-level source; each datum has two windows and one report if not said else."""
    shape = {"windows": (5, 10), "buckets": (1,), **shape}
    return EventSource(
        source_id=name,
        destination="shop",
        expiry=expiry,
        filters=frozenset(filters),
        maximum_reports=reports,
        specifications=tuple(TriggerSpecification(data=datum, **shape) for datum in range(data)),
    )


def event_trigger(filters: str, value: int) -> EventTrigger:
    """Return an event-level trigger of the default universes."""
    return EventTrigger(
        trigger_id="t", destination="shop", filters=frozenset(filters), data=0, value=value
    )


MOST_REPORTS = SMALL_LIMITS.maximum_reports
FULL_SOURCE = event_source(
    "A", "a", reports=MOST_REPORTS, windows=(5,), buckets=tuple(range(1, MOST_REPORTS + 1))
)
"""An event-level source with one window and as many reports as a source may have."""


def event_level(
    name: str,
    sources: tuple[EventSource, ...],
    triggers: Iterable[EventTrigger],
    moves: int,
    count: int = 2,
    moments: tuple[int, ...] = (5,),
    units: tuple[str, ...] = ("A",),
) -> Universe:
    """Return a universe for event-level reports, in which `count` triggers may happen."""
    return Universe(
        name=f"event level{name}",
        limits=SMALL_LIMITS,
        units=units,
        moves=moves,
        event_sources=sources,
        event_triggers=tuple(triggers),
        event_trigger_count=count,
        moments=moments,
        promise="event",
    )


def event_universe() -> Universe:
    """Return the default universe for event-level reports: two sources, triggers and windows."""
    sources = (event_source("A", "ac"), event_source("B", "bc", 5))
    triggers = (event_trigger("c", 1), event_trigger("b", 2))
    return event_level("", sources, triggers, moves=6, moments=(5, 10), units=("A", "B"))


def further_event_universes(words: Vocabulary) -> tuple[Universe, ...]:
    """Return universes that show a part of the guarantee for event-level reports.

    The first has triggers that are worth nothing, match nothing or have a datum that is not listed.
    Where a source may send many reports, counts that a proposal mentions are among the values.
    """
    bought = event_trigger("a", 1)
    nothing = (
        replace(bought, data=2),
        replace(bought, value=0),
        replace(bought, destination="elsewhere"),
        replace(bought, filters=frozenset()),
    )
    counts = (MOST_REPORTS, *[x for x in words.around if x < MOST_REPORTS][:MOST_WORDS])
    return (
        event_level(
            ", two data",
            (event_source("A", "a", reports=2, data=2, windows=(5,)),),
            (bought, replace(bought, data=1), *nothing),
            moves=4,
        ),
        event_level(
            ", two reports",
            (event_source("A", "a", reports=2, buckets=(1, 2)),),
            (bought, event_trigger("a", 2)),
            moves=5,
            moments=(5, 10),
        ),
        event_level(
            ", many reports",
            (FULL_SOURCE,),
            (event_trigger("a", value) for value in counts),
            moves=3,
            count=1,
        ),
        event_level(
            ", four data",
            (event_source("A", "a", reports=4, data=4, windows=(5,)),),
            (replace(bought, data=data) for data in (0, 3)),
            moves=4,
        ),
    )


def event_later_universe() -> Universe:
    """Return a universe for event-level reports: after many reports comes one of another source."""
    return event_level(
        ", after many reports",
        (FULL_SOURCE, event_source("B", "b", windows=(10,))),
        (event_trigger("a", MOST_REPORTS), event_trigger("b", 1)),
        moves=6,
        moments=(5, 10),
    )


def event_words(words: Vocabulary) -> Universe:
    """Return a universe for event-level reports in the words of a proposal."""
    usual = event_trigger("c", 1)
    named = replace(event_source("A", "c", windows=(5,)), filters=frozenset({"c", *words.texts}))
    others = tuple(replace(named, source_id=name) for name in "BC")
    bought = [
        usual,
        *words.variants(usual),
        *(replace(usual, value=number) for number in words.around),
        *(replace(usual, trigger_id=text, filters=frozenset({text})) for text in words.texts),
    ]
    return event_level(
        ", words of the proposal",
        (*others, *(named, *words.variants(named))[-1:]),
        bought[:MOST_WORDS],
        moves=5,
        count=1,
    )


def combined_universe() -> Universe:
    """Return the default universe for summary and event-level reports of one source."""
    limits = replace(SMALL_LIMITS, epsilon=Fraction(2), delta=Fraction(1, 8))
    return Universe(
        name="ARA and event level",
        limits=limits,
        units=("A",),
        moves=7,
        sources=(source("A", "ac", 100),),
        triggers=(trigger("c", limits.contribution_budget),),
        trigger_count=1,
        event_sources=(event_source("A", "ac"),),
        event_triggers=(event_trigger("c", 1),),
        event_trigger_count=1,
        queries=(
            Query(epsilon=Fraction(2), delta=Fraction(1, 8)),
            Query(epsilon=Fraction(2), keys=(1,)),
        ),
        query_count=1,
        moments=(5, 10),
        promise="both",
    )
