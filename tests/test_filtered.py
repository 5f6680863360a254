"""Keys may be left out and put in order, each by itself, and not by other keys or by sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from proofs._core import core_of
from spec import PAPER, Query, replace
from spec.aggregation_service import keys as paper_keys

SHIFT = 120
PREFIXES = frozenset({1, 2, 3})
SEEN: list[int] = []
Rule = Callable[..., Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilteredQuery(Query):
    filtering_id: int = 0


def named(rule: Rule) -> str:
    return rule.__name__


def selected(query: Any, key: int) -> Any:
    return not isinstance(query, FilteredQuery) or key >> SHIFT == query.filtering_id


# Keys that are chosen by themselves.


def by_a_generator(at: Any, batch: Any) -> Any:
    return tuple(key for key in PAPER.keys(at, batch) if selected(at.query, key))


def by_a_list(at: Any, batch: Any) -> Any:
    found = [key for key in paper_keys(at, batch) if key >> SHIFT in PREFIXES]
    return tuple(found)


def by_a_loop(at: Any, batch: Any) -> Any:
    kept = []
    for key in PAPER.keys(at, batch):
        prefix = key >> SHIFT
        if prefix == 7 or at.now < 3600:
            kept.append(key)
    return tuple(kept)


def by_a_filter(at: Any, batch: Any) -> Any:
    return tuple(filter(lambda key: key % 2 == 0, PAPER.keys(at, batch)))


def by_a_field_of_the_query(at: Any, batch: Any) -> Any:
    wanted = at.query.filtering_id if isinstance(at.query, FilteredQuery) else 0
    found = PAPER.keys(at, batch)
    return tuple(key for key in found if key >> SHIFT == wanted)


def backwards(at: Any, batch: Any) -> Any:
    return tuple(reversed(PAPER.keys(at, batch)))


def largest_first(at: Any, batch: Any) -> Any:
    return tuple(sorted(PAPER.keys(at, batch), reverse=True))


def by_their_last_byte(at: Any, batch: Any) -> Any:
    return tuple(sorted(PAPER.keys(at, batch), key=lambda key: key % 256))


def at_night_only(at: Any, batch: Any) -> Any:
    found = PAPER.keys(at, batch)
    if at.now % 86400 < 3600:
        return tuple(key for key in found if key < 1000)
    return found


CHOSEN = [
    *(by_a_generator, by_a_list, by_a_loop, by_a_filter, backwards, largest_first),
    *(by_their_last_byte, at_night_only, by_a_field_of_the_query),
]


@pytest.mark.parametrize("rule", CHOSEN, ids=named)
def test_keys_may_be_left_out_by_themselves(rule: Rule) -> None:
    core = core_of(replace(PAPER, keys=rule))
    assert core.kept == {}
    assert core.rules.keys is PAPER.keys


# Keys that tell of others, or of the batch.


def the_first_hundred(at: Any, batch: Any) -> Any:
    return PAPER.keys(at, batch)[:100]


def the_first_hundred_in_a_loop(at: Any, batch: Any) -> Any:
    kept: list[int] = []
    for key in PAPER.keys(at, batch):
        if len(kept) < 100:
            kept.append(key)
    return tuple(kept)


def up_to_a_key(at: Any, batch: Any) -> Any:
    kept = []
    for key in PAPER.keys(at, batch):
        if key > 1000:
            break
        kept.append(key)
    return tuple(kept)


def none_if_there_are_many(at: Any, batch: Any) -> Any:
    found = PAPER.keys(at, batch)
    return found if len(found) < 10 else ()


def none_if_one_is_there(at: Any, batch: Any) -> Any:
    found = PAPER.keys(at, batch)
    return () if 7 in found else found


def each_twice(at: Any, batch: Any) -> Any:
    return tuple(key for key in PAPER.keys(at, batch) for _ in (1, 2))


def twice_in_a_list(at: Any, batch: Any) -> Any:
    kept = []
    for key in PAPER.keys(at, batch):
        kept.append(key)
        kept.append(key)
    return tuple(kept)


def two_rounds(at: Any, batch: Any) -> Any:
    kept = []
    for _ in (1, 2):
        for key in PAPER.keys(at, batch):
            kept.append(key)
    return tuple(kept)


def both(at: Any, batch: Any) -> Any:
    return PAPER.keys(at, batch) + PAPER.keys(at, batch)


def in_the_order_of_their_sums(at: Any, batch: Any) -> Any:
    sums = PAPER.totals(at, batch)
    return tuple(sorted(PAPER.keys(at, batch), key=lambda key: sums[key]))


def with_a_large_sum(at: Any, batch: Any) -> Any:
    sums = PAPER.totals(at, batch)
    return tuple(key for key in PAPER.keys(at, batch) if sums.get(key, 0) > 10)


def in_the_order_of_appearance(at: Any, batch: Any) -> Any:
    found = (part.key for report in batch for part in report.contributions)
    return tuple(dict.fromkeys(found))


def as_a_set_has_them(at: Any, batch: Any) -> Any:
    return tuple(set(PAPER.keys(at, batch)))


def other_keys(at: Any, batch: Any) -> Any:
    return tuple(key + 1 for key in PAPER.keys(at, batch))


def of_half_the_batch(at: Any, batch: Any) -> Any:
    return PAPER.keys(at, batch[::2])


def by_what_the_batch_holds(at: Any, batch: Any) -> Any:
    return tuple(key for key in PAPER.keys(at, batch) if not batch[0].is_null)


def by_the_size_of_reports(at: Any, batch: Any) -> Any:
    size = sum(len(report.contributions) for report in batch)
    return tuple(key for key in PAPER.keys(at, batch) if key > size)


def with_a_note(at: Any, batch: Any) -> Any:
    seen: list[int] = []
    return tuple(k for k in PAPER.keys(at, batch) if not (seen or seen.append(k)))  # type: ignore[func-returns-value]


def with_a_note_of_the_file(at: Any, batch: Any) -> Any:
    return tuple(key for key in PAPER.keys(at, batch) if not (SEEN or SEEN.append(key)))  # type: ignore[func-returns-value]


def noted(key: int, seen: list[int] = []) -> bool:  # noqa: B006
    seen.append(key)
    return len(seen) < 100


def with_a_default(at: Any, batch: Any) -> Any:
    return tuple(key for key in PAPER.keys(at, batch) if noted(key))


def from_an_iterator(at: Any, batch: Any) -> Any:
    turns = iter(range(100))
    return tuple(key for key in PAPER.keys(at, batch) if next(turns, None) is not None)


def in_an_iterator(at: Any, batch: Any) -> Any:
    turns = (each for each in range(100))
    return tuple(key for key in PAPER.keys(at, batch) if key in turns)


def with_a_walrus(at: Any, batch: Any) -> Any:
    last = -1
    return tuple(key for key in PAPER.keys(at, batch) if last < 0 and (last := key) >= 0)


def by_the_round_before(at: Any, batch: Any) -> Any:
    kept, last = [], 0
    for key in PAPER.keys(at, batch):
        if key > last + 10:
            kept.append(key)
        last = key
    return tuple(kept)


def the_last_one(at: Any, batch: Any) -> Any:
    for key in PAPER.keys(at, batch):
        last = key
    return (last,)


def the_smallest(at: Any, batch: Any) -> Any:
    return (min(PAPER.keys(at, batch)),)


def by_the_smallest(at: Any, batch: Any) -> Any:
    found = PAPER.keys(at, batch)
    smallest = min(found, default=0)
    return tuple(key for key in found if key > smallest)


def rebound(at: Any, batch: Any) -> Any:
    found = (key for key in PAPER.keys(at, batch) if at.query.keys)
    at = replace(at, query=replace(at.query, keys=PAPER.keys(at, batch)))
    return tuple(found)


def not_for_large_keys(at: Any, batch: Any) -> Any:
    return tuple(key for key in PAPER.keys(at, batch) if 1 // (key - 7) >= 0)


def listed_keys(at: Any, batch: Any) -> Any:
    return at.query.keys


TELLING = [
    *(the_first_hundred, the_first_hundred_in_a_loop, up_to_a_key, none_if_there_are_many),
    *(none_if_one_is_there, each_twice, twice_in_a_list, two_rounds, both, listed_keys),
    *(in_the_order_of_their_sums, with_a_large_sum, in_the_order_of_appearance),
    *(as_a_set_has_them, other_keys, of_half_the_batch, by_what_the_batch_holds),
    *(by_the_size_of_reports, with_a_note, with_a_note_of_the_file, with_a_default),
    *(from_an_iterator, in_an_iterator, with_a_walrus, by_the_round_before, the_last_one),
    *(the_smallest, by_the_smallest, rebound, not_for_large_keys),
]


@pytest.mark.parametrize("rule", TELLING, ids=named)
def test_keys_that_tell_of_others_are_not_taken_off(rule: Rule) -> None:
    assert core_of(replace(PAPER, keys=rule)).kept["keys"]


# Sums of keys that are chosen by themselves.


def sums_of_a_prefix(at: Any, batch: Any) -> Any:
    sums = PAPER.totals(at, batch)
    return {key: total for key, total in sums.items() if selected(at.query, key)}


def sums_in_a_loop(at: Any, batch: Any) -> Any:
    kept = {}
    for key, total in PAPER.totals(at, batch).items():
        if selected(at.query, key):
            kept[key] = total
    return kept


def sums_of_some_queries(at: Any, batch: Any) -> Any:
    sums = PAPER.totals(at, batch)
    if at.now > 1000:
        return {key: total for key, total in sums.items() if key % 2}
    return sums


@pytest.mark.parametrize(
    "rule", [sums_of_a_prefix, sums_in_a_loop, sums_of_some_queries], ids=named
)
def test_sums_may_be_left_out_by_their_keys(rule: Rule) -> None:
    core = core_of(replace(PAPER, totals=rule))
    assert core.kept == {}
    assert core.rules.totals is PAPER.totals


def large_sums(at: Any, batch: Any) -> Any:
    return {key: total for key, total in PAPER.totals(at, batch).items() if total > 10}


def doubled_sums(at: Any, batch: Any) -> Any:
    return {key: 2 * total for key, total in PAPER.totals(at, batch).items()}


def moved_sums(at: Any, batch: Any) -> Any:
    return {key + 1: total for key, total in PAPER.totals(at, batch).items()}


def merged_sums(at: Any, batch: Any) -> Any:
    return {key // 2: total for key, total in PAPER.totals(at, batch).items()}


def sums_if_there_are_few(at: Any, batch: Any) -> Any:
    sums = PAPER.totals(at, batch)
    return {key: total for key, total in sums.items() if len(sums) < 10}


def the_other_sum(at: Any, batch: Any) -> Any:
    sums = PAPER.totals(at, batch)
    return {key: sums.get(key ^ 1, 0) for key, total in sums.items()}


def the_sum_before(at: Any, batch: Any) -> Any:
    kept, before = {}, 0
    for key, total in PAPER.totals(at, batch).items():
        kept[key] = before
        before = total
    return kept


def sums_up_to_a_key(at: Any, batch: Any) -> Any:
    kept = {}  # type: ignore[var-annotated]
    for key, total in PAPER.totals(at, batch).items():
        if key > 7:
            return kept
        kept[key] = total
    return kept


def sums_without_what_was_kept(at: Any, batch: Any) -> Any:
    kept: dict[int, int] = {}
    for key, total in PAPER.totals(at, batch).items():
        if key - 1 not in kept:
            kept[key] = total
    return kept


def sums_of_a_batch_twice(at: Any, batch: Any) -> Any:
    return {key: total for key, total in PAPER.totals(at, batch + batch).items() if key}


def stepped(total: int) -> int:
    return total // 16 * 16


def sums_in_steps(at: Any, batch: Any) -> Any:
    return {key: stepped(total) for key, total in PAPER.totals(at, batch).items()}


def noted_sums(at: Any, batch: Any) -> Any:
    return {key: total for key, total in PAPER.totals(at, batch).items() if noted(key)}


TOO_MUCH = [
    *(large_sums, doubled_sums, moved_sums, merged_sums, sums_if_there_are_few, the_other_sum),
    *(the_sum_before, sums_up_to_a_key, sums_without_what_was_kept, sums_of_a_batch_twice),
    *(sums_in_steps, noted_sums),
]


@pytest.mark.parametrize("rule", TOO_MUCH, ids=named)
def test_sums_that_depend_on_more_than_a_key_are_not_taken_off(rule: Rule) -> None:
    assert core_of(replace(PAPER, totals=rule)).kept["totals"]
