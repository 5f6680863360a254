r"""Random interactive runs of Attribution Level 1: an epoch pays for all that it tells.

A run takes the moves of sites and users, in time that never goes back, in two worlds: with an epoch
of the only device and without it. After every move three claims are examined, each as it is stated.
What the epoch paid, summed over all reports and whatever was cleared in between, stays within the
site's budget and the global budget. A report is the same in both worlds if the epoch did not pay
for it, and differs by at most twice the value if it did. Within a single epoch it differs by at
most the norm that the site was charged for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

from properties.broken import controls
from properties.level1.checks import told_move
from properties.level1.making import BLOG, NEWS, SERVICE, SHOP, SMALL, TOYS, saved
from properties.level1.mutants import MUTANTS
from spec.distributions import Distribution, Draw
from spec.level1 import (
    LEVEL_1_2026_05,
    LEVEL_1_ONE_DRAW,
    AtConversion,
    Budgets,
    Caller,
    Charge,
    ClearHistory,
    ClearSiteData,
    ConversionOptions,
    Device,
    Histogram,
    Impression,
    Level1Move,
    Level1OtherWorld,
    Level1Rules,
    Level1System,
    Level1Unit,
    MeasureConversion,
    SetEnabled,
    step,
)
from spec.level1.budgets import paid, sites_of
from spec.level1.credit import fill
from spec.level1.epochs import epoch_of
from spec.level1.measurement import attribute_with_one_draw, matching, nothing
from spec.verdicts import Check, Evidence, Finding, Reason, Shape

OVERDRAWN = "level1_budgets_are_never_overdrawn"
CHANGED = "level1_histograms_change_by_at_most_the_charge"
NORM = "level1_a_single_epoch_changes_by_its_norm"
CLAIMS = (OVERDRAWN, CHANGED, NORM)
LIMITS = replace(SMALL, site_budget=4, global_budget=8, site_quota=6)
UNIT = Level1Unit(epoch=0)
START = 10
"""When the unit's epoch begins."""

RUNS: Mapping[str, int] = {"quick": 80, "standard": 200, "deep": 2000}
LENGTH = 25

Played = tuple[Level1Move, tuple[bool, ...]]


class Violated(AssertionError):
    """Report that a claim does not hold after the moves played."""

    def __init__(self, claim: str, complaint: str, moves: tuple[Played, ...]) -> None:
        super().__init__(complaint)
        self.claim, self.complaint, self.moves = claim, complaint, moves


@dataclass(kw_only=True)
class Asked:
    """Hold what the unit's epoch was asked for one report, and whether it paid.

    The norm is known where a single epoch was asked.
    """

    paid: bool = False
    norm: int | None = None

    def of(self, rules: Level1Rules) -> Level1Rules:
        """Return the same rules, of which two note what they are asked."""

        def charge(at: AtConversion, single: bool, norm: int) -> Charge:
            self.norm = norm if single else None
            return rules.charge(at, single, norm)

        def deduct(
            at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
        ) -> tuple[Budgets, tuple[Impression, ...]]:
            after, used = rules.deduct(at, kept, epoch, shown, cost)
            self.paid = self.paid or (epoch == UNIT.epoch and bool(used))
            return after, used

        return replace(rules, charge=charge, deduct=deduct)


