from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from immutables import Map

from spec import (
    PAPER,
    Aborted,
    Answer,
    AtService,
    DiscreteLaplace,
    Distribution,
    Key,
    Law,
    Ledger,
    Noise,
    Noisy,
    Power,
    Query,
    Real,
    Report,
    Rules,
    Service,
    Spent,
    explore,
    replace,
)
from spec.aggregation_service import serve
from spec.numbers import SpecError
from spec.rules import BadLimit
from tests.small import NOISELESS, TWO, cut, query, report, small_rules

FIGURES = json.loads((Path(__file__).parent / "vectors.json").read_text())


def at(rules: Rules, question: Query, service: Service | None = None) -> AtService:
    """Return what the service sees of a query."""
    known = Service() if service is None else service
    return AtService(rules=rules, now=0, service=known, query=question)


def asked(
    rules: Rules, service: Service, question: Query, *reports: Report
) -> tuple[Service, Answer | Aborted]:
    service, outcome = serve(at(rules, question, service), reports, NOISELESS)
    assert isinstance(outcome, Answer | Aborted)
    return service, outcome


def test_values_are_summed_per_key() -> None:
    reports = [report(1, (5, 2)), report(2, (5, 3)), report(3, (6, 4)), report(4)]
    _, outcome = asked(PAPER, Service(), query(1, 2, 3, 4, keys=(5, 6, 7)), *reports)
    assert outcome == Answer(released=((5, 5), (6, 4), (7, 0)))


def test_every_report_of_an_answered_batch_is_charged() -> None:
    service, _ = asked(PAPER, Service(), query(1, 2, epsilon=3), report(1, (5, 2)), report(2))
    spent = Spent(epsilon=Fraction(3), delta=Fraction(0), queries=1)
    assert service.ledger == Map({1: spent, 2: spent})


def test_requerying_goes_on_until_the_budget_is_used_up_exactly() -> None:
    service = Service()
    thirds = query(1, epsilon=Fraction(64, 3))
    for _ in range(3):
        service, outcome = asked(PAPER, service, thirds, report(1))
        assert outcome == Answer()
    before = service
    service, outcome = asked(PAPER, service, query(1, epsilon=Fraction(1, 10**9)), report(1))
    assert outcome == Aborted()
    assert service == before


def test_delta_is_a_budget_of_its_own() -> None:
    rules = small_rules(epsilon=100, delta=Fraction(1, 4))
    service, outcome = asked(rules, Service(), query(1, delta=Fraction(1, 4)), report(1))
    assert isinstance(outcome, Answer)
    assert asked(rules, service, query(1, delta=Fraction(1, 100)), report(1))[1] == Aborted()
    assert isinstance(asked(rules, service, query(1), report(1))[1], Answer)


def test_a_refused_batch_costs_nothing_anywhere() -> None:
    service, _ = asked(PAPER, Service(), query(1, epsilon=60), report(1))
    after, outcome = asked(PAPER, service, query(2, 1, epsilon=5), report(2), report(1))
    assert outcome == Aborted()
    assert after == service
    assert 2 not in after.ledger


def test_of_repeated_reports_the_first_counts() -> None:
    reports = [report(1, (5, 2)), report(1, (5, 9)), report(1, (5, 2))]
    service, outcome = asked(PAPER, Service(), query(1, 1, 1, keys=(5,)), *reports)
    assert outcome == Answer(released=((5, 2),))
    assert service.ledger[1].epsilon == 1


def test_a_batch_keeps_the_order_in_which_the_query_names_its_reports() -> None:
    named = (report(1, (5, 2)), report(2), report(1, (5, 2)))
    assert PAPER.batch(at(PAPER, query(1, 2, 1)), named) == named[:2]


def test_key_discovery_releases_sums_above_the_threshold_only() -> None:
    rules = small_rules(contribution_budget=2, sparsity_budget=2)
    question = query(1, 2, epsilon=2, delta=Fraction(1, 8))
    threshold = rules.threshold(at(rules, question), ())
    assert threshold == 2 + 4
    reports = [report(1, (5, 6)), report(2, (6, 7))]
    _, outcome = asked(rules, Service(), question, *reports)
    assert outcome == Answer(released=((6, 7),))


