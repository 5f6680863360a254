"""Rules that slip past a proof: what tells a symbolic run from a real one proves nothing.

Every rule here is unsound, and every one is a way in which a proof could be passed by. Beside them
stand sound rules that use the same means and must be proved.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from fractions import Fraction
from functools import partial
from itertools import count
from typing import Any, ClassVar, cast

import pytest
from immutables import Map

from proofs import CHECKS
from proofs._followed import Table
from proofs._proof import Statement, StepResult
from proofs._symbolic import NotSymbolic, explore, free
from spec import PAPER, Answer, Budget, Contribution, Draw, Report, Rules, Spent, Trigger
from spec.contributions import Cause, Credit, Unit, send
from spec.neighbours.relation import SharedDraws
from spec.reports import Sent
from spec.rules import AtContribution, AtService
from spec.verdicts import Finding, Verdict

LISTED = frozenset({4096, 7 << 20})
RATES = {4096: 0, 8192: 1}
RATES_MAP = Map(RATES)
FREE = (3 << 100, 4096)
BAND = range(20_001, 21_000)
CALLS: list[int] = []
TICKS = count()
CHECK = {check.claim: check for check in CHECKS}


def found_by(claim: str, rules: Rules) -> Finding:
    return CHECK[claim].run(rules)


def uncounted(tells: Callable[[Contribution, Cause], object]) -> Rules:
    """Admit without counting what a test tells."""

    def admit(
        at: AtContribution, unit: Unit, spent: Budget, part: Contribution
    ) -> tuple[Budget, bool]:
        return (spent, True) if tells(part, at.cause) else PAPER.admit(at, unit, spent, part)

    return replace(PAPER, admit=admit)


class Pretends(int):
    """Be a number whose comparison is code of a proposal."""

    def __eq__(self, other: object) -> bool:
        return time.time() > 0

    __hash__ = int.__hash__


def caught(part: Contribution) -> bool:
    try:
        return part.value.bit_length() < 0
    except BaseException:
        return False
    finally:
        CALLS.append(1)


def caught_type(part: Contribution) -> bool:
    try:
        return int.bit_length(part.value) > 7
    except TypeError:
        return False


def counted_calls(part: Contribution) -> bool:
    CALLS.append(part.value)
    return len(CALLS) > 1000


def formatted(part: Contribution) -> bool:
    return f"{part.value.real}" == "7"


def matched(part: Contribution) -> bool:
    match part.value:
        case Fraction():
            return False
        case _:
            return True


def kept() -> Callable[[Contribution, Cause], bool]:
    calls = 0

    def tells(_: Contribution, __: Cause) -> bool:
        nonlocal calls
        calls += 1
        return calls > 1000

    return tells


def by_default(part: Contribution, _: Cause, listed: frozenset[int] = LISTED) -> bool:
    return part.key in listed


def in_closure(listed: frozenset[int]) -> Callable[[Contribution, Cause], bool]:
    return lambda part, _: part.key in listed


def exact_type(part: Contribution) -> bool:
    return type(part.value) is int and part.value in BAND


class ByRemainder:
    """Be an entry of a table that compares by code of a proposal."""

    def __eq__(self, other: object) -> bool:
        return type(other) is int and other % 97 == 13

    def __hash__(self) -> int:
        return 13


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Be a plain class, but for what it holds by itself."""

    kind_of: ClassVar[type] = type
    tests: ClassVar[tuple[Callable[[Contribution], bool], ...]] = (exact_type,)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByDefault:
    """Be a plain class, but for the defaults of its fields."""

    ticks: Iterator[int] = TICKS
    test: Callable[[Contribution], bool] = exact_type


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiers:
    """Be a plain class whose instance holds functions in a map."""

    tests: Map[int, Callable[[Contribution], bool]]


TESTS = frozenset({exact_type})
TESTED = {exact_type: 0}
REMAINDERS = frozenset({ByRemainder()})
NOTED = Answer(released=[])  # type: ignore[arg-type]
COUNTED = Budget(value=TICKS)  # type: ignore[arg-type]
LISTED_TESTS = Answer(released=[exact_type])  # type: ignore[arg-type]
TIERS = Tiers(tests=Map({0: exact_type}))
SHARED = SharedDraws(cast(Draw, None))


def noted(part: Contribution) -> bool:
    NOTED.released.append(part.value)  # type: ignore[attr-defined]
    return len(NOTED.released) > 1000


def shared(part: Contribution) -> bool:
    SHARED.drawn.append(part.value)  # type: ignore[arg-type]
    return len(SHARED.drawn) > 1000


