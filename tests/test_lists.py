"""A list is what is known of it only while nobody else can change it; what remembers is refused.

Each of these rules would be taken off if a list that a function or a name elsewhere knows kept its
label, or if something that remembers could be carried from one unit or query to the next.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from proofs._core import core_of
from spec import PAPER, Contribution, Credit, Spent, replace

FORGED = Credit(unit="pool", contributions=(Contribution(key=1, value=1),))


def put(found: list[Any], member: Any) -> None:
    found.append(member)


def boxed() -> tuple[list[Any], dict[str, list[Any]]]:
    found: list[Any] = []
    return found, {"found": found}


def begun_or_put(found: list[Any] | None, member: Any) -> list[Any]:
    own: list[Any] = []
    if found is not None:
        found.append(member)
    return own


def known_to_a_helper(at: Any, batch: Any, outcome: Any) -> object:
    found: list[Any] = []
    for report in batch:
        put(found, report)
    return tuple(found)


def known_to_a_box(at: Any, batch: Any, outcome: Any) -> object:
    found, box = boxed()
    for report in batch:
        found.append(report)
    return str(box)


def known_to_a_lambda(at: Any, batch: Any, outcome: Any) -> object:
    found: list[Any] = []
    note: Any = lambda report, into=found: into.append(report)  # noqa: E731
    for report in batch:
        note(report)
    return tuple(found)


def known_to_the_helper_that_began_it(at: Any, batch: Any, outcome: Any) -> object:
    found = begun_or_put(None, 0)
    for report in batch:
        begun_or_put(found, report)
    return tuple(found)


def known_to_a_function_inside(at: Any, batch: Any, outcome: Any) -> object:
    found: list[Any] = []
    for report in batch:
        (lambda each: found.append(each))(report)
    return tuple(found)


def a_copy_that_grows(at: Any, draw: Any) -> object:
    client, credits = PAPER.attribute(at, draw)
    found = list(credits)
    found.append(FORGED)
    return client, tuple(found)


def a_copy_that_changes(at: Any, draw: Any) -> object:
    client, credits = PAPER.attribute(at, draw)
    found = list(credits)
    found[0] = FORGED
    return client, tuple(found)


def a_sorted_copy_that_grows(at: Any, draw: Any) -> object:
    client, credits = PAPER.attribute(at, draw)
    found: list[Any] = sorted(credits)
    found.append(FORGED)
    return client, tuple(found)


def extended(at: Any, draw: Any) -> object:
    client, _ = PAPER.attribute(at, draw)
    found: list[Credit] = []
    found.extend((FORGED,))
    return client, tuple(found)


def extended_by_another_name(at: Any, draw: Any) -> object:
    client, _ = PAPER.attribute(at, draw)
    found: list[Credit] = []
    also = found
    also += [FORGED]
    return client, tuple(found)


def with_a_star(at: Any, draw: Any) -> object:
    client, credits = PAPER.attribute(at, draw)
    forged = [FORGED for _ in credits]
    return client, (*forged,)


def with_two_stars(at: Any, draw: Any) -> object:
    client, credits = PAPER.attribute(at, draw)
    forged = [FORGED for _ in credits]
    return client, (*forged, *credits)


def one_list_or_another(at: Any, draw: Any) -> object:
    client, _ = PAPER.attribute(at, draw)
    found: list[Credit] = [] if at.now else list[Credit]()
    found.append(FORGED)
    return client, tuple(found)


def by_a_helper(at: Any, draw: Any) -> object:
    client, _ = PAPER.attribute(at, draw)
    found: list[Credit] = []
    put(found, FORGED)
    return client, tuple(found)


def listed_in_a_helper(at: Any, batch: Any) -> object:
    ledger = at.service.ledger
    for report in batch:
        after = at.rules.charge(at, ledger.get(report.report_id, Spent()), report)
        if after is None:
            return ledger, None
        ledger = ledger.set(report.report_id, after)
        found = alone(report)
        found.append(report)
        return ledger, tuple(found)
    return ledger, None


def alone(report: Any) -> list[Any]:
    found = []
    found.append(report)
    return found


def counter() -> Callable[[], int]:
    seen: dict[int, int] = {}

    def count() -> int:
        seen[len(seen)] = 0
        return len(seen)

    return count


def counted_by_a_function(at: Any, credits: Any) -> object:
    count = counter()
    return PAPER.contribute(at, tuple(each for each in credits if count() == 1))


def counted_by_a_default(at: Any, credits: Any) -> object:
    count: Any = lambda seen={}: len(seen.setdefault(len(seen), seen))  # noqa: E731
    return PAPER.contribute(at, tuple(each for each in credits if count() == 1))


def counted_with_one_more(at: Any, credits: Any) -> object:
    found: list[Any] = []
    nobody = tuple(each for each in credits if not each.contributions)
    for credit in credits:
        found.append(credit)
    found.append(0)
    return PAPER.contribute(at, nobody) if len(found) > 2 else PAPER.contribute(at, credits)


def an_iterator(at: Any, report: Any) -> object:
    return ((report.report_id, iter(())),)


def a_generator(at: Any, report: Any) -> object:
    return ((each for each in (1,)),)


def a_count(at: Any, report: Any) -> object:
    return (itertools.count(report.report_id),)


def not_a_number(at: Any, report: Any) -> object:
    return (report.report_id * 0 * 1e999,)


def a_constant_that_is_not_a_number(at: Any, report: Any) -> object:
    return ((report.report_id, 1e999 - 1e999),)


def a_bound_method(at: Any, report: Any) -> object:
    return (f"{report.report_id}".lower,)


def a_function(at: Any, report: Any) -> object:
    return ([lambda: 0][0],)


def a_call_with_a_star(at: Any, report: Any) -> object:
    return (iter(*((),)),)


SLIPS: dict[str, tuple[Callable[..., object], ...]] = {
    "reveal": (
        *(known_to_a_helper, known_to_a_box, known_to_a_lambda),
        *(known_to_the_helper_that_began_it, known_to_a_function_inside),
    ),
    "attribute": (
        *(a_copy_that_grows, a_copy_that_changes, a_sorted_copy_that_grows, extended),
        *(extended_by_another_name, with_a_star, with_two_stars, one_list_or_another, by_a_helper),
    ),
    "settle": (listed_in_a_helper,),
    "contribute": (counted_by_a_function, counted_by_a_default, counted_with_one_more),
    "budget_entries": (
        *(an_iterator, a_generator, a_count, not_a_number, a_constant_that_is_not_a_number),
        *(a_bound_method, a_function, a_call_with_a_star),
    ),
}


def to_every_source(at: Any, draw: Any) -> object:
    client, _ = PAPER.attribute(at, draw)
    return client, tuple(
        Credit(unit=each.source_id, contributions=FORGED.contributions) for each in client.sources
    )


@pytest.mark.parametrize(
    ("field", "rule"),
    [(field, rule) for field, rules in SLIPS.items() for rule in rules],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_nothing_slips_by(field: str, rule: Callable[..., object]) -> None:
    more = {"attribute": to_every_source} if field == "contribute" else {}
    core = core_of(replace(PAPER, **{field: rule}, **more))  # type: ignore[arg-type]
    assert set(core.kept) == {field}


def a_list_of_a_helper(at: Any, draw: Any) -> object:
    client, credits = PAPER.attribute(at, draw)
    found = halves(credits)
    return client, tuple(found)


def halves(credits: Any) -> list[Any]:
    return [replace(each, contributions=each.contributions[:1]) for each in credits]


@pytest.mark.parametrize("rule", [a_list_of_a_helper, to_every_source])
def test_lists_that_nobody_else_knows_are_followed(rule: Callable[..., object]) -> None:
    assert core_of(replace(PAPER, attribute=rule)).kept == {}  # type: ignore[arg-type]
