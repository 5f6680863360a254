from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from sandproof.capacity import channel_capacity, largest_epsilon, response_rate
from sandproof.sampling import Sampler, SeededEntropy
from spec.distributions import Distribution, Draw, explore, hockey_stick, indistinguishable
from spec.event_outputs import OutputSet
from spec.interaction import Adversary, transcript
from spec.numbers import NATURAL, Base, IrrationalPower, OutOfRange, Power, Real, bounds
from spec.randomized_response import (
    AfterTheEnd,
    BadSequences,
    Events,
    InteractiveRandomizedResponse,
    Question,
    RandomizedResponse,
    ResponseState,
    Sequences,
    truth_probability,
)
from tests.small import uncapped

THREE = Power(Base(Fraction(3)), Fraction(1))
BITS = Sequences(tuple(product((0, 1), repeat=2)))


def law_on(outputs: Sequences, power: Power = THREE) -> RandomizedResponse[Events]:
    return RandomizedResponse(outputs=outputs, power=power)


# The law of the response.


def test_truth_and_response_rate_are_the_two_cases() -> None:
    for power, size in product((Fraction(1), Fraction(3), Fraction(7, 2)), (1, 2, 27)):
        assert truth_probability(power, size) + response_rate(power, size) == 1
    assert truth_probability(Fraction(3), 2) == Fraction(1, 2)
    assert truth_probability(Fraction(1), 5) == 0


def test_the_truth_probability_runs_on_enclosures() -> None:
    with ctx.workprec(128):
        low, high = bounds(truth_probability(arb(14).exp(), 2925))
    assert 0 < high - low < Fraction(1, 2**100)
    assert Fraction("0.9975736778320165") < low
    assert high < Fraction("0.9975736778320167")


def test_the_most_likely_output_is_exactly_e_to_the_epsilon_times_as_likely() -> None:
    """This is what fixes the formula: truth and chance together against chance alone."""
    for power, size in product((Fraction(2), Fraction(3)), (1, 2, 27)):
        chance = response_rate(power, size) / size
        assert truth_probability(power, size) + chance == power * chance


def test_the_law_lists_its_outcomes_exactly() -> None:
    weights = dict(law_on(BITS).outcomes())
    assert weights.pop(None) == Fraction(2, 6)
    assert weights == dict.fromkeys(BITS, Fraction(1, 6))


def test_an_irrational_law_has_no_list_of_exact_outcomes() -> None:
    with pytest.raises(IrrationalPower):
        list(law_on(BITS, Power(NATURAL, Fraction(1))).outcomes())


def test_a_truth_probability_that_is_not_exact_is_refused() -> None:
    def enclosed(_power: Real, _size: int) -> Real:
        return arb(1) / 3

    law: RandomizedResponse[Events] = RandomizedResponse(
        outputs=BITS, power=THREE, truth_probability=enclosed
    )
    with pytest.raises(OutOfRange, match="not exact"):
        list(law.outcomes())


@pytest.mark.parametrize("power", [THREE, Power(NATURAL, Fraction(1))])
def test_samples_follow_the_law(power: Power) -> None:
    """A chi-squared test with five cells, and one that a slightly wrong law does not pass."""
    draw, law, count = Sampler(SeededEntropy(7)), law_on(BITS, power), 2500
    seen = Counter(draw(law) for _ in range(count))
    low, _ = bounds(truth_probability(power.value(), 4))
    assert set(seen) == {None, *BITS}

    def statistic(truth: Fraction) -> Fraction:
        expected: dict[Events | None, Fraction] = dict.fromkeys(BITS, (1 - truth) / 4 * count)
        expected[None] = truth * count
        return sum(
            ((seen[outcome] - mean) ** 2 / mean for outcome, mean in expected.items()), Fraction(0)
        )

    assert statistic(low) < 20
    assert statistic(low - Fraction(1, 15)) > 20


def test_a_response_of_the_largest_source_is_sampled_without_listing() -> None:
    outputs = uncapped(20, (5,) * 32)
    law = RandomizedResponse(outputs=outputs, power=Power(NATURAL, Fraction(1)))
    response = Sampler(SeededEntropy(1))(law)
    assert response in outputs


