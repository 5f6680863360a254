"""The game finds attacks, replays them, and writes them down as tests."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis.strategies import fractions

from properties.attack import Attack, main_line, telling_line
from properties.attack_test import Writer, attack_test
from properties.broken import (
    REAL_REPORTS_CHARGED,
    REPEATS_COUNT,
    SILENT_WHEN_EXHAUSTED,
)
from properties.game import Plan
from properties.game.responses import bare
from properties.game.tree import Branch
from properties.numerals import beside, bound, decimal, scientific, shown
from properties.replay import Line, in_order, laws_of, simplest_line
from properties.solve import Solution, solve
from properties.telling import folded, move_text, seen_text
from properties.universes import aggregation_universe, attribution_universe, event_universe
from spec import PAPER, Query, Rules
from spec.aggregation_service import Aborted, Answer
from spec.attribution_client import Source, Trigger
from spec.neighbours import (
    ATTRIBUTION_FIXED,
    EMPTY_STORE,
    MOVED_TO_DUMMY,
    NEVER_REGISTERED,
    NULL_STORE,
    NULLED_AFTER_ADMISSION,
    Relation,
)
from spec.private_aggregation_client import Event, Storage
from spec.system import PassTime

ROOT = Path(__file__).parent.parent


def solved(rules: Rules, relation: Relation, moves: int) -> Solution:
    universe = aggregation_universe() if relation.units == "devices" else attribution_universe()
    return solve(rules, relation, universe, moves=moves)


@pytest.mark.parametrize("relation", [ATTRIBUTION_FIXED, NULL_STORE, NULLED_AFTER_ADMISSION])
def test_the_papers_rules_stay_within_the_promise(relation: Relation) -> None:
    solution = solved(PAPER, relation, 4)
    assert solution.attack is None
    assert 0 < solution.worst <= solution.delta
    assert not solution.vacuous
    assert solution.complete
    assert solution.solved == 4


def test_event_level_reports_meet_their_promise_exactly() -> None:
    solution = solve(PAPER, ATTRIBUTION_FIXED, event_universe(), moves=5)
    assert solution.attack is None
    assert solution.worst == 0
    assert not solution.vacuous


def test_uncharged_null_reports_tell_everything() -> None:
    solution = solved(REAL_REPORTS_CHARGED, ATTRIBUTION_FIXED, 5)
    assert solution.worst == 1
    assert solution.factor is None
    assert solution.attack is not None
    assert solution.attack.probability == 1
    assert solution.attack.other == 0
    assert "refused" in solution.attack.story()


@pytest.mark.parametrize(
    ("rules", "relation", "factor"),
    [
        (REPEATS_COUNT, ATTRIBUTION_FIXED, 2),
        (PAPER, MOVED_TO_DUMMY, 2),
        (PAPER, EMPTY_STORE, 2),
        (PAPER, NEVER_REGISTERED, 2),
        (SILENT_WHEN_EXHAUSTED, ATTRIBUTION_FIXED, None),
    ],
)
def test_what_is_broken_is_refuted_with_its_factor(
    rules: Rules, relation: Relation, factor: int | None
) -> None:
    solution = solved(rules, relation, 5)
    assert solution.attack is not None
    assert solution.factor == factor
    assert solution.attack.gained == solution.worst > solution.delta


def test_nothing_smaller_than_the_smallest_attack() -> None:
    solution = solved(REPEATS_COUNT, ATTRIBUTION_FIXED, 5)
    assert solution.attack is not None
    smaller = solved(REPEATS_COUNT, ATTRIBUTION_FIXED, solution.solved - 1)
    assert smaller.attack is None


def test_the_curve_never_rises() -> None:
    curve = solved(REPEATS_COUNT, ATTRIBUTION_FIXED, 5).curve
    values = [delta for _, delta in curve]
    assert len(values) > 4
    assert values == sorted(values, reverse=True)


def test_moves_that_do_not_depend_on_answers_get_simple_numbers() -> None:
    solution = solved(REPEATS_COUNT, ATTRIBUTION_FIXED, 5)
    assert solution.attack is not None
    assert solution.attack.made is not None
    source, trigger, query = solution.attack.made
    assert isinstance(source, Source)
    assert isinstance(trigger, Trigger)
    assert isinstance(query, Query)
    assert source.filters == trigger.filters == {"c"}
    assert (source.expiry, query.keys) == (1, (1,))
    assert solution.attack.gained == solution.worst


def test_moves_that_do_worse_or_have_too_many_outcomes_take_no_strategys_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solution = solved(REPEATS_COUNT, ATTRIBUTION_FIXED, 5)
    attack = solution.attack
    assert attack is not None
    assert attack.made is not None
    rules = replace(REPEATS_COUNT, limits=attack.limits)

    def simple(gained: Fraction) -> Line | None:
        assert attack is not None
        assert attack.made is not None
        how = (attack.window, attack.world, attack.power)
        return simplest_line(rules, ATTRIBUTION_FIXED, "A", attack.made, *how, gained)

    found = simple(attack.gained)
    assert found is not None
    assert found.made == attack.made
    assert simple(attack.gained + 1) is None
    monkeypatch.setattr("properties.replay.OUTCOMES", 3)
    assert simple(attack.gained) is None


def test_a_story_shows_both_worlds_and_what_stands_for_many_values() -> None:
    attack = solved(REPEATS_COUNT, ATTRIBUTION_FIXED, 5).attack
    assert attack is not None
    story = attack.story()
    assert "sees with x: the summary {key 1: 4 or more}." in story
    assert "sees without x: most likely the summary {key 1: 0 or less}." in story
    assert story.count("has probability") == 2
    refused = solved(REAL_REPORTS_CHARGED, ATTRIBUTION_FIXED, 5).attack
    assert refused is not None
    last = refused.steps[-1]
    assert last.seen_with == "the query is refused"
    assert last.seen_without.startswith("most likely the summary")


def test_a_move_that_follows_another_answer_is_told_where_the_strategy_parts() -> None:
    attack = solved(REPEATS_COUNT, ATTRIBUTION_FIXED, 5).attack
    assert attack is not None
    assert attack.made is not None
    rules = replace(REPEATS_COUNT, limits=attack.limits)
    *before, query = attack.made
    other = PassTime(until=10**9)

    def told(strategy: Plan) -> Attack:
        relation, unit, window = ATTRIBUTION_FIXED, attack.unit_value, attack.window
        for move in reversed(before):
            strategy = Plan(action=move, otherwise=strategy)
        laws = laws_of(rules, relation, unit, strategy, window)
        how = (attack.world, attack.power, window)
        return replace(attack, steps=main_line(rules, relation, unit, strategy, laws, *how))

    then, unit, window = Plan(action=query), attack.unit_value, attack.window
    laws = laws_of(rules, ATTRIBUTION_FIXED, unit, attack.strategy, window)
    _, seen = telling_line(attack.strategy, laws, attack.world, attack.power)[-1]
    sure = Fraction(1)
    branch = Branch(response=bare(seen), with_unit=sure, without_unit=sure, then=then)
    parted = told(Plan(action=query, branches=(branch,), otherwise=Plan(action=other)))
    assert [step.otherwise for step in parted.steps[-2:]] == [(move_text(other),), ()]
    assert f"   If something else is seen, next: {move_text(other)}" in parted.story()
    assert "If something else" not in told(Plan(action=query, otherwise=then)).story()


def test_the_curve_of_the_worst_adversary_is_told_with_the_attack() -> None:
    solution = solved(REPEATS_COUNT, ATTRIBUTION_FIXED, 5)
    assert solution.attack is not None
    told = dict(solution.attack.curve)
    assert told[Fraction(1)] == solution.worst
    assert told[Fraction(2)] <= solution.delta
    assert ["1", str(solution.worst)] in cast("list[object]", solution.attack.to_json()["curve"])


def test_like_steps_of_a_story_are_folded() -> None:
    attack = solved(REPEATS_COUNT, ATTRIBUTION_FIXED, 5).attack
    assert attack is not None
    again = replace(attack, steps=(*attack.steps[:2], attack.steps[1], attack.steps[2]))
    assert "report 0. (2 times)" in again.story()
    assert again.to_json()["steps"][1]["times"] == 2  # type: ignore[index]


TWICE = """
from spec import PAPER, replace


