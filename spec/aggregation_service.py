r"""The aggregation service with the privacy budget service.

The ad-tech sends a batch of reports and privacy parameters $(\varepsilon, \delta)$. The service
refuses the batch if any of its reports would pass the caps $(\varepsilon_*, \delta_*)$. Otherwise
it charges every report, null reports too, sums the values per key, and adds discrete Laplace noise.

With $\delta = 0$ it answers for the keys that the query lists. With $\delta > 0$ it discovers keys:
the noise is truncated at $\tau$, and only noisy sums above $\tau$ are released. Asking for the same
reports again is allowed as long as the budget lasts.

Paper: Sec. 2.1; Alg. 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from immutables import Map

from spec.noise import DiscreteLaplace, Noise
from spec.noise import threshold as laplace_threshold
from spec.numbers import Power, SpecError, exact, whole
from spec.reports import Key, Report, ReportId, checked_key

if TYPE_CHECKING:
    from spec.distributions import Draw
    from spec.rules import Limits, Rules

Ledger: TypeAlias = "Map[Hashable, Spent]"
Outcome: TypeAlias = "Answer | Aborted"


class BadQuery(SpecError):
    r"""Report a query whose parameters are out of range.

    Paper: none (bad input).
    """


class UnknownReport(SpecError):
    """Report a query for a report that never arrived.

    Paper: none (bad input).
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    r"""Ask for a summary: parameters $(\varepsilon, \delta)$, the batch, and the keys of interest.

    `keys` is the paper's $L$ and is read only without key discovery, that is with $\delta = 0$.

    Deviates: B13 a query needs $\varepsilon > 0$.
    Paper: Alg. 1; Sec. 4.2.
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    report_ids: tuple[ReportId, ...] = ()
    keys: tuple[Key, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", exact(self.delta, "delta"))
        if self.epsilon <= 0:
            raise BadQuery(f"epsilon must be positive, not {self.epsilon}")
        if not 0 <= self.delta <= 1:
            raise BadQuery(f"delta must lie in [0, 1], not {self.delta}")
        for name in ("report_ids", "keys"):
            if not isinstance(getattr(self, name), tuple):
                raise BadQuery(f"{name} must be a tuple, not {getattr(self, name)!r}")
        for report_id in self.report_ids:
            whole(report_id, "report_ids")
        for key in self.keys:
            checked_key(key, "keys")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    r"""Hold what one report has been charged so far: $B_\varepsilon$ and $B_\delta$.

    Deviates: B3 the second tracker sums $\delta$, as in the pseudocode; it does not count queries.
    Paper: Alg. 1.
    """

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Hold the state of the service: the ledger of the privacy budget service.

    Paper: Alg. 1.
    """

    ledger: Ledger = Map()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Hold a summary report: the released keys with their noisy sums.

    Paper: Alg. 1.
    """

    released: tuple[tuple[Key, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Aborted:
    """Refuse a batch because some report's privacy budget would be violated.

    Paper: Alg. 1.
    """


def serve(
    rules: Rules, service: Service, query: Query, reports: tuple[Report, ...], draw: Draw
) -> tuple[Service, Hashable]:
    """Charge the batch and answer it, or abort and charge nothing.

    Paper: Alg. 1; Alg. 6.
    """
    batch = rules.batch(query, reports)
    ledger, accepted = rules.settle(rules, service.ledger, query, batch)
    service = replace(service, ledger=ledger)
    outcome: Outcome = Aborted()
    if accepted is not None:
        outcome = rules.answer(rules, query, accepted, draw)
    return service, draw(rules.reveal(service, query, batch, outcome))


def distinct_reports(query: Query, reports: tuple[Report, ...]) -> tuple[Report, ...]:
    """Make the batch a set: the first report with an identifier counts, repetitions are dropped.

    Paper: Alg. 1; Alg. 6.
    """
    return tuple({report.report_id: report for report in reversed(reports)}.values())[::-1]


def settle(
    rules: Rules, ledger: Ledger, query: Query, batch: tuple[Report, ...]
) -> tuple[Ledger, tuple[Report, ...] | None]:
    """Charge every report of the batch, or none if a single one cannot pay.

    An entry of the ledger is charged once per query, by the first report that names it.

    Deviates: B1 only the batch is examined, not every report there is.
    Paper: Alg. 1; Alg. 6.
    """
    charged: dict[Hashable, Spent] = {}
    for report in batch:
        for entry in rules.budget_entries(query, report):
            if entry in charged:
                continue
            after = rules.charge(rules.limits, ledger.get(entry, Spent()), query, report)
            if after is None:
                return ledger, None
            charged[entry] = after
    return ledger.update(charged), batch


def one_entry_per_report(query: Query, report: Report) -> tuple[Hashable, ...]:
    """Keep one ledger entry for each report, under its identifier.

    Paper: Alg. 1; Fn. 2.
    """
    return (report.report_id,)


def charge(limits: Limits, spent: Spent, query: Query, report: Report) -> Spent | None:
    r"""Return what the report has spent after the query, or None if that would pass a cap.

    A null report is charged like any other: whether a batch is refused must not tell who was
    attributed.

    Deviates: B15 null reports are ignored in the sum and charged in the ledger.
    Paper: Alg. 1; Alg. 6.
    """
    epsilon = spent.epsilon + query.epsilon
    delta = spent.delta + query.delta
    if epsilon > limits.epsilon or delta > limits.delta:
        return None
    return replace(spent, epsilon=epsilon, delta=delta)


def answer(rules: Rules, query: Query, batch: tuple[Report, ...], draw: Draw) -> Answer:
    r"""Add noise to every key's sum and release what passes the release test.

    Paper: Alg. 1; Alg. 6.
    """
    threshold = rules.threshold(rules.limits, query, batch)
    noise = rules.noise(rules.limits, query, batch, threshold)
    totals = rules.totals(query, batch)
    released: list[tuple[Key, int]] = []
    for key in rules.keys(query, batch):
        noisy: int = draw(noise.around(totals.get(key, 0)))
        if rules.releases(query, key, noisy, threshold):
            released.append((key, noisy))
    return Answer(released=tuple(released))


def totals(query: Query, batch: tuple[Report, ...]) -> Mapping[Key, int]:
    """Sum the values of the batch per key.

    Paper: Alg. 1; Alg. 6.
    """
    sums: dict[Key, int] = {}
    for report in batch:
        for contribution in report.contributions:
            sums[contribution.key] = sums.get(contribution.key, 0) + contribution.value
    return sums


def keys(query: Query, batch: tuple[Report, ...]) -> tuple[Key, ...]:
    r"""Answer for the listed keys, or with $\delta > 0$ for the keys found in the batch.

    Deviates: B8 keys that nobody lists are never computed; leaving them out is post-processing.
    Paper: Alg. 1; Alg. 6.
    """
    if query.delta == 0:
        return tuple(dict.fromkeys(query.keys))
    return tuple(sorted({part.key for report in batch for part in report.contributions}))


def threshold(limits: Limits, query: Query, batch: tuple[Report, ...]) -> int | None:
    r"""Return the floor of $\tau = \Lambda_1 (1 + \ln(\Lambda_0 / \delta) / \varepsilon)$.

    None stands for $\tau = \infty$, that is $\delta = 0$. Sums are integers, so that nothing but
    the floor of $\tau$ matters.

    Deviates: B4 the threshold is the floor of the paper's real number.
    Paper: Alg. 1; Alg. 6.
    """
    if query.delta == 0:
        return None
    return laplace_threshold(
        limits.contribution_budget,
        limits.sparsity_budget,
        query.epsilon,
        query.delta,
        limits.base,
    )


def noise(limits: Limits, query: Query, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    r"""Return $\mathrm{DLap}_\tau(\varepsilon / \Lambda_1)$, untruncated without a threshold.

    Paper: Alg. 1; Alg. 6.
    """
    decay = Power(limits.base, -query.epsilon / limits.contribution_budget)
    return DiscreteLaplace(decay_power=decay, truncation=threshold)


def releases(query: Query, key: Key, noisy: int, threshold: int | None) -> bool:
    r"""Release a noisy sum if it exceeds the threshold, or if there is none.

    Paper: Alg. 1; Alg. 6.
    """
    return threshold is None or noisy > threshold


def reveal_outcome(
    service: Service, query: Query, batch: tuple[Report, ...], outcome: Outcome
) -> Hashable:
    """Show the ad-tech the answer, or that the batch was refused, and nothing else.

    Paper: Alg. 1; Alg. 6.
    """
    return outcome