SLIPS: dict[str, Callable[[Contribution, Cause], object]] = {
    "a key in a set": lambda part, _: part.key in LISTED,
    "a key in a literal set": lambda part, _: part.key in {4096, 8192},
    "a key in a tuple": lambda part, _: part.key in FREE,
    "a key in a dictionary": lambda part, _: part.key in RATES,
    "a key looked up": lambda part, _: RATES.get(part.key, 1) == 0,
    "a key looked up in a map": lambda part, _: RATES_MAP.get(part.key, 1) == 0,
    "a key in a local set": lambda part, _: part.key in set(FREE),
    "a key in a default": by_default,
    "a key in a closure": in_closure(LISTED),
    "a key in a partial function": partial(by_default, listed=frozenset({5})),
    "a key's upper bits": lambda part, _: part.key >> 96 == 0xBEEF,
    "a key's masked bits": lambda part, _: part.key & 0xFF00 == 0xBE00,
    "a key's hash": lambda part, _: hash(part.key) % 97 == 13,
    "a value in a range": lambda part, _: part.value in BAND,
    "an exact type": lambda part, _: type(part.value) is int and part.value in BAND,
    "a type of numbers": lambda part, _: not isinstance(part.value, Fraction),
    "a pattern": lambda part, _: matched(part),
    "a truth value by identity": lambda part, _: (part.value > 10) is True,
    "a number by identity": lambda part, _: part.value is part.value + 0,
    "an attribute of the symbol": lambda part, _: not hasattr(part.value, "_term"),
    "an attribute of numbers": lambda part, _: hasattr(part.value, "bit_length"),
    "an attribute of fractions": lambda part, _: not hasattr(part.value, "from_float"),
    "an attribute of what is made up": lambda part, _: not hasattr(part, "_stands_for"),
    "a class": lambda part, _: part.value.__class__.__name__ == "int" and part.value > 9,
    "a text": lambda part, _: str(part.value) == "7",
    "a formatted text": lambda part, _: f"{part.value}" == "7",
    "a format of a text": lambda part, _: formatted(part),
    "an identity": lambda part, _: id(part.value) % 3 == 0,
    "a caught refusal": lambda part, _: caught(part),
    "a caught error": lambda part, _: caught_type(part),
    "the clock": lambda _, __: time.time() > 2_000_000_000,
    "the date": lambda _, __: date.today().year >= 2040,
    "a random number": lambda _, __: random.random() < 0.0001,
    "a count of calls": lambda part, _: counted_calls(part),
    "a counter": lambda _, __: next(TICKS) > 1000,
    "a kept variable": kept(),
    "a number that pretends": lambda part, _: Pretends(3) == part.value,
    "a file": lambda _, __: open("/etc/hostname").read() == "x",  # noqa: SIM115
    "an import": lambda _, __: __import__("os").environ.get("HOME") == "x",
    "a function in a set": lambda part, _: any(test(part) for test in TESTS),
    "a function as an entry": lambda part, _: any(test(part) for test in TESTED),
    "a function in a list": lambda part, _: any(t(part) for t in LISTED_TESTS.released),  # type: ignore[operator]
    "a function in a map of a value": lambda part, _: TIERS.tests[0](part),
    "a function of a class": lambda part, _: Named.tests[0](part),
    "a class of a class": lambda part, _: Named.kind_of(part.value) == int,  # noqa: E721
    "a function by default": lambda part, _: ByDefault().test(part),
    "a counter by default": lambda _, __: next(ByDefault().ticks) > 1000,
    "a counter in a value": lambda _, __: next(COUNTED.value) > 1000,  # type: ignore[call-overload]
    "a list in a value": lambda part, _: noted(part),
    "a list in an object": lambda part, _: shared(part),
    "an entry that compares by code": lambda part, _: part.value in REMAINDERS,
    "the type of the cause": lambda part, cause: type(cause).__name__ == "Event" and part.value,
}


@pytest.mark.parametrize("slip", SLIPS)
def test_what_is_admitted_without_being_counted_is_not_proved(slip: str) -> None:
    found = found_by("contributions_stay_within_budget", uncounted(SLIPS[slip]))
    assert found.verdict in (Verdict.UNKNOWN, Verdict.REFUTED), found


def test_a_counterexample_names_the_key() -> None:
    found = found_by("contributions_stay_within_budget", uncounted(SLIPS["a key in a set"]))
    assert found.verdict is Verdict.REFUTED
    assert found.counterexample is not None
    assert {"4096", str(7 << 20)} & set(found.counterexample.values())


def test_a_refusal_names_the_line() -> None:
    found = found_by("contributions_stay_within_budget", uncounted(SLIPS["the date"]))
    assert "the class datetime.date" in found.detail
    assert ", line " in found.detail


