r"""Event-level runs by chance, at the rules' own limits, each with the law of all that is seen.

A few sources with few outputs are registered, triggers come in bursts, and windows pass. Numbers
and names come from what a proposal mentions, from the sources themselves, or from chance. The
sources are so small that every combination of drawn responses is followed in both worlds. The
chance of the truth may be irrational. It is then rounded, and the law of what is seen moves by at
most what is lost, once for every source.

Before these, a source is registered again after many others and after a long time. Where it is
taken, the ways that need several lies are left out, and count as an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import isqrt
from random import Random
from typing import TypeVar

from flint import ctx

from properties.broken import ALWAYS_TRUTHFUL, controls
from properties.event_again import (
    DAY,
    MOST_BETWEEN,
    SMALL,
    Made,
    registered_again,
    taken_again,
)
from properties.improvised import Improvised
from properties.play import STEPS, Played, Promise, shortest
from properties.script_attack import ScriptAttack
from properties.simpler import simplest
from properties.vocabulary import NO_WORDS, Vocabulary
from properties.worlds import CannotPlay
from spec.contributions import Unit
from spec.distributions import Draw, Law
from spec.event_client import EventClient, EventSource, EventTrigger
from spec.neighbours import Relation, RelationUndefined
from spec.numbers import Power, SpecError, bounds
from spec.paper import PAPER
from spec.randomized_response import RandomizedResponse
from spec.rules import AtEventSource, AtEventTrigger, Rules
from spec.system import Move, PassTime
from spec.verdicts import Check, Evidence, Finding, Reason, Shape

T = TypeVar("T")

BITS = 256
"""To how many bits a chance is rounded."""

RUNS = {"quick": 60, "standard": 200, "deep": 2000}
BURSTS = (1, 1, 2, 3, 4)
MOST_BURST = 40
FEW_SOURCES = 3
"""Of how many sources all ways are followed."""

MOST_WAYS = 600
"""How many ways of a run with more sources are followed."""


CONFIGURATIONS = (
    (1, (SMALL,)),
    (1, (SMALL,)),
    (2, (replace(SMALL, buckets=(1, 5)),)),
    (1, (SMALL, replace(SMALL, data=1))),
    (1, (replace(SMALL, windows=(DAY, 3 * DAY)),)),
    (1, (replace(SMALL, windows=(DAY, 2 * DAY, 3 * DAY)),)),
)
"""How many reports sources may send, and of what: sets of two to four outputs."""
PASSING = ((DAY // 2, 4 * DAY), (DAY, DAY, DAY, DAY))
"""How time passes in the end: all windows at once, or one after the other."""


def sources_and_bursts(play: Improvised) -> None:
    """Register sources, let triggers come in bursts, and let all windows pass."""
    names = ["x", "z"]
    play.chance.shuffle(names)
    shop = play.name("shop", "shop")
    reports, specifications = play.choose(*CONFIGURATIONS)
    for name in names:
        play.make(
            EventSource(
                source_id=name,
                destination=shop,
                expiry=play.run.there.now + play.choose(DAY // 2, DAY, 30 * DAY),
                filters=frozenset({name}),
                maximum_reports=reports,
                specifications=specifications,
            )
        )
    values = sorted({each for every in specifications for each in every.buckets})
    for _ in range(play.chance.randint(1, 4)):
        if not play.often():
            play.run.make(PassTime(until=play.run.there.now + play.number(DAY, 1, 3600, DAY // 2)))
        taking = play.choose(("x",), ("x",), ("z",), ("x", "z"))
        often = play.choose(*BURSTS, *(x for x in play.words.around if 0 < x <= MOST_BURST))
        for number in range(often):
            play.make(
                EventTrigger(
                    trigger_id=play.choose("", play.name(f"trigger {number}")),
                    destination=shop,
                    filters=frozenset(taking),
                    data=play.choose(*specifications).data,
                    value=max(1, play.number(10**6, *values)),
                )
            )
    for seconds in play.choose(*PASSING):
        play.run.make(PassTime(until=play.run.there.now + seconds))


def rounded_outcomes(law: Law[object]) -> Iterable[tuple[object, Fraction]]:
    """List the outcomes of a law; the chance of the truth is rounded down where it must be."""
    if type(law) is not RandomizedResponse:
        return law.outcomes()
    size = law.outputs.size()
    with ctx.workprec(2 * BITS):
        exactly = law.truth_probability(law.power.value(), size)
        low, high = bounds(exactly)
    truth = low if low == high else Fraction(int(low * 2**BITS), 2**BITS)
    drawn = [(output, (1 - truth) / size) for output in law.outputs] if truth < 1 else []
    return [(None, truth), *drawn] if truth > 0 else drawn


def event_attack(
    rules: Rules, relation: Relation, unit: Unit, moves: Sequence[Move], promised: Promise
) -> ScriptAttack | None:
    """Return the attack that moves make, if what is seen of them tells more than is promised.

    Of many sources the ways that need several lies are left out.
    """
    with ctx.workprec(BITS):
        power = bounds(Power(rules.limits.base, promised[0]).value())[1]
    drawn = sum(isinstance(move, EventSource) for move in moves)
    slack = Fraction(2 * drawn, 2**BITS)
    played = Played(rules, relation, unit, tuple(moves), promised, power, None)
    if drawn <= FEW_SOURCES:
        return played.by_law(rounded_outcomes, slack)
    least = Fraction(1, int(power) * isqrt(int(power)) + 1)
    return played.by_likely_ways(rounded_outcomes, slack, least, MOST_WAYS)


def event_runs_finding(
    claim: str, rules: Rules, relation: Relation, words: Vocabulary, runs: int, seed: int = 0
) -> Finding:
    """Make runs until one is an attack; say what that means for a guarantee."""
    promised = rules.limits.event_epsilon, Fraction(0)
    found = Finding(
        claim=claim,
        check=f"event-level runs, {relation.name}",
        shape=Shape.REAL_SIZES,
        method="event-level runs by chance, with and without a unit, all responses followed",
        assumes=f"neighbours: {relation.name}",
    )

    def play(unit: Unit, moves: Sequence[Move]) -> ScriptAttack | None:
        return event_attack(rules, relation, unit, moves, promised)

    followed, refused, open_ = 0, "", ""
    for again, moves in taken_again(rules, words):
        if again.others > MOST_BETWEEN:
            open_ = f"x is registered again {again}, too many to follow what is drawn"
            break
        try:
            attack = play("x", moves)
        except CannotPlay:
            continue
        except SpecError as reason:
            open_ = open_ or f"x is registered again {again}, in one world only: {reason}"
            continue
        if attack is not None:
            attack = shortest(attack, play, STEPS // (4 + again.others))
            return attacked(found, f"registered again {again}", attack)
    for number in range(runs):
        made = Made(rules)
        improvised = Improvised(Random(f"{seed} event {number}"), words, rules.limits)
        improvised.run = made
        try:
            sources_and_bursts(improvised)
            attack = play("x", made.moves)
            if attack is None and registered_again(made):
                with suppress(CannotPlay):
                    attack = play("x", made.moves)
        except RelationUndefined as reason:
            undefined = Reason.RELATION_UNDEFINED
            return replace(found, evidence=Evidence.ALARM, reason=undefined, detail=str(reason))
        except SpecError as reason:
            refused = refused or str(reason)
            continue
        followed += 1
        if attack is not None:
            attack = simplest(shortest(attack, play, STEPS), rules.limits, play, STEPS // 64)
            return attacked(found, f"run {number}", attack)
    if open_:
        return replace(found, reason=Reason.WORLDS_DIFFER, detail=open_)
    if not followed:
        detail = f"no run could be followed: {refused}"
        return replace(found, reason=Reason.CANNOT_FOLLOW, detail=detail)
    return replace(found, evidence=Evidence.RANDOM_RUNS, bound=f"{followed} event-level runs")


def attacked(found: Finding, name: str, attack: ScriptAttack) -> Finding:
    """Say that a run is an attack."""
    return replace(
        found,
        evidence=Evidence.ATTACK,
        detail=f"{name}: {attack.inequality()}",
        attack=attack,
        counterexample={"inequality": attack.inequality()},
    )


def event_runs_check(
    claim: str,
    relation: Relation,
    words: Vocabulary = NO_WORDS,
    effort: str = "quick",
    seed: int = 0,
) -> Check:
    """Return the check that makes event-level runs."""

    def run(rules: Rules) -> Finding:
        return event_runs_finding(claim, rules, relation, words, RUNS[effort], seed)

    return Check(
        claim=claim,
        name=f"event-level runs, {relation.name}",
        run=run,
        controls=controls(run, BROKEN),
        evidence=Evidence.RANDOM_RUNS,
        shape=Shape.REAL_SIZES,
        relation=relation,
        spare=True,
    )


def forget_after_three(at: AtEventTrigger, credited: tuple[Unit, ...]) -> EventClient:
    """Take in no trigger once three values have been counted on the device."""
    counted = sum(sum(record.values.values()) for record in at.client.records)
    return PAPER.register_event_trigger(at, credited if counted < 3 else ())


def register_anew(at: AtEventSource, source: EventSource, draw: Draw) -> EventClient:
    """Let a source that is registered again begin again."""
    others = (each for each in at.client.records if each.source.source_id != source.source_id)
    forgotten = replace(at, client=replace(at.client, records=tuple(others)))
    return PAPER.register_event_source(forgotten, source, draw)


BROKEN = {
    "always truthful": ALWAYS_TRUTHFUL,
    "a source draws again": replace(PAPER, register_event_source=register_anew),
    "sources share three triggers": replace(PAPER, register_event_trigger=forget_after_three),
}
