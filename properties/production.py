r"""One query at production parameters, decided by closed forms with certified enclosures.

Universes are small, and some defects show only at size. Here one unit spends all it may contribute
on one query with parameters $(\varepsilon, \delta)$ within the caps, spread over keys in the worst
way, against every background of other units' contributions. What the query needs is the exact
$\delta$ at its $\varepsilon$; what it may need is the $\delta$ it asks for.

The limits are the rules' own: only within them may the ad-tech choose. Where the ledger is not the
paper's, a small query may be charged more than it asks for, and says nothing by itself. So the caps
are lowered to what the query asks for, and a violation below the real caps is told, but refutes
nothing. The same goes for values of $\delta$ above the cap.

For discrete Laplace noise with ratio $q$, cut at $T$ or not, on the keys that are present, released
from $R$ on, let a unit move the sums of its keys by $v_1, \dots, v_n$ with
$q^{-\sum v_i} \le e^{\varepsilon}$. A key that only the unit has is released with it and impossible
without it: probability $\Pr[X > R - 1 - v]$. A key of others leaves the support of the noise with
probability $\Pr[X > T - v]$. Let $c(v)$ be the larger of the two. Everything else is within
$e^{\varepsilon}$, in both directions, so that $\delta = 1 - \prod_i (1 - c(v_i))$ exactly. The
noise is log-concave, so $-\ln(1 - c)$ is convex: for a given number of keys one large value and
ones are worst, and over the numbers of keys the fewest or the most. So two spreads decide them all.

Where $q^{-\sum v_i} > e^{\varepsilon}$ the noise is too small, and an event shows it: the noisy sum
lies beyond the point from which on it is more than $e^{\varepsilon}$ times as likely.

Where nothing of the service but the totals is changed, concrete batches are tried as well. Without
key discovery every listed key gets the paper's noise, so that totals which differ by $d$ in $L_1$
between the worlds have outcomes that are exactly $e^{\varepsilon d / \Lambda_1}$ times as likely
with $x$ as without. With $d > \Lambda_1$ that is more than $(\varepsilon, 0)$ allows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from math import floor
from time import perf_counter_ns
from typing import TypeVar, cast

from flint import arb, ctx
from immutables import Map

from properties.numerals import decimal, scientific, significant
from spec.aggregation_service import Answer, Query, Spent
from spec.attribution_client import Source, Trigger
from spec.contributions import Unit
from spec.distributions import Distribution, Law
from spec.noise import DiscreteLaplace, Noise, Noisy
from spec.numbers import Power, Real, SpecError, bounds, certainly_at_most, enclosed
from spec.numbers import decide as decided_at_rising_precision
from spec.paper import PAPER
from spec.private_aggregation_client import DeviceWindow, Event, Storage
from spec.reports import REPORT_ID_BITS, Contribution, Key, Report
from spec.rules import AtService, Limits, Rules
from spec.system import System, SystemMechanism, admit, decide, send, step
from spec.verdicts import Evidence, Finding, Reason, Shape

T = TypeVar("T")

EPSILONS = tuple(
    Fraction(text)
    for text in ("1/100", "1/10", "16/25", "1", "2", "3", "5", "8", "10", "14", "20", "32", "64")
)
DELTAS = (Fraction(0), *(Fraction(1, 10**power) for power in range(12, 2, -1)))
KEYS = (1, 20, 400, 65536)

SHOWN_BITS = 128
MOST_BITS = 8192
FAR = 2**48
LARGEST_VALUE = 2**40
PIECES = 4
LARGE_KEY = 0
OTHERS = 2**REPORT_ID_BITS - 1
ATTRIBUTION = "attribution_summaries_are_private"
STEPS = ("serve", "answer", "reveal")
ASKED_OF_RULES = {"limits", "admit", "contribute", "totals"}
ROUND_VALUES = (7, 15, 31, 32, 33, 63, 64, 65, 99, 100, 499, 500, 511, 512)
MOST_LISTED = 64
CLIENTS = (
    *("initial", "register_source", "matches", "attempt_order", "contributions", "attribute"),
    *("budget_unit", "run_program", "propose", "admit", "contribute", "send"),
)


class CannotDecide(SpecError):
    """Report rules that the closed forms are not about."""


class Unanswered(SpecError):
    """Report a query that the rules do not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Hold a way to spend a unit's budget: one key gets the pieces, the other keys get one each.

    `large` are the reports that carry the pieces, `one` is a report that carries a one.
    """

    keys: int
    pieces: tuple[int, ...]
    large: tuple[Report, ...]
    one: Report

    @property
    def total(self) -> int:
        """Return the value spent."""
        return sum(self.pieces) + self.keys - 1

    def text(self) -> str:
        """Say how the value is spread."""
        large = f"{sum(self.pieces)} on one key"
        if len(self.pieces) > 1:
            large += f" ({' + '.join(map(str, self.pieces))})"
        return large if self.keys == 1 else f"{large}, 1 on each of {self.keys - 1} other keys"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Hold how one query is answered: the noise, and the least noisy sum that is released.

    `least` is None where everything is released. `listed` says that the query lists its keys, so
    that their presence tells nothing.
    """

    limits: Limits
    query: Query
    threshold: int | None
    noise: Noise
    least: int | None
    listed: bool

    @property
    def edge(self) -> int | None:
        """Return the greatest noise there is."""
        return self.noise.support[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """Hold by how much a spread moves the sums of its keys, at most."""

    large: int
    one: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Centre:
    """Hold the sum of a key in both worlds, where others contribute `background` to it."""

    background: int
    there: int
    gone: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """Hold an event: some key, or every key, is released with at least a certain noisy sum.

    Where nobody else contributes to a key that the query does not list, it is absent without the
    unit. A bound of None is met by every released key.
    """

    every: bool
    absent: bool
    large: Centre
    one: Centre
    large_from: int | None
    one_from: int | None

    def text(self, keys: int) -> str:
        """Tell the event in words, for a unit with so many keys."""
        who = "the key of x" if keys == 1 else f"{'every' if self.every else 'some'} key of x"
        if self.large_from is None:
            return f"{who} is released"
        at_least = f"at least {self.large_from}"
        if keys > 1 and self.one_from != self.large_from:
            at_least += f" (for the keys with a one: {self.one_from})"
        others = f", where others contribute {self.large.background} to it"
        if keys > 1 and self.one.background != self.large.background:
            others += f" ({self.one.background} to the keys with a one)"
        return f"{who} is released with a noisy sum of {at_least}{'' if self.absent else others}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Hold what one query needs for one spread: certified bounds of delta, and the event.

    `exact` says that no event, background or direction needs more. `within` is None where that is
    open. A `fair` query is one that the ad-tech can ask under the rules' own limits and that is
    charged no more than it asks for.
    """

    form: Form
    fair: bool
    spread: Spread
    low: Fraction
    high: Fraction
    exact: bool
    within: bool | None
    telling: Telling | None

    @property
    def epsilon(self) -> Fraction:
        """Return the epsilon asked for."""
        return self.form.query.epsilon

    @property
    def delta(self) -> Fraction:
        """Return the delta asked for."""
        return self.form.query.delta

    @property
    def ratio(self) -> Fraction:
        """Return delta needed over delta asked for, rounded up a little."""
        return self.high / self.delta if self.delta else self.high


def production_finding(
    rules: Rules, claim: str, spreads: tuple[Spread, ...] | None = None
) -> Finding:
    """Decide one query of the rules at production parameters.

    `spreads` are what the clients admit, where that is known already.
    """
    start = perf_counter_ns()
    found = Finding(
        claim=claim,
        check="production parameters",
        reason=Reason.NO_CONCLUSION,
        shape=Shape.REAL_PARAMETERS,
        method="closed forms, certified enclosures",
    )
    try:
        found = _judged(rules, claim, found, spreads)
    except SpecError as reason:
        found = replace(found, detail=str(reason))
    return replace(found, seconds=decimal(Fraction(perf_counter_ns() - start, 10**9), 2))


def _judged(
    rules: Rules, claim: str, found: Finding, spreads: tuple[Spread, ...] | None
) -> Finding:
    refuse_other_steps(rules)
    try:
        closed = _by_closed_forms(rules, claim, found, spreads or admitted_spreads(rules, claim))
    except SpecError as reason:
        closed = replace(found, detail=str(reason))
    if closed.evidence is Evidence.ATTACK or not only_totals_changed(rules):
        return closed
    worst = totals_apart(rules, claim)
    return closed if worst is None else refuted_by_totals(rules, claim, found, worst)


def _by_closed_forms(
    rules: Rules, claim: str, found: Finding, spreads: tuple[Spread, ...]
) -> Finding:
    points = list(points_of(rules, spreads))
    if not points:
        return replace(found, detail="no query of the grid is answered")
    found = replace(found, bound=grid_text(rules, points), assumes=assumed(rules))
    broken = [point for point in points if point.within is False]
    if fair := [point for point in broken if point.fair]:
        worst = max(fair, key=lambda point: (point.delta > 0, point.ratio))
        return refuted(rules, claim, found, worst)
    if inside := [point for point in broken if point.delta <= rules.limits.delta]:
        why = "it would fail if the caps were what one query asks for"
        return replace(found, detail=f"{why}: {place(inside[0])}")
    open_points = [point for point in points if point.within is None]
    if open_points:
        point = open_points[0]
        why = f"at epsilon {point.epsilon}, delta {scientific(point.delta)}"
        return replace(found, detail=f"no closed form bounds {point.form.noise!r} {why}")
    kept = [point for point in points if point.within]
    if not kept:
        return replace(found, detail="no query within the caps is answered")
    worst = max(kept, key=lambda point: (point.delta > 0, point.ratio))
    detail = f"at worst {significant(worst.ratio)} times delta is needed: {place(worst)}"
    if broken:
        detail += f"; it would fail if the cap on delta were higher: {place(broken[0])}"
    return replace(found, evidence=Evidence.EXACT_IN_UNIVERSE, reason=Reason.NONE, detail=detail)


def place(point: Point) -> str:
    """Say where a point lies."""
    return f"epsilon {point.epsilon}, delta {scientific(point.delta)}, {point.spread.text()}"


def grid_text(rules: Rules, points: list[Point]) -> str:
    """Say which queries and spreads were decided."""
    epsilons = ", ".join(map(str, sorted({point.epsilon for point in points})))
    deltas = ", ".join(map(scientific, sorted({point.delta for point in points})))
    keys = max(point.spread.keys for point in points)
    return (
        f"one query with epsilon {epsilons} and delta {deltas}; a contribution budget of "
        f"{rules.limits.contribution_budget} spread over 1 to {keys} keys"
    )


def assumed(rules: Rules) -> str:
    """Say what was found by trying, where that is not the paper's function."""
    tried = {
        "what one unit can contribute": CLIENTS,
        "which keys are answered for": ("keys",),
        "how sums move with values": ("batch", "settle", "budget_entries", "charge", "totals"),
        "from which noisy sum on keys are released": ("releases",),
        "that noise and threshold ignore the batch": ("noise", "threshold"),
    }
    changed = [
        what
        for what, names in tried.items()
        if any(getattr(rules, name) is not getattr(PAPER, name) for name in names)
    ]
    return "found by trying: " + "; ".join(changed) if changed else ""


def refuse_other_steps(rules: Rules) -> None:
    """Refuse rules whose steps are not the paper's: the closed forms are about those."""
    for name in STEPS:
        if getattr(rules, name) is not getattr(PAPER, name):
            raise CannotDecide(
                f"the service's step changed ({name}); decided in small universes only"
            )


# What one unit can contribute, found by asking the client itself.


def certain(law: T | Law[T], /) -> T:
    """Take what is certain, and refuse to draw."""
    if isinstance(law, Distribution) and len(law.weights) == 1:
        ((outcome, _),) = law.weights
        return cast(T, outcome)
    if isinstance(law, Law):
        raise CannotDecide(f"a rule draws from {type(law).__name__}")
    return law


@dataclass(frozen=True, slots=True)
class Contributor:
    """Be one unit that contributes as much as the rules admit: a source, or a device.

    Everything happens at one moment, so that a device is in one time window.
    """

    rules: Rules
    unit: Unit
    cause: Callable[[int, Contribution], Trigger | Event]
    registered: Source | None = None

    @property
    def start(self) -> System:
        """Return the system before the unit contributes."""
        system = SystemMechanism(rules=self.rules).initial
        if self.registered is None:
            return system
        return step(self.rules, system, self.registered, certain)[0]

    def add(
        self, system: System, number: int, key: int, value: int
    ) -> tuple[System, Report] | None:
        """Return the system and the report after a contribution, or None if it is refused."""
        cause = self.cause(number, Contribution(key=key, value=value))
        decision = decide(self.rules, system, cause, certain)
        if isinstance(cause, Trigger) and any(x.unit != self.unit for x in decision.credits):
            raise CannotDecide("a trigger is credited to somebody else than its only source")
        after, granted = admit(self.rules, system, cause, decision, certain)
        after, _ = send(self.rules, after, cause, granted, certain)
        waiting = (each.report for each in after.in_flight)
        real = [each for each in (*after.reports.values(), *waiting) if not each.is_null]
        if len(real) > 1:
            raise CannotDecide("the client sends several reports that hold something")
        return (replace(after, reports=Map(), in_flight=()), real[0]) if real else None

    def largest(self, system: System, number: int) -> int:
        """Return the largest value that is admitted next, up to a limit; zero if none is."""

        def fits(value: int) -> bool:
            return self.add(system, number, LARGE_KEY, value) is not None

        low, high = 0, 1
        while high <= LARGEST_VALUE and fits(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        return low

    def pieces(
        self, system: System, number: int, first: int
    ) -> tuple[tuple[int, ...], tuple[Report, ...]]:
        """Return the first piece and whatever still fits after it, as large as possible."""
        values: list[int] = []
        reports: list[Report] = []
        value = first
        while value > 0 and len(values) < PIECES:
            added = self.add(system, number + len(values), LARGE_KEY, value)
            if added is None:
                break
            system, report = added
            values.append(value)
            reports.append(report)
            value = self.largest(system, number + len(values))
        return tuple(values), tuple(reports)

    def spread(self, system: System, ones: int) -> Spread | None:
        """Return the best spread that goes on after so many ones."""
        largest = self.largest(system, ones)
        tries = [self.pieces(system, ones, first) for first in (largest, largest - 1)]
        values, reports = max(tries, key=lambda pieces: sum(pieces[0]))
        added = self.add(self.start, 0, 1, 1)
        if not values or added is None:
            return None
        return Spread(keys=ones + 1, pieces=values, large=reports, one=added[1])


def contributor(rules: Rules, claim: str) -> Contributor:
    """Return a unit of the API that a guarantee is about."""
    if claim == ATTRIBUTION:
        return Contributor(rules, "x", _trigger, SOURCE)
    return Contributor(rules, DeviceWindow(device="x", window=0), _event)


SOURCE = Source(
    source_id="x", destination="shop", expiry=1, filters=frozenset(("shoes",)), key=LARGE_KEY
)


def _trigger(number: int, wanted: Contribution) -> Trigger:
    return Trigger(
        report_id=number,
        destination="shop",
        filters=frozenset(("shoes",)),
        key=wanted.key,
        value=wanted.value,
    )


def _event(number: int, wanted: Contribution) -> Event:
    def program(storage: Storage) -> tuple[Storage, int, int]:
        return storage, wanted.key, wanted.value

    return Event(report_id=number, device="x", program=program)


def admitted_spreads(rules: Rules, claim: str) -> tuple[Spread, ...]:
    """Return the spreads over few, many and the most keys that the client's rules admit.

    A client without a bound on the number of contributions is tried up to the contribution budget.
    """
    unit = contributor(rules, claim)
    most = rules.limits.contribution_budget
    wanted = {*KEYS, rules.limits.sparsity_budget, most}
    found: dict[int, Spread] = {}
    before = system = unit.start
    ones = 0
    while ones < most:
        if ones + 1 in wanted and (spread := unit.spread(system, ones)) is not None:
            found[spread.keys] = spread
        added = unit.add(system, ones, ones + 1, 1)
        if added is None:
            break
        before, system = system, added[0]
        ones += 1
    if ones not in found and ones and (spread := unit.spread(before, ones - 1)) is not None:
        found[spread.keys] = spread
    if not found:
        raise CannotDecide("the client's rules admit no contribution at all")
    return tuple(found.values())


# How the service answers one query, found by asking the service's own rules.


def points_of(rules: Rules, spreads: tuple[Spread, ...]) -> Iterator[Point]:
    """Decide every spread for every query of the grid that the rules answer."""
    limits = rules.limits
    epsilons = {*(e for e in EPSILONS if e <= limits.epsilon), limits.epsilon} - {Fraction(0)}
    for epsilon in sorted(epsilons):
        for delta in sorted({*DELTAS, limits.delta}):
            try:
                yield from points_at(rules, spreads, epsilon, delta)
            except Unanswered:
                continue


def points_at(
    rules: Rules, spreads: tuple[Spread, ...], epsilon: Fraction, delta: Fraction
) -> Iterator[Point]:
    """Decide one query for every spread, with caps that it uses up where it is not fair."""
    query = Query(epsilon=epsilon, delta=delta, keys=(LARGE_KEY, 1) if delta == 0 else ())
    caps = (rules.limits.epsilon, rules.limits.delta)
    fair = (epsilon, delta) == caps or charged_as_asked(rules, query)
    if not fair:
        rules = replace(rules, limits=replace(rules.limits, epsilon=epsilon, delta=delta))
    form = form_of(rules, query, spreads[0])
    for spread in spreads:
        yield decided(rules, form, spread, fair)


def charged_as_asked(rules: Rules, query: Query) -> bool:
    """Tell whether the rules' own caps allow a query and it is charged no more than it asks for."""
    limits = rules.limits
    if query.epsilon > limits.epsilon or query.delta > limits.delta:
        return False
    if rules.settle is not PAPER.settle or rules.budget_entries is not PAPER.budget_entries:
        return False
    part = Contribution(key=LARGE_KEY, value=1)
    for report in (Report(report_id=0), Report(report_id=0, contributions=(part,))):
        spent: object = rules.charge(asking(rules, query), Spent(), report)
        if not isinstance(spent, Spent):
            return False
        if spent.epsilon > query.epsilon or spent.delta > query.delta:
            return False
    return True


def decided(rules: Rules, form: Form, spread: Spread, fair: bool) -> Point:
    """Decide one query for one spread."""
    moved = moved_by(rules, form.query, spread)
    loss = loss_of(form, moved)
    bounded = loss is not None and loss <= form.query.epsilon
    exact = bounded and type(form.noise) is DiscreteLaplace
    tellings = tellings_of(rules, form, spread, moved, loss)
    with ctx.workprec(SHOWN_BITS):
        gains = [(bounds(gain(form, spread.keys, told)), told) for told in tellings]
    (low, high), telling = max(
        gains, key=lambda pair: pair[0], default=((Fraction(0), Fraction(0)), None)
    )
    within: bool | None = all(at_most(form, spread.keys, told) for told in tellings)
    return Point(
        form=form,
        fair=fair,
        spread=spread,
        low=max(low, Fraction(0)),
        high=max(high, Fraction(0)),
        exact=exact,
        within=None if within and not exact else within,
        telling=telling,
    )


def delta_needed(
    rules: Rules, claim: str, epsilon: Fraction, delta: Fraction, keys: int
) -> tuple[Fraction, Fraction]:
    """Return certified bounds of the delta that a query needs with this many keys."""
    for spread in admitted_spreads(rules, claim):
        if spread.keys == keys:
            (point,) = points_at(rules, (spread,), epsilon, delta)
            return point.low, point.high
    raise CannotDecide(f"the rules do not admit a spread over {keys} keys")


def at_most(form: Form, keys: int, telling: Telling) -> bool:
    """Decide whether an event's gain is at most delta, at rising precision."""
    delta = form.query.delta
    try:
        return decided_at_rising_precision(
            lambda: certainly_at_most(gain(form, keys, telling), delta), MOST_BITS
        )
    except SpecError as reason:
        raise CannotDecide(f"at epsilon {form.query.epsilon}, delta {delta}: {reason}") from None


def form_of(rules: Rules, query: Query, spread: Spread) -> Form:
    """Ask the service's rules for threshold, noise and release; they must ignore the batch."""
    mine = (*spread.large, spread.one)
    others = Report(report_id=OTHERS, contributions=(Contribution(key=LARGE_KEY, value=7),))
    batches: tuple[tuple[Report, ...], ...] = ((), nulled(mine), mine, (*mine, others))
    seen: list[tuple[int | None, Noise]] = []
    at = asking(rules, query)
    for batch in batches:
        accepted(rules, query, batch)
        try:
            threshold = rules.threshold(at, batch)
            seen.append((threshold, rules.noise(at, batch, threshold)))
        except SpecError as reason:
            raise Unanswered(str(reason)) from None
    threshold, noise = seen[0]
    if any(other != (threshold, noise) for other in seen):
        raise CannotDecide(
            "the noise or the threshold depends on the batch; decided in small universes only"
        )
    if noise.decay is None and None in noise.support:
        raise CannotDecide(f"{noise!r} has no closed tail; decided in small universes only")
    return Form(
        limits=rules.limits,
        query=query,
        threshold=threshold,
        noise=noise,
        least=least_released(rules, query, threshold),
        listed=keys_are_listed(rules, query, mine, others),
    )


def keys_are_listed(rules: Rules, query: Query, mine: tuple[Report, ...], others: Report) -> bool:
    """Tell whether the query lists its keys, or the service finds them in the batch."""

    def found(*reports: Report) -> set[Key]:
        return set(rules.keys(asking(rules, query), reports))

    def present(*reports: Report) -> set[Key]:
        return {part.key for report in reports for part in report.contributions}

    batches = (mine, nulled(mine), (others,), (*mine, others))
    if all(found(*batch) == present(*batch) for batch in batches):
        return False
    if all(found(*batch) == set(query.keys) >= present(*mine) for batch in batches):
        return True
    raise CannotDecide("the keys answered for are neither those listed nor those in the batch")


def least_released(rules: Rules, query: Query, threshold: int | None) -> int | None:
    """Return the least noisy sum that is released; None if every one is."""
    near = 0 if threshold is None else threshold

    def released(noisy: int, key: int = LARGE_KEY) -> bool:
        return rules.releases(asking(rules, query), key, noisy, threshold)

    low, high = near - FAR, near + FAR
    steps = sorted(near + sign * size for sign in (-1, 1) for size in (0, 1, 2, 3, 1000, 10**6))
    if released(low):
        least = None
    else:
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if released(middle) else (middle, high)
        least = high
    for key in (LARGE_KEY, 1, 2**127):
        for noisy in (near - FAR, *steps, near + FAR):
            if released(noisy, key) != (least is None or noisy >= least):
                raise CannotDecide(
                    f"the release test is not a threshold: {noisy} with threshold {threshold}"
                )
    return least


def asking(rules: Rules, query: Query) -> AtService:
    """Return what a new service sees when it is asked."""
    return AtService(rules=rules, now=0, service=rules.initial.service, query=query)


def accepted(rules: Rules, query: Query, reports: tuple[Report, ...]) -> tuple[Report, ...]:
    """Return the batch that the service accepts, from a ledger where nothing is spent."""
    at = asking(rules, query)
    batch = certain(rules.batch(at, reports))
    _, kept = certain(rules.settle(at, batch))
    if kept is None:
        raise Unanswered(f"a query of epsilon {query.epsilon}, delta {query.delta} is refused")
    return kept


def nulled(reports: tuple[Report, ...]) -> tuple[Report, ...]:
    """Return the reports as they are without the unit."""
    return tuple(replace(report, contributions=()) for report in reports)


def moved_by(rules: Rules, query: Query, spread: Spread) -> Moved:
    """Ask by how much the unit's reports move the sums of their keys, for several backgrounds."""
    backgrounds = tried_backgrounds(rules)

    def most(reports: tuple[Report, ...]) -> int:
        centres = [centre(rules, query, reports, background) for background in backgrounds]
        return max(found.there - found.gone for found in centres)

    large, one = most(spread.large), most((spread.one,))
    return Moved(large=large, one=one, total=large + (spread.keys - 1) * one)


def tried_backgrounds(rules: Rules) -> tuple[int, ...]:
    """Return what others contribute to a key: nothing, if sums are what the paper says."""
    if rules.totals is PAPER.totals:
        return (0,)
    most = rules.limits.contribution_budget
    return tuple(sorted({0, 1, 2, 3, *ROUND_VALUES, most // 2, most - 1, most}))


def _kinds(rules: Rules) -> int:
    """Return how many backgrounds have to be tried: one, if sums are what the paper says."""
    return 1 if rules.totals is PAPER.totals else 5


def centre(rules: Rules, query: Query, reports: tuple[Report, ...], background: int) -> Centre:
    """Ask for the sum of the reports' key in both worlds, with each report listed once or twice."""
    keys = {part.key for report in reports for part in report.contributions}
    if len(keys) != 1:
        raise CannotDecide("a report carries other keys than were contributed to")
    (key,) = keys
    others: tuple[Report, ...] = ()
    if background:
        part = Contribution(key=key, value=background)
        others = (Report(report_id=OTHERS, contributions=(part,)),)
    found: list[Centre] = []
    at = asking(rules, query)
    for mine in copies_of(rules, reports):
        there = rules.totals(at, accepted(rules, query, (*others, *mine)))
        gone = rules.totals(at, accepted(rules, query, (*others, *nulled(mine))))
        for other in {*there, *gone} - {key}:
            if there.get(other, 0) != gone.get(other, 0):
                raise CannotDecide("a contribution to one key moves the sum of another")
        found.append(Centre(background=background, there=there.get(key, 0), gone=gone.get(key, 0)))
        if found[-1].there < found[-1].gone:
            raise CannotDecide("a contribution lowers the sum of its key")
    return max(found, key=lambda centre: centre.there - centre.gone)


def copies_of(rules: Rules, reports: tuple[Report, ...]) -> tuple[tuple[Report, ...], ...]:
    """Return the reports listed once, and twice unless repetitions are dropped as in the paper."""
    return (reports,) if rules.batch is PAPER.batch else (reports, (*reports, *reports))


def centre_above(rules: Rules, query: Query, reports: tuple[Report, ...], level: int) -> Centre:
    """Return sums that others alone bring to the level, where the unit's reports move them most."""
    background = level
    while centre(rules, query, reports, background).gone < level:
        background *= 2
        if background > FAR:
            raise CannotDecide(f"others cannot bring the sum of a key to {level}")
    tried = range(background, background + _kinds(rules))
    centres = [centre(rules, query, reports, value) for value in tried]
    return max(centres, key=lambda found: found.there - found.gone)


# Batches whose totals lie too far apart.


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """Hold a batch, and the sums of the listed keys with the unit and without it."""

    mine: tuple[tuple[Key, int], ...]
    others: tuple[int, ...]
    keys: int
    there: tuple[int, ...]
    gone: tuple[int, ...]

    @property
    def distance(self) -> int:
        """Return by how much the sums differ over all keys."""
        return sum(abs(mine - other) for mine, other in zip(self.there, self.gone, strict=True))

    def text(self) -> str:
        """Say what stands in the batch."""
        times = Counter(self.mine)
        alike = Counter((value, count) for (_, value), count in times.items())
        reports = ", ".join(
            f"{f'{count} times ' if count > 1 else ''}{value} to "
            f"{'one key' if keys == 1 else f'each of {keys} keys'}"
            for (value, count), keys in alike.items()
        )
        if not self.others:
            return f"x contributes {reports}; others contribute nothing"
        listed = " and ".join(map(str, self.others))
        return f"x contributes {reports}; others contribute {listed} to each of {self.keys} keys"


def only_totals_changed(rules: Rules) -> bool:
    """Tell whether the totals are changed and nothing else that the argument is about."""
    names = {
        field.name
        for field in fields(rules)
        if not field.name.startswith(("event_", "register_event_"))
    }
    names -= ASKED_OF_RULES | {"output_set", "truth_probability", "pass_windows"}
    same = all(getattr(rules, name) is getattr(PAPER, name) for name in names)
    return same and rules.totals is not PAPER.totals and rules.limits.epsilon > 0


def totals_apart(rules: Rules, claim: str) -> Apart | None:
    """Return the batch with the greatest distance, if that is more than the noise hides."""
    limits = replace(rules.limits, delta=Fraction(0))
    asked = replace(rules, limits=limits)
    keys = min(limits.sparsity_budget, limits.contribution_budget, MOST_LISTED)
    found = [
        apart(asked, values, others, keys, mine)
        for values in tried_spendings(limits, keys)
        if (mine := sent(asked, claim, values)) is not None
        for others in tried_others(asked)
    ]
    worst = max(found, key=lambda batch: batch.distance, default=None)
    if worst is None or worst.distance <= limits.contribution_budget:
        return None
    return worst


def tried_spendings(limits: Limits, keys: int) -> list[tuple[tuple[Key, int], ...]]:
    """Return ways to spend a unit's budget, one contribution after the other."""
    most = limits.contribution_budget
    ways = (
        ((LARGE_KEY, most),),
        ((LARGE_KEY, 1),),
        ((LARGE_KEY, most - keys + 1), *((key, 1) for key in range(1, keys))),
        tuple((key, most // keys) for key in range(keys)),
        tuple((key, 1) for key in range(keys)),
        ((LARGE_KEY, most // keys),) * keys,
        ((LARGE_KEY, 1),) * keys,
    )
    return list(dict.fromkeys(ways))


def tried_others(rules: Rules) -> list[tuple[int, ...]]:
    """Return what other units contribute to every key, each value in a report of its own."""
    most = rules.limits.contribution_budget
    single = [(value,) for value in tried_backgrounds(rules) if value]
    several = [(1, 1), (1, most), (most, most), (1, 1, 1), (1, 1, most), (most, most, most)]
    return [(), *single, *several]


def sent(
    rules: Rules, claim: str, values: tuple[tuple[Key, int], ...]
) -> tuple[Report, ...] | None:
    """Return the unit's reports, or None if the rules do not admit them all as they are."""
    unit = contributor(rules, claim)
    system = unit.start
    reports: list[Report] = []
    for key, value in values:
        added = unit.add(system, len(reports), key, value)
        if added is None or added[1].contributions != (Contribution(key=key, value=value),):
            return None
        system = added[0]
        reports.append(added[1])
    return tuple(reports)


def apart(
    rules: Rules,
    values: tuple[tuple[Key, int], ...],
    others: tuple[int, ...],
    keys: int,
    mine: tuple[Report, ...],
) -> Apart:
    """Ask for the sums of one batch in both worlds."""
    query, background = asked_for(rules, others, keys)

    def sums(reports: tuple[Report, ...]) -> tuple[int, ...]:
        totals = rules.totals(asking(rules, query), (*background, *reports))
        return tuple(totals.get(key, 0) for key in query.keys)

    return Apart(mine=values, others=others, keys=keys, there=sums(mine), gone=sums(nulled(mine)))


def asked_for(rules: Rules, others: tuple[int, ...], keys: int) -> tuple[Query, tuple[Report, ...]]:
    """Return the query that lists all keys, and the reports of others."""
    parts = [Contribution(key=key, value=value) for value in others for key in range(keys)]
    background = tuple(
        Report(report_id=OTHERS - number, contributions=(part,))
        for number, part in enumerate(parts)
    )
    return Query(epsilon=rules.limits.epsilon, keys=tuple(range(keys))), background


def refuted_by_totals(rules: Rules, claim: str, found: Finding, worst: Apart) -> Finding:
    """Run the batch through the service itself and write down what tells the worlds apart."""
    asked = replace(rules, limits=replace(rules.limits, delta=Fraction(0)))
    limits = asked.limits
    query, background = asked_for(asked, worst.others, worst.keys)
    mine = sent(asked, claim, worst.mine)
    assert mine is not None
    noise = PAPER.noise(asking(asked, query), (), None)
    for reports, sums in ((mine, worst.there), (nulled(mine), worst.gone)):
        laws = answered(asked, query, (*background, *reports))
        if [laws[key] for key in query.keys] != [noise.around(total) for total in sums]:
            return replace(found, detail=f"ALARM: a violation does not replay: {worst.text()}")
    most, distance = limits.contribution_budget, worst.distance
    base = "e" if limits.base.value is None else str(limits.base.value)
    ratio = f"{base}^({limits.epsilon * distance / most})"
    counterexample = {
        "epsilon": str(limits.epsilon),
        "delta asked": "0",
        "batch": worst.text(),
        "sums with x": sums_text(worst.there),
        "sums without x": sums_text(worst.gone),
        "distance": str(distance),
        "contribution budget": str(most),
        "noise": noise_text(noise),
        "event": "the noisy sums are exactly the sums with x",
        "likelihood ratio": f"{ratio}, allowed is {base}^({limits.epsilon})",
    }
    return replace(
        found,
        evidence=Evidence.ATTACK,
        reason=Reason.NONE,
        bound=f"one query with epsilon {limits.epsilon} and delta 0 that lists {worst.keys} keys",
        detail=f"one unit moves the sums by {distance}, the noise hides {most}: an answer is "
        f"{ratio} times as likely with x as without",
        counterexample=counterexample,
    )


def sums_text(sums: tuple[int, ...]) -> str:
    """List the sums of the keys, equal ones together."""
    return ", ".join(
        f"{total} for {count} key{'s' if count > 1 else ''}"
        for total, count in Counter(sums).items()
    )


# What the query needs.


def loss_of(form: Form, moved: Moved) -> Fraction | None:
    r"""Return the $\varepsilon$ that the masses cost, or None if they do not fall geometrically."""
    decay = form.noise.decay
    if decay is None:
        return None
    if decay.base != form.limits.base:
        raise CannotDecide(f"the noise is counted in {decay.base}, the budget in another base")
    return -decay.exponent * moved.total


def tellings_of(
    rules: Rules, form: Form, spread: Spread, moved: Moved, loss: Fraction | None
) -> list[Telling]:
    """Return the events that tell most, at least one of which is a best one where that is known."""
    found: list[Telling] = []
    least, edge = form.least, form.edge
    visible = 1 if least is None else max(1, least)

    def add(level: int, start: Callable[[Centre], int | None], every: bool = False) -> None:
        find = centre_above if level else centre
        large = find(rules, form.query, spread.large, level)
        one = find(rules, form.query, (spread.one,), level)
        found.append(
            Telling(
                every=every,
                absent=level == 0,
                large=large,
                one=one,
                large_from=start(large),
                one_from=start(one),
            )
        )

    if not form.listed:
        add(0, lambda _: least)
    if edge is not None:
        add(max(1, visible - 1 - edge), lambda at: at.gone + edge + 1)
    if loss is not None and loss > form.query.epsilon:
        # Several keys: the corner where the ratio is greatest. One key: from the point on where it
        # passes the power, halfway between what epsilon hides and the whole move.
        hidden = form.query.epsilon * moved.total / loss

        def passes(at: Centre) -> int:
            return at.gone + floor((at.there - at.gone + hidden) / 2) + 1

        add(visible, passes if spread.keys == 1 else lambda at: at.there, every=True)
    return found


def gain(form: Form, keys: int, telling: Telling) -> Real:
    r"""Return $P(W) - e^{\varepsilon} Q(W)$ for an event, at the current precision."""
    sides = [(telling.large, telling.large_from, 1), (telling.one, telling.one_from, keys - 1)]
    there = [(exceeds(form.noise, at.there, start), count) for at, start, count in sides if count]
    gone = [(exceeds(form.noise, at.gone, start), count) for at, start, count in sides if count]
    return difference(
        combined(there, telling.every),
        Power(form.limits.base, form.query.epsilon).value(),
        Fraction(0) if telling.absent else combined(gone, telling.every),
    )


def difference(there: Real, power: Real, gone: Real) -> Real:
    """Return one probability minus a multiple of another."""
    if isinstance(gone, Fraction) and gone == 0:
        return there
    if isinstance(there, Fraction) and isinstance(power, Fraction) and isinstance(gone, Fraction):
        return there - power * gone
    return enclosed(there) - enclosed(power) * enclosed(gone)


def exceeds(noise: Noise, centre: int, start: int | None) -> Real:
    """Return the probability of a noisy sum of at least `start`."""
    return Fraction(1) if start is None else noise.tail(start - 1 - centre)


def combined(chances: list[tuple[Real, int]], every: bool) -> Real:
    """Return the probability that every one, or at least one, of independent events happens."""
    if all(isinstance(chance, Fraction) and count <= 64 for chance, count in chances):
        product = Fraction(1)
        for chance, count in chances:
            assert isinstance(chance, Fraction)
            product *= (chance if every else 1 - chance) ** count
        return product if every else 1 - product
    ball = enclosed(Fraction(1))
    for chance, count in chances:
        ball = ball * repeated(enclosed(chance) if every else 1 - enclosed(chance), count)
    return ball if every else 1 - ball


def repeated(ball: arb, count: int) -> arb:
    """Return a power by squaring, which also works for an enclosure that contains zero."""
    product = arb(1)
    while count:
        if count % 2:
            product = product * ball
        ball, count = ball * ball, count // 2
    return product


# A violation, run again through the service itself.


class Recorder:
    """Be a draw that notes every law and answers with a value that is always released."""

    def __init__(self) -> None:
        self.laws: list[Noisy] = []

    def __call__(self, law: T | Law[T], /) -> T:
        """Note a noisy sum and return one far above it."""
        if not isinstance(law, Law):
            return law
        if not isinstance(law, Noisy):
            raise CannotDecide(f"the service draws from {law!r}")
        self.laws.append(law)
        return cast(T, law.centre + FAR)


def refuted(rules: Rules, claim: str, found: Finding, point: Point) -> Finding:
    """Run a violation again and write it down; what does not replay is not reported."""
    telling = point.telling
    assert telling is not None
    event = telling.text(point.spread.keys)
    replayed, there, gone = replay(rules, claim, point, telling)
    if not replayed:
        return replace(
            found,
            detail=f"ALARM: a violation does not replay: {place(point)}: {event}",
        )
    more = "" if point.exact else "at least "
    ratio = significant(point.low / point.delta) if point.delta else "infinite"
    counterexample = {
        "epsilon": str(point.epsilon),
        "delta asked": scientific(point.delta),
        "keys": str(point.spread.keys),
        "spread": point.spread.text(),
        "noise": noise_text(point.form.noise),
        "threshold": "none" if point.form.threshold is None else str(point.form.threshold),
        "event": event,
        "probability with x": scientific(there),
        "probability without x": scientific(gone),
        "delta needed": more + scientific(point.low),
        "ratio": more + ratio,
    }
    needed = f"{scientific(point.low)}, that is {ratio} times the delta asked for"
    return replace(
        found,
        evidence=Evidence.ATTACK,
        reason=Reason.NONE,
        detail=f"{place(point)}: delta needed {more}{needed}",
        counterexample=counterexample,
    )


def replay(
    rules: Rules, claim: str, point: Point, telling: Telling
) -> tuple[bool, Fraction, Fraction]:
    """Send the unit's reports through the service in both worlds and add up the event's masses.

    The masses of a tail are added up by themselves, not read off the tail that found the violation.
    """
    asked = replace(rules, limits=point.form.limits)
    mine = reports_of(rules, claim, point.spread)
    keys = sorted({part.key for report in mine for part in report.contributions})
    query = replace(point.form.query, keys=tuple(keys) if point.form.listed else ())
    others: tuple[Report, ...] = ()
    if not telling.absent:
        amounts = dict.fromkeys(keys, telling.one.background)
        amounts[LARGE_KEY] = telling.large.background
        parts = tuple(Contribution(key=key, value=amount) for key, amount in amounts.items())
        others = (Report(report_id=OTHERS, contributions=parts),)

    worlds = [
        (
            answered(asked, query, (*others, *batch)),
            answered(asked, query, (*others, *nulled(batch))),
        )
        for batch in copies_of(rules, mine)
    ]

    def separated() -> tuple[bool, Fraction, Fraction] | None:
        power = Power(asked.limits.base, query.epsilon).value()
        for laws_with, laws_without in reversed(worlds):
            there, gone = happens(laws_with, telling), happens(laws_without, telling)
            within = certainly_at_most(difference(there, power, gone), query.delta)
            if within is None:
                return None
            if not within:
                break
        return not within, bounds(there)[0], bounds(gone)[1]

    return decided_at_rising_precision(separated, MOST_BITS)


def reports_of(rules: Rules, claim: str, spread: Spread) -> tuple[Report, ...]:
    """Let the unit contribute again, one report after the other."""
    unit = contributor(rules, claim)
    system = unit.start
    reports: list[Report] = []
    values = [(key, 1) for key in range(1, spread.keys)]
    values += [(LARGE_KEY, piece) for piece in spread.pieces]
    for key, value in values:
        added = unit.add(system, len(reports), key, value)
        if added is None:
            raise CannotDecide("a spread that was admitted is refused when it is tried again")
        system = added[0]
        reports.append(added[1])
    return tuple(reports)


def answered(rules: Rules, query: Query, reports: tuple[Report, ...]) -> dict[int, Noisy]:
    """Return the law of every key's noisy sum, as the service draws it."""
    recorder = Recorder()
    _, shown = rules.serve(asking(rules, query), reports, recorder)
    if not isinstance(shown, Answer):
        raise CannotDecide(f"the service answers {shown!r}")
    return dict(zip((key for key, _ in shown.released), recorder.laws, strict=True))


def happens(laws: dict[int, Noisy], telling: Telling) -> Real:
    """Return the probability of an event, adding up masses."""
    alike = Counter(
        (law.centre, telling.large_from if key == LARGE_KEY else telling.one_from)
        for key, law in laws.items()
    )
    if not alike:
        return Fraction(0)
    noise = next(iter(laws.values())).noise
    if any(law.noise is not noise for law in laws.values()):
        raise CannotDecide("the service does not use one noise for every key")
    chances = [(summed(noise, centre, start), count) for (centre, start), count in alike.items()]
    return combined(chances, telling.every)


def summed(noise: Noise, centre: int, start: int | None) -> Real:
    """Return the probability of a noisy sum of at least `start` as a sum of masses."""
    if start is None:
        return Fraction(1)
    above = start - 1 - centre
    decay, (_, high) = noise.decay, noise.support
    if above < -1 and type(noise) is DiscreteLaplace:
        return 1 - summed(noise, 0, -above)
    if high is not None and above >= high:
        return Fraction(0)
    if decay is None or type(noise) is not DiscreteLaplace:
        return noise.tail(above)
    first, ratio = noise.pmf(above + 1), decay.value()
    if isinstance(first, Fraction) and isinstance(ratio, Fraction):
        return first * (1 - (ratio ** (high - above) if high is not None else 0)) / (1 - ratio)
    ball = enclosed(ratio)
    rest = 1 - ball ** (high - above) if high is not None else enclosed(Fraction(1))
    return enclosed(first) * rest / (1 - ball)


def noise_text(noise: Noise) -> str:
    """Describe the noise in a few words."""
    if type(noise) is not DiscreteLaplace:
        return repr(noise)
    base = noise.decay_power.base.value
    ratio = f"{'e' if base is None else base}^({noise.decay_power.exponent})"
    cut = "untruncated" if noise.truncation is None else f"truncated at {noise.truncation}"
    return f"discrete Laplace with ratio {ratio}, {cut}"
