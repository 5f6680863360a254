"""An attack on Attribution Level 1 as a scenario in the JSON format of the W3C's group.

A scenario has no noise and no aggregation. It lists the calls of an attack in the world that has
the unit, with the histogram of every report as the judged rules fill it, and says in comments which
epoch is protected, what the other world reports instead, and how likely the telling outcomes are.
The parameters go with it. A day of the universe becomes a day, and its grains millionths.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from properties.level1.checks import ToldAttack
from properties.level1.game import Level1Attack, Reaction
from spec.distributions import Distribution, Law
from spec.level1 import (
    ClearHistory,
    ClearSiteData,
    Job,
    Level1Move,
    Level1OtherWorld,
    Level1Rules,
    Level1System,
    MeasureConversion,
    SaveImpression,
    SetEnabled,
    step,
)

Fields = dict[str, Any]
DAY = 86400
MICRO = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackWithScenario:
    """Hold an attack that is told as ever, and as a scenario besides."""

    told: ToldAttack

    def story(self) -> str:
        """Return the attack move by move."""
        return self.told.story()

    def to_json(self) -> dict[str, object]:
        """Return the attack as plain data, with the scenario that shows it and its parameters."""
        attack = self.told.attack
        scenario = scenario_of(attack, self.told.rules)
        return self.told.to_json() | {"scenario": scenario, "config": config_of(attack)}


def scenario_of(attack: Level1Attack, rules: Level1Rules) -> Fields:
    """Return the events of an attack as a scenario."""
    universe = attack.universe
    rules = replace(rules, limits=universe.limits)
    gone = Level1OtherWorld(rules=rules, unit=universe.unit, never_saved=universe.never_saved)
    here = there = universe.initial
    events: list[Fields] = []
    jobs: list[str] = []
    seconds = 0
    for action in attack.longest():
        moves = (action.job, action.move) if isinstance(action, Reaction) else (action,)
        for move in moves:
            if isinstance(move, Job):
                jobs.append(f"reports {', '.join(map(str, move.report_ids))} summed")
                continue
            here, _ = step(rules, here, move, one_half)
            there, _ = gone.step(there, move, one_half)
            seconds = max(seconds + 1, DAY * move.now // rules.limits.day)
            events.append(event_of(move, seconds, here, there))
    return {"$comment": comment_of(attack, jobs), "events": events}


def one_half(law: Any) -> Any:
    """Decide a coin as scenarios do, by the fraction one half."""
    if isinstance(law, Distribution):
        return law.probability_of(True) > Fraction(1, 2)
    if isinstance(law, Law):
        raise TypeError(f"a scenario says nothing about {law!r}")
    return law


def comment_of(attack: Level1Attack, jobs: list[str]) -> list[str]:
    """Say what the scenario shows that its histograms do not."""
    universe = attack.universe
    who = "all sites together" if universe.view is None else universe.view
    first = min(m.now for m in attack.longest() if not isinstance(m, Job | Reaction))
    begun = first // universe.limits.epoch
    counted = f"The first call is in epoch {begun}; a scenario counts epochs from its first call."
    return [
        *([counted] if begun else []),
        f"An attack: {universe.name}. Protected is epoch {universe.unit.epoch}, "
        f"promised is epsilon {universe.epsilon} in units of ln {universe.limits.base.value}.",
        f"It is seen by {who}, after aggregation: {'; '.join(jobs) or 'none'}.",
        f"The telling sums have probability {attack.likely} {attack.direction} and "
        f"{attack.unlikely} otherwise: more than the promise allows by {attack.excess}.",
        f"The parameters: {json.dumps(config_of(attack))}",
    ]


def config_of(attack: Level1Attack) -> Fields:
    """Return the parameters that the scenario of an attack assumes."""
    limits = attack.universe.limits
    micro = Fraction(MICRO, limits.grains)
    first = next(m.now for m in attack.longest() if isinstance(m, MeasureConversion))
    return {
        "aggregationServices": dict.fromkeys(sorted(limits.services), "dap-18-histogram"),
        "epochStart": float(Fraction(first % limits.epoch, limits.epoch)),
        "fairlyAllocateCreditFraction": 0.5,
        "globalPrivacyBudgetPerEpoch": number(limits.global_budget * micro),
        "impressionSiteQuotaPerEpoch": number(limits.site_quota * micro),
        "perSitePrivacyBudget": number(limits.site_budget * micro),
        "maxConversionSitesPerImpression": limits.maximum_conversion_sites,
        "maxConversionCallersPerImpression": limits.maximum_conversion_callers,
        "maxImpressionSitesForConversion": limits.maximum_impression_sites,
        "maxImpressionCallersForConversion": limits.maximum_impression_callers,
        "maxCreditSize": limits.maximum_credit,
        "maxHistogramSize": limits.maximum_histogram,
        "maxLookbackDays": limits.maximum_lookback,
        "maxMatchValues": limits.maximum_match_values,
        "privacyBudgetEpochDays": limits.epoch // limits.day,
    }


def event_of(move: Level1Move, seconds: int, here: Level1System, there: Level1System) -> Fields:
    """Return a move as an event of a scenario."""
    match move:
        case SaveImpression():
            options = {
                "histogramIndex": move.options.histogram_index,
                "matchValue": move.options.match_value,
                "priority": move.options.priority,
            }
            return {"seconds": seconds, "event": "saveImpression"} | {
                **caller_of(move),
                "options": options,
            }
        case MeasureConversion():
            report, other = here.reports[move.report_id], there.reports[move.report_id]
            asked = move.options
            given: Fields = {
                "aggregationService": asked.service,
                "histogramSize": asked.histogram_size,
                "epsilon": number(asked.epsilon),
                "value": asked.value,
                "maxValue": asked.max_value,
                "credit": [number(part) for part in asked.credit],
                "impressionSites": list(asked.impression_sites),
            }
            if asked.lookback_days is not None:
                given["lookbackDays"] = asked.lookback_days
            return {
                "$comment": f"without the unit: {list(other.histogram)}",
                "seconds": seconds,
                "event": "measureConversion",
                **caller_of(move),
                "options": given,
                "expected": list(report.histogram),
            }
        case ClearSiteData():
            return {"seconds": seconds, "event": "clearImpressionsForSite", "site": move.site}
        case ClearHistory():
            return {
                "seconds": seconds,
                "event": "clearBrowsingHistoryForAttribution",
                "sites": sorted(move.sites),
                "forgetVisits": move.forget_visits,
            }
        case SetEnabled():
            return {"seconds": seconds, "event": "enableAPI" if move.enabled else "disableAPI"}
        case _:
            raise TypeError(f"a scenario has no event for {move!r}")


def caller_of(move: SaveImpression | MeasureConversion) -> Fields:
    """Return who calls, as an event says it."""
    between = move.caller.intermediary
    named = {} if between is None else {"intermediarySite": between}
    return {"site": move.caller.site, **named}


def number(value: Fraction) -> int | float:
    """Return a number as JSON writes it; those of the small universes are short decimals."""
    return value.numerator if value.denominator == 1 else float(value)
