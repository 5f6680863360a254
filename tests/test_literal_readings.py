"""Each statement of the paper that is false as written, with a counterexample that runs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import pytest

from proofs._summary_rollout import summary_rollout
from proofs.a_rollout_that_looks_ahead_is_not_enough import (
    Asked,
    Bit,
    Response,
    emptied,
    in_hindsight,
    online,
    private_in_hindsight,
)
from proofs.idp_as_written_is_unsatisfiable import literally_individually_private
from proofs.rollouts_as_written_miss_the_state import is_literal_rollout
from spec import (
    ATTRIBUTION_FIXED,
    EMPTY_STORE,
    NULL_STORE,
    PAPER,
    Adversary,
    Contribution,
    Database,
    DeviceWindow,
    Distribution,
    Draw,
    Move,
    Neighbour,
    PassTime,
    Power,
    RandomizedResponse,
    Record,
    Relation,
    Rules,
    Storage,
    SummaryMechanism,
    SummaryQuery,
    SystemMechanism,
    Theta,
    Unit,
    Without,
    hockey_stick,
    indistinguishable,
    interactively_private,
    is_rollout,
    replace,
    without_source,
    without_storage,
)
from spec.contributions import Budget
from spec.individual_privacy import (
    individually_private,
    within,
)
from spec.randomized_response import InteractiveRandomizedResponse, Sequences
from tests.small import TWO, CutNoise, event, query, seen, small_rules, source, trigger

if TYPE_CHECKING:
    from spec.rules import AtContribution

NOTHING = Theta()


def worst(p: Distribution[Hashable], q: Distribution[Hashable], epsilon: int) -> Fraction:
    """Return the exact delta at an epsilon counted in units of ln 2."""
    power = Fraction(2**epsilon)
    return max(hockey_stick(p, q, power), hockey_stick(q, p, power))


def curve(p: Distribution[Hashable], q: Distribution[Hashable], *epsilons: int) -> list[Fraction]:
    return [worst(p, q, epsilon) for epsilon in epsilons]


# A1: every rollout, or some rollout.


@dataclass(frozen=True)
class Silent:
    """Answer the same always."""

    initial: None = None

    def step(
        self, state: None, action: tuple[frozenset[str], None], draw: Draw
    ) -> tuple[None, str]:
        return None, "nothing"


def removed(database: frozenset[str], unit: Unit) -> frozenset[str]:
    return database - {unit}


def test_as_written_not_even_a_silent_mechanism_is_individually_private() -> None:
    steps = [(frozenset({"x"}), None)]
    caps = Theta(epsilon=Fraction(1), delta=Fraction(1, 2))
    candidates = [[NOTHING], [Theta(epsilon=Fraction(2))]]

    def is_one(rollout: object) -> bool:
        assert isinstance(rollout, list)
        return is_rollout(Silent(), removed, "x", steps, rollout)

    assert all(map(is_one, candidates))
    assert not literally_individually_private(is_one, candidates, caps)
    assert individually_private(Silent(), removed, "x", [steps], lambda _: NOTHING, caps)


def asking(first: Asked, after: dict[Response, Asked]) -> Adversary[Response, Asked]:
    """Return the adversary whose second step depends on the first answer."""

    def act(responses: tuple[Response, ...]) -> Asked | None:
        if not responses:
            return first
        return after[responses[0]] if len(responses) == 1 else None

    return act


ACTIONS: list[Asked] = [(database, query) for database in (0, 1) for query in "AB"]
EVERY_ADVERSARY = [
    asking(first, {"a": after_a, "b": after_b})
    for first, after_a, after_b in product(ACTIONS, repeat=3)
]


def test_a_rollout_for_every_sequence_is_not_enough_and_an_online_one_is() -> None:
    """Every adversary of two steps is tried: an online rollout needs (4 ln 2, 1/4) and keeps it."""
    menu, quarter = [list(steps) for steps in product(ACTIONS, repeat=2)], Fraction(1, 4)
    caps, online_caps = (Theta(epsilon=Fraction(epsilon), delta=quarter) for epsilon in (3, 4))
    mechanism = (Bit(), emptied, "x")
    assert private_in_hindsight(menu, in_hindsight, caps)
    assert not interactively_private(*mechanism, EVERY_ADVERSARY, Fraction(8), quarter)
    first = online(Theta(epsilon=Fraction(1)))
    assert not individually_private(*mechanism, menu, first, caps, TWO)
    assert individually_private(*mechanism, menu, first, online_caps, TWO)
    assert interactively_private(*mechanism, EVERY_ADVERSARY, Fraction(16), quarter)


# A2: the state of one run, or of both.


@dataclass(frozen=True)
class TellLater:
    """Store the first database, answer nothing, and then show what was stored."""

    initial: frozenset[str] | None = None

    def step(
        self, state: frozenset[str] | None, action: tuple[frozenset[str], None], draw: Draw
    ) -> tuple[frozenset[str], str]:
        database, _ = action
        return (database, "nothing") if state is None else (state, str(sorted(state)))


def test_as_written_a_mechanism_may_store_first_and_tell_later() -> None:
    steps = [(frozenset({"x"}), None), (frozenset({"x"}), None)]
    nothing = [NOTHING, NOTHING]
    assert is_literal_rollout(TellLater(), removed, "x", steps, nothing)
    assert not is_rollout(TellLater(), removed, "x", steps, nothing)
    other = Without(mechanism=TellLater(), neighbour=removed, unit="x")
    told, told_without = seen(TellLater(), steps), seen(other, steps)
    assert hockey_stick(told, told_without, Fraction(10**9)) == 1


def ask(*reports: int, keys: tuple[int, ...] = (1,), delta: Fraction = Fraction(0)) -> SummaryQuery:
    return SummaryQuery(query=query(*reports, keys=keys, delta=delta), function=own_key)


KEYS: dict[Unit | None, int] = {"x": 1, "⊥": 2, "z": 3}


def own_key(record: Record) -> Contribution:
    """Contribute 1 to a key of the unit's own."""
    return Contribution(key=KEYS[record.unit], value=1)


