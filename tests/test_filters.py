from __future__ import annotations

from fractions import Fraction

import pytest
from immutables import Map

from sandproof.sampling import Sampler, SeededEntropy
from spec import (
    Distribution,
    FilteredMechanism,
    IndividuallyFilteredMechanism,
    IndividualQuery,
    Power,
    Theta,
    UniversalQuery,
    Without,
    basic_filter,
    coin,
    indistinguishable,
)
from spec.filters import (
    NOTHING,
    Filter,
    Units,
    satisfies,
    stable,
    without_unit,
)
from tests.small import CERTAIN, TWO, against

EVERYBODY: Units = frozenset({"x", "z"})
DATABASES = [frozenset[object](chosen) for chosen in ("", "x", "z", "xz")]
ONE = Theta(epsilon=Fraction(1))


Answers = tuple[bool, ...]


def response(units: Units, target: str) -> Distribution[bool]:
    """Tell by randomized response whether the target is there: twice as likely the truth."""
    return coin(Fraction(2, 3) if target in units else Fraction(1, 3))


def leak(units: Units, target: str) -> Distribution[bool]:
    """Tell whether the target is there with probability one half, and nothing otherwise."""
    return coin(Fraction(1, 2) if target in units else Fraction(0))


X_THERE = UniversalQuery(answer=lambda units: response(units, "x"), theta=ONE)
X_LEAKED = UniversalQuery(answer=lambda units: leak(units, "x"), theta=Theta(delta=Fraction(1, 2)))


def responses(units: Units, *targets: str) -> Distribution[Answers]:
    if not targets:
        return Distribution.certain(())
    first, *others = targets
    rest = responses(units, *others)
    return response(units, first).then(lambda new: rest.map(lambda told: (new, *told)))


ABOUT_X = IndividualQuery(answer=lambda units: responses(units, "x"), parameters=Map({"x": ONE}))
ABOUT_BOTH = IndividualQuery(
    answer=lambda units: responses(units, "x", "z"), parameters=Map({"x": ONE, "z": ONE})
)


def test_the_queries_are_as_private_as_they_claim() -> None:
    assert satisfies(X_THERE, DATABASES, TWO)
    assert satisfies(X_LEAKED, DATABASES, TWO)
    assert satisfies(ABOUT_X, DATABASES, TWO)
    assert satisfies(ABOUT_BOTH, DATABASES, TWO)


def test_a_query_that_claims_too_little_is_found_out() -> None:
    half = Theta(epsilon=Fraction(1, 2))
    assert not satisfies(UniversalQuery(answer=X_THERE.answer, theta=half), DATABASES, TWO)
    forgotten = IndividualQuery(answer=ABOUT_BOTH.answer, parameters=Map({"x": ONE}))
    assert not satisfies(forgotten, DATABASES, TWO)


def test_the_filter_bounds_both_sums() -> None:
    go_on = basic_filter(Theta(epsilon=Fraction(2), delta=Fraction(1, 2)))
    half = Theta(delta=Fraction(1, 2))
    assert go_on([])
    assert go_on([ONE, ONE, half])
    assert not go_on([ONE, ONE, ONE])
    assert not go_on([half, half])


def test_over_budget_there_is_no_answer_and_nothing_is_spent() -> None:
    mechanism: FilteredMechanism[bool] = FilteredMechanism(go_on=basic_filter(ONE))
    state: tuple[Theta, ...] = (ONE,)
    state, answer = mechanism.step(state, (EVERYBODY, X_THERE), CERTAIN)
    assert answer is None
    assert state == (ONE, NOTHING)


def adaptive(told: tuple[bool | None, ...]) -> UniversalQuery[bool] | None:
    """Ask again and again; after a true answer leak instead."""
    if len(told) == 4:
        return None
    return X_LEAKED if told and told[-1] else X_THERE


