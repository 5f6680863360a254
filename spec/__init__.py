"""The Privacy Sandbox measurement APIs as an exact, executable specification.

One module per algorithm, in the paper's order. `Rules` is the change surface, `PAPER` its value for
the paper's rules; a proposal replaces fields of it.

Paper: Sec. 2; Sec. 3; Sec. 4; Sec. 5.
"""

from dataclasses import replace as replace

from spec.aggregation_service import (
    Aborted as Aborted,
    Answer as Answer,
    BadQuery as BadQuery,
    Ledger as Ledger,
    Outcome as Outcome,
    Query as Query,
    Service as Service,
    Spent as Spent,
    UnknownReport as UnknownReport,
)
from spec.attribution_client import (
    AttributionClient as AttributionClient,
    DuplicateSource as DuplicateSource,
    Source as Source,
    Trigger as Trigger,
)
from spec.contributions import Budget as Budget, Budgets as Budgets, Credit as Credit, Unit as Unit
from spec.distributions import (
    Distribution as Distribution,
    Draw as Draw,
    Law as Law,
    Random as Random,
    coin as coin,
    explore as explore,
    hockey_stick as hockey_stick,
    indistinguishable as indistinguishable,
)
from spec.event_client import (
    EventClient as EventClient,
    EventReport as EventReport,
    EventSource as EventSource,
    EventTrigger as EventTrigger,
    SourceRecord as SourceRecord,
    TriggerSpecification as TriggerSpecification,
    UnknownSource as UnknownSource,
)
from spec.event_mechanism import EventMechanism as EventMechanism
from spec.event_outputs import Output as Output, OutputSet as OutputSet, output_set as output_set
from spec.expiration import (
    private_with_gradual_expiration as private_with_gradual_expiration,
    without_storage_after as without_storage_after,
)
from spec.filters import (
    FilteredMechanism as FilteredMechanism,
    IndividuallyFilteredMechanism as IndividuallyFilteredMechanism,
    IndividualQuery as IndividualQuery,
    UniversalQuery as UniversalQuery,
    basic_filter as basic_filter,
)
from spec.individual_privacy import (
    Theta as Theta,
    individually_private as individually_private,
    is_rollout as is_rollout,
)
from spec.interaction import (
    Adversary as Adversary,
    Mechanism as Mechanism,
    Without as Without,
    interactively_private as interactively_private,
    transcript as transcript,
)
from spec.neighbours import (
    ATTRIBUTION_FIXED as ATTRIBUTION_FIXED,
    EMPTY_STORE as EMPTY_STORE,
    MOVED_TO_DUMMY as MOVED_TO_DUMMY,
    NEVER_MATCHES as NEVER_MATCHES,
    NEVER_REGISTERED as NEVER_REGISTERED,
    NULL_STORE as NULL_STORE,
    NULLED_AFTER_ADMISSION as NULLED_AFTER_ADMISSION,
    RELATIONS as RELATIONS,
    Relation as Relation,
)
from spec.noise import (
    DiscreteGaussian as DiscreteGaussian,
    DiscreteLaplace as DiscreteLaplace,
    Noise as Noise,
    Noisy as Noisy,
    smallest_sound_truncation as smallest_sound_truncation,
)
from spec.numbers import (
    NATURAL as NATURAL,
    Base as Base,
    Power as Power,
    Real as Real,
    SpecError as SpecError,
)
from spec.paper import PAPER as PAPER
from spec.private_aggregation_client import (
    EMPTY_STORAGE as EMPTY_STORAGE,
    AggregationClient as AggregationClient,
    DeviceWindow as DeviceWindow,
    Event as Event,
    Program as Program,
    Storage as Storage,
)
from spec.randomized_response import (
    RandomizedResponse as RandomizedResponse,
    truth_probability as truth_probability,
)
from spec.reports import (
    Contribution as Contribution,
    Key as Key,
    Report as Report,
    ReportId as ReportId,
    Sent as Sent,
)
from spec.rules import (
    AtContribution as AtContribution,
    AtEvent as AtEvent,
    AtEventSource as AtEventSource,
    AtEventTrigger as AtEventTrigger,
    AtService as AtService,
    AtSource as AtSource,
    AtTrigger as AtTrigger,
    AtWindows as AtWindows,
    Initial as Initial,
    Limits as Limits,
    OnDevice as OnDevice,
    Rules as Rules,
)
from spec.summary_mechanism import (
    Database as Database,
    Neighbour as Neighbour,
    Record as Record,
    SummaryMechanism as SummaryMechanism,
    SummaryQuery as SummaryQuery,
    SummaryState as SummaryState,
    without_source as without_source,
    without_storage as without_storage,
)
from spec.system import (
    DuplicateReport as DuplicateReport,
    Move as Move,
    Observation as Observation,
    PassTime as PassTime,
    System as System,
    SystemMechanism as SystemMechanism,
    TimeRunsBackwards as TimeRunsBackwards,
    step as step,
)
from spec.universe import SMALL_LIMITS as SMALL_LIMITS, Universe as Universe