def keep(at, reports):
    return reports


def own(storage):
    return storage, 1, 2


RULES = replace(PAPER, batch=keep)
"""


def own(storage: Storage) -> tuple[Storage, int, int]:
    return storage, 1, 2


def with_a_program_of_its_own(attack: Attack) -> Attack:
    """Return an attack whose program is looked up in the proposal."""
    assert attack.made is not None
    event, query = attack.made
    assert isinstance(event, Event)
    assert isinstance(query, Query)
    made = (replace(event, program=own), replace(query, keys=(1,)))
    return replace(attack, made=made, strategy=in_order(made))


@pytest.mark.parametrize("relation", [ATTRIBUTION_FIXED, NULL_STORE])
def test_an_attack_becomes_a_test_that_fails_on_the_change_alone(
    relation: Relation, tmp_path: Path
) -> None:
    proposal = tmp_path / "twice.py"
    proposal.write_text(TWICE)
    attack = solved(REPEATS_COUNT, relation, 5).attack
    assert attack is not None
    if relation is NULL_STORE:
        attack = with_a_program_of_its_own(attack)
    made = tmp_path / "test_twice.py"
    made.write_text(attack_test(attack, proposal.name))
    for checked in (("check", "--select=E,F,I,W", "--ignore=E501"), ("format", "--check")):
        subprocess.run(
            [sys.executable, "-m", "ruff", *checked, "--isolated", "-q", str(made)], check=True
        )
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(made)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "1 failed, 1 passed" in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(1, 3), "0.333333"), (Fraction(2, 3), "0.666667"), (Fraction(-1, 2), "-0.5")],
)
def test_decimals_are_rounded(value: Fraction, text: str) -> None:
    assert decimal(value) == text


def test_a_query_is_told_with_all_that_it_asks_for() -> None:
    asked = Query(epsilon=Fraction(1), report_ids=(0,), keys=(1, 3))
    told = "The ad-tech asks for reports [0] with ε = 1, "
    assert move_text(asked) == told + "δ = 0, keys [1, 3]."
    found = Query(epsilon=Fraction(1), delta=Fraction(1, 64), report_ids=(0,))
    assert move_text(found) == told + "δ = 1/64, with key discovery."
    both = Query(epsilon=Fraction(1), delta=Fraction(1, 64), report_ids=(0,), keys=(1, 3))
    assert move_text(both) == told + "δ = 1/64, keys [1, 3]."


@given(fractions(min_value=-(10**6), max_value=10**6))
def test_every_number_is_written_and_close_to_what_it_is(value: Fraction) -> None:
    assert abs(Fraction(scientific(value)) - value) * 10**4 <= abs(value)
    assert beside(value)


def test_numbers_of_a_story_can_be_read() -> None:
    long = Fraction(1500000000000000000000000000001, 10**30)
    query = Query(epsilon=long, delta=Fraction(1, 10**30), report_ids=(0,))
    assert "with ε = 3/2 + 1e-30, δ = 1e-30, with key" in move_text(query)
    assert shown(Fraction(1, 3)) == "1/3"
    assert shown(Fraction(-(10**70) - 1, 10**70)) == "-1 - 1e-70"
    assert shown(Fraction(1, 10**8)) == "1e-8"
    assert shown(Fraction(2**200, 3**127)) == "about 0.408883686"
    assert beside(Fraction(93750003, 125000000)) == "93750003/125000000 (about 0.75)"
    assert beside(Fraction(-17, 1001)) == "-17/1001 (about -0.016983)"
    assert beside(Fraction(-1, 7001)) == "-1/7001 (about -1.4284e-4)"
    assert scientific(Fraction(3, 10**20000)) == "3e-20000"
    assert shown(Fraction(1, 3**20000)).startswith("about ")


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        (Fraction(1, 2), "0.5", "0.5"),
        (Fraction(1, 3), "0.333333", "0.333334"),
        (Fraction(10**30 - 1, 10**30), "0.999999", "1"),
        (Fraction(10**30 + 1, 10**38), "1e-8", "1.00001e-8"),
        (Fraction(0), "0", "0"),
    ],
)
def test_bounds_are_rounded_outwards(value: Fraction, low: str, high: str) -> None:
    assert (bound(value), bound(value, up=True)) == (low, high)


def test_moves_that_count_up_are_folded() -> None:
    rows = [(f"Report {n}, key 0x{n}, at 1/{7}", f"{n} arrives") for n in range(3)]
    assert folded([rows[0], rows[0]]) == [(rows[0], 2)]
    assert folded(rows) == [(row, 1) for row in rows]
    counted = [(f"Report {n} of z{n + 4}", f"report {n} arrives") for n in range(3)]
    told = ("Report 0 to 2 of z4 to 6", "report 0 to 2 arrives")
    assert folded([*counted, ("Another.", "")]) == [(told, 3), (("Another.", ""), 1)]
    shares = [("ε = 1/3",), ("ε = 1/4",)]
    assert folded(shares) == [(share, 1) for share in shares]


def test_what_is_seen_is_told_in_words() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class TooFew(Aborted):
        reports: int

    assert seen_text((TooFew(reports=3),)) == "the query is refused, reports 3"
    counted = (Answer(released=((2**33, 5),)), 7)
    assert seen_text((counted,)) == "(the summary {key 0x200000000: 5}, 7)"
    assert seen_text((Answer(), 4)) == "an empty summary; report 4 arrives"


def test_a_value_is_written_in_time_that_grows_gently_with_its_depth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each value within is read once for every value around it, not twice for every level."""
    read, depth = 0, 12
    parts = Writer.parts

    def counted(self: Writer, value: object) -> tuple[str, list[tuple[str, object]], str]:
        nonlocal read
        read += 1
        return parts(self, value)

    monkeypatch.setattr(Writer, "parts", counted)
    value: object = ("a text that is so long that what holds it is folded " * 2,)
    for _ in range(depth):
        value = (value,)
    code = Writer().code(value)
    assert eval(code) == value
    assert read <= (depth + 2) ** 2
