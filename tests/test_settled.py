"""A `settle` of one's own is taken off if every report that is answered has paid, and else not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from proofs._core import core_of
from spec import PAPER, AtService, Ledger, Report, Rules, Spent, replace

Reports = tuple[Report, ...]
Settled = tuple[Ledger, Reports | None]


def one_by_one(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if after is None:
                return ledger, None
            ledger = ledger.set(entry, after)
    return ledger, batch


def who_can_pay(at: AtService, batch: Reports) -> Settled:
    ledger, paying = at.service.ledger, []
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is not None and at.now > 0:
            ledger = ledger.set(report.report_id, after)
            paying.append(report)
    return ledger, tuple(paying)


def at_most_ten(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    paying: list[Report] = []
    for report in batch:
        if len(paying) == 10:
            break
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is None:
            continue
        ledger = ledger.set(report.report_id, after)
        paying.append(report)
    return ledger, tuple(paying)


def refused_without_charge(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is None:
            return at.service.ledger, None
        ledger = ledger.set(report.report_id, after)
    return ledger, batch


def from_accounts_before_the_query(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    paying: list[Report] = []
    for report in batch:
        after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
        if after is not None:
            ledger = ledger.set(report.report_id, after)
            paying.append(report)
    return ledger, tuple(paying)


ALL_PAY = [
    *(one_by_one, who_can_pay, at_most_ten, refused_without_charge),
    from_accounts_before_the_query,
]


@pytest.mark.parametrize("rule", ALL_PAY)
def test_a_loop_in_which_everybody_pays_is_taken_off(rule: Callable[..., Settled]) -> None:
    core = core_of(changed(rule))
    assert core.kept == {}
    assert core.rules.settle is PAPER.settle


# Ways to be answered without having paid.


def from_the_first_ledger(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is None:
            return ledger, None
        ledger = at.service.ledger.set(report.report_id, after)
    return ledger, batch


def into_another_ledger(at: AtService, batch: Reports) -> Settled:
    ledger = other = at.service.ledger
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is None:
            return ledger, None
        other = ledger.set(report.report_id, after)
    return (ledger if at.now % 7 == 6 else other), batch


def and_forgotten(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is None:
            return ledger, None
        ledger = ledger.set(report.report_id, after)
    return at.service.ledger, batch


def with_a_ledger_on_the_way(at: AtService, batch: Reports) -> Settled:
    ledger = before = at.service.ledger
    for report in batch:
        before = ledger
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is None:
            return ledger, None
        ledger = ledger.set(report.report_id, after)
    return before, batch


def from_nothing(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    for report in batch:
        after = at.rules.charge(at, Spent(), report)
        if after is None:
            return ledger, None
        ledger = ledger.set(report.report_id, after)
    return ledger, batch


def from_less_than_nothing(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    for report in batch:
        spent = ledger.get(report.report_id, Spent(queries=-1000))
        after = at.rules.charge(at, spent, report)
        if after is None:
            return ledger, None
        ledger = ledger.set(report.report_id, after)
    return ledger, batch


def asked_about_another_charge(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            asked = at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
            after: Any = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if asked is None:
                return ledger, None
            ledger = ledger.set(entry, after)
    return ledger, batch


def for_half(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    half = replace(at, query=replace(at.query, epsilon=at.query.epsilon / 2))
    for report in batch:
        after = at.rules.charge(half, ledger.get(report.report_id, Spent()), report)
        if after is None:
            return ledger, None
        ledger = ledger.set(report.report_id, after)
    return ledger, batch


def whoever_cannot_pay_as_well(at: AtService, batch: Reports) -> Settled:
    ledger, paying = at.service.ledger, []
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is not None:
            ledger = ledger.set(report.report_id, after)
        paying.append(report)
    return ledger, tuple(paying)


def whoever_cannot_pay_only(at: AtService, batch: Reports) -> Settled:
    ledger, paying = at.service.ledger, []
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is None:
            paying.append(report)
        else:
            ledger = ledger.set(report.report_id, after)
    return ledger, tuple(paying)


def all_of_them_if_some_can_pay(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is not None:
            ledger = ledger.set(report.report_id, after)
    return ledger, batch


def the_first_only(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is None:
            return ledger, None
        ledger = ledger.set(report.report_id, after)
        if len(ledger) > 1000:
            break
    return ledger, batch


def none_on_sundays(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    for report in batch:
        if at.now % 7 == 6:
            continue
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is None:
            return ledger, None
        ledger = ledger.set(report.report_id, after)
    return ledger, batch


def listed_twice(at: AtService, batch: Reports) -> Settled:
    ledger, paying = at.service.ledger, []
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is not None:
            ledger = ledger.set(report.report_id, after)
            paying.append(report)
            paying.append(report)
    return ledger, tuple(paying)


def listed_by_two_names(at: AtService, batch: Reports) -> Settled:
    ledger, paying = at.service.ledger, []
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is not None:
            ledger = ledger.set(report.report_id, after)
            again = report
            paying.append(report)
            paying.append(again)
    return ledger, tuple(paying)


def listed_in_a_loop(at: AtService, batch: Reports) -> Settled:
    ledger, paying = at.service.ledger, []
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is not None:
            ledger = ledger.set(report.report_id, after)
            for _ in range(2):
                paying.append(report)
    return ledger, tuple(paying)


def listed_and_listed_again(at: AtService, batch: Reports) -> Settled:
    ledger, paying = at.service.ledger, []
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is not None:
            ledger = ledger.set(report.report_id, after)
            paying.append(report)
    return ledger, tuple(each for each in paying for _ in range(2))


def listed_in_two_loops(at: AtService, batch: Reports) -> Settled:
    ledger, paying = at.service.ledger, []
    for _ in range(2):
        for report in batch:
            after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
            if after is not None:
                ledger = ledger.set(report.report_id, after)
                paying.append(report)
    return ledger, tuple(paying)


def the_one_before(at: AtService, batch: Reports) -> Settled:
    ledger, paying = at.service.ledger, []
    before = batch[0]
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), before)
        if after is not None:
            ledger = ledger.set(report.report_id, after)
            paying.append(before)
        before = report
    return ledger, tuple(paying)


def by_what_another_held(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    held = Spent()
    for report in batch:
        after = at.rules.charge(at, held, report)
        held = ledger.get(report.report_id, Spent())
        if after is None:
            return ledger, None
        ledger = ledger.set(report.report_id, after)
    return ledger, batch


def to_the_account_of_another(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    account = 0
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is None:
            return ledger, None
        ledger = ledger.set(account, after)
        account = report.report_id
    return ledger, batch


def the_first_entry_only(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if after is None:
                return ledger, None
            ledger = ledger.set(entry, after)
            break
    return ledger, batch


def some_entries_only(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            if entry in ledger:
                continue
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if after is None:
                return ledger, None
            ledger = ledger.set(entry, after)
    return ledger, batch


def a_list_of_entries_on_the_way(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    for report in batch:
        entries = at.rules.budget_entries(at, report)
        for entry in entries:
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if after is None:
                return ledger, None
            if at.now % 7 != 6:
                ledger = ledger.set(entry, after)
            if [each for each in entries if at.now] == [0]:
                return ledger, None
    return ledger, batch


def the_smallest_entry_often(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    for report in batch:
        for _ in at.rules.budget_entries(at, report):
            entry: Any = min(at.rules.budget_entries(at, report))  # type: ignore[type-var]
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if after is None:
                return ledger, None
            ledger = ledger.set(entry, after)
    return ledger, batch


def by_entry_or_by_identifier(at: AtService, batch: Reports) -> Settled:
    if at.query.discovers_keys:
        settled: Any = PAPER.settle(at, batch)
        return settled  # type: ignore[no-any-return]
    ledger = at.service.ledger
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is None:
            return ledger, None
        ledger = ledger.set(report.report_id, after)
    return ledger, batch


def by_contents(at: AtService, batch: Reports) -> Settled:
    ledger, paying = at.service.ledger, []
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is not None and report.contributions:
            ledger = ledger.set(report.report_id, after)
            paying.append(report)
    return ledger, tuple(paying)


def a_generator_that_waits(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    paying: list[Report] = []
    waiting: Iterable[Report] = ()
    for report in batch:
        for each in waiting:
            paying.append(each)
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is not None:
            ledger = ledger.set(report.report_id, after)
            waiting = (report for _ in range(1))
    return ledger, tuple(paying)


def without_a_charge(at: AtService, batch: Reports) -> Settled:
    ledger = at.service.ledger
    for report in batch:
        ledger = ledger.set(report.report_id, ledger.get(report.report_id, Spent()))
    return ledger, batch


UNPAID = (
    *(from_the_first_ledger, into_another_ledger, and_forgotten, with_a_ledger_on_the_way),
    *(from_nothing, from_less_than_nothing, for_half, without_a_charge),
    *(whoever_cannot_pay_as_well, whoever_cannot_pay_only, all_of_them_if_some_can_pay),
    *(the_first_only, none_on_sundays, the_one_before, by_what_another_held),
    *(listed_twice, listed_by_two_names, listed_in_a_loop, listed_and_listed_again),
    *(listed_in_two_loops, to_the_account_of_another, a_generator_that_waits, by_contents),
    *(the_first_entry_only, some_entries_only, a_list_of_entries_on_the_way),
    *(the_smallest_entry_often, by_entry_or_by_identifier, asked_about_another_charge),
)


@pytest.mark.parametrize("rule", UNPAID, ids=lambda each: each.__name__)
def test_nobody_is_answered_without_having_paid(rule: Callable[..., Settled]) -> None:
    core = core_of(changed(rule))
    assert core.rules.settle is rule
    assert core.kept["settle"]


def changed(rule: Callable[..., Settled]) -> Rules:
    return replace(PAPER, settle=rule)
