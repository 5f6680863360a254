from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import pytest

from properties.machines._sequences import BadOrder, WindowSequences
from spec.distributions import Distribution, Draw, explore, hockey_stick, indistinguishable
from spec.event_client import (
    EventClient,
    EventSource,
    EventTrigger,
    TriggerSpecification,
    event_attribute,
    pass_windows,
    register_event_source,
    register_event_trigger,
    response_law,
)
from spec.event_mechanism import (
    Answers,
    EventMechanism,
    EventState,
    NoQuestion,
    Questions,
    records_of,
)
from spec.event_outputs import OutputSet, output_set
from spec.interaction import Adversary, Mechanism, Without, transcript
from spec.numbers import Base, Power
from spec.paper import PAPER
from spec.randomized_response import Events, RandomizedResponse, Sequences
from spec.rules import OnDevice
from spec.summary_mechanism import Database, Record, without_source

TWO = Base(Fraction(2))
RULES = replace(PAPER, limits=replace(PAPER.limits, base=TWO, event_epsilon=Fraction(1)))
E = Fraction(2)
BITS = Sequences(tuple(product((0, 1), repeat=2)))

Action = tuple[Database, Questions]


def law_on(outputs: Sequences | WindowSequences) -> RandomizedResponse[Events]:
    return RandomizedResponse(outputs=outputs, power=Power(TWO, Fraction(1)))


def mechanism(outputs: Sequences, *units: str) -> EventMechanism:
    return EventMechanism(laws=tuple((unit, law_on(outputs)) for unit in units))


def records(*units: str) -> Database:
    return tuple(Record(unit=unit, report_id=number) for number, unit in enumerate(units))


def some(events: Events) -> Hashable:
    return min(len(events), 1)


def none(events: Events) -> Hashable:
    return 1 - min(len(events), 1)


def answers(
    tested: Mechanism[EventState, Action, Answers], adversary: Adversary[Answers, Action]
) -> Distribution[tuple[Answers, ...]]:
    return explore(lambda draw: transcript(tested, adversary, draw))


def adaptive_adversaries(*units: str) -> Iterator[Adversary[Answers, Action]]:
    """List the adversaries of two steps whose second database depends on the first answer."""
    databases = [records(*chosen) for chosen in ((), ("x",), ("z",), ("x", "z"))]
    firsts = list(product((0, 1), repeat=len(units)))
    questions: Questions = dict.fromkeys(units, some)
    for first, *seconds in product(databases, repeat=1 + len(firsts)):
        plan = dict(zip(firsts, seconds, strict=True))

        def adversary(
            responses: tuple[Answers, ...],
            first: Database = first,
            plan: dict[tuple[int, ...], Database] = plan,
        ) -> Action | None:
            if not responses:
                return first, questions
            if len(responses) == 1:
                seen = tuple(1 if answer else 0 for _, answer in responses[0])
                return plan[seen], questions
            return None

        yield adversary


def test_every_source_answers_about_its_own_records() -> None:
    database = records("x", "z", "x", "elsewhere")
    assert records_of(database, "x") == (0, 2)
    assert records_of(database, "z") == (1,)
    assert records_of(database, "nobody") == ()


def test_the_step_is_counted_and_the_response_is_drawn_once() -> None:
    """B7: the state moves from the first answer of a drawn sequence to its second."""
    tested = mechanism(Sequences(((0, 1), (1, 0))), "x", "z")

    def run(draw: Draw) -> EventState:
        state = tested.initial
        for step in (1, 2):
            assert state.step == step
            before = state.responses
            state, reply = tested.step(state, (records("x"), {"x": some, "z": some}), draw)
            for unit, answer in reply:
                drawn = state.responses[unit]
                truth = 1 if unit == "x" else 0
                assert answer == (truth if drawn is None else drawn[step - 1])
            assert step == 1 or state.responses == before
        return state

    law = explore(run)
    assert {state.step for state in law} == {3}
    assert len(law.support()) == 9


