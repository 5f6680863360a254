"""Directed scripts of Attribution Level 1: what a report tells after another one was paid for.

Games are exact and dear, so that each is about one story. Here stories come by the thousand and
without noise. Ads are shown in one epoch or in several. A first conversion, or none, uses up some
of the budgets; a second one, wider, narrower or cheaper, is then asked again for as long as it
tells anything. Among the options are those that the draft refuses and a changed rule lets through.
All moves are made with the unit and without it. What a report tells is the distance of its
histograms in units of its noise, an exact fraction; a story that tells more than is promised
becomes a universe in which every move is made, and only the attack that its game finds counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, product
from math import lcm
from typing import Any

from properties.level1.game import Level1Universe
from properties.level1.making import (
    BLOG,
    EQUAL,
    GLOBAL_ONLY,
    NEWS,
    SHOP,
    SITE_ONLY,
    TOYS,
    ZOO,
    measured,
    saved,
)
from spec.distributions import Distribution
from spec.level1 import (
    LEVEL_1_ONE_DRAW,
    Aggregator,
    AtAggregator,
    ConversionOptions,
    Device,
    Job,
    Level1Limits,
    Level1Mechanism,
    Level1OtherWorld,
    Level1Rules,
    Level1System,
    Level1Unit,
    MeasureConversion,
    OnBrowser,
    Report,
    SaveImpression,
)
from spec.level1.claims import GLOBAL, ONE_IMPRESSION, ONE_SITE, ONE_VIEW, SEVERAL_EPOCHS
from spec.level1.rules import Rejected
from spec.noise import DiscreteLaplace
from spec.numbers import Base, SpecError

NOW = 22
"""When conversions are measured: shortly after an epoch began."""

MOST_ASKED = 16
"""How often a conversion is asked again while it tells something."""

MOST_SOLVED = 8
"""How many stories that tell too much become games."""

Stores = tuple[tuple[SaveImpression, ...], ...]
Step = Callable[[Level1System, Any, Any], tuple[Level1System, Any]]
Options = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Promised:
    """Hold what a guarantee promises: within which limits, of which units, to whom."""

    limits: Level1Limits
    units: tuple[Level1Unit, ...]
    epsilon: int
    view: str | None = None


ALL_SITES = replace(GLOBAL_ONLY, global_budget=2)
EPOCHS = (Level1Unit(epoch=1), Level1Unit(epoch=2))
PROMISED: Mapping[str, Promised] = {
    GLOBAL: Promised(limits=ALL_SITES, units=EPOCHS, epsilon=2),
    ONE_VIEW: Promised(limits=SITE_ONLY, units=EPOCHS, epsilon=2, view=SHOP),
    ONE_SITE: Promised(
        limits=SITE_ONLY, units=tuple(replace(each, site=SHOP) for each in EPOCHS), epsilon=2
    ),
    ONE_IMPRESSION: Promised(
        limits=SITE_ONLY,
        units=tuple(replace(each, match_value=2) for each in EPOCHS),
        epsilon=4,
        view=SHOP,
    ),
    SEVERAL_EPOCHS: Promised(limits=ALL_SITES, units=(Level1Unit(epoch=1, epochs=2),), epsilon=4),
}
"""The guarantees, in limits of which one runs short after a report or two."""

STORES: Stores = (
    (saved(19, 0, NEWS, match_value=1), saved(21, 1, BLOG, match_value=2)),
    (saved(19, 1, NEWS, match_value=2, priority=1), saved(21, 0, BLOG, match_value=1)),
    (saved(21, 0, NEWS, match_value=1), saved(22, 1, BLOG, match_value=2)),
    (saved(7, 0, ZOO), saved(19, 0, NEWS, match_value=1), saved(21, 1, BLOG, match_value=2)),
)
"""Ads of several sites, shown in two epochs, in one, and in three."""

REPEATED: Stores = ((saved(19, 0), saved(21, 0)),)
"""The same ad, shown in two epochs; neither showing is told from the other."""

LOOKBACKS = (2, 3, 10, None)
"""Days within the epoch, just into the one before, of a whole epoch, and the most."""

FIRST: tuple[Options, ...] = (
    *({"epsilon": cost, "lookback_days": days} for days, cost in product(LOOKBACKS, (2, 4))),
    *({"epsilon": 2, "impression_sites": sites} for sites in ((NEWS,), (BLOG,), (ZOO, BLOG))),
)
"""Conversions that use up what an epoch has, or half of it."""

FIRST_BY: tuple[tuple[Options, str], ...] = (
    *((options, SHOP) for options in FIRST),
    *(({"epsilon": 4, "lookback_days": days}, TOYS) for days in (2, None)),
)
"""What comes first, and which site asks for it."""

CHEAP: tuple[Options, ...] = tuple(
    {"epsilon": 1, "value": value, "max_value": most, "lookback_days": days}
    for (value, most), days in product(((1, 1), (1, 3), (2, 3), (3, 3)), (2, None))
)
"""Conversions that cost a grain or a part of one."""

SHARED: tuple[Options, ...] = (
    {"epsilon": 2, "value": 2, "max_value": 2, "credit": EQUAL, "lookback_days": 2},
    {"epsilon": 2, "value": 2, "max_value": 2, "credit": EQUAL},
)
"""Conversions whose value two ads share."""


def refused_by_the_draft(limits: Level1Limits) -> Iterator[Options]:
    """Return options of conversions that are out of range, each in one way."""
    for credit in ((2, -1), (-1, 2), (1, 0), (0, 1), (), (1,) * (limits.maximum_credit + 1)):
        yield {"credit": tuple(map(Fraction, credit))}
    for value in (-1, 0, 2, 3):
        yield {"value": value}
    yield {"value": 0, "max_value": 0}
    for epsilon in (Fraction(-1), Fraction(0), limits.maximum_epsilon + 1):
        yield {"epsilon": epsilon}
    for days in (-1, 0):
        yield {"lookback_days": days}
    for size in (0, limits.maximum_histogram + 1):
        yield {"histogram_size": size}
    yield {"match_values": tuple(range(limits.maximum_match_values + 1))}
    sites = tuple(f"site{place}.example" for place in range(limits.maximum_impression_sites))
    yield {"impression_sites": (NEWS, BLOG, *sites)}


def let_through(rules: Level1Rules) -> Iterator[Options]:
    """Return options of conversions that the draft refuses and these rules do not."""
    if rules.validate_conversion is LEVEL_1_ONE_DRAW.validate_conversion:
        return
    for odd in refused_by_the_draft(rules.limits):
        for days in (2, None):
            options = {"epsilon": 2, "lookback_days": days, **odd}
            if accepted(rules, measured(NOW, 1, **options).options):
                yield options


def accepted(rules: Level1Rules, options: ConversionOptions) -> bool:
    """Tell whether a conversion is measured."""
    try:
        rules.validate_conversion(rules, options)
    except Rejected:
        return False
    return True


def stores_of(claim: str, rules: Level1Rules) -> Iterator[tuple[SaveImpression, ...]]:
    """Return what is shown, with impressions that the draft refuses and these rules do not."""
    yield from STORES
    if claim != ONE_IMPRESSION:
        yield from REPEATED
    if rules.validate_impression is LEVEL_1_ONE_DRAW.validate_impression:
        return
    older, newer = STORES[0]
    at = OnBrowser(rules=rules, now=newer.now, device=Device(epoch_start=0))
    beyond = rules.limits.maximum_histogram
    for index, days in ((-2, 30), (-1, 30), (beyond, 30), (1, -1), (1, 0)):
        options = replace(newer.options, histogram_index=index, lifetime_days=days)
        try:
            rules.validate_impression(at, newer.caller, options)
        except Rejected:
            continue
        yield older, replace(newer, options=options)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Hold a world, and where it stands."""

    step: Step
    state: Level1System
    unit: Level1Unit | None = None
    never_saved: bool = False

    def after(self, move: SaveImpression | MeasureConversion) -> tuple[World, Any]:
        """Make a move; return where the world stands then, and what is seen."""
        state, seen = self.step(self.state, move, first_outcome)
        return replace(self, state=state), seen


