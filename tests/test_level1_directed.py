"""Directed stories of Attribution Level 1: what is unpaid, let through or for nothing is found."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import floor
from pathlib import Path

import pytest

from properties.level1.checks import STEPS, games_finding
from properties.level1.directed import (
    PROMISED,
    directed_universes,
    let_through,
    refused_by_the_draft,
    stores_of,
)
from properties.level1.making import SMALL, measured
from properties.level1.universes import UNIVERSES
from sandproof.proposal import rules_of, run_file
from spec.level1 import (
    LEVEL_1_2026_05,
    LEVEL_1_ONE_DRAW,
    AtConversion,
    Caller,
    Charge,
    Conversion,
    ConversionOptions,
    Impression,
    ImpressionOptions,
    Level1Rules,
    OnBrowser,
)
from spec.level1.budgets import charge, noise_scale
from spec.level1.claims import GLOBAL, ONE_IMPRESSION, ONE_SITE, ONE_VIEW, SEVERAL_EPOCHS
from spec.level1.impressions import save, validate_impression
from spec.level1.measurement import validate_conversion
from spec.level1.rules import Rejected
from spec.verdicts import Evidence

UNSOUND = Path(__file__).parent / "unsound_w3c"
BY_A_SITE = (ONE_VIEW, ONE_SITE)
ATTACKED: dict[str, tuple[str, ...]] = {
    "short_lookbacks_count_as_single": (GLOBAL, *BY_A_SITE),
    "repeated_ads_replace_older_ones": BY_A_SITE,
    "credit_may_be_negative": tuple(PROMISED),
    "charges_to_the_nearest_grain": tuple(PROMISED),
    "noise_for_half_the_proved_bound": (GLOBAL, *BY_A_SITE),
}


def attacked(rules: Level1Rules, claim: str) -> bool:
    found = games_finding(claim, directed_universes(claim, rules), STEPS["quick"], rules)
    return found.evidence is Evidence.ATTACK


@pytest.mark.parametrize(("name", "claim"), [(x, y) for x in ATTACKED for y in ATTACKED[x]])
def test_a_change_of_the_corpus_is_attacked(name: str, claim: str) -> None:
    path = UNSOUND / f"{name}.py"
    assert attacked(rules_of(path, run_file(path)[0], "w3c"), claim)


def less_than_half_an_epoch(at: AtConversion) -> bool:
    return 2 * at.conversion.lookback < at.limits.epoch


def whole_epochs(at: AtConversion) -> bool:
    return at.conversion.lookback == at.limits.epoch or LEVEL_1_ONE_DRAW.single_epoch(at)


def one_ad_per_site(at: OnBrowser, impression: Impression) -> tuple[Impression, ...]:
    others = tuple(each for each in at.device.impressions if each.site != impression.site)
    return save(replace(at, device=replace(at.device, impressions=others)), impression)


def the_first_ad_stays(at: OnBrowser, impression: Impression) -> tuple[Impression, ...]:
    shown = at.device.impressions
    return shown if any(each.site == impression.site for each in shown) else (*shown, impression)


def rounded_down(at: AtConversion, single: bool, norm: int) -> Charge:
    scale = noise_scale(at.conversion.max_value, at.conversion.epsilon)
    value = floor(2 * at.conversion.value / scale * at.limits.grains)
    return Charge(site=floor(norm / scale * at.limits.grains) if single else value, shared=value)


def first_grain_is_free(at: AtConversion, single: bool, norm: int) -> Charge:
    exact = charge(at, single, norm)
    return Charge(site=max(0, exact.site - 1), shared=max(0, exact.shared - 1))


def any_credit(rules: Level1Rules, options: ConversionOptions) -> Conversion:
    if sum(options.credit) <= 0:
        return validate_conversion(rules, options)
    checked = validate_conversion(rules, replace(options, credit=(Fraction(1),)))
    return replace(checked, credit=options.credit)


def values_beyond_the_largest(rules: Level1Rules, options: ConversionOptions) -> Conversion:
    checked = validate_conversion(rules, replace(options, max_value=max(options.value, 1)))
    return replace(checked, max_value=options.max_value)


VARIANTS: dict[str, tuple[Level1Rules, str]] = {
    "lookbacks below half an epoch are single": (
        replace(LEVEL_1_ONE_DRAW, single_epoch=less_than_half_an_epoch),
        ONE_VIEW,
    ),
    "lookbacks of a whole epoch are single": (
        replace(LEVEL_1_ONE_DRAW, single_epoch=whole_epochs),
        ONE_SITE,
    ),
    "a site keeps its newest ad": (replace(LEVEL_1_ONE_DRAW, save=one_ad_per_site), ONE_VIEW),
    "a site keeps its first ad": (replace(LEVEL_1_ONE_DRAW, save=the_first_ad_stays), ONE_VIEW),
    "charges are rounded down": (replace(LEVEL_1_ONE_DRAW, charge=rounded_down), SEVERAL_EPOCHS),
    "the first grain is free": (
        replace(LEVEL_1_ONE_DRAW, charge=first_grain_is_free),
        ONE_IMPRESSION,
    ),
    "credit of any sign": (
        replace(LEVEL_1_ONE_DRAW, validate_conversion=any_credit),
        ONE_IMPRESSION,
    ),
}
"""Changes like those of the corpus, written in other ways, and a guarantee that each breaks."""


@pytest.mark.parametrize("name", VARIANTS)
def test_a_change_of_the_same_kind_is_attacked(name: str) -> None:
    rules, claim = VARIANTS[name]
    assert attacked(rules, claim)


@pytest.mark.parametrize("claim", PROMISED)
def test_values_beyond_the_largest_are_charged_for(claim: str) -> None:
    """A change that lets more through is not attacked for that alone."""
    rules = replace(LEVEL_1_ONE_DRAW, validate_conversion=values_beyond_the_largest)
    assert {each["value"] for each in let_through(small(rules))} == {2, 3}
    assert directed_universes(claim, rules) == ()


@pytest.mark.parametrize("claim", PROMISED)
def test_the_draft_tells_no_more_than_is_promised(claim: str) -> None:
    assert set(PROMISED) == set(UNIVERSES)
    assert directed_universes(claim, LEVEL_1_ONE_DRAW) == ()
    assert directed_universes(claim, LEVEL_1_2026_05) == ()


def small(rules: Level1Rules) -> Level1Rules:
    return replace(rules, limits=SMALL)


def test_what_is_tried_of_options_is_refused_by_the_draft() -> None:
    tried = list(refused_by_the_draft(SMALL))
    for odd in tried:
        with pytest.raises(Rejected):
            validate_conversion(small(LEVEL_1_ONE_DRAW), measured(1, 1, **odd).options)

    def copied(rules: Level1Rules, options: ConversionOptions) -> Conversion:
        return validate_conversion(rules, options)

    assert list(let_through(small(replace(LEVEL_1_ONE_DRAW, validate_conversion=copied)))) == []


def test_impressions_that_are_let_through_are_shown() -> None:
    def indices_below_zero(at: OnBrowser, caller: Caller, options: ImpressionOptions) -> Impression:
        return validate_impression(
            at, caller, replace(options, histogram_index=abs(options.histogram_index))
        )

    rules = small(replace(LEVEL_1_ONE_DRAW, validate_impression=indices_below_zero))
    more = set(stores_of(GLOBAL, rules)) - set(stores_of(GLOBAL, small(LEVEL_1_ONE_DRAW)))
    assert {store[-1].options.histogram_index for store in more} == {-1, -2}


def test_what_is_seen_without_noise_is_found() -> None:
    def tells_what_is_left(at: AtConversion) -> int:
        left = at.device.budgets.globally(at.limits, 2)
        return LEVEL_1_ONE_DRAW.stated_budget(at) + left

    rules = replace(LEVEL_1_ONE_DRAW, stated_budget=tells_what_is_left)
    assert attacked(rules, GLOBAL)


def test_what_breaks_on_options_that_are_let_through_is_left_out() -> None:
    def anything(_: Level1Rules, options: ConversionOptions) -> Conversion:
        usual = validate_conversion(small(LEVEL_1_ONE_DRAW), measured(1, 1).options)
        return replace(usual, credit=options.credit)

    rules = replace(LEVEL_1_ONE_DRAW, validate_conversion=anything)
    assert attacked(rules, ONE_VIEW)
