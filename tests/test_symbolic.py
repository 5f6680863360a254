"""The symbolic runner follows what Python does, and refuses by name what it cannot follow."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import cast

import pytest
from immutables import Map

from proofs import _symbolic
from proofs._followed import Place
from proofs._opaque import Unknown, opaque
from proofs._proof import Statement, StepResult, assume, for_all
from proofs._solvers import Exact
from proofs._subjects import any_text, unchecked
from proofs._symbolic import (
    NotSymbolic,
    boolean,
    counting,
    explore,
    fraction,
    integer,
    loosely,
    number_of,
    rational,
    text_of,
)
from spec.rules import Limits


def decided(holds: Callable[..., bool]) -> StepResult:
    """Decide a statement that needs no subject."""
    return Statement[None](name="statement", holds=holds).decide(None)


def outcomes(function: Callable[..., object], *arguments: object) -> list[object]:
    """Return what a function returns or raises, path by path."""
    paths = explore(function, *arguments).paths
    return [path.raised or path.returned for path in paths]


TEXTS = ("", "a", "aa", "b", "\0", "\0a", "\x01", "é", "\ud83d\ude00", "😀", "\ud83d", "name 2")


def test_every_text_has_a_number_of_its_own() -> None:
    assert len({number_of(each) for each in TEXTS}) == len(TEXTS)
    assert [text_of(number_of(each)) for each in TEXTS] == list(TEXTS)


@pytest.mark.parametrize("number", [-1, 1, 2, 255, 257 << 8 | 255, 1 << 16 | 0xC0AF])
def test_a_number_that_no_text_has_gets_a_name(number: int) -> None:
    found = text_of(number)
    assert found == f"name {number}" or number_of(found) == number


def test_a_comparison_forks_the_path() -> None:
    def sign(number: int) -> str:
        if number < 0:
            return "negative"
        return "zero" if number == 0 else "positive"

    assert sorted(map(str, outcomes(sign, integer("n")))) == ["negative", "positive", "zero"]


def test_an_impossible_branch_is_left_out_and_remembered() -> None:
    def twice(number: int) -> str:
        if number > 3:
            return "large" if number > 2 else "never"
        return "small"

    found = explore(twice, integer("n"))
    assert {path.returned for path in found.paths} == {"large", "small"}
    assert len(found.impossible) == 1


def test_a_branch_that_was_left_out_is_part_of_the_obligation() -> None:
    def holds(_: None, n: int) -> bool:
        if n > 3:
            return n > 2 or n == 17
        return True

    result = decided(holds)
    assert result.verdict == "PROVED"
    (together,) = result.decisions
    assert together.obligation.name.endswith(", all paths")
    assert len(explore(holds, None, integer("n")).impossible) == 1
    assert re.search(r"\bn 2\)|\b2 n\)", together.obligation.text)


def test_the_same_question_is_asked_once() -> None:
    def repeated(number: int) -> int:
        return sum(1 for _ in range(5) if number > 0)

    assert sorted(map(str, outcomes(repeated, integer("n")))) == ["0", "5"]


def test_minimum_and_maximum() -> None:
    def holds(_: None, a: Fraction, b: Fraction, c: int) -> bool:
        low, high = min(a, b, Fraction(1) * c), max(a, b, Fraction(1) * c)
        return low <= a <= high and low <= b <= high and low <= c and low in (a, b, c)

    assert decided(holds).verdict == "PROVED"


def test_absolute_value_and_negation_do_not_fork() -> None:
    found = explore(lambda a: abs(a) >= -a, rational("a"))
    assert len(found.paths) == 1


def test_a_loop_over_a_known_length() -> None:
    def holds(_: None, a: int, b: int, c: int) -> bool:
        assume(a >= 0, b >= 0, c >= 0)
        total = 0
        for number in sorted([a, b, c]):
            total += number
        return total == sum((a, b, c)) and max(a, b, c) <= total

    assert decided(holds).verdict == "PROVED"


def test_sums_of_truth_values_count() -> None:
    def holds(_: None, a: int, b: int) -> bool:
        return sum([a > 0, b > 0, a + b > 0]) != 1 or not (a > 0 and b > 0)

    assert decided(holds).verdict == "PROVED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    spent: int
    limit: int

    def __post_init__(self) -> None:
        if not isinstance(self.spent, int) or isinstance(self.spent, bool):
            raise TypeError(f"spent must be an int, not {self.spent}")
        if self.spent > self.limit:
            raise OverflowError(f"{self.spent} is above {self.limit}")


def pay(account: Account, amount: int) -> Account | None:
    if account.spent + amount > account.limit:
        return None
    return replace(account, spent=account.spent + amount)


def test_dataclasses_replace_and_early_return() -> None:
    def holds(_: None, spent: int, limit: int, amount: int) -> bool:
        assume(spent <= limit)
        after = pay(Account(spent=spent, limit=limit), amount)
        return after is None or (after.spent <= limit and after.limit == limit)

    assert decided(holds).verdict == "PROVED"


def test_an_exception_is_an_outcome() -> None:
    found = explore(lambda a, b: Account(spent=a, limit=b), integer("a"), integer("b"))
    kinds = {type(path.raised) for path in found.paths}
    assert kinds == {type(None), OverflowError}


def test_an_exception_that_is_not_caught_refutes_and_replays() -> None:
    def holds(_: None, a: int, b: int) -> bool:
        return Account(spent=a, limit=b).spent <= b

    result = decided(holds)
    assert result.verdict == "REFUTED"
    assert "OverflowError" in result.reason


def test_an_exception_can_be_part_of_the_statement() -> None:
    def holds(_: None, a: int, b: int) -> bool:
        try:
            Account(spent=a, limit=b)
        except OverflowError:
            return a > b
        return a <= b

    assert decided(holds).verdict == "PROVED"


def test_equality_of_structures_compares_their_numbers() -> None:
    def holds(_: None, a: int, b: int) -> bool:
        first, second = Map({"x": (a, 1)}), Map({"x": (b, 1)})
        return (first == second) == (a == b)

    assert decided(holds).verdict == "PROVED"


OPERATORS: dict[str, Callable[[Fraction, Fraction], object]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "divmod": divmod,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "truth": lambda a, b: bool(a) and not bool(b - b),
    "minimum": lambda a, b: max(a, b) - min(a, b),
    "rounding": lambda a, b: math.floor(a * Fraction(1, 3)) + math.ceil(b * Fraction(2, 5)),
    "powers": lambda a, b: abs(a) ** 3 - (-b) ** 2 + (+a) ** 0,
    "inverse power": lambda a, b: (a * Fraction(1, 2)) ** -2 + b,
    "division": lambda a, b: a * Fraction(7, 2) / b,
    "integer on the left": lambda a, b: 1 + a - (2 - b) * 3 + 7 // b + 7 % b,
    "fraction on the left": lambda a, b: (Fraction(5, 2) - a) / b + Fraction(1, 3) // a,
    "divmod on the left": lambda a, b: (divmod(17, b), a),
}
NUMBERS: tuple[Exact, ...] = (7, -7, 2, -2, Fraction(7, 3), Fraction(-3, 4))


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_agree_with_python(name: str) -> None:
    compute = cast(Callable[[Exact, Exact], object], OPERATORS[name])

    def run(a: Exact, b: Exact, same: bool) -> None:
        assume(a == left, b == right)
        assume((compute(a, b) == compute(left, right)) == same)

    for left, right in product(NUMBERS, repeat=2):
        symbols = [
            rational(symbol) if isinstance(value, Fraction) else integer(symbol)
            for symbol, value in (("a", left), ("b", right))
        ]
        assert len(explore(run, *symbols, True).paths) == 1, (left, right)
        assert explore(run, *symbols, False).paths == (), (left, right)


def test_a_fraction_of_symbolic_numbers_is_their_quotient() -> None:
    def holds(_: None, n: int, r: Fraction) -> bool:
        assume(n > 0)
        half, whole = fraction(r, 2 * n), fraction(n)
        return half * 2 * whole == r and fraction(3, 6) == Fraction(1, 2)

    def is_rounded_up(_: None, r: Fraction) -> bool:
        return fraction(r * 10 // 1, 10) >= r

    assert decided(holds).verdict == "PROVED"
    assert decided(is_rounded_up).verdict == "REFUTED"
    found = outcomes(lambda n: fraction(1, n), integer("n"))
    assert sum(isinstance(each, ZeroDivisionError) for each in found) == 1
    with pytest.raises(TypeError):
        fraction("1", integer("n"))


def test_division_by_zero_is_raised_on_its_own_path() -> None:
    found = explore(lambda a, b: a // b, integer("a"), integer("b"))
    assert [type(path.raised) for path in found.paths].count(ZeroDivisionError) == 1
    assert len(found.paths) == 3


def shifted(number: int) -> int:
    return 1 << number


def counted(number: int) -> int:
    return len(range(number))


def divided(number: int) -> object:
    return number / 2


def stored(number: int) -> object:
    return {number: 1}


@cache
def remembered(number: int) -> int:
    return number


def rebuilt(number: int) -> Fraction:
    return Fraction(number, 3)


def compared_as_text(number: int) -> bool:
    return f"{number}" == "7"


def measured(number: int) -> int:
    return number.bit_length()


def mixed_with_a_float(number: int) -> bool:
    return number > 0.5


def raised_to(number: int) -> object:
    return 2**number


def hidden(number: int) -> int:
    try:
        return number.bit_length()
    except BaseException:
        return 0


def test_a_bit_length_is_known_by_the_power_above_it() -> None:
    def bounded(_: None, n: int) -> bool:
        with loosely():
            length = n.bit_length()
            power = 1 << length
            doubled = 2**length + power
        halved = (n == 0) | (power <= 2 * abs(n))
        return bool((abs(n) < power) & halved & (doubled == 2 * power))

    def below(_: None, n: int) -> bool:
        with loosely():
            return bool(1 << n.bit_length() <= abs(n))

    assert decided(bounded).verdict == "PROVED"
    found = decided(below)
    assert (found.verdict, found.alarm) == ("REFUTED", False)


def test_what_is_known_by_bounds_alone_is_no_alarm() -> None:
    def never(_: None, n: int) -> bool:
        with loosely():
            return n.bit_length() != 7 or abs(n) >= 64

    found = decided(never)
    assert (found.verdict, found.alarm) == ("UNKNOWN", False)


@pytest.mark.parametrize("kept", [-7, -3, -1, 0, 1, 2, 3, 5, 8])
def test_halves_are_rounded_as_python_does(kept: int) -> None:
    def rounded(_: None, r: Fraction) -> bool:
        assume(r == Fraction(kept, 2))
        near, cut = round(Fraction(kept, 2)), math.trunc(Fraction(kept, 2))
        return (round(r) == near) & (math.trunc(r) == cut)

    assert decided(rounded).verdict == "PROVED"


def test_only_what_is_surely_whole_has_a_bit_length() -> None:
    def part(_: None, r: Fraction) -> bool:
        return counting(r).bit_length() >= 0

    assert decided(part).reason.startswith(".bit_length in ")


@pytest.mark.parametrize(
    ("function", "refusal"),
    [
        (shifted, "rlshift in shifted"),
        (counted, "index in counted"),
        (divided, "/ of two integers, which is a float, in divided"),
        (stored, "hash of a number in stored"),
        (rebuilt, "Fraction.__new__ in rebuilt"),
        (compared_as_text, "text of a number in compared_as_text"),
        (measured, ".bit_length in measured"),
        (mixed_with_a_float, "arithmetic with float in mixed_with_a_float"),
        (raised_to, "rpow in raised_to"),
        (hidden, ".bit_length in hidden"),
    ],
)
def test_what_cannot_be_followed_is_unknown_by_name(
    function: Callable[[int], object], refusal: str
) -> None:
    def holds(_: None, n: int) -> bool:
        return function(n) is None

    result = decided(holds)
    line = function.__code__.co_firstlineno + (2 if function is hidden else 1)
    assert (result.verdict, result.alarm) == ("UNKNOWN", False)
    assert result.reason == f"{refusal}, line {line}"


def test_a_cache_is_refused() -> None:
    with pytest.raises(NotSymbolic, match="hash of a number in"):
        explore(lambda number: remembered(number), integer("n"))


def test_a_loop_without_a_known_length_is_unknown() -> None:
    def countdown(_: None, n: int) -> bool:
        while n > 0:
            n -= 1
        return n <= 0

    result = decided(countdown)
    assert result.verdict == "UNKNOWN"
    assert result.reason.startswith("more than 200 questions on one path in ")


def test_too_many_paths_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def larger(_: None, a: int, b: int, c: int) -> bool:
        return sum(number > bound for number in (a, b, c) for bound in (1, 2)) <= 6

    assert decided(larger).verdict == "PROVED"
    monkeypatch.setattr(_symbolic, "PATHS", 20)
    assert decided(larger).reason.startswith("more than 20 paths in ")


def test_a_function_that_changes_its_mind_is_unknown() -> None:
    calls: list[int] = []

    def moody(_: None, n: int) -> bool:
        calls.append(1)
        return n > len(calls) or n <= 0

    assert "another question" in decided(moody).reason


def test_assumptions_that_contradict_each_other_prove_nothing() -> None:
    def holds(_: None, n: int) -> bool:
        assume(n > 0, n < 0)
        return n == 17

    result = decided(holds)
    assert (result.verdict, result.reason) == ("UNKNOWN", "no numbers satisfy the assumptions")


def test_truth_values_are_symbolic_too() -> None:
    def holds(_: None, chosen: bool, a: int, b: int) -> bool:
        picked = {True: a, False: b}[chosen]
        return (picked == a) | (picked == b)

    assert decided(holds).verdict == "PROVED"
    assert isinstance(boolean("b"), bool)


def test_joined_conditions_do_not_fork() -> None:
    found = explore(lambda a, b: (a < b) | (a == b) & (b > 3), integer("a"), integer("b"))
    assert len(found.paths) == 1


def test_symbols_pass_for_the_numbers_they_stand_for() -> None:
    assert isinstance(integer("n"), int)
    assert not isinstance(integer("n"), bool)
    assert isinstance(rational("x"), Fraction)
    assert not isinstance(rational("x"), int)


def test_an_unknown_kind_of_number_is_an_error() -> None:
    @for_all("floats")
    def floats(_: None, x: float) -> bool:
        return x == x

    with pytest.raises(KeyError, match="float"):
        floats.decide(None)


def test_a_function_that_takes_another_way_when_run_again_is_refused() -> None:
    runs: list[int] = []

    def wavering(number: int) -> bool:
        runs.append(1)
        return len(runs) > 1 or number > 0 or number < -5

    with pytest.raises(NotSymbolic, match="another way when run again"):
        explore(wavering, integer("n"))


@pytest.mark.parametrize(
    "quotient",
    [
        lambda n: n / 3,
        lambda n: 3 / n,
        lambda n: (n + 1) / (2 * n),
        lambda n: -n / abs(n),
        lambda n: (n // 2) / n,
        lambda n: n % 5 / n,
        lambda n: n**2 / n,
        lambda n: (n * integer("m")) / n,
        lambda n: n**-1,
    ],
)
def test_what_stands_for_whole_numbers_is_not_divided(quotient: Callable[[int], object]) -> None:
    with pytest.raises(NotSymbolic, match=r"/ of two integers|\*\* -1"):
        explore(lambda: quotient(counting(rational("n"))))


def test_what_stands_for_whole_numbers_is_divided_by_fractions() -> None:
    def half(_: None, n: Fraction) -> bool:
        whole = counting(n)
        return (whole * Fraction(1, 2) == n / 2) & (whole / Fraction(2) == Fraction(1) * whole / 2)

    assert decided(half).verdict == "PROVED"
    assert counting(Fraction(3)) == 3


def test_an_entry_of_the_ledger_is_compared_with_entries_only() -> None:
    with pytest.raises(NotSymbolic, match="an entry of the ledger with a value"):
        explore(lambda: Place(integer("x")) == 5)


def test_an_entry_of_the_ledger_is_no_key_of_a_proposal() -> None:
    def asks() -> bool:
        return Place(integer("x")) in {5}

    with pytest.raises(NotSymbolic, match="hash of an entry of the ledger"):
        explore(asks)


PAIR = """
class Pair:
    def __init__(self, first, second):
        self.first, self.second = first, second

    def __eq__(self, other):
        return {}
