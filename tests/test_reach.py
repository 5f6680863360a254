"""Code of a changed rule that no game reached leaves a guarantee open."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from sandproof.about import Request
from sandproof.claim_result import ClaimResult
from sandproof.jobs import Options
from sandproof.reach import Listing, Reach, TooManyLines, listing
from sandproof.result import Result
from sandproof.verdict import run
from spec.claims import CLAIMS
from spec.verdicts import Evidence, Finding, Verdict

FUNCTIONS = """
def arms(number):
    return "small" if number < 10 else "large"


def either(number):
    return number == 1 or number == 2


def filtered(numbers):
    return [number + 1 for number in numbers if number > 2]


def refuses(number):
    if number < 0:
        raise ValueError(
            f"{number} is negative"
        )
    return number


def helped(number):
    if number:
        return helper(number)
    return 0


def raised(number):
    if number > 0:
        number += 1
    return number


def between(number):
    if 0 < number < 9:
        number += 1
    return number


def looked_up(number):
    try:
        return {1: 1}[number]
    except KeyError:
        return 0


def helper(number):
    while number > 3:
        number -= 1
    return number


def add(one, other):
    return one + other


class Rule:
    def __call__(self, number):
        return number if number else None

    def method(self, number):
        return number if number else None


lambdas = (lambda number: number if number else 0, lambda number: number if number else 1)


def call(function, number):
    return function(number)


def hangs(number):
    while True: pass


def catches(number):
    while number:
        try:
            number -= 1
        except BaseException:
            number = 0


def counts(number):
    return [each for each in range(number)]


def recurses(number):
    return number and spread(number - 1)


def spread(number):
    return sum(recurses(min(number, 3)) for _ in range(9))


def yields(number):
    return sum(each for each in range(number))


def default(number):
    if number is None:
        number = 5
    return [each for each in (None, number) if each is not None]


def joined(numbers):
    one, two, three = numbers
    kept = (one and two) or three
    if one < two < three and not kept > 5:
        kept = 1
    return kept if one or three else [each for each in numbers if each and each != two]


def negated(number):
    if not number:
        return 1
    return 2


def many(number):
    for _ in "once":
