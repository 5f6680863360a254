from __future__ import annotations

from fractions import Fraction

from properties.solve import Solution, solve
from spec import (
    ATTRIBUTION_FIXED,
    NEVER_REGISTERED,
    PAPER,
    SMALL_LIMITS,
    Base,
    DiscreteLaplace,
    Limits,
    Noise,
    Power,
    Query,
    Relation,
    Report,
    Rules,
    Universe,
    replace,
)
from tests.small import source, trigger

UNIVERSE = Universe(
    name="one source, one trigger",
    limits=SMALL_LIMITS,
    units=("x",),
    moves=3,
    sources=(source(key=1),),
    triggers=(trigger(0, 2),),
    trigger_count=1,
    queries=(
        Query(epsilon=Fraction(2), keys=(1,)),
        Query(epsilon=Fraction(2), delta=Fraction(1, 64)),
    ),
    query_count=1,
)


def solved(
    rules: Rules,
    universe: Universe = UNIVERSE,
    relation: Relation = ATTRIBUTION_FIXED,
    moves: int | None = None,
) -> Solution:
    return solve(rules, relation, universe, Fraction(60), moves)


def test_a_public_threshold_may_depend_on_the_size_of_the_batch() -> None:
    def threshold(limits: Limits, query: Query, batch: tuple[Report, ...]) -> int | None:
        usual = PAPER.threshold(limits, query, batch)
        return None if usual is None else usual + max(0, 3 - len(batch))

    solution = solved(replace(PAPER, threshold=threshold))
    assert not solution.refuted
    assert 0 < solution.worst < solved(PAPER).worst


def test_truncated_noise_without_a_threshold_shows_every_value() -> None:
    def noise(
        limits: Limits, query: Query, batch: tuple[Report, ...], threshold: int | None
    ) -> Noise:
        decay = Power(limits.base, -query.epsilon / limits.contribution_budget)
        return DiscreteLaplace(decay_power=decay, truncation=3 if threshold is None else threshold)

    without_discovery = replace(UNIVERSE, queries=UNIVERSE.queries[:1])
    mixed = solved(replace(PAPER, noise=noise))
    assert mixed.refuted
    assert mixed.worst == solved(replace(PAPER, noise=noise), without_discovery).worst


def test_the_factor_is_measured_over_all_moves_of_the_universe_or_those_of_the_attack() -> None:
    rerouted = replace(
        UNIVERSE,
        limits=replace(SMALL_LIMITS, contribution_budget=1, epsilon=Fraction(1), delta=Fraction(0)),
        moves=5,
        sources=(source("z", "ab", key=2), source(key=1)),
        triggers=(trigger(0, 1, "a"), trigger(0, 1, "b", key=4)),
        trigger_count=2,
        queries=(Query(epsilon=Fraction(1), keys=(1, 2, 6)),),
    )
    whole = solved(PAPER, rerouted, NEVER_REGISTERED)
    shortest = solved(PAPER, rerouted, NEVER_REGISTERED, moves=5)
    assert shortest.factor == 2
    assert shortest.measured == 4
    assert whole.factor == 3
    assert whole.measured == 5
    assert whole.attack is not None
    assert shortest.attack is not None
    assert whole.attack.inequality() == shortest.attack.inequality()


def test_the_factor_is_found_between_whole_multiples_of_the_unit() -> None:
    def twice(query: Query, reports: tuple[Report, ...]) -> tuple[Report, ...]:
        return reports

    fine = replace(
        UNIVERSE,
        limits=replace(
            SMALL_LIMITS, epsilon=Fraction(1), delta=Fraction(0), base=Base(Fraction(4))
        ),
        queries=(Query(epsilon=Fraction(1), keys=(1,)),),
    )
    assert solved(replace(PAPER, batch=twice), fine).factor == 2
