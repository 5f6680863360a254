"""What is no input: for every reason to refuse, examples of what is refused and of what is not.

A refusal that is missing lets in what no proof is about; one that is too many takes away what the
paper allows. So beside everything that is refused stands what comes closest to it and is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar, cast

from immutables import Map

from proofs._examples import without_chance
from spec import PAPER, Rules
from spec.aggregation_service import BadQuery, Query, UnknownReport
from spec.attribution_client import (
    AttributionClient,
    DuplicateSource,
    NotACandidate,
    Source,
    Trigger,
)
from spec.contributions import Budget, Credit
from spec.distributions import Draw
from spec.event_client import (
    BadTriggerData,
    BeyondLimits,
    EventSource,
    EventTrigger,
    NotIncreasing,
    TriggerSpecification,
    UnknownSource,
)
from spec.event_mechanism import EventMechanism, NoQuestion
from spec.event_outputs import BadOutputSet, NoSuchOutput, OutputSet
from spec.neighbours import ATTRIBUTION_FIXED, RelationUndefined
from spec.numbers import NATURAL, NotWhole, Power, SpecError
from spec.private_aggregation_client import AggregationClient, BadProgram, Event
from spec.randomized_response import (
    AfterTheEnd,
    BadSequences,
    InteractiveRandomizedResponse,
    RandomizedResponse,
    Sequences,
)
from spec.reports import BadName, Report, Sent
from spec.system import (
    BudgetDecided,
    DuplicateReport,
    ForeignClient,
    Move,
    PassTime,
    SystemMechanism,
    TimeRunsBackwards,
    UnknownMove,
    step,
)

T = TypeVar("T")
Attempt: TypeAlias = Callable[[Rules], object]
Attempts: TypeAlias = Sequence[Attempt]

AD = Source(source_id="ad", destination="shop", expiry=9, filters=frozenset({"f"}), key=1)
BUY = Trigger(report_id=1, destination="shop", filters=AD.filters, key=2, value=3)
DATUM = TriggerSpecification(data=1, windows=(2,), buckets=(1,))
SHOWN = EventSource(
    source_id="shown",
    destination="shop",
    expiry=9,
    filters=AD.filters,
    maximum_reports=1,
    specifications=(DATUM,),
)
CLICK = EventTrigger(trigger_id="t", destination="shop", filters=AD.filters, data=1, value=1)
PAIRS = Sequences(((0, 0), (0, 1)))
RESPONSE = RandomizedResponse(outputs=PAIRS, power=Power(NATURAL, Fraction(1)))
SET = OutputSet(maximum_reports=1, windows=(1,), buckets=(1,))


NO_ANSWERS: tuple[object, ...] = ([Map(), 1, 1], (Map(), 1), (Map(), 1, 1, 1), ({}, 1, 1), 7)
"""What a program must not return."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedQuery(Query):
    """Be a query with a field of a proposal's own."""

    number: int = 0


def playing(*moves: object, **changed: Any) -> Attempt:
    """Return the attempt to make moves, by rules with some fields changed."""

    def attempt(rules: Rules) -> object:
        own = replace(rules, **changed)
        system = SystemMechanism(rules=own).initial
        for move in moves:
            system, _ = step(own, system, cast(Move, move), cast(Draw, without_chance))
        return system

    return attempt


def making(kind: Callable[..., object], *given: object, **named: object) -> Attempt:
    """Return the attempt to make a value, or to ask a function."""
    return lambda _: kind(*given, **named)


def view(report_id: int = 2, answer: object = None, program: object = None) -> Event:
    """Return an event with a program that returns something."""

    def returning(storage: Map[Any, Any]) -> object:
        return (storage, 1, 1) if answer is None else answer

    return Event(report_id=report_id, device="phone", program=cast(Any, program or returning))


def always(answer: Any) -> Callable[..., Any]:
    """Return the rule that has one answer."""
    return lambda *_: answer


def sending(*arrivals: tuple[int, int]) -> Mapping[str, Any]:
    """Return the rule that sends reports with these identifiers, to arrive at these times."""
    sent = (Sent(report=Report(report_id=n), shown=n, arrival=when) for n, when in arrivals)
    return {"send": always(tuple(sent))}


def deciding(client: object) -> Mapping[str, Any]:
    """Return the rule that credits nobody with a trigger, and leaves a client behind."""
    return {"attribute": always((client, ()))}


def with_budgets(**budgets: Budget) -> AttributionClient:
    """Return a client without sources, and with budgets."""
    return AttributionClient(budgets=Map(budgets))