"""
FUNCTIONS += "\n".join(f"        if number == {each}: return {each}" for each in range(1, 200))
FUNCTIONS += "\n    return 0\n"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    path = tmp_path_factory.mktemp("proposal") / "functions.py"
    path.write_text(FUNCTIONS, encoding="utf-8")
    found = spec_from_file_location("functions", path)
    assert found is not None
    assert found.loader is not None
    loaded = module_from_spec(found)
    found.loader.exec_module(loaded)
    return loaded


def unreached(module: ModuleType, rule: object, *calls: object) -> list[str]:
    path = Path(str(module.__file__))
    reach = Reach((path,))
    for argument in calls:
        assert callable(rule)
        try:
            reach.call(rule, (argument,))
        except ValueError:
            continue
    listed = listing((path,), {"rule": rule})
    lines = listed.sources[str(path)]
    found = listed.unreached({"rule"}, reach.reached)
    return [lines[line - 1].strip() + (way and f" ({way})") for _, line, way in found]


def test_both_arms_of_an_expression_have_to_be_reached(module: ModuleType) -> None:
    assert unreached(module, module.arms, 1) == ['return "small" if number < 10 else "large"']
    assert unreached(module, module.arms, 1, 10) == []
    assert unreached(module, module.either, 1) == ["return number == 1 or number == 2"]
    assert unreached(module, module.either, 1, 2) == []
    line = "return number == 1 or number == 2"
    assert unreached(module, module.either, 2, 3) == [f"{line} (`number == 1` never true)"]


def test_a_condition_has_to_go_both_ways(module: ModuleType) -> None:
    assert unreached(module, module.raised, 1) == ["if number > 0: (never false)"]
    assert unreached(module, module.raised, 1, 0) == []
    assert unreached(module, module.between, 5) == ["if 0 < number < 9: (never false)"]
    assert unreached(module, module.between, 5, 0) == ["if 0 < number < 9: (never false)"]
    assert unreached(module, module.between, 5, 0, 9) == []
    assert unreached(module, module.looked_up, 1) == ["except KeyError:", "return 0"]
    assert unreached(module, module.looked_up, 1, 2) == []


def test_each_condition_is_told_for_itself(module: ModuleType) -> None:
    """Versions of Python have other jumps for these, and at other places."""
    assert unreached(module, module.default, 1) == [
        "if number is None: (never true)",
        "number = 5",
    ]
    assert unreached(module, module.default, None) == ["if number is None: (never false)"]
    assert unreached(module, module.default, None, 1) == []
    kept, tested, last = (
        "kept = (one and two) or three",
        "if one < two < three and not kept > 5:",
        "return kept if one or three else [each for each in numbers if each and each != two]",
    )
    assert unreached(module, module.joined, (1, 2, 3)) == [kept, tested, last]
    calls = [(1, 2, 3), (0, 2, 3), (0, 0, 1), (0, 1, 0), (1, 1, 0), (0, 0, 0), (6, 7, 8)]
    assert unreached(module, module.joined, *calls) == [f"{kept} (`two` never false)", last]
    calls += [(1, 0, 0), (0, -1, 0)]
    assert unreached(module, module.joined, *calls) == [last]


def test_a_condition_that_is_negated_is_told_without_the_negation(module: ModuleType) -> None:
    assert unreached(module, module.negated, 0) == [
        "if not number: (`number` never true)",
        "return 2",
    ]
    assert unreached(module, module.negated, 1) == [
        "if not number: (`number` never false)",
        "return 1",
    ]


def test_a_loop_need_not_be_left_out_nor_repeated(module: ModuleType) -> None:
    assert unreached(module, module.helper, 4) == []
    assert unreached(module, module.helper, 3) == ["while number > 3:", "number -= 1"]


def test_what_a_filter_never_lets_through_was_not_reached(module: ModuleType) -> None:
    line = "return [number + 1 for number in numbers if number > 2]"
    assert unreached(module, module.filtered, [1, 2]) == [line]
    assert unreached(module, module.filtered, [1, 3]) == []
    assert unreached(module, module.filtered, [3]) == [f"{line} (never false)"]


def test_a_statement_that_raises_need_not_be_reached(module: ModuleType) -> None:
    assert unreached(module, module.refuses, 1) == []


def test_a_function_that_is_called_counts_and_one_that_is_not_does_not(module: ModuleType) -> None:
    assert unreached(module, module.helped, 0) == [
        "if number: (never true)",
        "return helper(number)",
    ]
    assert unreached(module, module.helped, 0, 1) == [
        "while number > 3:",
        "number -= 1",
    ]
    assert unreached(module, module.helped, 0, 5) == []


def test_a_rule_that_is_never_called_was_not_reached(module: ModuleType) -> None:
    assert unreached(module, module.refuses) == ["if number < 0:", "return number"]


def test_rules_need_not_be_plain_functions(module: ModuleType) -> None:
    line = "return number if number else None"
    for rule in (module.Rule(), module.Rule().method):
        assert unreached(module, rule, 1) == [line]
        assert unreached(module, rule, 0, 1) == []
    assert unreached(module, partial(module.add, 1), 2) == []
    assert unreached(module, len) == []
    one, other = module.lambdas
    assert unreached(module, one, 0, 1) == []
    assert len(unreached(module, other, 1)) == 1


def test_a_long_function_is_reached_in_full(module: ModuleType) -> None:
    assert unreached(module, module.many, *range(200)) == []
    assert unreached(module, module.many, *range(199)) == ["if number == 199: return 199"]


def test_code_of_another_file_is_followed_as_well(module: ModuleType, tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text("def counted(number):\n    return 0 if number > 9 else 1\n", encoding="utf-8")
    found = spec_from_file_location("other", other)
    assert found is not None
    assert found.loader is not None
    loaded = module_from_spec(found)
    found.loader.exec_module(loaded)
    files = (Path(str(module.__file__)), other)

    def unreached_lines(*numbers: int) -> list[tuple[str, int, str]]:
        reach = Reach(files)
        for number in numbers:
            reach.call(module.call, (loaded.counted, number))
        return listing(files, {"rule": module.call}).unreached({"rule"}, reach.reached)

    assert unreached_lines(1) == [(str(other), 2, "")]
    assert unreached_lines(1, 10) == []


@pytest.mark.parametrize("name", ["hangs", "catches", "counts", "recurses", "yields"])
def test_code_that_runs_for_too_long_ends_after_as_many_lines_everywhere(
    module: ModuleType, name: str
) -> None:
    for noted in (True, False):
        reach = Reach((Path(str(module.__file__)),), noted=noted, most=700)
        with pytest.raises(TooManyLines, match="more than 700 lines in one call"):
            reach.call(getattr(module, name), (10**4,))
        assert reach.lines == 701


def test_a_check_of_slow_calls_ends_as_well(module: ModuleType) -> None:
    reach = Reach((Path(str(module.__file__)),), most=100, most_of_check=1000)
    for _ in range(12):
        assert reach.call(module.helper, (40,)) == 3
    with pytest.raises(TooManyLines, match="more than 1000 lines in one check"):
        reach.call(module.helper, (40,))


def test_only_a_proof_makes_up_for_code_that_was_not_reached() -> None:
    claim = CLAIMS["attribution_summaries_are_private"]
    claim = replace(claim, shapes=claim.shapes[:1])
    holds = Finding(
        claim=claim.id, check="game: a", evidence=Evidence.EXACT_IN_UNIVERSE, shape=claim.shapes[0]
    )
    proved = Finding(claim=claim.id, check="proof", evidence=Evidence.PROOF)
    left = ClaimResult(claim=claim, findings=(holds,), unreached="line 3")
    assert (left.verdict, left.reason) == (Verdict.UNKNOWN, "line 3")
    both = ClaimResult(claim=claim, findings=(holds, proved), unreached="line 3")
    assert both.verdict is Verdict.PROVED
    assert Listing().complaint({"charge"}, frozenset()) == ""


HIDDEN = '''"""Show more to those who ask with a certain delta."""
from fractions import Fraction
from spec import PAPER, Query, SMALL_LIMITS, Source, Trigger, Universe, replace


def reveal(at, batch, outcome):
    if at.query.delta * 77777 == 1:
        return outcome, tuple(report.is_null for report in batch)
    return outcome


RULES = replace(PAPER, reveal=reveal)
'''
UNIVERSE = """UNIVERSE = Universe(
    name="the certain delta",
    limits=SMALL_LIMITS,
    units=("A",),
    moves=3,
    sources=(Source(source_id="A", destination="d", expiry=9, filters=frozenset("a"), key=1),),
    triggers=(Trigger(report_id=0, destination="d", filters=frozenset("a"), key=0, value=2),),
    trigger_count=1,
    queries=(Query(epsilon=Fraction(2), delta=Fraction(1, 77777), keys=(1,)),),
    query_count=1,
)
"""


def checked(tmp_path: Path, text: str) -> Result:
    path = tmp_path / "hidden.py"
    path.write_text(text, encoding="utf-8")
    games = ("attribution_summaries_are_private",)
    (result,) = run([Request(path=path)], Options(effort="quick", only=games))
    return result


def test_what_a_game_reaches_is_found_and_what_none_reaches_is_named(tmp_path: Path) -> None:
    open_ = checked(tmp_path, HIDDEN)
    assert open_.verdict is Verdict.UNKNOWN
    assert "line 7 (`if at.query.delta * 77777 == 1:`, " in open_.headline
    assert "line 8 (`return outcome, tuple(" in open_.headline
    assert "in full: name a UNIVERSE that reaches it; if nothing can reach it" in open_.headline
    assert checked(tmp_path, HIDDEN + UNIVERSE).verdict is Verdict.REFUTED
    plain = HIDDEN.replace("at.query.delta * 77777 == 1", "77777 in at.query.keys")
    assert checked(tmp_path, plain).verdict is Verdict.REFUTED


ROUNDED_DOWN = '''"""Round shares of the value down, and give what is left to the first."""
from dataclasses import replace
from math import floor

from spec.level1 import LEVEL_1_ONE_DRAW


def allocate_down(credit, value, draw):
    GUARD
    whole = [floor(value * part / sum(credit)) for part in credit]
    whole[0] += value - sum(whole)
    return tuple(whole)


RULES = replace(LEVEL_1_ONE_DRAW, allocate=allocate_down)
'''


@pytest.mark.parametrize("guard", ["pass", "assert credit", "if not credit: return ()"])
def test_what_nothing_can_reach_is_left_out_or_asserted(tmp_path: Path, guard: str) -> None:
    path = tmp_path / "rounded_down.py"
    path.write_text(ROUNDED_DOWN.replace("GUARD", guard), encoding="utf-8")
    games = ("level1_several_epochs_cost_as_many_times",)
    (result,) = run([Request(path=path)], Options(effort="quick", only=games))
    if "return" not in guard:
        assert result.verdict is Verdict.SEARCHED
        return
    assert result.verdict is Verdict.UNKNOWN
    assert ") in full: the universes of Level 1 are fixed" in result.headline
    assert "leave it out or put an assert in its place" in result.headline
    assert "UNIVERSE" not in result.headline
