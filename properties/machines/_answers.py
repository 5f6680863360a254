r"""What happens inside the service: who takes part in an answer, and the law of what is shown.

The law of an answer is exact. Noise with infinite support is cut outside a window that holds the
true sums of both worlds. Beyond it the likelihood ratio is constant, so that nothing is lost where
an answer shows noisy sums as they are. Where the rules of answering are changed and look closer at
noisy sums, the window is wider, and what it cuts is allowed for.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from properties.game import Window, rational
from properties.lump import Inexact, OutOfWindow, check_apart, sealed
from properties.observation import Codes, Seen
from properties.solve import MARGIN, answers_in_full
from spec.aggregation_service import Aborted, Answer, Outcome, Query, Service, Spent
from spec.contributions import Budget, Budgets, Credit, Unit
from spec.distributions import Distribution, Draw, Random, explore
from spec.noise import DiscreteLaplace, Noise
from spec.numbers import SpecError
from spec.reports import Contribution, Key, Report, ReportId
from spec.rules import AtService, Limits, Rules

if TYPE_CHECKING:
    from spec.rules import AtContribution


class Unclear(SpecError):
    """Report a service of which nobody can tell whether it refused a query."""


Shown = frozenset[tuple[Query, Seen]]


@dataclass(slots=True)
class Watch:
    """Note what the service's rules are asked and what they answer while a step runs.

    In the summary mechanism what is granted of each record is noted as well.
    """

    asked: Query | None = None
    answered: tuple[Report, ...] | None = None
    refused: bool = False
    totals: Mapping[Key, int] = field(default_factory=dict)
    threshold: int | None = None
    noise: Noise | None = None
    granted: list[tuple[Unit, tuple[Contribution, ...]]] = field(default_factory=list)

    def on(self, rules: Rules) -> Rules:
        """Return the same rules, watched."""

        def answer(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
            self.asked, self.answered = at.query, batch
            return rules.answer(at, batch, draw)

        def reveal(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Random[Hashable]:
            self.refused = isinstance(outcome, Aborted)
            if self.answered is None and not self.refused:
                self.asked, self.answered = at.query, batch
            return rules.reveal(at, batch, outcome)

        def totals(at: AtService, batch: tuple[Report, ...]) -> Mapping[Key, int]:
            self.totals = rules.totals(at, batch)
            return self.totals

        def threshold(at: AtService, batch: tuple[Report, ...]) -> int | None:
            self.threshold = rules.threshold(at, batch)
            return self.threshold

        def noise(at: AtService, batch: tuple[Report, ...], cut: int | None) -> Noise:
            self.noise = rules.noise(at, batch, cut)
            return self.noise

        def contribute(
            at: AtContribution, credits: tuple[Credit, ...]
        ) -> tuple[Budgets, tuple[Credit, ...]]:
            after, granted = rules.contribute(at, credits)
            self.granted += parts_by_unit(credits, granted).items()
            return after, granted

        return replace(
            rules,
            answer=answer,
            reveal=reveal,
            totals=totals,
            threshold=threshold,
            noise=noise,
            contribute=contribute,
        )

    def hear(self, shown: Hashable, known: Shown, query: Query) -> Shown:
        """Make sure to know whether the query was refused; return all that has been shown now.

        What was shown for the very same query before is no new answer: no report takes part in it.
        """
        self.refused = self.refused or isinstance(shown, Aborted)
        if self.answered is None and not self.refused:
            if (query, Seen(shown)) not in known:
                raise Unclear("the changed serve asks neither the rule answer nor the rule reveal")
            self.asked, self.answered = query, ()
        return known | {(query, Seen(shown))}

    @property
    def contributed(self) -> int:
        """Return the number of contributions that an answer was computed from."""
        return sum(len(report.contributions) for report in self.answered or ())


class Account:
    """Add up the parameters of the answers that every report took part in.

    They are those that the answer was asked for with. Discrete Laplace noise for a smaller epsilon
    than that counts with its own.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.taken: dict[ReportId, Spent] = {}

    def add(self, query: Query, watch: Watch) -> None:
        """Add an answer to every report it was computed from."""
        if watch.refused or watch.asked is None or watch.answered is None:
            return
        named = set(query.report_ids)
        found = {report.report_id for report in watch.answered}
        epsilon, delta = epsilon_of(self.limits, watch.asked, watch.noise), watch.asked.delta
        for report_id in sorted(found if found <= named else named):
            taken = self.taken.get(report_id, Spent())
            self.taken[report_id] = Spent(
                epsilon=taken.epsilon + epsilon,
                delta=taken.delta + delta,
                queries=taken.queries + 1,
            )

    def complaints(self) -> Iterator[str]:
        """Complain of every report that took part in more than the caps allow."""
        caps = f"({self.limits.epsilon}, {self.limits.delta})"
        for report_id, taken in self.taken.items():
            if taken.epsilon > self.limits.epsilon or taken.delta > self.limits.delta:
                yield (
                    f"report {report_id} took part in answers whose epsilon and delta add up to "
                    f"({taken.epsilon}, {taken.delta}), beyond the caps {caps}"
                )
            most = self.limits.maximum_queries
            if most is not None and taken.queries > most:
                yield f"report {report_id} took part in {taken.queries} answers, {most} are allowed"


def epsilon_of(limits: Limits, query: Query, noise: Noise | None) -> Fraction:
    """Return the epsilon of an answer: the query's, or that of the noise if it is less."""
    if isinstance(noise, DiscreteLaplace) and noise.decay_power.base == limits.base:
        return min(query.epsilon, -noise.decay_power.exponent * limits.contribution_budget)
    return query.epsilon


