"""Scenarios in the JSON format of the W3C's Attribution group: reading and replaying them.

A scenario lists events on one device with the histogram, or the error, that each call must lead
to. The parameters stand in a file CONFIG.json in the same folder or in the one above it. Chance is
replaced by fixed fractions that the parameters give, so that a scenario has one outcome.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar, cast

from sandproof.trace_text import BadTrace
from spec.distributions import Distribution, Law
from spec.level1 import (
    LIMITS,
    Caller,
    ClearHistory,
    ClearSiteData,
    ConversionOptions,
    ImpressionOptions,
    Level1Limits,
    Level1Move,
    Level1Rules,
    Level1System,
    MeasureConversion,
    SaveImpression,
    SetEnabled,
    step,
)
from spec.level1.epochs import EpochStart
from spec.level1.rules import DAY, ErrorName
from spec.numbers import SpecError

T = TypeVar("T")
Fields = dict[str, Any]
Outcome = tuple[int, ...] | ErrorName | None

CONFIG = "CONFIG.json"
LIMIT_NAMES = {
    "globalPrivacyBudgetPerEpoch": "global_budget",
    "impressionSiteQuotaPerEpoch": "site_quota",
    "perSitePrivacyBudget": "site_budget",
    "maxConversionCallersPerImpression": "maximum_conversion_callers",
    "maxConversionSitesPerImpression": "maximum_conversion_sites",
    "maxCreditSize": "maximum_credit",
    "maxHistogramSize": "maximum_histogram",
    "maxImpressionSitesForConversion": "maximum_impression_sites",
    "maxImpressionCallersForConversion": "maximum_impression_callers",
    "maxLookbackDays": "maximum_lookback",
    "maxMatchValues": "maximum_match_values",
}
IMPRESSION_NAMES = {
    "histogramIndex": "histogram_index",
    "matchValue": "match_value",
    "conversionSites": "conversion_sites",
    "conversionCallers": "conversion_callers",
    "lifetimeDays": "lifetime_days",
    "priority": "priority",
}
CONVERSION_NAMES = {
    "aggregationService": "service",
    "epsilon": "epsilon",
    "histogramSize": "histogram_size",
    "lookbackDays": "lookback_days",
    "matchValues": "match_values",
    "impressionSites": "impression_sites",
    "impressionCallers": "impression_callers",
    "credit": "credit",
    "value": "value",
    "maxValue": "max_value",
}
DOM_EXCEPTION = "DOMException"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Hold the limits that scenarios assume, and the fractions that stand in place of chance."""

    limits: Level1Limits
    epoch_start: Fraction
    credit: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Hold one event: the move, what must come of it, and whether its outcome is compared."""

    seconds: int
    name: str
    move: Level1Move
    expected: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Hold a scenario that is well formed."""

    name: str
    config: Config
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """Hold what came of one event beside what was expected."""

    event: Event
    outcome: Outcome

    @property
    def as_expected(self) -> bool:
        """Tell whether the event led to what the scenario says."""
        return self.outcome == self.event.expected


class Fractions:
    """Be a draw without chance: a duration and a coin are decided by given fractions."""

    def __init__(self, config: Config) -> None:
        self.config = config

    def __call__(self, law: T | Law[T], /) -> T:
        """Return the start of the epochs, or whether a coin with that chance comes up."""
        if isinstance(law, EpochStart):
            return cast(T, law.at(self.config.epoch_start))
        if isinstance(law, Distribution):
            return cast(T, self.config.credit < law.probability_of(cast(T, True)))
        if isinstance(law, Law):
            raise TypeError(f"a scenario says nothing about {law!r}")
        return law


def scenarios_in(path: Path) -> list[Path]:
    """Return the scenarios that a path names: itself, or all of a folder."""
    if not path.is_dir():
        return [path]
    return sorted(each for each in path.glob("*.json") if each.name != CONFIG)


def read_scenario(path: Path) -> Scenario:
    """Read a scenario and the parameters that go with it, or refuse them."""
    data = _read(path)
    near = (path.parent / CONFIG, path.parent.parent / CONFIG)
    found = next((each for each in near if each.exists()), None)
    if found is None:
        raise BadTrace("", f"there is no {CONFIG} in its folder nor in the one above")
    fields = _known(data, "", {"events"})
    if not isinstance(fields.get("events"), list):
        raise BadTrace("events", "must be a list of events")
    events = [_event(f"events[{place}]", each, place) for place, each in enumerate(data["events"])]
    for before, after in pairwise(events):
        if before.seconds >= after.seconds:
            raise BadTrace("events", f"second {after.seconds} comes after {before.seconds}")
    return Scenario(name=path.stem, config=read_config(found), events=tuple(events))


def read_config(path: Path) -> Config:
    """Read the parameters that scenarios assume."""
    others = {
        "aggregationServices",
        "epochStart",
        "fairlyAllocateCreditFraction",
        "privacyBudgetEpochDays",
    }
    fields = _known(_read(path), path.name, {*LIMIT_NAMES, *others})
    limits = {LIMIT_NAMES[name]: value for name, value in fields.items() if name in LIMIT_NAMES}
    try:
        return Config(
            limits=replace(
                LIMITS,
                **limits,
                services=frozenset(fields["aggregationServices"]),
                epoch=fields["privacyBudgetEpochDays"] * DAY,
            ),
            epoch_start=Fraction(fields["epochStart"]),
            credit=Fraction(fields["fairlyAllocateCreditFraction"]),
        )
    except (KeyError, TypeError, SpecError) as error:
        raise BadTrace(path.name, f"cannot be used: {error}") from None


