"""One query at production parameters: the figures expected, and agreement with enumeration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import pytest

from properties.broken import (
    HALF_THE_NOISE,
    LOW_THRESHOLD,
    UNTRUNCATED,
    UNTRUNCATED_FOR_ONE_KEY,
    forget_the_count,
    half_the_noise,
    threshold_of_one_key,
)
from properties.closed_forms.one_query import production_finding
from properties.closed_forms.points import delta_needed, points_at, points_of
from properties.closed_forms.unit import admitted_spreads
from properties.numerals import scientific, significant
from spec import (
    PAPER,
    Answer,
    AtService,
    AttributionClient,
    Budget,
    Contribution,
    Credit,
    Distribution,
    Draw,
    Query,
    Random,
    Report,
    Rules,
    Sent,
    Source,
    Unit,
    explore,
    hockey_stick,
    replace,
)
from spec.aggregation_service import Spent
from spec.noise import DiscreteGaussian, DiscreteLaplace, Noise, smallest_sound_truncation
from spec.numbers import Power
from spec.verdicts import Verdict
from tests.small import CERTAIN, at_service, cut, report, small_rules

if TYPE_CHECKING:
    from spec.rules import AtContribution, AtTrigger

ATTRIBUTION = "attribution_summaries_are_private"
AGGREGATION = "aggregation_summaries_are_private"
DELTA = Fraction(1, 10**5)


def with_keys(rules: Rules, keys: int) -> Rules:
    return replace(rules, limits=replace(rules.limits, sparsity_budget=keys))


def smallest_threshold(less: int) -> Rules:
    def threshold(at: AtService, batch: tuple[Report, ...]) -> int | None:
        if not at.query.discovers_keys:
            return None
        smallest = smallest_sound_truncation(
            at.limits.contribution_budget, at.query.epsilon, at.query.delta, at.limits.base
        )
        return smallest - less

    return replace(PAPER, threshold=threshold)


E3 = replace(PAPER, threshold=threshold_of_one_key)
UNTRUNCATED_WITHOUT_COUNT = replace(UNTRUNCATED_FOR_ONE_KEY, admit=forget_the_count)


@pytest.mark.parametrize("claim", [ATTRIBUTION, AGGREGATION])
def test_the_papers_rules_hold(claim: str) -> None:
    found = production_finding(PAPER, claim)
    assert found.verdict == Verdict.SEARCHED
    assert found.claim == claim
    assert "epsilon 1/100, " in found.bound
    assert "delta 0, 1e-12, " in found.bound
    assert "budget of 65536 spread over 1 to 20 keys" in found.bound


@pytest.mark.parametrize("keys", [1, 20, 400, 65536])
def test_the_papers_threshold_holds_for_any_sparsity_budget(keys: int) -> None:
    assert production_finding(with_keys(PAPER, keys), ATTRIBUTION).verdict == Verdict.SEARCHED


@pytest.mark.parametrize(
    ("keys", "epsilon", "factor"),
    [
        (20, Fraction(16, 25), "5.51"),
        (400, Fraction(16, 25), "106"),
        (400, Fraction(5), "1.83"),
        (400, Fraction(10), "0.48"),
    ],
)
def test_untruncated_noise_needs_more_with_more_keys(
    keys: int, epsilon: Fraction, factor: str
) -> None:
    low, high = delta_needed(
        with_keys(UNTRUNCATED_FOR_ONE_KEY, keys), ATTRIBUTION, epsilon, DELTA, keys
    )
    digits = len(factor.replace(".", "").lstrip("0"))
    assert significant(low / DELTA, digits) == significant(high / DELTA, digits) == factor
    assert high - low < DELTA / 10**9


def test_untruncated_noise_is_refuted_with_the_worst_spread() -> None:
    found = production_finding(UNTRUNCATED_FOR_ONE_KEY, ATTRIBUTION)
    assert found.verdict == Verdict.REFUTED
    assert found.counterexample is not None
    assert found.counterexample["spread"] == "65517 on one key, 1 on each of 19 other keys"
    assert found.counterexample["probability without x"] == "0"
    assert Fraction(found.counterexample["ratio"]) > 9


def test_without_a_bound_on_the_number_of_keys_it_fails_below_epsilon_of_about_ten() -> None:
    rules = UNTRUNCATED_WITHOUT_COUNT
    spread = admitted_spreads(rules, ATTRIBUTION)[-1:]
    ratios = {
        epsilon: next(points_at(rules, spread, Fraction(epsilon), DELTA)).ratio
        for epsilon in ("16/25", "10.3", "10.5")
    }
    assert spread[0].keys == 65536
    assert ratios["16/25"] > 10_000
    assert ratios["10.3"] > 1 > ratios["10.5"]


def test_untruncated_noise_holds_with_the_papers_own_threshold() -> None:
    assert production_finding(UNTRUNCATED, ATTRIBUTION).verdict == Verdict.SEARCHED


@pytest.mark.parametrize(
    ("base", "admit"),
    [
        *((base, PAPER.admit) for base in (PAPER, E3, smallest_threshold(0))),
        (smallest_threshold(0), forget_the_count),  # The least noise, so that the others hold.
    ],
)
def test_truncated_noise_holds_for_any_number_of_keys(base: Rules, admit: object) -> None:
    rules = base if admit is PAPER.admit else replace(base, admit=forget_the_count)
    found = production_finding(rules, ATTRIBUTION)
    assert found.verdict == Verdict.SEARCHED
    assert ("1 to 65536 keys" in found.bound) == (admit is forget_the_count)
    assert ("what one unit can contribute" in found.assumes) == (admit is forget_the_count)


def test_one_less_than_the_smallest_sound_truncation_is_refuted_everywhere() -> None:
    rules = smallest_threshold(1)
    assert production_finding(rules, ATTRIBUTION).verdict == Verdict.REFUTED
    single = tuple(spread for spread in admitted_spreads(rules, ATTRIBUTION) if spread.keys == 1)
    asked = [point for point in points_of(rules, single) if point.delta > 0]
    assert len(asked) > 100
    assert all(point.within is False and point.exact for point in asked)


def test_a_threshold_without_its_first_budget_fails_for_a_large_epsilon() -> None:
    for keys, epsilon, within in ((20, 3, True), (20, 5, False), (400, 5, True), (400, 8, False)):
        rules = with_keys(LOW_THRESHOLD, keys)
        low, high = delta_needed(rules, ATTRIBUTION, Fraction(epsilon), DELTA, 1)
        power = Power(PAPER.limits.base, Fraction(epsilon)).enclosure(64)
        about = DELTA * (power[0] - 1) / (2 * keys)
        assert abs(low / about - 1) < Fraction(1, 100)
        assert (high <= DELTA) == within
        assert (power[0] > 2 * keys + 1) != within
    assert production_finding(LOW_THRESHOLD, ATTRIBUTION).verdict == Verdict.REFUTED


def admit_twice_as_much(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    limits = replace(at.limits, contribution_budget=2 * at.limits.contribution_budget)
    doubled = replace(at, rules=replace(at.rules, limits=limits))
    return PAPER.admit(doubled, unit, spent, contribution)


def admit_without_adding_up(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    fits = contribution.value <= at.limits.contribution_budget
    fits &= spent.count < at.limits.sparsity_budget
    return (replace(spent, count=spent.count + 1), True) if fits else (spent, False)


def admit_while_some_is_left(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    most = at.limits.contribution_budget
    if spent.value >= most or contribution.value > most:
        return spent, False
    if spent.count >= at.limits.sparsity_budget:
        return spent, False
    return replace(spent, value=spent.value + contribution.value, count=spent.count + 1), True


def doubled_totals(at: AtService, batch: tuple[Report, ...]) -> dict[int, int]:
    return {key: 2 * total for key, total in PAPER.totals(at, batch).items()}


def halved_totals(at: AtService, batch: tuple[Report, ...]) -> dict[int, int]:
    return {key: total // 2 for key, total in PAPER.totals(at, batch).items()}


def repetitions(at: AtService, reports: tuple[Report, ...]) -> tuple[Report, ...]:
    return reports


def release_everything(at: AtService, key: int, noisy: int, threshold: int | None) -> bool:
    return True


TOO_LITTLE_NOISE = {
    "half the noise": HALF_THE_NOISE,
    "twice the cap": replace(PAPER, admit=admit_twice_as_much),
    "values are not added up": replace(PAPER, admit=admit_without_adding_up),
    "one contribution too many": replace(PAPER, admit=admit_while_some_is_left),
    "sums doubled": replace(PAPER, totals=doubled_totals),
    "sums and noise halved, rounding down": replace(
        PAPER, totals=halved_totals, noise=half_the_noise
    ),
    "repeated reports count": replace(PAPER, batch=repetitions),
    "no threshold": replace(PAPER, releases=release_everything),
}


@pytest.mark.parametrize("name", TOO_LITTLE_NOISE)
@pytest.mark.parametrize("claim", [ATTRIBUTION, AGGREGATION])
def test_too_little_noise_is_refuted(name: str, claim: str) -> None:
    found = production_finding(TOO_LITTLE_NOISE[name], claim)
    assert found.verdict == Verdict.REFUTED
    assert found.counterexample is not None
    assert Fraction(found.counterexample["ratio"].removeprefix("at least ")) > 1


def test_half_the_noise_shows_a_ratio_of_two_epsilon_without_key_discovery() -> None:
    single = admitted_spreads(HALF_THE_NOISE, ATTRIBUTION)[:1]
    pure = [point for point in points_of(HALF_THE_NOISE, single) if point.delta == 0]
    assert pure
    assert all(point.within is False and point.low > 0 for point in pure)


def test_scaling_sums_down_holds() -> None:
    rules = replace(PAPER, totals=halved_totals)
    assert production_finding(rules, ATTRIBUTION).verdict == Verdict.SEARCHED


def release_from_the_threshold_on(
    at: AtService, key: int, noisy: int, threshold: int | None
) -> bool:
    return threshold is None or noisy >= threshold


def test_releasing_at_the_threshold_holds_with_the_papers_slack_and_not_without() -> None:
    loose = replace(PAPER, releases=release_from_the_threshold_on)
    assert production_finding(loose, ATTRIBUTION).verdict == Verdict.SEARCHED
    tight = replace(smallest_threshold(0), releases=release_from_the_threshold_on)
    assert production_finding(tight, ATTRIBUTION).verdict == Verdict.REFUTED


def keys_written_out(at: AtService, batch: tuple[Report, ...]) -> tuple[int, ...]:
    found = {part.key for report in batch for part in report.contributions}
    return tuple(found if at.query.discovers_keys else set(at.query.keys))


def keys_always_found(at: AtService, batch: tuple[Report, ...]) -> tuple[int, ...]:
    return tuple({part.key for report in batch for part in report.contributions})


def test_other_functions_for_the_keys_are_tried_out() -> None:
    same = production_finding(replace(PAPER, keys=keys_written_out), ATTRIBUTION)
    assert same.verdict == Verdict.SEARCHED
    assert "which keys are answered for" in same.assumes
    worse = production_finding(replace(PAPER, keys=keys_always_found), ATTRIBUTION)
    assert worse.verdict == Verdict.REFUTED
    assert worse.counterexample is not None
    assert worse.counterexample["delta asked"] == "0"
    assert worse.counterexample["ratio"] == "infinite"


def release_even_sums(at: AtService, key: int, noisy: int, threshold: int | None) -> bool:
    return threshold is None or noisy % 2 == 0


def noise_of_the_batch(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    rate = at.query.epsilon / (at.limits.contribution_budget * (1 + len(batch)))
    return DiscreteLaplace(Power(at.limits.base, -rate), threshold)


def gaussian(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    return DiscreteGaussian(Fraction(at.limits.contribution_budget) ** 2)


@dataclass(frozen=True, slots=True)
class Padded(DiscreteLaplace):
    """A subclass may do anything, so the closed forms say nothing about it."""


def padded(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    rate = at.query.epsilon / at.limits.contribution_budget
    return Padded(Power(at.limits.base, -rate), threshold)


def any_order(at: AtTrigger, matching: tuple[Source, ...]) -> Random[Sequence[Source]]:
    return Distribution.of({matching: Fraction(1, 2), (): Fraction(1, 2)})


def credit_somebody_else(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    client, credits = PAPER.attribute(at, draw)
    return client, tuple(replace(credit, unit="y") for credit in credits)


def spend_at_once(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    client, credits = PAPER.attribute(at, draw)
    return replace(client, budgets=at.rules.contribute(at, credits)[0]), credits


def send_in_two_parts(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    (sent,) = CERTAIN(PAPER.send(at, granted))
    again = replace(sent, report=replace(sent.report, report_id=2**64 + sent.report.report_id))
    return sent, again


def any_sample(at: AtService, reports: tuple[Report, ...]) -> Random[tuple[Report, ...]]:
    return Distribution.of({reports: Fraction(1, 2), (): Fraction(1, 2)}) if reports else ()


UNDECIDED = {
    "not a threshold": replace(PAPER, releases=release_even_sums),
    "depends on the batch": replace(PAPER, noise=noise_of_the_batch),
    "no closed tail": replace(PAPER, noise=gaussian),
    "no closed form": replace(PAPER, noise=padded),
    "step changed (answer)": replace(PAPER, answer=lambda at, batch, draw: Answer()),
    "neither those listed nor those in the batch": replace(PAPER, keys=lambda at, batch: (7,)),
    "a rule draws": replace(PAPER, attempt_order=any_order),
    "credited to somebody else": replace(PAPER, attribute=credit_somebody_else),
    "several reports": replace(PAPER, send=send_in_two_parts),
    "changes a budget": replace(PAPER, attribute=spend_at_once),
    "draws from Distribution": replace(PAPER, batch=any_sample),
    "no query of the grid": replace(PAPER, charge=lambda at, spent, report: None),
    "admit no contribution": replace(PAPER, admit=lambda at, unit, spent, wanted: (spent, False)),
}


@pytest.mark.parametrize("reason", UNDECIDED)
def test_what_the_closed_forms_are_not_about_is_unknown(reason: str) -> None:
    found = production_finding(UNDECIDED[reason], ATTRIBUTION)
    assert found.verdict == Verdict.UNKNOWN
    assert reason in found.detail


def halve_contributions(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    """Contribute half of a trigger's value, rounded up."""
    parts = PAPER.contributions(at, source)
    return tuple(replace(part, value=(part.value + 1) // 2) for part in parts)


def test_a_unit_contributes_what_its_client_makes_of_its_triggers() -> None:
    """Values are halved before they are bounded: the budget is spent all the same."""
    rules = replace(PAPER, contributions=halve_contributions)
    found = production_finding(rules, ATTRIBUTION)
    assert found.verdict is Verdict.SEARCHED
    assert "what one unit can contribute" in found.assumes
    assert admitted_spreads(rules, ATTRIBUTION)[0].pieces[0] == 2**17
    half = replace(rules, limits=replace(PAPER.limits, sparsity_budget=1))
    assert production_finding(replace(half, noise=half_the_noise), ATTRIBUTION).verdict is (
        Verdict.REFUTED
    )


SPREADS = [(1,), (2,), (1, 1), (3,), (2, 1), (1, 1, 1)]


def worst_by_enumeration(rules: Rules, query: Query, keys: int) -> Fraction:
    """Try every spread of at most the budget, several backgrounds, and both directions."""
    limits = rules.limits
    power = Power(limits.base, query.epsilon).exact()
    worst = Fraction(0)
    most = limits.contribution_budget
    for spread in (s for s in SPREADS if sum(s) <= most and len(s) <= keys):
        for backgrounds in product((0, 1, 12), repeat=len(spread)):
            pairs = [(key, amount) for key, amount in enumerate(backgrounds) if amount]
            others = report(9, *pairs)
            mine = report(1, *enumerate(spread))
            with_unit, without = (
                explore(
                    lambda draw, batch=(x, others): rules.serve(  # type: ignore[misc]
                        at_service(rules, query), batch, draw
                    )[1],
                    lambda law: cut(law, 16),
                )
                for x in (mine, report(1))
            )
            worst = max(
                worst,
                hockey_stick(with_unit, without, power),
                hockey_stick(without, with_unit, power),
            )
    return worst


@pytest.mark.parametrize(
    "base",
    [
        PAPER,
        E3,
        UNTRUNCATED_FOR_ONE_KEY,
        LOW_THRESHOLD,
        UNTRUNCATED,
        replace(PAPER, releases=release_from_the_threshold_on),
        replace(E3, releases=release_from_the_threshold_on),
    ],
)
@pytest.mark.parametrize("budget", [1, 2])
def test_the_closed_form_is_the_worst_case_of_a_small_enumeration(base: Rules, budget: int) -> None:
    delta = Fraction(1, 8)
    limits = small_rules(contribution_budget=budget, epsilon=budget, delta=delta).limits
    rules = replace(base, limits=limits)
    keys = min(budget, 2)
    needed = [
        delta_needed(rules, ATTRIBUTION, Fraction(budget), delta, count)
        for count in range(1, keys + 1)
    ]
    assert all(low == high for low, high in needed)
    query = Query(epsilon=Fraction(budget), delta=delta, report_ids=(1, 9))
    assert max(low for low, _ in needed) == worst_by_enumeration(rules, query, keys)


def test_numbers_are_rounded_to_significant_digits() -> None:
    assert significant(Fraction(0)) == "0"
    assert significant(Fraction(1055, 10)) == "105.5"
    assert significant(Fraction(2, 3), 2) == "0.67"
    assert significant(Fraction(123456789)) == "123456789"
    assert scientific(Fraction(1, 3 * 10**9), 3) == "3.33e-10"
    assert scientific(Fraction(1, 4)) == "0.25"


def low_above_the_cap(at: AtService, batch: tuple[Report, ...]) -> int | None:
    """Use a threshold that is too low for a delta above the paper's cap."""
    return 1 if at.query.delta > Fraction(1, 10**8) else PAPER.threshold(at, batch)


def test_what_fails_above_the_caps_only_is_told_and_not_refuted() -> None:
    rules = replace(PAPER, threshold=low_above_the_cap)
    found = production_finding(rules, ATTRIBUTION)
    assert found.verdict is Verdict.SEARCHED
    assert "it would fail if the cap on delta were higher" in found.detail
    higher = replace(rules, limits=replace(rules.limits, delta=Fraction(1, 10**6)))
    assert production_finding(higher, ATTRIBUTION).verdict is Verdict.REFUTED


def noise_for_the_cap(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    """Add the noise of a query that asks for all of the cap."""
    whole = replace(at.query, epsilon=at.limits.epsilon)
    return PAPER.noise(replace(at, query=whole), batch, threshold)


def test_rules_are_asked_at_their_own_limits() -> None:
    rules = replace(PAPER, noise=noise_for_the_cap)
    assert production_finding(rules, ATTRIBUTION).verdict is Verdict.REFUTED


def charge_everything(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Let every query use up the caps."""
    whole = replace(at.query, epsilon=at.limits.epsilon, delta=at.limits.delta)
    return PAPER.charge(replace(at, query=whole), spent, report)


def test_a_query_that_is_charged_more_than_it_asks_for_refutes_nothing() -> None:
    rules = replace(PAPER, noise=noise_for_the_cap, charge=charge_everything)
    assert production_finding(rules, ATTRIBUTION).verdict is Verdict.SEARCHED
    half = replace(HALF_THE_NOISE, charge=charge_everything)
    assert production_finding(half, ATTRIBUTION).verdict is Verdict.REFUTED