def test_an_absent_key_is_never_discovered() -> None:
    rules = small_rules()
    question = query(1, delta=Fraction(1, 4))
    given = at(rules, question)
    law = explore(lambda draw: serve(given, (report(1),), draw)[1])
    assert law == Distribution.certain(Answer())
    noise = rules.noise(given, (), rules.threshold(given, ()))
    assert noise.support == (-4, 4)
    assert not rules.releases(given, 7, 4, 4)


def test_the_answer_has_the_law_of_the_noise() -> None:
    rules = small_rules()
    given = at(rules, query(1, keys=(5,)))
    law = explore(lambda draw: serve(given, (report(1, (5, 1)),), draw)[1], cut)
    noise = DiscreteLaplace(decay_power=Power(TWO, Fraction(-1)))
    assert law.probability_of(Answer(released=((5, 1),))) == noise.pmf(0) == Fraction(1, 3)
    assert law.probability_of(Answer(released=((5, 3),))) == noise.pmf(2) == Fraction(1, 12)


def test_listed_keys_are_answered_once_each() -> None:
    _, outcome = asked(PAPER, Service(), query(1, keys=(5, 5, 6)), report(1))
    assert outcome == Answer(released=((5, 0), (6, 0)))


def test_an_empty_batch_is_answered() -> None:
    service, outcome = asked(PAPER, Service(), query(keys=(5,)))
    assert outcome == Answer(released=((5, 0),))
    assert not service.ledger


def test_one_entry_may_hold_the_budget_of_several_reports() -> None:
    shared = replace(PAPER, budget_entries=lambda given, each: (each.report_id % 2,))
    service, _ = asked(shared, Service(), query(1, 3, epsilon=40), report(1), report(3))
    assert service.ledger == Map({1: Spent(epsilon=Fraction(40), queries=1)})
    assert asked(shared, service, query(5, epsilon=40), report(5))[1] == Aborted()


class Constant(Noise):
    """Add the same number always."""

    def __init__(self, number: int) -> None:
        self.number = number

    @property
    def support(self) -> tuple[int | None, int | None]:
        return self.number, self.number

    @property
    def decay(self) -> Power | None:
        return None

    def pmf(self, x: int) -> Real:
        return Fraction(int(x == self.number))

    def tail(self, x: int) -> Real:
        return Fraction(int(x < self.number))


class Added:
    """Be a draw that adds the constant."""

    def __call__(self, law: Any, /) -> Any:
        if isinstance(law, Noisy):
            (outcome,) = dict(law.outcomes())
            return outcome
        assert not isinstance(law, Law)
        return law


@pytest.mark.parametrize("case", FIGURES["domain_and_threshold"]["cases"])
def test_requested_keys_and_the_threshold_follow_the_published_table(
    case: Mapping[str, Any],
) -> None:
    """In the shipped service a requested key is released whatever its noisy sum is."""
    assert case["optional"]
    domain = tuple(case["domain"])

    def keys(given: AtService, batch: tuple[Report, ...]) -> tuple[Key, ...]:
        found = {part.key for each in batch for part in each.contributions}
        return tuple(dict.fromkeys((*given.query.keys, *sorted(found))))

    def releases(given: AtService, key: Key, noisy: int, threshold: int | None) -> bool:
        return key in given.query.keys or PAPER.releases(given, key, noisy, threshold)

    rules = replace(
        PAPER,
        keys=keys,
        releases=releases,
        noise=lambda given, batch, threshold: Constant(case["noise"]),
        threshold=lambda given, batch: case["thr"],
    )
    question = query(*range(len(case["sums"])), delta=Fraction(1, 10**8), keys=domain)
    reports = tuple(
        report(number, (int(key), value))
        for number, (key, value) in enumerate(case["sums"].items())
    )
    _, outcome = serve(at(rules, question), reports, Added())
    assert isinstance(outcome, Answer)
    assert dict(outcome.released) == {int(key): value for key, value in case["out"].items()}


# A query that lists keys does not discover any, whatever its delta.


