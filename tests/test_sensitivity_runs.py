"""Runs with jumps of time and two trigger identifiers: budgets that come back are found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from properties.sensitivity import (
    FAR_AWAY,
    JUMPS,
    Sensitivity,
    longer,
    sensitivity,
    spaced,
)
from properties.universe import aggregation_universe, attribution_universe
from spec import PAPER, Budget, Credit, Rules, Trigger, Unit, replace
from spec.contributions import Budgets
from spec.neighbours import ATTRIBUTION_FIXED, NULL_STORE
from spec.reports import Contribution

if TYPE_CHECKING:
    from spec.rules import AtContribution

FEW = 2


def of_sources(rules: Rules) -> Sensitivity:
    return sensitivity(rules, ATTRIBUTION_FIXED, longer(attribution_universe(), FEW), FEW + 1)


def of_devices(rules: Rules) -> Sensitivity:
    return sensitivity(rules, NULL_STORE, longer(aggregation_universe(), FEW), FEW + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refilled(Budget):
    """A budget that knows when it was last used."""

    used_at: int = 0


def refilled_every(seconds: int) -> Rules:
    def admit(
        at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
    ) -> tuple[Budget, bool]:
        used_at = spent.used_at if isinstance(spent, Refilled) else 0
        if at.now // seconds != used_at // seconds:
            spent = Budget()
        after, fits = PAPER.admit(at, unit, spent, contribution)
        return Refilled(value=after.value, count=after.count, used_at=at.now), fits

    return replace(PAPER, admit=admit)


def budget_per_trigger_id(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    assert isinstance(at.cause, Trigger)
    named = tuple(replace(each, unit=(each.unit, at.cause.trigger_id)) for each in credits)
    budgets, granted = PAPER.contribute(at, named)
    return budgets, tuple(replace(each, unit=credits[0].unit) for each in granted)


def test_the_papers_rules_change_the_sums_by_the_budget_at_most() -> None:
    for found in (of_sources(PAPER), of_devices(PAPER)):
        assert found.largest == 2
        assert found.attack is None


@pytest.mark.parametrize("seconds", JUMPS)
def test_a_budget_that_comes_back_after_a_while_is_found(seconds: int) -> None:
    found = of_sources(refilled_every(seconds))
    assert found.attack is not None
    assert found.largest > 2
    assert "jumps of time" in found.attack.searched


def test_a_budget_for_every_trigger_identifier_is_found() -> None:
    found = of_sources(replace(PAPER, contribute=budget_per_trigger_id))
    assert found.attack is not None
    assert found.largest == 4


def test_a_budget_that_comes_back_inside_a_time_window_is_found() -> None:
    found = of_devices(refilled_every(5))
    assert found.attack is not None
    assert found.largest > 2


def budget_per_destination(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    assert isinstance(at.cause, Trigger)
    named = tuple(replace(each, unit=(each.unit, at.cause.destination)) for each in credits)
    return PAPER.contribute(at, named)


def test_a_budget_for_every_destination_is_found() -> None:
    rules = replace(
        PAPER,
        matches=lambda at, source: bool(source.filters & at.cause.filters),
        contribute=budget_per_destination,
    )
    assert of_sources(rules).attack is not None


def test_a_budget_that_ad_techs_share_is_found() -> None:
    rules = replace(
        PAPER, budget_unit=lambda at: (at.cause.device, at.now // at.limits.window_length)
    )
    assert of_devices(rules).attack is not None


def test_time_windows_that_end_a_second_early_are_found() -> None:
    rules = replace(
        PAPER, budget_unit=lambda at: (at.cause, (at.now + 1) // at.limits.window_length)
    )
    assert of_devices(rules).attack is not None


def test_sources_outlive_every_jump() -> None:
    wide = spaced(attribution_universe())
    assert wide.moments == JUMPS
    assert all(source.expiry == FAR_AWAY > JUMPS[-1] for source in wide.sources)
    assert {trigger.trigger_id for trigger in wide.triggers} == {"", "another"}