def of(unit: str, report_id: int) -> Record:
    return Record(unit=unit, report_id=report_id)


def both(
    rules: Rules,
    steps: list[tuple[Database, SummaryQuery]],
    neighbour: Neighbour = without_source,
) -> tuple[Distribution[Hashable], Distribution[Hashable]]:
    """Return the laws of the transcripts with and without x."""
    mechanism = SummaryMechanism(rules=rules)
    other = Without(mechanism=mechanism, neighbour=neighbour, unit="x")
    return seen(mechanism, steps).map(tuple), seen(other, steps).map(tuple)


def test_as_written_a_requery_without_new_records_costs_nothing() -> None:
    rules = small_rules(epsilon=2)
    steps: list[tuple[Database, SummaryQuery]] = [((of("x", 1),), ask(1)), ((), ask(1))]
    mechanism = CutNoise(SummaryMechanism(rules=rules))
    literal = [Theta(epsilon=Fraction(1)), NOTHING]
    assert is_literal_rollout(mechanism, without_source, "x", steps, literal, TWO)
    assert within(literal, Theta(epsilon=Fraction(1)))
    assert not is_rollout(mechanism, without_source, "x", steps, literal, TWO)
    assert curve(*both(rules, steps), 1, 2) == [Fraction(2, 9), 0]
    rollout = summary_rollout(rules, steps, "x")
    assert [theta.epsilon for theta in rollout] == [1, 1]
    assert is_rollout(mechanism, without_source, "x", steps, rollout, TWO)


def test_a_mechanism_whose_databases_are_cumulative_satisfies_both_readings() -> None:
    """With all records in every database and only a public ledger as state nothing is hidden."""

    @dataclass(frozen=True)
    class Count:
        initial: int = 0

        def step(
            self, state: int, action: tuple[frozenset[str], None], draw: Draw
        ) -> tuple[int, int]:
            database, _ = action
            answer = draw(Distribution.of({len(database): Fraction(2, 3), 7: Fraction(1, 3)}))
            return state + 1, answer

    steps = [(frozenset({"x"}), None)] * 2
    rollout = [Theta(delta=Fraction(2, 3))] * 2
    assert is_rollout(Count(), removed, "x", steps, rollout)
    assert is_literal_rollout(Count(), removed, "x", steps, rollout)


# A3: the dummy storage, null or empty.


