"""Rules that were followed too far once: what is known of a value must be so on every way."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from proofs._core import core_of
from spec import PAPER, Budget, Contribution, Credit, Distribution, Report, Sent, Spent, replace
from spec.reports import checked_contribution
from tests.texts import run_text

HALF = Fraction(1, 2)
Rule = Callable[..., Any]


def named(rule: Rule) -> str:
    return rule.__name__


# Nothing instead of all: a loop over nothing asks about nothing.


def asked_now_and_then(at: Any, credits: Any) -> Any:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        asked = credit.contributions if at.now % 2 else ()
        for part in asked:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if not fits:
                break
        else:
            budgets = budgets.set(credit.unit, spent)
            granted.append(credit)
    return budgets, tuple(granted)


def asked_of_nothing(at: Any, credits: Any) -> Any:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        for part in credit.contributions and ():
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if not fits:
                break
        else:
            budgets = budgets.set(credit.unit, spent)
            granted.append(credit)
    return budgets, tuple(granted)


def some_entries_pay(at: Any, batch: Any) -> Any:
    ledger = at.service.ledger
    for report in batch:
        entries = at.rules.budget_entries(at, report) if at.now % 2 else ()
        for entry in entries:
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if after is None:
                return at.service.ledger, None
            ledger = ledger.set(entry, after)
    return ledger, batch


def some_batches_pay(at: Any, batch: Any) -> Any:
    ledger = at.service.ledger
    payers = batch if at.now % 2 else ()
    for report in payers:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is None:
            return at.service.ledger, None
        ledger = ledger.set(report.report_id, after)
    return ledger, batch


# What is known inside of another function is not known to the rule.


def steps(at: Any, credit: Any, spent: Any) -> Any:
    for part in credit.contributions:
        spent, fits = at.rules.admit(at, credit.unit, spent, part)
        if fits:
            yield spent, part


def the_first_budget_for_the_last_part(at: Any, credits: Any) -> Any:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        found = tuple(steps(at, credit, budgets.get(credit.unit, Budget())))
        fitting = []
        for first, _ in found:
            for _, last in reversed(found):
                fitting.append(last)
                break
            budgets = budgets.set(credit.unit, first)
            break
        granted.append(replace(credit, contributions=tuple(fitting)))
    return budgets, tuple(granted)


def found_inside(at: Any, credits: Any) -> Any:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        for part in credit.contributions:
            fitting = []
            _, fits = at.rules.admit(at, credit.unit, spent, part)

            def if_it_fits():  # type: ignore[no-untyped-def]
                if fits:  # noqa: B023
                    yield part  # noqa: B023

            for each in if_it_fits():  # type: ignore[no-untyped-call]
                fitting.append(each)
                break
            budgets = budgets.set(credit.unit, spent)
            granted.append(replace(credit, contributions=tuple(fitting)))
            break
    return budgets, tuple(granted)


# What the rule makes must be a contribution: a report of anything else is an error.


def with_parts(made: Rule) -> Rule:
    """Return a loop that admits what a function makes of each contribution."""
    namespace = dict(globals()) | {"made": made}
    run_text(LOOP, namespace)
    return namespace["contribute"]  # type: ignore[no-any-return]


LOOP = """
def contribute(at, credits):
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fitting = budgets.get(credit.unit, Budget()), []
        for part in credit.contributions:
            part = made(at, part)
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                fitting.append(part)
        budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, contributions=tuple(fitting)))
    return budgets, tuple(granted)
