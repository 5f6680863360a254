"""What leaves may be drawn: when, and whether, with probabilities that are public."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from immutables import Map

from proofs._core import core_of
from spec import PAPER, Distribution, Report, Sent, replace
from spec.contributions import send
from spec.distributions import coin

WEIGHTS = ((0, Fraction(1, 2)), (3600, Fraction(1, 3)), (7200, Fraction(1, 6)))
HALF = Fraction(1, 2)
MADE_UP = Sent(report=Report(report_id=1), shown=1, arrival=10**9)
OTHERS = Map({(MADE_UP,): HALF})


def uniform(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    return Distribution.uniform([(replace(sent, arrival=at.now + each),) for each in range(9)])


def weighted(at: Any, granted: Any) -> Any:
    parts = tuple(part for credit in granted for part in credit.contributions)
    report = Report(report_id=at.cause.report_id, contributions=parts)
    return Distribution.of(
        {
            (Sent(report=report, shown=report.report_id, arrival=at.now + delay),): weight
            for delay, weight in WEIGHTS
        }
    )


def lost(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    return Distribution.of(
        {(sent,): HALF, (replace(sent, arrival=at.now + 9),): HALF / 2, (): HALF / 2}
    )


def mapped(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    return coin(HALF).map(lambda late: (replace(sent, arrival=at.now + (9 if late else 0)),))


def in_pairs(at: Any, granted: Any) -> Any:
    sent = send(at, granted)
    later = tuple(replace(each, arrival=at.now + 9) for each in sent)
    return Distribution(((sent, HALF), (later, HALF))) if at.now else Distribution.certain(sent)


def put_together(at: Any, granted: Any) -> Any:
    parts = [part for credit in granted for part in credit.contributions]
    report = Report(report_id=at.cause.report_id, contributions=tuple(parts))
    return (Sent(report=report, shown=report.report_id, arrival=at.now + 60),)


ALLOWED = [uniform, weighted, lost, mapped, in_pairs, put_together]


@pytest.mark.parametrize("rule", ALLOWED, ids=lambda rule: rule.__name__)
def test_a_delay_may_be_drawn(rule: Callable[..., Any]) -> None:
    core = core_of(replace(PAPER, send=rule))
    assert core.rules is PAPER, core.kept


def late_if_null(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    late = (replace(sent, arrival=at.now + (9 if granted else 0)),)
    return Distribution.of({(sent,): HALF, late: HALF})


def likelier_if_null(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    share = HALF if sent.report.is_null else HALF / 2
    return Distribution.of({(sent,): share, (): 1 - share})


def mapped_by_contents(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    long = len(sent.report.contributions)
    return coin(HALF).map(lambda late: (replace(sent, arrival=at.now + (long if late else 0)),))


def something_else(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    return Distribution.of({(sent,): HALF, (MADE_UP,): HALF})


def something_beside(at: Any, granted: Any) -> Any:
    (sent,) = send(at, granted)
    return Distribution.of({(sent,): HALF, **OTHERS})


def some_contents(at: Any, granted: Any) -> Any:
    parts = tuple(part for credit in granted for part in credit.contributions if part.value > 1)
    report = Report(report_id=at.cause.report_id, contributions=parts)
    return (Sent(report=report, shown=report.report_id, arrival=at.now),)


def contents_twice(at: Any, granted: Any) -> Any:
    parts = [part for credit in granted for part in credit.contributions]
    report = Report(report_id=at.cause.report_id, contributions=(*parts, *parts))
    return (Sent(report=report, shown=report.report_id, arrival=at.now),)


def counted(at: Any, granted: Any) -> Any:
    parts = tuple(part for credit in granted for part in credit.contributions)
    report = Report(report_id=at.cause.report_id, contributions=parts)
    return (Sent(report=report, shown=len(parts), arrival=at.now),)


def gone_through(at: Any, granted: Any) -> Any:
    delay = 0
    for _ in granted:
        delay = 9
    (sent,) = send(at, granted)
    return (replace(sent, arrival=at.now + delay),)


REFUSED = [
    late_if_null,
    likelier_if_null,
    mapped_by_contents,
    something_else,
    something_beside,
    some_contents,
    contents_twice,
    counted,
    gone_through,
]


@pytest.mark.parametrize("rule", REFUSED, ids=lambda rule: rule.__name__)
def test_what_is_drawn_by_contents_is_kept(rule: Callable[..., Any]) -> None:
    assert core_of(replace(PAPER, send=rule)).kept["send"]