"""
AS_TUPLES = "(self.first, self.second) == (other.first, other.second)"
ONE_BY_ONE = "self.first == other.first and self.second == other.second"


def pair(compared: str) -> type:
    """Return a class that compares its fields as a dataclass does, before Python 3.13 or after."""
    scope: dict[str, type] = {}
    exec(compile(PAIR.format(compared), "<string>", "exec"), scope)
    return scope["Pair"]


@pytest.mark.parametrize("kind", [integer, rational, boolean, any_text])
def test_a_dataclass_may_compare_tuples_or_field_by_field(kind: Callable[[str], object]) -> None:
    """One of another version of Python compares otherwise, and the paths are to be the same."""

    def compared(how: str) -> list[object]:
        def fields() -> object:
            made, x, y, z = pair(how), kind("x"), kind("y"), kind("z")
            return (
                made(x, y) == made(x, z),
                made(x, y) == made(x, y),
                made(x, (y,)) == made(z, (y,)),
            )

        return [(p.returned, str(p.conditions)) for p in explore(fields).paths]

    assert compared(ONE_BY_ONE) == compared(AS_TUPLES)


@pytest.mark.parametrize("how", [AS_TUPLES, ONE_BY_ONE])
def test_what_may_only_be_passed_on_is_equal_to_itself_as_a_field(how: str) -> None:
    made, sealed, limits = pair(how), opaque(int, "a value"), unchecked(Limits, epsilon=Fraction(1))
    assert outcomes(lambda: made(sealed, limits) == made(sealed, limits)) == [True]
    with pytest.raises(NotSymbolic, match="eq of a value"):
        explore(lambda: made(sealed, 1) == made(opaque(int, "a value"), 1))
    with pytest.raises(NotSymbolic, match="eq of a value"):
        explore(lambda: sealed == sealed)
    with pytest.raises(NotSymbolic, match="Limits"):
        explore(lambda: limits == limits)


def test_what_a_proposal_brings_need_not_be_equal_to_itself() -> None:
    """Field by field, a value is asked whether it equals itself, and may say no."""
    made, brought = pair(ONE_BY_ONE), Unknown("a value")
    with pytest.raises(NotSymbolic, match="eq of a value"):
        explore(lambda: made(brought, 1) == made(brought, 1))


def adds_to_each(number: int) -> list[float]:
    return [each + float(number) for each in (1, 2)]


def test_a_comprehension_is_part_of_its_function_where_it_is_named() -> None:
    with pytest.raises(NotSymbolic, match="float in adds_to_each, line"):
        explore(adds_to_each, integer("x"))
