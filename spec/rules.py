r"""The change surface: every decision that a proposed API change can make differently.

The algorithms of this specification take a value `rules` of the type `Rules`. Its fields are the
decisions of the APIs, each a plain function or a public parameter, and the steps that call them.
The paper's choices are the value `PAPER`. A proposal is a few fields replaced:

    RULES = replace(PAPER, charge=charge_real_reports_only)

A rule sees everything that its party could see at that point of the real system: the service sees
decrypted reports, the client sees its own state and the time. A rule may be random: it returns an
exact law, and the step that calls it draws from it. This module holds types only. Each default
stands beside its algorithm, and `spec/paper.py` puts them together.

Paper: Sec. 2; Sec. 4; Sec. 5.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from spec.numbers import NATURAL, Base, SpecError, exact, whole

if TYPE_CHECKING:
    from spec.aggregation_service import Answer, Ledger, Outcome, Query, Service, Spent
    from spec.attribution_client import AttributionClient, Source, Trigger
    from spec.contributions import Budget, Budgets, Cause, Credit, Unit
    from spec.distributions import Draw, Random
    from spec.event_client import EventClient, EventReport, EventSource, EventTrigger
    from spec.event_outputs import OutputSet
    from spec.noise import Noise
    from spec.numbers import Real
    from spec.private_aggregation_client import AggregationClient, Event, Storage
    from spec.reports import Contribution, Key, Report, ReportId


class BadLimit(SpecError):
    """Report a public parameter outside its range.

    Paper: none (bad input).
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    r"""Hold the public parameters of the APIs.

    `contribution_budget` is $\Lambda_1$, `sparsity_budget` is $\Lambda_0$, `epsilon` and `delta`
    are the caps $(\varepsilon_*, \delta_*)$ per report, `event_epsilon` is the $\varepsilon$ of
    event-level reports. Every $\varepsilon$ is a rational number of units $\ln b$, with $b$ the
    `base`. `window_length` is the length of a PAA time window in seconds. The last four bound what
    an event-level source may ask for.

    Paper: Alg. 1; Alg. 2; Alg. 3; Alg. 4; Alg. 6.
    """

    contribution_budget: int
    sparsity_budget: int
    epsilon: Fraction
    delta: Fraction
    event_epsilon: Fraction
    base: Base = NATURAL
    window_length: int = 600
    maximum_reports: int = 20
    maximum_windows: int = 5
    maximum_trigger_data: int = 32
    maximum_buckets: int = 20

    def __post_init__(self) -> None:
        positive = (
            "contribution_budget",
            "sparsity_budget",
            "window_length",
            "maximum_reports",
            "maximum_windows",
            "maximum_trigger_data",
            "maximum_buckets",
        )
        for name in positive:
            if whole(getattr(self, name), name) < 1:
                raise BadLimit(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("epsilon", "delta", "event_epsilon"):
            object.__setattr__(self, name, exact(getattr(self, name), name))
            if getattr(self, name) < 0:
                raise BadLimit(f"{name} must not be negative, not {getattr(self, name)}")
        if self.delta > 1:
            raise BadLimit(f"delta must lie in [0, 1], not {self.delta}")
        if not isinstance(self.base, Base):
            raise BadLimit(f"base must be a Base, not {self.base!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Hold every decision of the APIs: parameters, decisions, and the steps that call them.

    Paper: Alg. 1; Alg. 2; Alg. 3; Alg. 4; Alg. 6; Alg. 8.
    """

    limits: Limits

    # Both clients: how a contribution is admitted and what leaves the device.
    cap: Callable[[Limits], Budget]
    admit: Callable[[Budget, Budget, Contribution, Cause], Budget | None]
    grant: Callable[[Rules, Budget, Credit, Cause], tuple[Budget, tuple[Contribution, ...]]]
    contribute: Callable[
        [Rules, Budgets, tuple[Credit, ...], Cause], tuple[Budgets, tuple[Contribution, ...]]
    ]
    report: Callable[[ReportId, tuple[Contribution, ...], Cause], Report]
    sends: Callable[[Budgets, tuple[Credit, ...], Cause, Report], Random[bool]]
    visible: Callable[[Budgets, tuple[Credit, ...], Cause, Report], Random[Hashable]]
    arrival: Callable[[int, Cause, Report], int]

    # The ARA client: which source a trigger is attributed to, and with what.
    matches: Callable[[Source, Trigger], bool]
    attempt_order: Callable[[Sequence[Source], Trigger], Random[Sequence[Source]]]
    join_keys: Callable[[Key, Key], Key]
    contributions: Callable[[Rules, Source, Trigger], tuple[Contribution, ...]]
    attribute: Callable[[Rules, AttributionClient, Trigger, int, Draw], tuple[Credit, ...]]
    register_source: Callable[[Rules, AttributionClient, Source, int], AttributionClient]
    register_trigger: Callable[
        [Rules, AttributionClient, Trigger, int, Draw],
        tuple[AttributionClient, tuple[Credit, ...], Report],
    ]

    # The PAA client: whose budget an event uses, and what its program contributes.
    budget_unit: Callable[[Limits, Event, int], Unit]
    run_program: Callable[
        [Limits, Storage, Budget, Event], tuple[Storage, tuple[Contribution, ...]]
    ]
    propose: Callable[
        [Rules, AggregationClient, Event, int], tuple[AggregationClient, tuple[Credit, ...]]
    ]
    register_event: Callable[
        [Rules, AggregationClient, Event, int, Draw],
        tuple[AggregationClient, tuple[Credit, ...], Report],
    ]

    # The aggregation service and the privacy budget service.
    batch: Callable[[Query, tuple[Report, ...]], tuple[Report, ...]]
    budget_entries: Callable[[Query, Report], tuple[Hashable, ...]]
    charge: Callable[[Limits, Spent, Query, Report], Spent | None]
    settle: Callable[
        [Rules, Ledger, Query, tuple[Report, ...]], tuple[Ledger, tuple[Report, ...] | None]
    ]
    totals: Callable[[Query, tuple[Report, ...]], Mapping[Key, int]]
    keys: Callable[[Query, tuple[Report, ...]], tuple[Key, ...]]
    threshold: Callable[[Limits, Query, tuple[Report, ...]], int | None]
    noise: Callable[[Limits, Query, tuple[Report, ...], int | None], Noise]
    releases: Callable[[Query, Key, int, int | None], bool]
    answer: Callable[[Rules, Query, tuple[Report, ...], Draw], Answer]
    reveal: Callable[[Service, Query, tuple[Report, ...], Outcome], Random[Hashable]]
    serve: Callable[[Rules, Service, Query, tuple[Report, ...], Draw], tuple[Service, Hashable]]

    # The event-level client.
    event_matches: Callable[[EventSource, EventTrigger], bool]
    event_attribute: Callable[[Rules, EventClient, EventTrigger, int], tuple[Unit, ...]]
    output_set: Callable[[Limits, EventSource], OutputSet]
    truth_probability: Callable[[Real, int], Real]
    register_event_source: Callable[[Rules, EventClient, EventSource, int, Draw], EventClient]
    register_event_trigger: Callable[
        [Rules, EventClient, EventTrigger, int, tuple[Unit, ...]], EventClient
    ]
    pass_windows: Callable[
        [Rules, EventClient, int, int, Draw], tuple[EventClient, tuple[EventReport, ...]]
    ]
    event_visible: Callable[[EventClient, EventReport], Random[Hashable]]