def listing(count: int) -> tuple[TriggerSpecification, ...]:
    """Return so many trigger data."""
    return tuple(replace(DATUM, data=number) for number in range(count))


def asking(times: int) -> Attempt:
    """Return the attempt to ask randomized response so often."""

    def attempt(_: Rules) -> object:
        mechanism = InteractiveRandomizedResponse(law=RESPONSE)
        state = mechanism.initial
        for _time in range(times):
            state, _answer = mechanism.step(state, ((), len), cast(Draw, without_chance))
        return state

    return attempt


def asking_about(*units: str) -> Attempt:
    """Return the attempt to ask the mechanism of two sources about some."""
    mechanism = EventMechanism(laws=(("x", RESPONSE), ("z", RESPONSE)))
    action: Any = (), dict.fromkeys(units, len)
    return lambda _: mechanism.step(mechanism.initial, action, cast(Draw, without_chance))


def crediting(unit: str) -> Attempt:
    """Return the attempt to leave an ad out where a purchase is credited to some unit."""
    credits = (Credit(unit=unit, contributions=()),)

    def attempt(rules: Rules) -> object:
        rule = always((with_budgets(ad=Budget()), credits))
        other = ATTRIBUTION_FIXED.without(replace(rules, attribute=rule), "ad")
        worlds, _ = other.step(other.initial, AD, cast(Draw, without_chance))
        return other.step(worlds, BUY, cast(Draw, without_chance))

    return attempt


def reasons() -> Iterator[tuple[type[SpecError], Attempts, Attempts]]:
    """List every reason to refuse, with what is taken and what is refused for it."""
    elsewhere = replace(AD, device="laptop")
    yield (
        DuplicateSource,
        (
            playing(AD, replace(elsewhere, source_id="other")),
            playing(SHOWN, replace(SHOWN, source_id="other")),
            playing(AD, replace(SHOWN, source_id="ad")),
        ),
        (
            *(playing(AD, AD), playing(AD, elsewhere), playing(SHOWN, SHOWN)),
            playing(SHOWN, replace(SHOWN, device="laptop")),
            playing(elsewhere, replace(SHOWN, source_id="ad")),
        ),
    )
    yield (
        DuplicateReport,
        (
            playing(BUY, view(), replace(BUY, report_id=3)),
            *(playing(BUY, **sending(*each)) for each in ((), ((2, 0), (1, 0)), ((2, 0), (3, 0)))),
        ),
        (
            *(playing(BUY, BUY), playing(BUY, view(1)), playing(view(), view())),
            *(playing(BUY, **sending(*each)) for each in (((1, 0), (1, 0)), ((2, 0), (2, 0)))),
            playing(view(), BUY, **sending((2, 0))),
        ),
    )
    yield (
        TimeRunsBackwards,
        (
            playing(PassTime(until=5), PassTime(until=5), PassTime(until=6)),
            *(playing(PassTime(until=5), BUY, **sending((1, when))) for when in (5, 6)),
        ),
        (
            playing(PassTime(until=5), PassTime(until=4)),
            playing(PassTime(until=5), BUY, **sending((1, 4))),
        ),
    )
    ask = Query(epsilon=Fraction(1), report_ids=(1,), keys=(3,))
    yield (
        UnknownReport,
        (playing(BUY, ask), playing(BUY, PassTime(until=1), ask, **sending((1, 1)))),
        (playing(ask), playing(BUY, ask, **sending((1, 1)))),
    )
    yield UnknownMove, (playing(PassTime(until=1)),), (playing("nothing"), playing(None))
    yield (
        BadProgram,
        (playing(view(answer=(Map(), 1, 0))), playing(view(answer=(Map({1: 1}), 0, 1)))),
        (
            *(playing(view(answer=each)) for each in NO_ANSWERS),
            lambda _: view(program="no function"),
        ),
    )
    yield (
        NotACandidate,
        (playing(AD, BUY), playing(AD, BUY, attempt_order=always(()))),
        (playing(AD, BUY, attempt_order=always((replace(AD, key=7),))),),
    )
    yield (
        ForeignClient,
        (playing(AD, BUY, **deciding(with_budgets(ad=Budget()))),),
        (playing(AD, BUY, **deciding(AggregationClient())), playing(AD, BUY, **deciding(None))),
    )
    yield (
        BudgetDecided,
        (playing(AD, BUY), playing(AD, BUY, **deciding(with_budgets(ad=Budget())))),
        tuple(
            playing(AD, BUY, **deciding(with_budgets(**each)))
            for each in ({}, {"ad": Budget(count=1)}, {"ad": Budget(), "other": Budget()})
        ),
    )
    yield (
        UnknownSource,
        (playing(SHOWN, CLICK), playing(SHOWN, CLICK, event_attribute=always(("shown",)))),
        (playing(SHOWN, CLICK, event_attribute=always(("nobody",))),),
    )
    yield RelationUndefined, (crediting("ad"),), (crediting("nobody"),)
    yield from reasons_of_values()


