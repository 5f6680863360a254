"""Lists of moves are played with certified probabilities, whatever the service makes of noise."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from properties.parts import binomial
from properties.play import attack_by, smallest_attack
from properties.worlds import CannotPlay
from spec import ATTRIBUTION_FIXED, PAPER, Query, Report, Rules, Source, Spent, Trigger
from spec.aggregation_service import Answer, Outcome

if TYPE_CHECKING:
    from spec.distributions import Draw
    from spec.rules import AtService
    from spec.system import Move

PROMISED = PAPER.limits.epsilon, PAPER.limits.delta
BUDGET = PAPER.limits.contribution_budget
SOURCE = Source(source_id="x", destination="d", expiry=10**9, filters=frozenset("f"), key=0)
TRIGGER = Trigger(report_id=0, destination="d", filters=frozenset("f"), key=1, value=BUDGET)


def listed(epsilon: Fraction | int, *keys: int) -> Query:
    return Query(epsilon=Fraction(epsilon), report_ids=(0,), keys=keys or (1,))


def discovering(epsilon: Fraction, delta: Fraction) -> Query:
    return Query(epsilon=epsilon, delta=delta, report_ids=(0,))


def truth_in_the_tail(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
    totals, far = at.rules.totals(at, batch), -40 * at.limits.contribution_budget
    return Answer(
        released=tuple(
            (key, totals.get(key, 0) if noisy - totals.get(key, 0) < far else noisy)
            for key, noisy in PAPER.answer(at, batch, draw).released
        )
    )


def one_error_for_all_keys(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
    error: int = draw(at.rules.noise(at, batch, None).around(0))
    totals = at.rules.totals(at, batch)
    return Answer(released=tuple((key, totals.get(key, 0) + error) for key in at.query.keys))


def answer_twice(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
    first, second = PAPER.answer(at, batch, draw), PAPER.answer(at, batch, draw)
    return Answer(released=first.released + second.released)


def release_all(at: AtService, key: int, noisy: int, threshold: int | None) -> bool:
    del at, key, noisy, threshold
    return True


def show_no_negative(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Outcome:
    if not isinstance(outcome, Answer):
        return outcome
    return Answer(released=tuple((key, max(noisy, 0)) for key, noisy in outcome.released))


def tell_symbols_apart(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
    totals = at.rules.totals(at, batch)
    answer = PAPER.answer(at, batch, draw)
    if all(type(noisy) is int for _, noisy in answer.released):
        return answer
    return Answer(released=tuple(totals.items()))


def threshold_of_the_cap(at: AtService, batch: tuple[Report, ...]) -> int | None:
    asked = replace(at.query, delta=at.limits.delta)
    return PAPER.threshold(replace(at, query=asked), batch) if at.query.discovers_keys else None


def charge_nothing_for_least(at: AtService, spent: Spent, report: Report) -> Spent | None:
    if at.query.epsilon <= Fraction(1, 10**12):
        return spent
    return PAPER.charge(at, spent, report)


SMALL = listed(Fraction(1, 100))
LEAST = listed(Fraction(1, 10**12))
HUNDREDTH = discovering(PROMISED[0] / 100, PROMISED[1] / 100)


@pytest.mark.parametrize(
    ("rules", "queries"),
    [
        (replace(PAPER, answer=one_error_for_all_keys), (listed(1, 1, 2),)),
        (replace(PAPER, answer=answer_twice), (listed(PROMISED[0]),)),
        (replace(PAPER, releases=release_all), (discovering(Fraction(1), PROMISED[1]),)),
        (replace(PAPER, threshold=threshold_of_the_cap), (HUNDREDTH,) * 100),
        (replace(PAPER, charge=charge_nothing_for_least), (LEAST, LEAST)),
    ],
    ids=["one error", "twice", "all released", "low threshold", "free queries"],
)
def test_what_is_made_of_noise_is_an_attack_only_where_it_tells(
    rules: Rules, queries: tuple[Query, ...]
) -> None:
    moves: tuple[Move, ...] = (SOURCE, TRIGGER, *queries)
    attack = attack_by(rules, ATTRIBUTION_FIXED, "x", moves, PROMISED)
    assert attack is not None
    assert attack.gained > PROMISED[1]
    assert attack.probability <= 1
    assert attack_by(PAPER, ATTRIBUTION_FIXED, "x", moves, PROMISED) is None


def test_the_truth_in_a_tail_is_found_where_it_shows_often_enough() -> None:
    rules = replace(PAPER, answer=truth_in_the_tail)
    moves: tuple[Move, ...] = (SOURCE, TRIGGER, *[SMALL] * 5)
    attack = attack_by(rules, ATTRIBUTION_FIXED, "x", moves, PROMISED)
    assert attack is not None
    # All five answers are the true sum: a third of the time each, and never by chance.
    assert Fraction(4, 1000) < attack.probability < Fraction(5, 1000)
    assert attack.other < Fraction(1, 10**35)


def test_what_is_made_of_noisy_sums_alone_is_no_attack() -> None:
    rules = replace(PAPER, reveal=show_no_negative)
    moves: tuple[Move, ...] = (SOURCE, TRIGGER, *[listed(PROMISED[0] / 2)] * 2)
    assert attack_by(rules, ATTRIBUTION_FIXED, "x", moves, PROMISED) is None


def test_a_rule_that_tells_symbols_from_numbers_is_not_played() -> None:
    rules = replace(PAPER, answer=tell_symbols_apart)
    with pytest.raises(CannotPlay, match="does not replay"):
        attack_by(rules, ATTRIBUTION_FIXED, "x", (SOURCE, TRIGGER, listed(1)), PROMISED)


def test_a_query_that_changes_nothing_is_asked_as_often_as_it_takes() -> None:
    rules = replace(PAPER, charge=charge_nothing_for_least)
    attack = smallest_attack(
        rules, ATTRIBUTION_FIXED, "x", (SOURCE, TRIGGER, LEAST, LEAST), PROMISED
    )
    assert attack is not None
    assert attack.times > 10**24
    assert f"({attack.times + 1} times)" in attack.story()
    assert attack.probability > Fraction(1, 2)


def test_the_tail_of_a_binomial_law_is_enclosed() -> None:
    low, high = binomial(4, 3, Fraction(1, 2))
    assert low <= Fraction(5, 16) <= high
    assert high - low < Fraction(1, 2**200)
