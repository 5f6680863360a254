"""Totals of one's own are taken off if every contribution adds at most its value by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from proofs._core import core_of
from spec import (
    PAPER,
    AtService,
    Contribution,
    Key,
    Query,
    Report,
    Rules,
    Source,
    SystemMechanism,
    Trigger,
    replace,
)
from spec.distributions import explore
from spec.numbers import NotWhole

Reports = tuple[Report, ...]
Totals = Callable[[AtService, Reports], Mapping[Key, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaled(Contribution):
    factor: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagged(Contribution):
    tag: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighted(Contribution):
    weight: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking(Query):
    least: int = 0


def changed(totals: Any) -> Rules:
    return replace(PAPER, totals=totals)


def as_in_the_paper(at: AtService, batch: Reports) -> Mapping[Key, int]:
    found: dict[Key, int] = {}
    for each in batch:
        for part in each.contributions:
            more = part.value
            found[part.key] = more + found.get(part.key, 0)
    return found


def divided(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            factor = max(1, part.factor) if isinstance(part, Scaled) else 1
            sums[part.key] = sums.get(part.key, 0) + part.value // factor
    return sums


def half(value: int) -> int:
    return value // 2


def tagged_count_half(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        if report.report_id in (7, 11):
            continue
        for part in report.contributions:
            known = isinstance(part, Tagged) and part.tag == "half"
            sums[part.key] = sums.get(part.key, 0) + (half(part.value) if known else part.value)
    return sums


def as_asked(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            if isinstance(at.query, Asking) and part.value < at.query.least:
                continue
            most = at.limits.contribution_budget
            sums[part.key] = sums.get(part.key, 0) + min(part.value, most)
    return sums


@pytest.mark.parametrize("rule", [as_in_the_paper, divided, tagged_count_half, as_asked])
def test_totals_to_which_each_adds_by_itself_are_taken_off(rule: Totals) -> None:
    core = core_of(changed(rule))
    assert core.kept == {}
    assert core.rules is PAPER


# One contribution adds too much, or something else than a number.


def negative_factors(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            factor = part.factor if isinstance(part, Scaled) and part.factor != 0 else 1
            sums[part.key] = sums.get(part.key, 0) + part.value // factor
    return sums


def factors_of_zero(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            factor = abs(part.factor) if isinstance(part, Scaled) else 1
            sums[part.key] = sums.get(part.key, 0) + part.value // factor
    return sums


def rounded_up(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            sums[part.key] = sums.get(part.key, 0) + (part.value + 1) // 2
    return sums


def one_more_for_one_key(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            more = part.value + 1 if part.key == 2**100 + 7 else part.value
            sums[part.key] = sums.get(part.key, 0) + more
    return sums


def halves(at: AtService, batch: Reports) -> Any:
    sums: dict[Key, Any] = {}
    for report in batch:
        for part in report.contributions:
            sums[part.key] = sums.get(part.key, 0) + part.value * Fraction(1, 2)
    return sums


def weights(at: AtService, batch: Reports) -> Any:
    sums: dict[Key, Any] = {}
    for report in batch:
        for part in report.contributions:
            weight = part.weight if isinstance(part, Weighted) else Fraction(1)
            sums[part.key] = sums.get(part.key, 0) + part.value * weight // 1
    return sums


def added_twice(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            sums[part.key] = sums.get(part.key, 0) + part.value
            sums[part.key] = sums.get(part.key, 0) + part.value
    return sums


def less_than_nothing_at_first(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            sums[part.key] = sums.get(part.key, -5) + part.value + 5
    return sums


# A contribution depends on others, or others on it.


def next_key(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            sums[part.key + 1] = sums.get(part.key + 1, 0) + part.value
    return sums


def kept_from_the_round_before(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    last = 0
    for report in batch:
        for part in report.contributions:
            sums[part.key] = sums.get(part.key, 0) + min(part.value, last)
            last = part.value
    return sums


def first_report_differs(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    factor = 2
    for report in batch:
        for part in report.contributions:
            sums[part.key] = sums.get(part.key, 0) + part.value * factor // 2
        factor = 4
    return sums


def by_the_size_of_the_batch(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            sums[part.key] = sums.get(part.key, 0) + part.value * len(batch)
    return sums


def by_the_sum_so_far(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            if sums.get(part.key, 0) < 100:
                sums[part.key] = sums.get(part.key, 0) + part.value
    return sums


def ended_by_one(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            if part.value == 0:
                return sums
            sums[part.key] = sums.get(part.key, 0) + part.value
    return sums


def begun_again(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            if part.value == 3:
                sums = {}
            sums[part.key] = sums.get(part.key, 0) + part.value
    return sums


def two_passes(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            sums[part.key] = sums.get(part.key, 0) + part.value
        for part in report.contributions:
            sums[part.key] = sums.get(part.key, 0) + part.value
    return sums


def every_report_for_every_report(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for _ in batch:
        for report in batch:
            for part in report.contributions:
                sums[part.key] = sums.get(part.key, 0) + part.value
    return sums


def overwritten(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            sums[part.key] = part.value
    return sums


def changed_in_place(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            sums[part.key] = sums.get(part.key, 0)
            sums[part.key] += 2 * part.value
    return sums


def on_the_side(part: Contribution, bag: list[int] = []) -> int:  # noqa: B006
    bag.append(part.value)
    return min(part.value, sum(bag))


def noted_on_the_side(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            sums[part.key] = sums.get(part.key, 0) + on_the_side(part)
    return sums


KINDS = (Scaled, Tagged)


def kinds_in_a_table(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            more = 2 * part.value if isinstance(part, KINDS) else part.value
            sums[part.key] = sums.get(part.key, 0) + more
    return sums


def kinds_side_by_side(at: AtService, batch: Reports) -> Mapping[Key, int]:
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            both = isinstance(part, Scaled) and isinstance(part, Tagged)
            sums[part.key] = sums.get(part.key, 0) + (2 * part.value if both else part.value)
    return sums


TOO_MUCH = [
    *(negative_factors, factors_of_zero, one_more_for_one_key, halves, weights, added_twice),
    less_than_nothing_at_first,
]
TOGETHER = [
    *(next_key, kept_from_the_round_before, first_report_differs, by_the_size_of_the_batch),
    *(by_the_sum_so_far, ended_by_one, begun_again, two_passes, every_report_for_every_report),
    *(overwritten, changed_in_place, noted_on_the_side, kinds_in_a_table, kinds_side_by_side),
]


@pytest.mark.parametrize("rule", [*TOO_MUCH, *TOGETHER])
def test_totals_to_which_one_adds_too_much_or_not_by_itself_are_not(rule: Totals) -> None:
    core = core_of(changed(rule))
    assert set(core.kept) == {"totals"}
    assert core.rules.totals is rule


def test_rounding_up_adds_no_more_than_the_value() -> None:
    assert core_of(changed(rounded_up)).kept == {}


def test_a_field_that_is_declared_a_whole_number_holds_one() -> None:
    half = Fraction(1, 2)
    part = Scaled(key=1, value=1, factor=half)  # type: ignore[arg-type]

    def contributions(*_: object) -> tuple[Contribution, ...]:
        return (part,)

    with pytest.raises(NotWhole, match="least"):
        Asking(epsilon=Fraction(1), least=half)  # type: ignore[arg-type]
    assert sent_with(contributions).is_null


def sent_with(contributions: Any) -> Report:
    """Register a source, let it send a report, and return the report."""
    mechanism = SystemMechanism(rules=replace(PAPER, contributions=contributions))
    source = Source(source_id="s", destination="d", expiry=9, filters=frozenset("a"), key=1)
    trigger = Trigger(report_id=1, destination="d", filters=frozenset("a"), key=0, value=1)
    law = explore(
        lambda draw: mechanism.step(
            mechanism.step(mechanism.initial, source, draw)[0], trigger, draw
        )
    )
    ((system, _),) = law
    return system.reports[1]
