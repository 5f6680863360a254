from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from properties.broken import REPEATS_COUNT
from properties.game_findings import EFFORTS, game_finding, judged
from properties.solve import Solution, solve
from properties.universes import attribution_universe
from spec import (
    ATTRIBUTION_FIXED,
    NEVER_REGISTERED,
    PAPER,
    SMALL_LIMITS,
    Aborted,
    Answer,
    AtService,
    Base,
    Credit,
    DiscreteGaussian,
    DiscreteLaplace,
    Draw,
    Law,
    Move,
    Noise,
    Observation,
    Outcome,
    Power,
    Query,
    Relation,
    Report,
    Rules,
    Sent,
    Service,
    Spent,
    Unit,
    Universe,
    replace,
    step,
)
from spec.neighbours import Worlds
from spec.verdicts import Evidence, Finding, Reason, Verdict
from tests.small import source, trigger

if TYPE_CHECKING:
    from spec.rules import AtContribution

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
    return solve(rules, relation, universe, moves=moves)


def test_a_public_threshold_may_depend_on_the_size_of_the_batch() -> None:
    def threshold(at: AtService, batch: tuple[Report, ...]) -> int | None:
        usual = PAPER.threshold(at, batch)
        return None if usual is None else usual + max(0, 3 - len(batch))

    solution = solved(replace(PAPER, threshold=threshold))
    assert not solution.refuted
    assert 0 < solution.worst < solved(PAPER).worst