def test_a_query_that_lists_keys_has_no_threshold_and_pays_its_delta() -> None:
    rules = small_rules()
    question = query(1, delta=Fraction(1, 4), keys=(5, 6))
    given, reports = at(rules, question), (report(1, (5, 1), (7, 1)),)
    assert not question.discovers_keys
    assert rules.threshold(given, reports) is None
    assert rules.noise(given, reports, None).support == (None, None)
    service, outcome = asked(rules, Service(), question, *reports)
    assert outcome == Answer(released=((5, 1), (6, 0)))
    assert service.ledger[1] == Spent(epsilon=Fraction(1), delta=Fraction(1, 4), queries=1)


def test_a_query_discovers_keys_if_it_lists_none_and_has_a_delta() -> None:
    assert query(1, delta=Fraction(1, 4)).discovers_keys
    assert not query(1).discovers_keys
    assert asked(small_rules(), Service(), query(1), report(1, (5, 9)))[1] == Answer()


# The number of queries is a cap of its own.


def test_a_report_takes_part_in_so_many_queries_and_no_more() -> None:
    rules = small_rules(epsilon=100)
    capped = replace(rules, limits=replace(rules.limits, maximum_queries=2))
    service = Service()
    for queries in (1, 2):
        service, outcome = asked(capped, service, query(1), report(1))
        assert outcome == Answer()
        assert service.ledger[1].queries == queries
    after, outcome = asked(capped, service, query(2, 1), report(2), report(1))
    assert outcome == Aborted()
    assert after == service
    assert asked(rules, service, query(1), report(1))[1] == Answer()


@pytest.mark.parametrize("most", [0, -1])
def test_the_cap_on_queries_is_positive_or_there_is_none(most: int) -> None:
    with pytest.raises(BadLimit, match="maximum_queries"):
        replace(PAPER.limits, maximum_queries=most)
    assert PAPER.limits.maximum_queries is None


# Batch and settlement may be random.


def test_a_batch_may_be_drawn() -> None:
    def either_half(
        given: AtService, reports: tuple[Report, ...]
    ) -> Distribution[tuple[Report, ...]]:
        return Distribution.of({reports[:1]: Fraction(1, 3), reports[1:]: Fraction(2, 3)})

    given = at(replace(PAPER, batch=either_half), query(1, 2))
    law = explore(lambda draw: serve(given, (report(1), report(2)), draw)[0])
    charged = law.map(lambda service: tuple(service.ledger))
    assert charged == Distribution.of({(1,): Fraction(1, 3), (2,): Fraction(2, 3)})


Settled = tuple[Ledger, tuple[Report, ...] | None]


def test_settlement_may_be_drawn() -> None:
    def refuse_sometimes(given: AtService, batch: tuple[Report, ...]) -> Distribution[Settled]:
        settled: Settled = PAPER.settle(given, batch)  # type: ignore[assignment]
        refused: Settled = (given.service.ledger, None)
        return Distribution.of({settled: Fraction(3, 4), refused: Fraction(1, 4)})

    given = at(replace(PAPER, settle=refuse_sometimes), query(1))
    law = explore(lambda draw: serve(given, (report(1),), draw))
    assert law.map(lambda found: (bool(found[0].ledger), found[1])) == Distribution.of(
        {(True, Answer()): Fraction(3, 4), (False, Aborted()): Fraction(1, 4)}
    )


def test_the_service_is_shown_as_it_is_after_charging() -> None:
    shown = replace(PAPER, reveal=lambda given, batch, outcome: tuple(given.service.ledger))
    assert serve(at(shown, query(1)), (report(1),), NOISELESS)[1] == (1,)


@pytest.mark.parametrize("wrong", [-1, 2**128, True, Fraction(1), "1"])
def test_one_wrong_identifier_among_many_is_refused(wrong: object) -> None:
    ids: Any = (*range(1000), wrong)
    with pytest.raises(SpecError, match="report_ids"):
        Query(epsilon=Fraction(1), report_ids=ids)
    Query(epsilon=Fraction(1), report_ids=(*range(1000), 2**128 - 1))
