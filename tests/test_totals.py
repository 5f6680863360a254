"""Changed totals at production parameters: batches that one unit moves by more than the noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from properties.broken import half_the_noise
from properties.closed_forms.one_query import production_finding
from properties.closed_forms.totals import only_totals_changed, totals_apart
from spec import PAPER, AtService, Report, Rules, replace
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


ONES = "x contributes 1 to each of 20 keys"


@pytest.mark.parametrize("claim", [ATTRIBUTION, AGGREGATION])
@pytest.mark.parametrize(
    ("totals", "batch", "there", "gone", "distance", "ratio"),
    [
        (
            average,
            f"{ONES}; others contribute 65536 to each of 20 keys",
            "32768 for 20 keys",
            "65536 for 20 keys",
            20 * 32768,
            "e^(640)",
        ),
        (
            width,
            f"{ONES}; others contribute 65536 and 65536 to each of 20 keys",
            "65535 for 20 keys",
            "0 for 20 keys",
            20 * 65535,
            "e^(327675/256)",
        ),
    ],
)
def test_totals_that_one_unit_moves_too_far_are_refuted(
    claim: str, totals: Changed, batch: str, there: str, gone: str, distance: int, ratio: str
) -> None:
    found = production_finding(with_totals(totals), claim)
    assert found.verdict == Verdict.REFUTED
    assert found.counterexample == {
        "epsilon": "64",
        "delta asked": "0",
        "batch": batch,
        "sums with x": there,
        "sums without x": gone,
        "distance": str(distance),
        "contribution budget": "65536",
        "noise": "discrete Laplace with ratio e^(-1/1024), untruncated",
        "event": "the noisy sums are exactly the sums with x",
        "likelihood ratio": f"{ratio}, allowed is e^(64)",
    }


@pytest.mark.parametrize("claim", [ATTRIBUTION, AGGREGATION])
def test_rounded_sums_are_refuted_by_both_arguments(claim: str) -> None:
    rules = with_totals(rounded)
    worst = totals_apart(rules, claim)
    assert worst is not None
    assert worst.text() == (
        "x contributes 65517 to one key, 1 to each of 19 keys; "
        "others contribute 31 to each of 20 keys"
    )
    assert worst.there == (65536, *[64] * 19)
    assert worst.gone == (0,) * 20
    assert worst.distance == 66752
    found = production_finding(rules, claim)
    assert found.verdict == Verdict.REFUTED
    assert found.counterexample is not None
    assert found.counterexample["delta asked"] == "1e-12"
    assert found.counterexample["delta needed"] == "at least 1.3172e-7"


@pytest.mark.parametrize("claim", [ATTRIBUTION, AGGREGATION])
@pytest.mark.parametrize("totals", [PAPER.totals, halved, largest])
def test_sound_totals_hold(claim: str, totals: Changed) -> None:
    assert production_finding(with_totals(totals), claim).verdict == Verdict.SEARCHED


def test_the_argument_is_used_only_where_the_totals_alone_are_changed() -> None:
    assert not only_totals_changed(PAPER)
    assert only_totals_changed(with_totals(average))
    assert not only_totals_changed(replace(with_totals(average), noise=half_the_noise))
    assert not only_totals_changed(replace(with_totals(average), batch=lambda _, reports: reports))


def test_totals_are_not_refuted_by_this_argument_where_the_noise_is_changed_too() -> None:
    found = production_finding(replace(with_totals(average), noise=half_the_noise), ATTRIBUTION)
    assert found.verdict == Verdict.UNKNOWN
