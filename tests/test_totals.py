"""Changed totals: batches that one unit moves by more than the noise hides."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from properties.closed_forms.one_query import production_finding
from properties.searches.on_numbers import numbers_check
from spec import PAPER, AtService, Report, Rules, replace
from spec.neighbours import ATTRIBUTION_FIXED
from spec.reports import Key
from spec.verdicts import Verdict

ATTRIBUTION = "attribution_summaries_are_private"
AGGREGATION = "aggregation_summaries_are_private"
Changed = Callable[[AtService, tuple[Report, ...]], Mapping[Key, int]]


def values_of(batch: tuple[Report, ...]) -> dict[Key, list[int]]:
    found: dict[Key, list[int]] = {}
    for report in batch:
        for part in report.contributions:
            found.setdefault(part.key, []).append(part.value)
    return found


def rounded(at: AtService, batch: tuple[Report, ...]) -> Mapping[Key, int]:
    return {key: 64 * ((sum(v) + 32) // 64) for key, v in values_of(batch).items()}


def average(at: AtService, batch: tuple[Report, ...]) -> Mapping[Key, int]:
    return {key: sum(v) // len(v) for key, v in values_of(batch).items()}


def width(at: AtService, batch: tuple[Report, ...]) -> Mapping[Key, int]:
    return {key: max(v) - min(v) if len(v) > 1 else v[0] for key, v in values_of(batch).items()}


def halved(at: AtService, batch: tuple[Report, ...]) -> Mapping[Key, int]:
    return {key: sum(v) // 2 for key, v in values_of(batch).items()}


def largest(at: AtService, batch: tuple[Report, ...]) -> Mapping[Key, int]:
    return {key: max(v) for key, v in values_of(batch).items()}


def with_totals(totals: Changed) -> Rules:
    return replace(PAPER, totals=totals)


@pytest.mark.parametrize("totals", [average, width, rounded])
def test_totals_that_one_unit_moves_too_far_are_refuted(totals: Changed) -> None:
    found = numbers_check(ATTRIBUTION, ATTRIBUTION_FIXED).run(with_totals(totals))
    assert found.verdict == Verdict.REFUTED


@pytest.mark.parametrize("claim", [ATTRIBUTION, AGGREGATION])
@pytest.mark.parametrize("totals", [PAPER.totals, halved, largest])
def test_sound_totals_hold(claim: str, totals: Changed) -> None:
    assert production_finding(with_totals(totals), claim).verdict == Verdict.SEARCHED
