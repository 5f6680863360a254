r"""Runs on numbers, at the rules' own limits: by chance, and at real sizes.

Symbols do not get through all code, and not to all sizes. So runs are made up by chance from what a
proposal mentions, batches are made of up to thousands of reports, devices are followed through
hundreds of windows, and a budget is asked for in many shares. Where the service's decisions changed
it is asked which keys it answers for, and in which order. A run in which the worlds differ beside
noise, or in which sums tell more than is promised, is played; only an attack refutes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain
from random import Random
from typing import TYPE_CHECKING, TypedDict

from properties.crowds import (
    LARGEST_CROWD,
    asked_by_identifier,
    asked_for_lists,
    asked_for_little,
    asked_in_shares,
    asked_one_by_one,
    crowds,
    many_ad_techs,
    many_sources,
    many_windows,
)
from properties.improvised import (
    Improvised,
    any_window,
    devices_by_chance,
    dressing,
    sources_by_chance,
)
from properties.laws import answered_twice, listed_otherwise, moving_too_much
from properties.listings import Dress, Listing, enough, plain, short, with_words
from properties.noise_told import first_of
from properties.parts import shows_as_drawn
from properties.play import attack_of_run
from properties.suspicion import (
    SameDraws,
    differs,
    has_other_noise,
    looks_different,
    suspicious,
)
from properties.vocabulary import NO_WORDS, Vocabulary
from properties.worlds import BothWorlds, Draws
from spec.aggregation_service import Answer, Outcome
from spec.contributions import Budgets, Credit, Unit
from spec.distributions import Distribution
from spec.lemmas import SERVICE
from spec.neighbours import Relation, RelationUndefined
from spec.noise import Noisy
from spec.numbers import SpecError
from spec.paper import PAPER
from spec.private_aggregation_client import DeviceWindow
from spec.reports import REPORT_ID_BITS, Key, Report, Sent
from spec.rules import AtService, Rules
from spec.verdicts import Check, Control, Evidence, Finding, Reason, Shape

if TYPE_CHECKING:
    from spec.rules import AtContribution

WINDOWS = (2, 17, 25, 145)
SOURCES = (3, 6, 12, 25)
SHARES = (2, 10, 100)


class Asked(TypedDict):
    """Say how the queries of a run are asked."""

    keys: tuple[int, ...]
    with_delta: bool
    others: int


ASKED = {
    "listed keys": Asked(keys=(0,), with_delta=False, others=0),
    "listed keys and delta": Asked(keys=(0,), with_delta=True, others=0),
    "no keys": Asked(keys=(), with_delta=False, others=0),
    "key discovery": Asked(keys=(), with_delta=True, others=0),
    "key discovery beside others": Asked(keys=(), with_delta=True, others=3),
}
"""How a query is asked in shares: for which keys, and how many others contribute to the key."""

LONGEST_ASKED = 1200
IDENTIFIERS = 32
LITTLE = 10**4


FIRST = 30
"""How many batches, small ones, are made before it is asked which keys are answered for."""

MOST_REPORTS = 12_000
"""How many reports are made to ask which keys are answered for."""

MOST_OPEN = 6
"""How many runs of a kind are played that turn out to be no attack."""


@dataclass(frozen=True, slots=True)
class Made:
    """Hold a run: its kind and name, the unit that it is about, and what makes its moves.

    It may say which noisy sums are drawn, such that what is seen must be the same. One that
    `breaks` a law must become an attack, or the worlds differ.
    """

    kind: str
    name: str
    unit: Unit
    make: Callable[[BothWorlds], None]
    noisy: Callable[[int, Noisy], int] | None = None
    breaks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Say how many runs are made by chance, and how large batches are."""

    runs: int
    ladder: tuple[int, ...]


SIZES = {
    "quick": Size(runs=120, ladder=(1, 2, 4, 9, 10, 50, 100, 1001)),
    "standard": Size(runs=600, ladder=(1, 2, 4, 9, 10, 30, 50, 100, 300, 1001, 3000, 10_000)),
    "deep": Size(runs=6000, ladder=(1, 2, 4, 9, 10, 30, 50, 100, 300, 1001, 3000, 10_000, 70_000)),
}


