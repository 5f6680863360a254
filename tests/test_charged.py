"""A `charge` of one's own is taken off if it is the paper's and refuses in public, and else not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import pytest

from proofs._core import core_of
from spec import PAPER, AtService, Report, Spent, replace

DAY = 86400


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(Spent):
    day: int = 0


def at_most_ten(at: AtService, spent: Spent, report: Report) -> Spent | None:
    return None if spent.queries >= 10 else PAPER.charge(at, spent, report)


def not_by_night(at: AtService, spent: Spent, report: Report) -> Spent | None:
    after = None if at.now % DAY < 3600 else PAPER.charge(at, spent, report)
    if after is None or report.report_id % 7 == at.now // DAY % 7:
        return None
    return after


def once_a_day(at: AtService, spent: Spent, report: Report) -> Spent | None:
    day = at.now // DAY
    if isinstance(spent, Noted) and spent.day == day:
        return None
    after = PAPER.charge(at, spent, report)
    if after is None:
        return None
    return Noted(epsilon=after.epsilon, delta=after.delta, queries=after.queries, day=day)


def the_day_is_kept(at: AtService, spent: Spent, report: Report) -> Spent | None:
    after = PAPER.charge(at, spent, report)
    if after is None or not isinstance(after, Noted):
        return after
    return replace(after, day=at.now // DAY) if after.day < 100 else None


Charge = Callable[[AtService, Spent, Report], Spent | None]
REFUSING = (at_most_ten, not_by_night, once_a_day, the_day_is_kept)


@pytest.mark.parametrize("rule", REFUSING)
def test_more_refusals_and_notes_are_taken_off(rule: Charge) -> None:
    core = core_of(replace(PAPER, charge=rule))
    assert core.kept == {}
    assert core.rules.charge is PAPER.charge


def from_nothing(at: AtService, spent: Spent, report: Report) -> Spent | None:
    return PAPER.charge(at, Spent() if at.now % 7 == 6 else spent, report)


def not_at_all(at: AtService, spent: Spent, report: Report) -> Spent | None:
    return spent if at.now % 7 == 6 else PAPER.charge(at, spent, report)


def for_half(at: AtService, spent: Spent, report: Report) -> Spent | None:
    half = replace(at.query, epsilon=at.query.epsilon / 2)
    return PAPER.charge(replace(at, query=half), spent, report)


def half_is_given_back(at: AtService, spent: Spent, report: Report) -> Spent | None:
    after = PAPER.charge(at, spent, report)
    return None if after is None else replace(after, epsilon=after.epsilon / 2)


def noted_without_delta(at: AtService, spent: Spent, report: Report) -> Spent | None:
    after = PAPER.charge(at, spent, report)
    if after is None:
        return None
    return Noted(epsilon=after.epsilon, queries=after.queries, day=at.now // DAY)


def delta_in_place_of_epsilon(at: AtService, spent: Spent, report: Report) -> Spent | None:
    after = PAPER.charge(at, spent, report)
    if after is None:
        return None
    return Noted(epsilon=after.delta, delta=after.delta, queries=after.queries)


def null_reports_are_spared(at: AtService, spent: Spent, report: Report) -> Spent | None:
    return None if spent.queries and not report.is_null else PAPER.charge(at, spent, report)


def contents_are_noted(at: AtService, spent: Spent, report: Report) -> Spent | None:
    after = PAPER.charge(at, spent, report)
    if after is None or not isinstance(after, Noted):
        return after
    return replace(after, day=len(report.contributions))


def of_another_report(at: AtService, spent: Spent, report: Report) -> Spent | None:
    return PAPER.charge(at, spent, Report(report_id=report.report_id + 1))


def small_charges_are_rounded(at: AtService, spent: Spent, report: Report) -> Spent | None:
    after = PAPER.charge(at, spent, report)
    if after is not None and after.epsilon < Fraction(1, 10):
        return spent
    return after


def never(at: AtService, spent: Spent, report: Report) -> Spent | None:
    raise AssertionError


LESS = (
    *(from_nothing, not_at_all, for_half, half_is_given_back, noted_without_delta),
    *(delta_in_place_of_epsilon, null_reports_are_spared),
    *(contents_are_noted, of_another_report, small_charges_are_rounded),
    never,
)


@pytest.mark.parametrize("rule", LESS)
def test_what_charges_less_or_looks_at_contents_is_kept(rule: Charge) -> None:
    core = core_of(replace(PAPER, charge=rule))
    assert list(core.kept) == ["charge"]
    assert core.rules.charge is rule
