r"""The aggregation service with the privacy budget service.

The ad-tech sends a batch of reports and privacy parameters $(\varepsilon, \delta)$. The service
refuses the batch if any of its reports would pass the caps $(\varepsilon_*, \delta_*)$. Otherwise
it charges every report, null reports too, sums the values per key, and adds discrete Laplace noise.

A query that lists keys is answered for these. One that lists none, and brings a $\delta > 0$,
discovers keys: the noise is truncated at $\tau$, and only noisy sums above $\tau$ are released.
Asking for the same reports again is allowed as long as the budget lasts.

Paper: Sec. 2.1; Alg. 1; Alg. 6.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from immutables import Map

from spec.noise import DiscreteLaplace, Noise
from spec.noise import threshold as laplace_threshold
from spec.numbers import Power, SpecError, exact
from spec.reports import (
    Key,
    Report,
    ReportId,
    checked_further_fields,
    checked_key,
    checked_report_ids,
)

if TYPE_CHECKING:
    from spec.distributions import Draw
    from spec.rules import AtService

Ledger: TypeAlias = "Map[Hashable, Spent]"
Outcome: TypeAlias = "Answer | Aborted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    r"""Ask for a summary: parameters $(\varepsilon, \delta)$, the batch, and the keys of interest.

    `keys` is the paper's $L$. Key discovery is a mode: a query that lists keys does not discover
    any, whatever its $\delta$.

    Deviates: B13 a query needs $\varepsilon > 0$. B19 listing keys says which mode is meant.
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
        checked_report_ids(self.report_ids, "report_ids")
        for key in self.keys:
            checked_key(key, "keys")
        if type(self) is not Query:
            checked_further_fields(self)

    @property
    def discovers_keys(self) -> bool:
        """Say whether this is a query with key discovery."""
        return self.delta > 0 and not self.keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    r"""Hold what one report has been charged: $B_\varepsilon$, $B_\delta$ and how often.

    Deviates: B3 the second tracker sums $\delta$, as in the pseudocode; queries are counted apart.
    Paper: Alg. 1.
    """

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    queries: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Hold the state of the service: the ledger of the privacy budget service."""

    ledger: Ledger = Map()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Hold a summary report: the released keys with their noisy sums."""

    released: tuple[tuple[Key, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Aborted:
    """Refuse a batch because some report's privacy budget would be violated."""


def serve(at: AtService, reports: tuple[Report, ...], draw: Draw) -> tuple[Service, Hashable]:
    """Charge the batch and answer it, or abort and charge nothing."""
    batch = draw(at.rules.batch(at, reports))
    ledger, accepted = draw(at.rules.settle(at, batch))
    at = replace(at, service=replace(at.service, ledger=ledger))
    outcome: Outcome = Aborted()
    if accepted is not None:
        outcome = at.rules.answer(at, accepted, draw)
    return at.service, draw(at.rules.reveal(at, batch, outcome))


def named_reports(query: Query, reports: Map[ReportId, Report]) -> tuple[Report, ...]:
    """Return the reports that a query names; it must name reports that have arrived."""
    for report_id in query.report_ids:
        if report_id not in reports:
            raise UnknownReport(f"no report with identifier {report_id} has arrived")
    return tuple(reports[report_id] for report_id in query.report_ids)


def distinct_reports(at: AtService, reports: tuple[Report, ...]) -> tuple[Report, ...]:
    """Make the batch a set: the first report with an identifier counts, repetitions are dropped."""
    distinct: dict[ReportId, Report] = {}
    for report in reports:
        distinct.setdefault(report.report_id, report)
    return tuple(distinct.values())


def settle(at: AtService, batch: tuple[Report, ...]) -> tuple[Ledger, tuple[Report, ...] | None]:
    """Charge every report of the batch, or none if a single one cannot pay.

    An entry of the ledger is charged once per query, by the first report that names it.

    Deviates: B1 only the batch is examined, not every report there is.
    Paper: Alg. 1; Alg. 6.
    """
    ledger = at.service.ledger
    charged: dict[Hashable, Spent] = {}
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            if entry in charged:
                continue
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if after is None:
                return ledger, None
            charged[entry] = after
    return ledger.update(charged), batch


def one_entry_per_report(at: AtService, report: Report) -> tuple[Hashable, ...]:
    """Keep one ledger entry for each report, under its identifier.

    Paper: Alg. 1; Fn. 2.
    """
    return (report.report_id,)


def charge(at: AtService, spent: Spent, report: Report) -> Spent | None:
    r"""Return what the report has spent after the query, or None if that would pass a cap.

    A null report is charged like any other: whether a batch is refused must not tell who was
    attributed. A query that lists keys is charged its $\delta$ as well, as in
    $\mathcal{M}_{\mathrm{SR}}$.

    Deviates: B15 null reports are ignored in the sum and charged in the ledger.
    Paper: Alg. 1; Alg. 6; Remark 2.1.
    """
    epsilon, delta = spent.epsilon + at.query.epsilon, spent.delta + at.query.delta
    queries, most = spent.queries + 1, at.limits.maximum_queries
    if epsilon > at.limits.epsilon or delta > at.limits.delta:
        return None
    if most is not None and queries > most:
        return None
    return replace(spent, epsilon=epsilon, delta=delta, queries=queries)


def answer(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
    r"""Add noise to every key's sum and release what passes the release test."""
    threshold = at.rules.threshold(at, batch)
    noise = at.rules.noise(at, batch, threshold)
    totals = at.rules.totals(at, batch)
    released: list[tuple[Key, int]] = []
    for key in at.rules.keys(at, batch):
        noisy: int = draw(noise.around(totals.get(key, 0)))
        if at.rules.releases(at, key, noisy, threshold):
            released.append((key, noisy))
    return Answer(released=tuple(released))


def totals(at: AtService, batch: tuple[Report, ...]) -> Mapping[Key, int]:
    """Sum the values of the batch per key."""
    sums: dict[Key, int] = {}
    for report in batch:
        for contribution in report.contributions:
            sums[contribution.key] = sums.get(contribution.key, 0) + contribution.value
    return sums


def keys(at: AtService, batch: tuple[Report, ...]) -> tuple[Key, ...]:
    r"""Answer for the listed keys, or with key discovery for the keys found in the batch.

    Deviates: B8 keys that nobody lists are never computed; leaving them out is post-processing.
    Paper: Alg. 1; Alg. 6.
    """
    if not at.query.discovers_keys:
        return tuple(dict.fromkeys(at.query.keys))
    return tuple(sorted({part.key for report in batch for part in report.contributions}))


def threshold(at: AtService, batch: tuple[Report, ...]) -> int | None:
    r"""Return the floor of $\tau = \Lambda_1 (1 + \ln(\Lambda_0 / \delta) / \varepsilon)$.

    Without key discovery there is none. Sums are integers, so that nothing but the floor of $\tau$
    matters.

    Deviates: B4 the threshold is the floor of the paper's real number.
    Paper: Alg. 1; Alg. 6.
    """
    if not at.query.discovers_keys:
        return None
    return laplace_threshold(
        at.limits.contribution_budget,
        at.limits.sparsity_budget,
        at.query.epsilon,
        at.query.delta,
        at.limits.base,
    )


def noise(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    r"""Return $\mathrm{DLap}_\tau(\varepsilon / \Lambda_1)$, untruncated without a threshold."""
    decay = Power(at.limits.base, -at.query.epsilon / at.limits.contribution_budget)
    return DiscreteLaplace(decay_power=decay, truncation=threshold)


def releases(at: AtService, key: Key, noisy: int, threshold: int | None) -> bool:
    r"""Release a noisy sum if it exceeds the threshold, or if there is none."""
    return threshold is None or noisy > threshold


def reveal_outcome(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Hashable:
    """Show the ad-tech the answer, or that the batch was refused, and nothing else."""
    return outcome


class BadQuery(SpecError):
    r"""Report a query whose parameters are out of range."""


class UnknownReport(SpecError):
    """Report a query for a report that never arrived."""