def runs_of(
    rules: Rules, devices: bool, words: Vocabulary, size: Size, seed: int
) -> Iterator[Made]:
    """Return the runs, short ones first; each is made by itself from the seed and its number."""
    limits = rules.limits
    unit: Unit = DeviceWindow(device="phone", window=0) if devices else "x"
    mentioned = [each for each in words.around if 1 < each <= LONGEST_ASKED]
    for number in sorted({*(WINDOWS if devices else SOURCES), *(x for x in mentioned if x <= 400)}):
        for row in (many_windows, many_ad_techs) if devices else (many_sources,):
            yield Made("in a row", f"{row.__name__} {number}", unit, partial(row, number=number))
    for number in sorted(
        {*range(IDENTIFIERS), *(x for x in words.around if x < 2**REPORT_ID_BITS)}
    ):
        play_it = partial(asked_by_identifier, devices=devices, report_id=number)
        yield Made("asked twice", f"report {number}", unit, play_it)
    for given, who in ((0, "null reports"), (limits.contribution_budget, "reports")):
        apart = partial(asked_one_by_one, devices=devices, given=given)
        yield Made("asked one by one", f"beside {who} of others", unit, apart)
    little = partial(asked_for_little, devices=devices, share=LITTLE)
    yield Made("asked five times", f"with {limits.epsilon / LITTLE}", unit, little)
    changed = any(getattr(rules, name) is not getattr(PAPER, name) for name in SERVICE)
    discovering = shows_as_drawn(rules) and rules.keys is PAPER.keys
    for number in range(size.runs):
        chance = Random(f"{seed} {devices} {number}")
        lists = Random(f"{seed} lists {devices} {number}") if changed and number % 2 else None
        play = Improvised(chance, words, limits, discovering=discovering, lists=lists)
        if devices:
            window = any_window(play)
            yield Made("by chance", f"number {number}", window, on(play, window))
        else:
            yield Made("by chance", f"number {number}", unit, on(play, None))
    ladder = [each for each in size.ladder if changed or each <= LARGEST_CROWD]
    batches = [
        Made(
            "keys discovered" if crowd.discovers else "a batch",
            str(crowd),
            unit,
            partial(crowd.make, devices=devices),
        )
        for crowd in crowds(words, limits.contribution_budget, limits.sparsity_budget, ladder)
    ]
    yield from batches[:FIRST]
    if changed:
        yield from listings_of(rules, devices, words, unit)
    yield from batches[FIRST:]
    for number in sorted({*SHARES, *mentioned}):
        simple = shows_as_drawn(rules) or number == min(SHARES)
        for kind, how in ASKED.items():
            if not how["with_delta"] or (limits.delta and simple):
                asked = partial(asked_in_shares, devices=devices, number=number, **how)
                yield Made("asked in shares", f"{number} with {kind}", unit, asked)
    for share in sorted({1, *SHARES, *mentioned}) if changed else ():
        asked = partial(asked_for_lists, devices=devices, share=share)
        yield Made("asked for lists", f"with {limits.epsilon / share} each", unit, asked)
    for crowd in moving_too_much(rules, words):
        yield Made("totals", str(crowd), unit, partial(crowd.make, devices=devices))


def listings_of(rules: Rules, devices: bool, words: Vocabulary, unit: Unit) -> Iterator[Made]:
    """Return the runs that ask which keys are answered for: those that break the law first.

    Moves of the proposal's own types are made by chance, from the number of the run.
    """

    def made(listing: Listing, dress: Dress = plain) -> Made:
        make = partial(listing.make, devices=devices, dress=dress)
        return Made("the order of keys", str(listing), unit, make, listing.noisy)

    for listing, told in listed_otherwise(rules, words):
        each = made(listing)
        yield replace(each, name=f"{each.name}: {told}", breaks=True)
    for listing in answered_twice(rules, words):
        yield replace(made(listing), kind="keys answered twice")
    count = enough(rules)
    if count is None:
        return
    asked = short(words, rules.limits, count)
    if not shows_as_drawn(rules):
        asked = chain(asked, with_words(words, rules.limits, count, 2 * LARGEST_CROWD))
    reports = MOST_REPORTS
    for number, listing in enumerate(asked):
        reports -= listing.size
        if reports < 0:
            return
        yield made(listing)
        if words.types and listing.value == 1:
            dressed = made(listing, dressing(words, rules.limits, number))
            yield replace(dressed, name=f"{dressed.name}, with types of its own")


