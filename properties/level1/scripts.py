"""Scripts with holes: universes of Attribution Level 1 at real sizes, with a proposal's own words.

A rule may look for a date, an epoch, a site, a size or a report that no small universe knows. So
universes are taken as scripts: their times, sites, sizes and identifiers are holes. First all are
filled with real sizes: epochs of days, and a million grains in an epsilon. Then one hole after the
other is filled with the numbers and names that the proposal's functions mention. What comes out is
solved as a game, like any universe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from properties.broken import controls
from properties.level1.checks import NARROW, STEPS, games_finding
from properties.level1.game import Level1Universe
from properties.level1.making import NEWS, SHOP, against_all, globally
from properties.level1.universes import (
    AGGREGATED_AGAIN,
    AGGREGATED_APART,
    CLEARED,
    CLEARED_KEPT,
    ONE_IMPRESSION_TWICE,
    TWO_EPOCHS_OFTEN,
    UNIVERSES,
    USED_UP,
)
from properties.level1.universes import SEVERAL_EPOCHS as SEVERAL
from properties.vocabulary import NO_WORDS, Vocabulary
from spec.level1 import (
    LIMITS,
    AtAggregator,
    Caller,
    ClearHistory,
    ConversionOptions,
    ImpressionOptions,
    Job,
    Level1Rules,
    MeasureConversion,
    Report,
)
from spec.level1.aggregation import noise
from spec.level1.claims import GLOBAL, ONE_IMPRESSION, ONE_SITE, ONE_VIEW, SEVERAL_EPOCHS
from spec.level1.sites import parse_site
from spec.noise import Noise
from spec.numbers import Base
from spec.verdicts import Check, Finding, Shape

DAY = 86_400
MICRO = 10**6
LARGEST_VALUE = 64
MOST_SITES = 64
LAST_EPOCH = 20_000
Change = Callable[[object], object]
Hole = Callable[[Level1Universe, Any], Level1Universe]

SITE_SCRIPTS = (TWO_EPOCHS_OFTEN, USED_UP, CLEARED, AGGREGATED_APART)
SCRIPTS: Mapping[str, tuple[Level1Universe, ...]] = {
    GLOBAL: (globally(TWO_EPOCHS_OFTEN), CLEARED_KEPT, globally(AGGREGATED_AGAIN)),
    ONE_VIEW: SITE_SCRIPTS,
    ONE_SITE: tuple(map(against_all, SITE_SCRIPTS)),
    ONE_IMPRESSION: (ONE_IMPRESSION_TWICE,),
    SEVERAL_EPOCHS: (SEVERAL,),
}
"""The scripts of each guarantee."""


def everywhere(value: Any, change: Change) -> Any:
    """Return a value in which everything was changed, from the inside outwards."""
    if isinstance(value, tuple):
        value = tuple(everywhere(each, change) for each in value)
    elif isinstance(value, frozenset):
        value = frozenset(everywhere(each, change) for each in value)
    elif is_dataclass(value) and not isinstance(value, type):
        inner = {each.name: getattr(value, each.name) for each in fields(value)}
        changed = {name: everywhere(each, change) for name, each in inner.items()}
        differing = {name: each for name, each in changed.items() if each is not inner[name]}
        value = replace(value, **differing) if differing else value
    return change(value)


def at_real_sizes(script: Level1Universe) -> Level1Universe:
    """Let a second be a day, and a grain a millionth of an epsilon."""

    def enlarge(value: object) -> object:
        if isinstance(value, Job):
            return replace(value, minimal_budget=value.minimal_budget * MICRO)
        return moved(value, lambda now: now * DAY)

    limits = script.limits
    return replace(
        script,
        name=f"{script.name}, at real sizes",
        moves=everywhere(script.moves, enlarge),
        limits=replace(
            limits,
            **{x: getattr(limits, x) * MICRO for x in ("site_budget", "global_budget")},
            site_quota=limits.site_quota * MICRO,
            grains=limits.grains * MICRO,
            epoch=limits.epoch * DAY,
            day=limits.day * DAY,
            hour=3600,
        ),
    )


def moved(value: object, time: Callable[[int], int]) -> object:
    """Return a move at another time; anything else stays."""
    if is_dataclass(value) and hasattr(value, "now"):
        return replace(value, now=time(value.now))  # type: ignore[type-var]
    return value


def later(script: Level1Universe, epochs: int) -> Level1Universe:
    """Let a script happen whole epochs later."""
    after = epochs * script.limits.epoch
    moves = everywhere(script.moves, lambda value: moved(value, lambda now: now + after))
    unit = replace(script.unit, epoch=script.unit.epoch + epochs)
    return replace(script, moves=moves, unit=unit)


def from_then_on(script: Level1Universe, number: int) -> Level1Universe:
    """Begin at a time."""
    return later(script, -(-number // script.limits.epoch))


def in_epoch(script: Level1Universe, number: int) -> Level1Universe:
    """Let the unit be an epoch of that number, within a few hundred years."""
    return later(script, max(0, number - script.unit.epoch)) if number <= LAST_EPOCH else script


def with_value(script: Level1Universe, number: int) -> Level1Universe:
    """Measure conversions of that value into one bucket; the base grows with the noise.

    A game is about as large as the value, so that large values are left out.
    """
    if not 1 <= number <= LARGEST_VALUE:
        return script
    base = Base(Fraction(script.limits.base.value) ** number)  # type: ignore[arg-type]
    script = replace(script, limits=replace(script.limits, base=base))
    return with_options(script, ConversionOptions, value=number, max_value=number, histogram_size=1)


def with_match_value(script: Level1Universe, number: int) -> Level1Universe:
    """Save impressions with that match value, unless the unit is an impression by its own."""
    if script.unit.match_value is not None:
        return script
    return with_options(script, ImpressionOptions, match_value=number)


def with_options(script: Level1Universe, kind: type, **given: object) -> Level1Universe:
    """Set options of every call of a kind."""

    def change(value: object) -> object:
        return replace(value, **given) if isinstance(value, kind) else value  # type: ignore[type-var]

    return replace(script, moves=everywhere(script.moves, change))


def with_report(script: Level1Universe, number: int) -> Level1Universe:
    """Let the first report have that identifier."""

    def change(value: object) -> object:
        if isinstance(value, MeasureConversion) and value.report_id == 1:
            return replace(value, report_id=number)
        if isinstance(value, Job):
            named = tuple(number if each == 1 else each for each in value.report_ids)
            return replace(value, report_ids=named)
        return value

    taken = {x.report_id for x in script.moves if isinstance(x, MeasureConversion)}
    return script if number in taken else replace(script, moves=everywhere(script.moves, change))


def clearing_sites(script: Level1Universe, number: int) -> Level1Universe:
    """Clear the history of that many sites at once."""

    def change(value: object) -> object:
        if not isinstance(value, ClearHistory) or not value.sites:
            return value
        more = {f"site{place}.example" for place in range(len(value.sites), number)}
        return replace(value, sites=value.sites | more)

    return (
        script if number > MOST_SITES else replace(script, moves=everywhere(script.moves, change))
    )


def renamed(before: str, script: Level1Universe, text: str) -> Level1Universe:
    """Call a site by another name."""
    filled: Level1Universe = everywhere(script, lambda value: text if value == before else value)
    return filled


def between(script: Level1Universe, text: str) -> Level1Universe:
    """Let an intermediary of that name make every call."""

    def change(value: object) -> object:
        return replace(value, intermediary=text) if isinstance(value, Caller) else value

    return replace(script, moves=everywhere(script.moves, change))


FOR_NUMBERS: Mapping[str, Hole] = {
    "the epoch": in_epoch,
    "the time": from_then_on,
    "the number of sites cleared": clearing_sites,
    "the first report": with_report,
    "the match value": with_match_value,
    "the value": with_value,
}
FOR_TEXTS: Mapping[str, Hole] = {
    "the conversion site": partial(renamed, SHOP),
    "the impression site": partial(renamed, NEWS),
    "the intermediary": between,
}


def filled_with(scripts: Iterable[Level1Universe], words: Vocabulary) -> Iterator[Level1Universe]:
    """Fill each hole of each script with each word that fits; what stays as it was is left out.

    A text that fits is the name of a site.
    """
    sites = [text for text in words.texts if parse_site(LIMITS, text) == text]
    fillings = [
        (meaning, word, hole)
        for holes, fitting in ((FOR_NUMBERS, words.numbers), (FOR_TEXTS, sites))
        for word in fitting
        for meaning, hole in holes.items()
    ]
    for script in scripts:
        for meaning, word, hole in fillings:
            filled = hole(script, word)
            if filled != script:
                yield replace(filled, name=f"{script.name}, {meaning} {word}")


def narrow_where_grains_are_small(at: AtAggregator, batch: tuple[Report, ...]) -> Noise:
    """Add noise of a third of the width where an epsilon is many grains."""
    return NARROW.noise(at, batch) if at.limits.grains > 1 else noise(at, batch)


BROKEN: Mapping[str, Level1Rules] = {
    "narrow noise where grains are small": replace(NARROW, noise=narrow_where_grains_are_small)
}


def level1_scripts(effort: str = "standard", words: Vocabulary = NO_WORDS) -> tuple[Check, ...]:
    """Return a check per guarantee: its universes at real sizes, and filled with words."""
    return tuple(
        Check(
            claim=claim,
            name="scripts",
            run=(run := partial(scripts_finding, claim, effort, words)),
            controls=controls(run, BROKEN),
            shape=Shape.SCRIPTS,
            spare=True,
        )
        for claim in UNIVERSES
    )


def scripts_finding(claim: str, effort: str, words: Vocabulary, rules: Any) -> Finding:
    """Solve what the scripts of a guarantee become, until one has an attack."""
    scripts = SCRIPTS[claim] if effort == "quick" else (*SCRIPTS[claim], *UNIVERSES[claim])
    filled = filled_with(map(at_real_sizes, SCRIPTS[claim]), words)
    found = games_finding(claim, (*map(at_real_sizes, scripts), *filled), STEPS[effort], rules)
    return replace(found, check="scripts", shape=Shape.SCRIPTS)
