"""Rules that share a memory are not proved, though each of them alone would be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from heapq import heappush
from itertools import count
from typing import Any

import pytest
from immutables import Map

from proofs import CHECKS
from proofs._memory import memory_of
from spec import (
    PAPER,
    Answer,
    AtService,
    AtTrigger,
    Contribution,
    Report,
    Rules,
    Source,
    Spent,
    replace,
)
from spec.verdicts import Verdict

CHECK = {check.claim: check for check in CHECKS}
SEEN: list[int] = []
TABLE = {54_321: 1}
HELD = Answer(released=[])  # type: ignore[arg-type]
TICKS = count()
NOTE = SEEN.append
flag = 0


def append(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    SEEN.append(at.cause.value)
    return PAPER.contributions(at, source)


def append_by_another_name(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    seen = SEEN
    seen += [at.cause.value]
    return PAPER.contributions(at, source)


def append_by_a_method(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    NOTE(at.cause.value)
    return PAPER.contributions(at, source)


def append_by_a_function(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    heappush(SEEN, at.cause.value)
    return PAPER.contributions(at, source)


def helper(seen: list[int], value: int) -> None:
    seen.insert(0, value)


def append_in_a_helper(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    helper(SEEN, at.cause.value)
    return PAPER.contributions(at, source)


def append_in_a_value(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    HELD.released.append(at.cause.value)  # type: ignore[attr-defined]
    return PAPER.contributions(at, source)


def append_to(seen: list[int], at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    seen.append(at.cause.value)
    return PAPER.contributions(at, source)


def store(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    TABLE[at.cause.value] = 0
    return PAPER.contributions(at, source)


def tick(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    next(TICKS)
    return PAPER.contributions(at, source)


def set_a_global(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    global flag
    flag = at.cause.value
    return PAPER.contributions(at, source)


def reading(tells: Callable[[], object]) -> Callable[..., Spent | None]:
    """Return a charge that is free if something tells so."""

    def charge(at: AtService, spent: Spent, report: Report) -> Spent | None:
        return spent if tells() else PAPER.charge(at, spent, report)

    return charge


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Hold a rule that writes and one that reads."""

    writes: Callable[..., tuple[Contribution, ...]]
    reads: Callable[[], object]

    @property
    def rules(self) -> Rules:
        """Return the paper's rules with both."""
        changed: dict[str, Any] = {"contributions": self.writes, "charge": reading(self.reads)}
        return replace(PAPER, **changed)


PAIRS = (
    Pair(writes=append, reads=lambda: SEEN),
    Pair(writes=append_by_another_name, reads=lambda: len(SEEN)),
    Pair(writes=append_by_a_method, reads=lambda: SEEN),
    Pair(writes=append_by_a_function, reads=lambda: SEEN),
    Pair(writes=append_in_a_helper, reads=lambda: SEEN),
    Pair(writes=append_in_a_value, reads=lambda: HELD.released),
    Pair(writes=partial(append_to, SEEN), reads=lambda: SEEN),
    Pair(writes=store, reads=lambda: TABLE[54_321] == 0),
    Pair(writes=tick, reads=lambda: next(TICKS) > 1000),
    Pair(writes=set_a_global, reads=lambda: flag),
)


def set_back(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    object.__setattr__(at.client, "budgets", Map())
    return PAPER.contributions(at, source)


def set_by_name(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    getattr(object, "__setattr__")(at.client, "budgets", Map())  # noqa: B009
    return PAPER.contributions(at, source)


def set_item(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    TABLE.__setitem__(at.cause.value, 0)
    return PAPER.contributions(at, source)


def make_a_class(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    class Large(int):
        def __le__(self, other: object) -> bool:
            return True

    return (Contribution(key=0, value=Large(10**9)),)


def make_a_type(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    large = type("Large", (int,), {"__le__": lambda *_: True})
    return (Contribution(key=0, value=large(10**9)),)


def import_something(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    import operator

    operator.setitem(TABLE, at.cause.value, 0)
    return PAPER.contributions(at, source)


class Large(int):
    """Be a number that is never above a budget."""

    def __le__(self, other: object) -> bool:
        return True


KINDS = (Large,)


def take_a_class(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    return (Contribution(key=0, value=KINDS[0](10**9)),)


@dataclass(frozen=True, slots=True)
class Called:
    """Be a rule that is an object."""

    def __call__(self, at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
        return (Contribution(key=0, value=Large(10**9)),)


@pytest.mark.parametrize(
    "rule",
    [
        *(set_back, set_by_name, set_item, make_a_class, make_a_type, import_something),
        *(take_a_class, partial(take_a_class), Called()),
    ],
    ids=lambda rule: getattr(rule, "__name__", type(rule).__name__),
)
def test_a_rule_that_could_do_more_than_compute_is_named(rule: Any) -> None:
    rules = replace(PAPER, contributions=rule)
    assert memory_of(rules)
    found = CHECK["attribution_summaries_are_private"].run(rules)
    assert found.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("pair", PAIRS)
def test_what_two_rules_share_and_one_can_change_is_named(pair: Pair) -> None:
    assert memory_of(pair.rules)


def test_a_proof_of_one_of_them_is_none() -> None:
    found = CHECK["null_reports_are_charged"].run(PAIRS[-1].rules)
    assert found.verdict is Verdict.UNKNOWN
    assert found.detail == "flag, which is kept for the next call, in set_a_global"


def look_up(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    found: list[Contribution] = []
    found.extend(PAPER.contributions(at, source))
    return tuple(found) if at.cause.value in LISTED else ()


LISTED = (54_321, 77)


def test_a_table_that_nobody_can_change_may_be_shared() -> None:
    assert not memory_of(Pair(writes=look_up, reads=lambda: 5 in LISTED).rules)


def test_a_list_that_both_only_read_may_be_shared() -> None:
    def reads(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
        return PAPER.contributions(at, source) if at.cause.value in SEEN else ()

    assert not memory_of(Pair(writes=reads, reads=lambda: 5 in SEEN).rules)


def charge_by_an_attribute(at: AtService, spent: Spent, report: Report) -> Spent | None:
    late = getattr(at, "now", 0) > 10**9
    return PAPER.charge(at, replace(spent, queries=0) if late else spent, report)


def test_what_a_chain_has_found_of_a_lemma_is_no_proof_of_rules_that_remember() -> None:
    rules = replace(PAPER, charge=charge_by_an_attribute)
    assert memory_of(rules)
    for claim in ("attribution_summaries_are_private", "the_ledger_never_passes_the_caps"):
        assert CHECK[claim].run(rules).verdict is not Verdict.PROVED
