"""Reports that cannot pay are left out in many ways of writing; who is answered must have paid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from proofs._core import core_of
from spec import PAPER, Spent, replace
from spec.aggregation_service import settle

Rule = Callable[..., Any]


def named(rule: Rule) -> str:
    return rule.__name__


def can_pay(at: Any, report: Any) -> bool:
    entries = at.rules.budget_entries(at, report)
    ledger = at.service.ledger
    return all(at.rules.charge(at, ledger.get(e, Spent()), report) is not None for e in entries)


def cannot_pay(at: Any, report: Any) -> bool:
    for entry in at.rules.budget_entries(at, report):
        if at.rules.charge(at, at.service.ledger.get(entry, Spent()), report) is None:
            return True
    return False


# The paper charges those who can pay.


def a_generator(at: Any, batch: Any) -> Any:
    payers = tuple(report for report in batch if can_pay(at, report))
    if not payers:
        return at.service.ledger, None
    return PAPER.settle(at, payers)


def a_list(at: Any, batch: Any) -> Any:
    payers = [report for report in batch if not cannot_pay(at, report)]
    if 2 * len(payers) < len(batch):
        return at.service.ledger, None
    ledger, accepted = settle(at, tuple(payers))
    return ledger, accepted


def a_loop(at: Any, batch: Any) -> Any:
    payers, left_out = [], 0
    for report in batch:
        if can_pay(at, report):
            payers.append(report)
        else:
            left_out += 1
    if left_out > len(payers):
        return at.service.ledger, None
    return PAPER.settle(at, tuple(payers))


def payers_of(at: Any, batch: Any) -> Any:
    return tuple(report for report in batch if can_pay(at, report))


def another_function(at: Any, batch: Any) -> Any:
    return PAPER.settle(at, payers_of(at, batch))


def all_or_who_can(at: Any, batch: Any) -> Any:
    ledger, accepted = settle(at, batch)
    if accepted is None:
        return PAPER.settle(at, tuple(r for r in batch if can_pay(at, r)))
    return ledger, accepted


# Charges are kept in dictionaries.


def rows_of_a_report(at: Any, batch: Any) -> Any:
    ledger, charged, paying = at.service.ledger, {}, []
    for report in batch:
        rows = {}
        for entry in at.rules.budget_entries(at, report):
            if entry in charged or entry in rows:
                continue
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if after is None:
                break
            rows[entry] = after
        else:
            paying.append(report)
            charged.update(rows)
    if batch and not paying:
        return ledger, None
    return at.service.ledger.update(charged), tuple(paying)


def rows_into_the_ledger(at: Any, batch: Any) -> Any:
    ledger, paying = at.service.ledger, []
    for report in batch:
        rows = {}  # type: ignore[var-annotated]
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, rows.get(entry, ledger.get(entry, Spent())), report)
            if after is None:
                break
            rows[entry] = after
        else:
            ledger = ledger.update(rows)
            paying.append(report)
    return ledger, tuple(paying)


def one_dictionary(at: Any, batch: Any) -> Any:
    charged = {}
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            if entry not in charged:
                after = at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
                if after is None:
                    return at.service.ledger, None
                charged[entry] = after
    return at.service.ledger.update(charged), batch


def by_identifier(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
        if after is None:
            continue
        paying.append(report)
        charged[report.report_id] = after
    return at.service.ledger.update(charged), tuple(paying)


def listed_before_it_pays(at: Any, batch: Any) -> Any:
    ledger, paying = at.service.ledger, []
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is not None:
            paying.append(report)
            ledger = ledger.set(report.report_id, after)
    return ledger, tuple(paying)


def a_charge_in_vain(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
            if after is None:
                break
            charged[entry] = after
        else:
            paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


ALL_PAY = [
    *(a_generator, a_list, a_loop, another_function, all_or_who_can),
    *(rows_of_a_report, rows_into_the_ledger, one_dictionary, by_identifier),
    *(listed_before_it_pays, a_charge_in_vain),
]


@pytest.mark.parametrize("rule", ALL_PAY, ids=named)
def test_who_cannot_pay_may_be_left_out(rule: Rule) -> None:
    core = core_of(replace(PAPER, settle=rule))
    assert core.kept == {}
    assert core.rules.settle is PAPER.settle


# Who is chosen is chosen in public, and once.


def by_contents(at: Any, batch: Any) -> Any:
    return PAPER.settle(at, tuple(report for report in batch if not report.is_null))


def by_what_was_added(at: Any, batch: Any) -> Any:
    sums = PAPER.totals(at, batch)
    return PAPER.settle(at, tuple(report for report in batch if sums))


def twice_by_two_loops(at: Any, batch: Any) -> Any:
    return PAPER.settle(at, tuple(report for report in batch for _ in (1, 2)))


def the_first_for_each(at: Any, batch: Any) -> Any:
    payers = tuple(report for report in batch if can_pay(at, report))
    for report in batch:
        payers = tuple(report for _ in batch)
        break
    return PAPER.settle(at, payers)


def others_for_each(at: Any, batch: Any) -> Any:
    for first in batch:
        chosen = tuple(first if at.now % 2 else each for each in batch)
        return PAPER.settle(at, chosen)
    return at.service.ledger, None


def within_another(at: Any, batch: Any) -> Any:
    found = [tuple(each for _ in batch) for each in batch]
    for some in found:
        return PAPER.settle(at, some)
    return at.service.ledger, None


def twice(reports: Any) -> Any:
    for report in reports:
        yield report
        yield report


def by_a_generator_of_its_own(at: Any, batch: Any) -> Any:
    return PAPER.settle(at, tuple(twice(batch)))


def one_after_the_other(at: Any, batch: Any) -> Any:
    payers = tuple(report for report in batch if can_pay(at, report))
    return PAPER.settle(at, payers + payers)


def a_list_that_grows(at: Any, batch: Any) -> Any:
    payers = [report for report in batch if can_pay(at, report)]
    for report in batch:
        payers.append(report)
    return PAPER.settle(at, payers)  # type: ignore[arg-type]


def a_list_that_grows_later(at: Any, batch: Any) -> Any:
    payers: list[Any] = []
    for report in batch:
        if can_pay(at, report):
            payers.append(report)
    ledger, accepted = settle(at, payers)  # type: ignore[arg-type]
    for report in batch:
        payers.append(report)
    return ledger, accepted


def twice_in_a_list(at: Any, batch: Any) -> Any:
    payers: list[Any] = []
    for report in batch:
        payers.append(report)
        payers.append(report)
    return PAPER.settle(at, tuple(payers))


def the_last_one_again(at: Any, batch: Any) -> Any:
    payers: list[Any] = []
    last = None
    for report in batch:
        if last is not None:
            payers.append(last)
        payers.append(report)
        last = report
    return PAPER.settle(at, tuple(payers))


def others_are_answered(at: Any, batch: Any) -> Any:
    ledger, _ = settle(at, tuple(r for r in batch if can_pay(at, r)))
    return ledger, batch


def of_two_the_other(at: Any, batch: Any) -> Any:
    _, all_of_them = settle(at, batch)
    ledger, _ = settle(at, tuple(r for r in batch if r.report_id % 2))
    return ledger, all_of_them


def of_two_the_other_ledger(at: Any, batch: Any) -> Any:
    ledger, _ = settle(at, tuple(r for r in batch if r.report_id % 2))
    _, all_of_them = settle(at, batch)
    return ledger, all_of_them


def a_walrus(at: Any, batch: Any) -> Any:
    first = None
    chosen = tuple(first for each in batch if (first := first or each))
    return PAPER.settle(at, chosen)


CHOSEN_BADLY = [
    *(by_contents, by_what_was_added, twice_by_two_loops, the_first_for_each, others_for_each),
    *(within_another, by_a_generator_of_its_own, one_after_the_other, a_list_that_grows),
    *(a_list_that_grows_later, twice_in_a_list, the_last_one_again, others_are_answered),
    *(of_two_the_other, of_two_the_other_ledger, a_walrus),
]


# What is kept must reach the ledger, for all entries.


def nothing_is_taken_over(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        rows = {}
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
            if after is None:
                break
            rows[entry] = after
        else:
            paying.append(report)
    charged.update(rows)
    return at.service.ledger.update(charged), tuple(paying)


def taken_over_before(at: Any, batch: Any) -> Any:
    charged, paying = {}, []  # type: ignore[var-annotated]
    ledger = at.service.ledger.update(charged)
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
            if after is None:
                break
            charged[entry] = after
        else:
            paying.append(report)
    return ledger, tuple(paying)


def the_ledger_from_before(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
            if after is None:
                break
            charged[entry] = after
        else:
            paying.append(report)
    return at.service.ledger, tuple(paying)


def rows_of_an_entry(at: Any, batch: Any) -> Any:
    ledger, paying = at.service.ledger, []
    for report in batch:
        rows = {}  # type: ignore[var-annotated]
        for entry in at.rules.budget_entries(at, report):
            rows = {}
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if after is None:
                break
            rows[entry] = after
        else:
            ledger = ledger.update(rows)
            paying.append(report)
    return ledger, tuple(paying)


def rows_begun_anew(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        for rows in ({},):
            for entry in at.rules.budget_entries(at, report):
                after = at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
                if after is None:
                    break
                rows[entry] = after
            else:
                rows = {}
                charged.update(rows)
                paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


def begun_anew_before_it_is_taken_over(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        rows = {}
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
            if after is None:
                break
            rows[entry] = after
        else:
            rows = {}
            charged.update(rows)
            paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


def begun_anew_for_the_batch(at: Any, batch: Any) -> Any:
    paying: list[Any] = []
    left = 2
    while left:
        charged = {}
        left -= 1
        for report in batch if left else ():
            after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
            if after is not None:
                charged[report.report_id] = after
                paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


def cleared(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
        if after is not None:
            charged[report.report_id] = after
            paying.append(report)
    charged.clear()
    return at.service.ledger.update(charged), tuple(paying)


def emptied(table: Any) -> None:
    table.clear()


def cleared_elsewhere(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
        if after is not None:
            charged[report.report_id] = after
            paying.append(report)
    emptied(charged)
    return at.service.ledger.update(charged), tuple(paying)


def cleared_by_another_name(at: Any, batch: Any) -> Any:
    charged, paying, kept = {}, [], []
    for report in batch:
        after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
        if after is not None:
            charged[report.report_id] = after
            paying.append(report)
    kept.append(charged)
    for each in kept:
        each.clear()
    return at.service.ledger.update(charged), tuple(paying)


def one_entry_is_taken_out(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
        if after is not None:
            charged[report.report_id] = after
            paying.append(report)
            if at.now % 7 == 6:
                del charged[report.report_id]
    return at.service.ledger.update(charged), tuple(paying)


def under_another_entry(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
        if after is not None:
            charged[at.now] = after
            paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


def another_value(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
        if after is not None:
            charged[report.report_id] = after
            charged[report.report_id] = Spent()
            paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


def begun_with_something(at: Any, batch: Any) -> Any:
    charged, paying = {report.report_id: Spent() for report in batch}, []
    for report in batch:
        if report.report_id in charged:
            paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


def found_in_another(at: Any, batch: Any) -> Any:
    charged, paying, noted = {}, [], {}
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            if entry in noted:
                continue
            after = at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
            if after is None:
                break
            noted[entry] = after
            if at.now % 2:
                charged[entry] = after
        else:
            paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


def found_before(at: Any, batch: Any) -> Any:
    charged, paying, known = {}, [], False
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            if known:
                continue
            known = entry in charged
            after = at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
            if after is None:
                break
            charged[entry] = after
        else:
            paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


def not_found(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            if entry not in charged:
                continue
            after = at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
            if after is None:
                break
            charged[entry] = after
        else:
            paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


def without_else(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
            if after is None:
                break
            charged[entry] = after
        paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


def who_cannot_pay_is_free(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
            if after is None:
                continue
            charged[entry] = after
        paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


def the_first_entry_only(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        for entry in at.rules.budget_entries(at, report)[:1]:
            after = at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
            if after is None:
                break
            charged[entry] = after
        else:
            paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


def on_mondays_only(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        for entry in at.rules.budget_entries(at, report) if at.now % 7 else ():
            after = at.rules.charge(at, at.service.ledger.get(entry, Spent()), report)
            if after is None:
                break
            charged[entry] = after
        else:
            paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


def both_lists(at: Any, batch: Any) -> Any:
    charged, paying = {}, []  # type: ignore[var-annotated]
    others = paying
    for report in batch:
        after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
        if after is not None:
            charged[report.report_id] = after
            paying.append(report)
        else:
            others.append(report)
    return at.service.ledger.update(charged), tuple(paying)


def listed_and_never_paid(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
        paying.append(report)
        if after is not None:
            charged[report.report_id] = after
    return at.service.ledger.update(charged), tuple(paying)


def paid_and_listed_twice(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
        if after is not None:
            paying.append(report)
            charged[report.report_id] = after
            paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


def the_last_one_pays(at: Any, batch: Any) -> Any:
    charged, paying, after = {}, [], None
    for report in batch:
        after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
        paying.append(report)
    if after is None:
        return at.service.ledger, None
    charged[report.report_id] = after
    return at.service.ledger.update(charged), tuple(paying)


def into_the_ledger_of_before(at: Any, batch: Any) -> Any:
    ledger, paying = at.service.ledger, []
    for report in batch:
        rows = {}
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if after is None:
                break
            rows[entry] = after
        else:
            ledger = at.service.ledger.update(rows)
            paying.append(report)
    return ledger, tuple(paying)


def two_places(at: Any, batch: Any) -> Any:
    ledger, charged, paying = at.service.ledger, {}, []
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if after is None:
                break
            if at.now % 2:
                charged[entry] = after
            else:
                ledger = ledger.set(entry, after)
        else:
            paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


def refused_for_null_reports(at: Any, batch: Any) -> Any:
    charged, paying = {}, []
    for report in batch:
        after = at.rules.charge(at, at.service.ledger.get(report.report_id, Spent()), report)
        if after is not None:
            charged[report.report_id] = after
            paying.append(report)
    if all(report.is_null for report in paying):
        return at.service.ledger, None
    return at.service.ledger.update(charged), tuple(paying)


def held_for_nothing(at: Any, batch: Any) -> Any:
    charged, paying = {}, []  # type: ignore[var-annotated]
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, charged.get(entry, Spent()), report)
            if after is None:
                break
            charged[entry] = after
        else:
            paying.append(report)
    return at.service.ledger.update(charged), tuple(paying)


NOT_PAID = [
    *(nothing_is_taken_over, taken_over_before, the_ledger_from_before, rows_of_an_entry),
    *(rows_begun_anew, begun_anew_before_it_is_taken_over, begun_anew_for_the_batch, cleared),
    *(cleared_elsewhere, cleared_by_another_name, one_entry_is_taken_out, under_another_entry),
    *(another_value, begun_with_something, found_in_another, found_before, not_found),
    *(without_else, who_cannot_pay_is_free, the_first_entry_only, on_mondays_only, both_lists),
    *(listed_and_never_paid, paid_and_listed_twice, the_last_one_pays, two_places),
    *(into_the_ledger_of_before, refused_for_null_reports, held_for_nothing),
]


@pytest.mark.parametrize("rule", [*CHOSEN_BADLY, *NOT_PAID], ids=named)
def test_who_is_answered_has_paid_once(rule: Rule) -> None:
    assert core_of(replace(PAPER, settle=rule)).kept["settle"]