def private(go_on: Filter, caps: Theta) -> bool:
    """Decide whether one adversary's transcripts with and without x are within the caps."""
    mechanism: FilteredMechanism[bool] = FilteredMechanism(go_on=go_on)
    other = Without(mechanism=mechanism, neighbour=without_unit, unit="x")
    told = against(mechanism, stable(EVERYBODY, adaptive))
    told_without = against(other, stable(EVERYBODY, adaptive))
    return indistinguishable(told, told_without, Power(TWO, caps.epsilon), caps.delta)


@pytest.mark.parametrize("epsilon", [1, 2, 3])
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 2), Fraction(1)])
def test_the_filtered_mechanism_is_private(epsilon: int, delta: Fraction) -> None:
    caps = Theta(epsilon=Fraction(epsilon), delta=delta)
    assert private(basic_filter(caps), caps)


def test_a_filter_that_forgets_the_last_query_is_not_private() -> None:
    caps = Theta(epsilon=Fraction(1), delta=Fraction(0))
    assert not private(lambda spent: basic_filter(caps)(spent[:-1]), caps)


def test_units_over_budget_are_left_out_and_the_others_stay() -> None:
    mechanism: IndividuallyFilteredMechanism[Answers] = IndividuallyFilteredMechanism(
        go_on=basic_filter(ONE)
    )
    law = against(mechanism, stable(EVERYBODY, lambda told: (ABOUT_X, ABOUT_BOTH, None)[len(told)]))
    second = law.map(lambda told: told[1])
    assert second == ABOUT_BOTH.answer(frozenset({"z"}))


def test_every_account_is_charged_whether_the_unit_is_there_or_not() -> None:
    mechanism: IndividuallyFilteredMechanism[Answers] = IndividuallyFilteredMechanism(
        go_on=basic_filter(ONE)
    )
    certain = IndividualQuery(
        answer=lambda units: Distribution.certain((True,) * len(units)), parameters=Map({"x": ONE})
    )
    for units in DATABASES:
        state, _ = mechanism.step((), (units, certain), Sampler(SeededEntropy(0)))
        assert state == (Map({"x": ONE}),)
        state, told = mechanism.step(state, (units, certain), Sampler(SeededEntropy(0)))
        assert state == (Map({"x": ONE}), Map())
        assert len(told) == len(units - {"x"})


def test_a_filter_sees_every_step_of_every_unit_also_those_that_cost_nothing() -> None:
    """A filter need not be about sums: this one lets everybody take part twice."""
    mechanism: IndividuallyFilteredMechanism[Answers] = IndividuallyFilteredMechanism(
        go_on=lambda spent: len(spent) <= 2
    )
    law = against(
        mechanism, stable(EVERYBODY, lambda told: (ABOUT_X, ABOUT_X, ABOUT_X, None)[len(told)])
    )
    assert law.map(lambda told: told[1]) == ABOUT_X.answer(EVERYBODY)
    assert law.map(lambda told: told[2]) == ABOUT_X.answer(frozenset())


@pytest.mark.parametrize("epsilon", [1, 2])
def test_the_individually_filtered_mechanism_is_private(epsilon: int) -> None:
    caps = Theta(epsilon=Fraction(epsilon))

    def ask(told: tuple[Answers, ...]) -> IndividualQuery[Answers] | None:
        if len(told) == 3:
            return None
        return ABOUT_BOTH if told and all(told[-1]) else ABOUT_X

    mechanism: IndividuallyFilteredMechanism[Answers] = IndividuallyFilteredMechanism(
        go_on=basic_filter(caps)
    )
    told = against(mechanism, stable(EVERYBODY, ask))
    for unit in EVERYBODY:
        other = Without(mechanism=mechanism, neighbour=without_unit, unit=unit)
        told_without = against(other, stable(EVERYBODY, ask))
        assert indistinguishable(told, told_without, Power(TWO, caps.epsilon), caps.delta)


def test_a_stable_adversary_never_changes_the_database() -> None:
    act = stable(EVERYBODY, lambda told: "again" if len(told) < 2 else None)
    assert [act(("",) * count) for count in range(3)] == [
        (EVERYBODY, "again"),
        (EVERYBODY, "again"),
        None,
    ]
