"""Large runs: what the ad-tech sees beside noisy sums must not differ, at real sizes either.

Some rules look at a size that no small universe reaches: a delay for large values, a count that is
shown from fifty reports on. Here single runs with the rules' own limits are made with and without a
unit, and every query lists no key, so that the paper's service answers without noise. Nothing is
drawn, so that whatever the ad-tech sees has probability one, and a difference is an attack.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from time import perf_counter_ns
from typing import TYPE_CHECKING, TypeVar, cast

from properties.attack import decimal, move_text, seen_text, unit_text
from properties.observation import encoded
from properties.universe import contribute_to, event, source, trigger
from properties.vocabulary import NO_WORDS, Vocabulary
from spec.aggregation_service import Query
from spec.contributions import Credit, Unit
from spec.contributions import send as send_at_once
from spec.distributions import Distribution, Law
from spec.neighbours import ATTRIBUTION_FIXED, Relation, RelationUndefined
from spec.numbers import SpecError
from spec.paper import PAPER
from spec.private_aggregation_client import DeviceWindow
from spec.reports import KEY_BITS, Sent
from spec.rules import Limits, Rules
from spec.system import Move, PassTime, System, SystemMechanism
from spec.verdicts import Check, Control, Evidence, Finding, Reason, Shape

if TYPE_CHECKING:
    from spec.rules import AtContribution

VALUES = (1, 2, 3, 5, 7, 11, 21, 51, 101, 1001, 10001)
COUNTS = (2, 3, 5, 11, 21, 51, 101, 1001)
MOST = 2000
HOUR, DAY = 3600, 86400
YEARS = 10 * 365 * DAY
LONG_KEY = 2 ** (KEY_BITS - 1) + 1
T = TypeVar("T")


class Drawn(SpecError):
    """Report a draw, which these runs do not follow."""


def certain(law: T | Law[T], /) -> T:
    """Take what is certain, and refuse to draw."""
    if isinstance(law, Distribution) and len(law.weights) == 1:
        ((outcome, _),) = law.weights
        return cast(T, outcome)
    if isinstance(law, Law):
        raise Drawn(f"{type(law).__name__} is drawn")
    return law


def plans(
    limits: Limits, relation: Relation, words: Vocabulary
) -> Iterator[tuple[Unit, list[Move]]]:
    """Return the runs: single values of many sizes, then many reports of two units.

    Sizes, numbers of reports and moments that a proposal mentions are among them.
    """
    moments = {1, HOUR, DAY, 31 * DAY, *words.around}
    passing: list[Move] = [PassTime(until=moment) for moment in sorted(moments)]
    largest = limits.contribution_budget
    sizes = sorted({value for value in (*VALUES, *words.around, largest) if value <= largest})
    counts = sorted({count for count in (*COUNTS, *words.around) if count <= MOST})
    if relation is ATTRIBUTION_FIXED:
        registered: list[Move] = [source("A", "a", YEARS, LONG_KEY), source("B", "b", YEARS)]
        for value in sizes:
            yield "A", [*registered, trigger("a", value), *passing]
        for count in counts:
            both = (trigger("a", 1), trigger("b", 1))
            caused = [replace(both[place % 2], report_id=place) for place in range(count)]
            yield "A", [*registered, *caused]
    else:
        unit = DeviceWindow(device="phone", window=0)
        for value in sizes:
            yield unit, [event("phone", contribute_to(LONG_KEY, value)), *passing]
        for count in counts:
            pair = (
                event("phone", contribute_to(LONG_KEY, 1)),
                event("tablet", contribute_to(LONG_KEY, 1)),
            )
            yield unit, [replace(pair[place % 2], report_id=place) for place in range(count)]


def difference(
    rules: Rules, relation: Relation, unit: Unit, moves: list[Move]
) -> dict[str, str] | None:
    """Make a run in both worlds, then ask for all that arrived; return the first difference."""
    there, gone = SystemMechanism(rules=rules), relation.without(rules, unit)
    system, worlds = there.initial, gone.initial
    share = rules.limits.epsilon / 2
    for number in range(len(moves) + 3):
        if number < len(moves):
            move = moves[number]
        else:
            arrived = tuple(set(system.reports) & set(worlds.own.reports))
            move = Query(epsilon=share, report_ids=tuple(sorted(arrived)))
        system, seen = there.step(system, move, certain)
        worlds, other = gone.step(worlds, move, certain)
        if encoded(seen) != encoded(other):
            return {
                "unit x": unit_text(unit),
                "moves": " ".join(map(move_text, moves[:number][-4:])) or "none",
                "moves in all": str(number + 1),
                "last move": text_of(move, system),
                "seen with x": seen_text(seen) or "nothing",
                "seen without x": seen_text(other) or "nothing",
                "probability with x": "1",
                "probability without x": "0",
            }
    return None


def text_of(move: Move, system: System) -> str:
    """Tell the last move; a query for many reports in short."""
    if isinstance(move, Query) and len(move.report_ids) > 5:
        return f"The ad-tech asks for all {len(system.reports)} reports and no key."
    return move_text(move)


def large_run_finding(
    claim: str, rules: Rules, relation: Relation, words: Vocabulary = NO_WORDS
) -> Finding:
    """Compare both worlds in every run that draws nothing."""
    start = perf_counter_ns()
    followed, drawn = 0, ""
    found = Finding(
        claim=claim,
        check=f"large runs, {relation.name}",
        reason=Reason.CANNOT_FOLLOW,
        shape=Shape.REAL_SIZES,
        method="runs at real sizes, with and without a unit",
        assumes=f"neighbours: {relation.name}",
    )
    for unit, moves in plans(rules.limits, relation, words):
        try:
            example = difference(rules, relation, unit, moves)
        except RelationUndefined as reason:
            return replace(
                found,
                evidence=Evidence.ALARM,
                reason=Reason.RELATION_UNDEFINED,
                detail=str(reason),
            )
        except SpecError as reason:
            drawn = str(reason)
            continue
        followed += 1
        if example is not None:
            detail = "what the ad-tech sees tells with certainty whether x is there"
            found = replace(
                found,
                evidence=Evidence.ATTACK,
                reason=Reason.NONE,
                detail=detail,
                counterexample=example,
            )
            break
    if found.evidence is not Evidence.ATTACK and followed:
        found = replace(
            found,
            evidence=Evidence.EXACT_IN_UNIVERSE,
            reason=Reason.NONE,
            bound=f"{followed} runs that draw nothing",
        )
    elif not followed:
        found = replace(found, detail=f"no run could be followed: {drawn}")
    return replace(found, seconds=decimal(Fraction(perf_counter_ns() - start, 10**9), 2))


def delay_large_values(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Send reports with a large value an hour later."""
    sent = send_at_once(at, granted)
    return tuple(replace(each, arrival=at.now + HOUR * is_large(each)) for each in sent)


def hide_large_values(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Send no report with a large value."""
    return tuple(each for each in send_at_once(at, granted) if not is_large(each))


def is_large(sent: Sent) -> bool:
    """Tell whether a report holds a large value."""
    return any(each.value > 1000 for each in sent.report.contributions)


def large_run_check(claim: str, relation: Relation, words: Vocabulary = NO_WORDS) -> Check:
    """Return the check that compares what is seen at real sizes."""
    broken = {
        "large values arrive late": replace(PAPER, send=delay_large_values),
        "large values are not sent": replace(PAPER, send=hide_large_values),
    }

    def control(name: str) -> Control:
        rules = broken[name]
        return Control(
            name=name, run=lambda: large_run_finding(claim, rules, relation), rules=rules
        )

    return Check(
        claim=claim,
        name=f"large runs, {relation.name}",
        run=lambda rules: large_run_finding(claim, rules, relation, words),
        controls=tuple(map(control, broken)),
        shape=Shape.REAL_SIZES,
        relation=relation,
        spare=True,
    )