def test_truncated_noise_without_a_threshold_shows_every_value() -> None:
    def noise(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
        decay = Power(at.limits.base, -at.query.epsilon / at.limits.contribution_budget)
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
    def twice(at: AtService, reports: tuple[Report, ...]) -> tuple[Report, ...]:
        return reports

    fine = replace(
        UNIVERSE,
        limits=replace(
            SMALL_LIMITS, epsilon=Fraction(1), delta=Fraction(0), base=Base(Fraction(4))
        ),
        queries=(Query(epsilon=Fraction(1), keys=(1,)),),
    )
    assert solved(replace(PAPER, batch=twice), fine).factor == 2


def data_dependent(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    """Widen the noise where there is something to hide."""
    usual = PAPER.noise(at, batch, threshold)
    if threshold is not None or all(report.is_null for report in batch):
        return usual
    decay = Power(at.limits.base, -at.query.epsilon / (2 * at.limits.contribution_budget))
    return DiscreteLaplace(decay_power=decay)


def test_noise_that_depends_on_the_reports_is_cut_with_a_known_loss() -> None:
    solution = solved(replace(PAPER, noise=data_dependent))
    assert solution.slack > 0
    assert not solution.open
    assert solution.worst > solved(PAPER).worst


@dataclass(frozen=True, slots=True)
class Spike(Noise):
    """Put a quarter on zero, and the rest on both sides with the tails of a geometric law."""

    ratio: Power

    @property
    def support(self) -> tuple[int | None, int | None]:
        return None, None

    @property
    def decay(self) -> Power:
        return self.ratio

    def pmf(self, x: int) -> Fraction:
        q = self.ratio.exact()
        return Fraction(1, 4) if x == 0 else Fraction(3, 8) * (1 - q) * q ** (abs(x) - 1)

    def tail(self, x: int) -> Fraction:
        q = self.ratio.exact()
        return Fraction(3, 8) * q**x if x >= 0 else 1 - Fraction(3, 8) * q ** (-x - 1)


def spiked(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    if threshold is not None:
        return PAPER.noise(at, batch, threshold)
    return Spike(Power(at.limits.base, -at.query.epsilon / at.limits.contribution_budget))


def test_noise_that_only_claims_to_fall_by_a_constant_ratio_is_not_cut_at_the_sums() -> None:
    listed = replace(UNIVERSE, queries=UNIVERSE.queries[:1])
    solution = solved(replace(PAPER, noise=spiked), listed)
    assert solution.slack > 0
    gains = [
        max(Spike(HALF).pmf(w - 2) - 16 * Spike(HALF).pmf(w), Fraction(0)) for w in range(-60, 60)
    ]
    assert abs(solution.worst - sum(gains)) <= solution.slack


HALF = Power(Base(Fraction(2)), Fraction(-1))


def test_irrational_noise_is_decided_up_to_the_loss() -> None:
    def gaussian(variance: Fraction) -> Rules:
        def noise(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
            if threshold is not None:
                return PAPER.noise(at, batch, threshold)
            return DiscreteGaussian(variance)

        return replace(PAPER, noise=noise)

    assert solved(gaussian(Fraction(1, 4))).refuted
    wide = solved(gaussian(Fraction(16)))
    assert not wide.refuted
    assert not wide.open


def test_a_changed_reveal_and_a_changed_release_test_are_decided() -> None:
    def rounded(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Hashable:
        if isinstance(outcome, Aborted):
            return outcome
        return tuple((key, noisy // 2) for key, noisy in outcome.released)

    def counted(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Hashable:
        return outcome, sum(not report.is_null for report in batch)

    def all_sums(at: AtService, key: int, noisy: int, threshold: int | None) -> bool:
        return True

    after = solved(replace(PAPER, reveal=rounded))
    assert not after.refuted
    assert not after.open
    assert after.worst <= solved(PAPER).worst + after.slack
    assert solved(replace(PAPER, reveal=counted)).worst > 1 - after.slack
    assert solved(replace(PAPER, releases=all_sums)).refuted


def test_rounding_in_the_service_is_as_private_as_rounding_the_answer() -> None:
    def answer(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
        usual = PAPER.answer(at, batch, draw)
        return Answer(released=tuple((key, noisy // 2) for key, noisy in usual.released))

    def reveal(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Hashable:
        if isinstance(outcome, Aborted):
            return outcome
        return Answer(released=tuple((key, noisy // 2) for key, noisy in outcome.released))

    def serve(at: AtService, reports: tuple[Report, ...], draw: Draw) -> tuple[Service, Hashable]:
        return PAPER.serve(replace(at, rules=replace(at.rules, answer=answer)), reports, draw)

    changes = (
        replace(PAPER, answer=answer),
        replace(PAPER, reveal=reveal),
        replace(PAPER, serve=serve),
    )
    assert len({solved(rules).worst for rules in changes}) == 1


def test_a_law_without_a_list_of_outcomes_leaves_the_guarantee_unknown() -> None:
    class Unlisted(Law[tuple[Sent, ...]]):
        pass

    def send(at: AtContribution, granted: tuple[Credit, ...]) -> Law[tuple[Sent, ...]]:
        return Unlisted()

    finding = game_finding(
        "attribution_summaries_are_private",
        replace(PAPER, send=send),
        ATTRIBUTION_FIXED,
        UNIVERSE,
        EFFORTS["quick"],
    )
    assert finding.verdict is Verdict.UNKNOWN
    assert "Unlisted" in finding.detail


def test_the_factor_is_found_where_noise_is_irrational() -> None:
    def noise(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
        return DiscreteGaussian(variance=1 / at.query.epsilon)

    asked = replace(UNIVERSE, queries=(Query(epsilon=Fraction(10, 3), keys=(1,)),))
    solution = solved(replace(PAPER, noise=noise), asked)
    assert solution.refuted
    assert solution.factor is not None
    assert (solution.factor * SMALL_LIMITS.epsilon).denominator == 1


def test_a_neighbour_relation_may_give_the_service_other_rules() -> None:
    def refuse(at: AtService, spent: Spent, report: Report) -> Spent | None:
        del at, spent, report
        return None

    def move_refused(
        rules: Rules, unit: Unit, worlds: Worlds, move: Move, draw: Draw
    ) -> tuple[Worlds, Observation]:
        del unit
        own, seen = step(replace(rules, charge=refuse), worlds.own, move, draw)
        return replace(worlds, own=own), seen

    for rules in (PAPER, replace(PAPER, serve=lambda *given: PAPER.serve(*given))):
        refusing = Relation(name="refusing", meaning="no query is answered", move=move_refused)
        assert solved(rules, relation=refusing).worst == 1


def test_a_game_that_would_remember_too_much_ends_with_a_reason() -> None:
    whole = solved(PAPER)
    assert whole.complete
    assert whole.stopped is Reason.NONE
    solution = solve(PAPER, ATTRIBUTION_FIXED, UNIVERSE, room=40)
    again = solve(PAPER, ATTRIBUTION_FIXED, UNIVERSE, room=40)
    assert solution.stopped is Reason.OUT_OF_ROOM
    assert not solution.complete
    assert (solution.solved, solution.steps) == (again.solved, again.steps)
    assert solution.solved < whole.solved
    effort = replace(EFFORTS["quick"], fewest=3)
    blank = Finding(claim="", check="", method="")
    found = judged(blank, replace(solution, vacuous=False, unanswered=False), effort)
    assert found.reason is Reason.OUT_OF_ROOM
    assert found.evidence is Evidence.NONE
    assert judged(blank, whole, effort).evidence is Evidence.EXACT_IN_UNIVERSE


def test_an_attack_is_written_down_even_if_there_is_no_more_room() -> None:
    shown = replace(PAPER, reveal=lambda at, batch, outcome: (outcome, batch))
    whole = solve(shown, ATTRIBUTION_FIXED, UNIVERSE)
    assert whole.attack is not None
    rooms = [solve(shown, ATTRIBUTION_FIXED, UNIVERSE, room=room) for room in range(0, 600, 50)]
    assert {each.refuted for each in rooms} == {False, True}
    assert all(each.worst == whole.worst for each in rooms if each.refuted)


def test_an_attack_through_cut_noise_tells_bounds_and_calls_them_so() -> None:
    changed = replace(REPEATS_COUNT, noise=spiked)
    solution = solve(changed, ATTRIBUTION_FIXED, attribution_universe(), moves=3)
    attack = solution.attack
    assert attack is not None
    assert not attack.exact
    assert attack.to_json()["exact"] is False
    assert solution.delta < attack.gained == solution.worst - solution.slack
    assert "has probability at least 0." in attack.story()
    assert re.fullmatch(
        r"at least 0\.\d+ > 16 \* 0\.\d+ \+ 1/32 = at most 0\.\d+", attack.inequality()
    )