@dataclass(kw_only=True)
class Run:
    """Hold both worlds, what the unit's epoch has paid so far, and the moves that were made."""

    rules: Level1Rules
    claims: frozenset[str] = frozenset(CLAIMS)
    here: Level1System = field(default_factory=lambda: started())
    there: Level1System = field(default_factory=lambda: started())
    by_site: dict[str, int] = field(default_factory=dict)
    by_all: int = 0
    differed: int = 0
    moves: tuple[Played, ...] = ()

    def play(self, move: Level1Move, coins: tuple[bool, ...]) -> None:
        """Make a move in both worlds, with the same coins, and examine the claims."""
        self.moves = (*self.moves, (move, coins))
        rules = replace(self.rules, limits=LIMITS)
        before = self.here.devices[UNIT.device].budgets
        asked = Asked()
        self.here, _ = step(asked.of(rules), self.here, move, drawn(coins))
        other = Level1OtherWorld(rules=rules, unit=UNIT)
        self.there, _ = other.step(self.there, move, drawn(coins))
        if not isinstance(move, MeasureConversion) or move.report_id not in self.here.reports:
            return
        after = self.here.devices[UNIT.device].budgets
        site, epoch = move.caller.site, UNIT.epoch
        for_site = before.site(LIMITS, epoch, site) - after.site(LIMITS, epoch, site)
        for_all = before.globally(LIMITS, epoch) - after.globally(LIMITS, epoch)
        self.examine_change(move, asked)
        self.by_site[site] = self.by_site.get(site, 0) + for_site
        self.by_all += for_all
        if self.by_site[site] > LIMITS.site_budget:
            self.complain(OVERDRAWN, f"{site} was paid {self.by_site[site]} by one epoch")
        if self.by_all > LIMITS.global_budget:
            self.complain(OVERDRAWN, f"all sites were paid {self.by_all} by one epoch")
        if after.site(LIMITS, epoch, site) < 0 or after.globally(LIMITS, epoch) < 0:
            self.complain(OVERDRAWN, f"a budget is {after.site(LIMITS, epoch, site)}")

    def examine_change(self, move: MeasureConversion, asked: Asked) -> None:
        """Compare how a report differs with what the epoch was asked for, and whether it paid."""
        reports = [world.reports[move.report_id].histogram for world in (self.here, self.there)]
        change = sum(abs(one - other) for one, other in zip(*reports, strict=True))
        self.differed += change > 0
        if change and not asked.paid:
            self.complain(CHANGED, f"a report differs by {change}, and the epoch did not pay")
        if change > 2 * move.options.value:
            self.complain(CHANGED, f"a report differs by {change}, its value is too small for that")
        if asked.paid and asked.norm is not None and change > asked.norm:
            self.complain(NORM, f"a report differs by {change}, the site pays for {asked.norm}")

    def complain(self, claim: str, complaint: str) -> None:
        """Raise a complaint about a claim that is examined."""
        if claim in self.claims:
            raise Violated(claim, complaint, self.moves)


def started() -> Level1System:
    """Return a system whose only device has begun its epochs."""
    empty = Level1System()
    return replace(empty, devices=empty.devices.set(UNIT.device, Device(epoch_start=START)))


def drawn(coins: Sequence[bool]) -> Any:
    """Return a draw that decides coins by a list, over and over."""
    places = iter(range(10**6))

    def draw(law: Any) -> Any:
        if not isinstance(law, Distribution):
            return law
        wanted = coins[next(places) % len(coins)]
        return wanted if wanted in law.support() else not wanted

    return draw


def chosen(random: Random) -> dict[str, Any]:
    """Choose what comes next: most often a conversion, else an impression or an act of a user."""
    kind = random.choice(("asks", "asks", "asks", "saves", "acts"))
    if kind == "saves":
        return {
            "site": random.choice((NEWS, BLOG)),
            "index": random.randrange(3),
            "priority": random.randrange(2),
        }
    if kind == "acts":
        acts = ("wait", "wait", "wait", "clear", "forget", "off", "leave")
        return {"what": random.choice(acts), "site": random.choice((SHOP, TOYS, NEWS))}
    return {
        "site": random.choice((SHOP, TOYS)),
        "epsilon": random.choice((1, 2, 4)),
        "value": random.randint(1, 3),
        "more": random.randrange(2),
        "days": random.choice((2, 20)),
        "parts": random.randint(1, 3),
        "chosen": random.choice(((), (), (NEWS,), (BLOG,))),
        "coins": tuple(random.random() < 1 / 2 for _ in range(4)),
    }


def play(rules: Level1Rules, claim: str, random: Random) -> Run:
    """Play random moves; time never goes back."""
    run = Run(rules=rules, claims=frozenset({claim}))
    now = START + 6
    for place, site in enumerate((NEWS, BLOG, NEWS)):
        run.play(saved(now, (0, 2, 1)[place], site, priority=int(not place)), (True,))
    for _ in range(LENGTH):
        choice = chosen(random)
        if choice.get("what") == "wait":
            now += 4
        for move in moves_of(now, len(run.here.reports) + 1, choice):
            run.play(move, choice.get("coins", (True,)))
    return run


def moves_of(now: int, report_id: int, chosen: Mapping[str, Any]) -> list[Level1Move]:
    """Return the moves that a choice stands for."""
    site = chosen["site"]
    if "index" in chosen:
        return [saved(now, chosen["index"], site, priority=chosen["priority"])]
    if "epsilon" in chosen:
        options = ConversionOptions(
            service=SERVICE,
            histogram_size=2,
            epsilon=Fraction(chosen["epsilon"]),
            value=chosen["value"],
            max_value=chosen["value"] + chosen["more"],
            lookback_days=chosen["days"],
            credit=(Fraction(1),) * chosen["parts"],
            impression_sites=chosen["chosen"],
        )
        caller = Caller(site=site)
        return [MeasureConversion(now=now, caller=caller, options=options, report_id=report_id)]
    match chosen["what"]:
        case "clear" | "forget" as how:
            named = frozenset({site})
            return [ClearHistory(now=now, sites=named, forget_visits=how == "forget")]
        case "off":
            return [
                SetEnabled(now=now, enabled=False),
                ClearHistory(now=now, sites=frozenset(), forget_visits=True),
                SetEnabled(now=now, enabled=True),
            ]
        case "leave":
            return [ClearSiteData(now=now, site=site)]
    return []


