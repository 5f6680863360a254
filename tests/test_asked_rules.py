"""A rule that another rule asks is asked as in the paper, and what may raise is not taken off."""

from __future__ import annotations

import functools
from fractions import Fraction
from types import ModuleType
from typing import Any

import pytest

from proofs._core import core_of
from proofs._followed import _is_followed_module, _ours
from proofs.attribution_summaries_are_private import CHECK as SUMMARIES
from proofs.the_ledger_never_passes_the_caps import CHECK as LEDGER
from sandproof.about import Request
from sandproof.proposal import load
from spec import PAPER, Query, Report, Spent, replace
from spec.aggregation_service import settle
from spec.level1 import LIMITS
from spec.level1.rules import BadLevel1Limit
from spec.numbers import Base
from spec.rules import BadLimit
from spec.verdicts import Check, Evidence
from tests.corpus import HERE

ACCOUNT = Spent(queries=1)


def threshold_of_more(at: Any, batch: Any, outcome: Any) -> object:
    return outcome, at.rules.threshold(at, batch, batch)


def threshold_of_nothing(at: Any, _: Any, outcome: Any) -> object:
    return outcome, at.rules.threshold(at)


def charge_of_more(at: Any, batch: Any, outcome: Any) -> object:
    return outcome, tuple(at.rules.charge(at, Spent(), each, each) for each in batch)


def charge_of_none(at: Any, batch: Any, outcome: Any) -> object:
    return outcome, tuple(at.rules.charge(at, None, each) for each in batch)


def charge_of_another_account(at: Any, batch: Any, outcome: Any) -> object:
    return outcome, tuple(at.rules.charge(at, ACCOUNT, each) for each in batch)


def charge_of_a_made_account(at: Any, batch: Any, outcome: Any) -> object:
    return outcome, tuple(at.rules.charge(at, Spent(queries=-1), each) for each in batch)


def charge_by_another_default(at: Any, batch: Any, outcome: Any) -> object:
    ledger = at.service.ledger
    found = tuple(at.rules.charge(at, ledger.get(each.report_id), each) for each in batch)
    return outcome, found


def charge_of_one_or_the_other(at: Any, batch: Any, outcome: Any) -> object:
    held = Spent() if at.now else ACCOUNT
    return outcome, tuple(at.rules.charge(at, held, each) for each in batch)


@pytest.mark.parametrize(
    "rule",
    [
        *(threshold_of_more, threshold_of_nothing, charge_of_more, charge_of_none),
        *(charge_of_another_account, charge_of_a_made_account, charge_by_another_default),
        charge_of_one_or_the_other,
    ],
)
def test_nothing_else_may_be_given_to_a_rule_that_is_asked(rule: Any) -> None:
    assert set(core_of(replace(PAPER, reveal=rule)).kept) == {"reveal"}


def charge_of_what_is_held(at: Any, batch: Any, outcome: Any) -> object:
    ledger = at.service.ledger
    found = tuple(at.rules.charge(at, ledger.get(each.report_id, Spent()), each) for each in batch)
    return outcome, found, at.rules.threshold(at, batch)


def charge_from_nothing(at: Any, batch: Any, outcome: Any) -> object:
    return outcome, tuple(at.rules.charge(at, Spent(), each) for each in batch)


@pytest.mark.parametrize("rule", [charge_of_what_is_held, charge_from_nothing])
def test_what_the_ledger_holds_may_be_given(rule: Any) -> None:
    assert core_of(replace(PAPER, reveal=rule)).kept == {}


def shown_in_the_morning(at: Any, _: Any, outcome: Any) -> object:
    return (outcome, 1) if at.now % DAY < 3600 else outcome


def refused_in_the_morning(at: Any, spent: Any, report: Any) -> Any:
    return None if at.now % DAY < 3600 else PAPER.charge(at, spent, report)


def by_what_is_shown(at: Any, batch: Any, threshold: Any) -> Any:
    asked = at if at.rules.reveal(at, batch, 1) == 1 else replace(at, query=LOUD)
    return PAPER.noise(asked, batch, threshold)


def by_what_a_helper_asks(at: Any, batch: Any, threshold: Any) -> Any:
    asked = at if helper(at)() else replace(at, query=LOUD)
    return PAPER.noise(asked, batch, threshold)


def helper(at: Any) -> Any:
    return lambda: at.rules.charge(at, Spent(), REPORT) is not None