# Interactive randomized response.


def count_then(*questions: str) -> list[Question]:
    """Return queries on the number of events: `count`, or `negate` for its opposite."""
    kinds: dict[str, Question] = {
        "count": lambda events: min(len(events), 1),
        "negate": lambda events: 1 - min(len(events), 1),
    }
    return [kinds[name] for name in questions]


def asking(questions: list[Question], events: Events) -> Adversary[object, tuple[Events, Question]]:
    def adversary(responses: tuple[object, ...]) -> tuple[Events, Question] | None:
        step = len(responses)
        return (events, questions[step]) if step < len(questions) else None

    return adversary


def law_of_answers(
    outputs: Sequences, questions: list[Question], events: Events
) -> Distribution[tuple[object, ...]]:
    mechanism = InteractiveRandomizedResponse(law=law_on(outputs))
    return explore(lambda draw: transcript(mechanism, asking(questions, events), draw))


def test_the_response_is_drawn_once_and_the_step_is_counted() -> None:
    mechanism = InteractiveRandomizedResponse(law=law_on(Sequences(((0, 1), (1, 0)))))
    question: Question = len

    def run(draw: Draw) -> tuple[tuple[object, ...], ResponseState]:
        state, first = mechanism.step(mechanism.initial, (("y",) * 5, question), draw)
        state, second = mechanism.step(state, (("y",) * 6, question), draw)
        return (first, second), state

    law = explore(run)
    assert dict(law.items()) == {
        ((5, 6), ResponseState(step=3, response=None)): Fraction(1, 2),
        ((0, 1), ResponseState(step=3, response=(0, 1))): Fraction(1, 4),
        ((1, 0), ResponseState(step=3, response=(1, 0))): Fraction(1, 4),
    }


def test_it_is_private_where_every_truthful_prefix_extends() -> None:
    closed = count_then("count", "negate")
    present, absent = (law_of_answers(BITS, closed, events) for events in (("y",), ()))
    assert indistinguishable(present, absent, Fraction(3), Fraction(0))
    assert not indistinguishable(present, absent, Fraction(29, 10), Fraction(0))


def test_the_theorem_as_written_fails_where_the_truth_leaves_the_output_set() -> None:
    """A5: each answer is possible at its own step, and their sequence is not in O."""
    outputs = Sequences(((0, 0), (1, 1)))
    questions = count_then("count", "negate")
    for step, question in enumerate(questions):
        possible = {sequence[step] for sequence in outputs}
        assert {question(events) for events in ((), ("y",))} <= possible
    present, absent = (law_of_answers(outputs, questions, events) for events in (("y",), ()))
    assert present.probability_of((1, 0)) == truth_probability(Fraction(3), 2) == Fraction(1, 2)
    assert absent.probability_of((1, 0)) == 0
    for power in (Fraction(3), Fraction(10**9)):
        assert hockey_stick(present, absent, power) >= Fraction(1, 2)


def test_the_corrected_hypothesis_tells_the_two_cases_apart() -> None:
    truth = (1, 0)
    assert all(BITS.extends(truth[:length]) for length in range(3))
    outside = Sequences(((0, 0), (1, 1)))
    assert outside.extends(truth[:1])
    assert not outside.extends(truth)


def test_an_early_halt_needs_every_prefix_and_not_only_the_whole() -> None:
    """A mechanism that leaves O in the middle is caught by an adversary who halts there."""
    outputs = Sequences(((0, 0), (0, 1)))
    present, absent = (law_of_answers(outputs, count_then("count"), e) for e in (("y",), ()))
    assert present.probability_of((1,)) > 0
    assert absent.probability_of((1,)) == 0


def test_a_query_beyond_the_sequences_is_refused() -> None:
    with pytest.raises(AfterTheEnd, match="step 3 is beyond the 2 steps"):
        law_of_answers(BITS, count_then("count", "count", "count"), ())


@pytest.mark.parametrize("listed", [(), ((0,), (0,)), ((0,), (0, 1))])
def test_sequences_are_distinct_and_of_one_length(listed: tuple[Events, ...]) -> None:
    with pytest.raises(BadSequences):
        Sequences(listed)