@dataclass(frozen=True)
class Uncounted:
    """Be the mechanism as its pseudocode returns it, with the step it was given."""

    mechanism: Mechanism[EventState, Action, Answers]

    @property
    def initial(self) -> EventState:
        return self.mechanism.initial

    def step(self, state: EventState, action: Action, draw: Draw) -> tuple[EventState, Answers]:
        after, reply = self.mechanism.step(state, action, draw)
        return replace(after, step=state.step), reply


def test_without_counting_steps_the_coin_is_tossed_again_and_privacy_is_lost() -> None:
    tested = mechanism(BITS, "x")
    other = Without(mechanism=tested, neighbour=without_source, unit="x")

    def twice(responses: tuple[Answers, ...]) -> Action | None:
        return (records("x"), {"x": some}) if len(responses) < 2 else None

    counted = answers(tested, twice), answers(other, twice)
    uncounted = answers(Uncounted(tested), twice), answers(Uncounted(other), twice)
    assert indistinguishable(*counted, E, Fraction(0))
    assert hockey_stick(*uncounted, E) > 0


def test_it_is_private_against_every_adaptive_adversary_of_two_steps() -> None:
    tested = mechanism(BITS, "x")
    other = Without(mechanism=tested, neighbour=without_source, unit="x")
    worst = Fraction(0)
    for adversary in adaptive_adversaries("x"):
        present, absent = answers(tested, adversary), answers(other, adversary)
        assert indistinguishable(present, absent, E, Fraction(0))
        worst = max(worst, hockey_stick(present, absent, E - Fraction(1, 10)))
    assert worst > 0, "the bound is not reached, so the check shows little"


def test_it_is_private_with_a_second_source_in_the_background() -> None:
    tested = mechanism(BITS, "x", "z")
    other = Without(mechanism=tested, neighbour=without_source, unit="x")
    questions: Questions = {"x": some, "z": none}
    for first, second, third in product((("x",), ("z",), ("x", "z")), repeat=3):

        def adversary(
            responses: tuple[Answers, ...],
            first: tuple[str, ...] = first,
            second: tuple[str, ...] = second,
            third: tuple[str, ...] = third,
        ) -> Action | None:
            if not responses:
                return records(*first), questions
            if len(responses) == 1:
                chosen = second if responses[0][1] == ("z", 1) else third
                return records(*chosen), questions
            return None

        law = answers(tested, adversary), answers(other, adversary)
        assert indistinguishable(*law, E, Fraction(0))


def test_the_theorem_as_written_fails_where_the_truth_leaves_the_output_set() -> None:
    """A5: O = {00, 11}, one query that counts and one that negates."""
    tested = mechanism(Sequences(((0, 0), (1, 1))), "x")
    other = Without(mechanism=tested, neighbour=without_source, unit="x")

    def adversary(responses: tuple[Answers, ...]) -> Action | None:
        questions = [some, none]
        if len(responses) == 2:
            return None
        return records("x"), {"x": questions[len(responses)]}

    present, absent = answers(tested, adversary), answers(other, adversary)
    outside = ((("x", 1),), (("x", 0),))
    assert present.probability_of(outside) == Fraction(1, 3)
    assert absent.probability_of(outside) == 0


def test_a_step_asks_every_source_once() -> None:
    tested = mechanism(BITS, "x", "z")
    with pytest.raises(NoQuestion, match="'x'"):
        explore(lambda draw: tested.step(tested.initial, (records(), {"x": some}), draw))
    strangers: Questions = {"x": some, "z": some, "w": some}
    with pytest.raises(NoQuestion, match="'w'"):
        explore(lambda draw: tested.step(tested.initial, (records(), strangers), draw))


# Windows as steps.

PAIR = OutputSet(maximum_reports=2, windows=(2, 1), buckets=(2, 1))