"""


def halved(at: Any, part: Any) -> Any:
    return replace(part, value=max(0, part.value * HALF))


def lowered(at: Any, part: Any) -> Any:
    part = replace(part, value=part.value - 5)
    checked_contribution(part)
    return part


def moved(at: Any, part: Any) -> Any:
    return replace(part, key=2 * part.key)


def named_by_a_text(at: Any, part: Any) -> Any:
    return Contribution(key="all", value=part.value)  # type: ignore[arg-type]


# How many there are may tell of another unit, or of what was granted.


def credit_all(at: Any, draw: Any) -> Any:
    return at.client, tuple(
        Credit(unit=each.source_id, contributions=at.rules.contributions(at, each))
        for each in at.client.sources
    )


def fitting_of(at: Any, credit: Any, spent: Any) -> Any:
    fitting = []
    for part in credit.contributions:
        checked_contribution(part)
        spent, fits = at.rules.admit(at, credit.unit, spent, part)
        if fits:
            fitting.append(part)
    return spent, tuple(fitting)


def counted_in_the_end(at: Any, credits: Any) -> Any:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fitting = fitting_of(at, credit, budgets.get(credit.unit, Budget()))
        budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, contributions=fitting))
    count = 0
    for _ in granted:
        count = 1
    return budgets, () if count else tuple(granted)


def counted_on_the_way(at: Any, credits: Any) -> Any:
    budgets = at.client.budgets
    granted: Any = ()
    for credit in credits:
        spent, fitting = fitting_of(at, credit, budgets.get(credit.unit, Budget()))
        if not [1 for _ in granted]:
            budgets = budgets.set(credit.unit, spent)
            granted = (*granted, replace(credit, contributions=fitting))
    return budgets, granted


def noted_as_nothing(at: Any, credits: Any) -> Any:
    budgets = at.client.budgets
    granted: Any = []
    notes: Any = []
    for credit in credits:
        if not notes:
            spent, fitting = fitting_of(at, credit, budgets.get(credit.unit, Budget()))
            if fitting:
                notes.append(replace(credit, contributions=()))
                budgets = budgets.set(credit.unit, spent)
                granted.append(replace(credit, contributions=fitting))
    return budgets, tuple(granted)


def nothing_is_something(at: Any, credits: Any) -> Any:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        nothing: Any = []
        nothing.append(replace(credit, contributions=()))
        granted.append(replace(credit, contributions=tuple(nothing)))
    return budgets, tuple(granted)


def hours_of_a_table(at: Any, granted: Any) -> Any:
    (sent,) = PAPER.send(at, granted)  # type: ignore[misc]
    return (replace(sent, arrival=at.now + len({granted: 1, (): 2})),)


def rounds_over_a_table(at: Any, granted: Any) -> Any:
    (sent,) = PAPER.send(at, granted)  # type: ignore[misc]
    hours = 0
    for _ in {granted: 1, (): 2}:
        hours += 1
    return (replace(sent, arrival=at.now + hours),)


def an_outcome_twice_if_null(at: Any, granted: Any) -> Any:
    parts = (part for credit in granted for part in credit.contributions)
    full = Report(report_id=at.cause.report_id, contributions=tuple(parts))
    null = Report(report_id=at.cause.report_id, contributions=tuple(parts))
    first = Sent(report=full, shown=full.report_id, arrival=at.now)
    return Distribution.of({(first,): HALF, (replace(first, report=null),): HALF})


GRANTING = (
    *(asked_now_and_then, asked_of_nothing, the_first_budget_for_the_last_part, found_inside),
    nothing_is_something,
)


@pytest.mark.parametrize("rule", GRANTING, ids=named)
def test_what_is_not_counted_is_not_granted(rule: Rule) -> None:
    assert core_of(replace(PAPER, contribute=rule, contributions=twice)).kept["contribute"]


def twice(at: Any, source: Any) -> tuple[Contribution, ...]:
    """Contribute twice: what is done with the first of one contribution is done with all."""
    return 2 * PAPER.contributions(at, source)


@pytest.mark.parametrize("made", [halved, lowered, moved, named_by_a_text], ids=named)
def test_what_would_be_an_error_is_not_made(made: Rule) -> None:
    assert core_of(replace(PAPER, contribute=with_parts(made))).kept["contribute"]


COUNTING = (counted_in_the_end, counted_on_the_way, noted_as_nothing)


@pytest.mark.parametrize("rule", COUNTING, ids=named)
def test_nobody_learns_how_many_are_granted(rule: Rule) -> None:
    kept = core_of(replace(PAPER, attribute=credit_all, contribute=rule)).kept
    assert set(kept) == {"contribute"}


# What one credit writes the next one reads, wherever it is kept.


def a_notebook_in_a_pair(at: Any, credits: Any) -> Any:
    notes, kept = ({}, at.client), []  # type: ignore[var-annotated]
    for credit in credits:
        seen, _ = notes
        seen[credit.unit] = 1
        kept.append(credit if len(seen) < 9 else replace(credit, contributions=()))
    return PAPER.contribute(at, tuple(kept))


def a_notebook_in_a_pair_of_pairs(at: Any, credits: Any) -> Any:
    notes, kept = ((at.client, (at.client, [])), at.client), []  # type: ignore[var-annotated]
    for credit in credits:
        (_, (_, seen)), _ = notes
        seen.append(1)
        kept.append(credit if len(seen) < 9 else replace(credit, contributions=()))
    return PAPER.contribute(at, tuple(kept))


def a_function_in_a_pair(at: Any, credits: Any) -> Any:
    seen: Any = []
    notes: Any = (lambda: seen, at.client)
    kept = []
    for credit in credits:
        note, _ = notes
        note().append(1)
        kept.append(credit if len(note()) < 9 else replace(credit, contributions=()))
    return PAPER.contribute(at, tuple(kept))


@pytest.mark.parametrize(
    "rule", [a_notebook_in_a_pair, a_notebook_in_a_pair_of_pairs, a_function_in_a_pair], ids=named
)
def test_nothing_that_can_be_written_on_outlives_a_round(rule: Rule) -> None:
    kept = core_of(replace(PAPER, attribute=credit_all, contribute=rule)).kept
    assert "contribute" in kept


# An error of a rule that one world runs alone would tell.


def by_a_range(at: Any, unit: Any, spent: Any, part: Any) -> Any:
    if len(range(0, part.value, 2)) > 30_000:
        return spent, False
    return PAPER.admit(at, unit, spent, part)


def by_a_long_tuple(at: Any, unit: Any, spent: Any, part: Any) -> Any:
    if len((0,) * part.value) > 30_000:
        return spent, False
    return PAPER.admit(at, unit, spent, part)


def by_a_text(at: Any, unit: Any, spent: Any, part: Any) -> Any:
    if f"{part.value}".startswith("9"):
        return spent, False
    return PAPER.admit(at, unit, spent, part)


def by_a_copy_that_is_checked(at: Any, unit: Any, spent: Any, part: Any) -> Any:
    if replace(at.cause, report_id=30_000 - part.value).report_id < 100:
        return spent, False
    return PAPER.admit(at, unit, spent, part)


def by_a_square(at: Any, unit: Any, spent: Any, part: Any) -> Any:
    if part.value * part.value > 30_000:
        return spent, False
    return PAPER.admit(at, unit, spent, part)


def by_a_multiple(at: Any, unit: Any, spent: Any, part: Any) -> Any:
    if 2 * part.value > 30_000 or part.value * 3 > at.limits.contribution_budget * part.value:
        return spent, False
    return PAPER.admit(at, unit, spent, part)


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        (by_a_range, "a call of range, which may raise"),
        (by_a_long_tuple, r"\*, which may raise"),
        (by_a_text, "format value, which may raise"),
        (by_a_copy_that_is_checked, "a call of replace, which may raise"),
        # What is multiplied is not known to be a number.
        (by_a_square, r"\*, which may raise"),
    ],
)
def test_what_could_raise_is_not_followed_where_it_would_tell(rule: Rule, what: str) -> None:
    assert re.search(what, core_of(replace(PAPER, admit=rule)).kept["admit"])


def test_what_is_multiplied_by_a_number_raises_nothing() -> None:
    assert core_of(replace(PAPER, admit=by_a_multiple)).kept == {}


SENDING = (hours_of_a_table, rounds_over_a_table, an_outcome_twice_if_null)


@pytest.mark.parametrize("rule", SENDING, ids=named)
def test_outcomes_are_not_counted(rule: Rule) -> None:
    assert core_of(replace(PAPER, send=rule)).kept["send"]


@pytest.mark.parametrize("rule", [some_entries_pay, some_batches_pay], ids=named)
def test_who_is_not_asked_has_not_paid(rule: Rule) -> None:
    assert core_of(replace(PAPER, settle=rule)).kept["settle"]


def used_up_ahead(at: Any, credits: Any) -> Any:
    in_turn = (credit for credit in credits)
    kept = []
    for credit in in_turn:
        kept.append(credit)
        _ahead = tuple(in_turn)
    return PAPER.contribute(at, tuple(kept))


def used_up_at_seven(at: Any, credits: Any) -> Any:
    in_turn = (credit for credit in credits)
    for credit in credits:
        if credit.unit == 7:
            _rest = tuple(in_turn)
    return PAPER.contribute(at, tuple(in_turn))


def handed_on_in_turn(at: Any, credits: Any) -> Any:
    def twice(some: Any) -> Any:
        return tuple(credit for credit in some if tuple(some) or True)

    return PAPER.contribute(at, twice(credit for credit in credits))


def kept_in_turn(at: Any, credits: Any) -> Any:
    both = ((credit for credit in credits), 1)
    return PAPER.contribute(at, tuple(credit for credit in both[0] if tuple(both[0]) or True))


def used_where_it_is_made(at: Any, credits: Any) -> Any:
    return PAPER.contribute(at, tuple(credit for credit in credits if at.now < 9))


IN_TURN = [used_up_ahead, used_up_at_seven, handed_on_in_turn, kept_in_turn]


@pytest.mark.parametrize("rule", IN_TURN, ids=named)
def test_what_can_be_gone_through_once_has_no_name(rule: Rule) -> None:
    rules = replace(PAPER, attribute=credit_all, contribute=rule)
    assert core_of(rules).rules.contribute is rule


def test_what_is_used_where_it_is_made_is_followed() -> None:
    rules = replace(PAPER, attribute=credit_all, contribute=used_where_it_is_made)
    assert core_of(rules).rules.contribute is PAPER.contribute