def by_the_papers_settle(at: Any, batch: Any, threshold: Any) -> Any:
    asked = replace(at, query=LOUD) if settle(at, (REPORT,))[1] is None else at
    return PAPER.noise(asked, batch, threshold)


def by_neither(at: Any, batch: Any, threshold: Any) -> Any:
    return PAPER.noise(at, batch, threshold)


DAY = 86400
LOUD = Query(epsilon=Fraction(1000))
REPORT = Report(report_id=1)


@pytest.mark.parametrize(
    ("noise", "kept"),
    [
        (by_what_is_shown, {"reveal"}),
        (by_what_a_helper_asks, {"charge"}),
        (functools.partial(by_what_a_helper_asks), {"charge"}),
        (by_the_papers_settle, {"charge"}),
        (by_neither, set()),
    ],
)
def test_what_a_rule_that_is_left_may_ask_is_not_taken_off(noise: Any, kept: set[str]) -> None:
    around = replace(PAPER, reveal=shown_in_the_morning, charge=refused_in_the_morning)
    assert core_of(around).kept == {}
    core = core_of(replace(around, noise=noise))
    assert set(core.kept) == kept
    assert all(why == "noise, which is left, may ask it" for why in core.kept.values())


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("noise_asks_what_is_revealed", SUMMARIES),
        ("rules_are_compared_as_a_whole", SUMMARIES),
        ("noise_by_how_the_service_begins", SUMMARIES),
        ("a_charge_asks_for_an_answer", LEDGER),
    ],
)
def test_what_a_proof_puts_in_the_place_of_rules_misleads_no_rule(name: str, check: Check) -> None:
    rules = load(Request(path=HERE / "unsound" / f"{name}.py")).rules
    assert check.run(rules).evidence is not Evidence.PROOF


def divided_by_one_or_nothing(at: Any, unit: Any, spent: Any, part: Any) -> object:
    if part.value // (0 if spent.value else 1) > 5:
        return spent, False
    return PAPER.admit(at, unit, spent, part)


def the_first_of_the_credits(at: Any, unit: Any, spent: Any, part: Any) -> object:
    return PAPER.admit(at, unit, spent, part) if (1, 2)[spent.value] else (spent, False)


def the_least_of_some(at: Any, unit: Any, spent: Any, part: Any) -> object:
    if min(each for each in (1, 2, 3) if each > spent.count) > 5:
        return spent, False
    return PAPER.admit(at, unit, spent, part)


def pairs_of_two_lengths(at: Any, unit: Any, spent: Any, part: Any) -> object:
    for one, other in zip(range(spent.count), range(3), strict=True):
        if one > other:
            return spent, False
    return PAPER.admit(at, unit, spent, part)


def divided_by_seven(at: Any, unit: Any, spent: Any, part: Any) -> Any:
    if (spent.value // 7) % 2 and min(part.value, spent.count) > 5:
        return spent, False
    return PAPER.admit(at, unit, spent, part)


RAISING = [
    *(divided_by_one_or_nothing, the_first_of_the_credits),
    *(the_least_of_some, pairs_of_two_lengths),
]


@pytest.mark.parametrize("rule", RAISING)
def test_what_may_raise_in_one_world_is_not_taken_off(rule: Any) -> None:
    kept = core_of(replace(PAPER, admit=rule)).kept
    assert "which may raise" in kept["admit"]


def test_what_cannot_raise_is_taken_off() -> None:
    assert core_of(replace(PAPER, admit=divided_by_seven)).kept == {}


def test_nobody_becomes_ours_by_a_name() -> None:
    module = ModuleType("proposal")
    exec("def rule(at): return at", vars(module))
    rule = module.rule
    for name in ("spec", "spec.reports", "proofs._core"):
        module.__name__ = rule.__module__ = name
        assert not _ours(rule)
        assert not _is_followed_module(module)
    module.__name__ = "math"
    assert not _is_followed_module(module)
    assert _ours(PAPER.charge)  # type: ignore[arg-type]


def test_limits_take_no_base_with_code_of_its_own() -> None:
    class Odd(Base):
        """Be a base that may compute its value in another way each time."""

    with pytest.raises(BadLimit, match="base must be a Base"):
        replace(PAPER.limits, base=Odd(Fraction(2)))
    with pytest.raises(BadLevel1Limit, match="base must be a Base"):
        replace(LIMITS, base=Odd(Fraction(2)))