def reasons_of_values() -> Iterator[tuple[type[SpecError], Attempts, Attempts]]:
    """List the reasons to refuse values."""
    few = PAPER.limits

    def source(datum: TriggerSpecification = DATUM, **given: Any) -> Attempt:
        return playing(replace(SHOWN, **{"specifications": (datum,), **given}))

    yield (
        BeyondLimits,
        (
            source(maximum_reports=few.maximum_reports),
            source(specifications=listing(few.maximum_trigger_data)),
            source(replace(DATUM, windows=tuple(range(1, few.maximum_windows + 1)))),
            source(replace(DATUM, buckets=tuple(range(1, few.maximum_buckets + 1)))),
        ),
        (
            source(maximum_reports=few.maximum_reports + 1),
            source(replace(DATUM, windows=tuple(range(1, few.maximum_windows + 2)))),
            source(replace(DATUM, buckets=tuple(range(1, few.maximum_buckets + 2)))),
            playing(
                replace(SHOWN, specifications=listing(2)),
                limits=replace(few, maximum_trigger_data=1),
            ),
        ),
    )
    yield (
        NotIncreasing,
        tuple(making(replace, DATUM, windows=each) for each in ((), (1, 2))),
        tuple(making(replace, DATUM, windows=each) for each in ((0,), (-1,), (1, 1), (2, 1)))
        + tuple(making(replace, DATUM, buckets=each) for each in ((0, 1), (3, 3))),
    )
    yield (
        BadTriggerData,
        (making(replace, SHOWN, specifications=listing(2)),),
        (making(replace, SHOWN, specifications=(DATUM, DATUM)),),
    )
    filters = (["f"], "f", frozenset({1}), frozenset({"f", 1}), {"f"})
    yield (
        BadName,
        tuple(making(replace, each, filters=frozenset()) for each in (AD, BUY, SHOWN, CLICK)),
        (
            *(making(replace, AD, **{name: 1}) for name in ("source_id", "destination", "device")),
            *(making(replace, x, filters=y) for x in (AD, BUY, SHOWN, CLICK) for y in filters),
            making(Event, report_id=1, device=1, program=len),
        ),
    )
    yield (
        BadQuery,
        (making(Query, epsilon=1), making(NumberedQuery, epsilon=1, number=1)),
        tuple(making(Query, epsilon=1, **{name: [1]}) for name in ("report_ids", "keys")),
    )
    yield (
        NotWhole,
        (making(NumberedQuery, epsilon=1, number=-1), making(PassTime, until=-1)),
        (making(NumberedQuery, epsilon=1, number="1"), making(PassTime, until=True)),
    )
    yield (
        BadSequences,
        tuple(making(Sequences, each) for each in (((),), ((0,),), ((0, 1), (1, 0)))),
        tuple(making(Sequences, each) for each in ((), ((0,), (0,)), ((0,), (0, 1)))),
    )
    yield AfterTheEnd, (asking(1), asking(2)), (asking(3),)
    yield (
        NoQuestion,
        (asking_about("x", "z"),),
        (asking_about("x"), asking_about(), asking_about("x", "z", "y")),
    )
    yield (
        BadOutputSet,
        (
            making(replace, SET, windows=(0,)),
            making(replace, SET, buckets=(0,)),
            making(replace, SET, maximum_reports=0),
        ),
        (
            making(replace, SET, windows=(-1,)),
            making(replace, SET, buckets=(-1,)),
            making(replace, SET, maximum_reports=-1),
            making(replace, SET, windows=(1, 1)),
        ),
    )
    yield (
        NoSuchOutput,
        (making(SET.output, 0), making(SET.output, 1)),
        (making(SET.output, -1), making(SET.output, 2)),
    )


def first_wrong_refusal(rules: Rules) -> Mapping[str, object] | None:
    """Make every attempt; return the first that is refused, or taken, and should not be."""
    for reason, taken, refused in reasons():
        for place, attempt in enumerate((*taken, *refused)):
            try:
                attempt(rules)
            except SpecError as error:
                found: type | None = type(error)
            else:
                found = None
            if found is not (None if place < len(taken) else reason):
                return {"reason": reason.__name__, "attempt": place, "found": str(found)}
    return None
