"""Runs with jumps of time and two trigger identifiers: budgets that come back are found."""

from __future__ import annotations

import pytest
from immutables import Map

from properties.sensitivity import (
    FAR_AWAY,
    JUMPS,
    Sensitivity,
    longer,
    sensitivity,
    spaced,
)
from properties.universe import aggregation_universe, attribution_universe
from spec import PAPER, Budget, Credit, Draw, Report, Rules, Trigger, replace
from spec.attribution_client import AttributionClient
from spec.contributions import Budgets, Cause
from spec.neighbours import ATTRIBUTION_FIXED, NULL_STORE
from spec.private_aggregation_client import AggregationClient, Event
from spec.reports import Contribution

FEW = 2


def of_sources(rules: Rules) -> Sensitivity:
    return sensitivity(rules, ATTRIBUTION_FIXED, longer(attribution_universe(), FEW), FEW + 1)


def of_devices(rules: Rules) -> Sensitivity:
    return sensitivity(rules, NULL_STORE, longer(aggregation_universe(), FEW), FEW + 1)


def refilled_every(seconds: int) -> Rules:
    def register(
        rules: Rules, client: AttributionClient, trigger: Trigger, now: int, draw: Draw
    ) -> tuple[AttributionClient, tuple[Credit, ...], Report]:
        if now // seconds != client.clock // seconds:
            client = replace(client, budgets=Map(dict.fromkeys(client.budgets, Budget())))
        return PAPER.register_trigger(rules, client, trigger, now, draw)

    return replace(PAPER, register_trigger=register)


def budget_per_trigger_id(
    rules: Rules, budgets: Budgets, credits: tuple[Credit, ...], cause: Cause
) -> tuple[Budgets, tuple[Contribution, ...]]:
    assert isinstance(cause, Trigger)
    granted: tuple[Contribution, ...] = ()
    for credit in credits:
        place = (credit.unit, cause.trigger_id)
        spent, admitted = rules.grant(rules, budgets.get(place, Budget()), credit, cause)
        budgets = budgets.set(place, spent)
        granted += admitted
    return budgets, granted


def refill_inside_a_window(
    rules: Rules, client: AggregationClient, event: Event, now: int, draw: Draw
) -> tuple[AggregationClient, tuple[Credit, ...], Report]:
    if now // 5 != client.clock // 5:
        client = replace(client, budgets=Map())
    return PAPER.register_event(rules, client, event, now, draw)


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
    found = of_devices(replace(PAPER, register_event=refill_inside_a_window))
    assert found.attack is not None
    assert found.largest > 2


def budget_per_destination(
    rules: Rules, budgets: Budgets, credits: tuple[Credit, ...], cause: Cause
) -> tuple[Budgets, tuple[Contribution, ...]]:
    assert isinstance(cause, Trigger)
    named = tuple(replace(credit, unit=(credit.unit, cause.destination)) for credit in credits)
    return PAPER.contribute(rules, budgets, named, cause)


def test_a_budget_for_every_destination_is_found() -> None:
    rules = replace(
        PAPER,
        matches=lambda source, trigger: bool(source.filters & trigger.filters),
        contribute=budget_per_destination,
    )
    assert of_sources(rules).attack is not None


def test_a_budget_that_ad_techs_share_is_found() -> None:
    rules = replace(
        PAPER, budget_unit=lambda limits, event, now: (event.device, now // limits.window_length)
    )
    assert of_devices(rules).attack is not None


def test_time_windows_that_end_a_second_early_are_found() -> None:
    rules = replace(
        PAPER, budget_unit=lambda limits, event, now: (event, (now + 1) // limits.window_length)
    )
    assert of_devices(rules).attack is not None


def test_sources_outlive_every_jump() -> None:
    wide = spaced(attribution_universe())
    assert wide.moments == JUMPS
    assert all(source.expiry == FAR_AWAY > JUMPS[-1] for source in wide.sources)
    assert {trigger.trigger_id for trigger in wide.triggers} == {"", "another"}
