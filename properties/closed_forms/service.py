"""How the service answers one query, found by asking the service's own rules."""

from __future__ import annotations

from dataclasses import dataclass, replace

from properties.closed_forms.unit import LARGE_KEY, CannotDecide, Spread, certain
from spec.aggregation_service import Query, Spent
from spec.noise import Noise
from spec.numbers import SpecError
from spec.paper import PAPER
from spec.reports import REPORT_ID_BITS, Contribution, Key, Report
from spec.rules import AtService, Limits, Rules

FAR = 2**48
OTHERS = 2**REPORT_ID_BITS - 1


class Unanswered(SpecError):
    """Report a query that the rules do not answer."""


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
        keys = tuple(rules.keys(asking(rules, query), reports))
        if len(set(keys)) < len(keys):
            raise CannotDecide("a key is answered for twice; decided by runs on numbers only")
        return set(keys)

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
    return tuple(sorted({0, 1, 2, 3, most // 2, most - 1, most}))


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
