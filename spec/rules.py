r"""The change surface: every decision that a proposed API change can make differently.

The algorithms of this specification take a value `rules` of the type `Rules`. Its fields are the
decisions of the APIs, each a plain function or a public parameter. The paper's choices are the
value `PAPER`. A proposal is a few fields replaced:

    RULES = replace(PAPER, charge=charge_real_reports_only)

Every rule takes first a value `at`, which holds everything that its party can see at that point:
the rules, the time, the party's own state, and what it is asked to do. On a device that is
`OnDevice`, at the aggregation service `AtService`. Then come the things that the rule decides
about, and last, where a rule draws more than once, the function `draw`. A rule that tosses a single
coin returns an exact law instead of a value, and whoever calls it draws.

This module holds types only. Each default stands beside its algorithm, and `spec/paper.py` puts
them together.

Paper: Sec. 2; Sec. 4; Sec. 5.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from spec.numbers import NATURAL, Base, SpecError, exact, whole

if TYPE_CHECKING:
    from spec.aggregation_service import Answer, Ledger, Outcome, Query, Service, Spent
    from spec.attribution_client import AttributionClient, Source, Trigger
    from spec.contributions import Budget, Budgets, Cause, Contributor, Credit, Unit
    from spec.distributions import Draw, Random
    from spec.event_client import EventClient, EventReport, EventSource, EventTrigger, SourceRecord
    from spec.event_outputs import OutputSet
    from spec.noise import Noise
    from spec.numbers import Real
    from spec.private_aggregation_client import AggregationClient, Event, Storage
    from spec.reports import Contribution, Key, Report, Sent

Client = TypeVar("Client", covariant=True)
Happening = TypeVar("Happening", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    r"""Hold the public parameters of the APIs.

    `contribution_budget` is $\Lambda_1$, `sparsity_budget` is $\Lambda_0$, `epsilon` and `delta`
    are the caps $(\varepsilon_*, \delta_*)$ per report, `maximum_queries` is $\ell_*$, the number
    of queries that a report may take part in (None: any number), `event_epsilon` is the
    $\varepsilon$ of event-level reports. Every $\varepsilon$ is a rational number of units
    $\ln b$, with $b$ the `base`. `window_length` is the length of a PAA time window in seconds. The
    last four bound what an event-level source may ask for.

    Deviates: B3 the cap on the number of queries is a limit of its own.
    Paper: Alg. 1; Alg. 2; Alg. 3; Alg. 4; Alg. 6; Remark 2.1.
    """

    contribution_budget: int
    sparsity_budget: int
    epsilon: Fraction
    delta: Fraction
    event_epsilon: Fraction
    base: Base = NATURAL
    maximum_queries: int | None = None
    window_length: int = 600
    maximum_reports: int = 20
    maximum_windows: int = 5
    maximum_trigger_data: int = 32
    maximum_buckets: int = 20

    def __post_init__(self) -> None:
        for name in (each.name for each in fields(self) if each.type == "int"):
            if whole(getattr(self, name), name) < 1:
                raise BadLimit(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.maximum_queries is not None and whole(self.maximum_queries, "maximum_queries") < 1:
            raise BadLimit(f"maximum_queries must be at least 1, not {self.maximum_queries}")
        for name in ("epsilon", "delta", "event_epsilon"):
            object.__setattr__(self, name, exact(getattr(self, name), name))
            if getattr(self, name) < 0:
                raise BadLimit(f"{name} must not be negative, not {getattr(self, name)}")
        if self.delta > 1:
            raise BadLimit(f"delta must lie in [0, 1], not {self.delta}")
        if type(self.base) is not Base:
            raise BadLimit(f"base must be a Base, not {self.base!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OnDevice(Generic[Client, Happening]):
    """Hold what a rule on a device sees: the rules, the time, its client, and what happens.

    `client` is the state of the device's client, `cause` the source, trigger or event that is
    being registered. The cause is None while windows pass, and in the summary mechanism.
    """

    rules: Rules
    now: int
    client: Client
    cause: Happening

    @property
    def limits(self) -> Limits:
        """Return the public parameters."""
        return self.rules.limits


@dataclass(frozen=True, slots=True, kw_only=True)
class AtService:
    """Hold what a rule of the aggregation service sees: the rules, the time, its state, the query.

    Paper: Alg. 1.
    """

    rules: Rules
    now: int
    service: Service
    query: Query

    @property
    def limits(self) -> Limits:
        """Return the public parameters."""
        return self.rules.limits


AtSource: TypeAlias = "OnDevice[AttributionClient, Source]"
AtTrigger: TypeAlias = "OnDevice[AttributionClient, Trigger]"
AtEvent: TypeAlias = "OnDevice[AggregationClient, Event]"
AtContribution: TypeAlias = "OnDevice[Contributor, Cause]"
AtEventSource: TypeAlias = "OnDevice[EventClient, EventSource]"
AtEventTrigger: TypeAlias = "OnDevice[EventClient, EventTrigger]"
AtWindows: TypeAlias = "OnDevice[EventClient, None]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Initial:
    """Hold the states in which a new device and a new service begin.

    A proposal that keeps more than the paper's clients do names its own types here.

    Paper: Alg. 1; Alg. 2; Alg. 3; Alg. 4.
    """

    attribution: AttributionClient
    aggregation: AggregationClient
    events: EventClient
    service: Service


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Hold every decision of the APIs; the line above each says what it decides, and who does.

    Paper: Alg. 1; Alg. 2; Alg. 3; Alg. 4; Alg. 6; Alg. 8.
    """

    #: The public parameters; they are fixed for everybody.
    limits: Limits
    #: The states in which clients and the service begin; fixed for everybody.
    initial: Initial

    #: Whether one contribution fits the unit's budget, and the budget after it; both clients.
    admit: Callable[[AtContribution, Unit, Budget, Contribution], tuple[Budget, bool]]
    #: What is granted of each credit, and all budgets after it; both clients.
    contribute: Callable[[AtContribution, tuple[Credit, ...]], tuple[Budgets, tuple[Credit, ...]]]
    #: Which reports leave, when they arrive, and what the ad-tech sees of them; both clients.
    send: Callable[[AtContribution, tuple[Credit, ...]], Random[tuple[Sent, ...]]]

    #: What the client keeps of a new source; the ARA client.
    register_source: Callable[[AtSource, Source], AttributionClient]
    #: Whether a source may take the trigger; the ARA client.
    matches: Callable[[AtTrigger, Source], bool]
    #: In which order the sources that match are tried; the ARA client.
    attempt_order: Callable[[AtTrigger, tuple[Source, ...]], Random[Sequence[Source]]]
    #: What a source would contribute for the trigger; the ARA client.
    contributions: Callable[[AtTrigger, Source], tuple[Contribution, ...]]
    #: Who is credited with what for a trigger, and what the client keeps of it; the ARA client.
    attribute: Callable[[AtTrigger, Draw], tuple[AttributionClient, tuple[Credit, ...]]]

    #: Whose budget an event uses; the PAA client.
    budget_unit: Callable[[AtEvent], Unit]
    #: What the program makes of the storage, and what it contributes; the PAA client.
    run_program: Callable[[AtEvent], tuple[Storage, tuple[Contribution, ...]]]
    #: Who is credited with what for an event, and what the client keeps of it; the PAA client.
    propose: Callable[[AtEvent, Draw], tuple[AggregationClient, tuple[Credit, ...]]]

    #: Which of the reports that the query names make up the batch; the service.
    batch: Callable[[AtService, tuple[Report, ...]], Random[tuple[Report, ...]]]
    #: Which entries of the ledger a report is charged to; the privacy budget service.
    budget_entries: Callable[[AtService, Report], tuple[Hashable, ...]]
    #: What an entry has spent after the query, or None if it cannot pay; the budget service.
    charge: Callable[[AtService, Spent, Report], Spent | None]
    #: The ledger after the query, and the reports that are answered or None; the budget service.
    settle: Callable[
        [AtService, tuple[Report, ...]], Random[tuple[Ledger, tuple[Report, ...] | None]]
    ]
    #: The true sum of every key; the service.
    totals: Callable[[AtService, tuple[Report, ...]], Mapping[Key, int]]
    #: Which keys are answered; the service.
    keys: Callable[[AtService, tuple[Report, ...]], tuple[Key, ...]]
    #: What a noisy sum must exceed to be released, or None for no threshold; the service.
    threshold: Callable[[AtService, tuple[Report, ...]], int | None]
    #: The law of the noise; the service.
    noise: Callable[[AtService, tuple[Report, ...], int | None], Noise]
    #: Whether a noisy sum is released; the service.
    releases: Callable[[AtService, Key, int, int | None], bool]
    #: The summary report of a batch; the service.
    answer: Callable[[AtService, tuple[Report, ...], Draw], Answer]
    #: What the ad-tech sees of an answer or of a refusal; the service.
    reveal: Callable[[AtService, tuple[Report, ...], Outcome], Random[Hashable]]
    #: The service after a query, and what the ad-tech sees; the service.
    serve: Callable[[AtService, tuple[Report, ...], Draw], tuple[Service, Hashable]]

    #: What the client keeps of a new source, and the response that it draws; the event client.
    register_event_source: Callable[[AtEventSource, EventSource, Draw], EventClient]
    #: Whether a source may take the trigger; the event client.
    event_matches: Callable[[AtEventTrigger, SourceRecord], bool]
    #: Which sources are credited with a trigger; the event client.
    event_attribute: Callable[[AtEventTrigger], Random[tuple[Unit, ...]]]
    #: What the credited sources keep of a trigger; the event client.
    register_event_trigger: Callable[[AtEventTrigger, tuple[Unit, ...]], EventClient]
    #: Which outputs a response is drawn from; the event client.
    output_set: Callable[[AtEventSource, EventSource], OutputSet]
    #: With which probability a response is truthful: a formula in $e^\varepsilon$ and $|O|$.
    truth_probability: Callable[[Real, int], Real]
    #: Which reports the windows send that end after a moment and not after now; the event client.
    pass_windows: Callable[[AtWindows, int, Draw], tuple[EventClient, tuple[EventReport, ...]]]
    #: What the ad-tech sees of an event-level report; the event client.
    event_visible: Callable[[AtWindows, EventReport], Random[Hashable]]


class BadLimit(SpecError):
    """Report a public parameter outside its range."""