def reach(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute to one key at the first view and to another one later."""
    return storage.set("seen", True), 2 if "seen" in storage else 1, 1


VISIT: list[Move] = [
    event(1, reach),
    PassTime(until=10),
    event(2, reach),
]
TODAY = DeviceWindow(device="d", window=1)


def system_curve(
    rules: Rules, relation: Relation, unit: Unit, moves: list[Move], *epsilons: int
) -> list[Fraction]:
    told = seen(SystemMechanism(rules=rules), moves)
    told_without = seen(relation.without(rules, unit), moves)
    return curve(told.map(tuple), told_without.map(tuple), *epsilons)


def test_an_empty_store_that_still_contributes_doubles_epsilon() -> None:
    rules = small_rules(epsilon=1)
    moves = [*VISIT, query(2, keys=(1, 2))]
    assert system_curve(rules, EMPTY_STORE, TODAY, moves, 1, 2) == [Fraction(2, 9), 0]
    assert system_curve(rules, NULL_STORE, TODAY, moves, 0, 1) == [Fraction(1, 3), 0]


def test_an_empty_store_that_still_contributes_at_most_doubles_delta() -> None:
    rules = small_rules(epsilon=1, sparsity_budget=1, delta=Fraction(1, 4))
    fill = [event(n, lambda storage: (storage, 1, 1), device=f"e{n}") for n in (3, 4)]
    moves = [*VISIT, *fill, query(2, 3, 4, delta=Fraction(1, 4))]
    (delta,) = system_curve(rules, EMPTY_STORE, TODAY, moves, 2)
    assert 0 < delta <= 2 * rules.limits.delta


def test_equal_stores_keep_their_own_identifiers_under_removal() -> None:
    rules = small_rules(epsilon=1)
    twins = (Record(unit="x", report_id=1, storage="s"), Record(unit="z", report_id=2, storage="s"))
    assert [record.report_id for record in without_storage(twins, "x")] == [1, 2]
    steps: list[tuple[Database, SummaryQuery]] = [(twins, ask(1)), ((), ask(2)), ((), ask(1))]
    with_x, without_x = both(rules, steps, without_storage)
    refusals = [[type(answer).__name__ for answer in told] for told in (*with_x, *without_x)]
    assert set(map(tuple, refusals)) == {("Answer", "Answer", "Aborted")}


# A4: the dummy source, null or contributing.


def to_ordinary_source(database: Database, unit: Unit) -> Database:
    """Move the records of the unit to a dummy that contributes like any source."""
    return tuple(
        replace(record, unit="⊥") if record.unit == unit else record for record in database
    )


def test_a_dummy_that_contributes_doubles_epsilon() -> None:
    steps: list[tuple[Database, SummaryQuery]] = [((of("x", 1),), ask(1, keys=(1, 2)))]
    rules = small_rules(epsilon=1)
    assert curve(*both(rules, steps, to_ordinary_source), 1, 2) == [Fraction(2, 9), 0]
    assert curve(*both(rules, steps), 1) == [0]


def test_a_dummy_that_holds_records_already_triples_epsilon() -> None:
    def function(record: Record) -> Contribution:
        key = 3 if record.report_id == 2 else KEYS[record.unit]
        return Contribution(key=key, value=1)

    question = SummaryQuery(query=query(1, 2, keys=(1, 2, 3)), function=function)
    steps: list[tuple[Database, SummaryQuery]] = [((of("x", 1), of("⊥", 2)), question)]
    rules = small_rules(epsilon=1)
    found = curve(*both(rules, steps, to_ordinary_source), 1, 2, 3)
    assert found == [Fraction(2, 9), Fraction(4, 27), 0]
    assert curve(*both(rules, steps), 1) == [0]


@pytest.mark.parametrize("records", [1, 2, 3])
def test_a_dummy_without_a_cap_costs_as_much_as_it_holds(records: int) -> None:
    def admit(
        at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
    ) -> tuple[Budget, bool]:
        if unit == "⊥":
            return spent, True
        return PAPER.admit(at, unit, spent, contribution)

    rules = replace(small_rules(epsilon=1), admit=admit)
    database = tuple(of("x", number) for number in range(records))
    steps: list[tuple[Database, SummaryQuery]] = [(database, ask(*range(records), keys=(1, 2)))]
    least, enough = curve(*both(rules, steps, to_ordinary_source), records, records + 1)
    assert least > 0
    assert enough == 0


def test_in_the_system_what_is_credited_to_x_becomes_null() -> None:
    rules = small_rules(epsilon=1)
    moves: list[Move] = [source("x", key=1), trigger(1), query(1, keys=(1,))]
    assert system_curve(rules, ATTRIBUTION_FIXED, "x", moves, 0, 1) == [Fraction(1, 3), 0]


# A5: truthful answers that leave the output set.


def test_as_written_truthful_answers_may_leave_the_output_set() -> None:
    law = RandomizedResponse(outputs=Sequences(((0, 0), (1, 1))), power=Power(TWO, Fraction(1)))
    mechanism = InteractiveRandomizedResponse(law=law)

    def transcripts(*events: Hashable) -> Distribution[Hashable]:
        count = (events, len)
        negate = (events, lambda given: 1 - len(given))
        return seen(mechanism, [count, negate]).map(tuple)

    there, gone = transcripts("y"), transcripts()
    truth = Fraction(1, 3)
    assert there.probability_of((1, 0)) == gone.probability_of((0, 1)) == truth
    assert gone.probability_of((1, 0)) == 0
    assert hockey_stick(there, gone, Fraction(10**9)) == truth
    steady, steady_gone = (seen(mechanism, [(given, len)] * 2) for given in (("y",), ()))
    assert indistinguishable(steady, steady_gone, Fraction(2), Fraction(0))