def machine_finding(claim: str, effort: str, number: int, rules: Any) -> Finding:
    """Take random runs; report the shortest violation that was found and replayed."""
    blank = Finding(
        claim=claim, check="machine", shape=Shape.RANDOM_RUNS, method="random interactive runs"
    )
    random = Random(number)
    try:
        seen = [play(rules, claim, random).differed for _ in range(RUNS[effort])]
    except Violated as violated:
        return refuted(blank, rules, violated)
    if not any(seen):
        return replace(blank, reason=Reason.VACUOUS, detail="no report ever differed")
    bound = f"{len(seen)} runs of {LENGTH} moves, in which {sum(seen)} reports differed"
    return replace(blank, evidence=Evidence.RANDOM_RUNS, bound=bound)


def refuted(blank: Finding, rules: Level1Rules, violated: Violated) -> Finding:
    """Play the moves of a violation again, leaving out those that can be, and tell them."""
    shortest = violated
    for place in reversed(range(len(violated.moves))):
        fewer = (*shortest.moves[:place], *shortest.moves[place + 1 :])
        shortest = replayed(rules, blank.claim, fewer) or shortest
    again = replayed(rules, blank.claim, shortest.moves)
    assert again is not None
    told = {str(place): told_move(move) for place, (move, _) in enumerate(again.moves, start=1)}
    run = "; ".join(f"{place}. {line}" for place, line in told.items())
    return replace(
        blank,
        evidence=Evidence.ATTACK,
        detail=f"{again.complaint}, after {run}",
        counterexample=told | {"violated": again.complaint},
    )


def replayed(rules: Level1Rules, claim: str, moves: Sequence[Played]) -> Violated | None:
    """Play moves on a fresh run; return what is violated."""
    run = Run(rules=rules, claims=frozenset({claim}))
    try:
        for move, coins in moves:
            run.play(move, coins)
    except Violated as violated:
        return violated
    return None


def overdraw(
    at: AtConversion, kept: Budgets, epoch: int, shown: tuple[Impression, ...], cost: Charge
) -> tuple[Budgets, tuple[Impression, ...]]:
    """Pay whatever is left."""
    return paid(at, kept, epoch, sites_of(shown), cost), shown


def use_what_is_unpaid(at: AtConversion, draw: Draw) -> tuple[Budgets, Histogram]:
    """Report what all selected impressions are credited with, paid for or not."""
    budgets, _ = attribute_with_one_draw(at, draw)
    epochs = range(at.rules.first_epoch(at), epoch_of(at, at.now) + 1)
    shown = tuple(each for epoch in epochs for each in matching(at, epoch))
    return budgets, at.rules.fill(at, shown, draw) if shown else nothing(at)


def fill_three_times(at: AtConversion, shown: tuple[Impression, ...], draw: Draw) -> Histogram:
    """Count every impression three times."""
    return tuple(3 * bucket for bucket in fill(at, shown, draw))


OPEN = "forgetting visits leaves the epoch open"
BROKEN: Mapping[str, Mapping[str, Level1Rules]] = {
    OVERDRAWN: {
        OPEN: replace(MUTANTS[OPEN], attribute=attribute_with_one_draw),
        "what is short is paid for": replace(LEVEL_1_ONE_DRAW, deduct=overdraw),
    },
    CHANGED: {
        "what is not paid for is used": replace(LEVEL_1_ONE_DRAW, attribute=use_what_is_unpaid),
        "impressions count three times": replace(LEVEL_1_ONE_DRAW, fill=fill_three_times),
    },
    NORM: {"two draws": LEVEL_1_2026_05},
}
"""Broken rules that the runs must refute."""


def level1_machines(effort: str = "standard", number: int = 0) -> tuple[Check, ...]:
    """Return a check per claim that random runs examine."""
    return tuple(
        Check(
            claim=claim,
            name="machine",
            run=partial(machine_finding, claim, effort, number),
            controls=controls(partial(machine_finding, claim, effort, number), BROKEN[claim]),
            evidence=Evidence.RANDOM_RUNS,
            shape=Shape.RANDOM_RUNS,
            spare=True,
        )
        for claim in CLAIMS
    )
