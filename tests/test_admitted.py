"""What clients may change: admission, single credits, what leaves, and what is shown of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, NewType

import pytest
from immutables import Map

from proofs._core import core_of
from proofs._followed import _known
from spec import (
    PAPER,
    AtContribution,
    AtService,
    AtWindows,
    Budget,
    Budgets,
    Contribution,
    Credit,
    Draw,
    EventClient,
    EventReport,
    Report,
    Rules,
    Sent,
    Trigger,
    Unit,
    replace,
)
from spec.contributions import admit, contribute, send
from spec.event_client import pass_windows

Credits = tuple[Credit, ...]
Granted = tuple[Budgets, Credits]
Admitted = tuple[Budget, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Noting(Budget):
    noted: Map[int, int] = Map()


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked(Report):
    mark: Hashable = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign(Trigger):
    name: str = ""


# Admission: whatever is known of the unit may refuse more.


def few_to_a_key(at: AtContribution, unit: Unit, spent: Budget, part: Contribution) -> Admitted:
    after, fits = PAPER.admit(at, unit, spent, part)
    if not fits:
        return after, fits
    noted = spent.noted if isinstance(spent, Noting) else Map[int, int]()
    if noted.get(part.key, 0) > 2 or at.now % 7 == 6:
        return spent, False
    noted = noted.set(part.key, noted.get(part.key, 0) + 1)
    return Noting(value=after.value, count=after.count, noted=noted), True


def odd_values_only(at: AtContribution, unit: Unit, spent: Budget, part: Contribution) -> Admitted:
    return admit(at, unit, spent, part) if part.value % 2 else (spent, False)


def noted_where_refused(
    at: AtContribution, unit: Unit, spent: Budget, part: Contribution
) -> Admitted:
    after, fits = admit(at, unit, spent, part)
    if fits:
        return after, True
    noted: Any = replace(spent, noted=Map())  # type: ignore[call-arg]
    return noted, False


def admitted_anyway(at: AtContribution, unit: Unit, spent: Budget, part: Contribution) -> Admitted:
    after, _ = admit(at, unit, spent, part)
    return after, True


def not_counted(at: AtContribution, unit: Unit, spent: Budget, part: Contribution) -> Admitted:
    _, fits = admit(at, unit, spent, part)
    return spent, fits


def not_counted_on_sundays(
    at: AtContribution, unit: Unit, spent: Budget, part: Contribution
) -> Admitted:
    after, fits = admit(at, unit, spent, part)
    if fits and at.now % 7 == 6:
        return spent, True
    return after, fits


def counted_by_half(at: AtContribution, unit: Unit, spent: Budget, part: Contribution) -> Admitted:
    after, fits = admit(at, unit, spent, part)
    if not fits:
        return after, fits
    return Noting(value=after.value // 2, count=after.count), True


def counted_by_number_only(
    at: AtContribution, unit: Unit, spent: Budget, part: Contribution
) -> Admitted:
    after, fits = admit(at, unit, spent, part)
    return (Noting(value=spent.value, count=after.count), True) if fits else (spent, False)


def counted_in_one_way(
    at: AtContribution, unit: Unit, spent: Budget, part: Contribution
) -> Admitted:
    after, fits = admit(at, unit, spent, part)
    if not fits:
        after = spent
    return Noting(value=after.value, count=after.count), True


def counted_as_another(
    at: AtContribution, unit: Unit, spent: Budget, part: Contribution
) -> Admitted:
    return admit(at, unit, spent, replace(part, value=1))


def counted_from_nothing(
    at: AtContribution, unit: Unit, spent: Budget, part: Contribution
) -> Admitted:
    return admit(at, unit, Budget(), part)


def noted_and_changed(
    at: AtContribution, unit: Unit, spent: Budget, part: Contribution
) -> Admitted:
    after, fits = admit(at, unit, spent, part)
    if fits:
        return replace(after, value=spent.value), True
    return after, False


def by_other_units(at: AtContribution, unit: Unit, spent: Budget, part: Contribution) -> Admitted:
    crowded = len(at.client.budgets) > 5
    return (spent, False) if crowded else admit(at, unit, spent, part)


# One credit: it is granted as in the paper, or not at all.


def all_or_nothing(at: AtContribution, credits: Credits) -> Granted:
    budgets, granted = contribute(at, credits)
    return (budgets, granted) if granted == credits else (at.client.budgets, ())


def the_three_largest(at: AtContribution, credits: Credits) -> Granted:
    largest = []
    for credit in credits:
        parts = sorted(credit.contributions, key=lambda part: -part.value)
        largest.append(replace(credit, contributions=tuple(parts[:3])))
    return contribute(at, tuple(largest)) if len(credits) < 9 else (at.client.budgets, ())


def granted_for_nothing(at: AtContribution, credits: Credits) -> Granted:
    budgets, granted = contribute(at, credits)
    return at.client.budgets if len(granted[0].contributions) > 3 else budgets, granted


def granted_whole(at: AtContribution, credits: Credits) -> Granted:
    budgets, granted = contribute(at, credits)
    return (budgets, credits) if granted else (at.client.budgets, ())


def granted_twice(at: AtContribution, credits: Credits) -> Granted:
    budgets, granted = contribute(at, credits)
    return budgets, granted + granted


def granted_by_two_calls(at: AtContribution, credits: Credits) -> Granted:
    budgets, _ = contribute(at, tuple(replace(each, contributions=()) for each in credits))
    _, granted = contribute(at, credits)
    return budgets, granted


def granted_and_changed(at: AtContribution, credits: Credits) -> Granted:
    budgets, granted = contribute(at, credits)
    doubled = tuple(replace(each, contributions=each.contributions * 2) for each in granted)
    return budgets, doubled


def granted_to_the_house(at: AtContribution, credits: Credits) -> Granted:
    house = Credit(unit="house", contributions=(Contribution(key=1, value=1),))
    return contribute(at, credits or (house,))


def granted_to_another(at: AtContribution, credits: Credits) -> Granted:
    return contribute(at, tuple(replace(each, unit="other") for each in credits))


def granted_if_others_gave(at: AtContribution, credits: Credits) -> Granted:
    budgets, granted = contribute(at, credits)
    return (budgets, granted) if len(at.client.budgets) > 5 else (at.client.budgets, ())


# What leaves: the paper's report, with whatever is public on it.


def with_a_mark(at: AtContribution, granted: Credits) -> tuple[Sent, ...]:
    if at.now % 7 == 6:
        return ()
    (sent,) = send(at, granted)
    mark = at.cause.name if isinstance(at.cause, Campaign) else ""
    report = Marked(
        report_id=sent.report.report_id, contributions=sent.report.contributions, mark=mark
    )
    return (replace(sent, report=report, shown=(sent.shown, mark), arrival=at.now + 10),)


def marked_by_contents(at: AtContribution, granted: Credits) -> tuple[Sent, ...]:
    (sent,) = send(at, granted)
    report = Marked(
        report_id=sent.report.report_id,
        contributions=sent.report.contributions,
        mark=sent.report.contributions,
    )
    return (replace(sent, report=report),)


def marked_by_what_was_granted(at: AtContribution, granted: Credits) -> tuple[Sent, ...]:
    (sent,) = send(at, granted)
    return (replace(sent, shown=(sent.shown, bool(granted))),)


def marked_by_the_client(at: AtContribution, granted: Credits) -> tuple[Sent, ...]:
    (sent,) = send(at, granted)
    return (replace(sent, shown=(sent.shown, at.client.budgets)),)


def late_if_null(at: AtContribution, granted: Credits) -> tuple[Sent, ...]:
    (sent,) = send(at, granted)
    return (replace(sent, arrival=at.now + (10 if sent.report.is_null else 0)),)


def sent_twice(at: AtContribution, granted: Credits) -> tuple[Sent, ...]:
    (sent,) = send(at, granted)
    again = replace(sent, report=replace(sent.report, report_id=sent.report.report_id + 1))
    return sent, again


def sent_under_another_identifier(at: AtContribution, granted: Credits) -> tuple[Sent, ...]:
    (sent,) = send(at, granted)
    return (replace(sent, report=replace(sent.report, report_id=1)),)


def sent_doubled(at: AtContribution, granted: Credits) -> tuple[Sent, ...]:
    (sent,) = send(at, granted)
    parts = sent.report.contributions
    report = Marked(report_id=sent.report.report_id, contributions=parts + parts)
    return (replace(sent, report=report),)


def sent_by_a_loop(at: AtContribution, granted: Credits) -> tuple[Sent, ...]:
    return tuple(each for each in send(at, granted) for _ in range(2))


# Entries: what is written on a report, the same in every query.


def by_mark(at: AtService, report: Report) -> tuple[Hashable, ...]:
    return (report.mark if isinstance(report, Marked) else "", at.limits.base)


def by_mark_and_delta(at: AtService, report: Report) -> tuple[Hashable, ...]:
    return (report.report_id, at.query.delta > 0)


def by_the_week(at: AtService, report: Report) -> tuple[Hashable, ...]:
    return ((report.report_id, at.now // 604_800),)


def by_the_ledger(at: AtService, report: Report) -> tuple[Hashable, ...]:
    return ((report.report_id, len(at.service.ledger)),)


def by_contents(at: AtService, report: Report) -> tuple[Hashable, ...]:
    return (report.report_id, bool(report.contributions))


def by_nothing(at: AtService, report: Report) -> tuple[Hashable, ...]:
    return () if isinstance(report, Marked) and report.mark == "free" else (report.report_id,)


def by_some_digits(at: AtService, report: Report) -> tuple[Hashable, ...]:
    return tuple(each for each in (report.report_id,) if each % 2)


# Event level: whatever the ad-tech could make of the reports, who has registered all sources.

Sending = tuple[EventClient, tuple[EventReport, ...]]


def one_of_each_source(at: AtWindows, since: int, draw: Draw) -> Sending:
    client, reports = pass_windows(at, since, draw)
    known = {each.source.source_id: each.registered_at for each in client.records}
    first = {report.source_id: report for report in reports if known[report.source_id] < at.now}
    return client, tuple(first.values())


def with_the_destination(at: AtWindows, report: EventReport) -> Hashable:
    sources = (each.source for each in at.client.records)
    return report, [each.destination for each in sources if each.source_id == report.source_id]


def only_of_truthful_sources(at: AtWindows, since: int, draw: Draw) -> Sending:
    client, reports = pass_windows(at, since, draw)
    known = {each.source.source_id for each in client.records if each.response is None}
    return client, tuple(each for each in reports if each.source_id in known)


def silent_where_something_was_credited(at: AtWindows, since: int, draw: Draw) -> Sending:
    client, reports = pass_windows(at, since, draw)
    return client, () if any(each.values for each in at.client.records) else reports


def with_another_client(at: AtWindows, since: int, draw: Draw) -> Sending:
    _, reports = pass_windows(at, since, draw)
    return at.client, reports


def windows_that_pass_twice(at: AtWindows, since: int, draw: Draw) -> Sending:
    client, first = pass_windows(at, since, draw)
    _, second = pass_windows(at, since, draw)
    return client, first + second


def windows_from_the_beginning(at: AtWindows, since: int, draw: Draw) -> Sending:
    return pass_windows(at, 0, draw)


def windows_of_a_changed_client(at: AtWindows, since: int, draw: Draw) -> Sending:
    few = replace(at.client, records=at.client.records[:1])
    return pass_windows(replace(at, client=few), since, draw)


def with_the_truth_beside_it(at: AtWindows, report: EventReport) -> Hashable:
    return report, tuple(each.values for each in at.client.records)


def with_the_whole_client(at: AtWindows, report: EventReport) -> Hashable:
    return report, at.client == EventClient()


ALLOWED: tuple[tuple[str, Callable[..., object]], ...] = (
    *(("admit", rule) for rule in (few_to_a_key, odd_values_only, noted_where_refused)),
    *(("contribute", rule) for rule in (all_or_nothing, the_three_largest)),
    ("send", with_a_mark),
    ("budget_entries", by_mark),
    ("pass_windows", one_of_each_source),
    ("event_visible", with_the_destination),
)
REFUSED: tuple[tuple[str, Callable[..., object]], ...] = (
    *(
        ("admit", rule)
        for rule in (
            *(admitted_anyway, not_counted, not_counted_on_sundays, counted_by_half),
            *(counted_by_number_only, counted_in_one_way, counted_as_another),
            *(counted_from_nothing, noted_and_changed, by_other_units),
        )
    ),
    *(
        ("contribute", rule)
        for rule in (
            *(granted_for_nothing, granted_whole, granted_twice, granted_by_two_calls),
            *(granted_and_changed, granted_to_the_house, granted_to_another),
            granted_if_others_gave,
        )
    ),
    *(
        ("send", rule)
        for rule in (
            *(marked_by_contents, marked_by_what_was_granted, marked_by_the_client, late_if_null),
            *(sent_twice, sent_under_another_identifier, sent_doubled, sent_by_a_loop),
        )
    ),
    *(
        ("budget_entries", rule)
        for rule in (
            *(by_mark_and_delta, by_the_week, by_the_ledger, by_contents),
            *(by_nothing, by_some_digits),
        )
    ),
    *(
        ("pass_windows", rule)
        for rule in (
            *(only_of_truthful_sources, silent_where_something_was_credited),
            *(with_another_client, windows_that_pass_twice, windows_from_the_beginning),
            windows_of_a_changed_client,
        )
    ),
    *(("event_visible", rule) for rule in (with_the_truth_beside_it, with_the_whole_client)),
)


def changed(field: str, rule: Callable[..., object]) -> Rules:
    change: dict[str, Any] = {field: rule}
    return replace(PAPER, **change)


@pytest.mark.parametrize(("field", "rule"), ALLOWED, ids=lambda each: getattr(each, "__name__", ""))
def test_what_tells_of_no_other_unit_is_taken_off(field: str, rule: Callable[..., object]) -> None:
    core = core_of(changed(field, rule))
    assert core.kept == {}
    assert getattr(core.rules, field) is getattr(PAPER, field)


@pytest.mark.parametrize(("field", "rule"), REFUSED, ids=lambda each: getattr(each, "__name__", ""))
def test_what_tells_or_grants_more_is_kept(field: str, rule: Callable[..., object]) -> None:
    several: dict[str, Any] = {"contributions": twice} if rule is granted_whole else {}
    core = core_of(replace(changed(field, rule), **several))
    assert getattr(core.rules, field) is rule
    assert core.kept[field]


def twice(at: Any, source: Any) -> tuple[Contribution, ...]:
    return 2 * PAPER.contributions(at, source)


def test_a_single_contribution_may_be_granted_whole() -> None:
    assert core_of(replace(PAPER, contribute=granted_whole)).kept == {}


def test_several_credits_are_not_granted_by_each_other() -> None:
    def to_every_source(at: Any, draw: Draw) -> Any:
        return at.client, tuple(
            Credit(unit=source.source_id, contributions=at.rules.contributions(at, source))
            for source in at.client.sources
        )

    several = replace(changed("contribute", all_or_nothing), attribute=to_every_source)
    assert core_of(several).kept["contribute"]


# What is given may not be written on: the next contribution or unit could read it.


def note_on_the_cause(at: Any, unit: Unit, spent: Budget, part: Contribution) -> Admitted:
    at.cause.noted.append(part.value)
    return PAPER.admit(at, unit, spent, part)


def note_by_the_class(at: Any, unit: Unit, spent: Budget, part: Contribution) -> Admitted:
    list.append(at.cause.noted, part.value)
    return PAPER.admit(at, unit, spent, part)


def note_under_a_key(at: Any, unit: Unit, spent: Budget, part: Contribution) -> Admitted:
    at.cause.noted[0] = part.value
    return PAPER.admit(at, unit, spent, part)


def note_in_place(at: Any, unit: Unit, spent: Budget, part: Contribution) -> Admitted:
    noted = at.cause.noted
    noted += (part.value,)
    return PAPER.admit(at, unit, spent, part)


def counted_here(at: Any, unit: Unit, spent: Budget, part: Contribution) -> Admitted:
    found = {}
    found[part.key] = part.value
    found.update({0: 1})
    more = part.value
    more = more + 1
    more += 1
    if more < len(found):
        return spent, False
    return PAPER.admit(at, unit, spent, part)


NOTING = [note_on_the_cause, note_by_the_class, note_under_a_key, note_in_place]


@pytest.mark.parametrize("rule", NOTING)
def test_a_rule_that_writes_on_what_it_is_given_is_not_taken_off(rule: Any) -> None:
    assert set(core_of(replace(PAPER, admit=rule)).kept) == {"admit"}


def test_a_rule_may_change_what_it_makes() -> None:
    assert core_of(replace(PAPER, admit=counted_here)).kept == {}


Notes = list[int]
Given = NewType("Given", Notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(Contribution):
    notes: Notes


@dataclass(frozen=True, slots=True, kw_only=True)
class AsGiven(Contribution):
    notes: Given


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted(Contribution):
    notes: tuple[int, ...]


def test_a_class_is_known_by_what_its_fields_mean() -> None:
    assert [_known(each) for each in (Noted, AsGiven, Counted)] == [False, False, True]