def on(play: Improvised, window: DeviceWindow | None) -> Callable[[BothWorlds], None]:
    """Return what makes up a run."""

    def make(run: BothWorlds) -> None:
        play.run = run
        if window is None:
            sources_by_chance(play)
        else:
            devices_by_chance(play, window)

    return make


def numbers_finding(
    claim: str, rules: Rules, relation: Relation, words: Vocabulary, size: Size, seed: int = 0
) -> Finding:
    """Make every run until one is an attack; say what that means for a guarantee."""
    promised = rules.limits.epsilon, rules.limits.delta
    found = Finding(
        claim=claim,
        check=f"runs on numbers, {relation.name}",
        shape=Shape.REAL_SIZES,
        method="runs by chance and at real sizes, with and without a unit",
        assumes=f"neighbours: {relation.name}",
    )
    runs, refused, open_ = 0, "", ""
    played: Counter[str] = Counter()
    for made in runs_of(rules, relation.units == "devices", words, size, seed):
        name = f"{made.kind}: {made.name}"
        try:
            run = made_run(rules, relation, made, words)
        except RelationUndefined as reason:
            undefined = Reason.RELATION_UNDEFINED
            return replace(found, evidence=Evidence.ALARM, reason=undefined, detail=str(reason))
        except SpecError as reason:
            refused = refused or str(reason)
            open_ = open_ or name * made.breaks
            continue
        runs += 1
        if not worth_playing(made, run, promised):
            continue
        attack = None
        if played[made.kind] < MOST_OPEN:
            played[made.kind] += not shows_as_drawn(rules)
            with suppress(SpecError):
                attack = attack_of_run(run, promised)
        if attack is not None:
            return replace(
                found,
                evidence=Evidence.ATTACK,
                detail=f"{name}: {attack.inequality()}",
                attack=attack,
                counterexample={"inequality": attack.inequality()},
            )
        told = differs(run, promised) and not (shows_as_drawn(rules) and has_other_noise(run))
        if told or made.breaks or shows_keys(made, run):
            open_ = open_ or name
    if open_:
        detail = f"the worlds differ without an attack: {open_}"
        return replace(found, reason=Reason.WORLDS_DIFFER, detail=detail)
    if not runs:
        detail = f"no run could be followed: {refused}"
        return replace(found, reason=Reason.CANNOT_FOLLOW, detail=detail)
    return replace(found, evidence=Evidence.RANDOM_RUNS, bound=f"{runs} runs on numbers")


def shows_keys(made: Made, run: BothWorlds) -> bool:
    """Tell whether what is seen differs where the noisy sums are such that it must not."""
    return made.noisy is not None and looks_different(run)


def worth_playing(made: Made, run: BothWorlds, promised: tuple[Fraction, Fraction]) -> bool:
    """Tell whether a run may be an attack; one about keys is asked about nothing but those."""
    if made.noisy is None:
        return suspicious(run, promised)
    return made.breaks or shows_keys(made, run) or differs(run, promised)


def made_run(rules: Rules, relation: Relation, made: Made, words: Vocabulary) -> BothWorlds:
    """Make a run in both worlds; the moves before one that is refused are a run, too."""
    draws = SameDraws(Random(made.name), words.around, rules.limits.contribution_budget)
    noisy = made.noisy or draws.noisy
    run = BothWorlds(rules, relation, made.unit, lambda: Draws(noisy, first_of))
    try:
        made.make(run)
    except RelationUndefined:
        raise
    except SpecError:
        if not run.seen:
            raise
    return run


