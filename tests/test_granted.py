"""What `contribute` may be, if it admits part by part: what is granted is counted, unit by unit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from proofs._core import core_of
from spec import PAPER, Budget, Contribution, Credit, Rules, replace
from spec.reports import checked_contribution

Granted = tuple[Any, Any]


# What is granted was admitted, and its budget is stored.


def largest_first(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fitting = budgets.get(credit.unit, Budget()), []
        for part in sorted(credit.contributions, key=lambda each: -each.value):
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                fitting.append(part)
        budgets = budgets.set(credit.unit, spent)
        if fitting:
            granted.append(replace(credit, contributions=tuple(fitting)))
    return budgets, tuple(granted)


def all_or_nothing(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        for part in credit.contributions:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if not fits:
                break
        else:
            granted.append(credit)
            budgets = budgets.set(credit.unit, spent)
    return budgets, tuple(granted)


def only_what_changed(at: Any, credits: Any) -> Granted:
    budgets = at.client.budgets
    granted: Any = ()
    for credit in credits:
        before = spent = budgets.get(credit.unit, Budget())
        fitting: Any = ()
        for part in credit.contributions[:2]:
            after, fits = PAPER.admit(at, credit.unit, spent, part)
            if fits:
                spent = after
                fitting = (*fitting, part)
        if spent is not before:
            budgets = budgets.set(credit.unit, spent)
        if fitting:
            granted = (*granted, Credit(unit=credit.unit, contributions=fitting))
    return budgets, granted


def clipped(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, kept = budgets.get(credit.unit, Budget()), []
        for part in credit.contributions:
            left = at.limits.contribution_budget - spent.value
            if left > 0:
                small = replace(part, value=min(part.value, left))
                spent, fits = at.rules.admit(at, credit.unit, spent, small)
                if fits:
                    kept.append(small)
        budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, contributions=tuple(kept)))
    return budgets, tuple(granted)


def fitting_of(at: Any, credit: Any, spent: Any) -> Granted:
    fitting = []
    for part in credit.contributions:
        checked_contribution(part)
        spent, fits = at.rules.admit(at, credit.unit, spent, part)
        if fits:
            fitting.append(part)
    return spent, tuple(fitting)


def with_a_helper(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fitting = fitting_of(at, credit, budgets.get(credit.unit, Budget()))
        if fitting:
            budgets = budgets.set(credit.unit, spent)
            granted.append(replace(credit, contributions=fitting))
    return budgets, tuple(granted)


# Where the paper decides there is one credit.


def from_the_client(at: Any, credits: Any) -> Granted:
    for credit in credits:
        spent = at.client.budgets.get(credit.unit, Budget())
        for part in credit.contributions:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if not fits:
                return at.client.budgets, ()
        return at.client.budgets.set(credit.unit, spent), (credit,)
    return at.client.budgets, ()


def first_refusal_ends_it(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fitting = budgets.get(credit.unit, Budget()), []
        for part in credit.contributions:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                fitting.append(part)
        if not fitting:
            break
        budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, contributions=tuple(fitting)))
    return budgets, tuple(granted)


APART = (largest_first, all_or_nothing, only_what_changed, clipped, with_a_helper)
ALONE = (from_the_client, first_refusal_ends_it)


@pytest.mark.parametrize("rule", [*APART, *ALONE], ids=lambda rule: rule.__name__)
def test_what_is_granted_by_hand_is_the_papers(rule: Callable[..., Granted]) -> None:
    core = core_of(replace(PAPER, contribute=rule))
    assert core.rules is PAPER, core.kept


def credit_all(at: Any, _: Any) -> Granted:
    """Credit every source."""
    return at.client, tuple(
        Credit(unit=each.source_id, contributions=at.rules.contributions(at, each))
        for each in at.client.sources
    )


def keeps(rules: Rules) -> str:
    """Return why `contribute` is not taken off, or nothing."""
    return core_of(rules).kept.get("contribute", "")


def test_several_credits_are_kept_apart() -> None:
    assert not keeps(replace(PAPER, attribute=credit_all, contribute=with_a_helper))


@pytest.mark.parametrize("rule", ALONE, ids=lambda rule: rule.__name__)
def test_one_credit_does_not_stand_for_several(rule: Callable[..., Granted]) -> None:
    assert keeps(replace(PAPER, attribute=credit_all, contribute=rule))


# What is granted and not counted, or tells of another unit.


def nothing_is_stored(at: Any, credits: Any) -> Granted:
    _, granted = largest_first(at, credits)
    return at.client.budgets, granted


def stored_too_early(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fitting = budgets.get(credit.unit, Budget()), []
        for part in credit.contributions:
            budgets = budgets.set(credit.unit, spent)
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                fitting.append(part)
        granted.append(replace(credit, contributions=tuple(fitting)))
    return budgets, tuple(granted)


def refused_is_granted(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fitting = budgets.get(credit.unit, Budget()), []
        for part in credit.contributions:
            spent, _ = at.rules.admit(at, credit.unit, spent, part)
            fitting.append(part)
        budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, contributions=tuple(fitting)))
    return budgets, tuple(granted)


def all_if_the_last_fits(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fits = budgets.get(credit.unit, Budget()), False
        for part in credit.contributions:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
        if fits:
            budgets = budgets.set(credit.unit, spent)
            granted.append(credit)
    return budgets, tuple(granted)


def all_if_the_first_fits(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        for part in credit.contributions[:1]:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if not fits:
                break
        else:
            budgets = budgets.set(credit.unit, spent)
            granted.append(credit)
    return budgets, tuple(granted)


def break_is_no_refusal(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        for part in credit.contributions:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if not fits:
                break
        budgets = budgets.set(credit.unit, spent)
        granted.append(credit)
    return budgets, tuple(granted)


def granted_twice(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fitting = budgets.get(credit.unit, Budget()), []
        for part in credit.contributions:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                fitting.append(part)
        budgets = budgets.set(credit.unit, spent)
        once = replace(credit, contributions=tuple(fitting))
        granted.append(once)
        granted.append(once)
    return budgets, tuple(granted)


def listed_twice(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fitting = budgets.get(credit.unit, Budget()), []
        for part in credit.contributions:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                fitting.append(part)
        budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, contributions=(*fitting, *fitting)))
    return budgets, tuple(granted)


def doubled_by_a_generator(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fitting = budgets.get(credit.unit, Budget()), []
        for part in credit.contributions:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                fitting.append(part)
        budgets = budgets.set(credit.unit, spent)
        twice = tuple(part for part in fitting for _ in range(2))
        granted.append(replace(credit, contributions=twice))
    return budgets, tuple(granted)


def whole_and_listed(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fitting = budgets.get(credit.unit, Budget()), []
        for part in credit.contributions:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if not fits:
                break
            fitting.append(part)
        else:
            budgets = budgets.set(credit.unit, spent)
            granted.append(replace(credit, contributions=tuple(fitting)))
            granted.append(credit)
    return budgets, tuple(granted)


def small_is_counted_large_is_granted(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fitting = budgets.get(credit.unit, Budget()), []
        for part in credit.contributions:
            small = replace(part, value=1)
            spent, fits = at.rules.admit(at, credit.unit, spent, small)
            if fits:
                fitting.append(part)
        budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, contributions=tuple(fitting)))
    return budgets, tuple(granted)


def spent_is_kept(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fitting = budgets.get(credit.unit, Budget()), []
        for part in credit.contributions:
            _, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                fitting.append(part)
        budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, contributions=tuple(fitting)))
    return budgets, tuple(granted)


def looked_up_again(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fitting = budgets.get(credit.unit, Budget()), []
        for part in credit.contributions:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                fitting.append(part)
        spent = budgets.get(credit.unit, Budget())
        budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, contributions=tuple(fitting)))
    return budgets, tuple(granted)


def looked_up_by_each(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        fitting = []
        for part in credit.contributions:
            spent, fits = at.rules.admit(at, credit.unit, budgets.get(credit.unit, Budget()), part)
            if fits:
                fitting.append(part)
        budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, contributions=tuple(fitting)))
    return budgets, tuple(granted)


def stored_if_unchanged(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        before = spent = budgets.get(credit.unit, Budget())
        fitting = []
        for part in credit.contributions:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                fitting.append(part)
        if spent is before:
            budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, contributions=tuple(fitting)))
    return budgets, tuple(granted)


def a_list_that_grows(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        fitting: Any = []
        once = replace(credit, contributions=fitting)
        budgets = budgets.set(credit.unit, spent)
        granted.append(once)
        for part in credit.contributions:
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                fitting.append(part)
    return budgets, tuple(granted)


def negative_values(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fitting = budgets.get(credit.unit, Budget()), []
        for part in credit.contributions:
            less = replace(part, value=part.value - 5)
            spent, fits = at.rules.admit(at, credit.unit, spent, less)
            if fits:
                fitting.append(less)
        budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, contributions=tuple(fitting)))
    return budgets, tuple(granted)


def a_helper_in_vain(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        before = budgets.get(credit.unit, Budget())
        _, fitting = fitting_of(at, credit, before)
        budgets = budgets.set(credit.unit, before)
        granted.append(replace(credit, contributions=fitting))
    return budgets, tuple(granted)


def another_units_budget(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent = budgets.get("pool", Budget())
        for part in credit.contributions:
            spent, fits = at.rules.admit(at, "pool", spent, part)
            if not fits:
                break
        else:
            budgets = budgets.set("pool", spent)
            granted.append(credit)
    return budgets, tuple(granted)


def made_up(at: Any, credits: Any) -> Granted:
    budgets, granted = largest_first(at, credits)
    more = Credit(unit="more", contributions=(Contribution(key=1, value=1),))
    return budgets, (*granted, more)


NOT_COUNTED = (
    nothing_is_stored,
    stored_too_early,
    refused_is_granted,
    all_if_the_last_fits,
    all_if_the_first_fits,
    break_is_no_refusal,
    granted_twice,
    listed_twice,
    doubled_by_a_generator,
    whole_and_listed,
    small_is_counted_large_is_granted,
    spent_is_kept,
    looked_up_again,
    looked_up_by_each,
    stored_if_unchanged,
    a_list_that_grows,
    negative_values,
    a_helper_in_vain,
    another_units_budget,
    made_up,
)


@pytest.mark.parametrize("rule", NOT_COUNTED, ids=lambda rule: rule.__name__)
def test_what_is_not_counted_is_left(rule: Callable[..., Granted]) -> None:
    assert keeps(replace(PAPER, contribute=rule))


def at_most_two_grants(at: Any, credits: Any) -> Granted:
    budgets = at.client.budgets
    granted: Any = []
    for credit in credits:
        spent, fitting = fitting_of(at, credit, budgets.get(credit.unit, Budget()))
        if fitting and len(granted) < 2:
            budgets = budgets.set(credit.unit, spent)
            granted.append(replace(credit, contributions=fitting))
    return budgets, tuple(granted)


def a_flag_for_the_next(at: Any, credits: Any) -> Granted:
    budgets, full = at.client.budgets, False
    granted: Any = []
    for credit in credits:
        spent, fitting = fitting_of(at, credit, budgets.get(credit.unit, Budget()))
        if fitting and not full:
            full = len(fitting) > 2
            budgets = budgets.set(credit.unit, spent)
            granted.append(replace(credit, contributions=fitting))
    return budgets, tuple(granted)


def parts_of_the_last(at: Any, credits: Any) -> Granted:
    budgets, fitting = at.client.budgets, ()
    granted: Any = []
    for credit in credits:
        granted.append(replace(credit, contributions=fitting))
        spent, fitting = fitting_of(at, credit, budgets.get(credit.unit, Budget()))
        budgets = budgets.set(credit.unit, spent)
    return budgets, tuple(granted)


def from_the_budgets_before(at: Any, credits: Any) -> Granted:
    budgets, granted = at.client.budgets, []
    for credit in credits:
        spent, fitting = fitting_of(at, credit, at.client.budgets.get(credit.unit, Budget()))
        budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, contributions=fitting))
    return budgets, tuple(granted)


OF_ANOTHER = (at_most_two_grants, a_flag_for_the_next, parts_of_the_last, from_the_budgets_before)


@pytest.mark.parametrize("rule", OF_ANOTHER, ids=lambda rule: rule.__name__)
def test_no_unit_learns_of_another(rule: Callable[..., Granted]) -> None:
    assert keeps(replace(PAPER, attribute=credit_all, contribute=rule))


def give_back(at: Any, source: Any) -> Any:
    """Contribute what is not checked."""
    return (Contribution(key=1, value=at.cause.value - 7),)


def test_values_of_another_rule_must_be_checked() -> None:
    assert keeps(replace(PAPER, contributions=give_back, contribute=largest_first))
    assert not keeps(replace(PAPER, contributions=give_back, contribute=with_a_helper))


def admit_all(at: Any, unit: Any, spent: Budget, part: Contribution) -> tuple[Budget, bool]:
    """Admit everything."""
    return spent, True


def test_admission_must_be_the_papers_or_stricter() -> None:
    assert keeps(replace(PAPER, admit=admit_all, contribute=largest_first))