def part_between(watch: Watch, without: Watch) -> Budget:
    """Return by how much two answers differ: in value over all keys, and in contributions."""
    keys = {*watch.totals, *without.totals}
    apart = (watch.totals.get(key, 0) - without.totals.get(key, 0) for key in keys)
    count = abs(watch.contributed - without.contributed)
    return Budget(value=sum(map(abs, apart)), count=count)


Served = Distribution[tuple[Service, Hashable]]
World = tuple[AtService, tuple[Report, ...]]
"""What the service sees of a query in one world, and the reports that the query names there."""


class Laws:
    """Remember the laws of answers for given rules: runs of a machine ask many of them again."""

    def __init__(self) -> None:
        self.codes = Codes()
        self.known: dict[Hashable, Served] = {}

    def __call__(self, world: World, window: Window) -> Served:
        """Return the exact law of the service's next state and of what it shows."""
        if len(self.known) >= MOST_LAWS:
            self.codes, self.known = Codes(), {}
        at, reports = world
        key = at.now, self.codes(at.service), self.codes(at.query), self.codes(reports), window
        law = self.known.get(key)
        if law is None:
            law = self.known[key] = law_of_answer(world, window)
        return law


MOST_LAWS = 1000
"""How many laws are remembered before all are forgotten."""


def law_of_answer(world: World, window: Window) -> Served:
    """Return the exact law of the service's next state and of what it shows."""
    at, reports = world

    def run(draw: Draw) -> tuple[Service, Hashable]:
        with sealed():
            return at.rules.serve(at, reports, draw)

    law = explore(run, window.outcomes)
    for served, shown in law.support() if window.watched else ():
        check_apart(shown, served)
    return law


def laws_of_answers(
    first: World,
    second: World,
    watches: tuple[Watch, Watch],
    law_of: Laws,
    lumps: bool = True,
) -> tuple[Served, Served]:
    """Return the laws of the answers in two worlds, seen through one window.

    The watches noted what the service asked for when it served the query in these worlds. Values
    that are never released are one if the laws are to be lumped, and changed rules see lumps, as
    long as they do not look into them.
    """
    rules = first[0].rules
    window = window_for(rules, (first[1], second[1]), watches)
    if not lumps:
        window = replace(window, hidden=None)
    elif not answers_in_full(rules):
        low, high = window.lowest + MARGIN, window.highest - MARGIN
        watched = replace(window, lowest=low, highest=high, watched=True)
        with suppress(Inexact):
            return laws_through(first, second, watched, law_of)
    return laws_through(first, second, window, law_of)


def laws_through(
    first: World, second: World, window: Window, law_of: Laws
) -> tuple[Served, Served]:
    """Return the laws of the answers in two worlds through a window, made wider as needed."""
    while True:
        try:
            law, other = law_of(first, window), law_of(second, window)
            dict.fromkeys((*law.support(), *other.support()))  # Lumps of different noise differ.
            return law, other
        except OutOfWindow as needed:
            width = 0 if window.watched else window.highest - window.lowest
            window = replace(
                window,
                lowest=min(window.lowest - width, needed.lowest),
                highest=max(window.highest + width, needed.highest),
            )


def window_for(
    rules: Rules, batches: tuple[tuple[Report, ...], ...], watches: tuple[Watch, Watch]
) -> Window:
    """Return a window that holds every true sum there may be, and every threshold asked for.

    Nothing at or below the least threshold is shown, if every answer has one.
    """
    sums = [
        sum(part.value for report in batch for part in report.contributions) for batch in batches
    ]
    in_full = answers_in_full(rules)
    margin = 0 if in_full else MARGIN
    thresholds = [watch.threshold for watch in watches if watch.answered is not None]
    found = [threshold for threshold in thresholds if threshold is not None]
    return Window(
        lowest=-margin,
        highest=max(1, *sums, *(threshold + 1 for threshold in found)) + margin,
        hidden=min(found) if in_full and found and len(found) == len(thresholds) else None,
    )


def cut_mass(at: AtService, batch: tuple[Report, ...], power: Fraction) -> Fraction:
    """Bound what cutting infinite noise can add to the adversary's gain."""
    if answers_in_full(at.rules):
        return Fraction(0)
    noise = at.rules.noise(at, batch, at.rules.threshold(at, batch))
    if None not in noise.support:
        return Fraction(0)
    keys = max(1, len(at.rules.keys(at, batch)))
    return power * 2 * rational(noise.tail(MARGIN - 1)) * keys


def parts_by_unit(
    credits: tuple[Credit, ...], granted: tuple[Credit, ...]
) -> dict[Unit, tuple[Contribution, ...]]:
    """Return what every credited unit is granted, perhaps nothing."""
    parts: dict[Unit, tuple[Contribution, ...]] = {credit.unit: () for credit in credits}
    for credit in granted:
        parts[credit.unit] = parts.get(credit.unit, ()) + credit.contributions
    return parts


def added(held: Budget, granted: tuple[Contribution, ...]) -> Budget:
    """Add what was granted to what a unit's reports hold."""
    value = sum(part.value for part in granted)
    return Budget(value=held.value + value, count=held.count + len(granted))


def beyond_budget(limits: Limits, held: Mapping[Unit, Budget]) -> Iterator[str]:
    """Complain of every unit whose reports hold more than its budget, in value or in number."""
    for unit, budget in held.items():
        if budget.value > limits.contribution_budget or budget.count > limits.sparsity_budget:
            yield f"the reports of {unit!r} hold {budget.value} in {budget.count} contributions"