def numbers_check(
    claim: str,
    relation: Relation,
    words: Vocabulary = NO_WORDS,
    effort: str = "quick",
    seed: int = 0,
) -> Check:
    """Return the check that makes runs on numbers."""

    def run(rules: Rules) -> Finding:
        return numbers_finding(claim, rules, relation, words, SIZES[effort], seed)

    def control(name: str, rules: Rules) -> Control:
        return Control(name=name, run=lambda: run(rules), rules=rules)

    return Check(
        claim=claim,
        name=f"runs on numbers, {relation.name}",
        run=run,
        controls=tuple(control(name, rules) for name, rules in BROKEN.items()),
        evidence=Evidence.RANDOM_RUNS,
        shape=Shape.REAL_SIZES,
        relation=relation,
        spare=True,
    )


def hide_large_values(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Send no report with a large value."""
    sent = PAPER.send(at, granted)
    assert isinstance(sent, tuple)
    large = [any(part.value > 1000 for part in each.report.contributions) for each in sent]
    return tuple(each for each, left_out in zip(sent, large, strict=True) if not left_out)


def contribute_less_after_ten(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Contribute as usual, and nothing once all units together have done so ten times."""
    if sum(budget.count for budget in at.client.budgets.values()) >= 10:
        return at.client.budgets, ()
    return PAPER.contribute(at, credits)


def charge_the_first_thousand(
    at: AtService, batch: tuple[Report, ...]
) -> tuple[object, tuple[Report, ...] | None]:
    """Charge the first thousand reports of a batch."""
    settled = PAPER.settle(at, batch[:1000])
    assert isinstance(settled, tuple)
    return settled[0], None if settled[1] is None else batch


def keys_of_ten(at: AtService, batch: tuple[Report, ...]) -> tuple[Key, ...]:
    """Discover the keys of at least ten reports only."""
    holders = Counter(part.key for report in batch for part in report.contributions)
    found = PAPER.keys(at, batch)
    return tuple(key for key in found if not at.query.discovers_keys or holders[key] >= 10)


def keys_as_they_come(at: AtService, batch: tuple[Report, ...]) -> tuple[Key, ...]:
    """List discovered keys in the order of the reports."""
    if not at.query.discovers_keys:
        return PAPER.keys(at, batch)
    return tuple(dict.fromkeys(part.key for report in batch for part in report.contributions))


def show_keys_of_many_first(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Hashable:
    """Show first what most reports hold."""
    if not isinstance(outcome, Answer) or not at.query.discovers_keys:
        return outcome
    holders = Counter(part.key for report in batch for part in report.contributions)
    return Answer(released=tuple(sorted(outcome.released, key=lambda pair: -holders[pair[0]])))


def entries_apart(at: AtService, report: Report) -> tuple[Hashable, ...]:
    """Keep the budget for key discovery apart from the other."""
    return ((report.report_id, at.query.discovers_keys),)


def send_null_reports_mostly(
    at: AtContribution, granted: tuple[Credit, ...]
) -> tuple[Sent, ...] | Distribution[tuple[Sent, ...]]:
    """Send all but one in a thousand null reports."""
    sent = PAPER.send(at, granted)
    assert isinstance(sent, tuple)
    return sent if granted else Distribution.of({sent: Fraction(999, 1000), (): Fraction(1, 1000)})


BROKEN = {
    "discovery has a budget of its own": replace(PAPER, budget_entries=entries_apart),
    "one null report in a thousand is not sent": replace(PAPER, send=send_null_reports_mostly),
    "keys of nine reports are not discovered": replace(PAPER, keys=keys_of_ten),
    "discovered keys are listed as they come": replace(PAPER, keys=keys_as_they_come),
    "keys of most reports are shown first": replace(PAPER, reveal=show_keys_of_many_first),
    "large values are not sent": replace(PAPER, send=hide_large_values),
    "all units share ten contributions": replace(PAPER, contribute=contribute_less_after_ten),
    "a thousand reports are charged": replace(PAPER, settle=charge_the_first_thousand),  # type: ignore[arg-type]
}