def replay(rules: Level1Rules, scenario: Scenario) -> Iterator[Replayed]:
    """Run a scenario on the given rules with its own limits."""
    rules = replace(rules, limits=scenario.config.limits)
    system, draw = Level1System(), Fractions(scenario.config)
    for event in scenario.events:
        system, seen = step(rules, system, event.move, draw)
        outcome: Outcome = seen[0].rejected if seen else None
        if outcome is None and isinstance(event.move, MeasureConversion):
            outcome = system.reports[event.move.report_id].histogram
        yield Replayed(event=event, outcome=outcome)


def failures(rules: Level1Rules, scenario: Scenario) -> list[Replayed]:
    """Return the events of a scenario that lead to something else than it says."""
    return [each for each in replay(rules, scenario) if not each.as_expected]


def told(outcome: Outcome) -> str:
    """Write an outcome as a scenario would."""
    return str(list(outcome)) if isinstance(outcome, tuple) else outcome or "nothing"


def _event(where: str, data: object, place: int) -> Event:
    named = data.get("event") if isinstance(data, dict) else None
    if not isinstance(named, str) or named not in EVENTS:
        raise BadTrace(where, f"`event` must be one of {', '.join(EVENTS)}")
    allowed, make = EVENTS[named]
    fields = _known(data, where, {"seconds", "event", *allowed})
    try:
        seconds = int(fields["seconds"])
        move = make(fields, seconds, place)
        expected = fields.get("expected", fields.get("expectedError"))
        return Event(seconds=seconds, name=named, move=move, expected=_outcome(expected))
    except KeyError as error:
        raise BadTrace(where, f"{error} is missing") from None
    except (TypeError, ValueError) as error:
        raise BadTrace(where, f"cannot be used: {error}") from None


def _outcome(expected: object) -> Outcome:
    if expected is None:
        return None
    if isinstance(expected, list):
        return tuple(expected)
    if isinstance(expected, dict):
        if expected.get("error") != DOM_EXCEPTION:
            raise ValueError(f"{expected} is no error of the interface")
        return cast(ErrorName, expected["name"])
    return cast(ErrorName, expected)


def _caller(fields: Fields) -> Caller:
    return Caller(site=fields["site"], intermediary=fields.get("intermediarySite"))


def _options(fields: Fields, names: dict[str, str]) -> Fields:
    listed = {"credit": Fraction}
    given = _known(fields["options"], "options", set(names))
    return {
        names[name]: tuple(map(listed.get(name, lambda x: x), value))
        if isinstance(value, list)
        else (Fraction(value) if name == "epsilon" else value)
        for name, value in given.items()
    }


def _save(fields: Fields, seconds: int, _: int) -> Level1Move:
    options = ImpressionOptions(**_options(fields, IMPRESSION_NAMES))
    return SaveImpression(now=seconds, caller=_caller(fields), options=options)


def _measure(fields: Fields, seconds: int, place: int) -> Level1Move:
    options = ConversionOptions(**_options(fields, CONVERSION_NAMES))
    return MeasureConversion(now=seconds, caller=_caller(fields), options=options, report_id=place)


def _clear_site(fields: Fields, seconds: int, _: int) -> Level1Move:
    return ClearSiteData(now=seconds, site=fields["site"])


def _clear_history(fields: Fields, seconds: int, _: int) -> Level1Move:
    return ClearHistory(
        now=seconds, sites=frozenset(fields["sites"]), forget_visits=fields["forgetVisits"]
    )


Make = Callable[[Fields, int, int], Level1Move]
EVENTS: dict[str, tuple[set[str], Make]] = {
    "saveImpression": ({"site", "intermediarySite", "options", "expectedError"}, _save),
    "measureConversion": ({"site", "intermediarySite", "options", "expected"}, _measure),
    "clearImpressionsForSite": ({"site"}, _clear_site),
    "clearBrowsingHistoryForAttribution": ({"sites", "forgetVisits"}, _clear_history),
    "enableAPI": (set(), lambda _, seconds, __: SetEnabled(now=seconds, enabled=True)),
    "disableAPI": (set(), lambda _, seconds, __: SetEnabled(now=seconds, enabled=False)),
}


def _known(data: object, where: str, names: set[str]) -> Fields:
    """Return the fields of an object without comments; refuse one that is not known."""
    if not isinstance(data, dict):
        raise BadTrace(where, "must be an object")
    fields = {name: value for name, value in data.items() if name != "$comment"}
    unknown = sorted(set(fields) - names)
    if unknown:
        raise BadTrace(where, f"{unknown[0]!r} is not known")
    return fields


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_float=Fraction)
    except OSError as error:
        raise BadTrace("", error.strerror or str(error)) from None
    except ValueError as error:
        raise BadTrace("", f"is not JSON: {error}") from None