def test_window_sequences_are_the_outputs_in_the_order_of_time() -> None:
    sequences = WindowSequences(outputs=PAIR, order=((0, 0), (1, 0), (0, 1)))
    assert sequences.sequence(((2, 0), (0,))) == (2, 0, 0)
    assert sequences.size() == PAIR.size() == len(set(sequences))
    assert [sequences.output(index) for index in range(sequences.size())] == list(sequences)


def test_a_prefix_in_time_extends_exactly_if_some_sequence_begins_with_it() -> None:
    for order in (((0, 0), (1, 0), (0, 1)), ((1, 0), (0, 0), (0, 1)), ((0, 0), (0, 1), (1, 0))):
        sequences = WindowSequences(outputs=PAIR, order=order)
        for length in range(5):
            for prefix in product(range(4), repeat=length):
                begins = any(sequence[:length] == prefix for sequence in sequences)
                assert sequences.extends(prefix) == (begins and length <= 3)


@pytest.mark.parametrize(
    "order",
    [
        ((0, 0), (0, 1)),
        ((0, 1), (0, 0), (1, 0)),
        ((0, 0), (0, 1), (1, 0), (2, 0)),
        ((0, 0), (0, 0), (1, 0)),
    ],
)
def test_an_order_that_is_none_is_refused(order: tuple[tuple[int, int], ...]) -> None:
    with pytest.raises(BadOrder):
        WindowSequences(outputs=PAIR, order=order)


# The noisy client is the mechanism.

SOURCE = EventSource(
    source_id="x",
    destination="shop",
    expiry=100,
    filters=frozenset({"f"}),
    maximum_reports=2,
    specifications=(
        TriggerSpecification(data="a", windows=(10, 30), buckets=(1, 2)),
        TriggerSpecification(data="b", windows=(20,), buckets=(1, 3)),
    ),
)
TIMES = (10, 20, 30)
ORDER = ((0, 0), (1, 0), (0, 1))
AT_SOURCE = OnDevice(rules=RULES, now=0, client=EventClient(), cause=SOURCE)


def trigger(data: str, value: int) -> EventTrigger:
    return EventTrigger(
        trigger_id="t", destination="shop", filters=frozenset({"f"}), data=data, value=value
    )


def counts_of_the_client(purchases: tuple[EventTrigger, ...], draw: Draw) -> tuple[int, ...]:
    """Register one trigger before each window, and count the reports each window sends."""
    client = register_event_source(AT_SOURCE, SOURCE, draw)
    counts: tuple[int, ...] = ()
    for time, purchase in zip(TIMES, purchases, strict=True):
        at = OnDevice(rules=RULES, now=time - 1, client=client, cause=purchase)
        client = register_event_trigger(at, event_attribute(at))
        windows = OnDevice(rules=RULES, now=time, client=client, cause=None)
        client, reports = pass_windows(windows, time - 10, draw)
        counts += (len(reports),)
    return counts


def truthful(law: object) -> object:
    """Draw the truth wherever a response is drawn."""
    assert law == response_law(AT_SOURCE, SOURCE)
    return None


def test_the_noisy_client_is_the_mechanism_on_its_own_windows() -> None:
    outputs = output_set(AT_SOURCE, SOURCE)
    tested = EventMechanism(laws=(("x", law_on(WindowSequences(outputs=outputs, order=ORDER))),))
    choices = [trigger(data, value) for data, value in product("ab", (0, 1, 2, 3))]
    for purchases in product(choices, repeat=3):
        truth = counts_of_the_client(purchases, truthful)  # type: ignore[arg-type]

        def ask(responses: tuple[Answers, ...], truth: tuple[int, ...] = truth) -> Action | None:
            step = len(responses)
            return (records("x"), {"x": lambda _: truth[step]}) if step < 3 else None

        by_mechanism = answers(tested, ask).map(
            lambda replies: tuple(answer for ((_, answer),) in replies)
        )
        by_client = explore(
            lambda draw, purchases=purchases: counts_of_the_client(purchases, draw)  # type: ignore[misc]
        )
        assert by_client == by_mechanism