def first_outcome(law: Any) -> Any:
    """Decide whatever is drawn on a device by its first outcome."""
    return law.support()[0] if isinstance(law, Distribution) else law


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Hold the worlds after some moves, and what was told of the unit of each but the first."""

    worlds: tuple[World, ...]
    moves: tuple[SaveImpression | MeasureConversion, ...] = ()
    told: tuple[Fraction, ...] = ()
    telling: tuple[frozenset[int], ...] = ()

    @property
    def devices(self) -> tuple[object, ...]:
        """Return the devices, on which all further reports depend."""
        return tuple(device for world in self.worlds for device in world.state.devices.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Directed:
    """Make stories under given rules, and keep those that tell more than is promised."""

    rules: Level1Rules
    promised: Promised

    def begun(self, store: tuple[SaveImpression, ...]) -> Story:
        """Return the worlds in which the ads of a store were shown."""
        empty = Level1System()
        initial = replace(empty, devices=empty.devices.set("device", Device(epoch_start=0)))
        unsaved = (False,) if self.rules.save is LEVEL_1_ONE_DRAW.save else (False, True)
        held = [
            unit
            for unit in self.promised.units
            if any(unit.covers(x.now // self.rules.limits.epoch) for x in store)
            and unit.match_value in (None, *(x.options.match_value for x in store))
        ]
        worlds = [World(step=Level1Mechanism(rules=self.rules).step, state=initial)]
        for unit, never in product(held, unsaved):
            gone = Level1OtherWorld(rules=self.rules, unit=unit, never_saved=never)
            worlds.append(World(step=gone.step, state=initial, unit=unit, never_saved=never))
        nothing = (Fraction(0),) * (len(worlds) - 1)
        story = Story(worlds=tuple(worlds), told=nothing, telling=(frozenset(),) * len(nothing))
        for move in store:
            made = [world.after(move)[0] for world in story.worlds]
            story = replace(story, worlds=tuple(made), moves=(*story.moves, move))
        return story

    def asked(self, story: Story, options: Options, site: str = SHOP) -> Story:
        """Let a conversion be measured in every world; add what its report tells.

        What is seen without noise tells more than is ever promised.
        """
        report_id = len(story.moves)
        move = measured(NOW, report_id, site=site, **options)
        made = [world.after(move) for world in story.worlds]
        reports = [world.state.reports.get(report_id) for world, _ in made]
        told, telling = list(story.told), list(story.telling)
        for place, (_, seen) in enumerate(made[1:] if self.promised.view in (None, site) else ()):
            if seen != made[0][1]:
                told[place] += self.promised.epsilon + 1
            elif more := self.told_by(reports[0], reports[place + 1]):
                told[place] += more
                telling[place] |= {report_id}
        return Story(
            worlds=tuple(world for world, _ in made),
            moves=(*story.moves, move),
            told=tuple(told),
            telling=tuple(telling),
        )

    def told_by(self, one: Report | None, other: Report | None) -> Fraction:
        """Return how far two reports are apart in units of their noise."""
        if one is None or other is None or one.histogram == other.histogram:
            return Fraction(0)
        return self.rate(one) * sum(map(abs, change(one, other)))

    def rate(self, report: Report) -> Fraction:
        """Return what one step of a bucket tells through the noise; 0 where that is not known."""
        at = AtAggregator(rules=self.rules, aggregator=Aggregator(), job=job_of((report,)))
        law = self.rules.noise(at, (report,))
        if not isinstance(law, DiscreteLaplace) or law.decay.base != self.rules.limits.base:
            return Fraction(0)
        return -law.decay.exponent

    def suspicious(self, story: Story) -> Iterator[Level1Universe]:
        """Return a universe for every world in which a story tells more than is promised."""
        for world, told, telling in zip(story.worlds[1:], story.told, story.telling, strict=True):
            if told > self.promised.epsilon and world.unit is not None:
                yield self.universe(story, world, sorted(telling))

    def universe(self, story: Story, world: World, telling: list[int]) -> Level1Universe:
        """Return a universe in which all moves are made, and reports that change alike summed.

        The base is one in which the ratio of every noise is a fraction.
        """
        assert world.unit is not None
        batches: dict[object, list[Report]] = {}
        for report_id in telling:
            report, other = (x.state.reports[report_id] for x in (story.worlds[0], world))
            alike = (report.task, report.stated_budget, change(report, other))
            batches.setdefault(alike, []).append(report)
        jobs = tuple(job_of(tuple(batch)) for batch in batches.values())
        root = lcm(*(self.rate(batch[0]).denominator for batch in batches.values()))
        limits = replace(self.promised.limits, base=Base(Fraction(2) ** root))
        how = ", never saved" if world.never_saved else ""
        return Level1Universe(
            name=f"{len(story.moves)} calls about epoch {world.unit.epoch}{how}",
            limits=limits,
            moves=(*story.moves, *jobs),
            unit=world.unit,
            epsilon=Fraction(self.promised.epsilon),
            view=self.promised.view,
            never_saved=world.never_saved,
            in_full=True,
        )

    def after_all(self, story: Story, seconds: Iterable[Options]) -> Iterator[Level1Universe]:
        """Ask each conversion again and again, while it tells something of some unit."""
        for options in seconds:
            before, now = story.told, story
            for _ in range(MOST_ASKED):
                try:
                    now = self.asked(now, options)
                except (SpecError, ArithmeticError, LookupError, TypeError, ValueError):
                    break
                yield from self.suspicious(now)
                if now.told == before or any(each > self.promised.epsilon for each in now.told):
                    break
                before = now.told


def change(one: Report, other: Report) -> tuple[int, ...]:
    """Return how the histograms of two reports differ."""
    return tuple(x - y for x, y in zip(one.histogram, other.histogram, strict=True))


def job_of(reports: tuple[Report, ...]) -> Job:
    """Return the job that sums reports with the noise of the budget that the first one states."""
    named = tuple(each.report_id for each in reports)
    return Job(report_ids=named, minimal_budget=reports[0].stated_budget)


def stories(claim: str, rules: Level1Rules) -> Iterator[Level1Universe]:
    """Return the universes of all stories that tell more than a guarantee promises.

    What comes after a first conversion depends on the devices alone, so that only one of several
    that leave the same devices is followed.
    """
    promised = PROMISED[claim]
    rules = replace(rules, limits=promised.limits)
    directed = Directed(rules=rules, promised=promised)
    odd = tuple(let_through(rules))
    seconds = (*FIRST, *CHEAP, *SHARED, *odd)
    for store in stores_of(claim, rules):
        begun = directed.begun(store)
        if len(begun.worlds) == 1:
            continue
        yield from directed.after_all(begun, seconds)
        seen = {begun.devices}
        for options, site in FIRST_BY:
            first = directed.asked(begun, options, site)
            if first.devices not in seen:
                seen.add(first.devices)
                yield from directed.after_all(first, seconds)


def directed_universes(claim: str, rules: Level1Rules) -> tuple[Level1Universe, ...]:
    """Return the first universes of stories that tell too much, those of the fewest sums first."""

    def size(each: Level1Universe) -> tuple[int, int]:
        return sum(isinstance(move, Job) for move in each.moves), len(each.moves)

    return tuple(sorted(islice(stories(claim, rules), MOST_SOLVED), key=size))
