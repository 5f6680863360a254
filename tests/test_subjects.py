"""Rules are run on values they cannot look into: what looks further is unknown by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

import pytest

from proofs._proof import StepResult, assume, exists, for_all
from proofs._subjects import (
    SPECIFICATION,
    Inductive,
    asked,
    bounded,
    budget,
    certain,
    contribution,
    for_all_rules,
    name,
    null,
    opaque,
    plain,
    sealed,
    search,
    spent,
    stand_in,
    unchecked,
    with_limits,
)
from proofs._symbolic import NotSymbolic, explore, running
from spec import PAPER, Query, Report, Rules
from spec.aggregation_service import Spent
from spec.attribution_client import Trigger
from spec.distributions import Law, coin
from spec.rules import Limits
from spec.verdicts import Check, Evidence, Finding, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class DebugReport(Report):
    debug: bool = True


R = name(int, "report 1")
FAIR: bool | Law[bool] = coin(Fraction(1, 2))


def refusal(function: Callable[[], object]) -> str:
    with pytest.raises(NotSymbolic) as caught:
        explore(function)
    return str(caught.value)


LOOKS: dict[str, Callable[[], object]] = {
    "bool of the contents of a report in": lambda: sealed(R).is_null,
    "iter of the contents of a report in": lambda: list(sealed(R).contributions),
    "len of the contents of a report in": lambda: len(sealed(R).contributions),
    "type of a Report in": lambda: isinstance(sealed(R), DebugReport),
    ".debug of a Report in": lambda: getattr(sealed(R), "debug", False),
    "mod of report 1 in": lambda: sealed(R).report_id % 2,
    "lt of report 1 in": lambda: sealed(R).report_id < 7,
    "comparison of report 1 with a value in": lambda: sealed(R).report_id == 7,
    "type of report 1 in": lambda: isinstance(sealed(R).report_id, int),
    ".report_ids of a Query in": lambda: asked(Fraction(1), Fraction(0)).report_ids,
    ".delta of a Limits in": lambda: with_limits(PAPER, epsilon=Fraction(1)).limits.delta,
    ".value of a Trigger in": lambda: unchecked(Trigger, key=1).value,
    "hash of the batch in": lambda: {opaque(tuple, "the batch")},
    "eq of the batch in": lambda: opaque(tuple, "the batch") == (),
    "a draw from Distribution in": lambda: certain(FAIR),
}


@pytest.mark.parametrize("refused", LOOKS)
def test_what_looks_too_closely_is_refused_by_name(refused: str) -> None:
    assert refusal(LOOKS[refused]).startswith(refused)


def test_names_can_be_compared_and_be_keys() -> None:
    other = name(int, "report 2")
    assert R == R
    assert R != other
    assert {R: 1, other: 2}[other] == 2
    assert null(R).report_id is R


def test_a_value_keeps_its_kind_where_rules_need_it() -> None:
    assert isinstance(sealed(R), Report)
    assert isinstance(replace(budget(1, 2), count=3), type(budget(0, 0)))
    assert replace(spent(Fraction(1), Fraction(2)), delta=Fraction(3)).delta == 3


def test_equality_is_that_of_the_fields() -> None:
    assert spent(Fraction(0), Fraction(0)) == Spent()
    assert Spent() == spent(Fraction(0), Fraction(0))
    assert spent(Fraction(1), Fraction(0)) != Spent()
    assert contribution(3, "one key") != contribution(3, "another key")
    assert cast(object, spent(Fraction(1), Fraction(0))) != "spent"


def test_fields_that_were_not_given_are_missing_in_an_ordinary_run() -> None:
    with pytest.raises(AttributeError, match="report_ids"):
        asked(Fraction(1), Fraction(0)).report_ids  # noqa: B018


def test_a_subclass_is_not_taken_for_its_base() -> None:
    assert plain(sealed(R), Report).report_id is R
    with pytest.raises(NotSymbolic, match="a DebugReport in place of a Report"):
        plain(DebugReport(report_id=1), Report)


def test_a_rule_that_raises_leaves_the_statement_unknown() -> None:
    def broken(_: Query) -> int:
        raise KeyError("nothing")

    @for_all_rules("a statement")
    def statement(_: Rules, epsilon: Fraction) -> bool:
        return broken(asked(epsilon, epsilon)) > 0

    result = statement.decide(PAPER)
    assert result.verdict == "UNKNOWN"
    assert "KeyError in" in result.reason
    assert "broken" in result.reason


def test_a_search_refutes_by_what_it_finds() -> None:
    def find(limit: int) -> Mapping[str, object] | None:
        return {"n": 3} if limit < 3 else None

    found = search("small", over="nothing")(find)
    assert found.decide(5).verdict == "PROVED"
    assert found.decide(2).verdict == "REFUTED"
    assert found.decide(2).example == {"n": 3}


def test_a_search_that_fails_is_unknown() -> None:
    def find(divisor: int) -> Mapping[str, object] | None:
        return {"n": 1 // divisor}

    found = search("broken", over="nothing")(find)
    assert found.decide(0).verdict == "UNKNOWN"
    assert "ZeroDivisionError" in found.decide(0).reason


def inductive(start: int, growth: int) -> StepResult:
    """Decide that a number that starts here and grows so much stays below ten."""

    @for_all("preservation")
    def step(_: None, n: int) -> bool:
        assume(0 <= n, n <= 10)
        return n + growth <= 10

    @for_all("from the beginning")
    def reachable(_: None, steps: int) -> bool:
        assume(0 <= steps, steps <= 2)
        return start + steps * growth <= 10

    return Inductive(step=step, reachable=reachable).decide(None)


def test_an_invariant_that_is_preserved_is_proved() -> None:
    assert inductive(0, 0).verdict == "PROVED"


def test_an_invariant_is_refuted_by_a_run_from_the_beginning_only() -> None:
    assert inductive(5, 4).verdict == "REFUTED"
    assert inductive(5, 4).example == {"steps": 2}
    assert inductive(5, 4).name == "from the beginning"
    unclear = inductive(0, 1)
    assert unclear.verdict == "UNKNOWN"
    assert unclear.reason.startswith("not inductive")


def test_a_loop_that_is_not_the_papers_is_decided_up_to_the_bound() -> None:
    proved = Finding(claim="c", check="proof", evidence=Evidence.PROOF, bound="all values")
    check = Check(claim="c", name="proof", run=lambda _: proved, controls=())
    limited = bounded(check, papers_own=("settle",), bound="two reports")
    assert limited.run(PAPER) is proved
    assert limited.run(replace(PAPER, charge=PAPER.charge)) is proved
    found = limited.run(replace(PAPER, settle=lambda *_: (_[1], None)))
    assert (found.verdict, found.bound) == (Verdict.SEARCHED, "two reports")
    assert "settle" in found.detail


def test_a_witness_must_exist() -> None:
    @exists("a number")
    def witness(_: None, n: int) -> bool:
        return n * n == 2

    assert witness.decide(None).verdict == "UNKNOWN"


def test_what_can_only_be_run_symbolically_is_not_replayed_and_stays_unknown() -> None:
    @for_all("a name is compared where a number is small")
    def statement(_: object, number: int) -> bool:
        assume(0 <= number)
        return number < 3 or name(int, "a name") == number

    found = statement.decide(None)
    assert found.verdict == "UNKNOWN"
    assert "comparison of a name with a value" in found.reason


def test_a_replay_that_needs_symbols_leaves_a_statement_unknown() -> None:
    @for_all("a number is small, and a name can be compared")
    def statement(_: object, number: int) -> bool:
        return number < 3 if running() else name(int, "a name") == number

    found = statement.decide(None)
    assert (found.verdict, found.alarm) == ("UNKNOWN", False)
    assert "cannot be replayed" in found.reason


def test_a_stand_in_answers_the_specification_only() -> None:
    sent = stand_in(lambda at, granted: (at, granted))
    with pytest.raises(NotSymbolic, match="in whose place another one stands"):
        explore(lambda: sent(None, ()))
    asking = compile("asked(None, ())", str(SPECIFICATION / "system.py"), "eval")
    assert explore(lambda: eval(asking, {"asked": sent}))


def test_an_opaque_value_stands_in_no_field_that_may_be_none() -> None:
    with pytest.raises(TypeError, match=r"Limits\.maximum_queries may be None"):
        unchecked(Limits, maximum_queries=opaque(int, "the most queries"))
    assert unchecked(Limits, maximum_queries=None).maximum_queries is None