# Channel capacity.


def capacity_by_entropies(power: Fraction, size: int) -> arb:
    """Return the mutual information of a uniform input, read off the channel's matrix."""
    keep = power / (power + size - 1)
    other = 1 / (power + size - 1)

    def term(chance: Fraction) -> arb:
        ball = arb(chance.numerator) / arb(chance.denominator)
        return ball * ball.log()

    noise = -term(keep) - (size - 1) * term(other)
    return (arb(size).log() - noise) / arb(2).log()


@given(st.integers(2, 40), st.fractions(Fraction(11, 10), 50, max_denominator=20))
def test_the_capacity_is_the_mutual_information_of_a_uniform_input(
    size: int, power: Fraction
) -> None:
    low, high = channel_capacity(Power(Base(power), Fraction(1)), size)
    with ctx.workprec(128):
        expected_low, expected_high = bounds(capacity_by_entropies(power, size))
    assert low <= expected_high
    assert expected_low <= high
    assert high - low < Fraction(1, 2**90)


ZERO = (Fraction(0), Fraction(0))
LIMIT = (Fraction(14), Fraction(14))


def test_the_capacity_is_zero_where_nothing_can_be_learned() -> None:
    assert channel_capacity(Power(NATURAL, Fraction(0)), 100) == ZERO
    assert channel_capacity(Power(NATURAL, Fraction(14)), 1) == ZERO


def test_the_capacity_stays_below_the_logarithm_of_the_size_and_reaches_it() -> None:
    low, high = channel_capacity(Power(NATURAL, Fraction(100)), 8, precision=400)
    assert Fraction(3) - Fraction(1, 2**100) < low <= high < 3


@settings(deadline=None)
@given(st.integers(2, 5000), st.integers(1, 40), st.integers(1, 20))
def test_the_largest_epsilon_is_bracketed(size: int, quarters: int, limit: int) -> None:
    capacity = Fraction(quarters, 4)
    low, high = largest_epsilon(size, capacity, Fraction(limit))
    assert channel_capacity(Power(NATURAL, low), size, precision=512)[1] <= capacity
    assert high - low <= Fraction(1, 2**64)
    if high < limit:
        assert channel_capacity(Power(NATURAL, high), size, precision=512)[0] >= capacity


def test_the_largest_epsilon_where_the_capacity_is_met_exactly() -> None:
    """At three outputs and e^epsilon = 4 the capacity is one third, which no precision shows."""
    two = Base(Fraction(2))
    for limit in (2, 6):
        low, high = largest_epsilon(3, Fraction(1, 3), Fraction(limit), two)
        assert low <= 2 <= high
        assert high - low <= Fraction(1, 2**64)


def test_the_largest_epsilon_at_the_ends() -> None:
    assert largest_epsilon(1, Fraction(0), Fraction(14)) == LIMIT
    assert largest_epsilon(4, Fraction(3), Fraction(14)) == LIMIT
    low, high = largest_epsilon(4, Fraction(0), Fraction(14))
    assert low == 0
    assert high <= Fraction(1, 2**64)
    assert largest_epsilon(4, Fraction(1), Fraction(0)) == ZERO


def test_a_capacity_out_of_range_is_refused() -> None:
    with pytest.raises(OutOfRange, match="size"):
        channel_capacity(THREE, 0)
    with pytest.raises(OutOfRange, match="-1"):
        largest_epsilon(2, Fraction(-1), Fraction(14))
    with pytest.raises(OutOfRange, match="size"):
        largest_epsilon(0, Fraction(1), Fraction(14))


def test_an_output_set_is_an_enumeration_for_the_law() -> None:
    outputs = OutputSet(maximum_reports=1, windows=(2,), buckets=(1,))
    law = RandomizedResponse(outputs=outputs, power=THREE)
    assert dict(law.outcomes()) == {
        None: Fraction(2, 5),
        ((0, 0),): Fraction(1, 5),
        ((1, 0),): Fraction(1, 5),
        ((0, 1),): Fraction(1, 5),
    }
