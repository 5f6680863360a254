from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import product

import pytest

from proofs._summary_rollout import loss_by_count, loss_by_value, summary_rollout
from spec import (
    Adversary,
    Contribution,
    Database,
    DeviceWindow,
    Distribution,
    Draw,
    Neighbour,
    Power,
    RandomizedResponse,
    Record,
    SpecError,
    SummaryMechanism,
    SummaryQuery,
    Theta,
    Without,
    interactively_private,
    is_rollout,
    private_with_gradual_expiration,
    replace,
    without_source,
    without_storage,
    without_storage_after,
)
from spec.individual_privacy import (
    OnlineRollout,
    RandomState,
    along,
    individually_private,
    within,
)
from spec.numbers import NotExact
from spec.randomized_response import InteractiveRandomizedResponse, Sequences
from tests.small import TWO, CutNoise, query, seen, small_rules

Steps = list[tuple[Database, SummaryQuery]]

RULES = small_rules(contribution_budget=2, sparsity_budget=2, epsilon=4, delta=Fraction(1, 2))
CAPS = Theta(epsilon=RULES.limits.epsilon, delta=RULES.limits.delta)


def fixed(record: Record) -> Contribution:
    """Let the report's identifier decide what is contributed: keys 0 and 1, values 1 and 2."""
    return Contribution(key=record.report_id % 2, value=1 + record.report_id // 2)


def ask(*reports: int, epsilon: int = 2, delta: int | Fraction = 0) -> SummaryQuery:
    keys = () if delta else (0, 1)
    return SummaryQuery(
        query=query(*reports, epsilon=epsilon, delta=delta, keys=keys), function=fixed
    )


def of(*records: tuple[str, int]) -> Database:
    return tuple(Record(unit=unit, report_id=report_id) for unit, report_id in records)


DATABASES = [
    of(("x", 0)),
    of(("x", 0), ("x", 1)),
    of(("x", 2), ("x", 0)),
    of(("z", 0), ("x", 1)),
    of(("x", 0), ("x", 0)),
]
QUESTIONS = [
    ask(0),
    ask(0, 1),
    ask(0, 1, 2, delta=Fraction(1, 4)),
    ask(1, 1, epsilon=4),
]


def known(*steps: tuple[Database, SummaryQuery]) -> Steps:
    """Let each query ask for the reports that there are by then, among those it names."""
    there: set[int] = set()
    found: Steps = []
    for database, question in steps:
        there |= {record.report_id for record in database}
        named = tuple(each for each in question.query.report_ids if each in there)
        asked = replace(question.query, report_ids=named)
        found.append((database, replace(question, query=asked)))
    return found


ONE_STEP: list[Steps] = [known(step) for step in product(DATABASES, QUESTIONS)]
TWO_STEPS: list[Steps] = [
    known((database, first), (of(("x", 3)), second))
    for database, first, second in product(DATABASES[:3], QUESTIONS[:3], QUESTIONS[1:])
]


@pytest.mark.parametrize("neighbour", [without_source, without_storage])
def test_the_closed_forms_are_rollouts_within_the_caps(neighbour: Neighbour) -> None:
    mechanism = CutNoise(SummaryMechanism(rules=RULES))
    for steps in ONE_STEP + TWO_STEPS:
        for rollout in {
            tuple(summary_rollout(RULES, steps, "x", loss))
            for loss in (loss_by_count, loss_by_value)
        }:
            assert within(rollout, CAPS)
            assert is_rollout(mechanism, neighbour, "x", steps, rollout, TWO)


def test_the_closed_form_is_tight_for_one_contribution() -> None:
    steps: Steps = [(of(("x", 2)), ask(2))]
    (theta,) = summary_rollout(RULES, steps, "x")
    assert theta == Theta(epsilon=Fraction(2))
    less = Theta(epsilon=theta.epsilon - Fraction(1, 10))
    mechanism = CutNoise(SummaryMechanism(rules=RULES))
    assert not is_rollout(mechanism, without_source, "x", steps, [less], TWO)


def asking(steps: Steps) -> Adversary[Hashable, tuple[Database, SummaryQuery]]:
    """Return the adversary that makes these steps, whatever is answered."""
    return lambda responses: steps[len(responses)] if len(responses) < len(steps) else None


def test_the_whole_transcript_stays_within_the_caps() -> None:
    mechanism = CutNoise(SummaryMechanism(rules=RULES))
    one_key = SummaryQuery(query=query(0, 2, epsilon=2, keys=(0,)), function=fixed)
    discovery = ask(0, 1, 2, delta=Fraction(1, 4))
    menu = [
        asking([(of(("x", 0), ("z", 2)), one_key), (of(("x", 1)), question)])
        for question in (one_key, discovery)
    ]

    def private(epsilon: Fraction, delta: Fraction) -> bool:
        power = Power(TWO, epsilon)
        return interactively_private(mechanism, without_source, "x", menu, power, delta)

    assert private(CAPS.epsilon, CAPS.delta)
    assert not private(Fraction(1), Fraction(0))


def test_privacy_is_asked_of_every_adversary_on_the_menu() -> None:
    mechanism = CutNoise(SummaryMechanism(rules=RULES))
    harmless, harmful = asking([(of(("z", 0)), ask(0))]), asking([(of(("x", 0)), ask(0))])

    def private(*menu: Adversary[Hashable, tuple[Database, SummaryQuery]]) -> bool:
        return interactively_private(mechanism, without_source, "x", menu, Fraction(1), Fraction(0))

    assert private(harmless)
    assert not private(harmful)
    assert not private(harmless, harmful)


def in_window(device: str, window: int, report_id: int) -> Record:
    unit = DeviceWindow(device=device, window=window)
    return Record(unit=unit, report_id=report_id, storage="store")


def test_expiration_empties_later_windows_of_the_device_alone() -> None:
    database = tuple(in_window(device, window, 0) for device in "uv" for window in (1, 2, 3))
    kept = [record.storage is not None for record in without_storage_after(database, "u", 1)]
    assert kept == [True, False, False, True, True, True]
    assert without_storage_after(of(("u", 1)), "u", 0) == of(("u", 1))


def test_gradual_expiration_counts_the_windows_between() -> None:
    mechanism = CutNoise(SummaryMechanism(rules=RULES))
    one_key = SummaryQuery(
        query=query(0, 2, epsilon=4, keys=(0,)),
        function=lambda record: Contribution(key=0, value=2),
    )
    menu = [asking([((in_window("u", 1, 0), in_window("u", 2, 2)), one_key)])]

    def private(windows: tuple[int, int], epsilon: Fraction) -> bool:
        return private_with_gradual_expiration(
            mechanism, "u", windows, menu, epsilon, Fraction(0), TWO
        )

    assert private((0, 2), RULES.limits.epsilon)
    assert private((1, 2), RULES.limits.epsilon)
    assert private((2, 3), Fraction(1))
    with pytest.raises(NotExact, match="delta of the definition"):
        private((2, 3), Fraction(1, 3))
    assert not private((1, 2), RULES.limits.epsilon / 2)
    assert not private((0, 2), RULES.limits.epsilon / 2)


def test_each_loss_in_numbers() -> None:
    question = ask(0, 1, 2, epsilon=2, delta=Fraction(1, 4))
    steps: Steps = [(of(("x", 0), ("x", 1), ("z", 3)), question)]
    (by_count,) = summary_rollout(RULES, steps, "x", loss_by_count)
    (by_value,) = summary_rollout(RULES, steps, "x", loss_by_value)
    assert by_count == by_value == Theta(epsilon=Fraction(2), delta=Fraction(1, 4))
    (half,) = summary_rollout(RULES, [(of(("x", 0)), question)], "x")
    assert half == Theta(epsilon=Fraction(1), delta=Fraction(1, 8))
    (other,) = summary_rollout(RULES, [(of(("z", 0)), question)], "x")
    assert other == Theta()


def test_a_refused_query_costs_nothing() -> None:
    steps: Steps = [(of(("x", 0)), ask(0, epsilon=3)), ((), ask(0, epsilon=2))]
    assert summary_rollout(RULES, steps, "x")[1] == Theta()


def test_later_steps_count_all_reports_of_the_unit_so_far() -> None:
    steps: Steps = [(of(("x", 0)), ask(0)), (of(("x", 1)), ask(0, 1))]
    assert [theta.epsilon for theta in summary_rollout(RULES, steps, "x")] == [1, 2]


def online(steps: Sequence[tuple[Database, SummaryQuery]]) -> Theta:
    return summary_rollout(RULES, steps, "x")[-1]


def decided(rollout: OnlineRollout[Database, SummaryQuery], menu: list[Steps]) -> bool:
    mechanism = CutNoise(SummaryMechanism(rules=RULES))
    return individually_private(mechanism, without_source, "x", menu, rollout, CAPS, TWO)


def test_the_closed_form_is_an_online_rollout() -> None:
    assert decided(online, TWO_STEPS)
    for steps in TWO_STEPS:
        assert along(online, steps) == summary_rollout(RULES, steps, "x")


def test_individual_privacy_needs_a_rollout_and_its_sums_on_every_sequence() -> None:
    large = Theta(epsilon=Fraction(100))
    assert not decided(lambda _: large, [TWO_STEPS[0]])
    assert not decided(lambda _: Theta(), [TWO_STEPS[0]])
    assert decided(lambda _: Theta(), [[(of(("z", 0)), ask(0))]])
    assert not decided(lambda _: Theta(), [[(of(("z", 0)), ask(0))], TWO_STEPS[0]])


def test_an_online_rollout_is_asked_with_the_steps_so_far_and_no_others() -> None:
    asked: list[int] = []

    def rollout(steps: Sequence[tuple[str, str]]) -> Theta:
        asked.append(len(steps))
        return Theta(epsilon=Fraction(len(steps)))

    steps = [("D", "q")] * 3
    assert [theta.epsilon for theta in along(rollout, steps)] == asked == [1, 2, 3]


def test_within_looks_at_both_sums() -> None:
    caps = Theta(epsilon=Fraction(1), delta=Fraction(1, 2))
    half = Theta(epsilon=Fraction(1, 2), delta=Fraction(1, 4))
    assert within([half, half], caps)
    assert not within([half, half, Theta(epsilon=Fraction(1, 100))], caps)
    assert not within([half, half, Theta(delta=Fraction(1, 100))], caps)


def test_a_mechanism_with_a_random_state_has_no_rollouts() -> None:
    law = RandomizedResponse(outputs=Sequences(((0,), (1,))), power=Power(TWO, Fraction(1)))
    mechanism = InteractiveRandomizedResponse(law=law)

    steps: list[tuple[tuple[Hashable, ...], Callable[[tuple[Hashable, ...]], int]]]
    steps = [(("x",), len)]

    def emptied(database: tuple[Hashable, ...], unit: Hashable) -> tuple[Hashable, ...]:
        return tuple(each for each in database if each != unit)

    with pytest.raises(RandomState, match="InteractiveRandomizedResponse"):
        is_rollout(mechanism, emptied, "x", steps, [Theta()], TWO)


def test_a_rollout_has_one_entry_per_step() -> None:
    with pytest.raises(ValueError, match="zip"):
        is_rollout(CutNoise(SummaryMechanism(rules=RULES)), without_source, "x", [], [Theta()])


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(Fraction(-1), Fraction(0)), (Fraction(0), Fraction(2)), (0.5, Fraction(0))],
)
def test_parameters_are_exact_and_in_range(epsilon: Fraction, delta: Fraction) -> None:
    with pytest.raises(SpecError):
        Theta(epsilon=epsilon, delta=delta)


def test_without_replaces_every_database() -> None:
    class Show:
        initial = 0

        def step(
            self, state: int, action: tuple[frozenset[str], str], draw: Draw
        ) -> tuple[int, str]:
            database, question = action
            return state + 1, f"{question} {sorted(database)}"

    shown = Without(mechanism=Show(), neighbour=lambda units, unit: units - {unit}, unit="x")
    steps = [(frozenset({"x", "z"}), "who?"), (frozenset({"x"}), "who?")]
    assert seen(shown, steps) == Distribution.certain(("who? ['z']", "who? []"))