def spared(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Charge nothing for one shard of the reports."""
    return spent if report.report_id & 15 == 3 else PAPER.charge(at, spent, report)


def test_reports_that_are_not_charged_are_not_proved() -> None:
    found = found_by("the_ledger_never_passes_the_caps", replace(PAPER, charge=spared))
    assert found.verdict is Verdict.REFUTED


def registered(at: AtService, key: int, noisy: int, threshold: int | None) -> bool:
    """Let the keys of a registry through."""
    return key in LISTED or PAPER.releases(at, key, noisy, threshold)


def test_keys_that_pass_unseen_are_not_proved() -> None:
    found = found_by("absent_keys_are_never_released", replace(PAPER, releases=registered))
    assert found.verdict in (Verdict.UNKNOWN, Verdict.REFUTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """Be shown as equal, whatever the contents."""

    report_id: int
    payload: object = field(compare=False)


def show_payload(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    (sent,) = send(at, granted)
    payload = sent.report.contributions
    return (replace(sent, shown=Sealed(report_id=sent.report.report_id, payload=payload)),)


def test_a_payload_that_does_not_take_part_in_comparisons_is_seen() -> None:
    found = found_by("a_report_is_sent_for_every_trigger", replace(PAPER, send=show_payload))
    assert found.verdict in (Verdict.UNKNOWN, Verdict.REFUTED)


class Site(StrEnum):
    """Be texts of a type of their own."""

    SHOES = "shoes.example"


SITES = frozenset(Site)
LISTED_SITES = Answer(released=list(Site))  # type: ignore[arg-type]


def tell_sites(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Show some sites whether a report is real."""
    sent = send(at, granted)
    if isinstance(at.cause, Trigger) and at.cause.destination in SITES:
        return tuple(replace(each, shown=len(granted)) for each in sent)
    return sent


def tell_listed_sites(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Show some sites whether a report is real."""
    sent = send(at, granted)
    listed = cast(list[str], LISTED_SITES.released)
    if isinstance(at.cause, Trigger) and at.cause.destination in listed:
        return tuple(replace(each, shown=len(granted)) for each in sent)
    return sent


@pytest.mark.parametrize("rule", [tell_sites, tell_listed_sites])
def test_texts_of_another_type_are_not_passed_by(rule: Callable[..., tuple[Sent, ...]]) -> None:
    found = found_by("a_report_is_sent_for_every_trigger", replace(PAPER, send=rule))
    assert found.verdict is Verdict.UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharded:
    """Be an entry of the ledger that is equal in every shard, and found in its own only."""

    report_id: int
    shard: int = field(compare=False, hash=True)


def entry_in_a_shard(at: AtService, report: Report) -> tuple[object, ...]:
    return (Sharded(report_id=report.report_id, shard=at.now // 43_200 % 2),)


def test_entries_with_a_hash_of_their_own_are_not_proved() -> None:
    rules = replace(PAPER, budget_entries=entry_in_a_shard)
    assert found_by("the_ledger_never_passes_the_caps", rules).verdict is Verdict.UNKNOWN


# What a proof runs on is small: a rule must not tell it from what is large.


def charge_first(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Let reports go free once the ledger has many entries."""
    return spent if len(at.service.ledger) > 1000 else PAPER.charge(at, spent, report)


def admit_many(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Count nothing once the client knows many units."""
    if len(at.client.budgets) > 1000:
        return spent, True
    return PAPER.admit(at, unit, spent, contribution)


def double_many(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Write everything twice into the report where many units are credited."""
    return send(at, granted * 2 if len(granted) > 1000 else granted)


def show_size(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Show whether a report has many contributions, as the report itself tells."""
    (sent,) = send(at, granted)
    return (replace(sent, shown=len(sent.report.contributions) > 1000),)


def by_epsilon(at: AtService, report: Report) -> tuple[object, ...]:
    """Keep a ledger for small queries and one for large ones."""
    return ((report.report_id, at.query.epsilon > Fraction(1, 1000)),)


SMALL_OR_LARGE = {
    "the ledger": ("the_ledger_never_passes_the_caps", replace(PAPER, charge=charge_first)),
    "the ledger, in a charge that aborts": (
        "abort_does_not_depend_on_attribution",
        replace(PAPER, charge=charge_first),
    ),
    "the ledger's entries": (
        "the_ledger_never_passes_the_caps",
        replace(PAPER, budget_entries=by_epsilon),
    ),
    "the client": ("contributions_stay_within_budget", replace(PAPER, admit=admit_many)),
    "what is granted": (
        "client_and_service_refine_the_mechanism",
        replace(PAPER, send=double_many),
    ),
    "what is reported": ("a_report_is_sent_for_every_trigger", replace(PAPER, send=show_size)),
}


@pytest.mark.parametrize("what", SMALL_OR_LARGE)
def test_a_rule_that_tells_small_states_from_large_ones_is_not_proved(what: str) -> None:
    found = found_by(*SMALL_OR_LARGE[what])
    assert found.verdict in (Verdict.UNKNOWN, Verdict.REFUTED), found


NAMES = frozenset({"alpha", "beta", "gamma", "delta"})


@pytest.mark.parametrize("tables", [NAMES, Map(dict.fromkeys(NAMES))])
def test_the_order_of_texts_in_a_set_decides_nothing(tables: Iterable[str]) -> None:
    first = min(NAMES)

    def charge(at: AtService, spent: Spent, report: Report) -> Spent | None:
        for name in tables:
            if name < first:
                return spent
        return PAPER.charge(at, spent, report)

    found = found_by("null_reports_are_charged", replace(PAPER, charge=charge))
    assert found.verdict is Verdict.UNKNOWN
    assert "the order of a set of texts" in found.detail


# Sound rules that use the same means.


def refuse_listed(
    at: AtContribution, unit: Unit, spent: Budget, part: Contribution
) -> tuple[Budget, bool]:
    """Refuse the keys of a table, and those of some campaigns."""
    if part.key in LISTED or RATES.get(part.key, 1) == 0 or part.key >> 96 == 0xBEEF:
        return spent, False
    return PAPER.admit(at, unit, spent, part)


def twice_for_some(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Charge reports of one shard, and reissued ones, twice."""
    dear = report.report_id & 15 == 3 or report.report_id in BAND
    cost = replace(at.query, epsilon=at.query.epsilon * (2 if dear else 1))
    return PAPER.charge(replace(at, query=cost), spent, report)


@pytest.mark.parametrize(
    ("claim", "rules"),
    [
        ("contributions_stay_within_budget", replace(PAPER, admit=refuse_listed)),
        ("the_ledger_never_passes_the_caps", replace(PAPER, charge=twice_for_some)),
        ("abort_does_not_depend_on_attribution", replace(PAPER, charge=twice_for_some)),
    ],
)
def test_a_table_that_only_refuses_or_charges_more_is_proved(claim: str, rules: Rules) -> None:
    found = found_by(claim, rules)
    assert found.verdict is Verdict.PROVED, found.detail


def test_a_report_that_leaves_later_for_listed_ad_techs_is_proved() -> None:
    def late(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
        delayed = at.cause is not None and at.cause.report_id % 2 == 0
        later = at.now + 3600 * delayed
        return tuple(replace(each, arrival=later) for each in send(at, granted))

    found = found_by("a_report_is_sent_for_every_trigger", replace(PAPER, send=late))
    assert found.verdict is Verdict.PROVED, found.detail


def decided(holds: Callable[..., bool]) -> StepResult:
    return Statement[None](name="statement", holds=holds).decide(None)


def test_bits_are_those_of_the_number() -> None:
    for mask in (0, 1, 6, 0xF0F, 0b101010):

        def holds(_: None, n: int) -> bool:
            return all(
                ((n & mask) == (known & mask))  # noqa: B023
                & ((n | mask) == (known | mask))  # noqa: B023
                & ((n ^ mask) == (known ^ mask))  # noqa: B023
                & ((n >> 2) == known >> 2)
                & ((n << 3) == known << 3)
                & (~n == ~known)
                for known in (-5, 0, 77)
                if n == known
            )

        assert decided(holds).verdict == "PROVED"


def test_texts_fork_on_equality() -> None:
    def told(destination: str) -> str:
        if destination == "a.example":
            return "a"
        return "b" if destination in ("b.example", "c.example") else "other"

    found = explore(lambda: told(free("destination", str)))
    assert {path.returned for path in found.paths} == {"a", "b", "other"}


COUNT = len


def test_a_function_is_the_same_under_another_name() -> None:
    rules = uncounted(lambda _, __: COUNT == len)
    assert found_by("contributions_stay_within_budget", rules).verdict is Verdict.REFUTED


def pair() -> Any:
    return Table({1: 2}, {1: 2})


UNLIKE_A_TABLE: dict[str, Callable[[], object]] = {
    "keys as a tuple": lambda: pair().keys() == (1,),
    "values as a tuple": lambda: pair().values() == (2,),
    "items as a tuple": lambda: pair().items() != ((1, 2),),
    "keys that are added": lambda: pair().keys() + pair().keys(),
    "a look-up in a set": lambda: Table(frozenset({1})).get(1),
    "keys of a list": lambda: Table([1]).keys(),
    "values of a set": lambda: Table({1}).values(),
}


@pytest.mark.parametrize("asked", UNLIKE_A_TABLE)
def test_a_table_does_nothing_that_a_real_one_does_not(asked: str) -> None:
    with pytest.raises(NotSymbolic):
        explore(UNLIKE_A_TABLE[asked])


def test_what_a_table_lists_can_be_gone_through() -> None:
    assert [*pair().keys(), *pair().values(), *pair().items()] == [1, 2, (1, 2)]
    assert (len(pair().items()), 2 in pair().values(), 1 in pair().values()) == (1, True, False)
