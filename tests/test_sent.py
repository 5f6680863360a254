"""When reports leave may be drawn in public; nothing of what was granted may show in the law."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from proofs._core import core_of
from spec import PAPER, Contribution, Distribution, Report, Sent, coin, replace
from spec.contributions import send

HALF = Fraction(1, 2)
WEIGHTS = ((0, HALF), (600, Fraction(1, 4)), (1200, Fraction(1, 4)))
DELAYS = Distribution.of(dict(WEIGHTS))
ARRIVES = coin(Fraction(9, 10))
Rule = Callable[..., Any]


def named(rule: Rule) -> str:
    return rule.__name__


def late(sent: Any, delay: Any) -> Any:
    return replace(sent, arrival=sent.arrival + delay)


# Laws that are the same whatever was granted.


def in_one_of_three_flushes(at: Any, granted: Any) -> Any:
    ready = send(at, granted)
    return Distribution.uniform(
        tuple(replace(sent, arrival=-(-at.now // 600) * 600 + extra) for sent in ready)
        for extra in (0, 600, 1200)
    )


def by_cases(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    return Distribution.of({(sent,): HALF, (late(sent, 3600),): HALF})


def by_a_list_of_cases(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    return Distribution.uniform([(late(sent, 60),), (late(sent, 120),), ()])


def by_a_table(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    return Distribution.of({(late(sent, delay),): weight for delay, weight in WEIGHTS})


def by_a_list_that_is_filled(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    cases = []
    for delay in range(10):
        cases.append((late(sent, 60 * delay),))
    return Distribution.uniform(cases)


def by_a_law_of_delays(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    return DELAYS.map(lambda delay: (late(sent, delay),))


def by_a_law_that_is_made_here(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    return Distribution.uniform(range(1, 61)).map(lambda delay: (late(sent, delay),))


def lost_at_random(at: Any, granted: Any) -> Any:
    return ARRIVES.map(lambda arrives: send(at, granted) if arrives else ())


def put_together(at: Any, granted: Any) -> Any:
    parts = tuple(part for credit in granted for part in credit.contributions)
    report = Report(report_id=at.cause.report_id, contributions=parts)
    first = Sent(report=report, shown=report.report_id, arrival=at.now)
    return Distribution.of({(first,): HALF, (late(first, 3600),): HALF})


def at_night_only(at: Any, granted: Any) -> Any:
    ready = send(at, granted)
    if at.now % 86400 < 6 * 3600:
        return DELAYS.map(lambda delay: tuple(late(sent, delay) for sent in ready))
    return ready


DRAWN_IN_PUBLIC = [
    *(in_one_of_three_flushes, by_cases, by_a_list_of_cases, by_a_table, by_a_list_that_is_filled),
    *(by_a_law_of_delays, by_a_law_that_is_made_here, lost_at_random, put_together, at_night_only),
]


@pytest.mark.parametrize("rule", DRAWN_IN_PUBLIC, ids=named)
def test_a_delay_may_be_drawn_in_public(rule: Rule) -> None:
    core = core_of(replace(PAPER, send=rule))
    assert core.kept == {}
    assert core.rules.send is PAPER.send


# Laws that tell of what was granted.


def weights_by_what_is_granted(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    share = HALF if granted else Fraction(1, 4)
    return Distribution.of({(sent,): share, (late(sent, 3600),): 1 - share})


def delays_by_how_many_are_granted(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    return Distribution.uniform((late(sent, delay),) for delay in range(1 + len(granted)))


def a_round_for_each_that_is_granted(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    return Distribution.uniform((late(sent, 60 * i),) for i, _ in enumerate((1, *granted)))


def drawn_if_something_is_granted(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    if sent.report.contributions:
        return Distribution.of({(sent,): HALF, (late(sent, 3600),): HALF})
    return (sent,)


def drawn_if_the_client_has_sources(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    if at.client.sources:
        return Distribution.of({(sent,): HALF, (late(sent, 3600),): HALF})
    return (sent,)


def emptied_at_random(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    empty = replace(sent, report=replace(sent.report, contributions=()))
    return Distribution.of({(sent,): HALF, (empty,): HALF})


def sent_for_nothing(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    (null,) = send(at, ())
    return Distribution.uniform(((sent,), (null,)))


def twice_in_a_case(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    return Distribution.uniform(((sent, late(sent, 1)), (sent,)))


def twice_by_two_loops(at: Any, granted: Any) -> Any:
    ready = send(at, granted)
    return Distribution.certain(tuple(late(sent, more) for sent in ready for more in (0, 1)))


def gone_through_twice(at: Any, granted: Any) -> Any:
    parts = (part for credit in granted for part in credit.contributions)
    full = Report(report_id=at.cause.report_id, contributions=tuple(parts))
    null = Report(report_id=at.cause.report_id, contributions=tuple(parts))
    first = Sent(report=full, shown=full.report_id, arrival=at.now)
    return Distribution.of({(first,): HALF, (replace(first, report=null),): HALF})


def gone_through_inside(at: Any, granted: Any) -> Any:
    parts = (part for credit in granted for part in credit.contributions)
    return DELAYS.map(
        lambda delay: (
            Sent(
                report=Report(report_id=at.cause.report_id, contributions=tuple(parts)),
                shown=at.cause.report_id,
                arrival=at.now + delay,
            ),
        )
    )


def half_of_it(at: Any, granted: Any) -> Any:
    parts = tuple(part for credit in granted for part in credit.contributions[:1])
    report = Report(report_id=at.cause.report_id, contributions=parts)
    first = Sent(report=report, shown=len(parts), arrival=at.now)
    return Distribution.of({(first,): HALF, (late(first, 3600),): HALF})


def as_late_as_there_are_parts(at: Any, granted: Any) -> Any:
    parts = tuple(part for credit in granted for part in credit.contributions)
    report = Report(report_id=at.cause.report_id, contributions=parts)
    return (Sent(report=report, shown=report.report_id, arrival=at.now + len(parts)),)


def other_parts(at: Any, granted: Any) -> Any:
    parts = (Contribution(key=0, value=1),)
    report = Report(report_id=at.cause.report_id, contributions=parts)
    return (Sent(report=report, shown=report.report_id, arrival=at.now),)


def as_many_outcomes(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    (null,) = send(at, ())
    law = Distribution.uniform({sent: 1, null: 1})
    return (replace(sent, arrival=at.now + len(law.support())),)


def a_law_of_what_is_granted(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    law = Distribution.uniform((0, 1)).map(lambda more: len(granted) + more)
    return law.map(lambda delay: (late(sent, delay),))


def probable_by_contents(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    law = Distribution.of({(sent,): HALF, (late(sent, 1),): HALF})
    return (late(sent, law.probability(lambda case: not case[0].report.is_null)),)


def conditioned_by_contents(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    law = Distribution.of({(sent,): HALF, (late(sent, 1),): HALF})
    return law.given(lambda case: case[0].report.is_null or case[0].arrival > at.now)


def under_another_name(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    other = replace(sent, report=replace(sent.report, report_id=at.cause.report_id + 1))
    return Distribution.uniform(((sent,), (other,)))


TELLING = [
    *(weights_by_what_is_granted, delays_by_how_many_are_granted),
    *(a_round_for_each_that_is_granted, drawn_if_something_is_granted),
    *(drawn_if_the_client_has_sources, emptied_at_random, sent_for_nothing, twice_in_a_case),
    *(twice_by_two_loops, gone_through_twice, gone_through_inside, half_of_it),
    *(as_late_as_there_are_parts, other_parts, as_many_outcomes, a_law_of_what_is_granted),
    *(probable_by_contents, conditioned_by_contents, under_another_name),
]


@pytest.mark.parametrize("rule", TELLING, ids=named)
def test_a_law_tells_nothing_of_what_was_granted(rule: Rule) -> None:
    assert core_of(replace(PAPER, send=rule)).kept["send"]
